// A guided tree whose first nodes live in shared memory, states and all: the fused kernel has its trees to itself.
#ifndef AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH

#include "backend/cuda/hot_tree.cuh"
#include "core/guided_tree.h"

namespace augur::cuda {

// kWhole: all its nodes do, and the compiler knows.
template <class R, bool kWhole = false>
struct HotGuidedTree : HotTree<R> {
    core::Prior *hot_priors, *cold_priors;
    std::int32_t *hot_values, *cold_values;
    float* root_scores;
    std::uint32_t simulations;
    core::Selection selection;

    __device__ __forceinline__ core::NodeHeader<R>& header(std::uint32_t node) const {
        if constexpr (kWhole) return this->hot.headers[node];
        return HotTree<R>::header(node);
    }
    __device__ __forceinline__ core::Edge* node_edges(std::uint32_t node, int decider = 0) const {
        if constexpr (kWhole) return this->hot.node_edges(node, decider);
        return HotTree<R>::node_edges(node, decider);
    }
    __device__ __forceinline__ std::uint32_t* node_children(std::uint32_t node) const {
        if constexpr (kWhole) return this->hot.node_children(node);
        return HotTree<R>::node_children(node);
    }
    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const {
        if constexpr (kWhole) return this->hot.states[node];
        return generic_pointer(node < this->count ? this->hot.states : this->cold.states)[node];
    }
    __device__ __forceinline__ core::Prior* node_priors(std::uint32_t node) const {
        if constexpr (kWhole) return hot_priors + node * R::kActions;
        return generic_pointer(node < this->count ? hot_priors : cold_priors) +
               static_cast<std::size_t>(node) * R::kActions;
    }
    __device__ __forceinline__ std::int32_t& network_value(std::uint32_t node) const {
        if constexpr (kWhole) return hot_values[node];
        return generic_pointer(node < this->count ? hot_values : cold_values)[node];
    }
};

// Shared memory of one tree's hot nodes.
template <class R>
constexpr std::size_t hot_guided_bytes(std::uint32_t nodes) {
    return hot_tree_bytes<R>(nodes) + round_up(nodes * sizeof(typename R::State), 16) +
           round_up(nodes * sizeof(core::Prior) * R::kActions, 16) + round_up(nodes * sizeof(std::int32_t), 16);
}

// Places a tree's hot part in shared memory (16-byte aligned, hot_guided_bytes long).
template <class R, bool kWhole>
__device__ __forceinline__ HotGuidedTree<R, kWhole> place_hot_guided(const core::GuidedTree<R>& cold,
                                                                     unsigned char* memory, std::uint32_t nodes) {
    HotGuidedTree<R, kWhole> tree;
    static_cast<HotTree<R>&>(tree) = place_hot_tree<R>(cold, memory, nodes);
    memory += hot_tree_bytes<R>(nodes);
    tree.hot.states = reinterpret_cast<typename R::State*>(memory);
    memory += round_up(nodes * sizeof(typename R::State), 16);
    tree.hot_priors = reinterpret_cast<core::Prior*>(memory);
    memory += round_up(nodes * sizeof(core::Prior) * R::kActions, 16);
    tree.hot_values = reinterpret_cast<std::int32_t*>(memory);
    tree.cold_priors = cold.priors;
    tree.cold_values = cold.network_values;
    tree.root_scores = cold.root_scores;
    tree.simulations = cold.simulations;
    tree.selection = cold.selection;
    return tree;
}

// Moves the first `nodes` nodes into shared memory (kLoad) or back.
template <bool kLoad, class R, bool kWhole>
__device__ __forceinline__ void move_nodes(const HotGuidedTree<R, kWhole>& tree, std::uint32_t nodes,
                                           std::uint32_t lane, std::uint32_t lanes) {
    static_assert(sizeof(typename R::State) % 4 == 0);
    move_nodes<kLoad, kWhole>(static_cast<const HotTree<R>&>(tree), nodes, lane, lanes);
    const std::uint32_t count = kit::minimum(nodes, tree.count);
    move_items<kLoad, kWhole>(tree.hot.states, tree.cold.states, count, lane, lanes);
    move_items<kLoad, kWhole>(tree.hot_values, tree.cold_values, count, lane, lanes);
    // A tree's priors may begin at an odd place: they go one by one.
    move_items<kLoad, kWhole>(tree.hot_priors, tree.cold_priors, count * R::kActions, lane, lanes);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
