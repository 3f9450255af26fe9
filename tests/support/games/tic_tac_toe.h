// Tic-tac-toe: small enough for exhaustive minimax from every position, with wins, losses and draws.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_TIC_TAC_TOE_H
#define AUGUR_TESTS_SUPPORT_GAMES_TIC_TAC_TOE_H

#include "support/games/common.h"

namespace augur::test {

struct TicTacToe : TestGameBase {
    static constexpr const char* kName = "test_tic_tac_toe";
    static constexpr int kActions = 9;  // cell, row by row
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr bool kProvable = true;
    static constexpr int kMaxDepth = 9;
    static constexpr int kHorizon = 9;
    static constexpr const char* kActionNames[kActions] = {"a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 2}};

    struct State {
        std::int32_t own;    // cells of the player to move, one bit each
        std::int32_t other;  // of the player who moved last
    };

    AUGUR_HD static bool has_line(std::int32_t cells) {
        for (const std::int32_t line : {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
            if ((cells & line) == line) return true;
        }
        return false;
    }
    AUGUR_HD static bool terminal(const State& s) {
        return has_line(s.own) || has_line(s.other) || (s.own | s.other) == 0777;
    }
    AUGUR_HD static int to_act(const State& s) {
        return kit::popcount(static_cast<std::uint32_t>(s.own | s.other)) & 1;
    }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State& s, int) {
        return kit::ActionMask<kActions>::from_bits(static_cast<std::uint32_t>(0777 & ~(s.own | s.other)));
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        const std::int32_t mover = s.own | 1 << a.action[0];
        s.own = s.other;
        s.other = mover;
        const bool won = has_line(mover);
        return {{won ? kit::kOne : 0}, won || (s.own | mover) == 0777};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) {
        return kit::mix64(static_cast<std::uint64_t>(s.own * 512 + s.other));
    }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// Misère tic-tac-toe: who completes a line loses, so that rewards at the end are negative for the player who acts.
struct MisereTicTacToe : TicTacToe {
    static constexpr const char* kName = "test_misere_tic_tac_toe";
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random& random) {
        kit::Step<1> result = TicTacToe::step(s, a, random);
        result.reward[0] = -result.reward[0];
        return result;
    }
};

}  // namespace augur::test

#endif
