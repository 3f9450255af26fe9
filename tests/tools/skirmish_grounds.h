// Many skirmish battles side by side in one world, each on a ground of its own, too far from the others to be seen.

#ifndef AUGUR_TESTS_TOOLS_SKIRMISH_GROUNDS_H
#define AUGUR_TESTS_TOOLS_SKIRMISH_GROUNDS_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/skirmish_world.h"
#include "tools/forest_host.h"

namespace augur::test {

// One agent as the planner reads it. Missing and dead units have no health, and the planner passes over them.
struct SkirmishAgent {
    std::int32_t x, y, health, kind, team, cooldown, ability, objective_x, objective_y;
};

class SkirmishGrounds {
  public:
    static constexpr std::uint32_t kMost = 1024;

    // slots: most units of a battle.
    SkirmishGrounds(const augur_planner_desc& desc, std::uint32_t grounds, std::uint32_t slots,
                    const std::string& model = {})
        : host_("skirmish", desc, grounds * slots, model), slots_(slots) {
        for (std::uint32_t ground = 0; ground < grounds; ++ground)
            clear(ground);
        host_.bind<std::int32_t>("position", offsetof(SkirmishAgent, x));
        host_.bind<std::int32_t>("health", offsetof(SkirmishAgent, health));
        host_.bind<std::int32_t>("kind", offsetof(SkirmishAgent, kind));
        host_.bind<std::int32_t>("team", offsetof(SkirmishAgent, team));
        host_.bind<std::int32_t>("cooldown", offsetof(SkirmishAgent, cooldown));
        host_.bind<std::int32_t>("ability", offsetof(SkirmishAgent, ability));
        host_.bind<std::int32_t>("objective", offsetof(SkirmishAgent, objective_x));
    }

    // Nobody stands there any more.
    void clear(std::uint32_t ground) {
        for (std::uint32_t slot = 0; slot < slots_; ++slot)
            host_.agents[agent(ground, slot)] = {x(ground), y(ground), 0, 0, 0, 0, 0, -kScale, -kScale};
    }
    // What the planner sees of a battle from now on.
    void show(std::uint32_t ground, const SkirmishWorld& world) {
        clear(ground);
        for (std::uint32_t slot = 0; slot < world.units.size(); ++slot) {
            const SkirmishUnit& u = world.units[slot];
            host_.agents[agent(ground, slot)] = {x(ground) + u.x,
                                                 y(ground) + u.y,
                                                 u.health,
                                                 u.kind,
                                                 u.team,
                                                 u.cooldown,
                                                 u.ability,
                                                 world.objective ? x(ground) + world.objective->x : -kScale,
                                                 world.objective ? y(ground) + world.objective->y : -kScale};
        }
    }

    // Plans for every unit of every ground; results by agent().
    const std::vector<augur_agent_result>& plan() { return host_.plan(); }
    // With so many simulations each, or on average where the planner is adaptive.
    const std::vector<augur_agent_result>& plan(std::uint32_t simulations) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = static_cast<std::uint32_t>(host_.agents.size());
        frame.simulations = simulations;
        return host_.plan(frame);
    }
    std::uint64_t simulations() const { return host_.simulations(); }
    // By agent().
    void bind_urgency(std::span<float> urgency) { host_.bind_urgency(urgency); }
    std::uint32_t agent(std::uint32_t ground, std::uint32_t slot) const { return ground * slots_ + slot; }
    sdk::Planner& planner() { return host_.planner(); }

  private:
    static constexpr std::int32_t kScale = rules::Skirmish::kScale;
    static constexpr std::int32_t kSide = 128 * kScale;  // of a ground; a battle takes half of it
    static constexpr std::uint32_t kARow = rules::Skirmish::kWorldSize / kSide;
    static_assert(kARow * kARow == kMost);
    static std::int32_t x(std::uint32_t ground) { return static_cast<std::int32_t>(ground % kARow) * kSide; }
    static std::int32_t y(std::uint32_t ground) { return static_cast<std::int32_t>(ground / kARow) * kSide; }

    ForestHost<SkirmishAgent> host_;
    std::uint32_t slots_;
};

}  // namespace augur::test

#endif
