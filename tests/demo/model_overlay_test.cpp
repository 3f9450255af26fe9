// The overlay's model switch and its selection, clicked while a scene runs.
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/surface.h"
#include "demo/clicking_surface.h"
#include "demo/picture.h"
#include "demo/program.h"
#include "support/dense_onnx.h"

namespace augur::demo {
namespace {

using test::scratch_file;

// Where the controls stand in such a picture.
constexpr Vec2 kCuda = {248.0f, 187.0f};
constexpr Vec2 kRollouts = {96.0f, 219.0f};
constexpr Vec2 kModel = {227.0f, 219.0f};
constexpr Vec2 kGumbel = {247.0f, 465.0f};
// Where a sentence is shown.
constexpr test::Part kSentence = {0.35, 0.012, 0.65, 0.06};

class DemoModelSwitch : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = scratch_file("assets");
        std::filesystem::create_directories(folder_ / "models");
        std::filesystem::create_directory_symlink(std::filesystem::path(AUGUR_SOURCE_DIR) / "assets" / "fonts",
                                                  folder_ / "fonts");
        setenv("AUGUR_DEMO_ASSETS", folder_.c_str(), 1);
        options_.scene = "connect_four";
        options_.backend = BackendChoice::kCpu;
        options_.agents = 3;
        options_.simulations = 16;
        options_.report = scratch_file("report.json");
        options_.screenshot = scratch_file("picture.png");
    }
    void TearDown() override {
        unsetenv("AUGUR_DEMO_ASSETS");
        std::filesystem::remove_all(folder_);
    }

    void write_model(std::uint32_t features) const {
        std::ofstream(folder_ / "models" / "connect_four.onnx", std::ios::binary) << test::write_dense_onnx(
            features, {8}, {{"policy", 7, ""}, {"value", 1, "Tanh"}},
            [](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
                return 0.3f * std::sin(static_cast<float>(7 * layer + 13 * row + 29 * column + 1));
            });
    }
    // Runs until a while after the last click and gives the report; null where the run failed.
    // `before_click` happens while the scene runs already.
    nlohmann::json click(const std::vector<Vec2>& places, std::function<void()> before_click = {}) {
        std::string error;
        std::unique_ptr<Surface> inner = make_headless(kClickedPicture, error);
        if (!inner) return nullptr;
        options_.frames = (places.size() + 1) * ClickingSurface::kFramesPerClick;
        App app(options_, std::make_unique<ClickingSurface>(std::move(inner), places, std::move(before_click)));
        if (app.run() != 0) return nullptr;
        return nlohmann::json::parse(test::read_file(options_.report), nullptr, false);
    }
    // True where the picture has the ground that a sentence stands on.
    bool says_something() const {
        const auto is_ground = [](const test::Picture::Pixel& p) { return p.r > 38 && p.r - p.b > 16 && p.r < 60; };
        return test::count(test::Picture::read(options_.screenshot), kSentence, is_ground) > 3000;
    }

    Options options_;
    std::filesystem::path folder_;
};

TEST_F(DemoModelSwitch, GuidesTheSearchFromTheNextPlanOn) {
    write_model(42);
    const nlohmann::json before = click({});
    ASSERT_TRUE(before.is_object());
    EXPECT_TRUE(before.at("model").is_null());
    const nlohmann::json on = click({kModel});
    ASSERT_TRUE(on.is_object());
    EXPECT_EQ(on.at("model"), "connect_four.onnx");
    EXPECT_GT(on.at("plans"), 0);
    EXPECT_GT(on.at("evaluate_ms").at("max"), 0.0);
    EXPECT_FALSE(says_something()) << "nothing went wrong";
}

TEST_F(DemoModelSwitch, OffersGumbelOnlyWithAModelAndDropsItWithout) {
    write_model(42);
    EXPECT_EQ(click({kModel, kGumbel}).at("selection"), "gumbel");
    const nlohmann::json off = click({kModel, kGumbel, kRollouts});
    EXPECT_EQ(off.at("selection"), "puct");
    EXPECT_TRUE(off.at("model").is_null());
    EXPECT_NE(click({kGumbel}).at("selection"), "gumbel");
}

TEST_F(DemoModelSwitch, SaysWhyAModelCannotBeUsedAndGoesOnWithout) {
    for (const bool there : {false, true}) {
        if (there) write_model(93);  // another game's
        const nlohmann::json report = click({kModel});
        ASSERT_TRUE(report.is_object()) << "it did not go on";
        EXPECT_TRUE(report.at("model").is_null());
        EXPECT_GT(report.at("plans"), 0);
        EXPECT_TRUE(says_something()) << "no sentence";
    }
}

TEST_F(DemoModelSwitch, GoesOnWithoutAModelWhoseFileIsGone) {
    write_model(42);
    options_.model = "default";
    const std::filesystem::path file = folder_ / "models" / "connect_four.onnx";
    const nlohmann::json report = click({kGumbel}, [&] { std::filesystem::remove(file); });
    ASSERT_TRUE(report.is_object()) << "it did not go on";
    EXPECT_TRUE(report.at("model").is_null());
    EXPECT_EQ(report.at("selection"), "puct");
    EXPECT_TRUE(says_something()) << "no sentence";
}

TEST_F(DemoModelSwitch, KeepsWhatWorkedWhenAnotherSettingCannotBeHad) {
    write_model(42);
    options_.model = "default";
    options_.selection = AUGUR_SELECTION_GUMBEL;
    const nlohmann::json report = click({kCuda});
    ASSERT_TRUE(report.is_object()) << "it did not go on";
    if (report.at("device") != click({}).at("device")) GTEST_SKIP() << "this machine has the CUDA backend";
    EXPECT_EQ(report.at("selection"), "gumbel");
    EXPECT_EQ(report.at("model"), "connect_four.onnx");
}

}  // namespace
}  // namespace augur::demo
