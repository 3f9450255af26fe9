// What each action of skirmish does, in battles small enough to work out by hand.

#include <gtest/gtest.h>

#include <vector>

#include "rules/skirmish.h"
#include "support/skirmish_states.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

constexpr R::Unit kMelee = R::kUnits[R::kMelee];
constexpr R::Unit kRanged = R::kUnits[R::kRanged];
constexpr R::Unit kHealer = R::kUnits[R::kHealer];

SkirmishUnit unit(int kind, int x, int y, int health = 0) {
    SkirmishUnit u;
    u.kind = kind;
    u.x = x;
    u.y = y;
    u.health = health > 0 ? health : R::kUnits[kind].full_health;
    return u;
}

SkirmishUnit seat(const R::State& state, int index) {
    return skirmish_of(state, {}).units[static_cast<std::size_t>(index)];
}

TEST(SkirmishMove, GoesTheSameWayForEveryDirection) {
    const int wanted[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    for (int kind = 0; kind < R::kKinds; ++kind) {
        for (int move = 0; move < 8; ++move) {
            R::State state = skirmish_state({unit(kind, 0, 0)}, {});
            skirmish_step(state, move);
            const int length = move % 2 == 0 ? R::kUnits[kind].straight : R::kUnits[kind].diagonal;
            EXPECT_EQ(seat(state, 0).x, wanted[move][0] * length);
            EXPECT_EQ(seat(state, 0).y, wanted[move][1] * length);
        }
    }
}

TEST(SkirmishHeading, IsTheNearestOfEightDirections) {
    SplitMix64 random(1);
    for (int round = 0; round < 2000; ++round) {
        const int dx = random.below(20001) - 10000, dy = random.below(20001) - 10000;
        const R::Heading h = R::heading(dx, dy);
        if (dx == 0 && dy == 0) continue;
        EXPECT_EQ(R::move_of(h) < 8, true);
        const R::Heading again = R::heading_of(R::move_of(h));
        EXPECT_EQ(again.x, h.x);
        EXPECT_EQ(again.y, h.y);
        // Never more than 26.6 degrees off: 2 * sideways <= ahead, up to the width of a diagonal's sector.
        const std::int64_t ahead = std::int64_t{dx} * h.x + std::int64_t{dy} * h.y;
        const std::int64_t aside = std::llabs(std::int64_t{dx} * h.y - std::int64_t{dy} * h.x);
        EXPECT_GT(ahead, 0);
        EXPECT_LE(2 * aside, ahead) << dx << ", " << dy;
    }
    EXPECT_EQ(R::move_of(R::heading(0, 0)), R::kHold);
}

TEST(SkirmishHold, ReloadsTwiceAsFast) {
    SkirmishUnit archer = unit(R::kRanged, 0, 0);
    archer.cooldown = 3;
    R::State held = skirmish_state({archer}, {}), walked = held;
    skirmish_step(held, R::kHold);
    skirmish_step(walked, R::kMoveNorth);
    EXPECT_EQ(seat(held, 0).cooldown, 1);
    EXPECT_EQ(seat(walked, 0).cooldown, 2);
}

TEST(SkirmishAttack, HitsTheNearestAndFocusTheWeakest) {
    const std::vector<SkirmishUnit> enemies = {unit(R::kMelee, 600, 0), unit(R::kMelee, 0, 900, 12)};
    R::State attacked = skirmish_state({unit(R::kRanged, 0, 0)}, enemies), focused = attacked;
    skirmish_step(attacked, R::kAttack);
    EXPECT_EQ(seat(attacked, 1).health, kMelee.full_health - kRanged.amount);
    EXPECT_EQ(seat(attacked, 2).health, 12);
    EXPECT_EQ(seat(attacked, 0).cooldown, kRanged.cooldown);
    skirmish_step(focused, R::kFocus);
    EXPECT_EQ(seat(focused, 1).health, kMelee.full_health);
    EXPECT_EQ(seat(focused, 2).health, 12 - kRanged.amount);
}

TEST(SkirmishAttack, NeedsReachAndALoadedShot) {
    SkirmishUnit archer = unit(R::kRanged, 0, 0);
    const int reach = kRanged.reach;
    EXPECT_TRUE(R::legal(skirmish_state({archer}, {unit(R::kMelee, reach, 0)}), 0).test(R::kAttack));
    EXPECT_FALSE(R::legal(skirmish_state({archer}, {unit(R::kMelee, reach + 16, 0)}), 0).test(R::kAttack));
    EXPECT_FALSE(R::legal(skirmish_state({archer}, {unit(R::kMelee, reach, 0)}), 0).test(R::kFocus))
        << "only one target";
    archer.cooldown = 1;
    EXPECT_FALSE(R::legal(skirmish_state({archer}, {unit(R::kMelee, reach, 0)}), 0).test(R::kAttack));
}

TEST(SkirmishAttack, MendsWhenAHealerDoesIt) {
    R::State state = skirmish_state({unit(R::kHealer, 0, 0), unit(R::kMelee, 500, 0, 20), unit(R::kMelee, 900, 0, 59)},
                                    {unit(R::kMelee, 7000, 0)});
    ASSERT_TRUE(R::legal(state, 0).test(R::kAttack));
    R::State nearest = state, weakest = state;
    skirmish_step(nearest, R::kAttack);
    EXPECT_EQ(seat(nearest, 1).health, 20 + kHealer.amount);
    skirmish_step(weakest, R::kFocus);
    EXPECT_EQ(seat(weakest, 1).health, 20 + kHealer.amount);
    R::State full = skirmish_state({unit(R::kHealer, 0, 0), unit(R::kMelee, 500, 0, 59)}, {});
    skirmish_step(full, R::kAttack);
    EXPECT_EQ(seat(full, 1).health, 60) << "never above full health";
    EXPECT_FALSE(R::legal(full, 0).test(R::kAttack)) << "nobody is hurt any more";
}

TEST(SkirmishRetreat, SprintsAwayAndCostsTheShot) {
    R::State state = skirmish_state({unit(R::kRanged, 0, 0)}, {unit(R::kMelee, 700, 0)});
    ASSERT_TRUE(R::legal(state, 0).test(R::kRetreat));
    skirmish_step(state, R::kRetreat);
    EXPECT_EQ(seat(state, 0).x, -(kRanged.straight + kRanged.straight / 4));
    EXPECT_EQ(seat(state, 0).y, 0);
    EXPECT_EQ(seat(state, 0).cooldown, R::kSprintCooldown);
    EXPECT_FALSE(R::legal(skirmish_state({unit(R::kRanged, 0, 0)}, {}), 0).test(R::kRetreat)) << "from nobody";
}

TEST(SkirmishAbility, GuardHalvesDamageForItsPlies) {
    R::State state = skirmish_state({unit(R::kMelee, 0, 0)},
                                    {unit(R::kMelee, 200, 0), unit(R::kMelee, 0, 200), unit(R::kMelee, 0, -200)});
    const int blow = 3 * kMelee.amount;
    ASSERT_TRUE(R::legal(state, 0).test(R::kAbility));
    int health = kMelee.full_health;
    for (int ply = 0; ply < R::kGuardPlies; ++ply) {
        skirmish_step(state, ply == 0 ? R::kAbility : R::kHold);
        health -= (blow + 1) / 2;
        EXPECT_EQ(seat(state, 0).health, health) << "ply " << ply;
        EXPECT_FALSE(R::legal(state, 0).test(R::kAbility));
    }
    skirmish_step(state, R::kHold);
    EXPECT_EQ(seat(state, 0).health, health - blow) << "the guard is over";
}

TEST(SkirmishAbility, VolleyHitsAllNearItsTarget) {
    const std::vector<SkirmishUnit> enemies = {unit(R::kMelee, 1000, 0), unit(R::kMelee, 1000 + R::kVolleyRadius, 0),
                                               unit(R::kMelee, 1000 + R::kVolleyRadius + 32, 0)};
    SkirmishUnit archer = unit(R::kRanged, 0, 0);
    archer.cooldown = 2;
    R::State state = skirmish_state({archer, unit(R::kMelee, 1000, 10)}, enemies);
    ASSERT_TRUE(R::legal(state, 0).test(R::kAbility)) << "needs no loaded shot";
    skirmish_step(state, R::kAbility);
    const int friend_blow = kMelee.amount;  // the friend beside the target strikes the nearest enemy too
    EXPECT_EQ(seat(state, 2).health, kMelee.full_health - R::kVolleyDamage - friend_blow);
    EXPECT_EQ(seat(state, 3).health, kMelee.full_health - R::kVolleyDamage);
    EXPECT_EQ(seat(state, 4).health, kMelee.full_health);
    EXPECT_EQ(seat(state, 0).cooldown, kRanged.cooldown);
    EXPECT_EQ(seat(state, 0).ability, R::kAbilityPeriod);
}

TEST(SkirmishAbility, CircleMendsTheHealerAndFriendsNearIt) {
    R::State state = skirmish_state({unit(R::kHealer, 0, 0, 10), unit(R::kMelee, R::kCircleRadius, 0, 30),
                                     unit(R::kMelee, R::kCircleRadius + 32, 0, 30), unit(R::kMelee, 100, 0)},
                                    {});
    ASSERT_TRUE(R::legal(state, 0).test(R::kAbility));
    skirmish_step(state, R::kAbility);
    EXPECT_EQ(seat(state, 0).health, 10 + R::kCircleAmount);
    EXPECT_EQ(seat(state, 1).health, 30 + R::kCircleAmount);
    EXPECT_EQ(seat(state, 2).health, 30);
    EXPECT_EQ(seat(state, 3).health, kMelee.full_health);
    EXPECT_FALSE(R::legal(skirmish_state({unit(R::kHealer, 0, 0)}, {}), 0).test(R::kAbility)) << "nobody is hurt";
}

// Every legal action but a hold with nothing to reload makes a difference to standing still.
TEST(SkirmishActions, AllChangeTheBattle) {
    for (int kind = 0; kind < R::kKinds; ++kind) {
        SkirmishUnit agent = unit(kind, 0, 0, 20);
        std::vector<bool> seen(R::kActions, false);
        for (const int cooldown : {0, 3}) {
            agent.cooldown = cooldown;
            const R::State state = skirmish_state({agent, unit(R::kRanged, 0, -300, 20), unit(R::kRanged, 0, -350, 20)},
                                                  {unit(R::kMelee, 300, 0), unit(R::kMelee, 300, 60, 40)});
            R::State held = state;
            skirmish_step(held, R::kHold);
            for (int action = 0; action < R::kActions; ++action) {
                if (!R::legal(state, 0).test(action)) continue;
                seen[static_cast<std::size_t>(action)] = true;
                if (action == R::kHold) continue;
                R::State next = state;
                skirmish_step(next, action);
                EXPECT_NE(R::hash(next), R::hash(held)) << "kind " << kind << ", " << R::kActionNames[action];
            }
        }
        for (int action = 0; action < R::kActions; ++action)
            EXPECT_TRUE(seen[static_cast<std::size_t>(action)]) << "kind " << kind << ", " << R::kActionNames[action];
    }
}

}  // namespace
}  // namespace augur::test
