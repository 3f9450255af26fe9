// What the search comes to, against exact answers: value iteration, expectimax, and the equilibria of matrix games.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "rules/connect_four.h"
#include "support/exhaustive.h"
#include "support/forest_tree.h"
#include "support/games/corridor.h"
#include "support/games/dice_race.h"
#include "support/games/matrix_games.h"
#include "support/large_tree.h"

namespace augur::test {
namespace {

// What exact play says of a root: the best action, its value, and how much better it is than the next one.
struct Truth {
    int best = -1;
    double value = -1.0e9;
    double lead = 0.0;
};

template <class ActionValue>
Truth truth_of(int actions, const ActionValue& value_of) {
    std::vector<double> values;
    for (int action = 0; action < actions; ++action)
        values.push_back(value_of(action));
    Truth truth;
    truth.best = static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
    truth.value = values[static_cast<std::size_t>(truth.best)];
    std::sort(values.begin(), values.end());
    truth.lead = truth.value - values[values.size() - 2];
    return truth;
}

template <class SearchTree>
void expect_corridor_solved(core::Selection selection, std::uint32_t leaves) {
    int clear = 0;
    for (const double discount : {0.2, 0.35, 0.5, 0.8, 0.9, 1.0}) {
        Exhaustive<Corridor> exact(discount);
        for (int position = 1; position < Corridor::kCells - 1; ++position) {
            core::Settings settings = default_settings<Corridor>();
            settings.selection = selection;
            settings.exploration = 1.5f;
            settings.discount = kit::q16(discount);
            settings.leaves_per_wave = leaves;
            const int horizon = static_cast<int>(settings.horizon);
            const Truth truth = truth_of(Corridor::kActions,
                                         [&](int action) { return exact.action_value({position}, action, horizon); });
            if (truth.lead < 0.04) continue;
            ++clear;
            SearchTree tree(6001);
            const auto decision = tree.search({position}, settings, 6000);
            EXPECT_EQ(decision.action, truth.best) << "position " << position << " discount " << discount;
            EXPECT_NEAR(static_cast<double>(decision.value), truth.value, 0.15)
                << "position " << position << " discount " << discount;
        }
    }
    EXPECT_GT(clear, 10);
}

TEST(SearchValue, OnePlayerChoosesAsValueIterationDoes) {
    expect_corridor_solved<ForestTree<Corridor>>(core::Selection::puct, 1);
    expect_corridor_solved<ForestTree<Corridor>>(core::Selection::uct, 1);
}

TEST(SearchValue, OneLargeTreeChoosesAsValueIterationDoes) {
    expect_corridor_solved<LargeTree<Corridor>>(core::Selection::puct, 16);
    expect_corridor_solved<LargeTree<Corridor>>(core::Selection::uct, 16);
}

TEST(SearchValue, ChanceAndTwoPlayersChooseAsExpectimaxDoes) {
    int clear = 0;
    for (int own = 0; own < DiceRace::kGoal; ++own) {
        for (int other = 0; other < DiceRace::kGoal; ++other) {
            for (int player = 0; player < 2; ++player) {
                const DiceRace::State root = {own, other, player, 12};
                const Truth truth =
                    truth_of(DiceRace::kActions, [&root](int action) { return DiceRace::action_value(root, action); });
                if (truth.lead < 0.05) continue;
                ++clear;
                for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
                    core::Settings settings = default_settings<DiceRace>();
                    settings.selection = selection;
                    ForestTree<DiceRace> tree(8001);
                    const auto decision = tree.search(root, settings, 8000);
                    EXPECT_EQ(decision.action, truth.best) << own << ":" << other << " player " << player;
                    EXPECT_NEAR(static_cast<double>(decision.value), truth.value, 0.12)
                        << own << ":" << other << " player " << player;
                }
            }
        }
    }
    EXPECT_GT(clear, 20);
}

// Expected result of uniformly random play by both, for the player to move.
double random_play_value(const DiceRace::State& state) {
    const auto after = [&state](int steps) {
        DiceRace::State next = state;
        const kit::Step<1> step = DiceRace::advance(next, steps);
        return step.reward[0] / 65536.0 - (step.terminal ? 0.0 : random_play_value(next));
    };
    return 0.5 * after(1) + 0.25 * after(3) + 0.25 * after(0);
}

TEST(Rollout, IsAnUnbiasedSampleOfRandomPlay) {
    constexpr int kSamples = 40000;
    for (const DiceRace::State& root :
         {DiceRace::State{0, 0, 0, 10}, DiceRace::State{3, 1, 1, 9}, DiceRace::State{1, 4, 0, 8}}) {
        double sum = 0.0;
        for (std::uint32_t i = 0; i < kSamples; ++i) {
            kit::Random random({5, 6}, i % 7, i / 7, kit::Purpose::rollout);
            std::uint32_t flags = 0;
            sum += core::rollout<DiceRace>(root, 100, kit::kOne, random, flags).value[0] / 65536.0;
            ASSERT_EQ(flags, 0u);
        }
        // A result is -1, 0 or 1, so its standard deviation is at most 1.
        EXPECT_NEAR(sum / kSamples, random_play_value(root), 5.0 / std::sqrt(static_cast<double>(kSamples)));
    }
}

// Simulation s of an agent draws from the stream (seed, frame, agent, s, rollout): with every action tried once, each
// edge of the root holds the return of one rollout that can be run again by hand.
TEST(Rollout, EachSimulationDrawsFromItsOwnStream) {
    using rules::ConnectFour;
    core::Settings settings = default_settings<ConnectFour>();
    settings.selection = core::Selection::uct;
    ForestTree<ConnectFour> tree(8);
    tree.search({0, 0}, settings, 7, 123, 45, 67);
    for (std::uint32_t simulation = 0; simulation < 7; ++simulation) {
        ConnectFour::State child = {0, 0};
        kit::Random unused({0, 0}, 0, 0, kit::Purpose::host);
        ConnectFour::step(child, {{static_cast<std::int32_t>(simulation)}}, unused);
        kit::Random random({123, 67}, 45, simulation, kit::Purpose::rollout);
        std::uint32_t flags = 0;
        const std::int32_t value = -core::rollout<ConnectFour>(child, 41, kit::kOne, random, flags).value[0];
        EXPECT_EQ(tree.tree().node_edges(0)[simulation], core::kOneVisit + core::edge_value(value)) << simulation;
    }
}

TEST(Rollout, LooksNoFurtherThanItsPlies) {
    kit::Random random({1, 1}, 0, 0, kit::Purpose::rollout);
    std::uint32_t flags = 0;
    EXPECT_EQ(core::rollout<Corridor>({3}, 0, kit::kOne, random, flags).value[0], 0);
    for (int trial = 0; trial < 200; ++trial) {
        // One ply from the middle reaches no exit, so nothing but the cost of standing still can come back.
        const std::int32_t value = core::rollout<Corridor>({3}, 1, kit::kOne, random, flags).value[0];
        EXPECT_LE(value, 0);
        EXPECT_GE(value, Corridor::kStayReward);
        EXPECT_EQ(value % Corridor::kStayReward, 0);
    }
}

template <class R>
double share(const ForestTree<R>& tree, int action, int decider) {
    return static_cast<double>(tree.visits(0, action, decider)) / tree.header(0).visits;
}

TEST(SimultaneousMoves, BothPrisonersDefect) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            core::Settings settings = default_settings<PrisonersDilemma>();
            settings.selection = selection;
            ForestTree<PrisonersDilemma> tree(8001);
            const auto decision = tree.search({0}, settings, 8000, seed);
            EXPECT_EQ(decision.action, 1);
            for (int decider = 0; decider < 2; ++decider) {
                EXPECT_GT(share(tree, 1, decider), 0.8);
                EXPECT_NEAR(tree.mean(0, 1, decider), -0.6, 0.35) << "most visits are mutual defection";
            }
        }
    }
}

TEST(SimultaneousMoves, MatchingPenniesMixesHalfAndHalf) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = default_settings<MatchingPennies>();
        settings.selection = selection;
        ForestTree<MatchingPennies> tree(8001);
        tree.search({0}, settings, 8000);
        for (int decider = 0; decider < 2; ++decider) {
            EXPECT_NEAR(share(tree, 0, decider), 0.5, 0.05);
            for (int action = 0; action < 2; ++action)
                EXPECT_NEAR(tree.mean(0, action, decider), 0.0, 0.1);
        }
    }
}

TEST(SimultaneousMoves, RockPaperScissorsMixesInThirds) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        core::Settings settings = default_settings<RockPaperScissors>();
        settings.selection = selection;
        ForestTree<RockPaperScissors> tree(9001);
        tree.search({0}, settings, 9000);
        for (int decider = 0; decider < 2; ++decider) {
            for (int action = 0; action < 3; ++action) {
                EXPECT_NEAR(share(tree, action, decider), 1.0 / 3, 0.05) << decider << " " << action;
                EXPECT_NEAR(tree.mean(0, action, decider), 0.0, 0.1) << decider << " " << action;
            }
        }
    }
}

// While nothing has been tried, ties do not make both players begin with their first action.
TEST(SimultaneousMoves, PlayersBeginApart) {
    for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
        std::set<int> first_joint_actions;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            core::Settings settings = default_settings<RockPaperScissors>();
            settings.selection = selection;
            ForestTree<RockPaperScissors> tree(2);
            tree.search({0}, settings, 1, seed);
            first_joint_actions.insert(tree.header(1).action[0] * 3 + tree.header(1).action[1]);
        }
        EXPECT_EQ(first_joint_actions.size(), 9u);
    }
}

TEST(SimultaneousMoves, EveryJointActionHasItsOwnNode) {
    core::Settings settings = default_settings<RockPaperScissors>();
    settings.selection = core::Selection::uct;
    settings.exploration = 20.0f;  // tries everything
    ForestTree<RockPaperScissors> tree(500);
    tree.search({0}, settings, 499);
    ASSERT_EQ(tree.work().nodes, 10u);
    bool seen[3][3] = {};
    for (std::uint32_t node = 1; node < 10; ++node) {
        const auto& header = tree.header(node);
        EXPECT_FALSE(seen[header.action[0]][header.action[1]]);
        seen[header.action[0]][header.action[1]] = true;
        EXPECT_EQ(header.reward[0], RockPaperScissorsTable::payoff(0, header.action[0], header.action[1]));
        EXPECT_EQ(header.reward[1], RockPaperScissorsTable::payoff(1, header.action[1], header.action[0]));
    }
}

}  // namespace
}  // namespace augur::test
