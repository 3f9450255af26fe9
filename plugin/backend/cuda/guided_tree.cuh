// A guided tree whose first nodes live in shared memory, states and all: the fused kernel has its trees to itself.
#ifndef AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH

#include "backend/cuda/hot_tree.cuh"
#include "core/guided_tree.h"

namespace augur::cuda {

template <class R>
struct HotGuidedTree : HotTree<R> {
    core::Prior *hot_priors, *cold_priors;
    std::int32_t *hot_values, *cold_values;
    float* root_scores;
    std::uint32_t simulations;
    core::Selection selection;

    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const {
        return generic_pointer(node < this->count ? this->hot.states : this->cold.states)[node];
    }
    __device__ __forceinline__ core::Prior* node_priors(std::uint32_t node) const {
        return generic_pointer(node < this->count ? hot_priors : cold_priors) +
               static_cast<std::size_t>(node) * R::kActions;
    }
    __device__ __forceinline__ std::int32_t& network_value(std::uint32_t node) const {
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
template <class R>
__device__ __forceinline__ HotGuidedTree<R> place_hot_guided(const core::GuidedTree<R>& cold, unsigned char* memory,
                                                             std::uint32_t nodes) {
    HotGuidedTree<R> tree;
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

// Moves the first `nodes` nodes into shared memory (load) or back (not load).
template <class R>
__device__ __forceinline__ void move_nodes(const HotGuidedTree<R>& tree, std::uint32_t nodes, bool load,
                                           std::uint32_t lane, std::uint32_t lanes) {
    static_assert(sizeof(typename R::State) % 4 == 0);
    move_nodes(static_cast<const HotTree<R>&>(tree), nodes, load, lane, lanes);
    const std::uint32_t count = kit::minimum(nodes, tree.count);
    copy_words(generic_pointer(load ? tree.hot.states : tree.cold.states),
               generic_pointer(load ? tree.cold.states : tree.hot.states), count, lane, lanes);
    copy_words(generic_pointer(load ? tree.hot_values : tree.cold_values),
               generic_pointer(load ? tree.cold_values : tree.hot_values), count, lane, lanes);
    // A tree's priors may begin at an odd place: they go one by one.
    core::Prior* const to = generic_pointer(load ? tree.hot_priors : tree.cold_priors);
    const core::Prior* const from = generic_pointer(load ? tree.cold_priors : tree.hot_priors);
    for (std::uint32_t i = lane; i < count * R::kActions; i += lanes)
        to[i] = from[i];
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_TREE_CUH
