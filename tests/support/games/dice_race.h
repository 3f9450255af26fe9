// Two players race along a track: a cautious step of one, or a bold try that gains three with probability 1/2. Chance,
// two players and an end that is not sure: its exact values come from expectimax over (mine, theirs, plies left).

#ifndef AUGUR_TESTS_SUPPORT_GAMES_DICE_RACE_H
#define AUGUR_TESTS_SUPPORT_GAMES_DICE_RACE_H

#include <algorithm>

#include "support/games/common.h"

namespace augur::test {

struct DiceRace : TestGameBase {
    static constexpr const char* kName = "test_dice_race";
    static constexpr int kActions = 2;  // cautious, bold
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr bool kChance = true;
    static constexpr int kMaxDepth = 24;
    static constexpr int kHorizon = 24;
    static constexpr const char* kActionNames[kActions] = {"cautious", "bold"};

    static constexpr int kGoal = 5;

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 4}};

    struct State {
        std::int32_t own;    // steps made by the player to move
        std::int32_t other;  // by the opponent
        std::int32_t player;
        std::int32_t plies_left;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.own >= kGoal || s.other >= kGoal || s.plies_left <= 0; }
    AUGUR_HD static int to_act(const State& s) { return s.player; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> advance(State& s, int steps) {
        const std::int32_t mine = kit::minimum(s.own + steps, kGoal);
        s = {s.other, mine, 1 - s.player, s.plies_left - 1};
        return {{mine >= kGoal ? kit::kOne : 0}, terminal(s)};
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random& random) {
        expect_legal(legal(s, 0), a.action[0]);
        return advance(s, a.action[0] == 0 ? 1 : random.chance(32768) ? 3 : 0);
    }
    AUGUR_HD static std::uint64_t hash(const State& s) {
        return kit::mix64(static_cast<std::uint64_t>(((s.own * 64 + s.other) * 64 + s.plies_left) * 2 + s.player));
    }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }

    // Expected result of an action under best play of both, for the player to move.
    static double action_value(const State& s, int action) {
        const auto after = [&s](int steps) {
            State next = s;
            const kit::Step<1> step = advance(next, steps);
            return step.reward[0] / 65536.0 - (step.terminal ? 0.0 : value(next));
        };
        return action == 0 ? after(1) : 0.5 * after(3) + 0.5 * after(0);
    }
    static double value(const State& s) { return std::max(action_value(s, 0), action_value(s, 1)); }
};

}  // namespace augur::test

#endif
