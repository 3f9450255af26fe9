// One player in a corridor that can be walked both ways: a Markov decision process with cycles, solved by value
// iteration. Leaving at the left end pays little and is near, leaving at the right end pays much and is far: which is
// better depends on the discount. Standing still in the middle costs a little each ply.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_CORRIDOR_H
#define AUGUR_TESTS_SUPPORT_GAMES_CORRIDOR_H

#include "support/games/common.h"

namespace augur::test {

struct Corridor : TestGameBase {
    static constexpr const char* kName = "test_corridor";
    static constexpr int kActions = 3;  // left, stay, right
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 256;
    static constexpr int kHorizon = 8;
    static constexpr const char* kActionNames[kActions] = {"left", "stay", "right"};

    static constexpr int kCells = 6;  // positions 0 .. 5; both ends are exits
    static constexpr std::int32_t kLeftReward = kit::q16(0.3);
    static constexpr std::int32_t kRightReward = kit::q16(0.9);
    static constexpr std::int32_t kStayReward = kit::q16(-0.05);

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t position;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.position <= 0 || s.position >= kCells - 1; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static std::int32_t reward(int position, int action) {
        if (action == 1) return kStayReward;
        const int next = position + action - 1;
        return next == 0 ? kLeftReward : next == kCells - 1 ? kRightReward : 0;
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        const std::int32_t gained = reward(s.position, a.action[0]);
        s.position += a.action[0] - 1;
        return {{gained}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.position)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

}  // namespace augur::test

#endif
