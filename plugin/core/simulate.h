// One simulation of a forest tree in three parts: descend to a leaf, evaluate it, back its return up. The resident form
// runs them in a row; the wave form runs each for all trees before the next.
#ifndef AUGUR_CORE_SIMULATE_H
#define AUGUR_CORE_SIMULATE_H

#include "core/expand.h"
#include "core/guided_select.h"
#include "core/proof.h"
#include "core/rollout.h"
#include "core/search_parts.h"
#include "core/select.h"
#include "core/tree.h"

namespace augur::core {

// Where a descent ended.
struct Leaf {
    std::uint32_t node;
    std::uint32_t depth;  // plies below the root
    bool full;            // the pool had no node left: nothing to evaluate, stop
};

// The child of `node` by first action and code; kNoNode when it was never made. Siblings exist only where an action can
// lead to several nodes.
template <class R, class T>
AUGUR_HD_INLINE std::uint32_t find_child(const T& tree, std::uint32_t node, int action, std::uint32_t code) {
    std::uint32_t child = tree.node_children(node)[action];
    if constexpr (NodeHeader<R>::kBranches) {
        while (child != kNoNode && tree.header(child).code != code)
            child = tree.header(child).next_sibling;
    }
    return child;
}

// Follows the best actions from the root to a node that is new, terminal, proven, a dead end, or at the horizon. Makes
// at most one node (work.nodes grows), after all groups of the warp have come to where theirs is missing. All lanes of
// a group call it with the same arguments and get the same answer; a group that has nothing to search passes walking =
// false, and the answer means nothing. meter: passes from selecting to expanding.
template <class R, class T, class Lanes, class Meter = NoMeter>
AUGUR_HD_INLINE Leaf descend(const T& tree, AgentWork& work, const Settings& settings, const kit::RandomKey& key,
                             std::uint32_t agent, std::uint32_t simulation, Lanes lanes, bool walking = true,
                             Meter&& meter = {}) {
    constexpr int D = kit::kDeciders<R>;
    Leaf leaf = {0, 0, false};
    bool missing = false;  // the child that the walk came to; what follows belongs to it
    kit::JointActionOf<R> joint{};
    std::uint32_t code = 0;
    typename R::State state;
    kit::StepOf<R> step{};
    while (lanes.any(walking)) {
        const NodeHeader<R>& header = tree.header(leaf.node);
        // Without branches, so that a GPU reads everything about the node at once.
        bool goes_on = (header.terminal == 0) & (leaf.depth < settings.horizon);
        if constexpr (R::kProvable) goes_on &= header.proof == Proof::open;
        walking = walking & goes_on;
        kit::JointActionOf<R> chosen;
        kit::Random jitter(key, agent, simulation * 4096u + leaf.depth, kit::Purpose::selection);
        for (int d = 0; d < D; ++d) {
            typename NodeHeader<R>::Mask open = header.legal[d];
            const int legal_count = open.count();
            if constexpr (R::kProvable) open = open.without(header.lost);
            open = walking ? open : NodeHeader<R>::Mask::none();
            if constexpr (D > 1) {
                chosen.action[d] =
                    select_action<R::kActions>(settings, tree.node_edges(leaf.node, d), open, header.visits,
                                               legal_count, lanes, ActionJitter{jitter.bits32()});
            } else if constexpr (Guided<T>) {
                chosen.action[d] = select_guided<R>(tree, leaf.node, settings, open, lanes);
            } else {
                chosen.action[d] = select_action<R::kActions>(settings, tree.node_edges(leaf.node, d), open,
                                                              header.visits, legal_count, lanes);
            }
            walking = walking && chosen.action[d] != R::kActions;  // else a dead end
        }
        if (!walking) continue;
        joint = chosen;
        code = 0;
        if constexpr (R::kChance) {
            kit::Random random(key, agent, simulation * 4096u + leaf.depth, kit::Purpose::chance);
            state = tree.state(leaf.node);
            step = R::step(state, joint, random);
            code = static_cast<std::uint32_t>(R::hash(state) >> 32);
        }
        for (int d = 1; d < D; ++d)
            code = code * static_cast<std::uint32_t>(R::kActions) + static_cast<std::uint32_t>(joint.action[d]);
        const std::uint32_t child = find_child<R>(tree, leaf.node, joint.action[0], code);
        ++leaf.depth;
        missing = child == kNoNode;
        walking = !missing;
        if (walking) leaf.node = child;
    }
    meter.pass(SearchPart::select, SearchPart::expand);
    const bool creates = missing && work.nodes < settings.node_capacity;
    leaf.full = missing && !creates;
    kit::Random random(key, agent, simulation * 4096u + leaf.depth - 1, kit::Purpose::chance);
    if constexpr (kit::HasTeam<R>) {
        if (lanes.any(creates)) {
            state = tree.state(leaf.node);
            if (!creates) joint.action[0] = 0;
            step = shared_step<R>(state, joint, random, lanes);
        }
    } else if constexpr (!R::kChance) {
        if (creates) {
            state = tree.state(leaf.node);
            step = R::step(state, joint, random);
        }
    }
    lanes.sync();  // every lane has looked for the child before it appears
    if (creates) {
        const std::uint32_t parent = leaf.node;
        leaf.node = work.nodes++;
        write_node<R>(tree, leaf.node, state, parent, code, joint, step, lanes);
        if (lanes.leader()) {
            if constexpr (NodeHeader<R>::kBranches)
                tree.header(leaf.node).next_sibling = tree.node_children(parent)[joint.action[0]];
            tree.node_children(parent)[joint.action[0]] = leaf.node;
        }
    }
    lanes.sync();
    return leaf;
}

// The return from a leaf on, for the player(s) to act there. One thread calls it; or, where the rules share a ply
// (kit::HasTeam), all lanes of a warp, wanted telling whether the group has a leaf.
template <class R, class T, class Lanes = SerialLanes>
AUGUR_HD_INLINE Return<R> evaluate_leaf(const T& tree, const Leaf& leaf, const Settings& settings,
                                        const kit::RandomKey& key, std::uint32_t agent, std::uint32_t simulation,
                                        std::uint32_t& flags, Lanes lanes = {}, bool wanted = true) {
    const NodeHeader<R>& header = tree.header(leaf.node);
    if constexpr (R::kProvable) {
        if (header.proof != Proof::open && !header.terminal) {
            Return<R> proven{};
            proven.value[0] = proven_value(header.proof);
            return proven;
        }
    }
    const bool over = header.terminal != 0;
    if (over && Lanes::kWidth == 1) return Return<R>{};
    kit::Random random(key, agent, simulation, kit::Purpose::rollout);
    const std::uint32_t left = leaf.depth < settings.horizon ? settings.horizon - leaf.depth : 0;
    const Return<R> result =
        rollout<R>(tree.state(leaf.node), left, settings.discount, random, flags, lanes, wanted && !over);
    return over ? Return<R>{} : result;
}
// Adds a leaf's return to every edge above it, discounted, and carries proofs up. Only one lane calls it.
template <class R, class T>
AUGUR_HD_INLINE void back_up(const T& tree, std::uint32_t leaf, Return<R> result, const Settings& settings,
                             std::uint32_t& flags) {
    constexpr int D = kit::kDeciders<R>;
    std::uint32_t node = leaf;
    bool decided = true;  // the child's outcome is news to its parent
    while (node != 0) {
        const NodeHeader<R> child = tree.header(node);
        NodeHeader<R>& parent = tree.header(child.parent);
        for (int d = 0; d < D; ++d) {
            const bool same = D > 1 || child.player == parent.player;
            const std::int32_t later = same ? result.value[d] : -result.value[d];
            result.value[d] = discounted(child.reward[d], settings.discount, later);
            if (kit::absolute(result.value[d]) > kit::kOne) flags |= kFlagValueClamped;
        }
        if constexpr (R::kProvable) {
            if (decided) {
                decided = note_outcome<R>(parent, child.action[0], outcome_for_mover<R>(child, parent.player));
                if (decided) result.value[0] = proven_value(parent.proof);
            }
        }
        for (int d = 0; d < D; ++d)
            tree.node_edges(child.parent, d)[child.action[d]] += kOneVisit + edge_value(result.value[d]);
        ++parent.visits;
        node = child.parent;
    }
}

// True when more simulations cannot change which action is chosen: the result is proven, or (where nothing can be
// proven) the most visited action is further ahead than simulations are left. left: simulations still to come.
template <class R, class T>
AUGUR_HD_INLINE bool answer_is_final(const T& tree, std::uint32_t left) {
    if constexpr (R::kProvable) {
        return tree.header(0).proof != Proof::open;
    } else if constexpr (kit::kDeciders<R> > 1) {
        return false;
    } else {
        std::uint32_t first = 0, second = 0;
        const Edge* edges = tree.node_edges(0);
        for (int a = 0; a < R::kActions; ++a) {
            const std::uint32_t visits = edge_visits(edges[a]);
            if (visits > first) {
                second = first;
                first = visits;
            } else if (visits > second) {
                second = visits;
            }
        }
        return first > second + left;
    }
}

// Looked at every so many simulations; part of the definition of a search, so the same everywhere.
inline constexpr std::uint32_t kEarlyStopPeriod = 8;

// Whether a tree that is active goes on after `work.simulations` simulations.
template <class R, class T>
AUGUR_HD_INLINE bool wants_more(const T& tree, AgentWork& work, const Settings& settings) {
    if (work.simulations >= work.active) return false;
    if constexpr (R::kProvable) {
        if (tree.header(0).proof != Proof::open) {
            work.flags |= kFlagEarlyStop;
            return false;
        }
    }
    if (settings.early_stop && work.simulations % kEarlyStopPeriod == 0 &&
        answer_is_final<R>(tree, work.active - work.simulations)) {
        work.flags |= kFlagEarlyStop;
        return false;
    }
    return true;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_SIMULATE_H
