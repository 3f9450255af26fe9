// One large tree: a block per tree runs the waves that core/wave.h defines, with the same results. Per level the
// simulations choose (tree_choice.cuh), and threads that found a new position make its node.
#ifndef AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH

#include "backend/cuda/part_meter.cuh"
#include "backend/cuda/tree_choice.cuh"

namespace augur::cuda {

// What of a large tree lies in shared memory.
struct LargeTreePlan {
    std::uint32_t hot_nodes;
    bool hot_table;  // of transpositions
    std::size_t shared_bytes;
};

// A tree whose first nodes, states and all, live in shared memory.
template <class R>
struct LargeTree : HotTree<R> {
    __device__ __forceinline__ typename R::State& state(std::uint32_t node) const {
        return generic_pointer(node < this->count ? this->hot.states : this->cold.states)[node];
    }
};

template <class R>
constexpr std::size_t large_tree_bytes(std::uint32_t nodes) {
    return hot_tree_bytes<R>(nodes) + round_up(nodes * sizeof(typename R::State), 16);
}

constexpr std::size_t table_bytes(std::uint32_t slots) {
    return slots * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
}

// As much as `room` bytes hold: the table first, which every new node asks.
template <class R>
LargeTreePlan plan_large_tree(std::uint32_t node_capacity, std::uint32_t table_slots, std::size_t room) {
    LargeTreePlan plan = {0, table_slots > 0 && table_bytes(table_slots) <= room / 4, 0};
    const std::size_t rest = room - (plan.hot_table ? table_bytes(table_slots) : 0);
    plan.hot_nodes = kit::minimum(node_capacity, static_cast<std::uint32_t>(rest / large_tree_bytes<R>(1)) + 8);
    while (plan.hot_nodes > 0 && large_tree_bytes<R>(plan.hot_nodes) > rest)
        --plan.hot_nodes;
    plan.shared_bytes = large_tree_bytes<R>(plan.hot_nodes) + room - rest;
    return plan;
}

// One level down for every simulation on its way. True while any is left; the same for all threads.
template <class R, class T, class Meter>
__device__ __forceinline__ bool descend_level(TreeBlock<R, T>& b, std::uint32_t depth, const Meter& meter) {
    TreeShared& shared = b.shared;
    const std::uint32_t s = threadIdx.x;
    gather_at_nodes(b);
    __syncthreads();
    const std::uint32_t meetings = shared.meeting_count;
    const bool puct = b.settings.selection == core::Selection::puct;
    const bool tabled = b.first + b.count + 2 < kTableSize;  // no edge has more visits than there were simulations
    if (core::Guided<T> && b.settings.selection == core::Selection::gumbel)
        choose_together<R, false, false, true>(b, meetings);
    else if (puct && tabled)
        choose_together<R, true, true, false>(b, meetings);
    else if (puct)
        choose_together<R, true, false, false>(b, meetings);
    else
        choose_together<R, false, false, false>(b, meetings);
    __syncthreads();
    meter.pass(core::SearchPart::select, core::SearchPart::expand);

    if (s < meetings) {  // the meeting is over
        Meeting& meeting = shared.meetings[s];
        shared.place_node[meeting.place] = core::kNoNode;
        meeting = {};
    }
    const std::uint32_t choice = s < b.count ? shared.child[s] : kEnded;
    const std::uint32_t node = s < b.count ? shared.slots[s].node : 0;
    const std::uint32_t fresh = 1 + b.first + s;
    const bool creates = choice == kCreates;
    typename R::State state;
    kit::StepOf<R> step{};
    std::uint32_t place = 0, action = 0;
    const bool transposes = core::kCanTranspose<R> && b.table.slots != 0;
    if (s == 0) forget_meetings(shared);
    if (choice != kEnded) {
        action = shared.action[s];
        b.scratch.step(s, depth) = {node, static_cast<std::uint16_t>(action), b.tree.header(node).player};
    }
    if (creates) {
        state = b.tree.state(node);
        kit::Random unused({0, 0}, 0, 0, kit::Purpose::chance);
        kit::JointActionOf<R> joint{};
        joint.action[0] = static_cast<std::int32_t>(action);
        step = R::step(state, joint, unused);
        if (transposes)
            place = core::transposition_claim(b.table, core::transposition_key<R>(state, depth + 1), fresh,
                                              AtomicUpdates{});
    }
    if (transposes) __syncthreads();  // every claim is in
    if (creates) {
        const std::uint32_t child = transposes ? *const_cast<volatile std::uint32_t*>(&b.table.nodes[place]) : fresh;
        b.tree.node_children(node)[action] = child;
        shared.child[s] = child;
        if (child == fresh)
            core::write_wave_node<R>(b.tree, fresh, state, node, static_cast<int>(action), step, core::SerialLanes{});
    }
    __syncthreads();
    int walking = 0;
    if (s < b.count) {
        core::WaveSlot& slot = shared.slots[s];
        slot.active = 0;
        if (choice != kEnded) {  // its child may be known only now
            const bool follows = (choice & (kCreates | kFollows)) == kFollows;
            ++slot.depth;
            slot.node = creates ? shared.child[s] : follows ? shared.child[choice & ~kFollows] : choice;
            // A network looks at new nodes after the wave has come down: nobody goes on from them before.
            slot.active = slot.node != fresh && !(core::Guided<T> && slot.node > b.first) ? 1 : 0;
        }
        walking = static_cast<int>(slot.active);
    }
    meter.pass(core::SearchPart::expand, core::SearchPart::select);
    return __syncthreads_or(walking) != 0;
}

// Carries certain outcomes up, level by level, where there are any.
template <class R, class T>
__device__ __forceinline__ void carry_proofs(TreeBlock<R, T>& b) {
    if constexpr (R::kProvable) {
        const std::uint32_t s = threadIdx.x;
        const std::uint64_t decided = b.shared.decided_depths;
        int carried = 0;  // the level below decided a node
        for (std::uint32_t depth = b.shared.deepest; depth-- > 0;) {
            const std::uint32_t bit = depth + 1 < 63 ? depth + 1 : 63;
            if (!carried && !((decided >> bit) & 1)) continue;
            if (s < b.count) core::wave_note_outcome<R>(b.tree, b.scratch, s, depth, AtomicUpdates{});
            __syncthreads();
            // Read, then write: several simulations may have come through one node.
            core::NodeHeader<R>* node = nullptr;
            core::Decided<R> decided_here{};
            if (s < b.count && depth < b.shared.slots[s].depth) {
                node = &b.tree.header(b.scratch.step(s, depth).node);
                decided_here = core::wave_decision<R>(*node);
            }
            __syncthreads();
            const bool news = node != nullptr && decided_here.proof != core::Proof::open;
            if (news) core::wave_decide<R>(*node, decided_here);
            const int newly = news ? 1 : 0;
            carried = __syncthreads_or(newly);
        }
    }
}

// The way down of a wave: every simulation stands at its leaf.
template <class R, class T, class Meter>
__device__ __forceinline__ void go_down(TreeBlock<R, T>& b, const Meter& meter) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    if (s < b.count) shared.slots[s] = {0, 0, 1, 0};
    __syncthreads();
    for (std::uint32_t depth = 0; descend_level(b, depth, meter); ++depth) {
    }
}

// Before the first note_leaf of a wave, by one thread.
__device__ __forceinline__ void forget_leaves(TreeShared& shared) {
    shared.deepest = 0;
    shared.decided_depths = 0;
}

// What the way up must know of simulation s's leaf.
template <class R, class T>
__device__ __forceinline__ void note_leaf(TreeBlock<R, T>& b, std::uint32_t s) {
    const core::WaveSlot slot = b.shared.slots[s];
    atomicMax(&b.shared.deepest, slot.depth);
    const core::NodeHeader<R>& leaf = b.tree.header(slot.node);
    if (R::kProvable && (leaf.terminal || leaf.proof != core::Proof::open))
        AtomicUpdates{}.set_bits(&b.shared.decided_depths, 1ull << kit::minimum(slot.depth, 63u));
}

// The way up, once every slot has its value and every leaf is noted. flags: of this thread's simulations.
template <class R, class T, class Meter>
__device__ __forceinline__ void go_up(TreeBlock<R, T>& b, std::uint32_t flags, const Meter& meter) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    __syncthreads();
    meter.pass(core::SearchPart::evaluate, core::SearchPart::back_up);
    if (s < b.count) core::wave_back_up<R>(b.tree, b.scratch, s, b.settings, flags, AtomicUpdates{});
    if (flags != 0) atomicOr(&shared.flags, flags);
    __syncthreads();
    if (shared.decided_depths != 0) carry_proofs(b);
}

// One wave from choice to proof.
template <class R, class T, class Meter>
__device__ __forceinline__ void run_block_wave(TreeBlock<R, T>& b, const core::FrameKey& key, std::uint32_t agent,
                                               const Meter& meter) {
    if (threadIdx.x == 0) forget_leaves(b.shared);
    go_down(b, meter);
    meter.pass(core::SearchPart::select, core::SearchPart::evaluate);
    // Simulations are spread over the warps, so that few rollouts share one.
    constexpr std::uint32_t kWarps = kTreeThreads / 32;
    const std::uint32_t e = (threadIdx.x % 32) * kWarps + threadIdx.x / 32;
    std::uint32_t flags = 0;
    if (e < b.count) {
        core::WaveSlot slot = b.shared.slots[e];
        core::wave_mark_unused<R>(b.tree, slot, 1 + b.first + e);
        core::wave_evaluate<R>(b.tree, slot, b.settings, key.random, agent, b.first + e, flags);
        b.shared.slots[e].value = slot.value;
        note_leaf(b, e);
    }
    go_up(b, flags, meter);
}

// Makes the shared memory of a block ready for its tree.
__device__ __forceinline__ void prepare(TreeShared& shared) {
    for (std::uint32_t i = threadIdx.x; i < kPlaces; i += kTreeThreads)
        shared.place_node[i] = core::kNoNode;
    for (std::uint32_t i = threadIdx.x; i <= core::kMaxLeavesPerWave; i += kTreeThreads)
        shared.meetings[i] = {};
    for (std::uint32_t n = threadIdx.x; n < kTableSize; n += kTreeThreads)
        shared.reciprocals[n] = core::reciprocal(n == 0 ? 1 : n);
    if (threadIdx.x == 0) {
        shared.flags = 0;
        forget_meetings(shared);
    }
}

// By the whole block, as move_nodes.
template <bool kLoad, class R>
__device__ __forceinline__ void move_large_tree(const LargeTree<R>& tree, std::uint32_t nodes) {
    move_nodes<kLoad, 1>(static_cast<const HotTree<R>&>(tree), nodes, threadIdx.x, kTreeThreads);
    move_items<kLoad, 1>(tree.hot.states, tree.cold.states, kit::minimum(nodes, tree.count), threadIdx.x, kTreeThreads);
}

template <class R>
__global__ void __launch_bounds__(kTreeThreads)
    tree_kernel(DeviceArrays<R> arrays, core::Settings settings, LargeTreePlan plan) {
    extern __shared__ __align__(16) unsigned char hot_memory[];
    mark_stage(arrays, kSearch);
    if constexpr (core::kHasLargeTree<R>) {
        const std::uint32_t agent = blockIdx.x;
        const core::FrameKey key = arrays.frame->order.key;
        if (agent >= key.agent_count) return;
        core::AgentWork work = arrays.work[agent];
        if (!work.active) return;
        __shared__ TreeShared shared;
        prepare(shared);
        const std::size_t a = agent;
        LargeTree<R> tree{place_hot_tree<R>(arrays.pool.tree(agent), hot_memory, plan.hot_nodes)};
        unsigned char* const behind = hot_memory + hot_tree_bytes<R>(plan.hot_nodes);
        tree.hot.states = reinterpret_cast<typename R::State*>(behind);
        core::TranspositionTable table = {arrays.table_keys + a * arrays.table_slots,
                                          arrays.table_nodes + a * arrays.table_slots, arrays.table_slots};
        if (plan.hot_table) {
            table.keys = generic_pointer(
                reinterpret_cast<std::uint64_t*>(behind + round_up(plan.hot_nodes * sizeof(typename R::State), 16)));
            table.nodes = generic_pointer(reinterpret_cast<std::uint32_t*>(table.keys + table.slots));
            core::clear_slots(table.keys, table.nodes, table.slots, threadIdx.x, kTreeThreads);
        }
        TreeBlock<R, LargeTree<R>> b = {
            tree,
            table,
            {shared.slots, arrays.wave_path + a * arrays.wave_width * arrays.path_capacity, arrays.path_capacity},
            settings,
            shared,
            0,
            0};
        move_large_tree<true>(b.tree, 1);
        StopWatch watch = StopWatch::make(arrays);
        const BlockMeter meter(*arrays.frame);
        for (;;) {
            if (threadIdx.x == 0) shared.stop = watch.time_is_up(arrays) ? 1 : 0;
            __syncthreads();
            if (shared.stop) break;
            b.first = work.simulations;
            b.count = core::wave_size(work, settings);
            if (b.count == 0) {
                work.flags |= core::kFlagPoolExhausted;
                work.active = 0;
                break;
            }
            meter.begin();
            run_block_wave(b, key, agent, meter);
            work.simulations += b.count;
            work.nodes = 1 + work.simulations;
            __syncthreads();
            meter.end(core::SearchPart::back_up);
            if (!core::wave_wants_more<R>(b.tree, work, settings)) {
                work.active = 0;
                break;
            }
        }
        __syncthreads();
        move_large_tree<false>(b.tree, work.nodes);
        if (threadIdx.x == 0) {
            work.flags |= shared.flags;
            arrays.work[agent] = work;
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
