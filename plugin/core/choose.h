// Beginning and end of a frame for one agent: the root, the chosen action, the decision hash.
#ifndef AUGUR_CORE_CHOOSE_H
#define AUGUR_CORE_CHOOSE_H

#include "core/expand.h"
#include "core/gumbel.h"
#include "core/proof.h"
#include "core/settings.h"
#include "core/tree.h"

namespace augur::core {

inline constexpr std::int32_t kNoAction = -1;

// What an agent's search came to; the same layout as augur_agent_result.
struct Decision {
    std::int32_t action;  // kNoAction where there is none
    float value;          // of that action, [-1, 1]
    std::uint32_t visits;
    std::uint32_t flags;
};

// What a frame of `simulations` begins with at a root.
template <class R>
AUGUR_HD_INLINE AgentWork begin_work(const NodeHeader<R>& root, std::uint32_t simulations) {
    AgentWork work = {1, 0, 0, 0};
    const int first_count = root.legal[0].count();
    bool stuck = first_count == 0, single = first_count == 1;
    for (int d = 1; d < kit::kDeciders<R>; ++d)
        stuck = stuck || !root.legal[d].any();
    if (stuck) {
        work.flags = kFlagNoAction;
    } else if (single) {
        work.flags = kFlagOnlyAction;
    } else if (simulations == 0) {
        work.flags = kFlagFallback;
    } else {
        work.active = simulations;
    }
    return work;
}

// Sets up a tree from what gather found. simulations: asked for this frame; 0 leaves the tree unsearched. The leader's
// answer counts.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE AgentWork begin_tree(const T& tree, const typename R::State& state, kit::Gathered gathered,
                                     std::uint32_t simulations, Lanes lanes) {
    if (gathered != kit::Gathered::ready)
        return {0, 0, gathered == kit::Gathered::absent ? kFlagAbsent : kFlagBadState, 0};
    write_root<R>(tree, state, lanes);
    return begin_work<R>(tree.header(0), simulations);
}

// The network's favourite at the root, and its value there; lowest index among equals.
template <class R>
AUGUR_HD_INLINE void follow_prior(const GuidedTree<R>& tree, Decision& out) {
    const Prior* priors = tree.node_priors(0);
    out.action = 0;
    for (int a = 1; a < R::kActions; ++a)
        if (priors[a] > priors[out.action]) out.action = a;
    out.value = static_cast<float>(tree.network_value(0)) / 65536.0f;
}

// The action to play: most visited among those not proven to lose, the higher mean and then the lower index among
// equals; a proven draw where everything else looks worse; the first legal action where nothing was searched.
// Guided: the network's favourite where nothing was searched; by Gumbel, the best score among the most visited.
template <class R, class T>
AUGUR_HD_INLINE Decision choose(const T& tree, const AgentWork& work) {
    Decision out = {kNoAction, 0.0f, 0, work.flags};
    if (work.flags & (kFlagNoAction | kFlagBadState | kFlagAbsent)) return out;
    const NodeHeader<R>& root = tree.header(0);
    out.visits = root.visits;
    if (work.flags & kFlagOnlyAction || root.visits == 0) {
        out.action = root.legal[0].first();
        if (work.flags & kFlagOnlyAction) return out;
        out.flags |= kFlagFallback;
        if constexpr (Guided<T>) follow_prior<R>(tree, out);
        return out;
    }
    typename NodeHeader<R>::Mask open = root.legal[0];
    if constexpr (R::kProvable) {
        if (root.proof != Proof::loss) open = open.without(root.lost);
        if (root.proof != Proof::open) out.flags |= kFlagProven;
    }
    const Edge* edges = tree.node_edges(0);
    Edge best = 0;
    for (int a = 0; a < R::kActions; ++a) {
        if (!open.test(a)) continue;
        if (out.action == kNoAction || edges[a] > best) {  // visits are the high bits, the sum of values the low ones
            best = edges[a];
            out.action = a;
        }
    }
    if constexpr (Guided<T>) {
        if (tree.selection == Selection::gumbel) {
            const SerialLanes lanes;
            const CompletedValues values =
                complete_values<R::kActions>(edges, tree.node_priors(0), root.legal[0], tree.network_value(0), lanes);
            out.action = best_considered<R>(tree, open, values, edge_visits(best), lanes);
            best = edges[out.action];
        }
    }
    out.value = edge_visits(best) > 0 ? edge_mean(best) : 0.0f;
    if constexpr (R::kProvable) {
        if (root.proof != Proof::open) {
            out.value = static_cast<float>(proven_value(root.proof)) / 65536.0f;
            if (root.proof == Proof::draw) out.action = root.drawn.first();
        } else if (root.drawn.any() && (out.value < 0.0f || root.drawn.test(out.action))) {
            out.action = root.drawn.first();
            out.value = 0.0f;
        }
    }
    return out;
}

// One agent's part of a frame's decision hash; the parts are added up, so their order does not matter.
AUGUR_HD_INLINE std::uint64_t decision_hash(std::uint32_t agent, const Decision& d) {
    const std::uint64_t head = (static_cast<std::uint64_t>(agent) << 32) | static_cast<std::uint32_t>(d.action);
    const std::uint64_t tail = (static_cast<std::uint64_t>(d.visits) << 32) |
                               static_cast<std::uint32_t>(static_cast<std::int32_t>(d.value * 1073741824.0f));
    return kit::combine64(kit::combine64(kit::mix64(head + 1), tail), d.flags);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_CHOOSE_H
