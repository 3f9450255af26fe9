// Games at the edge of what rules may do: states without an action, cycles, one action, thousands of actions, rewards
// far out of range, masks that change at every state.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_ODDITIES_H
#define AUGUR_TESTS_SUPPORT_GAMES_ODDITIES_H

#include "support/games/common.h"

namespace augur::test {

// A walk to the right in which cell kTrap has no legal action although the game is not over; action 1 jumps over it.
// The exit pays 0.5.
struct DeadEnd : TestGameBase {
    static constexpr const char* kName = "test_dead_end";
    static constexpr int kActions = 2;  // step, jump
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 32;
    static constexpr int kHorizon = 32;
    static constexpr const char* kActionNames[kActions] = {"step", "jump"};
    static constexpr int kTrap = 2;
    static constexpr int kExit = 5;

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t cell;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.cell >= kExit; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State& s, int) {
        return s.cell == kTrap ? kit::ActionMask<kActions>::none() : kit::ActionMask<kActions>::all();
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        s.cell = kit::minimum(s.cell + 1 + a.action[0], kExit);
        return {{terminal(s) ? kit::q16(0.5) : 0}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.cell)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// Two states that lead to each other and back for ever: nothing but the horizon ends a simulation. Flipping pays,
// staying does not.
struct Endless : TestGameBase {
    static constexpr const char* kName = "test_endless";
    static constexpr int kActions = 2;  // stay, flip
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 4096;
    static constexpr int kHorizon = 40;
    static constexpr const char* kActionNames[kActions] = {"stay", "flip"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t side;
    };

    AUGUR_HD static bool terminal(const State&) { return false; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        s.side ^= a.action[0];
        return {{a.action[0] == 1 ? kit::q16(0.02) : 0}, false};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.side)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// K actions at a single decision; one of them pays 1, the others next to nothing. Only every third action and the best
// one are legal.
template <int K>
struct ManyActions : TestGameBase {
    static constexpr const char* kName = "test_many_actions";
    static constexpr int kActions = K;
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 2;
    static constexpr int kHorizon = 2;
    static constexpr const char* kActionNames[1] = {"any"};
    static constexpr int kBest = K - 1;

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t plies;
    };

    AUGUR_HD static bool terminal(const State& s) { return s.plies >= 2; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<K> legal(const State&, int) {
        auto mask = kit::ActionMask<K>::none();
        for (int action = 0; action < K; action += 3)
            mask.set(action);
        mask.set(kBest);
        return mask;
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        const bool first = s.plies++ == 0;
        return {{first && a.action[0] == kBest ? kit::kOne : 0}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.plies)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// Every ply pays the largest or the smallest number there is: 32,768 times the range of a return.
struct HugeRewards : TestGameBase {
    static constexpr const char* kName = "test_huge_rewards";
    static constexpr int kActions = 3;  // smallest, nothing, largest
    static constexpr int kPlayers = 1;
    static constexpr kit::Turn kTurn = kit::Turn::single;
    static constexpr int kMaxDepth = 4096;
    static constexpr int kHorizon = 64;
    static constexpr const char* kActionNames[kActions] = {"smallest", "nothing", "largest"};

    static constexpr kit::FieldInfo kFields[1] = {
        {"state", "The whole state, word by word.", kit::FieldKind::integer, 1}};

    struct State {
        std::int32_t ply;
    };

    AUGUR_HD static bool terminal(const State&) { return false; }
    AUGUR_HD static int to_act(const State&) { return 0; }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        ++s.ply;
        return {{a.action[0] == 0 ? INT32_MIN : a.action[0] == 2 ? INT32_MAX : 0}, false};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return kit::mix64(static_cast<std::uint64_t>(s.ply)); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// A random graph: what is legal, who acts, what it pays and where it leads are all hashes of the state. step counts
// every action outside the mask in illegal_steps.
struct HashMaze : TestGameBase {
    static constexpr const char* kName = "test_hash_maze";
    static constexpr int kActions = 11;
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr int kMaxDepth = 64;
    static constexpr int kHorizon = 20;
    static constexpr std::int32_t kDiscount = kit::q16(0.9);
    static constexpr const char* kActionNames[kActions] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};

    static constexpr kit::FieldInfo kFields[1] = {{"state", "The whole state.", kit::FieldKind::bits64}};

    struct State {
        std::uint64_t id;
    };

    AUGUR_HD static std::uint64_t bits(const State& s, std::uint64_t what) { return kit::mix64(s.id * 8 + what); }
    AUGUR_HD static bool terminal(const State& s) { return bits(s, 1) % 16 == 0; }
    AUGUR_HD static int to_act(const State& s) { return static_cast<int>(bits(s, 2) % 2); }
    AUGUR_HD static kit::ActionMask<kActions> legal(const State& s, int) {
        // About one state in 500 has no action at all and is no end.
        return kit::ActionMask<kActions>::from_bits(static_cast<std::uint32_t>(bits(s, 3) & (bits(s, 3) >> 32)));
    }
    AUGUR_HD static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        expect_legal(legal(s, 0), a.action[0]);
        s.id = kit::combine64(s.id, static_cast<std::uint64_t>(a.action[0]));
        return {{static_cast<std::int32_t>(bits(s, 4) % 16384) - 8192}, terminal(s)};
    }
    AUGUR_HD static std::uint64_t hash(const State& s) { return bits(s, 5); }
    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        return gather_words(s, fields, agent);
    }
};

// Rollout policies that answer with whatever comes: numbers below 0, above the action count, and actions outside the
// mask.
struct LawlessPolicy : HashMaze {
    static constexpr const char* kName = "test_lawless_policy";
    AUGUR_HD static int rollout_action(const State& s, int, const kit::ActionMask<kActions>&, kit::Random& random) {
        return bits(s, 6) % 3 == 0 ? -1 - static_cast<int>(random.below(1000)) : static_cast<int>(random.below(40));
    }
};

// The same without a mask. Answers within 0 .. K-1 are trusted, so this one never gives any.
struct LawlessFreePolicy : HashMaze {
    static constexpr const char* kName = "test_lawless_free_policy";
    AUGUR_HD static int rollout_action(const State&, int, kit::Random& random) {
        return random.chance(32768) ? -1 - static_cast<int>(random.below(1000))
                                    : kActions + static_cast<int>(random.below(1000));
    }
};

}  // namespace augur::test

#endif
