// The whole demo on a surface that changes under it: minimised, restored, resized, moved to a display of another scale,
// without its OpenGL context for a while.
#include "app/surface.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "demo/egl_context.h"
#include "demo/picture.h"
#include "demo/program.h"

namespace augur::demo {
namespace {

using test::read_file;
using test::scratch_file;

// What a surface is in one frame.
struct Moment {
    Extent extent;
    float scale = 1.0f;  // framebuffer pixels to a pixel of the window system
    bool current = true;
};

// A headless surface that goes through moments, the last of which stays.
class ChangingSurface final : public Surface {
  public:
    ChangingSurface(std::unique_ptr<Surface> inner, std::vector<Moment> moments, bool interactive = false)
        : inner_(std::move(inner)), moments_(std::move(moments)), interactive_(interactive) {}
    ~ChangingSurface() override { context_.come_back(); }

    GlLoader loader() const override { return inner_->loader(); }
    const char* kind() const override { return "changing"; }
    bool interactive() const override { return interactive_; }
    bool attach_overlay() override { return inner_->attach_overlay(); }
    void detach_overlay() override { inner_->detach_overlay(); }
    void begin_frame(double seconds) override {
        if (frame_ + 1 < moments_.size() && began_) ++frame_;
        began_ = true;
        if (now().current)
            context_.come_back();
        else
            context_.leave();
        inner_->begin_frame(seconds);
        ImGuiIO& io = ImGui::GetIO();
        io.DisplayFramebufferScale = ImVec2(now().scale, now().scale);
        io.DisplaySize = ImVec2(static_cast<float>(now().extent.width) / now().scale,
                                static_cast<float>(now().extent.height) / now().scale);
    }
    Extent extent() const override { return now().extent; }
    bool should_close() const override { return false; }
    void present(GLuint framebuffer, Extent picture) override { inner_->present(framebuffer, picture); }

  private:
    const Moment& now() const { return moments_[frame_]; }

    std::unique_ptr<Surface> inner_;
    EglContext context_;
    std::vector<Moment> moments_;
    bool interactive_;
    bool began_ = false;
    std::size_t frame_ = 0;
};

class DemoSurface : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        options_.headless = true;
        options_.scene = GetParam();
        options_.backend = BackendChoice::kCpu;
        options_.agents = 4;
        options_.simulations = 8;
        options_.report = scratch_file("report.json");
    }
    // Runs one frame for each moment and gives the report; null where it failed.
    nlohmann::json run(std::vector<Moment> moments, bool interactive = false) {
        std::string error;
        std::unique_ptr<Surface> inner = make_headless({64, 64}, error);
        if (!inner) return nullptr;
        options_.frames = moments.size();
        App app(options_, std::make_unique<ChangingSurface>(std::move(inner), std::move(moments), interactive));
        if (app.run() != 0) return nullptr;
        return nlohmann::json::parse(read_file(options_.report), nullptr, false);
    }
    Options options_;
};

INSTANTIATE_TEST_SUITE_P(Of, DemoSurface, testing::Values("skirmish", "connect_four"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(DemoSurface, MayChangeInEveryFrameAndNoDecisionDoes) {
    const unsigned errors_before = gl_error_count();
    const std::vector<Moment> changing = {
        {{0, 0}},      // not shown yet
        {{640, 360}},  // restored
        {{0, 0}},      // minimised
        {{1, 1}},
        {{1920, 1080}},
        {{3840, 2160}, 2},  // moved to a display of twice the scale
        {{1921, 1079}, 1.5f},
        {{640, 0}},
        {{0, 360}},
        {{16384, 16}},
        {{300, 200}},  // its display went, it is on another one
        {{0, 0}},
        {{640, 360}},
    };
    const nlohmann::json report = run(changing);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report.value("plans", std::size_t{0}), changing.size()) << "a window that is not shown keeps planning";
    EXPECT_EQ(gl_error_count(), errors_before);
    const nlohmann::json steady = run(std::vector<Moment>(changing.size(), Moment{{64, 64}}));
    ASSERT_TRUE(steady.is_object());
    EXPECT_EQ(report.value("decision_hash", "changing"), steady.value("decision_hash", "steady"));
}

TEST_P(DemoSurface, MayLoseItsContextForAWhile) {
    options_.screenshot = scratch_file("picture.png");
    std::vector<Moment> moments(12, Moment{{320, 200}});
    for (std::size_t frame = 3; frame < moments.size(); ++frame) {
        moments[frame].extent = {1920, 1080};  // it comes back with another size and scale
        moments[frame].current = frame >= 7;
    }
    // As in a window: without somebody watching, a frame that was not planned fails the run.
    const nlohmann::json report = run(moments, true);
    ASSERT_TRUE(report.is_object()) << "it did not go on";
    EXPECT_EQ(report.value("frames", 0), 12);
    EXPECT_GT(report.value("plans", 0), 0);
    const test::Picture picture = test::Picture::read(options_.screenshot);
    EXPECT_EQ(picture.width, 1920);
    EXPECT_GT(test::contrast(picture, {0.0, 0.0, 1.0, 1.0}), 8.0) << "the picture is blank";
    EXPECT_GT(test::count(picture, {0.015, 0.02, 0.155, 0.98}, test::is_text), 250) << "the panels have no text";
}

}  // namespace
}  // namespace augur::demo
