// The array board is an oracle for other boards, so it is itself held against published counts.

#include "support/connect_four_brute_force.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/split_mix.h"

namespace augur::test {
namespace {

// Move sequences of exactly that many plies, games that ended before not going on. Published with the Connect Four
// example of the kudchuet crate (its perft test); the first six are 7^n and the seventh is 7^7 - 7, as no win is
// possible before the seventh stone and a column holds six.
TEST(ConnectFourBruteForce, PerftMatchesPublishedCounts) {
    const std::uint64_t published[] = {1, 7, 49, 343, 2401, 16807, 117649, 823536};
    for (int depth = 0; depth < 8; ++depth) {
        EXPECT_EQ(brute_force_perft(BruteForceConnectFour(), depth), published[depth]) << "depth " << depth;
    }
}

void collect(const BruteForceConnectFour& position, int plies, std::set<std::string>& texts) {
    if (plies == 0) {
        texts.insert(position.text());
        return;
    }
    for (int column = 0; column < BruteForceConnectFour::kColumns; ++column) {
        if (!position.legal(column)) continue;
        BruteForceConnectFour next = position;
        next.play(column);
        collect(next, plies - 1, texts);
    }
}

// OEIS A212693: number of legal 7 x 6 positions after n plies (J. Tromp).
TEST(ConnectFourBruteForce, DistinctPositionsMatchOeisA212693) {
    const std::size_t published[] = {1, 7, 49, 238, 1120, 4263, 16422};
    for (int plies = 0; plies < 7; ++plies) {
        std::set<std::string> texts;
        collect(BruteForceConnectFour(), plies, texts);
        EXPECT_EQ(texts.size(), published[plies]) << plies << " plies";
    }
}

struct Line {
    int column[4];
    int row[4];
};

// The 69 lines of four, from their closed form: 24 rows, 21 columns, 12 and 12 diagonals.
std::vector<Line> all_lines() {
    std::vector<Line> lines;
    const auto add = [&lines](int column, int row, int column_step, int row_step) {
        Line line{};
        for (int i = 0; i < 4; ++i) {
            line.column[i] = column + i * column_step;
            line.row[i] = row + i * row_step;
        }
        lines.push_back(line);
    };
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 4; ++column)
            add(column, row, 1, 0);
    }
    for (int column = 0; column < 7; ++column) {
        for (int row = 0; row < 3; ++row)
            add(column, row, 0, 1);
    }
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 3; ++row)
            add(column, row, 1, 1);
        for (int row = 3; row < 6; ++row)
            add(column, row, 1, -1);
    }
    return lines;
}

TEST(ConnectFourBruteForce, RandomGamesEndExactlyWhenALineIsFullAndEveryLineWinsSomeGame) {
    const std::vector<Line> lines = all_lines();
    ASSERT_EQ(lines.size(), 69U);
    std::vector<int> games_won_by(lines.size(), 0);
    SplitMix64 random(7);
    for (int game = 0; game < 8000; ++game) {
        BruteForceConnectFour board;
        while (!board.over()) {
            const int column = random.below(7);
            if (board.legal(column)) board.play(column);
            int winner = -1;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                const int first = board.stone_at(lines[i].column[0], lines[i].row[0]);
                bool full = first >= 0;
                for (int k = 1; k < 4; ++k)
                    full = full && board.stone_at(lines[i].column[k], lines[i].row[k]) == first;
                if (!full) continue;
                winner = first;
                ++games_won_by[i];
            }
            ASSERT_EQ(board.winner(), winner);
        }
        for (int column = -1; column <= 7; ++column)
            ASSERT_FALSE(board.legal(column));
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
        EXPECT_GT(games_won_by[i], 0) << "line " << i;
}

TEST(ConnectFourBruteForce, RefusesAFullColumnAndColumnsOutsideTheBoard) {
    BruteForceConnectFour board;
    EXPECT_FALSE(board.legal(-1));
    EXPECT_FALSE(board.legal(7));
    ASSERT_TRUE(board.play_text("111111"));
    EXPECT_FALSE(board.legal(0));
    EXPECT_FALSE(board.play_text("1"));
    EXPECT_FALSE(board.play_text("8"));
    EXPECT_EQ(board.stones(), 6);
}

}  // namespace
}  // namespace augur::test
