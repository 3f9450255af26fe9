// The overlay as a whole: where its panels stand, and what they may read and change.
#pragma once

#include <string>

#include "app/frame_clock.h"
#include "app/planner_session.h"
#include "app/surface.h"
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
    bool started_ = false;
};

// The panels, one file each. `low` and `high` are corners in pixels.
void controls_panel(const OverlayFacts& facts, OverlayWishes& wishes, Vec2 low, Vec2 high);
void timeline_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);
void histogram_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);
void counters_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);
void inspector_panel(const OverlayFacts& facts, Vec2 low, Vec2 high);

}  // namespace augur::demo
