// Nim with three heaps, taking one to three stones from one heap; whoever takes the last stone wins. Its value is a
// closed form: the mover loses exactly when the heaps modulo 4 have a nim-sum of 0 (Sprague 1935, Grundy 1939).

#ifndef AUGUR_TESTS_SUPPORT_GAMES_NIM_H
#define AUGUR_TESTS_SUPPORT_GAMES_NIM_H

#include "support/games/common.h"

namespace augur::test {

struct Nim : TestGameBase {
    static constexpr const char* kName = "test_nim";
    static constexpr int kActions = 9;  // heap * 3 + stones - 1
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr bool kProvable = true;
    static constexpr int kMaxDepth = 64;
    static constexpr int kHorizon = 64;
    static constexpr const char* kActionNames[kActions] = {"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 4}};

    struct State {
        std::int32_t heap[3];
        std::int32_t player;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.heap[0] + s.heap[1] + s.heap[2] == 0; }
    AUGUR_HD static int to_act(const State& s) { return s.player; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State& s, int) {
        auto mask = kit::ActionMask<kActions>::none();
        for (int action = 0; action < kActions; ++action) {
            if (s.heap[action / 3] > action % 3) mask.set(action);
        }
        return mask;
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, s.player), a.action[0]);
        s.heap[a.action[0] / 3] -= a.action[0] % 3 + 1;
        s.player = 1 - s.player;
        return {{terminal(s) ? kit::kOne : 0}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) {
        return kit::mix64(static_cast<std::uint64_t>(((s.heap[0] * 64 + s.heap[1]) * 64 + s.heap[2]) * 2 + s.player));
    }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }

    // The closed form: true when the player to move wins.
    static bool mover_wins(const State& s) { return ((s.heap[0] % 4) ^ (s.heap[1] % 4) ^ (s.heap[2] % 4)) != 0; }
};

// Whoever takes three stones at once plays again: the players do not alternate strictly.
struct ExtraTurnNim : Nim {
    static constexpr const char* kName = "test_extra_turn_nim";
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random& random) {
        const std::int32_t mover = s.player;
        const kit::Step<1> result = Nim::step(s, a, random);
        if (!result.terminal && a.action[0] % 3 == 2) s.player = mover;
        return result;
    }
};

}  // namespace augur::test

#endif
