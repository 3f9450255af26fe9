// A return on its way up, by all lanes of a group: each adds it to the edge of one ply.
#ifndef AUGUR_BACKEND_CUDA_GROUP_BACKUP_CUH
#define AUGUR_BACKEND_CUDA_GROUP_BACKUP_CUH

#include "backend/cuda/lanes.cuh"
#include "core/proof.h"
#include "core/simulate.h"

namespace augur::cuda {

// What the way up needs of a node: its parent and how it was reached, and how the game stands there. The rest of the
// header is not read.
template <class R, class T>
__device__ __forceinline__ core::NodeHeader<R> seen_from_below(const T& tree, std::uint32_t node) {
    const core::NodeHeader<R>& from = tree.header(node);
    core::NodeHeader<R> out;
    out.parent = from.parent;
    out.reward[0] = from.reward[0];
    out.action[0] = from.action[0];
    out.player = from.player;
    out.terminal = from.terminal;
    out.proof = from.proof;
    return out;
}

// core::back_up for games with one decider, with the same results. The lanes of a group walk up together, each in
// registers of its own, and keep a ply each; edges and visits then change at once instead of one after the other. All
// lanes of the group call it with the same arguments; other groups of the warp need not.
template <class R, class T, int Width>
__device__ __forceinline__ void back_up_together(const T& tree, std::uint32_t leaf, core::Return<R> result,
                                                 const core::Settings& settings, std::uint32_t& flags,
                                                 GroupLanes<Width> lanes) {
    static_assert(kit::kDeciders<R> == 1);
    std::int32_t value = result.value[0];
    bool decided = true;  // the child's outcome is news to its parent
    std::uint32_t node = leaf;
    core::NodeHeader<R> child = seen_from_below<R>(tree, leaf);
    while (node != 0) {
        std::uint32_t my_node = core::kNoNode;
        std::uint32_t my_action = 0;
        std::int32_t my_value = 0;
        for (int ply = 0; ply < Width && node != 0; ++ply) {
            const std::uint32_t above = child.parent;
            core::NodeHeader<R> parent = seen_from_below<R>(tree, above);
            const std::int32_t later = child.player == parent.player ? value : -value;
            value = core::discounted(child.reward[0], settings.discount, later);
            if (kit::absolute(value) > kit::kOne) flags |= core::kFlagValueClamped;
            if constexpr (R::kProvable) {
                const core::Proof outcome =
                    decided ? core::outcome_for_mover<R>(child, parent.player) : core::Proof::open;
                decided = false;
                if (outcome != core::Proof::open) {
                    // Every lane notes it for itself, and one in the tree when all have looked.
                    core::NodeHeader<R> noted = tree.header(above);
                    lanes.sync_group();
                    decided = core::note_outcome<R>(noted, child.action[0], outcome);
                    if (decided) value = core::proven_value(noted.proof);
                    parent.proof = noted.proof;
                    if (lanes.leader()) {
                        auto& kept = tree.header(above);
                        kept.lost = noted.lost;
                        kept.drawn = noted.drawn;
                        kept.proof = noted.proof;
                    }
                    lanes.sync_group();
                }
            }
            const bool mine = lanes.index() == ply;
            my_node = mine ? above : my_node;
            my_action = mine ? child.action[0] : my_action;
            my_value = mine ? value : my_value;
            child = parent;
            node = above;
        }
        if (my_node == core::kNoNode) continue;
        tree.node_edges(my_node)[my_action] += core::kOneVisit + core::edge_value(my_value);
        ++tree.header(my_node).visits;
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GROUP_BACKUP_CUH
