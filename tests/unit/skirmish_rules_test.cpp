// The rules of skirmish against a plain statement of them, and what must hold in any battle.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rules/skirmish.h"
#include "support/skirmish_states.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

kit::Random no_random() {
    return kit::Random({0, 0}, 0, 0, kit::Purpose::host);
}

std::int64_t octagonal(std::int64_t dx, std::int64_t dy) {
    const std::int64_t longer = std::max(std::llabs(dx), std::llabs(dy));
    return longer + std::min(std::llabs(dx), std::llabs(dy)) / 2;
}

// How far unit 0 of `before`, standing where it stands in `at`, is from where it has something to do.
std::int64_t way_left(const SkirmishWorld& before, const SkirmishUnit& at) {
    const SkirmishUnit& agent = before.units[0];
    std::int64_t x = 0, y = 0, near = 0;
    if (const auto target = before.nearest_target(0)) {
        x = before.units[*target].x;
        y = before.units[*target].y;
        near = R::kUnits[agent.kind].reach + (agent.kind == R::kRanged ? R::kLeeway : 0);
    } else if (agent.kind == R::kHealer && before.nearest_friend(0)) {
        x = before.units[*before.nearest_friend(0)].x;
        y = before.units[*before.nearest_friend(0)].y;
        near = R::kEscort;
    } else if (!before.nearest_enemy(0) && before.objective) {
        x = before.objective->x;
        y = before.objective->y;
    } else {
        return 0;
    }
    return std::max<std::int64_t>(octagonal(x - at.x, y - at.y) - near, 0);
}

// The reward of unit 0 from the plain world before and after a ply.
std::int64_t plain_reward(const SkirmishWorld& before, const SkirmishWorld& after, int action) {
    std::int64_t reward = -R::kUpkeep;
    if (action <= R::kMoveSouthEast || action == R::kRetreat) reward -= R::kMoveCost;
    for (std::size_t i = 0; i < before.units.size(); ++i) {
        const int loss = before.units[i].health - after.units[i].health;
        const bool died = before.units[i].health > 0 && after.units[i].health == 0;
        const int sign = before.units[i].team == before.units[0].team ? -1 : 1;
        reward += sign * (loss * R::kTeamWeight + (died ? R::kTeamKillReward : 0));
    }
    for (const SkirmishWorld::Deed& deed : after.deeds) {
        if (deed.from != 0) continue;
        const SkirmishUnit& was = before.units[deed.to];
        const int full = R::kUnits[was.kind].full_health;
        if (deed.mends) {
            reward += std::min(deed.points, full - was.health) * R::kDealtWeight;
        } else {
            const int points = after.on_guard[deed.to] ? (deed.points + 1) / 2 : deed.points;
            reward += std::min(points, was.health) * R::kDealtWeight;
            reward += (full - after.units[deed.to].health) * R::kFocusWeight;
            if (after.units[deed.to].health == 0) reward += R::kKillReward;
        }
    }
    reward -= (before.units[0].health - after.units[0].health) * R::kLostWeight;
    if (after.units[0].health == 0) reward -= R::kDeathReward + R::kUpkeepAhead;
    SkirmishUnit arrived = after.units[0];
    return reward + (way_left(before, before.units[0]) - way_left(before, arrived)) * R::kWayWeight;
}

TEST(SkirmishState, IsSmallWithoutPaddingAndTrivial) {
    EXPECT_LE(sizeof(R::State), 128u);
    EXPECT_TRUE(std::has_unique_object_representations_v<R::State>);
    EXPECT_TRUE(std::is_trivially_copyable_v<R::State>);
}

TEST(SkirmishStep, MatchesThePlainWorldOnRandomStates) {
    SplitMix64 random(20);
    int compared = 0;
    for (int round = 0; round < 1200; ++round) {
        SkirmishWorld world = random_skirmish(random, round % 3 == 0 ? 500 : 1400);
        const SkirmishUnit origin = world.units[0];
        if (round % 4 == 0) world.objective = SkirmishUnit{.x = origin.x + 900, .y = origin.y - 400};
        R::State state = world.state(0);
        for (int ply = 0; ply < 12; ++ply) {
            const kit::ActionMask<R::kActions> mask = R::legal(state, 0);
            for (int a = 0; a < R::kActions; ++a) {
                ASSERT_EQ(mask.test(a), world.possible(0, a)) << "round " << round << " ply " << ply << " action " << a;
            }
            std::vector<int> actions;
            for (std::size_t i = 0; i < world.units.size(); ++i)
                actions.push_back(world.scripted_action(i));
            actions[0] = mask.nth(random.below(mask.count()));

            const SkirmishWorld before = world;
            world.advance(actions);
            const kit::Step<1> result = skirmish_step(state, actions[0]);
            const SkirmishWorld seen = skirmish_of(state, origin);
            for (std::size_t i = 0; i < world.units.size(); ++i) {
                SkirmishUnit expected = world.units[i];
                if (expected.health == 0) {
                    ASSERT_EQ(seen.units[i].health, 0);
                    continue;
                }
                expected.team = expected.team == origin.team ? 1 : 0;
                ASSERT_EQ(seen.units[i], expected) << "round " << round << " ply " << ply << " seat " << i << " action "
                                                   << R::kActionNames[actions[0]];
            }
            ASSERT_EQ(result.terminal, world.units[0].health == 0);
            if (!result.terminal) {
                ASSERT_EQ(result.reward[0], plain_reward(before, world, actions[0]));
            }
            ++compared;
            if (result.terminal) break;
        }
    }
    EXPECT_GT(compared, 6000);
}

// The plain world forgets where a dead agent went, so its way is left out: everything else must be there.
TEST(SkirmishStep, ChargesTheAgentsDeath) {
    R::State state = skirmish_state({{.health = 5, .kind = R::kMelee}}, {{.x = 200, .health = 60, .kind = R::kMelee}});
    const kit::Step<1> result = skirmish_step(state, R::kHold);
    EXPECT_TRUE(result.terminal);
    EXPECT_EQ(result.reward[0], -R::kUpkeep - 5 * R::kTeamWeight - R::kTeamKillReward - 5 * R::kLostWeight -
                                    R::kDeathReward - R::kUpkeepAhead);
}

TEST(SkirmishStep, IsTheSameSeenFromTheOtherSide) {
    SplitMix64 random(31);
    for (int round = 0; round < 400; ++round) {
        const R::State state = random_skirmish(random, 1400).state(0);
        const kit::ActionMask<R::kActions> mask = R::legal(state, 0);
        const int action = mask.nth(random.below(mask.count()));
        const int mirrored_action = action <= R::kMoveSouthEast ? (action + 4) % 8 : action;
        const bool crowded = std::count(state.place + 1, state.place + R::kSeats, state.place[0]) > 0;
        if (action == R::kRetreat && crowded) continue;  // where to run is a convention there
        R::State ahead = state, mirrored = turned_round(state);
        const kit::Step<1> one = skirmish_step(ahead, action);
        const kit::Step<1> two = skirmish_step(mirrored, mirrored_action);
        EXPECT_EQ(one.reward[0], two.reward[0]);
        EXPECT_EQ(R::hash(turned_round(ahead)), R::hash(mirrored)) << "round " << round << " action " << action;
    }
}

TEST(SkirmishStep, DoesNotDependOnTheOrderOfSeats) {
    SplitMix64 random(32);
    int compared = 0;
    for (int round = 0; round < 600; ++round) {
        const R::State state = random_skirmish(random, 1400).state(0);
        if (has_ties(state)) continue;
        R::State swapped = state;
        for (int i = R::kSeats - 1; i > 1; --i) {
            const int j = 1 + random.below(i);
            std::swap(swapped.place[i], swapped.place[j]);
            std::swap(swapped.status[i], swapped.status[j]);
        }
        const kit::ActionMask<R::kActions> mask = R::legal(state, 0);
        ASSERT_TRUE(mask == R::legal(swapped, 0));
        const int action = mask.nth(random.below(mask.count()));
        R::State one = state, two = swapped;
        EXPECT_EQ(skirmish_step(one, action).reward[0], skirmish_step(two, action).reward[0]);
        EXPECT_EQ(sorted_seats(one), sorted_seats(two));
        ++compared;
    }
    EXPECT_GT(compared, 200);
}

TEST(SkirmishStep, LeavesTheDeadAlone) {
    SplitMix64 random(33);
    for (int round = 0; round < 200; ++round) {
        R::State state = random_skirmish(random, 700).state(0);
        std::vector<bool> dead(R::kSeats, false);
        for (int ply = 0; ply < 30 && !R::terminal(state); ++ply) {
            for (std::size_t i = 0; i < R::kSeats; ++i) {
                if (dead[i]) {
                    ASSERT_EQ(state.status[i] | state.place[i], 0u) << "seat " << i << " came back";
                }
                dead[i] = R::health_of(state.status[i]) == 0;
            }
            const auto mask = R::legal(state, 0);
            skirmish_step(state, mask.nth(random.below(mask.count())));
        }
    }
}

TEST(SkirmishStep, ChangesNothingAfterTheEnd) {
    R::State state = skirmish_state({{.health = 1, .kind = R::kMelee}}, {{.x = 100, .health = 60, .kind = R::kMelee}});
    skirmish_step(state, R::kHold);
    ASSERT_TRUE(R::terminal(state));
    EXPECT_FALSE(R::legal(state, 0).any());
    const std::uint64_t hash = R::hash(state);
    const kit::Step<1> result = skirmish_step(state, R::kMoveEast);
    EXPECT_TRUE(result.terminal);
    EXPECT_EQ(result.reward[0], 0);
    EXPECT_EQ(R::hash(state), hash);
}

// Returns as the search forms them, over random play and over the rules' own rollouts, must not be clamped.
TEST(SkirmishReward, KeepsReturnsWithinOne) {
    SplitMix64 random(34);
    double lowest = 0, highest = -1;
    for (int round = 0; round < 4000; ++round) {
        R::State state = random_skirmish(random, round % 2 == 0 ? 600 : 1400).state(0);
        kit::Random stream = no_random();
        double total = 0, weight = 1;
        for (int ply = 0; ply < R::kHorizon && !R::terminal(state); ++ply) {
            const auto mask = R::legal(state, 0);
            const int action =
                round % 3 == 0 ? mask.nth(random.below(mask.count())) : R::rollout_action(state, 0, stream);
            total += weight * skirmish_step(state, action).reward[0] / 65536.0;
            weight *= R::kDiscount / 65536.0;
        }
        if (!R::terminal(state)) total += weight * R::evaluate(state, 0) / 65536.0;
        lowest = std::min(lowest, total);
        highest = std::max(highest, total);
    }
    EXPECT_GE(lowest, -1.0);
    EXPECT_LE(highest, 1.0);
    EXPECT_GT(highest - lowest, 0.5) << "rewards hardly differ";
}

// Staying alive must never look worse than dying: the upkeep that is left is charged at once.
TEST(SkirmishReward, MakesDyingNoWayOut) {
    const double rest = (R::kUpkeep + R::kUpkeepAhead) / 65536.0;
    EXPECT_NEAR(R::kUpkeepAhead / 65536.0, rest * R::kDiscount / 65536.0, 1e-4);
    EXPECT_GT(R::kDeathReward, 0);
}

TEST(SkirmishRollout, ChoosesLegalActions) {
    SplitMix64 random(35);
    kit::Random stream = no_random();
    std::vector<int> used(R::kActions, 0);
    for (int round = 0; round < 3000; ++round) {
        const R::State state = random_skirmish(random, 1400).state(0);
        const int action = R::rollout_action(state, 0, stream);
        ASSERT_TRUE(R::legal(state, 0).test(action)) << R::kActionNames[action];
        ++used[static_cast<std::size_t>(action)];
    }
    for (const int action : {R::kMoveEast, R::kHold, R::kAttack, R::kFocus, R::kAbility})
        EXPECT_GT(used[static_cast<std::size_t>(action)], 0) << R::kActionNames[action];
}

TEST(SkirmishHash, TellsStatesApart) {
    SplitMix64 random(36);
    const R::State state = random_skirmish(random, 1400).state(0);
    R::State same = state;
    EXPECT_EQ(R::hash(state), R::hash(same));
    for (int i = 0; i < R::kSeats; ++i) {
        for (const std::uint32_t bit : {1u, 1u << 7, 1u << 16, 1u << 31}) {
            R::State other = state;
            other.place[i] ^= bit;
            EXPECT_NE(R::hash(other), R::hash(state));
            other = state;
            other.status[i] ^= bit;
            EXPECT_NE(R::hash(other), R::hash(state));
        }
    }
    R::State other = state;
    other.objective ^= 1u;
    EXPECT_NE(R::hash(other), R::hash(state));
}

}  // namespace
}  // namespace augur::test
