// The rules of skirmish: against the plain world, and one promise at a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rules/skirmish.h"
#include "support/skirmish_world.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

constexpr std::int32_t kMiddle = R::kWorldSize / 2;

kit::Random random_stream(std::uint32_t n) {
    return kit::Random({7, 1}, n, 0, kit::Purpose::host);
}

// Up to nine units around the middle of the world, sorted so that unit 0 is the agent and the others are its seats.
SkirmishWorld random_world(SplitMix64& random, int spread) {
    SkirmishWorld world;
    world.bounded = false;
    const int count = 1 + random.below(9);
    for (int i = 0; i < count; ++i) {
        SkirmishUnit u;
        u.kind = random.below(R::kKinds);
        u.health = 1 + random.below(R::kUnits[u.kind].full_health);
        if (random.below(3) == 0) u.health = R::kUnits[u.kind].full_health;
        u.team = random.below(2);
        u.cooldown = std::max(0, random.below(6) - 2);
        u.ability = random.below(2) == 0 ? 0 : random.below(R::kAbilityPeriod + 1);
        u.x = kMiddle + random.below(2 * spread + 1) - spread;
        u.y = kMiddle + random.below(2 * spread + 1) - spread;
        if (i > 0 && random.below(12) == 0) u.x = world.units[0].x, u.y = world.units[0].y;
        world.units.push_back(u);
    }
    const auto squared = [&](const SkirmishUnit& u) {
        const std::int64_t dx = u.x - world.units[0].x, dy = u.y - world.units[0].y;
        return dx * dx + dy * dy;
    };
    const SkirmishUnit agent = world.units[0];
    std::stable_sort(world.units.begin() + 1, world.units.end(),
                     [&](const SkirmishUnit& a, const SkirmishUnit& b) { return squared(a) < squared(b); });
    world.units[0] = agent;
    return world;
}

// Reads a state back into a world with the same seats; the agent is of team 1 there.
SkirmishWorld unpacked(const R::State& s, std::int32_t origin_x, std::int32_t origin_y) {
    SkirmishWorld world;
    world.bounded = false;
    for (int i = 0; i < R::kSeats; ++i) {
        SkirmishUnit u;
        u.health = R::health_of(s.status[i]);
        u.kind = R::kind_of(s.status[i]);
        u.team = R::friendly(s.status[i]) ? 1 : 0;
        u.cooldown = R::cooldown_of(s.status[i]);
        u.ability = R::ability_of(s.status[i]);
        u.x = origin_x + R::x_of(s.place[i]);
        u.y = origin_y + R::y_of(s.place[i]);
        world.units.push_back(u);
    }
    return world;
}

// The reward as its definition says it, from the plain world before and after.
std::int32_t plain_reward(const SkirmishWorld& before, const SkirmishWorld& after) {
    std::int64_t reward = 0;
    for (std::size_t i = 0; i < before.units.size(); ++i) {
        const int loss = before.units[i].health - after.units[i].health;
        const bool died = before.units[i].health > 0 && after.units[i].health == 0;
        const int sign = before.units[i].team == before.units[0].team ? -1 : 1;
        reward += sign * (loss * R::kTeamWeight + (died ? R::kKillReward : 0));
    }
    const int own_loss = before.units[0].health - after.units[0].health;
    reward -= own_loss * R::kOwnWeight;
    if (after.units[0].health == 0) reward -= R::kDeathReward;
    return static_cast<std::int32_t>(reward);
}

TEST(SkirmishState, IsSmallWithoutPaddingAndTrivial) {
    EXPECT_LE(sizeof(R::State), 128u);
    EXPECT_TRUE(std::has_unique_object_representations_v<R::State>);
    EXPECT_TRUE(std::is_trivially_copyable_v<R::State>);
}

TEST(SkirmishStep, MatchesThePlainWorldOnRandomStates) {
    SplitMix64 random(20);
    int compared = 0;
    for (int round = 0; round < 1500; ++round) {
        SkirmishWorld world = random_world(random, round % 3 == 0 ? 500 : 1400);
        const SkirmishUnit origin = world.units[0];
        R::State state = world.state(0);
        const std::int32_t own_team = world.units[0].team;
        for (SkirmishUnit& u : world.units)
            u.team = u.team == own_team ? 1 : 0;
        kit::Random stream = random_stream(static_cast<std::uint32_t>(round));
        for (int ply = 0; ply < 12; ++ply) {
            std::vector<int> actions;
            for (std::size_t i = 0; i < world.units.size(); ++i)
                actions.push_back(world.scripted_action(i));
            const kit::ActionMask<R::kActions> mask = R::legal(state, 0);
            for (int a = 0; a < R::kActions; ++a) {
                ASSERT_EQ(mask.test(a), world.possible(0, a)) << "round " << round << " ply " << ply << " action " << a;
            }
            actions[0] = mask.nth(random.below(mask.count()));

            const SkirmishWorld before = world;
            world.advance(actions);
            const kit::Step<1> result = R::step(state, {{actions[0]}}, stream);
            const SkirmishWorld seen = unpacked(state, origin.x, origin.y);
            for (std::size_t i = 0; i < world.units.size(); ++i) {
                if (world.units[i].health == 0) {
                    ASSERT_EQ(seen.units[i].health, 0);
                } else {
                    ASSERT_EQ(seen.units[i], world.units[i]) << "round " << round << " ply " << ply << " seat " << i
                                                             << " action " << R::kActionNames[actions[0]];
                }
            }
            ASSERT_EQ(result.terminal, world.units[0].health == 0);
            if (actions[0] <= R::kHold || actions[0] == R::kRetreat) {
                ASSERT_EQ(result.reward[0], plain_reward(before, world));
            }
            ++compared;
            if (result.terminal) break;
        }
    }
    EXPECT_GT(compared, 8000);
}

}  // namespace
}  // namespace augur::test
