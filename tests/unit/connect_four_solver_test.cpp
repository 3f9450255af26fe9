// The exact solver judges the search, so it is judged here first: by a plain minimax over an array board, by symmetry,
// by known results, and by public solved sets where they are present.

#include "support/connect_four_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/connect_four_brute_force.h"
#include "support/solved_positions.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

// Plays random legal moves on both boards until `plies` are played; false when the game ended before.
bool random_position(SplitMix64& random, int plies, SolverBoard& board, BruteForceConnectFour& oracle,
                     std::string& moves) {
    while (oracle.stones() < plies) {
        const int column = random.below(7);
        if (!oracle.legal(column)) continue;
        oracle.play(column);
        board.play(column);
        moves += static_cast<char>('1' + column);
        if (oracle.over()) return false;
    }
    return true;
}

TEST(SolverBoard, AgreesWithTheArrayBoardAlongRandomGames) {
    SplitMix64 random(1);
    for (int game = 0; game < 500; ++game) {
        BruteForceConnectFour oracle;
        SolverBoard board;
        while (!oracle.over()) {
            for (int column = 0; column < 7; ++column) {
                ASSERT_EQ(board.can_play(column), oracle.legal(column));
                if (!oracle.legal(column)) continue;
                BruteForceConnectFour next = oracle;
                next.play(column);
                ASSERT_EQ(board.is_winning_move(column), next.winner() == oracle.to_move());
            }
            const int column = random.below(7);
            if (!oracle.legal(column)) continue;
            oracle.play(column);
            board.play(column);
            ASSERT_EQ(board.has_winner(), oracle.winner() >= 0);
            ASSERT_EQ(board.is_over(), oracle.over());
            ASSERT_EQ(board.stones(), oracle.stones());
        }
    }
}

TEST(SolverBoard, WinningCellsAreTheEmptyCellsThatWouldCompleteALine) {
    SplitMix64 random(2);
    for (int trial = 0; trial < 300; ++trial) {
        BruteForceConnectFour oracle;
        SolverBoard board;
        std::string moves;
        if (!random_position(random, 6 + random.below(30), board, oracle, moves)) continue;
        std::uint64_t mine = 0;
        std::uint64_t theirs = 0;
        const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        for (int column = 0; column < 7; ++column) {
            for (int row = 0; row < 6; ++row) {
                if (oracle.stone_at(column, row) >= 0) continue;
                for (int player = 0; player < 2; ++player) {
                    bool completes = false;
                    for (const auto& step : steps) {
                        int length = 1;
                        for (const int sign : {1, -1}) {
                            for (int k = 1;
                                 oracle.stone_at(column + sign * k * step[0], row + sign * k * step[1]) == player;
                                 ++k) {
                                ++length;
                            }
                        }
                        completes = completes || length >= 4;
                    }
                    const std::uint64_t bit = std::uint64_t{1} << (7 * column + row);
                    if (completes) (player == oracle.to_move() ? mine : theirs) |= bit;
                }
            }
        }
        EXPECT_EQ(board.my_winning_cells(), mine) << moves;
        EXPECT_EQ(board.opponent_winning_cells(), theirs) << moves;
    }
}

TEST(ConnectFourSolver, AgreesWithPlainMinimaxOnLatePositions) {
    SplitMix64 random(3);
    ConnectFourSolver solver;
    int compared = 0;
    while (compared < 150) {
        BruteForceConnectFour oracle;
        SolverBoard board;
        std::string moves;
        if (!random_position(random, 33 + random.below(9), board, oracle, moves)) continue;
        ++compared;
        const int score = brute_force_score(oracle);
        EXPECT_EQ(solver.score(board), score) << moves;
        const Outcome expected = score > 0 ? Outcome::kWin : score < 0 ? Outcome::kLoss : Outcome::kDraw;
        EXPECT_EQ(solver.outcome(board), expected) << moves;
        const auto outcomes = solver.move_outcomes(board);
        for (int column = 0; column < 7; ++column) {
            Outcome outcome = Outcome::kIllegal;
            if (oracle.legal(column)) {
                BruteForceConnectFour next = oracle;
                next.play(column);
                const int value = -brute_force_score(next);
                outcome = value > 0 ? Outcome::kWin : value < 0 ? Outcome::kLoss : Outcome::kDraw;
            }
            EXPECT_EQ(outcomes[static_cast<std::size_t>(column)], outcome) << moves << " column " << column;
        }
    }
}

TEST(ConnectFourSolver, AMirroredPositionHasTheSameScore) {
    SplitMix64 random(4);
    ConnectFourSolver solver;
    for (int compared = 0; compared < 60;) {
        BruteForceConnectFour oracle;
        SolverBoard board;
        std::string moves;
        if (!random_position(random, 18 + random.below(16), board, oracle, moves)) continue;
        ++compared;
        std::string mirrored = moves;
        for (char& letter : mirrored)
            letter = static_cast<char>('1' + ('7' - letter));
        SolverBoard mirror;
        ASSERT_TRUE(mirror.play_text(mirrored));
        EXPECT_EQ(solver.score(board), solver.score(mirror)) << moves;
        auto outcomes = solver.move_outcomes(board);
        std::reverse(outcomes.begin(), outcomes.end());
        EXPECT_EQ(outcomes, solver.move_outcomes(mirror)) << moves;
    }
}

TEST(ConnectFourSolver, TheTableChangesNoAnswer) {
    SplitMix64 random(5);
    ConnectFourSolver shared(18);
    for (int compared = 0; compared < 40;) {
        BruteForceConnectFour oracle;
        SolverBoard board;
        std::string moves;
        if (!random_position(random, 24 + random.below(14), board, oracle, moves)) continue;
        ++compared;
        ConnectFourSolver fresh(8);  // 256 entries: nearly everything is overwritten
        EXPECT_EQ(shared.score(board), fresh.score(board)) << moves;
    }
}

TEST(SolvedPositions, CommittedSetIsRightWhereBruteForceCanTell) {
    std::string error;
    const auto positions = read_solved_positions(committed_solved_positions_path(), error);
    ASSERT_EQ(error, "");
    ASSERT_GE(positions.size(), 400U);
    int checked = 0;
    for (const SolvedPosition& position : positions) {
        if (position.board.stones() < 33) continue;
        BruteForceConnectFour oracle;
        ASSERT_TRUE(oracle.play_text(position.moves));
        EXPECT_EQ(position.score, brute_force_score(oracle)) << position.moves;
        ++checked;
    }
    EXPECT_GT(checked, 40);
}

TEST(SolvedPositions, CommittedSetIsWhatTheSolverSays) {
    std::string error;
    const auto positions = read_solved_positions(committed_solved_positions_path(), error);
    ASSERT_EQ(error, "");
    ConnectFourSolver solver;
    int checked = 0;
    for (const SolvedPosition& position : positions) {
        if (position.board.stones() < 18) continue;  // earlier ones take seconds each
        ++checked;
        EXPECT_EQ(position.score, solver.score(position.board)) << position.moves;
        EXPECT_EQ(position.outcomes, solver.move_outcomes(position.board)) << position.moves;
    }
    EXPECT_GT(checked, 300);
}

TEST(SolvedPositions, EveryCommittedPositionAsksForAChoice) {
    std::string error;
    for (const SolvedPosition& position : read_solved_positions(committed_solved_positions_path(), error)) {
        int mistakes = 0;
        for (int column = 0; column < 7; ++column) {
            if (position.board.can_play(column) && position.is_mistake(column)) ++mistakes;
        }
        EXPECT_GT(mistakes, 0) << position.moves;
        const int best = static_cast<int>(position.best());
        EXPECT_EQ(best, (position.score > 0) - (position.score < 0)) << position.moves;
    }
    EXPECT_EQ(error, "");
}

class PublicSolvedSet : public testing::TestWithParam<const char*> {};

TEST_P(PublicSolvedSet, SolverAgreesWithEveryScoreAndMove) {
    const auto path = public_solved_set_path(GetParam());
    if (!path) GTEST_SKIP() << "the public set " << GetParam() << " is not here (AUGUR_TEST_DATA)";
    std::string error;
    const auto positions = read_solved_positions(*path, error);
    ASSERT_EQ(error, "");
    ASSERT_EQ(positions.size(), 1000U);
    ConnectFourSolver solver;
    for (const SolvedPosition& position : positions) {
        EXPECT_EQ(position.score, solver.score(position.board)) << position.moves;
        EXPECT_EQ(position.outcomes, solver.move_outcomes(position.board)) << position.moves;
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, PublicSolvedSet, testing::Values("Test_L3_R1.moves.txt", "Test_L2_R1.moves.txt"),
                         [](const auto& set) { return std::string(set.param).substr(5, 5); });

}  // namespace
}  // namespace augur::test
