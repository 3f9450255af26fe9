// Proven results against exhaustive solutions: a node that says "won" must be won, in every tree that the search grows.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rules/connect_four.h"
#include "support/connect_four_solver.h"
#include "support/exhaustive.h"
#include "support/forest_tree.h"
#include "support/games/nim.h"
#include "support/games/tic_tac_toe.h"
#include "support/large_tree.h"
#include "support/solved_positions.h"

namespace augur::test {
namespace {

int sign_of(core::Proof proof) {
    return proof == core::Proof::win ? 1 : proof == core::Proof::loss ? -1 : 0;
}

// A way to search: a forest tree, or one large tree with so many leaves a wave.
struct Form {
    std::uint32_t leaves;  // 0: forest
    bool transpositions;
};

constexpr Form kForms[] = {{0, false}, {1, false}, {1, true}, {8, true}, {64, false}, {64, true}};

std::string name_of(const Form& form) {
    if (form.leaves == 0) return "forest";
    return "tree with " + std::to_string(form.leaves) + " leaves" + (form.transpositions ? " and transpositions" : "");
}

// Searches in that form and hands the tree to `check`.
template <class R, class Check>
void search_in_form(const Form& form, const typename R::State& root, core::Settings settings, std::uint32_t simulations,
                    const Check& check) {
    settings.transpositions = form.transpositions ? 1 : 0;
    if (form.leaves == 0) {
        ForestTree<R> tree(simulations + 1);
        const core::Decision decision = tree.search(root, settings, simulations);
        check(tree, decision);
    } else {
        settings.leaves_per_wave = form.leaves;
        LargeTree<R> tree(simulations + 1);
        const core::Decision decision = tree.search(root, settings, simulations);
        check(tree, decision);
    }
}

template <class SearchTree>
bool in_use(const SearchTree& tree, std::uint32_t node) {
    return node == 0 || tree.header(node).parent != core::kNoNode;
}

// Holds every proof and every mark on an action against `value_of(state, action)`: the outcome (-1, 0, 1) of an action
// for the player to act. Returns the number of proven nodes that are not terminal.
template <class R, class SearchTree, class ActionValue>
int expect_right_proofs(const SearchTree& tree, const ActionValue& value_of) {
    int proven = 0;
    for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
        if (!in_use(tree, node)) continue;
        const auto& header = tree.header(node);
        if (header.terminal) continue;
        if (header.proof == core::Proof::open && !header.lost.any() && !header.drawn.any()) continue;
        int best = -1;
        for (int action = 0; action < R::kActions; ++action) {
            if (!header.legal[0].test(action)) continue;
            const int value = value_of(tree.state(node), action);
            best = std::max(best, value);
            if (header.drawn.test(action)) {
                EXPECT_EQ(value, 0) << "node " << node << " action " << action;
            }
            if (header.lost.test(action) && header.proof != core::Proof::win) {
                EXPECT_EQ(value, -1) << "node " << node << " action " << action;
            }
            if (header.proof == core::Proof::win && !header.lost.test(action)) {
                EXPECT_EQ(value, 1) << "node " << node << " action " << action;
            }
        }
        if (header.proof == core::Proof::open) continue;
        ++proven;
        EXPECT_EQ(sign_of(header.proof), best) << "node " << node;
    }
    return proven;
}

TEST(Proof, NimIsProvenAsTheNimSumSaysAndTheMoveKeepsIt) {
    for (const Form& form : kForms) {
        for (int a = 0; a <= 4; ++a) {
            for (int b = 0; b <= a; ++b) {
                for (int c = 0; c <= std::min(b, 3); ++c) {
                    if (a + b + c < 2) continue;
                    const Nim::State root = {{a, b, c}, (a + b) % 2};
                    if (Nim::legal(root, 0).count() < 2) continue;
                    search_in_form<Nim>(
                        form, root, default_settings<Nim>(), 20000, [&](auto& tree, const auto& decision) {
                            ASSERT_NE(tree.header(0).proof, core::Proof::open) << name_of(form) << " " << a << b << c;
                            EXPECT_EQ(sign_of(tree.header(0).proof), Nim::mover_wins(root) ? 1 : -1);
                            EXPECT_TRUE(decision.flags & core::kFlagProven);
                            EXPECT_TRUE(decision.flags & core::kFlagEarlyStop);
                            EXPECT_LT(tree.work().simulations, 20000u);
                            EXPECT_EQ(decision.value, Nim::mover_wins(root) ? 1.0f : -1.0f);
                            ASSERT_GE(decision.action, 0);
                            if (!Nim::mover_wins(root)) return;
                            Nim::State next = root;
                            kit::Random random({0, 0}, 0, 0, kit::Purpose::host);
                            Nim::step(next, {{decision.action}}, random);
                            EXPECT_TRUE(Nim::terminal(next) || !Nim::mover_wins(next)) << name_of(form) << a << b << c;
                        });
                }
            }
        }
    }
}

// Every position that is reached from `state` by up to `plies` plies and is not over.
template <class R>
void positions_below(const typename R::State& state, int plies, std::vector<typename R::State>& positions) {
    positions.push_back(state);
    if (plies == 0) return;
    for (int action = 0; action < R::kActions; ++action) {
        if (!R::legal(state, R::to_act(state)).test(action)) continue;
        typename R::State next = state;
        kit::Random random({0, 0}, 0, 0, kit::Purpose::host);
        if (!R::step(next, {{action}}, random).terminal) positions_below<R>(next, plies - 1, positions);
    }
}

template <class R>
class ProofOfSmallGames : public testing::Test {};
using SmallGames = testing::Types<TicTacToe, MisereTicTacToe>;
TYPED_TEST_SUITE(ProofOfSmallGames, SmallGames);

TYPED_TEST(ProofOfSmallGames, EveryProofInTheTreeIsRight) {
    using R = TypeParam;
    Exhaustive<R> exact;
    const auto outcome = [&exact](const typename R::State& state, int action) {
        return static_cast<int>(exact.action_value(state, action, 9));
    };
    std::vector<typename R::State> positions;
    positions_below<R>({0, 0}, 4, positions);
    ASSERT_GT(positions.size(), 3000u);
    for (const Form& form : kForms) {
        int proven = 0;
        for (std::size_t i = 0; i < positions.size(); i += 61) {
            search_in_form<R>(form, positions[i], default_settings<R>(), 200,
                              [&](auto& tree, const auto&) { proven += expect_right_proofs<R>(tree, outcome); });
        }
        EXPECT_GT(proven, 400) << name_of(form);
    }
}

// A large exploration constant makes the search try everything. With shared positions it starts from the empty board,
// else from the board after two plies: without transpositions the whole tree has half a million nodes.
TYPED_TEST(ProofOfSmallGames, ADrawnGameIsProvenADrawAndTheMoveKeepsIt) {
    using R = TypeParam;
    Exhaustive<R> exact;
    for (const Form& form : kForms) {
        typename R::State root = {0, 0};
        if (!form.transpositions) root = {1 << 4, 1 << 8};
        ASSERT_EQ(exact.value(root, 9), 0.0);
        for (const core::Selection selection : {core::Selection::puct, core::Selection::uct}) {
            core::Settings settings = default_settings<R>();
            settings.selection = selection;
            settings.exploration = 50.0f;
            search_in_form<R>(form, root, settings, 100000, [&](auto& tree, const auto& decision) {
                EXPECT_EQ(tree.header(0).proof, core::Proof::draw) << name_of(form);
                EXPECT_EQ(exact.action_value(root, decision.action, 9), 0.0) << name_of(form);
                EXPECT_EQ(decision.value, 0.0f);
            });
        }
    }
}

TEST(Proof, IsRightWhereAPlayerMayActTwiceInARow) {
    Exhaustive<ExtraTurnNim> exact;
    const auto outcome = [&exact](const Nim::State& state, int action) {
        return static_cast<int>(exact.action_value(state, action, 30));
    };
    for (const Form& form : kForms) {
        int proven = 0;
        for (int a = 1; a <= 6; ++a) {
            for (int b = 0; b <= 4; ++b) {
                const Nim::State root = {{a, b, 2}, b % 2};
                search_in_form<ExtraTurnNim>(
                    form, root, default_settings<ExtraTurnNim>(), 300,
                    [&](auto& tree, const auto&) { proven += expect_right_proofs<ExtraTurnNim>(tree, outcome); });
            }
        }
        EXPECT_GT(proven, 500) << name_of(form);
    }
}

// Two moves, one draws and one loses: when the loss is seen last, the simulation that saw it counts as the draw that
// the position is worth, not as the loss it ran into.
TEST(Proof, TheSimulationThatDecidesANodeCountsWhatTheNodeIsWorth) {
    Exhaustive<TicTacToe> exact;
    std::vector<TicTacToe::State> positions;
    positions_below<TicTacToe>({0, 0}, 7, positions);
    int decided_by_the_loss = 0;
    for (std::size_t i = 0; i < positions.size() && decided_by_the_loss < 20; ++i) {
        const auto legal = TicTacToe::legal(positions[i], 0);
        if (legal.count() != 2) continue;
        const int first = legal.first();
        const int second = legal.nth(1);
        const double values[2] = {exact.action_value(positions[i], first, 9),
                                  exact.action_value(positions[i], second, 9)};
        if (values[0] + values[1] != -1.0) continue;
        const int loser = values[0] < 0 ? first : second;
        ForestTree<TicTacToe> tree(65);
        tree.search(positions[i], default_settings<TicTacToe>(), 64);
        ASSERT_EQ(tree.header(0).proof, core::Proof::draw);
        const double visits = tree.visits(0, loser);
        ASSERT_GT(visits, 0);
        if (tree.mean(0, loser) == -1.0) continue;  // decided by the draw
        ++decided_by_the_loss;
        EXPECT_NEAR(tree.mean(0, loser), -(visits - 1) / visits, 1e-6);
    }
    EXPECT_EQ(decided_by_the_loss, 20);
}

TEST(Proof, ConnectFourProofsAgreeWithTheExactSolver) {
    std::string error;
    const auto positions = read_solved_positions(committed_solved_positions_path(), error);
    ASSERT_EQ(error, "");
    ConnectFourSolver solver;
    const auto outcome = [&solver](const rules::ConnectFour::State& state, int column) {
        SolverBoard board = SolverBoard::from_stones(state.own, state.other);
        board.play(column);
        if (board.has_winner()) return 1;
        if (board.is_over()) return 0;
        return -static_cast<int>(solver.outcome(board));
    };
    for (const Form& form : {Form{0, false}, Form{16, true}}) {
        int proven = 0;
        for (std::size_t i = 0; i < positions.size(); i += 4) {
            if (positions[i].board.stones() < 22) continue;
            const std::uint64_t own = positions[i].board.mine();
            const rules::ConnectFour::State root = {own, own ^ positions[i].board.all()};
            search_in_form<rules::ConnectFour>(
                form, root, default_settings<rules::ConnectFour>(), 400,
                [&](auto& tree, const auto&) { proven += expect_right_proofs<rules::ConnectFour>(tree, outcome); });
        }
        EXPECT_GT(proven, 400) << name_of(form);
    }
}

TEST(Proof, AProvenLossStillPlaysALegalAction) {
    // Nim with heaps 2, 2: every move loses.
    ForestTree<Nim> tree(2001);
    const core::Decision decision = tree.search({{2, 2, 0}, 0}, default_settings<Nim>(), 2000);
    EXPECT_EQ(tree.header(0).proof, core::Proof::loss);
    EXPECT_TRUE(Nim::legal({{2, 2, 0}, 0}, 0).test(decision.action));
    EXPECT_EQ(decision.value, -1.0f);
}

}  // namespace
}  // namespace augur::test
