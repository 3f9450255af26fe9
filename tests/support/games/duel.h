// Two players who act at once, ply after ply, with rewards on the way and no end: one action leads to several nodes.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_DUEL_H
#define AUGUR_TESTS_SUPPORT_GAMES_DUEL_H

#include "support/games/common.h"

namespace augur::test {

struct Duel : TestGameBase {
    static constexpr const char* kName = "test_duel";
    static constexpr int kActions = 3;
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::simultaneous;
    static constexpr int kMaxDepth = 64;
    static constexpr int kHorizon = 8;
    static constexpr const char* kActionNames[3] = {"high", "middle", "low"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 2}};

    struct State {
        std::int32_t distance;
        std::int32_t ply;
    };

    AUGUR_HD static bool terminal(const State&) { return false; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<2> step(State& s, const kit::JointAction<2>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        expect_legal(legal(s, 1), a.action[1]);
        const std::int32_t lead = (a.action[0] - a.action[1] + 4) % 3 - 1;
        // Trees that are carried over go on for long: it may wrap.
        s.distance = static_cast<std::int32_t>(static_cast<std::uint32_t>(s.distance) * 3u +
                                               static_cast<std::uint32_t>(a.action[0] - a.action[1]));
        ++s.ply;
        return {{lead * (kit::kOne / 16), -lead * (kit::kOne / 16)}, false};
    }
    // Says little: many states share it.
    AUGUR_HD static std::uint64_t hash(const State& s) { return static_cast<std::uint64_t>(s.ply & 1); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

}  // namespace augur::test

#endif
