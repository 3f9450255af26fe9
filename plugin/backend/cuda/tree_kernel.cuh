// One large tree: a block per tree runs the waves that core/wave.h defines, with the same results.
//
// Per level: one thread per simulation finds out who else stands at its node; groups of eight lanes then take a node
// each and choose for everyone who came there, in order, with the node's edges in registers; threads that found a new
// position make its node.
#ifndef AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH

#include "backend/cuda/search_kernels.cuh"
#include "core/wave.h"

namespace augur::cuda {

inline constexpr int kTreeThreads = 256;
inline constexpr int kPickLanes = 8;

// Shared memory of a block: about 6 KB.
struct TreeShared {
    core::WaveSlot slots[core::kMaxLeavesPerWave];
    std::uint32_t at[core::kMaxLeavesPerWave];       // node where a simulation stands; kNoNode: not on its way
    std::uint16_t next[core::kMaxLeavesPerWave];     // the next simulation at the same node
    std::uint16_t leaders[core::kMaxLeavesPerWave];  // the first simulation of every node
    std::uint16_t action[core::kMaxLeavesPerWave];   // chosen at this level; kNoChoice where the descent ended
    std::uint32_t leader_count;
    std::uint32_t deepest;
    std::uint32_t flags;
    std::uint32_t decided;  // 1: some leaf of the wave has a certain outcome
    std::uint32_t stop;
};
inline constexpr std::uint16_t kNoChoice = 0xffffu;

// A tree's part of the pool, as one block sees it.
template <class R>
struct TreeBlock {
    core::Tree<R> tree;
    core::TranspositionTable table;
    core::WaveScratch scratch;  // slots in shared memory
    core::Settings settings;
    TreeShared& shared;
    std::uint32_t first;  // number of the wave's first simulation
    std::uint32_t count;  // simulations in the wave
};

// Who stands where: fills at, next and leaders. Thread s serves simulation s.
template <class R>
__device__ __forceinline__ void group_by_node(TreeBlock<R>& b) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    if (s < b.count) {
        core::WaveSlot& slot = shared.slots[s];
        const bool walking = slot.active && !core::descent_ends<R>(b.tree.headers[slot.node], slot.depth, b.settings);
        shared.at[s] = walking ? slot.node : core::kNoNode;
        shared.action[s] = kNoChoice;
    }
    if (s == 0) shared.leader_count = 0;
    __syncthreads();
    if (s < b.count && shared.at[s] != core::kNoNode) {
        const std::uint32_t node = shared.at[s];
        bool leads = true;
        for (std::uint32_t other = 0; other < s; ++other)
            leads = leads && shared.at[other] != node;
        std::uint32_t next = s + 1;
        while (next < b.count && shared.at[next] != node)
            ++next;
        shared.next[s] = static_cast<std::uint16_t>(next);
        if (leads) shared.leaders[atomicAdd(&shared.leader_count, 1u)] = static_cast<std::uint16_t>(s);
    }
    __syncthreads();
}

// Everyone at the node of simulation `leader` chooses, in order. The group's lanes hold the node's edges.
template <class R>
__device__ __forceinline__ void choose_at_node(TreeBlock<R>& b, std::uint32_t leader, GroupLanes<kPickLanes> lanes) {
    constexpr int K = R::kActions, kPerLane = (K + kPickLanes - 1) / kPickLanes;
    TreeShared& shared = b.shared;
    const std::uint32_t node = shared.at[leader];
    core::NodeHeader<R>& header = b.tree.headers[node];
    typename core::NodeHeader<R>::Mask open = header.legal[0];
    const int legal_count = open.count();
    if constexpr (R::kProvable) open = open.without(header.lost);
    std::uint32_t visits = header.visits;
    core::Edge* edges = b.tree.node_edges(node);
    core::Edge mine[kPerLane];
    AUGUR_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
        const int a = i * kPickLanes + lanes.index();
        mine[i] = a < K ? edges[a] : 0;
    }
    for (std::uint32_t s = leader; s < b.count; s = shared.next[s]) {
        const float weight = core::exploration_weight(b.settings, visits, legal_count);
        core::Scored best = {-2.0e30f, K};
        AUGUR_UNROLL
        for (int i = 0; i < kPerLane; ++i) {
            const int a = i * kPickLanes + lanes.index();
            if (a >= K || !open.test(a)) continue;
            const core::Scored candidate = {core::action_score(b.settings, mine[i], weight), a};
            if (candidate.score > best.score) best = candidate;
        }
        const int action = lanes.best(best).action;
        if (action == K) break;  // dead end, for all who came here
        AUGUR_UNROLL
        for (int i = 0; i < kPerLane; ++i)
            if (i * kPickLanes + lanes.index() == action) mine[i] += core::kOneVisit;
        ++visits;
        if (lanes.leader()) {
            shared.action[s] = static_cast<std::uint16_t>(action);
            b.scratch.step(s, shared.slots[s].depth) = {node, static_cast<std::uint32_t>(action)};
        }
    }
    AUGUR_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
        const int a = i * kPickLanes + lanes.index();
        if (a < K) edges[a] = mine[i];
    }
    if (lanes.leader()) header.visits = visits;
}

// One level down for every simulation on its way. True while any is left; the same for all threads.
template <class R>
__device__ __forceinline__ bool descend_level(TreeBlock<R>& b) {
    TreeShared& shared = b.shared;
    group_by_node(b);
    const GroupLanes<kPickLanes> lanes = GroupLanes<kPickLanes>::make();
    for (std::uint32_t i = threadIdx.x / kPickLanes; i < shared.leader_count; i += kTreeThreads / kPickLanes)
        choose_at_node(b, shared.leaders[i], lanes);
    __syncthreads();

    // A choice without a child: the first of the node's simulations that made it claims the new position.
    const std::uint32_t s = threadIdx.x;
    const bool moved = s < b.count && shared.action[s] != kNoChoice;
    const std::uint32_t node = moved ? shared.at[s] : 0, action = moved ? shared.action[s] : 0;
    const std::uint32_t fresh = 1 + b.first + s;
    bool creates = moved && b.tree.node_children(node)[action] == core::kNoNode;
    if (creates) {
        for (std::uint32_t other = 0; other < s; ++other)
            creates = creates && !(shared.at[other] == node && shared.action[other] == action);
    }
    typename R::State state;
    kit::StepOf<R> step{};
    std::uint32_t place = 0;
    constexpr bool transposes = core::kCanTranspose<R>;
    if (creates) {
        state = b.tree.states[node];
        kit::Random unused({0, 0}, 0, 0, kit::Purpose::chance);
        kit::JointActionOf<R> joint{};
        joint.action[0] = static_cast<std::int32_t>(action);
        step = R::step(state, joint, unused);
        if (transposes && b.table.slots != 0)
            place = core::transposition_claim(b.table, core::transposition_key<R>(state, shared.slots[s].depth + 1),
                                              fresh, AtomicUpdates{});
    }
    __syncthreads();
    if (creates) {
        std::uint32_t child = fresh;
        if (transposes && b.table.slots != 0) child = *const_cast<volatile std::uint32_t*>(&b.table.nodes[place]);
        b.tree.node_children(node)[action] = child;
        if (child == fresh)
            core::write_wave_node<R>(b.tree, fresh, state, node, static_cast<int>(action), step, core::SerialLanes{});
    }
    __syncthreads();
    int walking = 0;
    if (s < b.count) {
        core::WaveSlot& slot = shared.slots[s];
        slot.active = 0;
        if (moved) {
            ++slot.depth;
            slot.node = b.tree.node_children(node)[action];
            slot.active = slot.node != fresh ? 1 : 0;
        }
        walking = static_cast<int>(slot.active);
    }
    return __syncthreads_or(walking) != 0;
}

// Carries certain outcomes up, level by level.
template <class R>
__device__ __forceinline__ void carry_proofs(TreeBlock<R>& b) {
    if constexpr (R::kProvable) {
        const std::uint32_t s = threadIdx.x;
        for (std::uint32_t depth = b.shared.deepest; depth-- > 0;) {
            if (s < b.count) core::wave_note_outcome<R>(b.tree, b.scratch, s, depth, AtomicUpdates{});
            __syncthreads();
            if (s < b.count && depth < b.shared.slots[s].depth)
                core::wave_decide<R>(b.tree.headers[b.scratch.step(s, depth).node]);
            __syncthreads();
        }
    }
}

// One wave from choice to proof.
template <class R>
__device__ __forceinline__ void run_block_wave(TreeBlock<R>& b, const core::FrameKey& key, std::uint32_t agent) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    if (s < b.count) shared.slots[s] = {0, 0, 1, 0};
    if (s == 0) {
        shared.deepest = 0;
        shared.decided = 0;
    }
    __syncthreads();
    while (descend_level(b)) {
    }
    // Simulations are spread over the warps, so that few rollouts share one.
    constexpr std::uint32_t kWarps = kTreeThreads / 32;
    const std::uint32_t e = (threadIdx.x % 32) * kWarps + threadIdx.x / 32;
    std::uint32_t flags = 0;
    if (e < b.count) {
        core::WaveSlot slot = shared.slots[e];
        core::wave_mark_unused<R>(b.tree, slot, 1 + b.first + e);
        core::wave_evaluate<R>(b.tree, slot, b.settings, key.random, agent, b.first + e, flags);
        shared.slots[e].value = slot.value;
        atomicMax(&shared.deepest, slot.depth);
        const core::NodeHeader<R>& leaf = b.tree.headers[slot.node];
        if (leaf.terminal || leaf.proof != core::Proof::open) atomicOr(&shared.decided, 1u);
    }
    __syncthreads();
    if (s < b.count) core::wave_back_up<R>(b.tree, b.scratch, s, b.settings, flags, AtomicUpdates{});
    if (flags != 0) atomicOr(&shared.flags, flags);
    __syncthreads();
    if (shared.decided) carry_proofs(b);
}

template <class R>
__global__ void __launch_bounds__(kTreeThreads) tree_kernel(DeviceArrays<R> arrays, core::Settings settings) {
    mark_stage(arrays, kSearch);
    if constexpr (core::kHasLargeTree<R>) {
        const std::uint32_t agent = blockIdx.x;
        const core::FrameKey key = arrays.frame->order.key;
        if (agent >= key.agent_count) return;
        core::AgentWork work = arrays.work[agent];
        if (!work.active) return;
        __shared__ TreeShared shared;
        const std::size_t a = agent;
        TreeBlock<R> b = {
            arrays.pool.tree(agent),
            {arrays.table_keys + a * arrays.table_slots, arrays.table_nodes + a * arrays.table_slots,
             arrays.table_slots},
            {shared.slots, arrays.wave_path + a * arrays.wave_width * arrays.path_capacity, arrays.path_capacity},
            settings,
            shared,
            0,
            0};
        StopWatch watch = StopWatch::make(arrays);
        if (threadIdx.x == 0) shared.flags = 0;
        for (;;) {
            if (threadIdx.x == 0) shared.stop = watch.time_is_up(arrays) ? 1 : 0;
            __syncthreads();
            if (shared.stop) break;
            b.first = work.simulations;
            b.count = core::wave_size(work, settings, key.simulations);
            if (b.count == 0) {
                work.flags |= core::kFlagPoolExhausted;
                work.active = 0;
                break;
            }
            run_block_wave(b, key, agent);
            work.simulations += b.count;
            work.nodes = 1 + work.simulations;
            __syncthreads();
            if (!core::wave_wants_more<R>(b.tree, work, settings, key.simulations)) {
                work.active = 0;
                break;
            }
        }
        if (threadIdx.x == 0) {
            work.flags |= shared.flags;
            arrays.work[agent] = work;
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
