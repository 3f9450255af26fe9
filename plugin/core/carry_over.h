// A tree of the last frame becomes the tree of this one: the node whose state is the new root is looked for, and what
// lies below it moves to the front of the tree's arrays, statistics, proofs, priors and all. Where no such node is, the
// tree begins anew, or its root begins with some of the old root's statistics.
//
// Nodes keep their order, so parents stay before their children, and the nodes that this frame makes come behind them.
// Written for any number of lanes: what is kept, and where it goes, does not depend on how many there are.
#ifndef AUGUR_CORE_CARRY_OVER_H
#define AUGUR_CORE_CARRY_OVER_H

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/choose.h"
#include "core/guided_leaf.h"
#include "core/simulate.h"

namespace augur::core {

// Plies below the old root at which the new one is looked for, 0 included: 0 is a world that did not move, 1 an action
// played, 2 an action and its answer. Beyond that values were found with too little of the horizon left.
inline constexpr std::uint32_t kCarryDepth = 4;

// A warm start gives the root at most this share of the frame's simulations as visits.
inline constexpr std::uint32_t kWarmShare = 4;  // a quarter

// Working memory of one tree's carry-over.
struct CarryScratch {
    std::uint32_t* forward;  // [N] where a node goes; kNoNode: it is dropped. Written from the new root on
    std::uint32_t* source;   // [N] where the node that comes here was
};

enum class CarryOutcome : std::uint32_t {
    nothing = 0,  // there was no tree, or nobody is there to plan for
    carried = 1,
    warmed = 2,
    reset = 3,  // there was a tree, and the new root was not in it
};

struct Carried {
    AgentWork work;
    CarryOutcome outcome;
};

// Byte for byte: equal hashes alone would make it likely only. States have no padding (kit/rules.h).
template <class State>
AUGUR_HD_INLINE bool same_state([[maybe_unused]] const State& a, [[maybe_unused]] const State& b) {
    if constexpr (std::is_empty_v<State>) return true;  // its only byte means nothing
#if AUGUR_DEVICE_CODE
    using Unit = std::conditional_t<alignof(State) % 4 == 0, std::uint32_t, unsigned char>;
    const auto* const x = reinterpret_cast<const Unit*>(&a);
    const auto* const y = reinterpret_cast<const Unit*>(&b);
    for (std::uint32_t i = 0; i < sizeof(State) / sizeof(Unit); ++i)
        if (x[i] != y[i]) return false;
    return true;
#else
    return std::memcmp(&a, &b, sizeof(State)) == 0;
#endif
}

// The node whose state is `state`, at most kCarryDepth plies below the root; kNoNode where there is none that has been
// visited. Of several the most visited, then the lowest: so the root itself comes first. All lanes get the same answer.
// Cost: one comparison of states for each node, which mostly ends at the first word.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE std::uint32_t find_state(const T& tree, std::uint32_t nodes, const typename R::State& state,
                                         Lanes lanes) {
    std::uint32_t visits = 0, found = kNoNode;
    for (std::uint32_t first = 0; first < nodes; first += Lanes::kWidth) {
        const std::uint32_t node = first + static_cast<std::uint32_t>(lanes.index());
        if (node < nodes && same_state(tree.state(node), state)) {
            std::uint32_t depth = 0;
            for (std::uint32_t up = node; up != 0 && depth <= kCarryDepth; up = tree.header(up).parent)
                ++depth;
            const std::uint32_t here = tree.header(node).visits;
            if (depth <= kCarryDepth && here > visits) {
                visits = here;
                found = node;
            }
        }
        if (first == 0 && lanes.any(found == 0)) return 0;
    }
    const std::uint32_t most = ~lanes.lowest(~visits);
    return lanes.lowest(visits == most ? found : kNoNode);
}

// Numbers the nodes of the subtree below `root` in their order. Returns how many there are.
template <class T, class Lanes>
AUGUR_HD_INLINE std::uint32_t number_subtree(const T& tree, std::uint32_t nodes, std::uint32_t root,
                                             const CarryScratch& scratch, Lanes lanes) {
    const auto index = static_cast<std::uint32_t>(lanes.index());
    std::uint32_t kept = 0;
    for (std::uint32_t first = root; first < nodes; first += Lanes::kWidth) {
        const std::uint32_t node = first + index;
        const std::uint32_t parent = node < nodes ? tree.header(node).parent : kNoNode;
        const bool above = parent >= root && parent < first;
        bool mine = node == root || (above && scratch.forward[parent] != kNoNode);
        // Parents among the lanes' own nodes: as many turns as there are generations.
        if constexpr (Lanes::kWidth > 1) {
            const bool among = parent != kNoNode && parent >= first;
            for (bool grows = true; lanes.any(grows);) {
                const std::uint32_t marked = lanes.ballot(mine);
                grows = among && !mine && ((marked >> (parent - first)) & 1u) != 0;
                mine = mine || grows;
            }
        }
        const std::uint32_t marked = lanes.ballot(mine);
        if (node < nodes) {
            const std::uint32_t place =
                kept + static_cast<std::uint32_t>(kit::popcount(marked & ((std::uint32_t{1} << index) - 1u)));
            scratch.forward[node] = mine ? place : kNoNode;
            if (mine) scratch.source[place] = node;
        }
        kept += static_cast<std::uint32_t>(kit::popcount(marked));
        lanes.sync();
    }
    return kept;
}

// Drops the least visited nodes of a numbered subtree, the later of equals first, until `room` (at least 1) are left,
// and numbers them again. A parent always has more visits than its child, so whoever stays has a parent that stays.
template <class T, class Lanes>
AUGUR_HD_INLINE void drop_least_visited(const T& tree, std::uint32_t nodes, std::uint32_t root, std::uint32_t room,
                                        const CarryScratch& scratch, Lanes lanes) {
    const auto index = static_cast<std::uint32_t>(lanes.index());
    const auto count_from = [&](std::uint32_t visits) {  // nodes with at least so many
        std::int32_t mine = 0;
        for (std::uint32_t node = root + index; node < nodes; node += Lanes::kWidth)
            mine += scratch.forward[node] != kNoNode && tree.header(node).visits >= visits ? 1 : 0;
        return static_cast<std::uint32_t>(lanes.sum(mine));
    };
    std::uint32_t low = 0, high = tree.header(root).visits;  // too many stay from `low` on; from `high` on few enough
    while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (count_from(middle) > room)
            low = middle;
        else
            high = middle;
    }
    std::uint32_t spare = room - count_from(high);  // for nodes with one visit less
    std::uint32_t kept = 0;
    for (std::uint32_t first = root; first < nodes; first += Lanes::kWidth) {
        const std::uint32_t node = first + index;
        const bool candidate = node < nodes && scratch.forward[node] != kNoNode;
        const std::uint32_t visits = candidate ? tree.header(node).visits : 0;
        const std::uint32_t below = (std::uint32_t{1} << index) - 1u;
        const bool equal = candidate && visits + 1 == high;
        const std::uint32_t equals = lanes.ballot(equal);
        const bool mine = (candidate && visits >= high) ||
                          (equal && static_cast<std::uint32_t>(kit::popcount(equals & below)) < spare);
        spare -= kit::minimum(spare, static_cast<std::uint32_t>(kit::popcount(equals)));
        const std::uint32_t marked = lanes.ballot(mine);
        if (node < nodes) {
            const std::uint32_t place = kept + static_cast<std::uint32_t>(kit::popcount(marked & below));
            scratch.forward[node] = mine ? place : kNoNode;
            if (mine) scratch.source[place] = node;
        }
        kept += static_cast<std::uint32_t>(kit::popcount(marked));
        lanes.sync();
    }
}

// Where one action leads to several nodes: takes dropped ones out of the chains of siblings. Changes nodes that stay,
// and reads of others only those that go.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE void unlink_dropped(const T& tree, std::uint32_t nodes, std::uint32_t root, const CarryScratch& scratch,
                                    Lanes lanes) {
    const auto first_kept = [&](std::uint32_t node) {
        while (node != kNoNode && scratch.forward[node] == kNoNode)
            node = tree.header(node).next_sibling;
        return node;
    };
    for (std::uint32_t node = root + static_cast<std::uint32_t>(lanes.index()); node < nodes; node += Lanes::kWidth) {
        if (scratch.forward[node] == kNoNode) continue;
        if (node != root) tree.header(node).next_sibling = first_kept(tree.header(node).next_sibling);
        std::uint32_t* const children = tree.node_children(node);
        for (int a = 0; a < R::kActions; ++a)
            children[a] = first_kept(children[a]);
    }
    lanes.sync();
}

// Rows of numbers, by their place.
template <class N>
struct NumberRows {
    using Unit = N;
    N* numbers;
    AUGUR_HD_INLINE N load(std::size_t i) const { return numbers[i]; }
    AUGUR_HD_INLINE void store(std::size_t i, N number) const { numbers[i] = number; }
};

// Structs as rows of words: neighbouring lanes move neighbouring words, which is all the difference to a GPU.
template <class S>
struct StructRows {
    using Unit = std::conditional_t<sizeof(S) % 4 == 0 && alignof(S) % 4 == 0, std::uint32_t, unsigned char>;
    static constexpr std::uint32_t kUnits = sizeof(S) / sizeof(Unit);
    S* structs;

    AUGUR_HD_INLINE Unit load(std::size_t i) const {
#if AUGUR_DEVICE_CODE
        return reinterpret_cast<const Unit*>(structs)[i];
#else
        Unit unit;
        std::memcpy(&unit, reinterpret_cast<const unsigned char*>(structs) + i * sizeof unit, sizeof unit);
        return unit;
#endif
    }
    AUGUR_HD_INLINE void store(std::size_t i, Unit unit) const {
#if AUGUR_DEVICE_CODE
        reinterpret_cast<Unit*>(structs)[i] = unit;
#else
        std::memcpy(reinterpret_cast<unsigned char*>(structs) + i * sizeof unit, &unit, sizeof unit);
#endif
    }
};

// Moves W units a node to where the nodes go, each through change(unit, its place in the node). Nodes only move to the
// front, and all lanes have read before any writes: so nothing is overwritten that is still to be read.
template <std::uint32_t W, class Lanes, class Rows, class Change>
AUGUR_HD_INLINE void move_rows(Rows rows, std::uint32_t kept, const std::uint32_t* source, Lanes lanes,
                               const Change& change) {
    using Unit = typename Rows::Unit;
    if constexpr (Lanes::kWidth == 1) {
        for (std::uint32_t node = 0; node < kept; ++node) {
            const std::size_t from = static_cast<std::size_t>(source[node]) * W,
                              to = static_cast<std::size_t>(node) * W;
            for (std::uint32_t i = 0; i < W; ++i)
                rows.store(to + i, static_cast<Unit>(change(rows.load(from + i), i)));
        }
    } else {
        constexpr std::uint32_t kEach = 4;  // of a lane, under way at once
        const std::uint32_t all = kept * W;
        for (std::uint32_t first = 0; first < all; first += kEach * Lanes::kWidth) {
            Unit held[kEach];
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < kEach; ++i) {
                const std::uint32_t to = first + i * Lanes::kWidth + static_cast<std::uint32_t>(lanes.index());
                const std::uint32_t row = to < all ? to / W : 0;
                held[i] = rows.load(static_cast<std::size_t>(source[row]) * W + (to < all ? to - row * W : 0));
            }
            lanes.sync();
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < kEach; ++i) {
                const std::uint32_t to = first + i * Lanes::kWidth + static_cast<std::uint32_t>(lanes.index());
                if (to < all) rows.store(to, static_cast<Unit>(change(held[i], to % W)));
            }
        }
        lanes.sync();
    }
}

// Makes the subtree below `root`, or at most `room` (at least 1) of its nodes, the tree. Every field of a node that
// stays is what it was, but for where parent, children and siblings are now; the new root is as a root is. Returns the
// nodes of the tree. Cost: reads of all headers from `root` on, and one read and one write of what stays.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE std::uint32_t carry_subtree(const T& tree, std::uint32_t nodes, std::uint32_t root, std::uint32_t room,
                                            const CarryScratch& scratch, Lanes lanes) {
    using Shape = Tree<R>;
    if (root == 0 && nodes <= room) return nodes;
    std::uint32_t kept = number_subtree(tree, nodes, root, scratch, lanes);
    if (kept > room) {
        drop_least_visited(tree, nodes, root, room, scratch, lanes);
        if constexpr (NodeHeader<R>::kBranches) unlink_dropped<R>(tree, nodes, root, scratch, lanes);
        kept = room;
    }
    const auto moved = [&](std::uint32_t node, std::uint32_t) {
        return node == kNoNode ? kNoNode : scratch.forward[node];
    };
    const auto as_it_is = [](auto number, std::uint32_t) { return number; };
    const auto move = [&]<std::uint32_t W>(std::integral_constant<std::uint32_t, W>, auto rows, const auto& change) {
        move_rows<W>(rows, kept, scratch.source, lanes, change);
    };
    using State = StructRows<typename R::State>;
    using Header = NodeHeader<R>;
    constexpr std::integral_constant<std::uint32_t, Shape::K> actions;
    move(actions, NumberRows<std::uint32_t>{tree.children}, moved);
    move(std::integral_constant<std::uint32_t, Shape::D * Shape::K>{}, NumberRows<Edge>{tree.edges}, as_it_is);
    move(std::integral_constant<std::uint32_t, State::kUnits>{}, State{tree.states}, as_it_is);
    if constexpr (Guided<T>) {
        move(actions, NumberRows<Prior>{tree.priors}, as_it_is);
        move(std::integral_constant<std::uint32_t, 1>{}, NumberRows<std::int32_t>{tree.network_values}, as_it_is);
    }
    static_assert(sizeof(Header) % 4 == 0 && alignof(Header) % 4 == 0);
    constexpr std::uint32_t kParent = offsetof(Header, parent) / 4, kSibling = offsetof(Header, next_sibling) / 4;
    move(std::integral_constant<std::uint32_t, StructRows<Header>::kUnits>{}, StructRows<Header>{tree.headers},
         [&](std::uint32_t word, std::uint32_t place) {
             const bool names_a_node = place == kParent || (Header::kBranches && place == kSibling);
             // The root's names nodes that are gone, and is written below.
             return !names_a_node || word == kNoNode || word < root ? word : scratch.forward[word];
         });
    if (lanes.leader()) {
        Header& header = tree.header(0);
        header.parent = kNoNode;
        header.next_sibling = kNoNode;
        header.code = kNoNode;
        for (int d = 0; d < Shape::D; ++d) {
            header.reward[d] = 0;
            header.action[d] = 0;
        }
    }
    lanes.sync();
    return kept;
}

// What an edge of the old root is worth to a new one: so many visits as it had of `all`, of `most`, at its mean.
AUGUR_HD_INLINE Edge warm_edge(Edge edge, std::uint32_t all, std::uint32_t most) {
    const std::uint64_t visits = edge_visits(edge);
    if (visits == 0) return 0;
    const std::uint64_t given = all <= most ? visits : visits * most / all;
    return (given << kVisitShift) + (edge & kSumMask) * given / visits;
}

// Begins the tree anew with a share of the old root's statistics, for actions that are legal now. False where the old
// root has nothing to say: another player's turn, no visits, no room for any.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE bool begin_warm(const T& tree, AgentWork& work, const typename R::State& state,
                                std::uint32_t simulations, Lanes lanes) {
    constexpr int kEdges = kit::kDeciders<R> * R::kActions;
    const std::uint32_t all = tree.header(0).visits;
    const int player = tree.header(0).player;
    Edge* const edges = tree.node_edges(0);
    for (int i = lanes.index(); i < kEdges; i += Lanes::kWidth)
        edges[i] = warm_edge(edges[i], all, simulations / kWarmShare);
    lanes.sync();
    write_root<R>(tree, state, lanes, true);
    lanes.sync();
    const NodeHeader<R>& root = tree.header(0);
    work = begin_work<R>(root, simulations);
    const bool warms = work.active != 0 && player == root.player;
    std::int32_t visits = 0;
    for (int i = lanes.index(); i < kEdges; i += Lanes::kWidth) {
        if (!warms || !root.legal[i / R::kActions].test(i % R::kActions)) edges[i] = 0;
        if (i < R::kActions) visits += static_cast<std::int32_t>(edge_visits(edges[i]));
    }
    visits = lanes.sum(visits);
    if (lanes.leader()) tree.header(0).visits = static_cast<std::uint32_t>(visits);
    lanes.sync();
    return visits > 0;
}

// Begins an agent's frame with what there is of its last one: in place of begin_tree. last: how the tree was left (no
// nodes: there is none). state and gathered: what gather found. simulations: asked for this frame. All lanes get the
// same answer, but for flags and active, where the leader's counts.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE Carried carry_tree(const T& tree, AgentWork last, const typename R::State& state,
                                   kit::Gathered gathered, const Settings& settings, std::uint32_t simulations,
                                   const CarryScratch& scratch, Lanes lanes) {
    Carried out = {{0, 0, 0, 0}, CarryOutcome::nothing};
    AgentWork& work = out.work;
    const bool present = gathered == kit::Gathered::ready;
    const std::uint32_t root = present ? find_state<R>(tree, last.nodes, state, lanes) : kNoNode;
    if (root == kNoNode) {
        if (present && last.nodes > 0) out.outcome = CarryOutcome::reset;
        if (out.outcome == CarryOutcome::reset && settings.carry_over == CarryOver::warm_start) {
            if (begin_warm<R>(tree, work, state, simulations, lanes)) out.outcome = CarryOutcome::warmed;
        } else {
            work = begin_tree<R>(tree, state, gathered, simulations, lanes);
        }
        if constexpr (Guided<T>) {
            lanes.sync();
            if (lanes.leader()) begin_guide<R>(tree, work);
            lanes.sync();
        }
        return out;
    }
    out.outcome = CarryOutcome::carried;
    const std::uint32_t room =
        settings.node_capacity > simulations ? settings.node_capacity - simulations : std::uint32_t{1};
    const std::uint32_t nodes = carry_subtree<R>(tree, last.nodes, root, room, scratch, lanes);
    const NodeHeader<R>& header = tree.header(0);
    work = begin_work<R>(header, simulations);
    work.nodes = nodes;
    work.carried = header.visits;
    work.flags &= ~static_cast<std::uint32_t>(kFlagFallback);  // it has been searched
    if (settings.count_carried) work.simulations = work.counted = kit::minimum(header.visits, simulations);
    if (!work.active) return out;
    if (header.visits > kMaxSimulations - simulations) {  // as much as edges can count
        work.flags |= kFlagEarlyStop;
        work.active = 0;
    } else if (!wants_more<R>(tree, work, settings)) {
        work.active = 0;
    }
    return out;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_CARRY_OVER_H
