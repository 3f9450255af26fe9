// Looking ahead must pay: armies led by search against armies that are not. Fixed seeds, so the same battles every
// time; the bounds leave room for a search that decides a few of them differently. Measured with many more battles in
// docs/benchmarks/skirmish_strength.md.

#include <gtest/gtest.h>

#include "support/skirmish_arena.h"

namespace augur::test {
namespace {

double score_of(const SkirmishController& first, const SkirmishController& second, int seeds) {
    const BattleSetup setup;
    double score = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
        score += play_battle(setup, static_cast<std::uint64_t>(seed), first, second).score;
        score += 1.0 - play_battle(setup, static_cast<std::uint64_t>(seed), second, first).score;
    }
    return score / (2 * seeds);
}

TEST(SkirmishStrength, SearchBeatsGreedyPlay) {
    EXPECT_GE(score_of(search_controller({}), greedy_controller(), 12), 0.7);
}

TEST(SkirmishStrength, SearchBeatsTheScriptThatItSupposesOfOthers) {
    EXPECT_GE(score_of(search_controller({}), script_controller(), 4), 0.9);
}

TEST(SkirmishStrength, SearchBeatsRandomPlay) {
    EXPECT_GE(score_of(search_controller({}), random_controller(1), 3), 0.99);
}

TEST(SkirmishStrength, GreedyPlayIsNoPushover) {
    EXPECT_GE(score_of(greedy_controller(), random_controller(1), 4), 0.99);
}

// The arena favours no side: a controller against itself splits the points.
TEST(SkirmishStrength, ArenaIsFair) {
    EXPECT_DOUBLE_EQ(score_of(greedy_controller(), greedy_controller(), 6), 0.5);
}

}  // namespace
}  // namespace augur::test
