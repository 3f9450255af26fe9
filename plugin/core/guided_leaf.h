// Leaves of a guided tree: which of them the network must look at, and what it says becomes.
#ifndef AUGUR_CORE_GUIDED_LEAF_H
#define AUGUR_CORE_GUIDED_LEAF_H

#include "core/advice.h"
#include "core/gumbel.h"
#include "core/simulate.h"

namespace augur::core {

// A state as a network's input [kFeatures], seen by the player to act. Lanes share the features.
template <class R, class Lanes>
AUGUR_HD_INLINE void write_features(float* row, const typename R::State& state, Lanes lanes) {
    for (int i = lanes.index(); i < R::kFeatures; i += Lanes::kWidth)
        row[i] = R::feature(state, i);
}

// What a network says of one state; null where it has no such head.
struct Advice {
    const float* logits;  // [K]
    const float* value;   // [value_outputs(kind)]
    ValueKind kind;
    float value_scale;
};

// The root until the network has seen it: equal priors, value 0.
template <class R>
AUGUR_HD_INLINE void begin_guide(const GuidedTree<R>& tree, const AgentWork& work) {
    const auto legal = work.nodes > 0 ? tree.header(0).legal[0] : kit::ActionMask<R::kActions>::none();
    write_uniform_priors<R::kActions>(tree.node_priors(0), legal, SerialLanes{});
    tree.network_value(0) = 0;
}

// Whether the root needs the network: it will be searched, or answered by the priors alone, and has not been seen in an
// earlier frame.
AUGUR_HD_INLINE bool root_wants_network(const AgentWork& work) {
    return work.nodes > 0 && work.carried == 0 && (work.active != 0 || (work.flags & kFlagFallback) != 0);
}

// Whether a leaf needs the network: it is new, the game goes on there, and somebody can act. fresh: made by this
// simulation.
template <class R, class T>
AUGUR_HD_INLINE bool leaf_wants_network(const T& tree, const Leaf& leaf, bool fresh) {
    return fresh && !tree.header(leaf.node).terminal && tree.header(leaf.node).legal[0].any();
}

// Writes what the network says of a node into the tree. The node's value is set where the network has a value head.
// wanted = false: the group goes through the motions and writes nothing.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE void take_advice(const T& tree, std::uint32_t node, const Advice& advice, std::uint32_t& flags,
                                 Lanes lanes, bool wanted = true) {
    const auto& legal = tree.header(node).legal[0];
    if (advice.logits != nullptr) {
        const bool sound = write_priors<R::kActions>(tree.node_priors(node), advice.logits, legal, lanes, wanted);
        if (wanted && !sound) flags |= kFlagModelFallback;
    } else if (wanted) {
        write_uniform_priors<R::kActions>(tree.node_priors(node), legal, lanes);
    }
    if (advice.value == nullptr || !wanted) return;
    std::int32_t value = 0;
    if (!read_value(value, advice.value, advice.kind, advice.value_scale)) flags |= kFlagModelFallback;
    tree.network_value(node) = value;
}

// What a new leaf is worth where the network has no value head: it is played out. flags: those that came up.
struct PlayedOut {
    std::int32_t value;
    std::uint32_t flags;
};
template <class R, class T>
AUGUR_HD_RARE PlayedOut play_out(T tree, Leaf leaf, Settings settings, kit::RandomKey key, std::uint32_t agent,
                                 std::uint32_t simulation) {
    PlayedOut out = {0, 0};
    out.value = evaluate_leaf<R>(tree, leaf, settings, key, agent, simulation, out.flags).value[0];
    return out;
}

// The return from a leaf on for the player to act there: by the rules where they know, else what the network said.
// Where it has no value head, new leaves are played out, and that becomes the node's value.
template <class R, class T>
AUGUR_HD_INLINE Return<R> guided_return(const T& tree, const Leaf& leaf, bool fresh, bool has_value,
                                        const Settings& settings, const kit::RandomKey& key, std::uint32_t agent,
                                        std::uint32_t simulation, std::uint32_t& flags) {
    const NodeHeader<R>& header = tree.header(leaf.node);
    Return<R> result{};
    if (header.terminal) return result;
    if (!header.legal[0].any()) {
        flags |= kFlagDeadEnd;
        return result;
    }
    if (!has_value && fresh) {
        const PlayedOut played = play_out<R>(tree, leaf, settings, key, agent, simulation);
        tree.network_value(leaf.node) = played.value;
        flags |= played.flags;
    }
    result.value[0] = tree.network_value(leaf.node);
    if constexpr (R::kProvable)
        if (header.proof != Proof::open) result.value[0] = proven_value(header.proof);
    return result;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GUIDED_LEAF_H
