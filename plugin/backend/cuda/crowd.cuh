// Many simulations at one node of a large tree, in order, by a warp at once.
//
// A choice made is a visit that lost (virtual loss): it lowers the score of the action and leaves the others' as they
// are. So the scores at which an action would be chosen for the first, second, third time fall, and taking the highest
// again and again is merging as many falling lists as there are actions. The lists are merged two by two; each lane
// makes a piece of a merged list, whose beginning it finds by bisection (Odeh, Green, Mwassi, Shmueli and Birk 2012,
// "Merge path: parallel merging made simple"). Of equal scores the lower action comes first, as in a choice.
#ifndef AUGUR_BACKEND_CUDA_CROWD_CUH
#define AUGUR_BACKEND_CUDA_CROWD_CUH

#include "backend/cuda/lanes.cuh"
#include "core/select.h"

namespace augur::cuda {

inline constexpr std::uint32_t kCrowdActions = 8;  // lists that are merged, one per action
inline constexpr std::uint32_t kCrowdLists = kCrowdActions / 2 + kCrowdActions / 4;

// One action of a node where a crowd stands, in shared memory.
struct CrowdAction {
    float sum;
    float weight;
    std::uint32_t tried;
    std::uint32_t length;  // most times it can be chosen; 0: it is not allowed
    std::uint32_t child;
    std::uint32_t choices;  // how often it was
    std::uint32_t first;    // rank of the first who chose it
};

// The threads that choose for a crowd: a warp, or the whole block.
template <std::uint32_t Threads>
struct CrowdTeam {
    static constexpr std::uint32_t kThreads = Threads;
    __device__ __forceinline__ std::uint32_t index() const {
        const std::uint32_t i = threadIdx.x % Threads;
        __builtin_assume(i < Threads);
        return i;
    }
    __device__ __forceinline__ void sync() const {
        if constexpr (Threads == 32)
            __syncwarp();
        else
            __syncthreads();
    }
};

// The scores of one action, before its k-th further visit at k.
template <bool Puct, class Reciprocals>
struct ActionScores {
    float sum, weight;
    std::uint32_t tried, length;
    std::uint32_t action;
    const Reciprocals& reciprocals;

    __device__ __forceinline__ ActionScores(const CrowdAction* actions, std::uint32_t a, const Reciprocals& r)
        : sum(actions[a].sum),
          weight(actions[a].weight),
          tried(actions[a].tried),
          length(actions[a].length),
          action(a),
          reciprocals(r) {}
    __device__ __forceinline__ std::int32_t key(std::uint32_t k) const { return key_of(sum, weight, tried, length, k); }
    __device__ __forceinline__ std::int32_t key_of(float s, float w, std::uint32_t t, std::uint32_t n,
                                                   std::uint32_t k) const {
        const std::int32_t score =
            core::ordered(core::action_score(Puct, core::edge_terms(Puct, s, t + k, reciprocals), w));
        return k < n ? score : INT32_MIN;
    }
    // The k-th key of this list or of the other.
    __device__ __forceinline__ std::int32_t key_of_either(const ActionScores& other, bool mine, std::uint32_t k) const {
        return key_of(mine ? sum : other.sum, mine ? weight : other.weight, mine ? tried : other.tried,
                      mine ? length : other.length, k);
    }
    __device__ __forceinline__ std::uint32_t action_of_either(const ActionScores& other, bool mine,
                                                              std::uint32_t) const {
        return mine ? action : other.action;
    }
};

// A merged list in shared memory.
struct MergedScores {
    const std::int32_t* keys;
    const std::uint8_t* actions;
    std::uint32_t length;

    __device__ __forceinline__ std::int32_t key(std::uint32_t k) const { return k < length ? keys[k] : INT32_MIN; }
    __device__ __forceinline__ std::int32_t key_of_either(const MergedScores& other, bool mine, std::uint32_t k) const {
        return MergedScores{mine ? keys : other.keys, nullptr, mine ? length : other.length}.key(k);
    }
    __device__ __forceinline__ std::uint32_t action_of_either(const MergedScores& other, bool mine,
                                                              std::uint32_t k) const {
        return (mine ? actions : other.actions)[k];
    }
};

// Sharer `sharer` of `sharers` writes its piece of the first `length` of x and y together; of equal keys x comes first.
// keys may be null.
template <class List>
__device__ __forceinline__ void merge_piece(const List& x, const List& y, std::uint32_t length, std::uint32_t sharer,
                                            std::uint32_t sharers, std::int32_t* keys, std::uint8_t* actions) {
    const std::uint32_t each = (length + sharers - 1) / sharers | 1;  // odd: other banks of shared memory
    const std::uint32_t begin = kit::minimum(sharer * each, length), end = kit::minimum(begin + each, length);
    if (begin == end) return;
    // How many of the first `begin` come from x.
    std::uint32_t i = begin > y.length ? begin - y.length : 0;
    for (std::uint32_t top = kit::minimum(begin, x.length); i < top;) {
        const std::uint32_t middle = (i + top) / 2;
        if (x.key(middle) >= y.key(begin - 1 - middle))
            i = middle + 1;
        else
            top = middle;
    }
    std::uint32_t j = begin - i;
    std::int32_t x_key = x.key(i), y_key = y.key(j);
    for (std::uint32_t place = begin; place < end; ++place) {
        const bool from_x = x_key >= y_key;
        const std::uint32_t at = from_x ? i : j;
        if (keys != nullptr) keys[place] = from_x ? x_key : y_key;
        actions[place] = static_cast<std::uint8_t>(x.action_of_either(y, from_x, at));
        const std::int32_t next = x.key_of_either(y, from_x, at + 1);
        i += from_x ? 1 : 0;
        j += from_x ? 0 : 1;
        x_key = from_x ? next : x_key;
        y_key = from_x ? y_key : next;
    }
}

// Working memory of a crowd of `count`: keys and actions kCrowdLists * count, order count.
struct CrowdMemory {
    std::int32_t* keys;
    std::uint8_t* actions;
    std::uint8_t* order;  // who has which rank
};

// The `count` choices of a crowd in order: memory.actions[rank]. lists: [kCrowdActions]; one at least is allowed.
template <bool Puct, std::uint32_t Threads, class Reciprocals>
__device__ __forceinline__ void merge_choices(CrowdTeam<Threads> team, const CrowdAction* lists, std::uint32_t count,
                                              CrowdMemory memory, const Reciprocals& reciprocals) {
    const auto shortened = [count](std::uint32_t length) { return kit::minimum(length, count); };
    const auto pair_length = [&](std::uint32_t p) { return shortened(lists[2 * p].length + lists[2 * p + 1].length); };
    const auto half_length = [&](std::uint32_t h) { return shortened(pair_length(2 * h) + pair_length(2 * h + 1)); };

    // Eight lists to four, four to two, two to one over the first four, which nobody reads any more.
    constexpr std::uint32_t kPairSharers = Threads / 4, kHalfSharers = Threads / 2;
    const std::uint32_t pair = team.index() / kPairSharers, half = team.index() / kHalfSharers;
    using Scores = ActionScores<Puct, Reciprocals>;
    merge_piece(Scores(lists, 2 * pair, reciprocals), Scores(lists, 2 * pair + 1, reciprocals), pair_length(pair),
                team.index() % kPairSharers, kPairSharers, memory.keys + pair * count, memory.actions + pair * count);
    team.sync();
    const auto merged = [&](std::uint32_t list, std::uint32_t length) {
        return MergedScores{memory.keys + list * count, memory.actions + list * count, length};
    };
    merge_piece(merged(2 * half, pair_length(2 * half)), merged(2 * half + 1, pair_length(2 * half + 1)),
                half_length(half), team.index() % kHalfSharers, kHalfSharers, memory.keys + (4 + half) * count,
                memory.actions + (4 + half) * count);
    team.sync();
    merge_piece(merged(4, half_length(0)), merged(5, half_length(1)), count, team.index(), Threads,
                static_cast<std::int32_t*>(nullptr), memory.actions);
    team.sync();
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_CROWD_CUH
