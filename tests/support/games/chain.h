// A game whose rewards are written down ply by ply and do not depend on what is played: the return at every depth has a
// closed form, so every edge of a search tree can be checked.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_CHAIN_H
#define AUGUR_TESTS_SUPPORT_GAMES_CHAIN_H

#include "support/games/common.h"

namespace augur::test {

// Script: kName, kTurn, kPlayers, kLength, player(ply), reward(ply) in Q16 for the player who acts.
template <class Script>
struct Chain : TestGameBase {
    static constexpr const char* kName = Script::kName;
    static constexpr int kActions = 2;  // two that do the same: a single one would be taken without a search
    static constexpr int kPlayers = Script::kPlayers;
    static constexpr kit::Turn kTurn = Script::kTurn;
    static constexpr int kMaxDepth = 64;
    static constexpr int kHorizon = 64;
    static constexpr const char* kActionNames[kActions] = {"one", "other"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t ply;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.ply >= Script::kLength; }
    AUGUR_HD static int to_act(const State& s) { return Script::player(s.ply); }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        const std::int32_t reward = Script::reward(s.ply);
        ++s.ply;
        return {{reward}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.ply)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }

    // The return from `ply` on for the player who acts there, in 1.0, looking `plies` plies ahead.
    static double closed_form(int ply, int plies, double discount) {
        double total = 0.0;
        double weight = 1.0;
        for (int i = ply; i < ply + plies && i < Script::kLength; ++i) {
            const double sign = Script::player(i) == Script::player(ply) ? 1.0 : -1.0;
            total += sign * weight * Script::reward(i) / 65536.0;
            weight *= discount;
        }
        return total;
    }
};

struct SinglePlayerScript {
    static constexpr const char* kName = "test_chain_single";
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kPlayers = 1;
    static constexpr int kLength = 12;
    AUGUR_HD static int player(int) { return 0; }
    AUGUR_HD static std::int32_t reward(int ply) {
        constexpr double kRewards[kLength] = {0.05, -0.1, 0.2, 0.0, 0.125, -0.3, 0.07, 0.11, -0.02, 0.25, 0.0, 0.3};
        return kit::q16(kRewards[ply]);
    }
};

struct AlternatingScript : SinglePlayerScript {
    static constexpr const char* kName = "test_chain_alternating";
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr int kPlayers = 2;
    AUGUR_HD static int player(int ply) { return ply % 2; }
};

// The same player may act twice or three times in a row, and the first to act is player 1.
struct UnevenTurnsScript : AlternatingScript {
    static constexpr const char* kName = "test_chain_uneven";
    AUGUR_HD static int player(int ply) {
        constexpr int kPlayer[kLength + 1] = {1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0};
        return kPlayer[ply];
    }
};

}  // namespace augur::test

#endif
