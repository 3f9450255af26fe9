// One-shot games of simultaneous moves, told by their payoff tables.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_MATRIX_GAMES_H
#define AUGUR_TESTS_SUPPORT_GAMES_MATRIX_GAMES_H

#include "support/games/common.h"

namespace augur::test {

// Table: kSize, and payoff(mine, theirs) in Q16, the same for both players from their own side.
template <class Table>
struct MatrixGame : TestGameBase {
    static constexpr const char* kName = Table::kName;
    static constexpr int kActions = Table::kSize;
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::simultaneous;
    static constexpr int kMaxDepth = 4;
    static constexpr int kHorizon = 1;
    static constexpr const char* kActionNames[4] = {"0", "1", "2", "3"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t over;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.over != 0; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<2> step(State& s, const kit::JointAction<2>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        expect_legal(legal(s, 1), a.action[1]);
        s.over = 1;
        return {{Table::payoff(0, a.action[0], a.action[1]), Table::payoff(1, a.action[1], a.action[0])}, true};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.over)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// Player 0 wants equal coins, player 1 different ones. Nash equilibrium: one half each.
struct MatchingPenniesTable {
    static constexpr const char* kName = "test_matching_pennies";
    static constexpr int kSize = 2;
    AUGUR_HD static std::int32_t payoff(int player, int mine, int theirs) {
        return (mine == theirs) == (player == 0) ? kit::kOne : -kit::kOne;
    }
};

// Nash equilibrium: one third each.
struct RockPaperScissorsTable {
    static constexpr const char* kName = "test_rock_paper_scissors";
    static constexpr int kSize = 3;
    AUGUR_HD static std::int32_t payoff(int, int mine, int theirs) {
        const int difference = (mine - theirs + 3) % 3;
        return difference == 0 ? 0 : difference == 1 ? kit::kOne : -kit::kOne;
    }
};

// 0 cooperates, 1 defects: defecting is better whatever the other does.
struct PrisonersDilemmaTable {
    static constexpr const char* kName = "test_prisoners_dilemma";
    static constexpr int kSize = 2;
    AUGUR_HD static std::int32_t payoff(int, int mine, int theirs) {
        constexpr std::int32_t kTable[2][2] = {{kit::q16(0.6), kit::q16(-1.0)}, {kit::q16(1.0), kit::q16(-0.6)}};
        return kTable[mine][theirs];
    }
};

using MatchingPennies = MatrixGame<MatchingPenniesTable>;
using RockPaperScissors = MatrixGame<RockPaperScissorsTable>;
using PrisonersDilemma = MatrixGame<PrisonersDilemmaTable>;

}  // namespace augur::test

#endif
