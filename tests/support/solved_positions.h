// Sets of Connect Four positions whose every move has been solved, and where the tests find them.
//
// A line of a set is: the columns played from the empty board ('1' the left one), the exact score for the player to
// move, and one letter for each column: '+' the move wins, '0' draws, '-' loses, 'x' is not legal. Lines that start
// with '#' are comments.

#ifndef AUGUR_TESTS_SUPPORT_SOLVED_POSITIONS_H
#define AUGUR_TESTS_SUPPORT_SOLVED_POSITIONS_H

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "support/connect_four_solver.h"

namespace augur::test {

struct SolvedPosition {
    std::string moves;                                      // columns played, '1'..'7'
    int score = 0;                                          // see ConnectFourSolver::score
    std::array<Outcome, SolverBoard::kColumns> outcomes{};  // of each move, for the player to move
    SolverBoard board;                                      // the position itself
    Outcome best() const;                                   // the best outcome that a move keeps
    bool is_mistake(int column) const;  // true for a worse move than the best, and for an illegal one
};

// Reads a set. On any malformed line the result is empty and `error` tells the line and what is wrong with it.
std::vector<SolvedPosition> read_solved_positions(const std::string& path, std::string& error);

// The set that is committed beside the tests.
std::string committed_solved_positions_path();

// The public solved set of that name (such as "Test_L3_R1.moves.txt"), looked for in the folder
// $AUGUR_TEST_DATA/connect_four, else in a `shared/data/connect_four` beside the source tree; nothing where it is
// absent.
std::optional<std::string> public_solved_set_path(const std::string& name);

}  // namespace augur::test

#endif
