// What must hold in every tree of every game, whatever the search decides.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/games/chain.h"
#include "support/games/corridor.h"
#include "support/games/dice_race.h"
#include "support/games/matrix_games.h"
#include "support/games/nim.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"
#include "support/large_tree.h"

namespace augur::test {
namespace {

template <class R>
struct Root {
    static typename R::State state() { return {}; }
};
template <>
struct Root<Corridor> {
    static Corridor::State state() { return {3}; }
};
template <>
struct Root<DiceRace> {
    static DiceRace::State state() { return {0, 0, 0, 20}; }
};
template <>
struct Root<Nim> {
    static Nim::State state() { return {{7, 6, 5}, 0}; }
};
template <>
struct Root<HashMaze> {
    static HashMaze::State state() { return {12345}; }
};

template <class R>
class SearchInvariants : public testing::Test {
  protected:
    static std::vector<core::Settings> all_settings() {
        std::vector<core::Settings> all;
        for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
            for (const std::uint32_t early_stop : {0u, 1u}) {
                core::Settings settings = default_settings<R>();
                settings.selection = selection;
                settings.early_stop = early_stop;
                all.push_back(settings);
            }
        }
        return all;
    }

    // Holds for forest trees and for large trees without transpositions.
    template <class SearchTree>
    static void expect_sound(const SearchTree& tree, std::uint32_t simulations, const core::Decision& decision) {
        constexpr int D = kit::kDeciders<R>;
        EXPECT_LE(tree.work().simulations, simulations);
        EXPECT_EQ(decision.visits, tree.work().simulations) << "every simulation passes the root once";
        EXPECT_EQ(tree.header(0).visits, tree.work().simulations);
        for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
            const auto& header = tree.header(node);
            if (node > 0 && header.parent == core::kNoNode) continue;
            for (int d = 0; d < D; ++d) {
                std::uint32_t sum = 0;
                for (int action = 0; action < R::kActions; ++action) {
                    const core::Edge edge = tree.tree().node_edges(node, d)[action];
                    sum += core::edge_visits(edge);
                    if (!header.legal[d].test(action)) {
                        ASSERT_EQ(edge, 0u) << "an illegal action was counted";
                    }
                    ASSERT_LE(edge & core::kSumMask, std::uint64_t{core::edge_visits(edge)} * 65536);
                }
                ASSERT_EQ(sum, header.visits) << "node " << node;
            }
            if (node == 0) continue;
            ASSERT_LT(header.parent, node) << "parents come first";
            const auto& parent = tree.header(header.parent);
            for (int d = 0; d < D; ++d)
                ASSERT_TRUE(parent.legal[d].test(header.action[d]));
            ASSERT_EQ(header.player, R::to_act(tree.state(node)));
            ASSERT_EQ(header.terminal != 0, R::terminal(tree.state(node)));
            if (header.terminal) {
                ASSERT_EQ(header.visits, 0u) << "nothing goes on from an end";
            }
        }
        if (decision.action != core::kNoAction) {
            ASSERT_TRUE(tree.header(0).legal[0].test(decision.action));
        }
    }

    // What a search came to, for comparing two of them: decisions, nodes, edges and states byte by byte.
    template <class SearchTree>
    static std::uint64_t fingerprint(const SearchTree& tree, const core::Decision& decision) {
        std::uint64_t hash = core::decision_hash(0, decision);
        for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
            const auto& header = tree.header(node);
            if (node > 0 && header.parent == core::kNoNode) continue;
            hash = kit::combine64(hash, header.parent);
            hash = kit::combine64(hash, header.visits);
            hash = kit::combine64(hash, static_cast<std::uint64_t>(header.proof));
            hash = kit::combine64(hash, R::hash(tree.state(node)));
            for (int i = 0; i < R::kActions * kit::kDeciders<R>; ++i) {
                hash = kit::combine64(hash, tree.tree().node_edges(node)[i]);
            }
        }
        return hash;
    }
};

using Games =
    testing::Types<rules::ConnectFour, TicTacToe, MisereTicTacToe, Nim, Corridor, DiceRace, Endless, HashMaze,
                   PrisonersDilemma, RockPaperScissors, HugeRewards, ManyActions<65>, Chain<UnevenTurnsScript>>;
TYPED_TEST_SUITE(SearchInvariants, Games);

TYPED_TEST(SearchInvariants, CountsAddUpAndOnlyLegalActionsArePlayed) {
    illegal_steps = 0;
    for (const core::Settings& settings : this->all_settings()) {
        for (const std::uint32_t simulations : {1u, 2u, 17u, 400u}) {
            ForestTree<TypeParam> tree(simulations + 1);
            const auto decision = tree.search(Root<TypeParam>::state(), settings, simulations);
            this->expect_sound(tree, simulations, decision);
        }
    }
    EXPECT_EQ(illegal_steps, 0);
}

TYPED_TEST(SearchInvariants, TheSameSeedGivesTheSameTreeWhateverTheMemoryHeld) {
    for (const core::Settings& settings : this->all_settings()) {
        ForestTree<TypeParam> first(301, 0xA5);
        ForestTree<TypeParam> second(350, 0x00);
        const auto a = first.search(Root<TypeParam>::state(), settings, 300, 7, 3, 9);
        const auto b = second.search(Root<TypeParam>::state(), settings, 300, 7, 3, 9);
        EXPECT_EQ(this->fingerprint(first, a), this->fingerprint(second, b));
        // Searching again in used memory changes nothing either.
        second.search(Root<TypeParam>::state(), settings, 111, 8, 4, 10);
        const auto c = second.search(Root<TypeParam>::state(), settings, 300, 7, 3, 9);
        EXPECT_EQ(this->fingerprint(first, a), this->fingerprint(second, c));
    }
}

TYPED_TEST(SearchInvariants, EarlyStopNeverChangesTheAction) {
    for (core::Settings settings : this->all_settings()) {
        if (settings.early_stop) continue;
        for (const std::uint32_t simulations : {20u, 100u, 300u}) {
            for (std::uint64_t seed = 1; seed <= 12; ++seed) {
                ForestTree<TypeParam> tree(simulations + 1);
                settings.early_stop = 0;
                const auto whole = tree.search(Root<TypeParam>::state(), settings, simulations, seed);
                settings.early_stop = 1;
                const auto stopped = tree.search(Root<TypeParam>::state(), settings, simulations, seed);
                EXPECT_EQ(whole.action, stopped.action) << "seed " << seed << ", " << simulations << " simulations";
                EXPECT_LE(stopped.visits, whole.visits);
                if (stopped.visits < simulations) {
                    EXPECT_TRUE(stopped.flags & core::kFlagEarlyStop);
                }
            }
        }
    }
}

// Games in which an action leads to one node only: the others have no large tree.
template <class R>
class LargeTreeInvariants : public SearchInvariants<R> {};
using LargeTreeGames = testing::Types<rules::ConnectFour, TicTacToe, MisereTicTacToe, Nim, Corridor, Endless, HashMaze,
                                      HugeRewards, ManyActions<65>, Chain<UnevenTurnsScript>>;
TYPED_TEST_SUITE(LargeTreeInvariants, LargeTreeGames);
static_assert(!core::kHasLargeTree<DiceRace> && !core::kHasLargeTree<PrisonersDilemma>);

TYPED_TEST(LargeTreeInvariants, CountsAddUp) {
    illegal_steps = 0;
    for (core::Settings settings : this->all_settings()) {
        for (const std::uint32_t leaves : {1u, 3u, 32u, 256u}) {
            settings.leaves_per_wave = leaves;
            LargeTree<TypeParam> tree(401);
            const auto decision = tree.search(Root<TypeParam>::state(), settings, 400);
            this->expect_sound(tree, 400, decision);
        }
    }
    EXPECT_EQ(illegal_steps, 0);
}

TYPED_TEST(LargeTreeInvariants, EarlyStopNeverChangesTheAction) {
    for (core::Settings settings : this->all_settings()) {
        if (settings.early_stop) continue;
        settings.leaves_per_wave = 8;
        settings.transpositions = 1;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            LargeTree<TypeParam> tree(301);
            settings.early_stop = 0;
            const auto whole = tree.search(Root<TypeParam>::state(), settings, 300, seed);
            settings.early_stop = 1;
            const auto stopped = tree.search(Root<TypeParam>::state(), settings, 300, seed);
            EXPECT_EQ(whole.action, stopped.action) << "seed " << seed;
        }
    }
}

// Runs in which nothing could be stopped would prove nothing about stopping.
TEST(SearchInvariant, EarlyStopSavesSimulationsWhereOneActionIsFarAhead) {
    core::Settings settings = default_settings<Corridor>();
    settings.early_stop = 1;
    settings.exploration = 0.3f;
    ForestTree<Corridor> tree(4001);
    const auto decision = tree.search({Corridor::kCells - 2}, settings, 4000);
    EXPECT_EQ(decision.action, 2);
    EXPECT_LT(decision.visits, 3000u);
    EXPECT_TRUE(decision.flags & core::kFlagEarlyStop);
}

// Each part of the random key changes the rollouts, and so the sums of the edges.
TEST(SearchInvariant, SeedAgentAndFrameAllMatter) {
    const core::Settings settings = default_settings<rules::ConnectFour>();
    const auto sums = [&settings](std::uint64_t seed, std::uint32_t agent, std::uint64_t frame) {
        ForestTree<rules::ConnectFour> tree(201);
        tree.search({0, 0}, settings, 200, seed, agent, frame);
        std::uint64_t hash = 0;
        for (int column = 0; column < 7; ++column)
            hash = kit::combine64(hash, tree.tree().node_edges(0)[column]);
        return hash;
    };
    const std::uint64_t base = sums(1, 1, 1);
    EXPECT_EQ(sums(1, 1, 1), base);
    EXPECT_NE(sums(2, 1, 1), base);
    EXPECT_NE(sums(1, 2, 1), base);
    EXPECT_NE(sums(1, 1, 2), base);
    EXPECT_NE(sums(1, 1, 1ULL << 40), base);
}

TEST(LargeTree, OneLeafAWaveWithoutTranspositionsIsTheForestSearch) {
    core::Settings settings = default_settings<rules::ConnectFour>();
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        settings.selection = selection;
        ForestTree<rules::ConnectFour> forest(501);
        LargeTree<rules::ConnectFour> large(501);
        forest.search({0, 0}, settings, 500);
        large.search({0, 0}, settings, 500);
        for (int column = 0; column < 7; ++column) {
            EXPECT_EQ(forest.tree().node_edges(0)[column], large.tree().node_edges(0)[column]) << column;
        }
    }
}

TEST(LargeTree, PositionsReachedInSeveralWaysShareANodeWhenAskedTo) {
    core::Settings settings = default_settings<rules::ConnectFour>();
    settings.leaves_per_wave = 16;
    for (const std::uint32_t share : {0u, 1u}) {
        settings.transpositions = share;
        LargeTree<rules::ConnectFour> tree(4001);
        tree.search({0, 0}, settings, 4000);
        std::vector<int> ways(tree.work().nodes, 0);
        std::set<std::uint64_t> positions;
        std::size_t nodes = 0;
        for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
            if (!tree.in_use(node)) continue;
            ++nodes;
            positions.insert(rules::ConnectFour::hash(tree.state(node)));
            // A child is what playing the action from the parent gives, whoever made it first.
            for (int column = 0; column < 7; ++column) {
                const std::uint32_t child = tree.tree().node_children(node)[column];
                if (child == core::kNoNode) continue;
                ++ways[child];
                auto state = tree.state(node);
                kit::Random random({0, 0}, 0, 0, kit::Purpose::host);
                rules::ConnectFour::step(state, {{column}}, random);
                ASSERT_EQ(state.own, tree.state(child).own);
                ASSERT_EQ(state.other, tree.state(child).other);
            }
        }
        const auto shared = std::count_if(ways.begin(), ways.end(), [](int count) { return count > 1; });
        if (share == 1) {
            EXPECT_GT(shared, 100);
            EXPECT_EQ(positions.size(), nodes) << "no position has two nodes";
        } else {
            EXPECT_EQ(shared, 0);
            EXPECT_LT(positions.size(), nodes - 100);
        }
    }
}

}  // namespace
}  // namespace augur::test
