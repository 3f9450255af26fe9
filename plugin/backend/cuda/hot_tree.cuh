// A tree whose first nodes live in shared memory. A search visits the nodes near the root again and again, and those
// are the ones it expanded first; shared memory answers in a tenth of the time of the L2 cache.
#ifndef AUGUR_BACKEND_CUDA_HOT_TREE_CUH
#define AUGUR_BACKEND_CUDA_HOT_TREE_CUH

#include "core/tree.h"

namespace augur::cuda {

// A pointer of unknown address space. nvcc 13.0 takes a choice between a shared and a kernel argument's global pointer
// for a global one and then writes shared addresses as if they were global; this keeps it from knowing where either
// came from.
template <class T>
__device__ __forceinline__ T* generic_pointer(T* pointer) {
    asm("" : "+l"(pointer));
    return pointer;
}

// Nodes below `count` are in hot, the others in cold; both are indexed by the node's own number.
template <class R>
struct HotTree {
    core::Tree<R> hot, cold;
    std::uint32_t count;

    __device__ __forceinline__ core::NodeHeader<R>& header(std::uint32_t node) const {
        return generic_pointer(node < count ? hot.headers : cold.headers)[node];
    }
    // States are read once a simulation and stay in global memory.
    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const { return cold.states[node]; }
    __device__ __forceinline__ core::Edge* node_edges(std::uint32_t node, int decider = 0) const {
        const core::Tree<R> either = {nullptr, generic_pointer(node < count ? hot.edges : cold.edges), nullptr,
                                      nullptr};
        return either.node_edges(node, decider);
    }
    __device__ __forceinline__ std::uint32_t* node_children(std::uint32_t node) const {
        const core::Tree<R> either = {nullptr, nullptr, generic_pointer(node < count ? hot.children : cold.children),
                                      nullptr};
        return either.node_children(node);
    }
};

// Shared memory that a hot node takes, and what lies before the first one for alignment.
template <class R>
constexpr std::size_t hot_node_bytes() {
    return core::TreePool<R>::bytes_per_node() - sizeof(typename R::State);
}

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

// Shared memory of one tree's hot nodes.
template <class R>
constexpr std::size_t hot_tree_bytes(std::uint32_t nodes) {
    using Tree = core::Tree<R>;
    return round_up(nodes * sizeof(core::Edge) * Tree::D * Tree::K, 16) +
           round_up(nodes * sizeof(core::NodeHeader<R>), 16) + round_up(nodes * sizeof(std::uint32_t) * Tree::K, 16);
}

// Places a tree's hot part in shared memory (16-byte aligned, hot_tree_bytes long).
template <class R>
__device__ __forceinline__ HotTree<R> place_hot_tree(const core::Tree<R>& cold, unsigned char* memory,
                                                     std::uint32_t nodes) {
    using Tree = core::Tree<R>;
    Tree hot;
    hot.edges = reinterpret_cast<core::Edge*>(memory);
    memory += round_up(nodes * sizeof(core::Edge) * Tree::D * Tree::K, 16);
    hot.headers = reinterpret_cast<core::NodeHeader<R>*>(memory);
    memory += round_up(nodes * sizeof(core::NodeHeader<R>), 16);
    hot.children = reinterpret_cast<std::uint32_t*>(memory);
    hot.states = nullptr;
    return {hot, cold, nodes};
}

// Copies 4-byte words between the two places, shared by `lanes` threads of which this is number `lane`.
template <class T>
__device__ __forceinline__ void copy_words(T* to, const T* from, std::uint32_t count, std::uint32_t lane,
                                           std::uint32_t lanes) {
    auto* to_words = reinterpret_cast<std::uint32_t*>(to);
    const auto* from_words = reinterpret_cast<const std::uint32_t*>(from);
    for (std::uint32_t i = lane; i < count * sizeof(T) / 4; i += lanes)
        to_words[i] = from_words[i];
}

// Moves the first `nodes` nodes into shared memory (load) or back (not load).
template <class R>
__device__ __forceinline__ void move_nodes(const HotTree<R>& tree, std::uint32_t nodes, bool load, std::uint32_t lane,
                                           std::uint32_t lanes) {
    using Tree = core::Tree<R>;
    static_assert(sizeof(core::NodeHeader<R>) % 4 == 0);
    const std::uint32_t count = kit::minimum(nodes, tree.count);
    const auto move = [&]<class T>(T* hot, T* cold, std::uint32_t items) {
        T* const to = generic_pointer(load ? hot : cold);
        const T* const from = generic_pointer(load ? cold : hot);
        copy_words(to, from, items, lane, lanes);
    };
    move(tree.hot.headers, tree.cold.headers, count);
    move(tree.hot.edges, tree.cold.edges, count * Tree::D * Tree::K);
    move(tree.hot.children, tree.cold.children, count * Tree::K);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_HOT_TREE_CUH
