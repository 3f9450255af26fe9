#include "support/connect_four_brute_force.h"

#include <algorithm>

namespace augur::test {

BruteForceConnectFour::BruteForceConnectFour() {
    for (auto& column : cells_)
        column.fill('.');
}

bool BruteForceConnectFour::legal(int column) const {
    if (column < 0 || column >= kColumns || over()) return false;
    return cells_[static_cast<std::size_t>(column)][kRows - 1] == '.';
}

void BruteForceConnectFour::play(int column) {
    auto& cells = cells_[static_cast<std::size_t>(column)];
    const auto lowest_empty = std::find(cells.begin(), cells.end(), '.');
    *lowest_empty = to_move() == 0 ? '0' : '1';
    ++stones_;
}

bool BruteForceConnectFour::play_text(const std::string& columns) {
    for (const char letter : columns) {
        const int column = letter - '1';
        if (!legal(column)) return false;
        play(column);
    }
    return true;
}

int BruteForceConnectFour::stone_at(int column, int row) const {
    if (column < 0 || column >= kColumns || row < 0 || row >= kRows) return -1;
    const char cell = cells_[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
    return cell == '.' ? -1 : cell - '0';
}

int BruteForceConnectFour::winner() const {
    constexpr int kDirections[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int column = 0; column < kColumns; ++column) {
        for (int row = 0; row < kRows; ++row) {
            const int player = stone_at(column, row);
            if (player < 0) continue;
            for (const auto& direction : kDirections) {
                int length = 1;
                while (length < 4 && stone_at(column + length * direction[0], row + length * direction[1]) == player) {
                    ++length;
                }
                if (length == 4) return player;
            }
        }
    }
    return -1;
}

bool BruteForceConnectFour::over() const {
    return stones_ == kColumns * kRows || winner() >= 0;
}

std::string BruteForceConnectFour::text() const {
    std::string result;
    for (const auto& column : cells_)
        result.append(column.begin(), column.end());
    return result;
}

std::uint64_t brute_force_perft(const BruteForceConnectFour& position, int depth) {
    if (depth == 0) return 1;
    std::uint64_t count = 0;
    for (int column = 0; column < BruteForceConnectFour::kColumns; ++column) {
        if (!position.legal(column)) continue;
        BruteForceConnectFour next = position;
        next.play(column);
        count += brute_force_perft(next, depth - 1);
    }
    return count;
}

int brute_force_score(const BruteForceConnectFour& position) {
    constexpr int kCells = BruteForceConnectFour::kColumns * BruteForceConnectFour::kRows;
    if (position.winner() >= 0) {
        // The player who just moved has won with his (stones + 1) / 2-th stone of 21.
        return -(kCells / 2 + 1 - (position.stones() + 1) / 2);
    }
    if (position.over()) return 0;
    int best = -kCells;
    for (int column = 0; column < BruteForceConnectFour::kColumns; ++column) {
        if (!position.legal(column)) continue;
        BruteForceConnectFour next = position;
        next.play(column);
        best = std::max(best, -brute_force_score(next));
    }
    return best;
}

}  // namespace augur::test
