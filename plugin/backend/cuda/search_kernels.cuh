// The forest search, in two forms with the same results.
#ifndef AUGUR_BACKEND_CUDA_SEARCH_KERNELS_CUH
#define AUGUR_BACKEND_CUDA_SEARCH_KERNELS_CUH

#include "backend/cuda/active_list.cuh"
#include "backend/cuda/frame_kernels.cuh"
#include "backend/cuda/hot_tree.cuh"
#include "backend/cuda/part_meter.cuh"
#include "core/simulate.h"

namespace augur::cuda {

inline constexpr int kSearchThreads = 64;

// Between two reads of the host's cancel flag; a read of pinned memory costs about a microsecond.
inline constexpr std::uint64_t kCancelPeriodNs = 20000;

// Tells whether a search must end now. Kept in registers by every thread; only thread 0 of the grid reads the host's
// flag.
struct StopWatch {
    std::uint64_t deadline;
    std::uint64_t next_cancel_read;

    template <class R>
    __device__ static StopWatch make(const DeviceArrays<R>& arrays) {
        return {arrays.frame->order.deadline, device_time_ns() + kCancelPeriodNs};
    }

    template <class R>
    __device__ __forceinline__ bool time_is_up(const DeviceArrays<R>& arrays) {
        const Glance glance = look(arrays);
        return time_is_up(arrays, glance);
    }

    // In two halves, for whoever has something to do while the reads are under way.
    struct Glance {
        std::uint64_t now;
        std::uint32_t stop, cancel;
    };
    template <class R>
    __device__ __forceinline__ Glance look(const DeviceArrays<R>& arrays) {
        Glance glance = {device_time_ns(), *const_cast<volatile std::uint32_t*>(&arrays.frame->stop), 0};
        if (global_thread() == 0 && glance.now >= next_cancel_read) {
            next_cancel_read = glance.now + kCancelPeriodNs;
            glance.cancel = *arrays.cancel_host;
        }
        return glance;
    }
    template <class R>
    __device__ __forceinline__ bool time_is_up(const DeviceArrays<R>& arrays, const Glance& glance) const {
        if (glance.cancel != 0) arrays.frame->stop = 1;
        return (deadline != 0 && glance.now >= deadline) || (glance.stop | glance.cancel) != 0;
    }
};

// The lanes of a group would read the clock at different moments: the leader decides for all.
template <class R, int G>
__device__ __forceinline__ bool group_must_stop(StopWatch& watch, const DeviceArrays<R>& arrays, GroupLanes<G> lanes) {
    return lanes.from_leader(lanes.leader() && watch.time_is_up(arrays) ? 1 : 0) != 0;
}

// Resident form: a group of G lanes holds a tree, its first `hot_nodes` nodes in shared memory, and loops until the
// simulations are done or time is up. With more trees than groups and a deadline, a group gives its trees a few
// simulations in turn, so that time runs out for all alike; moving them in and out each time would not pay, so they
// stay in global memory.
// Meter: of frames that are watched SimulationMeter, else core::NoMeter.
template <class R, int G, class Meter>
__global__ void __launch_bounds__(kSearchThreads, 1)
    resident_kernel(DeviceArrays<R> arrays, core::Settings settings, std::uint32_t hot_nodes) {
    extern __shared__ __align__(16) unsigned char hot_memory[];
    using Part = core::SearchPart;
    mark_stage(arrays, kSearch);
    Meter meter = make_meter<Meter>(*arrays.frame);
    const GroupLanes<G> lanes = GroupLanes<G>::make();
    const core::FrameKey key = arrays.frame->order.key;
    const std::uint32_t group = global_thread() / G;
    const std::uint32_t groups = gridDim.x * blockDim.x / G;
    StopWatch watch = StopWatch::make(arrays);
    const bool in_turns = watch.deadline != 0 && key.agent_count > groups;
    const std::uint32_t quantum = in_turns ? core::kEarlyStopPeriod : key.simulations;
    unsigned char* const memory = hot_memory + threadIdx.x / G * hot_tree_bytes<R>(hot_nodes);
    const std::uint32_t turns = (key.agent_count + groups - 1) / groups;  // trees of a group, the same for all groups
    for (std::uint32_t target = quantum;; target += quantum) {
        bool open = false;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            const bool valid = group + turn * groups < key.agent_count;
            const std::uint32_t agent = valid ? group + turn * groups : 0;
            core::AgentWork work = arrays.work[agent];
            const bool mine = valid && work.active;
            if (!lanes.any(mine)) continue;
            HotTree<R> tree = place_hot_tree<R>(arrays.pool.tree(agent), memory, hot_nodes);
            if (in_turns || !mine) tree.count = 0;
            move_nodes<true>(tree, work.nodes, static_cast<std::uint32_t>(lanes.index()), G);
            lanes.sync();
            for (;;) {
                const bool stop = group_must_stop(watch, arrays, lanes);
                const bool go = mine && work.active && work.simulations < target && !stop;
                if (!lanes.any(go)) break;
                meter.begin();
                const core::Leaf leaf =
                    core::descend<R>(tree, work, settings, key.random, agent, work.simulations, lanes, go, meter);
                const bool reached = go && !leaf.full;
                if constexpr (kit::HasTeam<R>) {
                    meter.pass(Part::expand, Part::evaluate);
                    const core::Return<R> result = core::evaluate_leaf<R>(tree, leaf, settings, key.random, agent,
                                                                          work.simulations, work.flags, lanes, reached);
                    meter.pass(Part::evaluate, Part::back_up);
                    if (reached && lanes.leader()) {
                        core::back_up<R>(tree, leaf.node, result, settings, work.flags);
                        meter.end(Part::back_up);
                    }
                } else if (reached && lanes.leader()) {
                    meter.pass(Part::expand, Part::evaluate);
                    const core::Return<R> result =
                        core::evaluate_leaf<R>(tree, leaf, settings, key.random, agent, work.simulations, work.flags);
                    meter.pass(Part::evaluate, Part::back_up);
                    core::back_up<R>(tree, leaf.node, result, settings, work.flags);
                    meter.end(Part::back_up);
                }
                lanes.sync();
                if (!go) continue;
                if (leaf.full) {
                    work.flags |= core::kFlagPoolExhausted;
                    work.active = 0;
                } else {
                    ++work.simulations;
                    if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
                }
            }
            if (mine) {
                move_nodes<false>(tree, work.nodes, static_cast<std::uint32_t>(lanes.index()), G);
                if (lanes.leader()) arrays.work[agent] = work;
                open = open || work.active;
            }
            lanes.sync();
        }
        const bool stop = group_must_stop(watch, arrays, lanes);
        if (!lanes.any(open && !stop) || target >= key.simulations) return;
    }
}

// Wave form, part one: the descent of every agent of the list.
template <class R, int G>
__global__ void __launch_bounds__(kSearchThreads)
    descend_kernel(DeviceArrays<R> arrays, core::Settings settings, int list) {
    const WaveMeter meter(*arrays.frame);
    meter.begin(core::SearchPart::select);
    const GroupLanes<G> lanes = GroupLanes<G>::make();
    const core::FrameKey& key = arrays.frame->order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread() / G);
    begin_next_list(arrays, list);
    if (!lanes.any(valid)) return meter.pass(core::SearchPart::select, core::SearchPart::expand);
    core::AgentWork work = arrays.work[agent];
    const bool walking = valid && work.active;
    const core::Leaf leaf = core::descend<R>(arrays.pool.tree(agent), work, settings, key.random, agent,
                                             work.simulations, lanes, walking, meter);
    if (walking && lanes.leader()) {
        arrays.work[agent].nodes = work.nodes;
        arrays.leaves[agent] = leaf;
    }
}

// Wave form, part two: one thread per agent evaluates its leaf. A network's nodes stand in this place for learned
// evaluation.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    evaluate_kernel(DeviceArrays<R> arrays, core::Settings settings, int list) {
    WaveMeter(*arrays.frame).pass(core::SearchPart::expand, core::SearchPart::evaluate);
    const core::FrameKey& key = arrays.frame->order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread());
    if (!valid || !arrays.work[agent].active || arrays.leaves[agent].full) return;
    std::uint32_t flags = arrays.work[agent].flags;
    arrays.returns[agent] = core::evaluate_leaf<R>(arrays.pool.tree(agent), arrays.leaves[agent], settings, key.random,
                                                   agent, arrays.work[agent].simulations, flags);
    arrays.work[agent].flags = flags;
}

// The loops of a wave form: turns of several waves while there is time for them, then (unless turns are of one wave
// anyway) single waves. Made by the host and told to the kernels that end a turn.
struct WaveLoops {
    cudaGraphConditionalHandle turns, singles;
    std::uint32_t waves;  // of a turn
    bool near_deadline;   // the loop of single waves runs

    __device__ __forceinline__ void choose(const core::TurnLength& turn, std::uint64_t now, std::uint64_t deadline,
                                           bool goes_on) const {
        const bool whole = waves == 1 || turn.fits(now, deadline, waves);
        if (!near_deadline) cudaGraphSetConditional(turns, goes_on && whole ? 1 : 0);
        if (waves > 1) cudaGraphSetConditional(singles, goes_on && (near_deadline || !whole) ? 1 : 0);
    }
};

// The end of a wave, called by all threads of the grid; stopped: this thread's tree wants no more. Where ends_turn is
// not 0, the last block decides how it goes on.
template <class R>
__device__ __forceinline__ void end_wave(const DeviceArrays<R>& arrays, bool stopped, const WaveLoops& loops,
                                         int ends_turn) {
    FrameState& frame = *arrays.frame;
    WaveMeter(frame).end(core::SearchPart::back_up);
    const unsigned gone = __ballot_sync(0xffffffffu, stopped);
    if ((threadIdx.x & 31u) == 0 && gone != 0)
        atomicSub(&frame.active_agents, static_cast<std::uint32_t>(__popc(gone)));
    if (!ends_turn) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&frame.wave_blocks, 1u) != gridDim.x - 1) return;
    frame.wave_blocks = 0;
    __threadfence();
    if (*arrays.cancel_host != 0) frame.stop = 1;
    const std::uint64_t now = device_time_ns();
    const bool late = frame.order.deadline != 0 && now >= frame.order.deadline;
    const std::uint32_t active = *const_cast<volatile std::uint32_t*>(&frame.active_agents);
    frame.turn.passed(now, loops.near_deadline ? 1 : loops.waves);
    loops.choose(frame.turn, now, frame.order.deadline, active != 0 && !late && frame.stop == 0);
}

// Wave form, part three: one thread per agent backs up; the last block of the grid decides whether the loop goes on.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    back_up_kernel(DeviceArrays<R> arrays, core::Settings settings, WaveLoops loops, int ends_turn, int list) {
    WaveMeter(*arrays.frame).pass(core::SearchPart::evaluate, core::SearchPart::back_up);
    const auto [agent, valid] = listed_agent(arrays, list, global_thread());
    bool stopped = false, goes_on = false;
    if (valid) {
        core::AgentWork work = arrays.work[agent];
        if (work.active) {
            if (arrays.leaves[agent].full) {
                work.flags |= core::kFlagPoolExhausted;
                work.active = 0;
            } else {
                const core::Tree<R> tree = arrays.pool.tree(agent);
                core::back_up<R>(tree, arrays.leaves[agent].node, arrays.returns[agent], settings, work.flags);
                ++work.simulations;
                if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
            }
            arrays.work[agent] = work;
            stopped = !work.active;
            goes_on = !stopped;
        }
    }
    list_for_next(arrays, list, agent, goes_on);
    end_wave(arrays, stopped, loops, ends_turn);
}

// Which of the wave loops is entered, if any. Says when the search began, unless a kernel that looked at the roots has
// (looked_at). The roots of a learned game that cannot be searched are out of the count by now, but not out of the
// list.
template <class R>
__global__ void enter_waves_kernel(DeviceArrays<R> arrays, WaveLoops loops, int looked_at) {
    if (threadIdx.x != 0) return;
    if (!looked_at) mark_stage(arrays, kSearch);
    FrameState& frame = *arrays.frame;
    if (!core::Latent<R>) frame.listed[0] = frame.active_agents;
    const std::uint64_t now = device_time_ns();
    const bool late = frame.order.deadline != 0 && now >= frame.order.deadline;
    frame.turn.begin(now);
    loops.choose(frame.turn, now, frame.order.deadline, frame.active_agents != 0 && !late);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_SEARCH_KERNELS_CUH
