// A game whose plies are played by networks (MuZero). Its state here is no more than whose turn it is and what is
// legal; what the networks know of a node lies beside the tree, S floats a node, and comes when they have looked at it.
#ifndef AUGUR_CORE_LATENT_GAME_H
#define AUGUR_CORE_LATENT_GAME_H

#include <augur/kit/rules.h>

namespace augur::core {

// K is a room for actions: the smallest of kLatentSizes that holds the game's own, and the rest is never legal.
template <int K>
struct LatentGame {
    static constexpr const char* kName = "learned";
    static constexpr int kActions = K;
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;  // a single player stays the same
    static constexpr bool kChance = false;
    static constexpr bool kProvable = false;
    static constexpr bool kLatent = true;
    static constexpr int kMaxDepth = 4096;
    static constexpr int kHorizon = 64;
    static constexpr std::int32_t kDiscount = kit::kOne;
    static constexpr float kPuct = 1.25f, kUct = 1.0f;
    static constexpr int kNeighbours = 0;
    static constexpr kit::FieldInfo kFields[2] = {
        {"observation", "What the agent sees, as the representation takes it.", kit::FieldKind::row},
        {"legal", "Bit a: action a may be chosen now.", kit::FieldKind::bits64, 1, 1, INT32_MIN + 1, INT32_MAX, true,
         -1},
    };
    static constexpr const char* kActionNames[K] = {};  // those of a game come with it

    struct State {
        std::uint64_t legal;   // here
        std::uint64_t all;     // anywhere: the lowest bits, one for each action of the game
        std::uint32_t player;  // to act
        std::uint32_t flips;   // 1: the other player acts next
    };

    AUGUR_HD_INLINE static kit::ActionMask<K> legal(const State& s, int) {
        return kit::ActionMask<K>::from_bits(static_cast<typename kit::ActionMask<K>::Word>(s.legal));
    }
    AUGUR_HD_INLINE static int to_act(const State& s) { return static_cast<int>(s.player); }
    AUGUR_HD_INLINE static bool terminal(const State&) { return false; }
    // The reward is not known before the network has looked.
    AUGUR_HD_INLINE static kit::Step<1> step(State& s, const kit::JointAction<1>&, kit::Random&) {
        s.legal = s.all;
        s.player ^= s.flips;
        return {{0}, false};
    }
    AUGUR_HD_INLINE static std::uint64_t hash(const State& s) { return kit::combine64(s.legal, s.player); }
    // The part that lies in words; begin makes it whole.
    AUGUR_HD_INLINE static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent,
                                                const std::uint32_t*, int) {
        s = {fields.get64(0, agent), 0, 0, 0};
        return kit::Gathered::ready;
    }
    AUGUR_HD_INLINE static void begin(State& s, std::uint32_t action_count, std::uint32_t player_count) {
        s.all = ~std::uint64_t{0} >> (64 - action_count);
        s.legal &= s.all;
        s.flips = player_count - 1;
    }
};

inline constexpr int kLatentSizes[] = {4, 8, 16, 32, 64};
inline constexpr std::uint32_t kMostLatentActions = 64;

template <class R>
concept Latent = requires {
    R::kLatent;
};

}  // namespace augur::core

#endif  // AUGUR_CORE_LATENT_GAME_H
