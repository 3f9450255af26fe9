// An exact Connect Four solver, written for the tests: it says what every move is worth, so that the search under test
// can be judged without asking the search itself.
//
// Alpha-beta (negamax form) over bitboards with null windows, moves ordered by the winning cells they create, and a
// transposition table of upper and lower bounds. The ideas are textbook ones (Knuth and Moore 1975 for alpha-beta;
// Allis 1988 for Connect Four); the board representation (position + mask as a unique key) is described by Tromp and by
// Pons. Validated in tests/unit against a plain minimax over an array board and, where present, against public solved
// sets.

#ifndef AUGUR_TESTS_SUPPORT_CONNECT_FOUR_SOLVER_H
#define AUGUR_TESTS_SUPPORT_CONNECT_FOUR_SOLVER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace augur::test {

// A position as two bit sets. Bit 7 * column + row; row 6 of every column stays empty and stops lines from wrapping.
class SolverBoard {
  public:
    static constexpr int kColumns = 7;
    static constexpr int kRows = 6;
    static constexpr int kCells = kColumns * kRows;

    // Plays a text of columns, '1' the left one. False where a move is not legal or follows the end of the game; the
    // board is then left before that move.
    bool play_text(const std::string& columns);

    // The board on which the player to move has the stones `mine` and his opponent `theirs`.
    static SolverBoard from_stones(std::uint64_t mine, std::uint64_t theirs);

    bool can_play(int column) const;
    void play(int column);                        // must be playable
    void play_cell(std::uint64_t cell);           // one bit, must be the lowest empty cell of a column
    bool is_winning_move(int column) const;       // for the player to move; must be playable
    bool is_over() const;                         // somebody has four in a row, or the board is full
    bool has_winner() const;                      // the player who moved last has four in a row
    int stones() const { return stones_; }        // 0..42
    std::uint64_t mine() const { return mine_; }  // stones of the player to move
    std::uint64_t all() const { return all_; }

    // Different for different positions; below 2^49.
    std::uint64_t key() const { return mine_ + all_; }

    // One bit for each column that has room: the cell where a stone would land.
    std::uint64_t playable_cells() const;

    // Empty cells that would complete four in a row for the player to move / for the opponent, reachable now or not.
    std::uint64_t my_winning_cells() const;
    std::uint64_t opponent_winning_cells() const;

  private:
    std::uint64_t mine_ = 0;
    std::uint64_t all_ = 0;
    int stones_ = 0;
};

// What a move leads to for the player who makes it.
enum class Outcome : signed char { kIllegal = -2, kLoss = -1, kDraw = 0, kWin = 1 };

// '+', '0', '-' and 'x' for win, draw, loss and illegal.
char outcome_letter(Outcome outcome);

class ConnectFourSolver {
  public:
    // The table has 2^table_bits entries of 8 bytes (22 bits: 32 MiB). Larger tables only make hard positions faster.
    explicit ConnectFourSolver(int table_bits = 20);

    // Exact score for the player to move: positive wins, negative loses, 0 draws. A win counts 1 plus the stones its
    // winner has left (of 21), as in Pons's sets. The game must not be over.
    int score(const SolverBoard& board);

    // Exact outcome only; faster, as it needs one or two null windows.
    Outcome outcome(const SolverBoard& board);

    // Outcome of each of the seven moves. The game must not be over.
    std::array<Outcome, SolverBoard::kColumns> move_outcomes(const SolverBoard& board);

    // Number of positions visited since construction.
    std::uint64_t visited() const { return visited_; }

  private:
    int bounded(const SolverBoard& board, int alpha, int beta);
    int negamax(const SolverBoard& board, int alpha, int beta);

    struct Bounds {
        int lower;
        int upper;
    };
    Bounds load(std::uint64_t key) const;
    void store(std::uint64_t key, Bounds bounds);

    std::vector<std::uint64_t> table_;
    std::uint64_t table_mask_;
    std::uint64_t visited_ = 0;
};

}  // namespace augur::test

#endif
