// The search at the edges of what rules and settings allow.

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/games/chain.h"
#include "support/games/corridor.h"
#include "support/games/extremes.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"
#include "support/large_tree.h"

namespace augur::test {
namespace {

TEST(SearchEdges, AFinishedGameHasNoAction) {
    ForestTree<TicTacToe> tree(10);
    const auto decision = tree.search({0, 0007}, default_settings<TicTacToe>(), 9);
    EXPECT_EQ(decision.action, core::kNoAction);
    EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(core::kFlagNoAction));
    EXPECT_EQ(decision.visits, 0u);
    EXPECT_EQ(tree.work().active, 0u);
}

TEST(SearchEdges, ARootWithoutActionsHasNoAction) {
    ForestTree<DeadEnd> tree(10);
    const auto decision = tree.search({DeadEnd::kTrap}, default_settings<DeadEnd>(), 9);
    EXPECT_EQ(decision.action, core::kNoAction);
    EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(core::kFlagNoAction));
}

TEST(SearchEdges, TheOnlyActionIsTakenWithoutASearch) {
    // One empty cell, and nobody has a line.
    const TicTacToe::State root = {0b010'110'001, 0b101'001'010};
    ASSERT_EQ(TicTacToe::legal(root, 0).count(), 1);
    ASSERT_FALSE(TicTacToe::terminal(root));
    ForestTree<TicTacToe> tree(10);
    const auto decision = tree.search(root, default_settings<TicTacToe>(), 9);
    EXPECT_EQ(decision.action, TicTacToe::legal(root, 0).first());
    EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(core::kFlagOnlyAction));
    EXPECT_EQ(tree.work().simulations, 0u);
}

TEST(SearchEdges, AbsentAndBadAgentsHaveNoAction) {
    ForestTree<TicTacToe> memory(10);
    for (const auto& [gathered, flag] : {std::pair{kit::Gathered::absent, core::kFlagAbsent},
                                         std::pair{kit::Gathered::bad_state, core::kFlagBadState}}) {
        const auto work = core::begin_tree<TicTacToe>(memory.tree(), {0, 0}, gathered, 9, core::SerialLanes{});
        EXPECT_EQ(work.active, 0u);
        const auto decision = core::choose<TicTacToe>(memory.tree(), work);
        EXPECT_EQ(decision.action, core::kNoAction);
        EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(flag));
    }
}

TEST(SearchEdges, NoSimulationsFallBackToTheFirstLegalAction) {
    ForestTree<TicTacToe> tree(10);
    const auto decision = tree.search({0b1, 0b10}, default_settings<TicTacToe>(), 0);
    EXPECT_EQ(decision.action, 2);
    EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(core::kFlagFallback));
    EXPECT_EQ(decision.visits, 0u);
}

TEST(SearchEdges, DeadEndsBelowTheRootCountZeroAndAreFlagged) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = default_settings<DeadEnd>();
        settings.selection = selection;
        ForestTree<DeadEnd> tree(301);
        const auto decision = tree.search({1}, settings, 300);
        EXPECT_EQ(decision.action, 1) << "jumping over the trap is worth 0.5";
        EXPECT_TRUE(decision.flags & core::kFlagDeadEnd);
        ASSERT_GT(tree.visits(0, 0), 1u);
        EXPECT_NEAR(tree.mean(0, 0), 0.0, 1e-4);
        EXPECT_NEAR(tree.mean(0, 1), 0.5, 0.01);
    }
    LargeTree<DeadEnd> large(301);
    core::Settings settings = default_settings<DeadEnd>();
    settings.leaves_per_wave = 8;
    const auto decision = large.search({1}, settings, 300);
    EXPECT_EQ(decision.action, 1);
    EXPECT_TRUE(decision.flags & core::kFlagDeadEnd);
}

TEST(SearchEdges, GamesWithoutAnEndStopAtTheHorizon) {
    for (const std::uint32_t horizon : {1u, 2u, 40u, 4096u}) {
        core::Settings settings = default_settings<Endless>();
        settings.horizon = horizon;
        settings.discount = kit::q16(0.9);
        ForestTree<Endless> tree(201);
        const auto decision = tree.search({0}, settings, 200);
        EXPECT_EQ(decision.action, 1) << "flipping pays; horizon " << horizon;
        for (std::uint32_t node = 1; node < tree.work().nodes; ++node) {
            std::uint32_t depth = 0;
            for (std::uint32_t up = node; up != 0; up = tree.header(up).parent)
                ++depth;
            ASSERT_LE(depth, horizon);
        }
        LargeTree<Endless> large(201);
        settings.leaves_per_wave = 32;
        EXPECT_EQ(large.search({0}, settings, 200).action, 1);
    }
}

template <int K>
void expect_best_of_many() {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = default_settings<ManyActions<K>>();
        settings.selection = selection;
        // One for each legal action, and some that find out which was best.
        const auto simulations = static_cast<std::uint32_t>(ManyActions<K>::legal({0}, 0).count()) + 60;
        ForestTree<ManyActions<K>> tree(simulations + 1);
        illegal_steps = 0;
        const auto decision = tree.search({0}, settings, simulations);
        EXPECT_EQ(decision.action, ManyActions<K>::kBest) << K;
        EXPECT_NEAR(decision.value, 1.0f, 0.01f) << K;
        EXPECT_EQ(illegal_steps, 0) << K;
    }
}

TEST(SearchEdges, ManyActionsAreAllTriedAndTheLastOneFound) {
    expect_best_of_many<33>();
    expect_best_of_many<64>();
    expect_best_of_many<65>();
    expect_best_of_many<100>();
    expect_best_of_many<257>();
}

TEST(SearchEdges, TheLargestActionCountWorks) {
    expect_best_of_many<4096>();
}

TEST(SearchEdges, RewardsFarOutOfRangeAreClampedAndFlagged) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        for (const std::int32_t discount : {kit::kOne, kit::q16(0.5), 0}) {
            core::Settings settings = default_settings<HugeRewards>();
            settings.selection = selection;
            settings.discount = discount;
            ForestTree<HugeRewards> tree(501);
            const auto decision = tree.search({0}, settings, 500);
            EXPECT_TRUE(decision.flags & core::kFlagValueClamped);
            EXPECT_LE(decision.value, 1.0f);
            EXPECT_GE(decision.value, -1.0f);
            if (discount == 0) {
                EXPECT_EQ(decision.action, 2);
                EXPECT_EQ(decision.value, 1.0f);
            }
            for (int action = 0; action < 3; ++action) {
                if (tree.visits(0, action) == 0) continue;
                EXPECT_LE(std::fabs(tree.mean(0, action)), 1.0);
            }
        }
    }
}

TEST(SearchEdges, AFullPoolEndsTheSearchWithAFlagAndALegalAction) {
    for (const std::uint32_t nodes : {1u, 2u, 5u, 50u}) {
        ForestTree<Corridor> tree(nodes);
        const auto decision = tree.search({3}, default_settings<Corridor>(), 1000);
        EXPECT_TRUE(decision.flags & core::kFlagPoolExhausted) << nodes;
        EXPECT_GE(decision.action, 0);
        EXPECT_LT(decision.action, 3);
        EXPECT_LE(tree.work().nodes, nodes);
        LargeTree<Corridor> large(nodes);
        core::Settings settings = default_settings<Corridor>();
        settings.leaves_per_wave = 8;
        const auto wave_decision = large.search({3}, settings, 1000);
        EXPECT_TRUE(wave_decision.flags & core::kFlagPoolExhausted) << nodes;
        EXPECT_GE(wave_decision.action, 0);
        EXPECT_LT(wave_decision.action, 3);
    }
}

template <int Bytes>
void expect_count_down_solved() {
    core::Settings settings = default_settings<CountDown<Bytes>>();
    settings.exploration = 0.3f;
    ForestTree<CountDown<Bytes>> tree(401);
    const auto decision = tree.search({}, settings, 400);
    EXPECT_EQ(decision.action, 1) << Bytes;
    EXPECT_GT(decision.value, 0.4f) << Bytes;
    for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
        std::uint8_t depth = 0;
        for (std::uint32_t up = node; up != 0; up = tree.header(up).parent)
            ++depth;
        for (const std::uint8_t byte : tree.state(node).plies)
            ASSERT_EQ(byte, depth) << Bytes << " bytes, node " << node;
    }
}

TEST(SearchEdges, StatesFromOneByteToTheLargestAllowedKeepEveryByte) {
    expect_count_down_solved<1>();
    expect_count_down_solved<3>();
    expect_count_down_solved<127>();
    expect_count_down_solved<1024>();
    static_assert(kit::Rules<CountDown<1024>>);
    static_assert(!kit::Rules<CountDown<1025>>, "the limit of a state is 1,024 bytes");
    static_assert(!kit::Rules<CountDown<1 << 20>>, "the limit of a state is 1,024 bytes");
}

TEST(SearchEdges, AStateThatHoldsNothingIsSearchedAsWell) {
    static_assert(kit::Rules<EmptyState> && std::is_empty_v<EmptyState::State>);
    core::Settings settings = default_settings<EmptyState>();
    for (const std::uint32_t horizon : {1u, 4u}) {
        settings.horizon = horizon;
        ForestTree<EmptyState> tree(201);
        const auto decision = tree.search({}, settings, 200);
        EXPECT_EQ(decision.action, 1);
        EXPECT_EQ(decision.visits, 200u);
        settings.leaves_per_wave = 8;
        LargeTree<EmptyState> large(201);
        EXPECT_EQ(large.search({}, settings, 200).action, 1);
        if (horizon > 1) continue;
        EXPECT_NEAR(tree.mean(0, 0), 0.0, 1e-4);
        EXPECT_NEAR(tree.mean(0, 1), 0.25, 1e-4);
    }
}

TEST(SearchEdges, AGameOfOneActionIsNotSearched) {
    ForestTree<ManyActions<1>> tree(10);
    const auto decision = tree.search({0}, default_settings<ManyActions<1>>(), 9);
    EXPECT_EQ(decision.action, 0);
    EXPECT_EQ(decision.flags, static_cast<std::uint32_t>(core::kFlagOnlyAction));
    EXPECT_EQ(tree.work().simulations, 0u);
    LargeTree<ManyActions<1>> large(10);
    EXPECT_EQ(large.search({0}, default_settings<ManyActions<1>>(), 9).action, 0);
    EXPECT_EQ(large.work().simulations, 0u);
}

TEST(SearchEdges, AnEndThatStepReportedIsNeverPlayedOn) {
    DeniedEnd::steps_after_the_end = 0;
    core::Settings settings = default_settings<DeniedEnd>();
    ForestTree<DeniedEnd> tree(301);
    tree.search({0}, settings, 300);
    EXPECT_NEAR(tree.mean(0, 0), 3 * 0.125, 1e-3);
    LargeTree<DeniedEnd> large(301);
    settings.leaves_per_wave = 8;
    large.search({0}, settings, 300);
    EXPECT_NEAR(large.mean(0, 0), 3 * 0.125, 1e-3);
    EXPECT_EQ(DeniedEnd::steps_after_the_end, 0);
}

TEST(SearchEdges, ActionsThatARolloutPolicyMakesUpNeverReachStep) {
    illegal_steps = 0;
    ForestTree<LawlessPolicy> tree(301);
    const auto decision = tree.search({5}, default_settings<LawlessPolicy>(), 300);
    EXPECT_EQ(decision.visits, 300u);
    EXPECT_TRUE(LawlessPolicy::legal({5}, 0).test(decision.action));
    EXPECT_EQ(illegal_steps, 0);

    ForestTree<LawlessFreePolicy> free_tree(301);
    const auto free_decision = free_tree.search({5}, default_settings<LawlessFreePolicy>(), 300);
    EXPECT_EQ(free_decision.visits, 300u);
    EXPECT_TRUE(free_decision.flags & core::kFlagDeadEnd);
    EXPECT_EQ(illegal_steps, 0);
}

TEST(SearchEdges, OneSimulationIsEnoughForAnAction) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = default_settings<rules::ConnectFour>();
        settings.selection = selection;
        ForestTree<rules::ConnectFour> tree(2);
        const auto decision = tree.search({0, 0}, settings, 1);
        EXPECT_EQ(decision.visits, 1u);
        EXPECT_EQ(decision.action, 0) << "untried actions tie, and ties go to the lowest index";
        EXPECT_FALSE(decision.flags & core::kFlagFallback);
    }
}

TEST(SearchEdges, EqualActionsAreDecidedForTheLowestIndex) {
    core::Settings settings = default_settings<Chain<SinglePlayerScript>>();
    settings.selection = core::Selection::uct;
    ForestTree<Chain<SinglePlayerScript>> tree(3);
    const auto decision = tree.search({0}, settings, 2);
    ASSERT_EQ(tree.tree().node_edges(0)[0], tree.tree().node_edges(0)[1]) << "one visit and the same return for both";
    EXPECT_EQ(decision.action, 0);
}

TEST(SearchEdges, UctTriesEveryLegalActionOnceFirst) {
    core::Settings settings = default_settings<rules::ConnectFour>();
    settings.selection = core::Selection::uct;
    ForestTree<rules::ConnectFour> tree(8);
    tree.search({0, 0}, settings, 7);
    for (int column = 0; column < 7; ++column)
        EXPECT_EQ(tree.visits(0, column), 1u);
}

TEST(SearchEdges, ZeroExplorationAndLargeExplorationAreBothAllowed) {
    for (const float exploration : {0.0f, 100.0f}) {
        for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
            core::Settings settings = default_settings<rules::ConnectFour>();
            settings.selection = selection;
            settings.exploration = exploration;
            ForestTree<rules::ConnectFour> tree(701);
            const auto decision = tree.search({0, 0}, settings, 700);
            EXPECT_EQ(decision.visits, 700u);
            if (exploration > 1.0f) {
                for (int column = 0; column < 7; ++column)
                    EXPECT_NEAR(tree.visits(0, column), 100, 15);
            }
        }
    }
}

}  // namespace
}  // namespace augur::test
