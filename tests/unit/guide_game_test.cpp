// The game that docs/guide/write_a_game.md tells a reader to write: it compiles, and the search plays it perfectly. Its
// value is a closed form: the mover loses exactly when the heaps modulo 4 have a nim-sum of 0 (Sprague 1935, Grundy
// 1939).

#include "game_0.inc"

#include <gtest/gtest.h>

#include "backend/cpu/engine.h"
#include "support/forest_tree.h"

namespace augur::test {
namespace {

using rules::Nim;

bool mover_wins(const Nim::State& s) {
    return ((s.heap[0] % 4) ^ (s.heap[1] % 4) ^ (s.heap[2] % 4)) != 0;
}

TEST(GuideGame, IsPlayedPerfectly) {
    constexpr std::uint32_t kSimulations = 2000;
    ForestTree<Nim> tree(kSimulations + 1);
    int won = 0;
    for (std::int32_t a = 0; a <= 4; ++a) {
        for (std::int32_t b = 0; b <= 4; ++b) {
            for (std::int32_t c = 0; c <= 4; ++c) {
                Nim::State state = {{a, b, c}, 0};
                if (!mover_wins(state)) continue;
                const core::Decision decision = tree.search(state, default_settings<Nim>(), kSimulations);
                ASSERT_GE(decision.action, 0) << a << b << c;
                kit::Random random({0, 0}, 0, 0, kit::Purpose::chance);
                Nim::step(state, {{decision.action}}, random);
                EXPECT_FALSE(mover_wins(state)) << a << " " << b << " " << c << ": action " << decision.action;
                ++won;
            }
        }
    }
    EXPECT_GT(won, 90);
}

TEST(GuideGame, MakesARowOfTheBackendsList) {
    const CpuGame game = make_cpu_game<Nim>();
    EXPECT_STREQ(game.info->name, "nim");
    EXPECT_EQ(game.info->word_count, 4u);
    EXPECT_TRUE(game.info->provable);
}

}  // namespace
}  // namespace augur::test
