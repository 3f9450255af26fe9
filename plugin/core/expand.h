// Making nodes.
#ifndef AUGUR_CORE_EXPAND_H
#define AUGUR_CORE_EXPAND_H

#include "core/lanes.h"
#include "core/tree.h"

namespace augur::core {

// Writes node `node` for a state that has just been reached (or the root). keeps_edges: they hold what they are to
// hold. Cost: one header, K edges, K child links, one state.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE void write_node(const T& tree, std::uint32_t node, const typename R::State& state, std::uint32_t parent,
                                std::uint32_t code, const kit::JointActionOf<R>& action, const kit::StepOf<R>& step,
                                Lanes lanes, bool keeps_edges = false) {
    constexpr int D = kit::kDeciders<R>;
    if (lanes.leader()) {
        NodeHeader<R> h;
        h.parent = parent;
        h.visits = 0;
        h.next_sibling = kNoNode;
        h.code = code;
        h.player = static_cast<std::uint8_t>(R::to_act(state));
        for (int d = 0; d < D; ++d) {
            h.reward[d] = step.reward[d];
            h.action[d] = static_cast<std::uint16_t>(action.action[d]);
            h.legal[d] = step.terminal ? NodeHeader<R>::Mask::none() : R::legal(state, D > 1 ? d : h.player);
        }
        h.terminal = step.terminal ? 1 : 0;
        h.proof = Proof::open;
        h.reserved = 0;
        h.lost = NodeHeader<R>::Mask::none();
        h.drawn = NodeHeader<R>::Mask::none();
        tree.header(node) = h;
        tree.state(node) = state;
    }
    Edge* edges = tree.node_edges(node);
    for (int i = lanes.index(); i < D * R::kActions && !keeps_edges; i += Lanes::kWidth)
        edges[i] = 0;
    auto* children = tree.node_children(node);
    for (int i = lanes.index(); i < R::kActions; i += Lanes::kWidth)
        children[i] = kNoNode;
}

template <class R, class T, class Lanes>
AUGUR_HD_INLINE void write_root(const T& tree, const typename R::State& state, Lanes lanes, bool keeps_edges = false) {
    kit::StepOf<R> step{};
    step.terminal = R::terminal(state);
    write_node<R>(tree, 0, state, kNoNode, kNoNode, kit::JointActionOf<R>{}, step, lanes, keeps_edges);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_EXPAND_H
