// Connect Four told as plainly as possible: the oracle that the fast boards are checked against.
//
// The board is an array of characters, a win is found by walking from every cell in four directions, and nothing is
// cached. It shares no code and no representation with the shipped rules or with the exact solver, so that a mistake in
// one of them cannot hide in another.

#ifndef AUGUR_TESTS_SUPPORT_CONNECT_FOUR_BRUTE_FORCE_H
#define AUGUR_TESTS_SUPPORT_CONNECT_FOUR_BRUTE_FORCE_H

#include <array>
#include <cstdint>
#include <string>

namespace augur::test {

// A position of Connect Four on the 7 x 6 board. Column 0 is the left one, row 0 the lowest one.
class BruteForceConnectFour {
  public:
    static constexpr int kColumns = 7;
    static constexpr int kRows = 6;

    // The empty board, the first player to move.
    BruteForceConnectFour();

    // True when a stone may be dropped into column 0..6: the column has room and the game is not over. False for any
    // other column number.
    bool legal(int column) const;

    // Drops a stone of the player to move. The move must be legal.
    void play(int column);

    // Plays a text of columns, '1' the left one. False, with the position left where the first illegal move was met.
    bool play_text(const std::string& columns);

    // 0 or 1: whose turn it is.
    int to_move() const { return stones_ % 2; }

    // Number of stones on the board, 0..42.
    int stones() const { return stones_; }

    // -1 while nobody has four in a row, else the player who has.
    int winner() const;

    // True after a win or when the board is full.
    bool over() const;

    // 0 or 1 for a stone of that player, -1 for an empty cell.
    int stone_at(int column, int row) const;

    // The board as 42 characters ('.', '0', '1'), column by column from the lowest row: the same for equal positions
    // only.
    std::string text() const;

  private:
    std::array<std::array<char, kRows>, kColumns> cells_;
    int stones_ = 0;
};

// Number of move sequences of exactly `depth` plies from `position`; a finished game has none that go on ("perft").
// Cost: exponential, about 6 M positions at depth 8 from the empty board.
std::uint64_t brute_force_perft(const BruteForceConnectFour& position, int depth);

// Exact value for the player to move by full minimax without pruning: positive wins, negative loses, 0 draws; the
// number is 1 plus the number of own stones that stay unused, so that earlier wins score higher (Pons's score). Only
// for positions with few empty cells: the cost is exponential in them.
int brute_force_score(const BruteForceConnectFour& position);

}  // namespace augur::test

#endif
