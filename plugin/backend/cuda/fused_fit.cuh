// How the fused search divides a GPU among its trees.
#ifndef AUGUR_BACKEND_CUDA_FUSED_FIT_CUH
#define AUGUR_BACKEND_CUDA_FUSED_FIT_CUH

#include <optional>

#include "backend/cuda/guided_tree.cuh"
#include "backend/cuda/small_tree.cuh"
#include "backend/cuda/usual_network.cuh"

namespace augur::cuda {

// How a fused kernel's block divides its shared memory.
struct FusedShape {
    std::uint32_t hot_nodes;       // of each tree
    std::uint32_t tree_slots;      // trees that have a place, at most those of a block
    std::uint32_t weights_shared;  // 1: weights and constants lie in shared memory; not of the usual network
};

// Static shared memory of a fused block, and what the driver keeps.
inline constexpr std::size_t kFusedStaticBytes = 2048;

struct FusedFit {
    std::uint32_t trees;   // of a block, 16 or 32; of the usual network 16
    bool usual;            // the network runs as the usual one
    std::uint32_t blocks;  // to a multiprocessor at most
    bool whole;            // every node of a tree has a place in shared memory; of the usual network only
    FusedShape shape;
    std::size_t bytes;  // of dynamic shared memory
};

// The GPU that a fused kernel is to run on.
struct FusedDevice {
    std::uint32_t multiprocessors;
    std::size_t multiprocessor_bytes;  // shared memory of one
    std::size_t block_bytes;           // dynamic shared memory that a block may have
};

// Shared memory of a fused block of fit.trees trees.
template <class R>
std::size_t fused_bytes(const FusedNetwork& network, const FusedFit& fit) {
    // Where there are groups without a tree, a node stands for theirs.
    const std::size_t trees = fit.whole ? fit.shape.tree_slots * SmallTree<R>::bytes(fit.shape.hot_nodes) +
                                              (fit.shape.tree_slots < fit.trees ? SmallTree<R>::bytes(1) : 0)
                                        : fit.shape.tree_slots * HotGuidedTree<R>::bytes(fit.shape.hot_nodes);
    if (fit.usual)
        return trees + (network.is_int8 != 0 ? UsualLayout<R::kFeatures, true>::bytes(network.usual.blocks())
                                             : UsualLayout<R::kFeatures, false>::bytes(network.usual.blocks()));
    const std::size_t weights = fit.shape.weights_shared != 0
                                    ? network.weight_words * std::size_t{16} + network.constant_words * std::size_t{4}
                                    : 0;
    return trees + weights + static_cast<std::size_t>(fit.trees) * network.row_bytes;
}

// What a fused block looks like; of nodes it holds what goes in. The usual network: 16 trees, and two or three blocks
// to a multiprocessor where there are trees for them, some of which search while others wait; rather a few trees less,
// if those then lie in shared memory whole. Others, while every multiprocessor has its trees at once: up to 32 of them,
// the weights in shared memory if that leaves room for the nodes that are visited most. With more trees than that small
// blocks are better, several to a multiprocessor, which take turns at what they wait for; weights and later nodes are
// then left to the cache (measured: docs/benchmarks/h200.md). Nothing: no room.
template <class R>
std::optional<FusedFit> fit_fused(const FusedNetwork& network, std::uint32_t agents, std::uint32_t node_capacity,
                                  const FusedDevice& device) {
    constexpr std::uint32_t kFewHotNodes = 16, kHotNodesOfMany = 12, kFewWholeTrees = 12;
    if (std::uint64_t{agents} * node_capacity >= core::kNoNode) return std::nullopt;  // nodes are counted in 32 bits
    const auto fit_in = [&](std::uint32_t trees, bool usual, std::uint32_t weights_shared, std::uint32_t hot_nodes,
                            std::size_t room) {
        FusedFit fit = {trees, usual, 0, false, {hot_nodes, kit::minimum(trees, agents), weights_shared}, 0};
        while (fit.shape.hot_nodes > 0 && fused_bytes<R>(network, fit) > room)
            fit.shape.hot_nodes -= fit.shape.hot_nodes > 256 ? fit.shape.hot_nodes / 16 : 1;
        fit.bytes = fused_bytes<R>(network, fit);
        return fit;
    };
    const std::size_t limit = device.block_bytes;
    const bool fills = agents > 16 * device.multiprocessors, many = agents > 32 * device.multiprocessors;
    if (R::kFeatures <= kUsualFeatures && network.usual.columns != 0) {
        const std::uint32_t most = many ? 3 : fills ? 2 : 1;
        const auto room_of = [&](std::uint32_t blocks) {
            const std::size_t share = device.multiprocessor_bytes / blocks;
            return share > kFusedStaticBytes ? kit::minimum(limit, share - kFusedStaticBytes) : 0;
        };
        // Trees that lie in shared memory whole, if there is room for nearly as many of them.
        if (kHasSmallNodes<R> && node_capacity <= kSmallNodes) {
            for (std::uint32_t blocks = most; blocks > 0; --blocks) {
                FusedFit fit = {kUsualRows, true, blocks, true, {node_capacity, kit::minimum(kUsualRows, agents), 0},
                                0};
                const std::uint32_t least = many && blocks == 2 ? kFewWholeTrees : fit.shape.tree_slots;
                while (fit.shape.tree_slots > least && fused_bytes<R>(network, fit) > room_of(blocks))
                    --fit.shape.tree_slots;
                fit.bytes = fused_bytes<R>(network, fit);
                if (fit.bytes <= room_of(blocks)) return fit;
                if (!many || blocks == 2) break;
            }
        }
        for (std::uint32_t blocks = most; blocks > 0; --blocks) {
            FusedFit fit = fit_in(kUsualRows, true, 0, node_capacity, room_of(blocks));
            fit.blocks = blocks;
            if (fit.bytes <= room_of(blocks) && fit.shape.hot_nodes >= kit::minimum(node_capacity, kHotNodesOfMany))
                return fit;
        }
    }
    for (std::uint32_t weights_shared = many ? 0 : 2; weights_shared-- > 0;) {
        const FusedFit fit = fit_in(fills ? 32 : 16, false, weights_shared, node_capacity, limit);
        if (fit.bytes <= limit && fit.shape.hot_nodes >= kit::minimum(node_capacity, kFewHotNodes)) return fit;
    }
    const FusedFit fit =
        fit_in(16, false, 0, many ? kit::minimum(node_capacity, kHotNodesOfMany) : node_capacity, limit);
    return fit.bytes <= limit ? std::optional(fit) : std::nullopt;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FUSED_FIT_CUH
