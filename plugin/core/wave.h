// One large tree: W simulations are chosen before any is backed up, each choice already counted as a visit that lost
// (virtual loss; Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo tree search").
//
// The wave is defined level by level: at each depth the simulations still on their way choose in the order of their
// numbers. A choice depends only on the node's own statistics and on who came through it before in that order, so nodes
// of one depth can be worked on at once, and the result is the same as one simulation after the other. Node 1 + s is
// kept for simulation s. A position that several simulations of one level reach first belongs to the lowest of them;
// the others go on from it at the next level.
#ifndef AUGUR_CORE_WAVE_H
#define AUGUR_CORE_WAVE_H

#include "core/guided_leaf.h"
#include "core/transposition.h"
#include "core/updates.h"

namespace augur::core {

inline constexpr std::uint32_t kMaxLeavesPerWave = 256;

// Whether a game can be searched as one large tree: an action leads to one node only.
template <class R>
inline constexpr bool kHasLargeTree = !NodeHeader<R>::kBranches;

// Positions are shared only where the way to them has no reward of its own.
template <class R>
inline constexpr bool kCanTranspose = R::kProvable;

// One simulation of a wave.
struct WaveSlot {
    std::uint32_t node;    // where it is; at the end its leaf
    std::uint32_t depth;   // plies below the root
    std::uint32_t active;  // 1: still on its way down
    std::int32_t value;    // return of the leaf for the player to act there, Q16
};

// A ply on the way of a simulation.
struct PathStep {
    std::uint32_t node;
    std::uint16_t action;
    std::uint16_t player;  // who acted
};

// Working memory of one tree's wave.
struct WaveScratch {
    WaveSlot* slots;              // [W]
    PathStep* path;               // [W][path_capacity]
    std::uint32_t path_capacity;  // the horizon

    AUGUR_HD_INLINE PathStep& step(std::uint32_t slot, std::uint32_t depth) const {
        return path[static_cast<std::size_t>(slot) * path_capacity + depth];
    }
};

// The last waves are narrow: one takes half of the simulations that are left, but at least this many. Wide waves choose
// without knowing of each other, and it is the last choices that decide (docs/benchmarks/strength.md).
inline constexpr std::uint32_t kNarrowestLastWave = 32;

// How many simulations the next wave of an active tree has; 0 when the nodes are used up.
AUGUR_HD_INLINE std::uint32_t wave_size(const AgentWork& work, const Settings& settings) {
    const std::uint32_t left = work.active - work.simulations;
    const std::uint32_t widest = kit::minimum(settings.leaves_per_wave, kit::maximum(kNarrowestLastWave, left / 2));
    const std::uint32_t wanted = kit::minimum(widest, left);
    const std::uint32_t room = settings.node_capacity - 1 - kit::minimum(work.simulations, settings.node_capacity - 1);
    return kit::minimum(wanted, room);
}

// Whether a simulation that has come to `header` at `depth` ends there.
template <class R>
AUGUR_HD_INLINE bool descent_ends(const NodeHeader<R>& header, std::uint32_t depth, const Settings& settings) {
    bool ends = header.terminal || depth >= settings.horizon;
    if constexpr (R::kProvable) ends = ends || header.proof != Proof::open;
    return ends;
}

// Writes the node of a simulation that found a new position at the end of its path.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE void write_wave_node(const T& tree, std::uint32_t node, const typename R::State& state,
                                     std::uint32_t parent, int action, const kit::StepOf<R>& step, Lanes lanes) {
    kit::JointActionOf<R> joint{};
    joint.action[0] = action;
    write_node<R>(tree, node, state, parent, kNoNode, joint, step, lanes);
}

// Moves all simulations of a wave down one level, in order. True while any is still on its way. Serial form.
template <class R, class T, class Meter>
bool wave_descend_level(const T& tree, const TranspositionTable& table, const WaveScratch& scratch,
                        const Settings& settings, std::uint32_t first, std::uint32_t count, std::uint32_t depth,
                        Meter& meter) {
    const SerialLanes lanes;
    bool any = false;
    for (std::uint32_t s = 0; s < count; ++s) {
        WaveSlot& slot = scratch.slots[s];
        if (!slot.active) continue;
        NodeHeader<R>& header = tree.header(slot.node);
        slot.active = 0;
        if (descent_ends<R>(header, slot.depth, settings)) continue;
        typename NodeHeader<R>::Mask open = header.legal[0];
        [[maybe_unused]] const int legal_count = open.count();
        if constexpr (R::kProvable) open = open.without(header.lost);
        int action;
        if constexpr (Guided<T>)
            action = select_guided<R>(tree, slot.node, settings, open, lanes);
        else
            action = select_action<R::kActions>(settings, tree.node_edges(slot.node), open, header.visits, legal_count,
                                                lanes);
        if (action == R::kActions) continue;  // dead end
        tree.node_edges(slot.node)[action] += kOneVisit;
        scratch.step(s, slot.depth) = {slot.node, static_cast<std::uint16_t>(action), header.player};
        ++slot.depth;
        std::uint32_t child = tree.node_children(slot.node)[action];
        const std::uint32_t fresh = 1 + first + s;
        if (child == kNoNode) {
            meter.pass(SearchPart::select, SearchPart::expand);
            typename R::State state = tree.state(slot.node);
            kit::Random unused({0, 0}, 0, 0, kit::Purpose::chance);
            kit::JointActionOf<R> joint{};
            joint.action[0] = action;
            const kit::StepOf<R> step = R::step(state, joint, unused);
            child = fresh;
            if (kCanTranspose<R> && table.slots != 0) {
                const std::uint32_t place =
                    transposition_claim(table, transposition_key<R>(state, slot.depth), fresh, PlainUpdates{});
                child = table.nodes[place];
            }
            tree.node_children(slot.node)[action] = child;
            if (child == fresh) write_wave_node<R>(tree, fresh, state, slot.node, action, step, lanes);
            meter.pass(SearchPart::expand, SearchPart::select);
        }
        // A network looks at new nodes after the wave has come down: nobody goes on from them before.
        slot.active = child != fresh && !(Guided<T> && child > first) ? 1 : 0;
        slot.node = child;
        any = any || slot.active;
    }
    for (std::uint32_t s = 0; s < count; ++s)
        if (scratch.slots[s].depth == depth + 1) ++tree.header(scratch.step(s, depth).node).visits;
    return any;
}

// A simulation that ended at a node of another leaves its own index without a node.
template <class R, class T>
AUGUR_HD_INLINE void wave_mark_unused(const T& tree, const WaveSlot& slot, std::uint32_t own) {
    if (slot.node != own) tree.header(own).parent = kNoNode;
}

// The return of one simulation's leaf.
template <class R, class T>
AUGUR_HD_INLINE void wave_evaluate(const T& tree, WaveSlot& slot, const Settings& settings, const kit::RandomKey& key,
                                   std::uint32_t agent, std::uint32_t simulation, std::uint32_t& flags) {
    const Leaf leaf = {slot.node, slot.depth, false};
    slot.value = evaluate_leaf<R>(tree, leaf, settings, key, agent, simulation, flags).value[0];
}

// Adds one simulation's return to the edges of its path, whose visits are already counted. Only the leaf's header is
// read where rewards come at the end alone.
template <class R, class T, class Updates>
AUGUR_HD_INLINE void wave_back_up(const T& tree, const WaveScratch& scratch, std::uint32_t s, const Settings& settings,
                                  std::uint32_t& flags, const Updates& updates) {
    const WaveSlot& slot = scratch.slots[s];
    const NodeHeader<R>& leaf = tree.header(slot.node);
    std::int32_t value = slot.value;
    std::int32_t reward = leaf.reward[0];
    std::uint32_t player = leaf.player;
    for (std::uint32_t depth = slot.depth; depth-- > 0;) {
        const PathStep step = scratch.step(s, depth);
        value = discounted(reward, settings.discount, step.player == player ? value : -value);
        if (kit::absolute(value) > kit::kOne) flags |= kFlagValueClamped;
        updates.add(&tree.node_edges(step.node)[step.action], edge_value(value));
        player = step.player;
        reward = R::kProvable ? 0 : tree.header(step.node).reward[0];
    }
}

// First half of carrying proofs up through one level: what simulation s tells the node it passed at `depth`.
template <class R, class T, class Updates>
AUGUR_HD_INLINE void wave_note_outcome(const T& tree, const WaveScratch& scratch, std::uint32_t s, std::uint32_t depth,
                                       const Updates& updates) {
    const WaveSlot& slot = scratch.slots[s];
    if (depth >= slot.depth) return;
    const PathStep step = scratch.step(s, depth);
    const std::uint32_t child = depth + 1 < slot.depth ? scratch.step(s, depth + 1).node : slot.node;
    NodeHeader<R>& node = tree.header(step.node);
    using Word = typename NodeHeader<R>::Mask::Word;
    constexpr std::uint32_t bits = static_cast<std::uint32_t>(NodeHeader<R>::Mask::kWordBits);
    const Word bit = Word(1) << (step.action % bits);
    switch (outcome_for_mover<R>(tree.header(child), node.player)) {
        case Proof::open:
            break;
        case Proof::win:
            updates.lower_to(&node.code, step.action);
            break;
        case Proof::loss:
            updates.set_bits(&node.lost.words[step.action / bits], bit);
            break;
        case Proof::draw:
            updates.set_bits(&node.drawn.words[step.action / bits], bit);
            break;
    }
}

// Second half, after all simulations of the level have told: what the node has come to, if that is news.
template <class R>
struct Decided {
    typename NodeHeader<R>::Mask lost;
    Proof proof;  // open: no news
};

template <class R>
AUGUR_HD_INLINE Decided<R> wave_decision(const NodeHeader<R>& node) {
    Decided<R> news = {node.lost, Proof::open};
    if (node.proof != Proof::open) return news;
    if (node.code != kNoNode) {
        news.lost = node.legal[0];  // nothing else matters any more
        news.lost.clear(static_cast<int>(node.code));
        news.proof = Proof::win;
    } else if ((node.lost | node.drawn) == node.legal[0]) {
        news.proof = node.drawn.any() ? Proof::draw : Proof::loss;
    }
    return news;
}

// Doing it twice with the same news changes nothing.
template <class R>
AUGUR_HD_INLINE void wave_decide(NodeHeader<R>& node, const Decided<R>& news) {
    node.lost = news.lost;
    node.proof = news.proof;
}

// Whether a large tree that is active goes on after a wave.
template <class R, class T>
AUGUR_HD_INLINE bool wave_wants_more(const T& tree, AgentWork& work, const Settings& settings) {
    if (work.simulations >= work.active) return false;
    const bool proven = R::kProvable && tree.header(0).proof != Proof::open;
    if (proven || (settings.early_stop && answer_is_final<R>(tree, work.active - work.simulations))) {
        work.flags |= kFlagEarlyStop;
        return false;
    }
    return true;
}

// The way down of a wave, by one thread: its simulations stand at their leaves. How many they are; 0 when the nodes are
// used up, and the tree is done. The meter goes on selecting.
template <class R, class T, class Meter>
std::uint32_t wave_go_down(const T& tree, const TranspositionTable& table, const WaveScratch& scratch, AgentWork& work,
                           const Settings& settings, Meter& meter) {
    const std::uint32_t first = work.simulations;
    const std::uint32_t count = wave_size(work, settings);
    if (count == 0) {
        work.flags |= kFlagPoolExhausted;
        work.active = 0;
        return 0;
    }
    for (std::uint32_t s = 0; s < count; ++s)
        scratch.slots[s] = {0, 0, 1, 0};
    for (std::uint32_t depth = 0; wave_descend_level<R>(tree, table, scratch, settings, first, count, depth, meter);
         ++depth) {
    }
    for (std::uint32_t s = 0; s < count; ++s)
        wave_mark_unused<R>(tree, scratch.slots[s], 1 + first + s);
    return count;
}

// The way up, once every slot has its value: statistics, proofs, and whether the tree goes on.
template <class R, class T>
void wave_go_up(const T& tree, const WaveScratch& scratch, AgentWork& work, const Settings& settings,
                std::uint32_t count) {
    std::uint32_t deepest = 0;
    for (std::uint32_t s = 0; s < count; ++s) {
        wave_back_up<R>(tree, scratch, s, settings, work.flags, PlainUpdates{});
        deepest = kit::maximum(deepest, scratch.slots[s].depth);
    }
    if constexpr (R::kProvable) {
        for (std::uint32_t depth = deepest; depth-- > 0;) {
            for (std::uint32_t s = 0; s < count; ++s)
                wave_note_outcome<R>(tree, scratch, s, depth, PlainUpdates{});
            for (std::uint32_t s = 0; s < count; ++s)
                if (depth < scratch.slots[s].depth) {
                    NodeHeader<R>& node = tree.header(scratch.step(s, depth).node);
                    const Decided<R> news = wave_decision<R>(node);
                    if (news.proof != Proof::open) wave_decide<R>(node, news);
                }
        }
    }
    work.simulations += count;
    work.nodes = 1 + work.simulations;
    if (!wave_wants_more<R>(tree, work, settings)) work.active = 0;
}

// One wave from choice to proof, by one thread.
template <class R, class T, class Meter = NoMeter>
void run_wave(const T& tree, const TranspositionTable& table, const WaveScratch& scratch, AgentWork& work,
              const Settings& settings, const FrameKey& key, std::uint32_t agent, Meter&& meter = {}) {
    const std::uint32_t first = work.simulations;
    meter.begin();
    const std::uint32_t count = wave_go_down<R>(tree, table, scratch, work, settings, meter);
    if (count == 0) return meter.end(SearchPart::select);
    meter.pass(SearchPart::select, SearchPart::evaluate);
    for (std::uint32_t s = 0; s < count; ++s)
        wave_evaluate<R>(tree, scratch.slots[s], settings, key.random, agent, first + s, work.flags);
    meter.pass(SearchPart::evaluate, SearchPart::back_up);
    wave_go_up<R>(tree, scratch, work, settings, count);
    meter.end(SearchPart::back_up);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_WAVE_H
