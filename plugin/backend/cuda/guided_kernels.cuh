// The search that a network guides, where the network has kernels of its own: in waves, the network standing between
// descent and backup. The same results as the fused form (fused_kernel.cuh), for any network.
#ifndef AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH

#include "backend/cuda/guided_tree.cuh"
#include "backend/cuda/search_kernels.cuh"
#include "backend/cuda/seat.h"
#include "core/latent_leaf.h"

namespace augur::cuda {

// What a batch in device memory says of a row.
template <class R>
__device__ __forceinline__ core::Advice advice_of(const DeviceArrays<R>& arrays, const SeatView& seat,
                                                  std::uint32_t row) {
    const std::uint32_t outputs = core::value_outputs(seat.value_kind);
    std::uint32_t actions = R::kActions;
    if constexpr (core::Latent<R>) actions = arrays.learned.action_count;
    return {seat.logits != nullptr ? seat.logits + static_cast<std::size_t>(row) * actions : nullptr,
            seat.values != nullptr ? seat.values + static_cast<std::size_t>(row) * outputs : nullptr, seat.value_kind,
            seat.value_scale};
}

// Puts a node that is not the root into a row of the batch: its features, or the ply that leads to it.
template <class R, class T, class Lanes>
__device__ __forceinline__ void ask_network(const DeviceArrays<R>& arrays, const SeatView& seat, std::uint32_t row,
                                            std::uint32_t agent, const T& tree, std::uint32_t node, Lanes lanes) {
    const std::size_t at = row;
    if constexpr (core::Latent<R>) {
        const LearnedView& learned = arrays.learned;
        const core::NodeHeader<R>& header = tree.header(node);
        core::write_ply(learned.ply_states + at * learned.ply_state_stride,
                        learned.ply_actions + at * learned.ply_action_stride,
                        learned.latent(agent, header.parent, arrays.pool.node_capacity), learned.state_count,
                        learned.action_count, header.action[0], lanes);
    } else {
        core::write_features<R>(seat.features + at * R::kFeatures, tree.state(node), lanes);
    }
}

// Takes what the batch says of a node's row; all lanes of a warp call it, and those of a group get the same answer, the
// leader's flags counting. advised: there is a row. False where there is none, or nothing to go on from.
template <class R, class T, class Lanes>
__device__ __forceinline__ bool hear_network(const DeviceArrays<R>& arrays, const SeatView& seat, std::uint32_t row,
                                             std::uint32_t agent, const T& tree, std::uint32_t node,
                                             std::uint32_t& flags, Lanes lanes, bool advised) {
    const std::uint32_t heard_row = advised ? row : 0, heard_node = advised ? node : 0;
    bool sound = advised;
    if constexpr (core::Latent<R>) {
        const LearnedView& learned = arrays.learned;
        sound = core::hear_state<R>(tree, heard_node, learned.heard(heard_row),
                                    learned.latent(agent, heard_node, arrays.pool.node_capacity), learned.state_count,
                                    flags, lanes, advised);
    }
    core::take_advice<R>(tree, heard_node, advice_of<R>(arrays, seat, heard_row), flags, lanes, sound);
    return sound;
}

// A place in the batch for every group of the warp that wants one; kNoNode for the others. All lanes get their group's.
__device__ __forceinline__ std::uint32_t take_row(FrameState& frame, bool wants, GroupLanes<kGuidedLanes> lanes) {
    const unsigned leaders = __ballot_sync(kWholeWarp, wants && lanes.leader());
    if (leaders == 0) return core::kNoNode;
    const std::uint32_t lane = threadIdx.x & 31u;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(&frame.rows, static_cast<std::uint32_t>(__popc(leaders)));
    first = __shfl_sync(kWholeWarp, first, 0);
    const std::uint32_t before = static_cast<std::uint32_t>(__popc(leaders & ((1u << (lane & ~7u)) - 1u)));
    return wants ? first + before : core::kNoNode;
}

// The same for roots of a learned game, whose rows are their agents': the batch ends with the last that wants it.
__device__ __forceinline__ std::uint32_t take_own_row(FrameState& frame, bool wants, std::uint32_t agent,
                                                      GroupLanes<kGuidedLanes> lanes) {
    const unsigned leaders = __ballot_sync(kWholeWarp, wants && lanes.leader());
    const bool last =
        leaders != 0 && (threadIdx.x & 31u) == 31u - static_cast<unsigned>(__clz(static_cast<int>(leaders)));
    if (last) atomicMax(&frame.rows, agent + 1);
    return wants ? agent : core::kNoNode;
}

// Before the network, by all threads of the grid, at the end of what they do.
__device__ __forceinline__ void note_waiting(FrameState& frame) {
    if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned long long*>(&frame.waiting_since), device_time_ns());
}

// After the network, by all threads of the grid: evaluation began when the last leaf was found, and its batch is empty
// again.
__device__ __forceinline__ void note_evaluation(FrameState& frame) {
    if (global_thread() != 0) return;
    WaveMeter(frame).pass_at(core::SearchPart::expand, core::SearchPart::evaluate, frame.waiting_since);
    frame.rows = 0;
}

// Waves, before the first: every root that wants it goes to the network.
template <class R>
__global__ void __launch_bounds__(kSearchThreads) guided_roots_kernel(DeviceArrays<R> arrays, SeatView seat) {
    mark_stage(arrays, kSearch);
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    WaveMeter(frame).begin(core::SearchPart::expand);
    const core::FrameKey& key = frame.order.key;
    const std::uint32_t group = global_thread() / kGuidedLanes;
    const bool valid = group < key.agent_count;
    const std::uint32_t agent = valid ? group : 0;
    // One lane reads the clock for its group.
    const bool late =
        lanes.from_leader(frame.order.deadline != 0 && device_time_ns() >= frame.order.deadline ? 1 : 0) != 0;
    const bool wants = valid && core::root_wants_network(arrays.work[agent]) && (key.simulations == 0 || !late);
    std::uint32_t row;
    if constexpr (core::Latent<R>)
        row = take_own_row(frame, wants, agent, lanes);
    else
        row = take_row(frame, wants, lanes);
    if (core::Latent<R> && global_thread() == 0) frame.listed[0] = frame.active_agents;
    if (valid && lanes.leader()) arrays.pending[agent].row = row;
    if constexpr (!core::Latent<R>) {
        if (wants)
            core::write_features<R>(seat.features + static_cast<std::size_t>(row) * R::kFeatures,
                                    arrays.pool.tree(agent).state(0), lanes);
    }
    note_waiting(frame);
}

template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_take_roots_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    note_evaluation(frame);
    const core::FrameKey& key = frame.order.key;
    const bool valid = global_thread() / kGuidedLanes < key.agent_count;
    const std::uint32_t agent = valid ? global_thread() / kGuidedLanes : 0;
    const std::uint32_t row = arrays.pending[agent].row;
    const bool advised = valid && row != core::kNoNode;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, 0, settings.selection);
    std::uint32_t flags = arrays.work[agent].flags;
    const bool sound = hear_network<R>(arrays, seat, row, agent, tree, 0, flags, lanes, advised);
    WaveMeter(frame).end(core::SearchPart::evaluate);
    lanes.sync();
    if (!advised) return;
    if (core::Latent<R> && !sound) {  // nothing to search from
        if (!lanes.leader()) return;
        arrays.work[agent].flags = flags;
        if (arrays.work[agent].active != 0) atomicSub(&frame.active_agents, 1u);
        arrays.work[agent].active = 0;
        return;
    }
    if (settings.selection == core::Selection::gumbel)
        core::write_root_scores<R>(tree, settings, key.random, agent, lanes);
    if (lanes.leader()) arrays.work[agent].flags = flags;
}

// Waves, part one: every tree's descent; new leaves go to the network.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_descend_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat, int list) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    const WaveMeter meter(frame);
    meter.begin(core::SearchPart::select);
    const core::FrameKey& key = frame.order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread() / kGuidedLanes);
    begin_next_list(arrays, list);
    if (!lanes.any(valid)) return meter.pass(core::SearchPart::select, core::SearchPart::expand);
    core::AgentWork work = arrays.work[agent];
    const bool walking = valid && work.active;
    const std::uint32_t before = work.nodes;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, work.active, settings.selection);
    const core::Leaf leaf =
        core::descend<R>(tree, work, settings, key.random, agent, work.simulations, lanes, walking, meter);
    const bool fresh = work.nodes > before;
    const bool wants = walking && !leaf.full && core::leaf_wants_network<R>(tree, leaf, fresh);
    const std::uint32_t row = take_row(frame, wants, lanes);
    if (walking && lanes.leader()) {
        arrays.work[agent].nodes = work.nodes;
        arrays.pending[agent] = {leaf, row, fresh ? 1u : 0u};
    }
    if (wants) ask_network(arrays, seat, row, agent, tree, leaf.node, lanes);
    note_waiting(frame);
}

// The prediction of a learned game always has a value.
template <class R>
__device__ __forceinline__ bool has_value(const SeatView& seat) {
    return core::Latent<R> || seat.values != nullptr;
}

// Waves, part two, after the network: what it said goes into the trees, and returns go up.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_back_up_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat, WaveLoops loops,
                          int ends_turn, int list) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    note_evaluation(frame);
    const core::FrameKey& key = frame.order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread() / kGuidedLanes);
    core::AgentWork work = arrays.work[agent];
    const PendingLeaf pending = arrays.pending[agent];
    const bool active = valid && work.active;
    const bool reached = active && !pending.leaf.full;
    const bool advised = reached && pending.row != core::kNoNode;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, work.active, settings.selection);
    hear_network(arrays, seat, pending.row, agent, tree, pending.leaf.node, work.flags, lanes, advised);
    lanes.sync();
    bool stopped = false;
    core::Return<R> result{};
    if (reached && lanes.leader())
        result = core::guided_return<R>(tree, pending.leaf, pending.fresh != 0, has_value<R>(seat), settings,
                                        key.random, agent, work.simulations, work.flags);
    WaveMeter(frame).pass(core::SearchPart::evaluate, core::SearchPart::back_up);
    if (active && lanes.leader()) {
        if (reached) {
            core::back_up<R>(tree, pending.leaf.node, result, settings, work.flags);
            ++work.simulations;
            if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
        } else {
            work.flags |= core::kFlagPoolExhausted;
            work.active = 0;
        }
        arrays.work[agent] = work;
        stopped = !work.active;
    }
    list_for_next(arrays, list, agent, active && lanes.leader() && !stopped);
    end_wave(arrays, stopped, loops, ends_turn);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH
