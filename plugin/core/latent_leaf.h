// What the search of a learned game asks its networks beside what it asks any network: a node is put before the
// dynamics as the ply that leads to it, and what comes back is kept.
#ifndef AUGUR_CORE_LATENT_LEAF_H
#define AUGUR_CORE_LATENT_LEAF_H

#include "core/guided_leaf.h"
#include "core/latent_game.h"

namespace augur::core {

// A game that a network can guide.
template <class R>
concept Guidable = (kit::kDeciders<R> == 1) && (kit::HasFeatures<R> || Latent<R>);

// Whether all of `count` numbers are finite; where not, they become zeros. Lanes share the numbers and get the same
// answer.
template <class Lanes>
AUGUR_HD_INLINE bool keep_finite(float* numbers, std::uint32_t count, Lanes lanes) {
    const auto first = static_cast<std::uint32_t>(lanes.index());
    float sum = 0.0f;  // 0 * x is 0 for every finite x, else NaN
    for (std::uint32_t i = first; i < count; i += Lanes::kWidth)
        sum += 0.0f * numbers[i];
    const bool sound = lanes.all(finite(sum));
    for (std::uint32_t i = first; i < count && !sound; i += Lanes::kWidth)
        numbers[i] = 0.0f;
    return sound;
}

// A row for the dynamics: the state that a ply begins in [states], and its action, one of `actions` numbers. Lanes
// share the numbers.
template <class Lanes>
AUGUR_HD_INLINE void write_ply(float* state, float* chosen, const float* parent, std::uint32_t states,
                               std::uint32_t actions, std::uint32_t action, Lanes lanes) {
    const auto first = static_cast<std::uint32_t>(lanes.index());
    for (std::uint32_t i = first; i < states; i += Lanes::kWidth)
        state[i] = parent[i];
    for (std::uint32_t a = first; a < actions; a += Lanes::kWidth)
        chosen[a] = a == action ? 1.0f : 0.0f;
}

// What representation and dynamics say of a node.
struct Heard {
    const float* state;   // [S]; null: not all of it is finite
    const float* reward;  // [value_outputs(kind)] of the ply that leads there; null: there is none
    ValueKind kind;
    float value_scale;
};

// Keeps what was heard of a node: its state in `latent` [states], the ply's reward in the header. False where there is
// no state to go on from; below the root the branch ends there. The leader's flags count. wanted = false: nothing is
// read or written, and the answer is false.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE bool hear_state(const T& tree, std::uint32_t node, const Heard& heard, float* latent,
                                std::uint32_t states, std::uint32_t& flags, Lanes lanes, bool wanted = true) {
    const bool sound = wanted && heard.state != nullptr;
    for (auto i = static_cast<std::uint32_t>(lanes.index()); i < states && sound; i += Lanes::kWidth)
        latent[i] = heard.state[i];
    if (!wanted || !lanes.leader()) return sound;
    NodeHeader<R>& header = tree.header(node);
    if (!sound) {
        flags |= kFlagModelFallback;
        tree.network_value(node) = 0;
        if (node != 0) header.terminal = 1;
    } else if (node != 0 && heard.reward != nullptr) {
        std::int32_t reward = 0;
        if (!read_value(reward, heard.reward, heard.kind, heard.value_scale)) flags |= kFlagModelFallback;
        header.reward[0] = reward;
    }
    return sound;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_LATENT_LEAF_H
