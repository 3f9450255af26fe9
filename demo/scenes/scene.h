// What a scene is to the rest of the demo.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/planner_session.h"
#include "draw/draw.h"

struct ImDrawList;

namespace augur::demo {

struct SceneSetup {
    std::uint32_t agents = 1;
    std::uint64_t seed = 1;
    bool interactive = false;  ///< a person watches; otherwise the scene plays by itself
};

/// The mouse, in pixels of the picture. Buttons count only where the overlay does not want them.
struct Pointer {
    Vec2 position{-1e6f, -1e6f};
    Vec2 moved;
    float wheel = 0.0f;
    bool over_world = false;
    bool clicked = false;   ///< left, pressed and released without dragging
    bool dragging = false;  ///< any button held and moved
};

/// What the overlay keeps free for the scene, in pixels of the picture.
struct Viewport {
    Extent picture;
    Vec2 low;            ///< upper left corner of the free part
    Vec2 high;           ///< lower right corner
    float scale = 1.0f;  ///< pixels per unit of the overlay's layout
};

/// The agent whose thoughts the overlay shows.
struct Thoughts {
    bool valid = false;
    std::uint32_t agent = 0;
    augur_agent_result result{};
    std::vector<std::uint32_t> visits;     ///< [K]
    std::vector<float> values;             ///< [K], for the agent
    std::vector<augur_tree_node> tree;     ///< parents before children
    std::vector<float> priors;             ///< [K], the model's policy; empty where there is none
    std::optional<float> model_value;      ///< what the model says of the agent's state, for the agent
    std::vector<float> reward;             ///< what the model's reward head says; empty without one
    std::vector<std::uint32_t> best_line;  ///< nodes of the principal line below the root, in order
};

class Scene {
  public:
    Scene() = default;
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    virtual ~Scene() = default;

    /// Makes what the scene draws with. Called once, with OpenGL current.
    virtual bool start(std::string& error) = 0;
    /// Begins anew with this many agents.
    virtual void reset(std::uint32_t agents, std::uint64_t seed) = 0;

    virtual PlannerNeeds needs() const = 0;
    /// Registers and binds the scene's arrays with a fresh planner.
    virtual bool bind(PlannerSession& session) = 0;
    virtual double ticks_per_second() const = 0;

    /// True when there is a decision to plan for.
    virtual bool wants_plan() const { return true; }
    /// The planner's actions have arrived for the present state.
    virtual void planned() = 0;
    /// Lets the game take one tick with the actions it has. Returns false when it waits for a person.
    virtual bool tick() = 0;
    /// Whether the game goes on without plans, its agents doing what they last did.
    virtual bool plays_without_plans() const { return false; }

    /// The next picture will be kept: choose what it shows.
    virtual void compose() {}

    virtual void handle(const Pointer& pointer, const Viewport& view) = 0;
    /// Draws the state between the last two ticks; blend 0 is the older, 1 the newer.
    virtual void draw(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) = 0;
    /// Text over the world.
    virtual void label(ImDrawList& list, const Viewport& view) = 0;

    /// The agent whose thoughts are wanted.
    virtual std::uint32_t selected() const = 0;
    /// The state of that agent as a model of the scene's rules sees it, for asking the model on its own. False where
    /// there is none.
    virtual bool features(std::vector<float>& numbers) const = 0;
    /// What that agent thinks; `decision` is the name of its action.
    virtual void think(const Thoughts& thoughts, const char* decision) = 0;
    /// A line or two about the selected agent.
    virtual void describe_selected(std::vector<std::pair<std::string, std::string>>& rows) = 0;
    /// Whether the scene gives its agents' urgencies by a curve.
    virtual bool has_urgency() const { return false; }
    /// Takes that curve; agents go by it from the next tick on.
    virtual void take_urgency(const UrgencyCurve&) {}
    /// A picture of the whole world, drawn beside the last draw(); null when the scene has none. A click on it gives
    /// the place as shares of its width and height from its upper left corner.
    virtual const Target* map() const { return nullptr; }
    virtual void map_clicked(Vec2) {}
    /// The scene's own switches in the controls panel.
    virtual void controls() = 0;
};

}  // namespace augur::demo
