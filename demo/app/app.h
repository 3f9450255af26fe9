// The demo's main loop.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "app/frame_clock.h"
#include "app/options.h"
#include "app/planner_session.h"
#include "app/surface.h"
#include "draw/draw.h"
#include "scenes/scene.h"
#include "scenes/scenes.h"
#include "ui/overlay.h"

namespace augur::demo {

class App {
  public:
    /// Draws on `surface` where one is given, else on one that start() opens as the options say.
    explicit App(const Options& options, std::unique_ptr<Surface> surface = nullptr);

    /// Runs until the window closes or the frames are done. Returns the exit code: 0, or 1 after a failure that was
    /// written to standard error.
    int run();

  private:
    bool start();
    bool open_scene(const SceneInfo& info, std::uint32_t agents);
    bool open_planner();
    void frame();
    void follow_wishes();
    void read_pointer(Pointer& pointer, const Viewport& view);
    void hot_keys();
    void draw_world(const Viewport& view);
    bool time_for_another_plan() const;
    /// Takes the plan in when it is done; `read`: looks into the selected agent's tree, too.
    bool plan_arrived(bool wait, bool read);
    bool finish();

    Options options_;
    std::unique_ptr<Surface> surface_;
    GlInfo gl_;
    Overlay overlay_;
    Draw draw_;
    Target picture_{GL_RGBA8};
    std::unique_ptr<PlannerSession> session_;
    std::unique_ptr<Scene> scene_;
    const SceneInfo* scene_info_ = nullptr;
    FrameClock clock_;
    OverlayWishes wishes_;
    Thoughts thoughts_;
    Samples frame_ms_{65536};
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point last_frame_;
    Extent size_;
    double seconds_ = 0.0;
    std::uint32_t agents_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t wanted_frames_ = 0;  ///< 0: until the window closes
    std::uint64_t ticks_ = 0;
    bool plan_fresh_ = false;
    bool drag_began_on_world_ = false;
    std::string shown_message_;
};

}  // namespace augur::demo
