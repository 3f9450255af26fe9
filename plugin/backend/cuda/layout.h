// Where a planner's arrays lie in its one block of device memory.
#ifndef AUGUR_BACKEND_CUDA_LAYOUT_H
#define AUGUR_BACKEND_CUDA_LAYOUT_H

#include "backend/backend.h"
#include "backend/cuda/control.h"
#include "backend/cuda/learned_view.h"
#include "backend/cuda/slices.h"
#include "core/grid.h"
#include "core/guided_tree.h"
#include "core/rules_info.h"
#include "core/simulate.h"
#include "core/wave.h"

namespace augur::cuda {

// A leaf of a guided search in the wave form, between descent and backup.
struct PendingLeaf {
    core::Leaf leaf;
    std::uint32_t row;    // of the batch; kNoNode: the network need not look at it
    std::uint32_t fresh;  // 1: made by this simulation
};

// Everything a kernel needs, passed by value.
template <class R>
struct DeviceArrays : LearnedPart<R> {
    core::TreePool<R> pool;
    core::AgentWork* work;      // [A]
    core::Decision* decisions;  // [A]
    std::int32_t* words;        // [W][A]
    core::Grid grid;
    std::uint32_t* active[2];    // [A] lists of agents that want more, wave forms of a forest; null elsewhere
    core::Leaf* leaves;          // [A] wave form
    core::Return<R>* returns;    // [A] wave form
    core::GuidePool<R> guides;   // guided engines; null arrays elsewhere
    PendingLeaf* pending;        // [A] guided engines; [A][W] large tree
    std::uint64_t* table_keys;   // [A][slots] large tree
    std::uint32_t* table_nodes;  // [A][slots]
    std::uint32_t table_slots;
    core::PathStep* wave_path;    // [A][W][horizon]
    std::uint32_t wave_width;     // W
    std::uint32_t path_capacity;  // horizon
    std::uint32_t* urgency;       // [A] adaptive engines; null elsewhere
    std::uint16_t* ages;          // [A]
    // Engines that carry trees over; null arrays elsewhere.
    typename R::State* roots;      // [A] what gather found, until the last tree has been looked at
    kit::Gathered* found;          // [A]
    std::uint32_t* carry_forward;  // [A][N]
    std::uint32_t* carry_source;   // [A][N]
    FrameState* frame;
    const FrameOrder* order_host;  // pinned, as the device sees it
    FrameReport* report_host;
    const volatile std::uint32_t* cancel_host;
    std::uint32_t agent_capacity;  // A

    // simulations: that it is to have, while it is searched.
    __device__ __forceinline__ core::GuidedTree<R> guided_tree(std::uint32_t agent, std::uint32_t simulations,
                                                               core::Selection selection) const {
        return guides.tree(pool, agent, simulations, selection);
    }
};

inline bool is_large(const EngineDesc& desc) {
    return desc.search == AUGUR_SEARCH_TREE;
}

// Rows of a network's batch at most.
inline std::uint32_t batch_rows(const EngineDesc& desc) {
    return desc.agent_capacity * (is_large(desc) ? desc.leaves_per_wave : 1);
}

// Gives every array its place in a block that starts at base (0: only adds up sizes). Returns the bytes.
template <class R>
std::size_t place_arrays(const EngineDesc& desc, std::uintptr_t base, bool waves, DeviceArrays<R>& out) {
    Slices slices(base);
    const auto take = [&slices](auto*& pointer, std::size_t count) { slices.take(pointer, count); };
    const std::size_t agents = desc.agent_capacity;
    const std::size_t nodes = agents * desc.node_capacity;
    using Tree = core::Tree<R>;
    out.agent_capacity = desc.agent_capacity;
    out.pool.node_capacity = desc.node_capacity;
    take(out.pool.base.headers, nodes);
    take(out.pool.base.edges, nodes * Tree::D * Tree::K);
    take(out.pool.base.children, nodes * Tree::K);
    take(out.pool.base.states, nodes);
    take(out.work, agents);
    take(out.decisions, agents);
    take(out.words, agents * core::make_rules_info<R>().word_count);
    out.grid.buckets = R::kNeighbours > 0 ? core::grid_buckets(desc.agent_capacity) : 0;
    take(out.grid.heads, out.grid.buckets);
    take(out.grid.next, R::kNeighbours > 0 ? agents : 0);
    const std::size_t guided_nodes = desc.guided ? nodes : 0;
    take(out.guides.priors, guided_nodes * R::kActions);
    take(out.guides.network_values, guided_nodes);
    take(out.guides.root_scores, desc.guided ? agents * R::kActions : 0);
    if constexpr (core::Latent<R>) take(out.learned.latents, nodes * desc.learned->state_count);
    take(out.pending, desc.guided ? agents * (is_large(desc) ? desc.leaves_per_wave : 1) : 0);
    for (std::uint32_t*& list : out.active)
        take(list, waves || (desc.guided && !is_large(desc)) ? agents : 0);
    take(out.leaves, waves ? agents : 0);
    take(out.returns, waves ? agents : 0);
    const bool large = is_large(desc);
    out.table_slots =
        large && desc.transpositions && core::kCanTranspose<R> ? core::transposition_slots(desc.node_capacity) : 0;
    take(out.table_keys, agents * out.table_slots);
    take(out.table_nodes, agents * out.table_slots);
    out.wave_width = large ? desc.leaves_per_wave : 0;
    out.path_capacity = large ? desc.horizon : 0;
    take(out.wave_path, agents * out.wave_width * out.path_capacity);
    take(out.urgency, desc.adaptive ? agents : 0);
    take(out.ages, desc.adaptive ? agents : 0);
    const bool carries = desc.carry_over != AUGUR_CARRY_OVER_NONE;
    take(out.roots, carries ? agents : 0);
    take(out.found, carries ? agents : 0);
    take(out.carry_forward, carries ? nodes : 0);
    take(out.carry_source, carries ? nodes : 0);
    take(out.frame, 1);
    return slices.bytes();
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_LAYOUT_H
