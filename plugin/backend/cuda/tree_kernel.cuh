// One large tree: a block per tree runs the waves that core/wave.h defines, with the same results.
//
// Per level: threads, one per simulation, gather at the nodes where they stand (a small hash table in shared memory).
// Where many stand, a warp or the block chooses for all at once (crowd.cuh). Elsewhere groups of eight lanes take a
// node each and choose for everyone who came there, in order, with the node's edges in registers: a choice costs about
// a hundred cycles, scores being kept ready, and square roots and reciprocals coming from tables. Threads that found a
// new position then make its node.
#ifndef AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH

#include "backend/cuda/crowd.cuh"
#include "backend/cuda/search_kernels.cuh"
#include "core/wave.h"

namespace augur::cuda {

inline constexpr std::uint32_t kTreeThreads = 256;
inline constexpr int kPickLanes = 8;
inline constexpr std::uint32_t kPlaces = 2 * core::kMaxLeavesPerWave;  // of the hash table of nodes
inline constexpr std::uint32_t kMemberWords = core::kMaxLeavesPerWave / 32;
inline constexpr std::uint32_t kTableSize = 1024;  // numbers with a tabled reciprocal
inline constexpr std::uint32_t kCrowd = 16;        // so many at a node: a warp chooses for all at once
inline constexpr std::uint32_t kThrong = 64;       // so many: the block does
static_assert(core::kMaxLeavesPerWave <= kTreeThreads);

// What a choice led to, beside the index of a node.
inline constexpr std::uint32_t kEnded = 0xffffffffu;    // the descent ended here
inline constexpr std::uint32_t kCreates = 0x80000000u;  // a new position, made by this simulation
inline constexpr std::uint32_t kFollows = 0x40000000u;  // a new position, made by the simulation in the low bits

// A node where simulations stand.
struct Meeting {
    std::uint32_t members[kMemberWords];  // who, one bit each
    std::uint32_t count;
    std::uint32_t node;
    std::uint32_t place;  // of the node in the hash table
};

// Shared memory of a block: about 32 KB.
struct TreeShared {
    core::WaveSlot slots[core::kMaxLeavesPerWave];
    std::uint32_t child[core::kMaxLeavesPerWave];   // what each simulation's choice led to
    std::uint16_t action[core::kMaxLeavesPerWave];  // its choice
    std::uint32_t place_node[kPlaces];              // kNoNode: free
    std::uint16_t place_meeting[kPlaces];
    Meeting meetings[core::kMaxLeavesPerWave + 1];              // the last one: where nobody ever stands
    std::uint16_t crowds[core::kMaxLeavesPerWave / kCrowd];     // meetings of kCrowd and more
    std::uint16_t throngs[core::kMaxLeavesPerWave / kThrong];   // meetings of kThrong and more
    CrowdAction crowd_lists[kTreeThreads / 32][kCrowdActions];  // of each warp; of the first, for the block
    std::int32_t crowd_keys[kCrowdLists * core::kMaxLeavesPerWave];
    std::uint8_t crowd_actions[kCrowdLists * core::kMaxLeavesPerWave];
    std::uint8_t crowd_order[core::kMaxLeavesPerWave];
    float reciprocals[kTableSize];  // 1 / n
    std::uint32_t meeting_count;
    std::uint32_t crowd_count;
    std::uint32_t throng_count;
    std::uint32_t crowd_members;  // of the crowds that have taken their part of the memory
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

// A tree's part of the pool, as one block sees it. T: LargeTree, or GuidedTree where a network guides.
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

// Every simulation on its way enters itself at its node. Thread s serves simulation s; all threads call.
template <class R, class T>
__device__ __forceinline__ void gather_at_nodes(TreeBlock<R, T>& b) {
    const std::uint32_t s = threadIdx.x;
    TreeShared& shared = b.shared;
    bool walks = false;
    std::uint32_t place = 0;
    if (s < b.count) {
        const core::WaveSlot slot = shared.slots[s];
        shared.child[s] = kEnded;
        walks = slot.active && !core::descent_ends<R>(b.tree.header(slot.node), slot.depth, b.settings);
        place = (slot.node * 0x9E3779B1u) >> 23 & (kPlaces - 1);
        while (walks) {
            const std::uint32_t before = atomicCAS(&shared.place_node[place], core::kNoNode, slot.node);
            if (before == core::kNoNode) {
                const std::uint32_t meeting = atomicAdd(&shared.meeting_count, 1u);
                shared.place_meeting[place] = static_cast<std::uint16_t>(meeting);
                shared.meetings[meeting].node = slot.node;
                shared.meetings[meeting].place = place;
            }
            if (before == core::kNoNode || before == slot.node) break;
            place = (place + 1) & (kPlaces - 1);
        }
    }
    __syncthreads();
    if (!walks) return;
    const std::uint32_t number = shared.place_meeting[place];
    Meeting& meeting = shared.meetings[number];
    atomicOr(&meeting.members[s / 32], 1u << (s % 32));
    const std::uint32_t before_me = atomicAdd(&meeting.count, 1u);
    const auto note = [&](std::uint16_t* list, std::uint32_t* count) {
        list[atomicAdd(count, 1u)] = static_cast<std::uint16_t>(number);
    };
    if (before_me == kCrowd - 1) note(shared.crowds, &shared.crowd_count);
    if (before_me == kThrong - 1) note(shared.throngs, &shared.throng_count);
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

// Everyone at a meeting chooses, in order. The group's lanes hold the node's edges, with their terms as they are and as
// they will be after one more visit, so that a choice waits for nothing but the comparison. The lane that holds the
// chosen edge notes the choice. The groups of a warp go through their choices side by side; busy: the group has a
// meeting. Tabled: every reciprocal that can be needed is in the table.
template <class R, bool Puct, bool Tabled, class T>
__device__ __forceinline__ void choose_at_meeting(TreeBlock<R, T>& b, bool busy, const Meeting& meeting,
                                                  GroupLanes<kPickLanes> lanes) {
    constexpr int K = R::kActions, kPerLane = (K + kPickLanes - 1) / kPickLanes;
    TreeShared& shared = b.shared;
    const TabledReciprocals<Tabled> reciprocals = {shared.reciprocals};
    const std::uint32_t node = meeting.node;
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
        const std::uint32_t here = meeting.members[word];
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
__device__ __forceinline__ void choose_by_gumbel(TreeBlock<R, T>& b, bool busy, const Meeting& meeting,
                                                 GroupLanes<kPickLanes> lanes) {
    if constexpr (core::Guided<T>) {
        TreeShared& shared = b.shared;
        const std::uint32_t node = busy ? meeting.node : 0;
        core::NodeHeader<R>& header = b.tree.header(node);
        typename core::NodeHeader<R>::Mask open = header.legal[0];
        if constexpr (R::kProvable) open = open.without(header.lost);
        if (!open.any()) busy = false;
        std::uint32_t choices = 0;
        for (std::uint32_t word = 0; word < kMemberWords; ++word) {
            std::uint32_t waiting = busy ? meeting.members[word] : 0;
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

// Everyone at a meeting of many chooses, by a team: the same choices. `taken` members of other crowds have their part
// of the memory.
template <class R, bool Puct, bool Tabled, std::uint32_t Threads, class T>
__device__ __forceinline__ void choose_in_crowd(TreeBlock<R, T>& b, const Meeting& meeting, CrowdTeam<Threads> team,
                                                CrowdAction* lists, std::uint32_t taken) {
    constexpr int K = R::kActions;
    TreeShared& shared = b.shared;
    const std::uint32_t count = meeting.count, node = meeting.node;
    core::NodeHeader<R>& header = b.tree.header(node);
    typename core::NodeHeader<R>::Mask open = header.legal[0];
    const int legal_count = open.count();
    if constexpr (R::kProvable) open = open.without(header.lost);
    if (!open.any()) return;  // dead end, for all who came here

    core::Edge* const edges = b.tree.node_edges(node);
    if (team.index() < kCrowdActions) {
        const std::uint32_t a = team.index() < K ? team.index() : 0;
        const core::Edge edge = edges[a];
        float weight = core::guided_weight<R, T, Puct>(b.settings, header.visits, legal_count);
        if constexpr (core::Guided<T> && Puct) weight *= static_cast<float>(b.tree.node_priors(node)[a]);
        const bool allowed = team.index() < K && open.test(static_cast<int>(a));
        lists[team.index()] = {core::edge_sum(edge),          weight, core::edge_visits(edge), allowed ? count : 0,
                               b.tree.node_children(node)[a], 0,      core::kMaxLeavesPerWave};
    }
    const CrowdMemory memory = {shared.crowd_keys + kCrowdLists * taken, shared.crowd_actions + kCrowdLists * taken,
                                shared.crowd_order + taken};
    for (std::uint32_t word = 0, before = 0; word < kMemberWords; ++word) {
        const std::uint32_t here = meeting.members[word], lane = threadIdx.x % 32;
        if ((Threads == 32 || word == threadIdx.x / 32) && (here >> lane & 1) != 0)
            memory.order[before + static_cast<std::uint32_t>(__popc(here & ((1u << lane) - 1)))] =
                static_cast<std::uint8_t>(word * 32 + lane);
        before += static_cast<std::uint32_t>(__popc(here));
    }
    team.sync();
    merge_choices<Puct>(team, lists, count, memory, TabledReciprocals<Tabled>{shared.reciprocals});

    for (std::uint32_t first = 0; first < count; first += Threads) {
        const std::uint32_t rank = first + team.index();
        const std::uint32_t action = rank < count ? memory.actions[rank] : kCrowdActions;
        std::uint32_t mine = 0;  // of the warp, who chose the action of this lane
        AUGUR_UNROLL
        for (std::uint32_t a = 0; a < kCrowdActions; ++a) {
            const std::uint32_t who = __ballot_sync(kWholeWarp, action == a);
            if (threadIdx.x % 32 == a) mine = who;
        }
        if (mine != 0) {
            CrowdAction& list = lists[threadIdx.x % 32];
            atomicAdd(&list.choices, static_cast<std::uint32_t>(__popc(mine)));
            atomicMin(&list.first,
                      first + team.index() / 32 * 32 + static_cast<std::uint32_t>(__ffs(static_cast<int>(mine)) - 1));
        }
    }
    team.sync();
    for (std::uint32_t rank = team.index(); rank < count; rank += Threads) {
        const std::uint32_t s = memory.order[rank], action = memory.actions[rank];
        const CrowdAction& list = lists[action];
        const bool known = list.child != core::kNoNode;
        shared.child[s] = known ? list.child : rank == list.first ? kCreates : kFollows | memory.order[list.first];
        shared.action[s] = static_cast<std::uint16_t>(action);
    }
    if (team.index() < K) {
        const CrowdAction& list = lists[team.index()];
        core::Edge& edge = edges[team.index()];
        edge = (edge & core::kSumMask) | (static_cast<core::Edge>(list.tried + list.choices) << core::kVisitShift);
    }
    if (team.index() == 0) header.visits += count;
    team.sync();
}

// Everyone at every meeting chooses.
template <class R, bool Puct, bool Tabled, bool Gumbel, class T>
__device__ __forceinline__ void choose_together(TreeBlock<R, T>& b, std::uint32_t meetings) {
    TreeShared& shared = b.shared;
    constexpr bool kCrowds = R::kActions <= kCrowdActions && !Gumbel;
    constexpr std::uint32_t kWarps = kTreeThreads / 32, kGroups = kTreeThreads / kPickLanes;
    if constexpr (kCrowds) {
        for (std::uint32_t i = 0; i < shared.throng_count; ++i)
            choose_in_crowd<R, Puct, Tabled>(b, shared.meetings[shared.throngs[i]], CrowdTeam<kTreeThreads>{},
                                             shared.crowd_lists[0], 0);
        for (std::uint32_t i = threadIdx.x / 32; i < shared.crowd_count; i += kWarps) {
            const Meeting& meeting = shared.meetings[shared.crowds[i]];
            if (meeting.count >= kThrong) continue;
            const std::uint32_t taken = threadIdx.x % 32 == 0 ? atomicAdd(&shared.crowd_members, meeting.count) : 0;
            choose_in_crowd<R, Puct, Tabled>(b, meeting, CrowdTeam<32>{}, shared.crowd_lists[threadIdx.x / 32],
                                             __shfl_sync(kWholeWarp, taken, 0));
        }
    }
    const GroupLanes<kPickLanes> lanes = GroupLanes<kPickLanes>::make();
    // Neighbouring meetings go to different warps, which then choose side by side.
    const std::uint32_t group = (threadIdx.x % 32) / kPickLanes * kWarps + threadIdx.x / 32;
    for (std::uint32_t first = 0; first < meetings; first += kGroups) {
        const Meeting& meeting = shared.meetings[first + group < meetings ? first + group : core::kMaxLeavesPerWave];
        const bool busy = meeting.count > 0 && !(kCrowds && meeting.count >= kCrowd);
        if constexpr (Gumbel)
            choose_by_gumbel<R>(b, busy, meeting, lanes);
        else
            choose_at_meeting<R, Puct, Tabled>(b, busy, meeting, lanes);
        lanes.sync();
    }
}

__device__ __forceinline__ void forget_meetings(TreeShared& shared) {
    shared.meeting_count = shared.crowd_count = shared.throng_count = shared.crowd_members = 0;
}

// One level down for every simulation on its way. True while any is left; the same for all threads.
template <class R, class T>
__device__ __forceinline__ bool descend_level(TreeBlock<R, T>& b, std::uint32_t depth) {
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
template <class R>
__device__ __forceinline__ void move_large_tree(const LargeTree<R>& tree, std::uint32_t nodes, bool load) {
    move_nodes(static_cast<const HotTree<R>&>(tree), nodes, load, threadIdx.x, kTreeThreads);
    auto* const to = generic_pointer(load ? tree.hot.states : tree.cold.states);
    const auto* const from = generic_pointer(load ? tree.cold.states : tree.hot.states);
    copy_words(to, from, kit::minimum(nodes, tree.count), threadIdx.x, kTreeThreads);
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
            core::clear_slots(table, threadIdx.x, kTreeThreads);
        }
        TreeBlock<R, LargeTree<R>> b = {
            tree,
            table,
            {shared.slots, arrays.wave_path + a * arrays.wave_width * arrays.path_capacity, arrays.path_capacity},
            settings,
            shared,
            0,
            0};
        move_large_tree(b.tree, 1, true);
        StopWatch watch = StopWatch::make(arrays);
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
            run_block_wave(b, key, agent);
            work.simulations += b.count;
            work.nodes = 1 + work.simulations;
            __syncthreads();
            if (!core::wave_wants_more<R>(b.tree, work, settings)) {
                work.active = 0;
                break;
            }
        }
        __syncthreads();
        move_large_tree(b.tree, work.nodes, false);
        if (threadIdx.x == 0) {
            work.flags |= shared.flags;
            arrays.work[agent] = work;
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_TREE_KERNEL_CUH
