// Backup: what a simulation adds to the edges above its leaf, against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "support/forest_tree.h"
#include "support/games/chain.h"
#include "support/games/corridor.h"
#include "support/large_tree.h"

namespace augur::test {
namespace {

// Sums are kept in units of 2^-15 and a return loses less than 2^-16 a ply to rounding.
constexpr double kRounding = 16.0 / 65536.0;

template <class SearchTree, class Script>
void expect_closed_form_everywhere(const core::Settings& settings, std::uint32_t simulations) {
    using Game = Chain<Script>;
    SearchTree tree(simulations + 1);
    tree.search({0}, settings, simulations);
    const double discount = settings.discount / 65536.0;
    int edges = 0;
    for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
        if (node > 0 && tree.header(node).parent == core::kNoNode) continue;
        const int ply = tree.state(node).ply;
        for (int action = 0; action < Game::kActions; ++action) {
            if (tree.visits(node, action) == 0) continue;
            ++edges;
            const int plies = static_cast<int>(settings.horizon) - ply;
            ASSERT_NEAR(tree.mean(node, action), Game::closed_form(ply, plies, discount), kRounding)
                << "node " << node << " at ply " << ply << ", " << tree.visits(node, action) << " visits";
        }
    }
    EXPECT_GT(edges, 100);
}

template <class Script>
class Backup : public testing::Test {};
using Scripts = testing::Types<SinglePlayerScript, AlternatingScript, UnevenTurnsScript>;
TYPED_TEST_SUITE(Backup, Scripts);

TYPED_TEST(Backup, AddsDiscountedRewardAtEveryAncestor) {
    for (const double discount : {1.0, 0.9, 0.5, 0.0}) {
        core::Settings settings = default_settings<Chain<TypeParam>>();
        settings.discount = kit::q16(discount);
        expect_closed_form_everywhere<ForestTree<Chain<TypeParam>>, TypeParam>(settings, 600);
    }
}

TYPED_TEST(Backup, StopsCountingAtTheHorizon) {
    for (const std::uint32_t horizon : {1u, 2u, 5u, 11u, 12u}) {
        core::Settings settings = default_settings<Chain<TypeParam>>();
        settings.discount = kit::q16(0.8);
        settings.horizon = horizon;
        using Game = Chain<TypeParam>;
        ForestTree<Game> tree(601);
        tree.search({0}, settings, 600);
        EXPECT_NEAR(tree.mean(0, 0), Game::closed_form(0, static_cast<int>(horizon), 0.8), kRounding) << horizon;
        EXPECT_NEAR(tree.mean(0, 1), Game::closed_form(0, static_cast<int>(horizon), 0.8), kRounding) << horizon;
    }
}

TYPED_TEST(Backup, IsTheSameForWavesOfOneLargeTree) {
    for (const std::uint32_t leaves : {1u, 7u, 64u}) {
        core::Settings settings = default_settings<Chain<TypeParam>>();
        settings.discount = kit::q16(0.9);
        settings.leaves_per_wave = leaves;
        expect_closed_form_everywhere<LargeTree<Chain<TypeParam>>, TypeParam>(settings, 600);
    }
}

// One descent by hand: three plies of the corridor, and the numbers that each edge must then hold.
TEST(BackupByHand, OneSimulationLeavesOneVisitOnEachEdgeOfItsPath) {
    core::Settings settings = default_settings<Corridor>();
    settings.discount = kit::q16(0.5);
    settings.horizon = 1;  // no rollout: the return is the reward of the ply
    settings.selection = core::Selection::uct;
    ForestTree<Corridor> tree(4);
    const auto decision = tree.search({Corridor::kCells - 2}, settings, 3);
    ASSERT_EQ(tree.work().nodes, 4u);
    EXPECT_EQ(tree.header(0).visits, 3u);
    for (int action = 0; action < 3; ++action)
        EXPECT_EQ(tree.visits(0, action), 1u);
    EXPECT_NEAR(tree.mean(0, 0), 0.0, kRounding);
    EXPECT_NEAR(tree.mean(0, 1), -0.05, kRounding);
    EXPECT_NEAR(tree.mean(0, 2), 0.9, kRounding);
    EXPECT_EQ(decision.action, 2);
    EXPECT_NEAR(decision.value, 0.9, kRounding);
}

TEST(EdgeValue, MeanIsExactForWholeHalvesAndClampedOutside) {
    for (const std::int32_t value : {-kit::kOne, -kit::kOne / 2, 0, kit::kOne / 2, kit::kOne}) {
        core::Edge edge = 0;
        for (int visit = 1; visit <= 1000; ++visit) {
            edge += core::kOneVisit + core::edge_value(value);
            ASSERT_EQ(core::edge_visits(edge), static_cast<std::uint32_t>(visit));
            ASSERT_EQ(core::edge_mean(edge), static_cast<float>(value) / 65536.0f);
        }
    }
    EXPECT_EQ(core::edge_value(INT32_MAX), core::edge_value(kit::kOne));
    EXPECT_EQ(core::edge_value(INT32_MIN), core::edge_value(-kit::kOne));
}

TEST(EdgeValue, TheLargestVisitCountDoesNotSpillIntoTheSum) {
    core::Edge edge = (core::kOneVisit + core::edge_value(kit::kOne)) * core::kMaxSimulations;
    EXPECT_EQ(core::edge_visits(edge), core::kMaxSimulations);
    EXPECT_FLOAT_EQ(core::edge_mean(edge), 1.0f);
}

TEST(EdgeValue, AVisitWithoutItsValueReadsAsALoss) {
    const core::Edge one_win = core::kOneVisit + core::edge_value(kit::kOne);
    EXPECT_FLOAT_EQ(core::edge_mean(one_win + core::kOneVisit), 0.0f);
    EXPECT_FLOAT_EQ(core::edge_mean(core::kOneVisit), -1.0f);
}

TEST(NaturalLog, IsWithinThreeTenMillionths) {
    for (std::uint32_t n = 1; n < 5000000; n += 1 + n / 64) {
        const double exact = std::log(static_cast<double>(n));
        ASSERT_NEAR(core::natural_log(n), exact, 3e-7 * exact + 1e-12) << n;
    }
    EXPECT_EQ(core::natural_log(1u), 0.0f);
}

}  // namespace
}  // namespace augur::test
