// From the words of all units to one unit's search state.

#include <gtest/gtest.h>

#include <vector>

#include "rules/skirmish.h"
#include "support/skirmish_states.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

constexpr std::int32_t kMiddle = R::kWorldSize / 2;

SkirmishUnit unit(int team, int kind, int x, int y) {
    SkirmishUnit u;
    u.team = team;
    u.kind = kind;
    u.x = kMiddle + x;
    u.y = kMiddle + y;
    u.health = R::kUnits[kind].full_health;
    return u;
}

struct Outcome {
    kit::Gathered gathered;
    R::State state;
};

Outcome gather(const SkirmishWorld& world, const std::vector<std::int32_t>& words, std::uint32_t agent = 0) {
    Outcome out{};
    const std::vector<std::uint32_t> near = world.neighbours(agent);
    const auto count = static_cast<std::uint32_t>(world.units.size());
    out.gathered =
        R::gather(out.state, {words.data(), count, count}, agent, near.data(), static_cast<int>(near.size()));
    return out;
}

TEST(SkirmishGather, SeatsTheOthersByDistance) {
    SkirmishWorld world;
    world.units = {unit(3, R::kRanged, 0, 0), unit(1, R::kMelee, 900, 0), unit(3, R::kHealer, -200, 100),
                   unit(2, R::kMelee, 0, 500)};
    world.units[1].cooldown = 7;
    world.units[1].ability = 9;
    const Outcome out = gather(world, world.words());
    ASSERT_EQ(out.gathered, kit::Gathered::ready);
    const SkirmishWorld seen = skirmish_of(out.state, {});
    EXPECT_EQ(seen.units[0].kind, R::kRanged);
    EXPECT_EQ(seen.units[0].team, 1);
    EXPECT_EQ(seen.units[1].x, -200);
    EXPECT_EQ(seen.units[1].y, 100);
    EXPECT_EQ(seen.units[1].team, 1) << "team 3 as well";
    EXPECT_EQ(seen.units[2].y, 500);
    EXPECT_EQ(seen.units[2].team, 0) << "any other team is an enemy";
    EXPECT_EQ(seen.units[3].cooldown, 7);
    EXPECT_EQ(seen.units[3].ability, 9);
    for (int i = 4; i < R::kSeats; ++i)
        EXPECT_EQ(out.state.status[i] | out.state.place[i], 0u);
}

TEST(SkirmishGather, KeepsHalfOfTheSeatsForEnemies) {
    for (const int enemies : {0, 2, 4, 7}) {
        SkirmishWorld world;
        world.units.push_back(unit(0, R::kMelee, 0, 0));
        for (int i = 0; i < 9; ++i)
            world.units.push_back(unit(0, R::kMelee, 10 + i, 0));
        for (int i = 0; i < enemies; ++i)
            world.units.push_back(unit(1, R::kMelee, 500 + i, 0));
        const Outcome out = gather(world, world.words());
        int friends = 0, foes = 0;
        for (int i = 1; i < R::kSeats; ++i) {
            if (R::health_of(out.state.status[i]) == 0) continue;
            (R::friendly(out.state.status[i]) ? friends : foes) += 1;
        }
        EXPECT_EQ(friends + foes, R::kOthers) << enemies << " enemies";
        EXPECT_EQ(foes, std::min(enemies, R::kOthers / 2)) << enemies << " enemies";
    }
}

TEST(SkirmishGather, SaysAbsentOfTheDead) {
    SkirmishWorld world;
    world.units = {unit(0, R::kMelee, 0, 0), unit(1, R::kMelee, 100, 0)};
    world.units[0].health = 0;
    EXPECT_EQ(gather(world, world.words()).gathered, kit::Gathered::absent);
}

TEST(SkirmishGather, RejectsContradictionsAndInvalidWords) {
    SkirmishWorld world;
    world.units = {unit(0, R::kRanged, 0, 0), unit(1, R::kMelee, 100, 0)};
    world.units[0].health = R::kUnits[R::kRanged].full_health + 1;
    EXPECT_EQ(gather(world, world.words()).gathered, kit::Gathered::bad_state);
    world.units[0].health = 1;
    const std::vector<std::int32_t> words = world.words();
    EXPECT_EQ(gather(world, words).gathered, kit::Gathered::ready);
    for (std::uint32_t w = 0; w < R::kObjectiveWord; ++w) {
        std::vector<std::int32_t> broken = words;
        broken[w * world.units.size()] = kit::kInvalidWord;
        EXPECT_EQ(gather(world, broken).gathered, kit::Gathered::bad_state) << "word " << w;
    }
}

TEST(SkirmishPresent, LeavesOutTheDeadAndTheBroken) {
    SkirmishWorld world;
    world.units = {unit(0, R::kRanged, 0, 0), unit(1, R::kMelee, 100, 0)};
    const std::vector<std::int32_t> words = world.words();
    const auto present = [&](const std::vector<std::int32_t>& w) { return R::present({w.data(), 2, 2}, 1); };
    EXPECT_TRUE(present(words));
    for (std::uint32_t w = 0; w < R::kObjectiveWord; ++w) {
        std::vector<std::int32_t> broken = words;
        broken[w * 2 + 1] = kit::kInvalidWord;
        EXPECT_FALSE(present(broken)) << "word " << w;
    }
    for (const std::int32_t health : {0, R::kMostHealth + 1}) {
        std::vector<std::int32_t> broken = words;
        broken[R::kHealthWord * 2 + 1] = health;
        EXPECT_FALSE(present(broken)) << "health " << health;
    }
}

TEST(SkirmishGather, ScalesAFarObjectiveIntoSightAndKeepsItsDirection) {
    SkirmishWorld world;
    world.units = {unit(0, R::kMelee, 0, 0)};
    EXPECT_EQ(gather(world, world.words()).state.objective, 0u) << "none given";
    world.objective = unit(0, R::kMelee, 300, -200);
    EXPECT_EQ(gather(world, world.words()).state.objective, R::place_of(300, -200));
    world.objective = unit(0, R::kMelee, 400000, -200000);
    const std::uint32_t far = gather(world, world.words()).state.objective;
    EXPECT_LE(R::x_of(far), 1 << R::kCellShift);
    EXPECT_NEAR(static_cast<double>(R::y_of(far)) / R::x_of(far), -0.5, 0.01);
    EXPECT_GT(R::x_of(far), 1 << (R::kCellShift - 1)) << "not closer than it must be";
}

TEST(SkirmishFields, StayWithinWhatTheRulesCanHold) {
    for (const R::Unit& u : R::kUnits) {
        EXPECT_LE(u.full_health, R::kMostHealth);
        EXPECT_LE(u.cooldown, R::kMostCooldown);
        EXPECT_NEAR(u.diagonal, u.straight / 1.41421356, 0.75) << "diagonals are no faster";
    }
    // A unit seen at the edge of sight that runs for all plies still fits 16 bits, and so do differences of two.
    const int fastest = R::kUnits[R::kRanged].straight * 5 / 4;
    const int farthest = R::kSight + R::kMaxDepth * fastest;
    EXPECT_LT(farthest, 32768);
    EXPECT_LT(farthest + R::kMaxDepth * fastest, 46340);
}

}  // namespace
}  // namespace augur::test
