// One large tree: a block per tree runs the waves that core/wave.h defines, with the same results.
//
// Per level: threads, one per simulation, gather at the nodes where they stand (a small hash table in shared memory).
// Groups of eight lanes take a node each and choose for everyone who came there, in order, with the node's edges in
// registers. Threads that found a new position then make its node. A choice costs about a hundred cycles: scores are
// kept ready, and square roots and reciprocals come from tables.
#ifndef AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH

#include "backend/cuda/search_kernels.cuh"
#include "core/wave.h"

namespace augur::cuda {

inline constexpr std::uint32_t kTreeThreads = 256;
inline constexpr int kPickLanes = 8;
inline constexpr std::uint32_t kPlaces = 2 * core::kMaxLeavesPerWave;  // of the hash table of nodes
inline constexpr std::uint32_t kIdlePlace = kPlaces;                   // one more place, where nobody ever stands
inline constexpr std::uint32_t kMemberWords = core::kMaxLeavesPerWave / 32;
inline constexpr std::uint32_t kTableSize = 1024;  // numbers with a tabled reciprocal
static_assert(core::kMaxLeavesPerWave <= kTreeThreads);

// What a choice led to, beside the index of a node.
inline constexpr std::uint32_t kEnded = 0xffffffffu;    // the descent ended here
inline constexpr std::uint32_t kCreates = 0x80000000u;  // a new position, made by this simulation
inline constexpr std::uint32_t kFollows = 0x40000000u;  // a new position, made by the simulation in the low bits

// Shared memory of a block: about 36 KB.
struct TreeShared {
    core::WaveSlot slots[core::kMaxLeavesPerWave];
    std::uint32_t child[core::kMaxLeavesPerWave];      // what each simulation's choice led to
    std::uint16_t action[core::kMaxLeavesPerWave];     // its choice
    std::uint32_t place_node[kPlaces + 1];             // nodes where simulations stand; kNoNode: free
    std::uint32_t members[kPlaces + 1][kMemberWords];  // who stands there, one bit each
    std::uint16_t occupied[core::kMaxLeavesPerWave];   // places in use
    float reciprocals[kTableSize];                     // 1 / n
    std::uint32_t occupied_count;
    std::uint32_t flags;
    std::uint64_t decided_depths;  // bit d: a leaf of depth d (63: or deeper) has a certain outcome
    std::uint32_t deepest;
    std::uint32_t stop;
};

// 1 / n from the table; All: no n is beyond it.
template <bool All>
struct TabledReciprocals {
    const float* table;
    __device__ __forceinline__ float operator()(std::uint32_t n) const {
        return All || n < kTableSize ? table[n] : core::reciprocal(n);
    }
};

// A tree's part of the pool, as one block sees it. T: HotTree, or GuidedTree where a network guides.
template <class R, class T>
struct TreeBlock {
    T tree;
    core::TranspositionTable table;
    core::WaveScratch scratch;  // slots in shared memory
    core::Settings settings;
    TreeShared& shared;
    std::uint32_t first;  // number of the wave's first simulation
    std::uint32_t count;  // simulations in the wave
};

// Every simulation on its way enters itself at its node. Thread s serves simulation s.
template <class R, class T>
__device__ __forceinline__ void gather_at_nodes(TreeBlock<R, T>& b) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    if (s >= b.count) return;
    const core::WaveSlot slot = shared.slots[s];
    shared.child[s] = kEnded;
    if (!slot.active || core::descent_ends<R>(b.tree.header(slot.node), slot.depth, b.settings)) return;
    std::uint32_t place = (slot.node * 0x9E3779B1u) >> 23 & (kPlaces - 1);
    for (;;) {
        const std::uint32_t before = atomicCAS(&shared.place_node[place], core::kNoNode, slot.node);
        if (before == core::kNoNode)
            shared.occupied[atomicAdd(&shared.occupied_count, 1u)] = static_cast<std::uint16_t>(place);
        if (before == core::kNoNode || before == slot.node) break;
        place = (place + 1) & (kPlaces - 1);
    }
    atomicOr(&shared.members[place][s / 32], 1u << (s % 32));
}

// What an idle group looks at: the root; of a hot tree as it was at the beginning, which nobody writes to.
template <class R>
__device__ __forceinline__ core::NodeHeader<R>& idle_header(const HotTree<R>& tree) {
    return tree.cold.headers[0];
}
template <class R>
__device__ __forceinline__ core::NodeHeader<R>& idle_header(const core::Tree<R>& tree) {
    return tree.headers[0];
}
template <class R>
__device__ __forceinline__ core::Edge* idle_edges(const HotTree<R>& tree) {
    return tree.cold.edges;
}
template <class R>
__device__ __forceinline__ core::Edge* idle_edges(const core::Tree<R>& tree) {
    return tree.edges;
}
template <class R>
__device__ __forceinline__ std::uint32_t* idle_children(const HotTree<R>& tree) {
    return tree.cold.children;
}
template <class R>
__device__ __forceinline__ std::uint32_t* idle_children(const core::Tree<R>& tree) {
    return tree.children;
}

// Everyone at a place chooses, in order. The group's lanes hold the node's edges, with their terms as they are and as
// they will be after one more visit, so that a choice waits for nothing but the comparison. The lane that holds the
// chosen edge notes the choice. The groups of a warp go through their choices side by side; busy: the group has a
// place. Tabled: every reciprocal that can be needed is in the table.
template <class R, bool Puct, bool Tabled, class T>
__device__ __forceinline__ void choose_at_place(TreeBlock<R, T>& b, bool busy, std::uint32_t place,
                                                GroupLanes<kPickLanes> lanes) {
    constexpr int K = R::kActions, kPerLane = (K + kPickLanes - 1) / kPickLanes;
    TreeShared& shared = b.shared;
    const TabledReciprocals<Tabled> reciprocals = {shared.reciprocals};
    const std::uint32_t node = shared.place_node[place];
    core::NodeHeader<R>& header = busy ? b.tree.header(node) : idle_header<R>(b.tree);
    typename core::NodeHeader<R>::Mask open = header.legal[0];
    const int legal_count = open.count();
    if constexpr (R::kProvable) open = open.without(header.lost);
    const float node_weight = core::guided_weight<R, T, Puct>(b.settings, header.visits, legal_count);
    core::Edge* edges = busy ? b.tree.node_edges(node) : idle_edges<R>(b.tree);
    const std::uint32_t* children = busy ? b.tree.node_children(node) : idle_children<R>(b.tree);

    core::Edge edge[kPerLane];
    float sum[kPerLane];
    std::uint32_t tried[kPerLane], child[kPerLane];
    core::EdgeTerms now[kPerLane], after[kPerLane];
    bool allowed[kPerLane];
    float weight[kPerLane];
    AUGUR_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
        const int a = i * kPickLanes + lanes.index();
        allowed[i] = a < K && open.test(a < K ? a : 0);
        weight[i] = node_weight;
        if constexpr (core::Guided<T> && Puct)
            weight[i] = node_weight * static_cast<float>(a < K ? b.tree.node_priors(busy ? node : 0)[a] : 0);
        edge[i] = a < K ? edges[a] : 0;
        child[i] = a < K ? children[a] : core::kNoNode;
        sum[i] = core::edge_sum(edge[i]);
        tried[i] = core::edge_visits(edge[i]);
        now[i] = core::edge_terms(Puct, sum[i], tried[i], reciprocals);
        after[i] = core::edge_terms(Puct, sum[i], tried[i] + 1, reciprocals);
    }
    if (busy && !open.any()) busy = false;  // dead end, for all who came here
    std::uint32_t choices = 0;
    for (std::uint32_t word = 0; word < kMemberWords; ++word) {
        const std::uint32_t here = shared.members[place][word];  // nobody at kIdlePlace
        std::uint32_t waiting = busy ? here : 0;
        choices += static_cast<std::uint32_t>(__popc(waiting));
        while (lanes.any(waiting != 0)) {
            const bool choosing = waiting != 0;
            const std::uint32_t s = word * 32 + static_cast<std::uint32_t>(__ffs(static_cast<int>(waiting)) - 1);
            waiting &= waiting - 1;
            std::int32_t key = INT32_MIN;
            int mine = 0;
            AUGUR_UNROLL
            for (int i = 0; i < kPerLane; ++i) {
                const std::int32_t k = core::ordered(core::action_score(Puct, now[i], weight[i]));
                if (allowed[i] && k > key) {
                    key = k;
                    mine = i;
                }
            }
            const std::int32_t top = lanes.highest(key);
            int winner;
            if constexpr (kPerLane == 1)
                winner = lanes.first(key == top);
            else  // a lower action may be in a higher lane
                winner = -lanes.highest(key == top ? -(mine * kPickLanes + lanes.index()) : INT32_MIN) % kPickLanes;
            const bool chosen = choosing && lanes.index() == winner;
            AUGUR_UNROLL
            for (int i = 0; i < kPerLane; ++i) {
                const bool this_one = chosen && i == mine;
                const bool creates = child[i] == core::kNoNode;
                if (this_one) {
                    shared.child[s] = creates ? kCreates : child[i];
                    shared.action[s] = static_cast<std::uint16_t>(i * kPickLanes + lanes.index());
                }
                child[i] = this_one && creates ? kFollows | s : child[i];
                tried[i] += this_one ? 1 : 0;
                now[i].mean = this_one ? after[i].mean : now[i].mean;
                now[i].share = this_one ? after[i].share : now[i].share;
                after[i] = core::edge_terms(Puct, sum[i], tried[i] + 1, reciprocals);
            }
        }
    }
    if (!busy) return;
    AUGUR_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
        const int a = i * kPickLanes + lanes.index();
        if (a < K) edges[a] = (edge[i] & core::kSumMask) | (static_cast<core::Edge>(tried[i]) << core::kVisitShift);
    }
    if (lanes.leader()) header.visits += choices;
}
static_assert(kMemberWords == kPickLanes);

// The same by Gumbel, whose scores depend on all edges of the node: they are worked out anew for every choice.
template <class R, class T>
__device__ __forceinline__ void choose_by_gumbel(TreeBlock<R, T>& b, bool busy, std::uint32_t place,
                                                 GroupLanes<kPickLanes> lanes) {
    if constexpr (core::Guided<T>) {
        TreeShared& shared = b.shared;
        const std::uint32_t node = busy ? shared.place_node[place] : 0;
        core::NodeHeader<R>& header = b.tree.header(node);
        typename core::NodeHeader<R>::Mask open = header.legal[0];
        if constexpr (R::kProvable) open = open.without(header.lost);
        if (!open.any()) busy = false;
        std::uint32_t choices = 0;
        for (std::uint32_t word = 0; word < kMemberWords; ++word) {
            std::uint32_t waiting = busy ? shared.members[place][word] : 0;
            choices += static_cast<std::uint32_t>(__popc(waiting));
            while (lanes.any(waiting != 0)) {
                const bool choosing = waiting != 0;
                const std::uint32_t s = word * 32 + static_cast<std::uint32_t>(__ffs(static_cast<int>(waiting)) - 1);
                waiting &= waiting - 1;
                const int action = core::select_guided<R>(b.tree, node, b.settings, open, lanes);
                if (choosing && lanes.leader()) {
                    std::uint32_t& child = b.tree.node_children(node)[action];
                    const bool creates = child == core::kNoNode;
                    shared.child[s] = creates ? kCreates : child;
                    shared.action[s] = static_cast<std::uint16_t>(action);
                    if (creates) child = kFollows | s;
                    b.tree.node_edges(node)[action] += core::kOneVisit;
                }
                lanes.sync();
            }
        }
        if (busy && lanes.leader()) header.visits += choices;
    }
}

// One level down for every simulation on its way. True while any is left; the same for all threads.
template <class R, class T>
__device__ __forceinline__ bool descend_level(TreeBlock<R, T>& b, std::uint32_t depth) {
    TreeShared& shared = b.shared;
    gather_at_nodes(b);
    __syncthreads();
    const std::uint32_t occupied = shared.occupied_count;
    const GroupLanes<kPickLanes> lanes = GroupLanes<kPickLanes>::make();
    // Neighbouring places go to different warps, which then choose side by side.
    constexpr std::uint32_t kWarps = kTreeThreads / 32;
    const std::uint32_t group = (threadIdx.x % 32) / kPickLanes * kWarps + threadIdx.x / 32;
    const bool puct = b.settings.selection == core::Selection::puct;
    const bool gumbel = core::Guided<T> && b.settings.selection == core::Selection::gumbel;
    const bool tabled = b.first + b.count + 2 < kTableSize;  // no edge has more visits than there were simulations
    constexpr std::uint32_t kGroups = kTreeThreads / kPickLanes;
    for (std::uint32_t first = 0; first < occupied; first += kGroups) {
        const bool busy = first + group < occupied;
        const std::uint32_t place = busy ? shared.occupied[first + group] : kIdlePlace;
        if (gumbel)
            choose_by_gumbel<R>(b, busy, place, lanes);
        else if (puct && tabled)
            choose_at_place<R, true, true>(b, busy, place, lanes);
        else if (puct)
            choose_at_place<R, true, false>(b, busy, place, lanes);
        else
            choose_at_place<R, false, false>(b, busy, place, lanes);
        lanes.sync();
        if (busy) {  // the place is free again
            shared.members[place][lanes.index()] = 0;
            if (lanes.leader()) shared.place_node[place] = core::kNoNode;
        }
    }
    __syncthreads();

    const std::uint32_t s = threadIdx.x;
    const std::uint32_t choice = s < b.count ? shared.child[s] : kEnded;
    const std::uint32_t node = s < b.count ? shared.slots[s].node : 0;
    const std::uint32_t fresh = 1 + b.first + s;
    const bool creates = choice == kCreates;
    typename R::State state;
    kit::StepOf<R> step{};
    std::uint32_t place = 0, action = 0;
    const bool transposes = core::kCanTranspose<R> && b.table.slots != 0;
    if (s == 0) shared.occupied_count = 0;
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
template <class R, class T>
__device__ __forceinline__ void go_down(TreeBlock<R, T>& b) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    if (s < b.count) shared.slots[s] = {0, 0, 1, 0};
    __syncthreads();
    for (std::uint32_t depth = 0; descend_level(b, depth); ++depth) {
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
template <class R, class T>
__device__ __forceinline__ void go_up(TreeBlock<R, T>& b, std::uint32_t flags) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    __syncthreads();
    if (s < b.count) core::wave_back_up<R>(b.tree, b.scratch, s, b.settings, flags, AtomicUpdates{});
    if (flags != 0) atomicOr(&shared.flags, flags);
    __syncthreads();
    if (shared.decided_depths != 0) carry_proofs(b);
}

// One wave from choice to proof.
template <class R, class T>
__device__ __forceinline__ void run_block_wave(TreeBlock<R, T>& b, const core::FrameKey& key, std::uint32_t agent) {
    if (threadIdx.x == 0) forget_leaves(b.shared);
    go_down(b);
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
    go_up(b, flags);
}

// Makes the shared memory of a block ready for its tree.
__device__ __forceinline__ void prepare(TreeShared& shared) {
    for (std::uint32_t i = threadIdx.x; i <= kPlaces; i += kTreeThreads) {
        shared.place_node[i] = core::kNoNode;
        for (std::uint32_t w = 0; w < kMemberWords; ++w)
            shared.members[i][w] = 0;
    }
    for (std::uint32_t n = threadIdx.x; n < kTableSize; n += kTreeThreads)
        shared.reciprocals[n] = core::reciprocal(n == 0 ? 1 : n);
    if (threadIdx.x == 0) {
        shared.flags = 0;
        shared.occupied_count = 0;
    }
}

template <class R>
__global__ void __launch_bounds__(kTreeThreads)
    tree_kernel(DeviceArrays<R> arrays, core::Settings settings, std::uint32_t hot_nodes) {
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
        TreeBlock<R, HotTree<R>> b = {
            place_hot_tree<R>(arrays.pool.tree(agent), hot_memory, hot_nodes),
            {arrays.table_keys + a * arrays.table_slots, arrays.table_nodes + a * arrays.table_slots,
             arrays.table_slots},
            {shared.slots, arrays.wave_path + a * arrays.wave_width * arrays.path_capacity, arrays.path_capacity},
            settings,
            shared,
            0,
            0};
        move_nodes(b.tree, 1, true, threadIdx.x, kTreeThreads);
        StopWatch watch = StopWatch::make(arrays);
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
        __syncthreads();
        move_nodes(b.tree, work.nodes, false, threadIdx.x, kTreeThreads);
        if (threadIdx.x == 0) {
            work.flags |= shared.flags;
            arrays.work[agent] = work;
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
