// Makes tests/support/data/connect_four_solved.txt: positions from seeded random play, solved move by move.
//
// Usage: augur_generate_connect_four > tests/support/data/connect_four_solved.txt
//
// The output depends on nothing but this file and the solver: run it again and it is the same, byte for byte. Random
// play is drawn from SplitMix64 (Steele, Lea, Flood 2014), not from the random numbers of the plugin under test. A
// position is kept when the game is not over and its legal moves do not all have the same outcome, so that every one
// asks for a choice.

#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "support/connect_four_solver.h"
#include "support/split_mix.h"

namespace {

using augur::test::ConnectFourSolver;
using augur::test::Outcome;
using augur::test::SolverBoard;
using augur::test::SplitMix64;

constexpr std::uint64_t kSeed = 20;

// Plays `plies` random moves from the empty board; false when the game ended before.
bool random_play(SplitMix64& random, int plies, SolverBoard& board, std::string& moves) {
    for (int ply = 0; ply < plies; ++ply) {
        const int column = random.below(SolverBoard::kColumns);
        if (!board.can_play(column)) {
            --ply;
            continue;
        }
        board.play(column);
        moves += static_cast<char>('1' + column);
        if (board.is_over()) return false;
    }
    return true;
}

bool asks_for_a_choice(const std::array<Outcome, SolverBoard::kColumns>& outcomes) {
    std::set<Outcome> different;
    for (const Outcome outcome : outcomes) {
        if (outcome != Outcome::kIllegal) different.insert(outcome);
    }
    return different.size() > 1;
}

struct Stage {
    const char* name;
    int first_ply;
    int last_ply;
    int count;
};

constexpr Stage kStages[] = {
    {"late opening", 10, 13, 40},
    {"middle game", 14, 27, 200},
    {"end game", 28, 38, 200},
};

}  // namespace

int main() {
    SplitMix64 random(kSeed);
    ConnectFourSolver solver(22);
    std::set<std::uint64_t> seen;
    std::printf(
        "# Connect Four positions from random play, solved exactly. Made by tests/tools/generate_connect_four.cpp\n");
    std::printf(
        "# (seed %llu); do not edit. Columns: moves from the empty board, score for the player to move, outcome\n",
        static_cast<unsigned long long>(kSeed));
    std::printf("# of each column: + wins, 0 draws, - loses, x is not legal.\n");
    for (const Stage& stage : kStages) {
        std::printf("# %s: plies %d to %d\n", stage.name, stage.first_ply, stage.last_ply);
        for (int kept = 0; kept < stage.count;) {
            SolverBoard board;
            std::string moves;
            const int plies = stage.first_ply + random.below(stage.last_ply - stage.first_ply + 1);
            if (!random_play(random, plies, board, moves) || seen.count(board.key()) != 0) continue;
            const auto outcomes = solver.move_outcomes(board);
            if (!asks_for_a_choice(outcomes)) continue;
            seen.insert(board.key());
            ++kept;
            std::printf("%s %d ", moves.c_str(), solver.score(board));
            for (const Outcome outcome : outcomes)
                std::putchar(augur::test::outcome_letter(outcome));
            std::putchar('\n');
        }
    }
    std::fprintf(stderr, "visited %llu positions\n", static_cast<unsigned long long>(solver.visited()));
    return 0;
}
