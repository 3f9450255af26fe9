// One game of Connect Four as the demo keeps it: the host's own rules, in the layout that the planner's fields ask for.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace augur::demo {

inline constexpr int kColumns = 7;
inline constexpr int kRows = 6;

/// Stones as bits 7 * column + row, row 0 at the bottom, bit 6 of each column empty.
struct ConnectFourBoard {
    std::uint64_t own = 0;    ///< of the player to move
    std::uint64_t other = 0;  ///< of the player who moved last
    int last_column = -1;
    int last_row = -1;

    int stones() const { return std::popcount(own | other); }
    /// 0 moves first.
    int player_to_move() const { return stones() & 1; }
    bool occupied(int column, int row) const { return (((own | other) >> (7 * column + row)) & 1) != 0; }
    /// Which player's stone lies there; the cell must be occupied.
    int owner(int column, int row) const {
        const bool mover = ((own >> (7 * column + row)) & 1) != 0;
        return mover ? player_to_move() : 1 - player_to_move();
    }
    bool playable(int column) const {
        return column >= 0 && column < kColumns && !occupied(column, kRows - 1) && !over();
    }

    /// The four cells of a finished line of the player who moved last, as bits; 0 when there is none.
    std::uint64_t winning_line() const {
        for (const int shift : {1, 6, 7, 8}) {
            const std::uint64_t pairs = other & (other >> shift);
            const std::uint64_t fours = pairs & (pairs >> (2 * shift));
            if (fours == 0) continue;
            const std::uint64_t first = fours & (~fours + 1);
            return first | (first << shift) | (first << (2 * shift)) | (first << (3 * shift));
        }
        return 0;
    }
    bool won() const { return winning_line() != 0; }
    bool full() const { return stones() == kColumns * kRows; }
    bool over() const { return won() || full(); }

    /// Drops a stone of the player to move. Returns false and changes nothing when the column is not playable.
    bool drop(int column) {
        if (!playable(column)) return false;
        int row = 0;
        while (occupied(column, row))
            ++row;
        const std::uint64_t mover = own | (std::uint64_t{1} << (7 * column + row));
        own = other;
        other = mover;
        last_column = column;
        last_row = row;
        return true;
    }
};

}  // namespace augur::demo
