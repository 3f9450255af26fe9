// The kernels around the search: the order comes in, fields are fetched, the grid filled, roots gathered; at the end
// actions go out.
#ifndef AUGUR_BACKEND_CUDA_FRAME_KERNELS_CUH
#define AUGUR_BACKEND_CUDA_FRAME_KERNELS_CUH

#include "backend/cuda/lanes.cuh"
#include "backend/cuda/layout.h"
#include "core/choose.h"
#include "core/gather.h"
#include "core/latent_leaf.h"
#include "core/transposition.h"

namespace augur::cuda {

inline constexpr std::uint32_t kFrameThreads = 64;

__device__ __forceinline__ std::uint32_t global_thread() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// Called at the start of every kernel: its first block says when the stage began.
template <class R>
__device__ __forceinline__ void mark_stage(const DeviceArrays<R>& arrays, DeviceStage stage) {
    if (blockIdx.x == 0 && threadIdx.x == 0) arrays.frame->report.times[stage] = device_time_ns();
}

// Brings the order into device memory: one block, one read of pinned memory. Also empties the grid.
template <class R>
__global__ void begin_kernel(DeviceArrays<R> arrays) {
    mark_stage(arrays, kBegin);
    if (blockIdx.x == 0) {
        const auto* from = reinterpret_cast<const volatile std::uint64_t*>(arrays.order_host);
        auto* to = reinterpret_cast<std::uint64_t*>(&arrays.frame->order);
        for (std::uint32_t i = threadIdx.x; i < sizeof(FrameOrder) / 8; i += blockDim.x)
            to[i] = from[i];
        if (threadIdx.x < 16) arrays.frame->report.flag_counts[threadIdx.x] = 0;
        if (threadIdx.x == 0) {
            FrameState& frame = *arrays.frame;
            frame.report.decision_hash = 0;
            frame.report.simulations = 0;
            frame.report.parts = {};
            frame.report.agents_flagged = 0;
            frame.report.allotted = {};
            frame.report.trees_carried = 0;
            frame.report.trees_warmed = 0;
            frame.report.trees_reset = 0;
            frame.report.actions_dropped = 0;
            frame.report.nodes_carried = 0;
            frame.stop = 0;
            frame.finished_blocks = 0;
            frame.active_agents = 0;
            frame.wave_blocks = 0;
            frame.trees_taken = 0;
            frame.rows = 0;
        }
    }
    for (std::uint32_t i = global_thread(); i < arrays.grid.buckets; i += gridDim.x * blockDim.x)
        arrays.grid.heads[i] = core::kNoNode;
}

template <class R>
__device__ __forceinline__ kit::Fields fields_of(const DeviceArrays<R>& arrays) {
    return {arrays.words, arrays.agent_capacity, arrays.frame->order.key.agent_count};
}

// One thread per agent and component, its urgency last: a number from the host's memory. Reads over the bus take
// microseconds, so all are under way at once. Threads are numbered component by component, each over the agent capacity
// rounded up to a block.
template <class R>
__global__ void fetch_kernel(DeviceArrays<R> arrays) {
    mark_stage(arrays, kFetch);
    const FrameOrder& order = arrays.frame->order;
    const std::uint32_t row = (arrays.agent_capacity + kFrameThreads - 1) / kFrameThreads * kFrameThreads;
    const std::uint32_t source = global_thread() / row, agent = global_thread() % row;
    if (agent >= order.key.agent_count) return;
    if (source < order.source_count)
        core::fetch_component(order.sources[source], agent, arrays.words, arrays.agent_capacity);
    else if (arrays.urgency != nullptr)
        arrays.urgency[agent] = core::fetch_urgency(order.urgency, agent);
}

template <class R>
__global__ void grid_kernel(DeviceArrays<R> arrays) {
    mark_stage(arrays, kGrid);
    const std::uint32_t agent = global_thread();
    if (agent >= arrays.frame->order.key.agent_count) return;
    std::uint32_t bucket = 0;
    if (!core::grid_place<R>(arrays.grid, fields_of(arrays), agent, bucket)) return;
    arrays.grid.next[agent] = atomicExch(&arrays.grid.heads[bucket], agent);
}

// A group of lanes per agent: its root.
template <class R>
__global__ void gather_kernel(DeviceArrays<R> arrays) {
    constexpr int kWidth = R::kNeighbours > 0 ? 8 : 1;
    mark_stage(arrays, kGather);
    const FrameOrder& order = arrays.frame->order;
    const GroupLanes<kWidth> lanes = GroupLanes<kWidth>::make();
    // Groups past the last agent go through the motions of agent 0, so that the warp stays together, and write nothing.
    const bool valid = global_thread() / kWidth < order.key.agent_count;
    const std::uint32_t agent = valid ? global_thread() / kWidth : 0;
    typename R::State state;
    kit::Gathered found =
        core::gather_agent<R>(state, order.sources, order.source_count, fields_of(arrays), arrays.grid, agent, lanes);
    if (!valid) return;
    if constexpr (core::Latent<R>) {
        R::begin(state, arrays.learned.action_count, arrays.learned.player_count);
        if (arrays.learned.sees[agent] == 0) found = kit::Gathered::bad_state;
    }
    if (arrays.roots != nullptr) {  // the last tree is looked at first
        if (lanes.leader()) {
            if (found == kit::Gathered::ready) arrays.roots[agent] = state;
            arrays.found[agent] = found;
        }
        return;
    }
    const core::AgentWork work =
        core::begin_tree<R>(arrays.pool.tree(agent), state, found, order.key.simulations, lanes);
    if (!lanes.leader()) return;
    if constexpr (core::Guidable<R>) {
        if (arrays.guides.priors != nullptr)
            core::begin_guide<R>(arrays.guided_tree(agent, 0, core::Selection::puct), work);
    }
    arrays.work[agent] = work;
    if (!work.active) return;
    const std::uint32_t place = atomicAdd(&arrays.frame->active_agents, 1u);
    if (arrays.active[0] != nullptr) arrays.active[0][place] = agent;
}

// One thread per table slot: empties the transposition tables of a large tree.
template <class R>
__global__ void clear_table_kernel(DeviceArrays<R> arrays) {
    const std::size_t total = static_cast<std::size_t>(arrays.frame->order.key.agent_count) * arrays.table_slots;
    core::clear_slots(arrays.table_keys, arrays.table_nodes, total, global_thread(),
                      static_cast<std::size_t>(gridDim.x) * blockDim.x);
}

__device__ __forceinline__ std::uint64_t warp_sum(std::uint64_t x) {
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

// Whether the frame is too late for its actions to be written: one answer for all agents. One thread; only in planners
// that drop late actions.
template <class R>
__global__ void judge_lateness_kernel(DeviceArrays<R> arrays) {
    FrameState& frame = *arrays.frame;
    const std::uint64_t drop_after = frame.order.drop_after;
    frame.report.actions_dropped = drop_after != 0 && device_time_ns() >= drop_after ? 1 : 0;
}

// One thread per agent: chooses, writes the host's action, adds up the frame's counters. The last block reports to the
// host.
template <class R>
__global__ void finalise_kernel(DeviceArrays<R> arrays, [[maybe_unused]] core::Selection selection) {
    mark_stage(arrays, kFinalise);
    FrameState& frame = *arrays.frame;
    const std::uint32_t agent = global_thread();
    std::uint64_t hash = 0;
    std::uint32_t simulations = 0, flags = 0;
    if (agent < frame.order.key.agent_count) {
        core::AgentWork work = arrays.work[agent];
        if (work.active) work.flags |= core::kFlagDeadline;
        core::Decision d;
        if constexpr (core::Guidable<R>) {
            d = arrays.guides.priors != nullptr ? core::choose<R>(arrays.guided_tree(agent, 0, selection), work)
                                                : core::choose<R>(arrays.pool.tree(agent), work);
        } else {
            d = core::choose<R>(arrays.pool.tree(agent), work);
        }
        arrays.decisions[agent] = d;
        if (arrays.ages != nullptr)
            arrays.ages[agent] = core::next_age(arrays.ages[agent], d.flags | core::rested(work));
        if (!frame.report.actions_dropped) core::store_action(frame.order.sink, agent, d.action);
        hash = core::decision_hash(agent, d);
        simulations = work.simulations - work.counted;
        flags = d.flags;
    }
    hash = warp_sum(hash);
    const std::uint64_t done = warp_sum(simulations);
    const bool leader = (threadIdx.x & 31u) == 0;
    for (std::uint32_t bit = 0; bit < core::kFlagBits; ++bit) {
        const unsigned carrying = __ballot_sync(0xffffffffu, (flags >> bit) & 1u);
        if (leader && carrying != 0)
            atomicAdd(&frame.report.flag_counts[bit], static_cast<std::uint32_t>(__popc(carrying)));
    }
    const unsigned flagged = __ballot_sync(0xffffffffu, (flags & ~core::kHarmlessFlags) != 0);
    if (leader) {
        if (flagged != 0) atomicAdd(&frame.report.agents_flagged, static_cast<std::uint32_t>(__popc(flagged)));
        AtomicUpdates{}.add(&frame.report.decision_hash, hash);
        AtomicUpdates{}.add(&frame.report.simulations, done);
    }
    __threadfence_system();  // actions may live in the host's memory
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(&frame.finished_blocks, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (threadIdx.x == 0) frame.report.times[kDone] = device_time_ns();
    __syncthreads();
    const auto* from = reinterpret_cast<const volatile std::uint64_t*>(&frame.report);
    auto* to = reinterpret_cast<volatile std::uint64_t*>(arrays.report_host);
    constexpr std::uint32_t kWords = offsetof(FrameReport, sequence) / 8;
    for (std::uint32_t i = threadIdx.x; i < kWords; i += blockDim.x)
        to[i] = from[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        const_cast<volatile FrameReport*>(arrays.report_host)->sequence = frame.order.sequence;
        __threadfence_system();
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FRAME_KERNELS_CUH
