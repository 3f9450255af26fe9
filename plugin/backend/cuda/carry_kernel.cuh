// What agents' last trees are worth to this frame: core/carry_over.h, a warp to a tree.
#ifndef AUGUR_BACKEND_CUDA_CARRY_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_CARRY_KERNEL_CUH

#include "backend/cuda/frame_kernels.cuh"
#include "core/carry_over.h"

namespace augur::cuda {

inline constexpr std::uint32_t kCarryLanes = 32, kCarryThreads = 128;

template <class R, class T>
__device__ __forceinline__ core::Carried carry_agent(const T& tree, const DeviceArrays<R>& arrays,
                                                     const core::Settings& settings, std::uint32_t agent) {
    const std::size_t first = static_cast<std::size_t>(agent) * arrays.pool.node_capacity;
    const core::CarryScratch scratch = {arrays.carry_forward + first, arrays.carry_source + first};
    return core::carry_tree<R>(tree, arrays.work[agent], arrays.roots[agent], arrays.found[agent], settings,
                               arrays.frame->order.key.simulations, scratch, GroupLanes<kCarryLanes>::make());
}

// In place of the end of the gather kernel. Live nodes are all that is read or written. A block's trees are counted
// together.
template <class R>
__global__ void __launch_bounds__(kCarryThreads) carry_kernel(DeviceArrays<R> arrays, core::Settings settings) {
    mark_stage(arrays, kCarry);
    __shared__ std::uint32_t counts[4], nodes;  // counts: by outcome
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) nodes = 0;
    __syncthreads();
    FrameState& frame = *arrays.frame;
    const std::uint32_t agent = global_thread() / kCarryLanes;
    if (agent < frame.order.key.agent_count) {
        core::Carried carried;
        if constexpr (core::Featured<R>) {
            carried = arrays.guides.priors != nullptr
                          ? carry_agent(arrays.guided_tree(agent, 0, settings.selection), arrays, settings, agent)
                          : carry_agent(arrays.pool.tree(agent), arrays, settings, agent);
        } else {
            carried = carry_agent(arrays.pool.tree(agent), arrays, settings, agent);
        }
        if (threadIdx.x % kCarryLanes == 0) {
            arrays.work[agent] = carried.work;
            atomicAdd(&counts[static_cast<std::uint32_t>(carried.outcome)], 1u);
            if (carried.outcome == core::CarryOutcome::carried) atomicAdd(&nodes, carried.work.nodes);
            if (carried.work.active) {
                const std::uint32_t place = atomicAdd(&frame.active_agents, 1u);
                if (arrays.active[0] != nullptr) arrays.active[0][place] = agent;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    const auto add = [](std::uint32_t* to, std::uint32_t amount) {
        if (amount != 0) atomicAdd(to, amount);
    };
    add(&frame.report.trees_carried, counts[static_cast<std::uint32_t>(core::CarryOutcome::carried)]);
    add(&frame.report.trees_warmed, counts[static_cast<std::uint32_t>(core::CarryOutcome::warmed)]);
    add(&frame.report.trees_reset, counts[static_cast<std::uint32_t>(core::CarryOutcome::reset)]);
    if (nodes != 0) AtomicUpdates{}.add(&frame.report.nodes_carried, std::uint64_t{nodes});
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_CARRY_KERNEL_CUH
