// A made-up game and network, the same as in tests/tools/make_mctx_cases.py.
#ifndef AUGUR_TESTS_SUPPORT_HASH_GAME_H
#define AUGUR_TESTS_SUPPORT_HASH_GAME_H

#include <augur/kit/rules.h>

#include <cmath>

namespace augur::test {

inline std::uint32_t hash_mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    return x ^ (x >> 16);
}

// The game of tests/tools/make_mctx_cases.py: five actions, no end, everything hashes of the state.
template <kit::Turn Order>
struct HashGame {
    static constexpr const char* kName = "hash_game";
    static constexpr int kActions = 5;
    static constexpr int kPlayers = Order == kit::Turn::single ? 1 : 2;
    static constexpr kit::Turn kTurn = Order;
    static constexpr bool kChance = false;
    static constexpr bool kProvable = false;
    static constexpr int kMaxDepth = 256;
    static constexpr int kHorizon = 256;
    static constexpr std::int32_t kDiscount = kit::kOne;
    static constexpr float kPuct = 1.25f;
    static constexpr float kUct = 1.0f;
    static constexpr int kNeighbours = 0;
    static constexpr kit::FieldInfo kFields[] = {{"state", "The state.", kit::FieldKind::integer}};
    static constexpr const char* kActionNames[kActions] = {"0", "1", "2", "3", "4"};
    struct State {
        std::uint32_t hash, ply;
    };
    static kit::ActionMask<kActions> legal(const State&, int) { return kit::ActionMask<kActions>::all(); }
    static int to_act(const State& s) { return static_cast<int>(s.ply) % kPlayers; }
    static bool terminal(const State&) { return false; }
    static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        s.hash = hash_mix(s.hash * kActions + static_cast<std::uint32_t>(a.action[0]) + 1);
        ++s.ply;
        const auto points = static_cast<std::int32_t>(hash_mix(s.hash ^ 0x01234567u) % 9) - 4;
        return {{points * (kit::kOne / 64)}, false};
    }
    static std::uint64_t hash(const State& s) { return s.hash; }
    static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*, int) {
        s = {static_cast<std::uint32_t>(fields.get(0, agent)), 0};
        return kit::Gathered::ready;
    }
    static constexpr int kFeatures = 2;
    static float feature(const State& s, int index) { return static_cast<float>((s.hash >> (16 * index)) & 0xffffu); }
};

// Its network.
inline void hash_network(const float* features, float* logits, float* value) {
    constexpr float kParts[5] = {30000, 17000, 9535, 6000, 3000};
    const std::uint32_t hash = static_cast<std::uint32_t>(features[0]) | static_cast<std::uint32_t>(features[1]) << 16;
    const std::uint32_t shift = hash_mix(hash ^ 0x5BD1E995u) % 5;
    for (std::uint32_t a = 0; a < 5; ++a)
        logits[a] = std::log(kParts[(a + shift) % 5] / 65535.0f);
    value[0] = (static_cast<float>(hash_mix(hash ^ 0x89ABCDEFu) % 65) - 32.0f) / 64.0f;
}

}  // namespace augur::test

#endif
