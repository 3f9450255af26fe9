// A guided tree that lies in shared memory whole, in few bytes: with smaller nodes more trees are under way at once.
// Nodes know each other by 16 bits, masks are as wide as the game has actions, and all of a node is one structure, so
// that one address serves for everything in it.
#ifndef AUGUR_BACKEND_CUDA_SMALL_TREE_CUH
#define AUGUR_BACKEND_CUDA_SMALL_TREE_CUH

#include <type_traits>

#include "backend/cuda/hot_tree.cuh"
#include "backend/cuda/layout.h"
#include "core/guided_tree.h"

namespace augur::cuda {

// The games whose nodes can be made small.
template <class R>
inline constexpr bool kHasSmallNodes = kit::kDeciders<R> == 1 && !core::NodeHeader<R>::kBranches && R::kPlayers <= 32 &&
                                       R::kActions <= 16 && sizeof(typename R::State) <= 32;
inline constexpr std::uint32_t kSmallNodes = 0xffff;  // fewer than that, of one tree

struct SmallLink {
    std::uint16_t bits;
    AUGUR_HD_INLINE operator std::uint32_t() const { return bits == 0xffff ? core::kNoNode : bits; }
    AUGUR_HD_INLINE SmallLink& operator=(std::uint32_t node) {
        bits = static_cast<std::uint16_t>(node);
        return *this;
    }
};

template <int K>
struct SmallMask {
    using Mask = kit::ActionMask<K>;
    std::conditional_t<(K <= 8), std::uint8_t, std::uint16_t> bits;
    AUGUR_HD_INLINE operator Mask() const {
        Mask mask;
        mask.words[0] = bits;
        return mask;
    }
    AUGUR_HD_INLINE SmallMask& operator=(const Mask& mask) {
        bits = static_cast<decltype(bits)>(mask.words[0]);
        return *this;
    }
    AUGUR_HD_INLINE bool any() const { return bits != 0; }
    AUGUR_HD_INLINE int count() const { return Mask(*this).count(); }
};

// What core::NodeHeader says, by the same names. What is not here is the same for every node of such a game.
template <class R>
struct SmallHeader {
    std::uint32_t visits;
    std::int32_t reward[1];
    SmallLink parent;
    std::uint8_t action[1];
    std::uint8_t player : 5, terminal : 1;
    core::Proof proof : 2;
    SmallMask<R::kActions> legal[1], lost, drawn;

    AUGUR_HD_INLINE operator core::NodeHeader<R>() const {
        core::NodeHeader<R> out;
        out.parent = parent;
        out.visits = visits;
        out.next_sibling = core::kNoNode;
        out.code = parent.bits == 0xffff ? core::kNoNode : 0;
        out.reward[0] = reward[0];
        out.action[0] = action[0];
        out.player = player;
        out.terminal = terminal;
        out.proof = proof;
        out.reserved = 0;
        out.legal[0] = legal[0];
        out.lost = lost;
        out.drawn = drawn;
        return out;
    }
    AUGUR_HD_INLINE SmallHeader& operator=(const core::NodeHeader<R>& from) {
        visits = from.visits;
        reward[0] = from.reward[0];
        parent = from.parent;
        action[0] = static_cast<std::uint8_t>(from.action[0]);
        player = from.player & 31;
        terminal = from.terminal & 1;
        proof = from.proof;
        legal[0] = from.legal[0];
        lost = from.lost;
        drawn = from.drawn;
        return *this;
    }
};

template <class R>
struct SmallNode {
    core::Edge edges[R::kActions];
    typename R::State state;
    SmallHeader<R> header;
    std::int32_t value;
    SmallLink children[R::kActions];
    core::Prior priors[R::kActions];
};

template <class R>
struct SmallTree {
    static constexpr bool kWhole = true;

    SmallNode<R>* nodes;  // shared memory
    const DeviceArrays<R>& arrays;
    std::uint32_t agent;
    std::uint32_t simulations;  // it is to have in this frame
    core::Selection selection;

    static constexpr std::size_t bytes(std::uint32_t count) { return round_up(count * sizeof(SmallNode<R>), 16); }
    __device__ __forceinline__ static SmallTree place(const DeviceArrays<R>& arrays, unsigned char* memory,
                                                      std::uint32_t, core::Selection selection) {
        return {reinterpret_cast<SmallNode<R>*>(memory), arrays, 0, 0, selection};
    }
    __device__ __forceinline__ void take(std::uint32_t whose) { agent = whose; }

    __device__ __forceinline__ SmallHeader<R>& header(std::uint32_t node) const { return nodes[node].header; }
    __device__ __forceinline__ core::Edge* node_edges(std::uint32_t node, int = 0) const { return nodes[node].edges; }
    __device__ __forceinline__ SmallLink* node_children(std::uint32_t node) const { return nodes[node].children; }
    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const { return nodes[node].state; }
    __device__ __forceinline__ core::Prior* node_priors(std::uint32_t node) const { return nodes[node].priors; }
    __device__ __forceinline__ std::int32_t& network_value(std::uint32_t node) const { return nodes[node].value; }
    __device__ __forceinline__ float& root_score(int action) const {
        return arrays.guides.root_scores[static_cast<std::size_t>(agent) * R::kActions + action];
    }
};

// Where a tree lies in the planner's arrays.
template <class R>
struct ColdNodes {
    core::NodeHeader<R>* headers;
    core::Edge* edges;
    std::uint32_t* children;
    typename R::State* states;
    core::Prior* priors;
    std::int32_t* values;

    __device__ __forceinline__ static ColdNodes of(const SmallTree<R>& tree) {
        const core::Tree<R> base = tree.arrays.pool.tree(tree.agent);
        const std::size_t first = static_cast<std::size_t>(tree.agent) * tree.arrays.pool.node_capacity;
        return {generic_pointer(base.headers),
                generic_pointer(base.edges),
                generic_pointer(base.children),
                generic_pointer(base.states),
                generic_pointer(tree.arrays.guides.priors + first * R::kActions),
                generic_pointer(tree.arrays.guides.network_values + first)};
    }
};

// A root where nobody can act, for a group that has no tree.
template <int kLanes, class R>
__device__ __forceinline__ void clear_root(const SmallTree<R>& tree, int lane) {
    static_assert(sizeof(SmallNode<R>) % 4 == 0);
    auto* const words = reinterpret_cast<std::uint32_t*>(tree.nodes);
    for (std::uint32_t i = static_cast<std::uint32_t>(lane); i < sizeof(SmallNode<R>) / 4; i += kLanes)
        words[i] = 0;
}

// A tree that is a root and nothing else comes into shared memory, by a group of lanes: everything is asked for at
// once.
template <int kLanes, class R>
__device__ __forceinline__ void load_root(const SmallTree<R>& tree, int lane) {
    constexpr int K = R::kActions, kEach = (K + kLanes - 1) / kLanes;
    const ColdNodes<R> cold = ColdNodes<R>::of(tree);
    SmallNode<R>& root = tree.nodes[0];
    const core::NodeHeader<R> header = cold.headers[0];
    const typename R::State state = cold.states[0];
    const std::int32_t value = cold.values[0];
    core::Edge edges[kEach];
    core::Prior priors[kEach];
    AUGUR_UNROLL
    for (int i = 0; i < kEach; ++i) {
        const int a = lane + i * kLanes;
        edges[i] = cold.edges[a < K ? a : 0];
        priors[i] = cold.priors[a < K ? a : 0];
    }
    AUGUR_UNROLL
    for (int i = 0; i < kEach; ++i) {
        const int a = lane + i * kLanes;
        if (a >= K) break;
        root.edges[a] = edges[i];
        root.priors[a] = priors[i];
        root.children[a] = core::kNoNode;
    }
    if (lane != 0) return;
    root.header = header;
    root.state = state;
    root.value = value;
}

// Moves a tree's nodes into shared memory (kLoad) or back; by `lanes` threads, of which this is number `lane`,
// with kMost items of each array under way at once.
template <bool kLoad, std::uint32_t kMost, class R>
__device__ __forceinline__ void move_nodes(const SmallTree<R>& tree, std::uint32_t count, std::uint32_t lane,
                                           std::uint32_t lanes) {
    constexpr std::uint32_t K = R::kActions;
    const ColdNodes<R> cold = ColdNodes<R>::of(tree);
    constexpr std::uint32_t kAtOnce = kit::minimum(kMost, 4u);
    for (std::uint32_t first = lane; first < count * K; first += kAtOnce * lanes) {
        core::Edge edges[kAtOnce];
        std::uint32_t children[kAtOnce];
        core::Prior priors[kAtOnce];
        AUGUR_UNROLL
        for (std::uint32_t j = 0; j < kAtOnce; ++j) {
            const std::uint32_t i = first + j * lanes;
            if (i >= count * K) break;
            const SmallNode<R>& node = tree.nodes[i / K];
            edges[j] = kLoad ? cold.edges[i] : node.edges[i % K];
            children[j] = kLoad ? cold.children[i] : node.children[i % K];
            priors[j] = kLoad ? cold.priors[i] : node.priors[i % K];
        }
        AUGUR_UNROLL
        for (std::uint32_t j = 0; j < kAtOnce; ++j) {
            const std::uint32_t i = first + j * lanes;
            if (i >= count * K) break;
            SmallNode<R>& node = tree.nodes[i / K];
            if constexpr (kLoad) {
                node.edges[i % K] = edges[j];
                node.children[i % K] = children[j];
                node.priors[i % K] = priors[j];
            } else {
                cold.edges[i] = edges[j];
                cold.children[i] = children[j];
                cold.priors[i] = priors[j];
            }
        }
    }
    for (std::uint32_t i = lane; i < count; i += lanes) {
        SmallNode<R>& node = tree.nodes[i];
        if constexpr (kLoad) {
            node.header = cold.headers[i];
            node.state = cold.states[i];
            node.value = cold.values[i];
        } else {
            cold.headers[i] = node.header;
            cold.states[i] = node.state;
            cold.values[i] = node.value;
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_SMALL_TREE_CUH
