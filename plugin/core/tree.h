// A search tree: fixed-capacity arrays, one entry per node, tree after tree. Node 0 is the root; a node's index is the
// order in which it was expanded. Selection reads one node header and one row of edges: for K <= 16 each is within a
// 128-byte line.
#ifndef AUGUR_CORE_TREE_H
#define AUGUR_CORE_TREE_H

#include <augur/kit/rules.h>

#include "core/value.h"

namespace augur::core {

inline constexpr std::uint32_t kNoNode = 0xffffffffu;

// How a node's game stands for the player to act there.
enum class Proof : std::uint8_t { open = 0, win = 1, loss = 2, draw = 3 };

template <class R>
struct NodeHeader {
    static constexpr int D = kit::kDeciders<R>;
    static constexpr bool kBranches = R::kChance || D > 1;  // one action can lead to several nodes
    using Mask = kit::ActionMask<R::kActions>;

    std::uint32_t parent;        // kNoNode at the root
    std::uint32_t visits;        // simulations that went on from here
    std::uint32_t next_sibling;  // next child of the same parent by the same first action; kBranches only
    std::uint32_t code;          // tells such siblings apart: other players' actions, or the chance outcome's hash.
                                 // In a large tree (which has no such siblings): the lowest action proven to win
    std::int32_t reward[D];      // on the ply that led here, Q16, for the player(s) who acted
    std::uint16_t action[D];     // that led here
    std::uint8_t player;         // to act here
    std::uint8_t terminal;       // 1: the game is over here
    Proof proof;
    std::uint8_t reserved;
    Mask legal[D];
    Mask lost;   // actions proven to lose, or made pointless by a proven win; games with kProvable only
    Mask drawn;  // actions proven to draw
};

// One tree's slice of the pool. Search functions are templates over the tree's type T and use only header, state,
// node_edges and node_children of it: the GPU has one that keeps its first nodes in shared memory.
template <class R>
struct Tree {
    static constexpr int K = R::kActions;
    static constexpr int D = kit::kDeciders<R>;

    NodeHeader<R>* headers;     // [N]
    Edge* edges;                // [N][D][K]
    std::uint32_t* children;    // [N][K] by the first decider's action; kNoNode where none
    typename R::State* states;  // [N]

    AUGUR_HD_INLINE NodeHeader<R>& header(std::uint32_t node) const { return headers[node]; }
    AUGUR_HD_INLINE typename R::State& state(std::uint32_t node) const { return states[node]; }
    AUGUR_HD_INLINE Edge* node_edges(std::uint32_t node, int decider = 0) const {
        return edges + (static_cast<std::size_t>(node) * D + static_cast<std::size_t>(decider)) * K;
    }
    AUGUR_HD_INLINE std::uint32_t* node_children(std::uint32_t node) const {
        return children + static_cast<std::size_t>(node) * K;
    }
};

// All trees of a planner. Arrays are [A][N].
template <class R>
struct TreePool {
    Tree<R> base;
    std::uint32_t node_capacity;  // N

    AUGUR_HD_INLINE Tree<R> tree(std::uint32_t agent) const {
        const std::size_t first = static_cast<std::size_t>(agent) * node_capacity;
        return {base.headers + first, base.edges + first * Tree<R>::D * Tree<R>::K, base.children + first * Tree<R>::K,
                base.states + first};
    }

    static constexpr std::size_t bytes_per_node() {
        return sizeof(NodeHeader<R>) + sizeof(Edge) * Tree<R>::D * Tree<R>::K + sizeof(std::uint32_t) * Tree<R>::K +
               sizeof(typename R::State);
    }
};

// One agent's search in progress.
struct AgentWork {
    std::uint32_t nodes;        // expanded so far
    std::uint32_t simulations;  // done so far
    std::uint32_t flags;        // AgentFlag
    std::uint32_t active;       // simulations that it is to have in all; 0: wants no more
    std::uint32_t carried = 0;  // visits that the root brought from the frame before; 0: the tree began anew
    std::uint32_t counted = 0;  // of `simulations` those that earlier frames did
};

}  // namespace augur::core

#endif  // AUGUR_CORE_TREE_H
