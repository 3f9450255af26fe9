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

// Words that a lane of a group has under way at once while it copies.
inline constexpr std::uint32_t kCopiesAtOnce = 8;

// Copies items between the two places, shared by `lanes` threads of which this is number `lane`, kAtOnce each at a
// time.
template <std::uint32_t kAtOnce = kCopiesAtOnce, class Item>
__device__ __forceinline__ void copy_items(Item* to, const Item* from, std::uint32_t count, std::uint32_t lane,
                                           std::uint32_t lanes) {
    for (std::uint32_t first = lane; first < count; first += kAtOnce * lanes) {
        Item held[kAtOnce];
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kAtOnce; ++i)
            if (first + i * lanes < count) held[i] = from[first + i * lanes];
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < kAtOnce; ++i)
            if (first + i * lanes < count) to[first + i * lanes] = held[i];
    }
}

// The same by words of 4 bytes.
template <std::uint32_t kAtOnce = kCopiesAtOnce, class T>
__device__ __forceinline__ void copy_words(T* to, const T* from, std::uint32_t count, std::uint32_t lane,
                                           std::uint32_t lanes) {
    static_assert(sizeof(T) % 4 == 0);
    copy_items<kAtOnce>(reinterpret_cast<std::uint32_t*>(to), reinterpret_cast<const std::uint32_t*>(from),
                        count * static_cast<std::uint32_t>(sizeof(T) / 4), lane, lanes);
}

// The same between an array of the hot part and one of the cold.
template <bool kLoad, std::uint32_t kAtOnce = kCopiesAtOnce, class T>
__device__ __forceinline__ void move_items(T* hot, T* cold, std::uint32_t count, std::uint32_t lane,
                                           std::uint32_t lanes) {
    hot = generic_pointer(hot);
    cold = generic_pointer(cold);
    T* const to = kLoad ? hot : cold;
    const T* const from = kLoad ? cold : hot;
    if constexpr (sizeof(T) % 4 == 0)
        copy_words<kAtOnce>(to, from, count, lane, lanes);
    else
        copy_items<kAtOnce>(to, from, count, lane, lanes);
}

// Moves the first `nodes` nodes into shared memory (kLoad) or back.
template <bool kLoad, std::uint32_t kAtOnce = kCopiesAtOnce, class R>
__device__ __forceinline__ void move_nodes(const HotTree<R>& tree, std::uint32_t nodes, std::uint32_t lane,
                                           std::uint32_t lanes) {
    using Tree = core::Tree<R>;
    static_assert(sizeof(core::NodeHeader<R>) % 4 == 0);
    const std::uint32_t count = kit::minimum(nodes, tree.count);
    move_items<kLoad, kAtOnce>(tree.hot.headers, tree.cold.headers, count, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot.edges, tree.cold.edges, count * Tree::D * Tree::K, lane, lanes);
    move_items<kLoad, kAtOnce>(tree.hot.children, tree.cold.children, count * Tree::K, lane, lanes);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_HOT_TREE_CUH
