// The demo keeps its own Connect Four board; the slow, obvious board of the tests says whether it is right.
#include <gtest/gtest.h>

#include <array>

#include "scenes/connect_four_board.h"

namespace augur::demo {
namespace {

// Cells as a table, lines counted one by one.
struct PlainBoard {
    std::array<std::array<int, kRows>, kColumns> cell{};  // 0 empty, 1 and 2 the players
    int moves = 0;

    bool drop(int column) {
        for (int row = 0; row < kRows; ++row) {
            if (cell[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] != 0) continue;
            cell[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] = 1 + moves % 2;
            ++moves;
            return true;
        }
        return false;
    }
    int at(int column, int row) const {
        const bool inside = column >= 0 && column < kColumns && row >= 0 && row < kRows;
        return inside ? cell[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] : 0;
    }
    bool won() const {
        constexpr int kDirections[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        for (int column = 0; column < kColumns; ++column) {
            for (int row = 0; row < kRows; ++row) {
                for (const auto& direction : kDirections) {
                    int length = 0;
                    while (length < 4 && at(column, row) != 0 &&
                           at(column + length * direction[0], row + length * direction[1]) == at(column, row)) {
                        ++length;
                    }
                    if (length == 4) return true;
                }
            }
        }
        return false;
    }
};

TEST(ConnectFourBoard, AgreesWithAPlainBoardInRandomGames) {
    std::uint64_t state = 2026;
    int wins = 0;
    for (int game = 0; game < 400; ++game) {
        ConnectFourBoard board;
        PlainBoard plain;
        while (!board.over()) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            const int column = static_cast<int>((state >> 33) % kColumns);
            ASSERT_EQ(board.player_to_move(), plain.moves % 2);
            ASSERT_EQ(board.drop(column), plain.drop(column));
            for (int c = 0; c < kColumns; ++c) {
                for (int r = 0; r < kRows; ++r) {
                    ASSERT_EQ(board.occupied(c, r), plain.at(c, r) != 0);
                    if (board.occupied(c, r)) {
                        ASSERT_EQ(board.owner(c, r) + 1, plain.at(c, r));
                    }
                }
            }
            ASSERT_EQ(board.won(), plain.won());
        }
        ASSERT_FALSE(board.drop(0)) << "a finished game takes no more stones";
        if (board.won()) {
            ++wins;
            const std::uint64_t line = board.winning_line();
            EXPECT_EQ(std::popcount(line), 4);
            EXPECT_EQ(line & board.other, line) << "the line belongs to who moved last";
        }
    }
    EXPECT_GT(wins, 300);
}

TEST(ConnectFourBoard, RefusesFullAndUnknownColumns) {
    ConnectFourBoard board;
    for (int i = 0; i < kRows; ++i)
        ASSERT_TRUE(board.drop(3));
    const ConnectFourBoard before = board;
    EXPECT_FALSE(board.drop(3));
    EXPECT_FALSE(board.drop(-1));
    EXPECT_FALSE(board.drop(7));
    EXPECT_EQ(board.own, before.own);
    EXPECT_EQ(board.other, before.other);
}

}  // namespace
}  // namespace augur::demo
