// What the demo tells a model of a unit's surroundings, against what Augur gathers for the same unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scenes/skirmish_sight.h"
#include "support/skirmish_arena.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

constexpr float kScale = static_cast<float>(R::kScale);

std::vector<demo::WorldUnit> shown(const SkirmishWorld& world) {
    std::vector<demo::WorldUnit> units;
    for (const SkirmishUnit& unit : world.units) {
        demo::WorldUnit& one = units.emplace_back();
        one.position[0] = static_cast<float>(unit.x) / kScale;
        one.position[1] = static_cast<float>(unit.y) / kScale;
        one.objective[0] = world.objective ? static_cast<float>(world.objective->x) / kScale : -1.0f;
        one.objective[1] = world.objective ? static_cast<float>(world.objective->y) / kScale : -1.0f;
        one.health = unit.health;
        one.kind = unit.kind;
        one.team = unit.team;
        one.cooldown = unit.cooldown;
        one.ability = unit.ability;
    }
    return units;
}

// Every living unit's numbers; counts the seats taken and the objectives given.
void compare(const SkirmishWorld& world, int& seats, int& objectives, int& crowded) {
    const std::vector<demo::WorldUnit> units = shown(world);
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        const std::vector<float> seen = demo::seen_by(units, i);
        if (units[i].health == 0) {
            EXPECT_TRUE(seen.empty());
            continue;
        }
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(R::kFeatures));
        const R::State state = world.state(i);
        for (int f = 0; f < R::kFeatures; ++f)
            ASSERT_EQ(seen[static_cast<std::size_t>(f)], R::feature(state, f)) << "unit " << i << ", number " << f;
        int taken = 0;
        for (int seat = 1; seat < R::kSeats; ++seat)
            taken += seen[static_cast<std::size_t>(seat * R::kSeatFeatures)] != 0.0f ? 1 : 0;
        seats += taken;
        crowded += taken == R::kOthers ? 1 : 0;
        objectives += seen[R::kSeats * R::kSeatFeatures] != 0.0f ? 1 : 0;
    }
}

TEST(DemoSight, IsWhatTheSearchedRulesGather) {
    SplitMix64 random(5);
    int seats = 0, objectives = 0, crowded = 0;
    for (int battle = 0; battle < 10; ++battle) {
        SkirmishWorld world = make_battle({4 + random.below(5), 4 + random.below(5), random.below(3)}, random.next());
        if (battle % 2 == 0) {
            world.objective = SkirmishUnit{};
            world.objective->x = random.below(128 * R::kScale);
            world.objective->y = random.below(128 * R::kScale);
        }
        for (int ply = 0; ply < 40; ++ply) {
            std::vector<int> actions(world.units.size());
            for (std::size_t i = 0; i < actions.size(); ++i)
                actions[i] = world.units[i].health == 0 ? R::kHold
                             : random.below(3) == 0     ? random.below(R::kActions)
                                                        : world.scripted_action(i);
            world.advance(actions);
            compare(world, seats, objectives, crowded);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(seats, 0);
    EXPECT_GT(crowded, 0) << "seats were never short";
    EXPECT_GT(objectives, 0);
}

TEST(DemoSight, OfAUnitThatIsNotThereIsEmpty) {
    EXPECT_TRUE(demo::seen_by({}, 0).empty());
}

}  // namespace
}  // namespace augur::test
