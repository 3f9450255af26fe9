// A person who clicks one place after another, with a pause between.
#ifndef AUGUR_TESTS_DEMO_CLICKING_SURFACE_H
#define AUGUR_TESTS_DEMO_CLICKING_SURFACE_H

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/surface.h"
#include "draw/geometry.h"

namespace augur::demo {

inline constexpr Extent kClickedPicture = {1920, 1080};

class ClickingSurface final : public Surface {
  public:
    ClickingSurface(std::unique_ptr<Surface> inner, std::vector<Vec2> clicks, std::function<void()> before)
        : inner_(std::move(inner)), clicks_(std::move(clicks)), before_click_(std::move(before)) {}

    static constexpr std::size_t kFramesPerClick = 8;

    GlLoader loader() const override { return inner_->loader(); }
    const char* kind() const override { return "clicking"; }
    bool interactive() const override { return true; }
    bool attach_overlay() override { return inner_->attach_overlay(); }
    void detach_overlay() override { inner_->detach_overlay(); }
    void begin_frame(double seconds) override {
        inner_->begin_frame(seconds);
        const std::size_t click = frame_ / kFramesPerClick;
        const std::size_t step = frame_ % kFramesPerClick;
        ImGuiIO& io = ImGui::GetIO();
        if (click < clicks_.size()) io.MousePos = ImVec2(clicks_[click].x, clicks_[click].y);
        io.MouseDown[0] = click < clicks_.size() && (step == 3 || step == 4);
        if (++frame_ == 3 && before_click_) before_click_();
    }
    Extent extent() const override { return kClickedPicture; }
    bool should_close() const override { return false; }
    void present(GLuint framebuffer, Extent picture) override { inner_->present(framebuffer, picture); }

  private:
    std::unique_ptr<Surface> inner_;
    std::vector<Vec2> clicks_;
    std::function<void()> before_click_;
    std::size_t frame_ = 0;
};

}  // namespace augur::demo

#endif  // AUGUR_TESTS_DEMO_CLICKING_SURFACE_H
