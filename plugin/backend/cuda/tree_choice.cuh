// Where the simulations of a large tree's wave stand, and what they choose there: a level of it, by one block.
//
// Threads, one per simulation, gather at the nodes where they stand (a small hash table in shared memory). Where many
// stand, a warp or the block chooses for all at once (crowd.cuh). Elsewhere groups of eight lanes take a node each and
// choose for everyone who came there, in order, with the node's edges in registers: a choice costs about a hundred
// cycles, scores being kept ready, and square roots and reciprocals coming from tables.
#ifndef AUGUR_BACKEND_CUDA_TREE_CHOICE_CUH
#define AUGUR_BACKEND_CUDA_TREE_CHOICE_CUH

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

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_TREE_CHOICE_CUH
