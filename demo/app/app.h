// The demo's main loop.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/ab_test.h"
#include "app/frame_clock.h"
#include "app/frame_history.h"
#include "app/model_load.h"
#include "app/options.h"
#include "app/planner_session.h"
#include "app/surface.h"
#include "draw/draw.h"
#include "draw/render_load.h"
#include "scenes/scene.h"
#include "scenes/scenes.h"
#include "ui/overlay.h"

namespace augur::demo {

/// The network that may guide a scene's search.
struct SceneModel {
    std::string file;
    bool on = false;
};

class App {
  public:
    /// Draws on `surface` where one is given, else on one that start() opens as the options say.
    explicit App(const Options& options, std::unique_ptr<Surface> surface = nullptr);

    /// Runs until the window closes or the frames are done. Returns the exit code: 0, 2 where the model that was asked
    /// for cannot be used, or 1 after another failure; standard error has the sentence.
    int run();

  private:
    bool start();
    /// Finds the files that --model stands for. False after a mistake, which was said.
    bool choose_model(const SceneInfo& info);
    /// Sets the wishes to the scene's model. False where the run was to begin with one and cannot.
    bool take_model(const SceneInfo& info, bool starting);
    void tell(const std::string& sentence);
    /// The settings that the run begins with: the scene's own, over them a profile's, over them what was asked for.
    void begin_settings(const SceneInfo& info);
    void load_profile_now();
    void save_profile_now();
    /// What a profile keeps of the settings: the frame's budget only while it is shared.
    SearchSettings to_keep(SearchSettings settings) const;
    /// Brings the model load in line with the wish; says so where it cannot be had.
    void follow_load();
    void follow_comparison();
    bool open_scene(const SceneInfo& info, std::uint32_t agents);
    bool open_planner();
    /// open_planner(), and where the model is refused once more without it.
    bool open_planner_somehow();
    void frame();
    void follow_wishes();
    void read_pointer(Pointer& pointer, const Viewport& view);
    void hot_keys();
    void draw_world(const Viewport& view);
    void plan_and_draw(const Viewport& view, bool final_picture, bool last, FrameRecord& record);
    double real_seconds_since_start() const;
    void keep(FrameRecord& record, std::chrono::steady_clock::time_point began);
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
    std::map<const SceneInfo*, SceneModel> models_;
    FrameClock clock_;
    OverlayWishes wishes_;
    Thoughts thoughts_;
    std::vector<float> features_;  // of the selected agent
    Samples frame_ms_{65536};
    FrameHistory history_;
    AbTest ab_;
    RenderLoad render_load_;
    ModelLoad model_load_;
    std::string profile_in_use_;  ///< file that the settings came from; empty: none
    std::string first_message_;   ///< said as soon as there is an overlay
    std::uint64_t frames_with_ai_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point last_frame_;
    Extent size_;
    double seconds_ = 0.0;
    std::uint32_t agents_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t wanted_frames_ = 0;  ///< 0: until the window closes
    std::uint64_t ticks_ = 0;
    bool plan_fresh_ = false;
    bool budget_shared_ = false;  ///< in the last frame
    bool drag_began_on_world_ = false;
    std::string shown_message_;
    int exit_code_ = 1;  ///< of a start that failed
};

}  // namespace augur::demo
