// The overlay as a whole: where its panels stand, and what they may read and change.
#pragma once

#include <string>

#include "app/ab_test.h"
#include "app/frame_clock.h"
#include "app/frame_history.h"
#include "app/model_load.h"
#include "app/planner_session.h"
#include "app/surface.h"
#include "draw/render_load.h"
#include "scenes/scene.h"
#include "scenes/scenes.h"

namespace augur::demo {

/// What the panels show.
struct OverlayFacts {
    PlannerSession& session;
    Scene& scene;
    const SceneInfo& scene_info;
    const Thoughts& thoughts;
    const Samples& frame_ms;
    const GlInfo& gl;
    std::uint32_t agents;
    const FrameHistory& history;
    const AbTest& ab;
    const RenderLoad& render_load;
    const ModelLoad& model_load;
    double seconds;  ///< since the run began, by the clock on the wall
};

/// What a person chose to look at.
struct OverlayView {
    enum Tab { kSearch, kLoad, kScene };
    enum Chart { kPlans, kFrames };
    int tab = kSearch;
    int chart = kPlans;
    int histogram = kPlans;
    std::size_t scrolled = 0;  ///< frames that the timeline is scrolled back
    bool pinned = false;
    std::uint64_t pinned_frame = 0;
};

/// What the panels change. The loop looks at it after each frame.
struct OverlayWishes {
    SearchSettings search;
    int agents = 1;
    std::string scene;
    std::string model_file;  ///< what the model switch puts into `search.model`
    FrameClock* clock = nullptr;
    bool apply_search = false;  ///< the search settings were changed and let go
    bool restart = false;       ///< begin the scene anew with `agents` and the seed
    float render_load_ms = 0.0f;
    int model_load_rows = 0;
    bool apply_load = false;    ///< the rows were changed and let go
    bool share_budget = false;  ///< the search's budget is for the model load, too
    bool compare = false;       ///< A/B: the AI on and off in turns
    float compare_seconds = 3.0f;
    std::string profile_path;
    bool load_profile = false;
    bool save_profile = false;
    std::string profile_message;
    bool profile_good = true;
    OverlayView view;
};

class Overlay {
  public:
    Overlay() = default;
    Overlay(const Overlay&) = delete;
    Overlay& operator=(const Overlay&) = delete;
    ~Overlay();

    /// Creates the Dear ImGui context and its OpenGL back end. `asset_folder` holds fonts/.
    bool start(Surface& surface, const std::string& asset_folder, std::string& error);
    /// Loads the fonts again when the picture's size asks for another scale. Call between frames.
    void fit(Extent picture);
    /// Between begin_frame of the surface and draw(): starts Dear ImGui's frame.
    void begin();
    /// The part of the picture that the panels leave free.
    Viewport viewport(Extent picture) const;
    void build(const OverlayFacts& facts, OverlayWishes& wishes, Extent picture);
    /// Draws what build() laid out into the bound framebuffer.
    void draw();
    /// A sentence shown for a while on top of the picture.
    void say(const std::string& sentence);

  private:
    bool roomy(Extent picture) const;

    Surface* surface_ = nullptr;
    std::string asset_folder_;
    std::string sentence_;
    double sentence_until_ = 0.0;
    float counters_height_ = 281.0f;  ///< in layout units; as high as the rows of the last frame
    bool started_ = false;
};

// The panels, one file each. `low` and `high` are corners in pixels.
void controls_panel(const OverlayFacts& facts, OverlayWishes& wishes, Vec2 low, Vec2 high);
void timeline_panel(const OverlayFacts& facts, OverlayView& view, Vec2 low, Vec2 high);
void pinned_panel(const FrameRecord& record, OverlayView& view, Vec2 low, Vec2 high);
void histogram_panel(const OverlayFacts& facts, OverlayView& view, Vec2 low, Vec2 high);
void ab_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);
/// Returns how many pixels high it would have to be for what it says.
float counters_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);
void inspector_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);

// The tabs of the controls, one file each.
void search_controls(const OverlayFacts& facts, OverlayWishes& wishes);
void profile_controls(OverlayWishes& wishes);
void load_controls(const OverlayFacts& facts, OverlayWishes& wishes);
void scene_controls(const OverlayFacts& facts, OverlayWishes& wishes);

}  // namespace augur::demo
