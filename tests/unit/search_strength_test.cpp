// Mistakes on solved Connect Four positions: no more than a peer makes with as many simulations. The whole curve, and
// how it was measured, is in docs/benchmarks/strength.md.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/large_tree.h"
#include "support/solved_positions.h"

namespace augur::test {
namespace {

using rules::ConnectFour;

struct Measured {
    int mistakes = 0;
    int positions = 0;
};

core::Settings settings_for(core::Selection selection) {
    core::Settings settings = default_settings<ConnectFour>();
    settings.selection = selection;
    settings.exploration = selection == core::Selection::puct ? ConnectFour::kPuct : ConnectFour::kUct;
    settings.early_stop = 1;
    return settings;
}

template <class SearchTree>
Measured mistakes(const std::vector<SolvedPosition>& positions, const core::Settings& settings,
                  std::uint32_t simulations, std::size_t step) {
    SearchTree tree(simulations + 1);
    Measured measured;
    for (std::size_t i = 0; i < positions.size(); i += step) {
        const std::uint64_t own = positions[i].board.mine();
        const auto agent = static_cast<std::uint32_t>(i);
        const auto decision = tree.search({own, own ^ positions[i].board.all()}, settings, simulations, 1, agent);
        measured.mistakes += positions[i].is_mistake(decision.action) ? 1 : 0;
        ++measured.positions;
    }
    return measured;
}

// A peer's share, and three standard errors of as many positions on top. The seeds are fixed: the number of mistakes is
// the same in every run, and only a change of the search moves it.
int allowed(double peer_percent, int positions) {
    const double share = peer_percent / 100.0;
    return static_cast<int>(positions * share + 3.0 * std::sqrt(positions * share * (1.0 - share)) + 0.5);
}

struct Bound {
    std::uint32_t simulations;
    double peer_percent;  // OpenSpiel's MCTS with random rollouts, exploration 1.4
    std::size_t step;     // of the positions, so that long searches take no longer than short ones
};

void expect_no_worse_than_peer(const std::string& path, const std::vector<Bound>& bounds) {
    std::string error;
    const auto positions = read_solved_positions(path, error);
    ASSERT_EQ(error, "");
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        for (const Bound& bound : bounds) {
            const Measured measured =
                mistakes<ForestTree<ConnectFour>>(positions, settings_for(selection), bound.simulations, bound.step);
            EXPECT_LE(measured.mistakes, allowed(bound.peer_percent, measured.positions))
                << path << ", " << bound.simulations << " simulations, selection " << static_cast<int>(selection);
        }
    }
}

// The peer's shares on the committed set are in docs/benchmarks/strength/openspiel.csv (with its solver: the stronger
// form).
TEST(Strength, CommittedPositions) {
    expect_no_worse_than_peer(committed_solved_positions_path(), {{32, 7.5, 1}, {128, 5.9, 1}, {1000, 3.2, 4}});
}

TEST(Strength, PublicEndGames) {
    const auto path = public_solved_set_path("Test_L3_R1.moves.txt");
    if (!path) GTEST_SKIP() << "the public set Test_L3_R1 is not here (AUGUR_TEST_DATA)";
    expect_no_worse_than_peer(*path, {{32, 5.8, 1}, {128, 1.5, 1}, {1000, 0.1, 5}});
}

TEST(Strength, PublicMiddleGames) {
    const auto path = public_solved_set_path("Test_L2_R1.moves.txt");
    if (!path) GTEST_SKIP() << "the public set Test_L2_R1 is not here (AUGUR_TEST_DATA)";
    expect_no_worse_than_peer(*path, {{32, 12.3, 1}, {128, 3.8, 1}, {1000, 0.7, 5}});
}

TEST(Strength, MoreSimulationsMakeFewerMistakes) {
    std::string error;
    const auto positions = read_solved_positions(committed_solved_positions_path(), error);
    ASSERT_EQ(error, "");
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        int before = static_cast<int>(positions.size());
        for (const std::uint32_t simulations : {1u, 8u, 32u, 256u}) {
            const Measured now = mistakes<ForestTree<ConnectFour>>(positions, settings_for(selection), simulations, 1);
            EXPECT_LT(now.mistakes, before) << simulations;
            before = now.mistakes;
        }
    }
}

// Bounded by the share of one simulation after the other. Waves as wide as a quarter of all simulations, twice
// the default, may cost
// something, but no more than half as much again.
TEST(Strength, WavesOfOneLargeTreeCostLittle) {
    std::string error;
    const auto positions = read_solved_positions(committed_solved_positions_path(), error);
    ASSERT_EQ(error, "");
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = settings_for(selection);
        const Measured sequential = mistakes<ForestTree<ConnectFour>>(positions, settings, 1000, 2);
        settings.transpositions = 1;
        for (const std::uint32_t leaves : {1u, 32u, 64u, 256u}) {
            settings.leaves_per_wave = leaves;
            const Measured waves = mistakes<LargeTree<ConnectFour>>(positions, settings, 1000, 2);
            const double percent = 100.0 * sequential.mistakes / sequential.positions;
            EXPECT_LE(waves.mistakes, allowed(leaves > 64 ? 1.5 * percent : percent, waves.positions))
                << leaves << " leaves, selection " << static_cast<int>(selection);
        }
    }
}

}  // namespace
}  // namespace augur::test
