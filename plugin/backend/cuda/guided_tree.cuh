// A guided tree whose first nodes live in shared memory, states and all: the fused kernel has its trees to itself.
#ifndef AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH

#include "backend/cuda/hot_tree.cuh"
#include "backend/cuda/layout.h"
#include "core/guided_tree.h"

namespace augur::cuda {

// Lanes that share a guided tree.
inline constexpr int kGuidedLanes = 8;

// The other nodes are where the planner's arrays have them: their pointers are made anew each time, from arguments of
// the kernel, because registers are dear where weights lie in them.
template <class R>
struct HotGuidedTree {
    static constexpr bool kWhole = false;

    core::Tree<R> hot;
    core::Prior* hot_priors;
    std::int32_t* hot_values;
    const DeviceArrays<R>& arrays;
    std::uint32_t agent;
    std::uint32_t first_node;   // of the agent's nodes in the arrays, which have fewer than 2^32 (fit_fused)
    std::uint32_t count;        // nodes in the hot part
    std::uint32_t simulations;  // it is to have in this frame
    core::Selection selection;

    // Shared memory of one tree's hot nodes.
    static constexpr std::size_t bytes(std::uint32_t nodes) {
        return hot_tree_bytes<R>(nodes) + round_up(nodes * sizeof(typename R::State), 16) +
               round_up(nodes * sizeof(core::Prior) * R::kActions, 16) + round_up(nodes * sizeof(std::int32_t), 16);
    }
    // memory: 16-byte aligned.
    __device__ __forceinline__ static HotGuidedTree place(const DeviceArrays<R>& arrays, unsigned char* memory,
                                                          std::uint32_t nodes, core::Selection selection) {
        core::Tree<R> hot = place_hot_tree<R>({}, memory, nodes).hot;
        memory += hot_tree_bytes<R>(nodes);
        hot.states = reinterpret_cast<typename R::State*>(memory);
        memory += round_up(nodes * sizeof(typename R::State), 16);
        auto* const priors = reinterpret_cast<core::Prior*>(memory);
        memory += round_up(nodes * sizeof(core::Prior) * R::kActions, 16);
        return {hot, priors, reinterpret_cast<std::int32_t*>(memory), arrays, 0, 0, nodes, 0, selection};
    }
    __device__ __forceinline__ void take(std::uint32_t whose) {
        agent = whose;
        first_node = whose * arrays.pool.node_capacity;
    }
    __device__ __forceinline__ std::size_t first() const { return first_node; }

    __device__ __forceinline__ core::NodeHeader<R>& header(std::uint32_t node) const {
        return generic_pointer(node < count ? hot.headers : arrays.pool.base.headers + first())[node];
    }
    __device__ __forceinline__ core::Edge* node_edges(std::uint32_t node, int = 0) const {
        return generic_pointer(node < count ? hot.edges : arrays.pool.base.edges + first() * R::kActions) +
               static_cast<std::size_t>(node) * R::kActions;
    }
    __device__ __forceinline__ std::uint32_t* node_children(std::uint32_t node) const {
        return generic_pointer(node < count ? hot.children : arrays.pool.base.children + first() * R::kActions) +
               static_cast<std::size_t>(node) * R::kActions;
    }
    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const {
        return generic_pointer(node < count ? hot.states : arrays.pool.base.states + first())[node];
    }
    __device__ __forceinline__ core::Prior* node_priors(std::uint32_t node) const {
        return generic_pointer(node < count ? hot_priors : arrays.guides.priors + first() * R::kActions) +
               static_cast<std::size_t>(node) * R::kActions;
    }
    __device__ __forceinline__ std::int32_t& network_value(std::uint32_t node) const {
        return generic_pointer(node < count ? hot_values : arrays.guides.network_values + first())[node];
    }
    __device__ __forceinline__ float& root_score(int action) const {
        return arrays.guides.root_scores[static_cast<std::size_t>(agent) * R::kActions + action];
    }
};

// A node's part of one array, in the registers of a group's lanes on its way.
template <std::uint32_t kCount, class Item, int kLanes>
struct HeldNode {
    static constexpr std::uint32_t kEach = (kCount + kLanes - 1) / kLanes;
    Item items[kEach];

    __device__ __forceinline__ void load(const void* from, int lane) {
        from = generic_pointer(from);
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kEach; ++i) {
            const std::uint32_t at = static_cast<std::uint32_t>(lane) + i * kLanes;
            if (at < kCount) items[i] = static_cast<const Item*>(from)[at];
        }
    }
    __device__ __forceinline__ void store(void* to, int lane) const {
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kEach; ++i) {
            const std::uint32_t at = static_cast<std::uint32_t>(lane) + i * kLanes;
            if (at < kCount) static_cast<Item*>(to)[at] = items[i];
        }
    }
};

// A tree that is a root and nothing else, into shared memory by a group of lanes: everything is asked for at once.
template <int kLanes, class R>
__device__ __forceinline__ void load_root(const HotGuidedTree<R>& tree, int lane) {
    constexpr std::uint32_t K = R::kActions;
    const core::TreePool<R>& pool = tree.arrays.pool;
    const core::GuidePool<R>& guides = tree.arrays.guides;
    const std::size_t at = tree.first();
    HeldNode<sizeof(core::NodeHeader<R>) / 4, std::uint32_t, kLanes> header;
    HeldNode<K, core::Edge, kLanes> edges;
    HeldNode<K, std::uint32_t, kLanes> children;
    HeldNode<sizeof(typename R::State) / 4, std::uint32_t, kLanes> state;
    HeldNode<K, core::Prior, kLanes> priors;
    HeldNode<1, std::int32_t, kLanes> value;
    header.load(pool.base.headers + at, lane);
    edges.load(pool.base.edges + at * K, lane);
    children.load(pool.base.children + at * K, lane);
    state.load(pool.base.states + at, lane);
    priors.load(guides.priors + at * K, lane);
    value.load(guides.network_values + at, lane);
    header.store(tree.hot.headers, lane);
    edges.store(tree.hot.edges, lane);
    children.store(tree.hot.children, lane);
    state.store(tree.hot.states, lane);
    priors.store(tree.hot_priors, lane);
    value.store(tree.hot_values, lane);
}

// Moves the first `nodes` nodes into shared memory (kLoad) or back.
template <bool kLoad, std::uint32_t kAtOnce, class R>
__device__ __forceinline__ void move_nodes(const HotGuidedTree<R>& tree, std::uint32_t nodes, std::uint32_t lane,
                                           std::uint32_t lanes) {
    static_assert(sizeof(typename R::State) % 4 == 0 && sizeof(core::NodeHeader<R>) % 4 == 0);
    constexpr std::uint32_t K = R::kActions;
    const core::Tree<R>& base = tree.arrays.pool.base;
    const core::GuidePool<R>& guides = tree.arrays.guides;
    const std::size_t at = tree.first();
    const std::uint32_t count = kit::minimum(nodes, tree.count);
    move_items<kLoad, kAtOnce>(tree.hot.headers, base.headers + at, count, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot.edges, base.edges + at * K, count * K, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot.children, base.children + at * K, count * K, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot.states, base.states + at, count, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot_values, guides.network_values + at, count, lane, lanes);
    // A tree's priors may begin at an odd place: they go one by one.
    move_items<kLoad, kAtOnce>(tree.hot_priors, guides.priors + at * K, count * K, lane, lanes);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
