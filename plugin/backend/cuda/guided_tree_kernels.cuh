// One large tree that a network guides: a wave goes down by one kernel, the network's own kernels look at its new
// leaves, and another kernel takes it up again. What a wave is says core/wave.h.
#ifndef AUGUR_BACKEND_CUDA_GUIDED_TREE_KERNELS_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_TREE_KERNELS_CUH

#include "backend/cuda/guided_kernels.cuh"
#include "backend/cuda/tree_kernel.cuh"

namespace augur::cuda {

template <class R>
using GuidedBlock = TreeBlock<R, core::GuidedTree<R>>;

// An agent's block, between waves.
template <class R>
__device__ __forceinline__ GuidedBlock<R> guided_block(const DeviceArrays<R>& arrays, const core::Settings& settings,
                                                       TreeShared& shared, std::uint32_t agent,
                                                       const core::AgentWork& work) {
    const std::size_t a = agent;
    return {
        arrays.guided_tree(agent, work.active, settings.selection),
        {arrays.table_keys + a * arrays.table_slots, arrays.table_nodes + a * arrays.table_slots, arrays.table_slots},
        {shared.slots, arrays.wave_path + a * arrays.wave_width * arrays.path_capacity, arrays.path_capacity},
        settings,
        shared,
        work.simulations,
        work.active ? core::wave_size(work, settings) : 0};
}

template <class R>
__device__ __forceinline__ bool slot_wants_network(const GuidedBlock<R>& b, std::uint32_t s) {
    const core::WaveSlot& slot = b.shared.slots[s];
    return core::leaf_wants_network<R>(b.tree, {slot.node, slot.depth, false}, slot.node == 1 + b.first + s);
}

// A wave's way down, and the features of its new leaves. A block per tree.
template <class R>
__global__ void __launch_bounds__(kTreeThreads)
    guided_down_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat) {
    FrameState& frame = *arrays.frame;
    const WaveMeter meter(frame);
    meter.begin(core::SearchPart::select);
    const std::uint32_t agent = blockIdx.x;
    if (agent >= frame.order.key.agent_count) return;
    const core::AgentWork work = arrays.work[agent];
    __shared__ TreeShared shared;
    GuidedBlock<R> b = guided_block(arrays, settings, shared, agent, work);
    if (b.count == 0) return meter.pass(core::SearchPart::select, core::SearchPart::expand);
    prepare(shared);
    go_down(b, meter);
    meter.pass(core::SearchPart::select, core::SearchPart::expand);
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    constexpr std::uint32_t kGroups = kTreeThreads / kGuidedLanes;
    PendingLeaf* const pending = arrays.pending + static_cast<std::size_t>(agent) * arrays.wave_width;
    for (std::uint32_t first = 0; first < b.count; first += kGroups) {
        const std::uint32_t s = first + threadIdx.x / kGuidedLanes;
        const bool valid = s < b.count;
        const bool wants = valid && slot_wants_network(b, s);
        const std::uint32_t row = take_row(frame, wants, lanes);
        if (!valid) continue;
        const core::WaveSlot& slot = shared.slots[s];
        if (lanes.leader()) {
            core::wave_mark_unused<R>(b.tree, slot, 1 + b.first + s);
            pending[s] = {{slot.node, slot.depth, false}, row, slot.node == 1 + b.first + s ? 1u : 0u};
        }
        if (wants) ask_network(arrays, seat, row, agent, b.tree, slot.node, lanes);
    }
    note_waiting(frame);
}

// Its way up, after the network. The last block decides how it goes on.
template <class R>
__global__ void __launch_bounds__(kTreeThreads)
    guided_up_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat, WaveLoops loops, int ends_turn) {
    FrameState& frame = *arrays.frame;
    note_evaluation(frame);
    const core::FrameKey& key = frame.order.key;
    const std::uint32_t agent = blockIdx.x;
    bool stopped = false;
    __shared__ TreeShared shared;
    core::AgentWork work = agent < key.agent_count ? arrays.work[agent] : core::AgentWork{0, 0, 0, 0};
    const WaveMeter meter(frame);
    if (!work.active) {
        meter.pass(core::SearchPart::evaluate, core::SearchPart::back_up);
    } else {
        GuidedBlock<R> b = guided_block(arrays, settings, shared, agent, work);
        const PendingLeaf* const pending = arrays.pending + static_cast<std::size_t>(agent) * arrays.wave_width;
        const std::uint32_t s = threadIdx.x;
        if (s < b.count) shared.slots[s] = {pending[s].leaf.node, pending[s].leaf.depth, 0, 0};
        if (s == 0) {
            shared.flags = 0;
            forget_leaves(shared);
        }
        __syncthreads();
        const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
        constexpr std::uint32_t kGroups = kTreeThreads / kGuidedLanes;
        std::uint32_t flags = 0;
        for (std::uint32_t first = 0; first < b.count; first += kGroups) {
            const std::uint32_t mine = first + threadIdx.x / kGuidedLanes;
            const bool advised = mine < b.count && pending[mine].row != core::kNoNode;
            hear_network(arrays, seat, advised ? pending[mine].row : 0, agent, b.tree,
                         advised ? pending[mine].leaf.node : 0, flags, lanes, advised);
        }
        __syncthreads();
        // Owners first: where the network has no value, theirs becomes the node's, and the others read it.
        for (const std::uint32_t fresh : {1u, 0u}) {
            if (s < b.count && pending[s].fresh == fresh) {
                shared.slots[s].value = core::guided_return<R>(b.tree, pending[s].leaf, fresh != 0, has_value<R>(seat),
                                                               settings, key.random, agent, b.first + s, flags)
                                            .value[0];
                note_leaf(b, s);
            }
            __syncthreads();
        }
        go_up(b, flags, meter);
        __syncthreads();
        work.flags |= shared.flags;
        work.simulations += b.count;
        work.nodes = b.count > 0 ? 1 + work.simulations : work.nodes;
        if (b.count == 0) {
            work.flags |= core::kFlagPoolExhausted;
            work.active = 0;
        } else if (!core::wave_wants_more<R>(b.tree, work, settings)) {
            work.active = 0;
        }
        if (s == 0) {
            arrays.work[agent] = work;
            stopped = !work.active;
        }
    }
    end_wave(arrays, stopped, loops, ends_turn);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_TREE_KERNELS_CUH
