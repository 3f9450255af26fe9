// Games whose states and ends are at the edge of what rules may have: the smallest and the largest state, and an end
// that only step speaks of.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_EXTREMES_H
#define AUGUR_TESTS_SUPPORT_GAMES_EXTREMES_H

#include "support/games/common.h"

namespace augur::test {

// A count-down from kLength in a state of so many bytes, every one of which changes at each ply. Action 1 pays at each
// ply.
template <int Bytes>
struct CountDown : TestGameBase {
    static constexpr const char* kName = "test_count_down";
    static constexpr int kActions = 2;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 8;
    static constexpr int kHorizon = 8;
    static constexpr kit::FieldInfo kFields[1] = {{"unused", "Not read: every root is the start."}};
    static constexpr const char* kActionNames[kActions] = {"nothing", "pay"};
    static constexpr int kLength = 6;

    struct State {
        std::uint8_t plies[Bytes];
    };
    static_assert(sizeof(State) == Bytes && alignof(State) == 1);

    AUGUR_HD static bool terminal(const State& s) { return s.plies[0] >= kLength; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        for (std::uint8_t& byte : s.plies)
            ++byte;
        return {{a.action[0] == 1 ? kit::q16(0.1) : 0}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) {
        std::uint64_t h = 0;
        for (const std::uint8_t byte : s.plies)
            h = kit::combine64(h, byte);
        return h;
    }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields&, std::uint32_t, const std::uint32_t*, int) {
        s = {};
        return kit::Gathered::ready;
    }
};

// A state that holds nothing: one decision, made again and again. Action 1 pays.
struct EmptyState : TestGameBase {
    static constexpr const char* kName = "test_empty_state";
    static constexpr int kActions = 2;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 4;
    static constexpr int kHorizon = 1;
    static constexpr kit::FieldInfo kFields[1] = {{"unused", "Not read: there is nothing to know."}};
    static constexpr const char* kActionNames[kActions] = {"nothing", "pay"};

    struct State {};

    AUGUR_HD static bool terminal(const State&) { return false; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> step(State&, const kit::JointAction<1>& a, kit::Random&) {
        return {{a.action[0] == 1 ? kit::q16(0.25) : 0}, false};
    }
    AUGUR_HD static std::uint64_t hash(const State&) { return 1; }
    AUGUR_HD static kit::Gathered gather(State&, const kit::Fields&, std::uint32_t, const std::uint32_t*, int) {
        return kit::Gathered::ready;
    }
};

// step says that the game is over after three plies; terminal() denies it for every state, legal() goes on offering
// actions, and a step after the end would pay a fortune. The end that step reported must hold.
struct DeniedEnd : TestGameBase {
    static constexpr const char* kName = "test_denied_end";
    static constexpr int kActions = 2;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 32;
    static constexpr int kHorizon = 32;
    static constexpr kit::FieldInfo kFields[1] = {{"state", "The whole state.", kit::FieldKind::integer, 1}};
    static constexpr const char* kActionNames[kActions] = {"a", "b"};
    static constexpr int kEnd = 3;
    inline static std::atomic<int> steps_after_the_end{0};

    struct State {
        std::int32_t ply;
    };

    static bool terminal(const State&) { return false; }
    static int to_act(const State&) { return 0; }
    static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    static kit::Step<1> step(State& s, const kit::JointAction<1>&, kit::Random&) {
        if (s.ply >= kEnd) ++steps_after_the_end;
        ++s.ply;
        return {{s.ply > kEnd ? kit::kOne : kit::q16(0.125)}, s.ply == kEnd};
    }
    static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.ply)); }
    static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*, int) {
        return gather_words(s, fields, agent);
    }
};

}  // namespace augur::test

#endif
