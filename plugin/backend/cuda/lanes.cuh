// A group of GPU lanes working on one tree, and atomic updates: the device side of core/lanes.h and core/updates.h.
#ifndef AUGUR_BACKEND_CUDA_LANES_CUH
#define AUGUR_BACKEND_CUDA_LANES_CUH

#include <augur/kit/fixed.h>

#include "core/lanes.h"

namespace augur::cuda {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

// Width lanes of a warp, a power of two up to 32; groups are aligned to their width. Collective calls are made by the
// whole warp: a mask of one group would make the hardware run the groups one after the other.
template <int Width>
struct GroupLanes {
    static constexpr int kWidth = Width;
    int rank;  // of this lane in its group

    __device__ static GroupLanes make() { return {static_cast<int>(threadIdx.x % Width)}; }

    __device__ __forceinline__ int index() const {
        __builtin_assume(rank >= 0 && rank < Width);  // loops over K <= Width actions have one turn
        return rank;
    }
    __device__ __forceinline__ bool leader() const { return rank == 0; }
    __device__ __forceinline__ void sync() const {
        if constexpr (Width > 1) __syncwarp();
    }
    // The group alone, where other groups of the warp may be elsewhere. Not for what every simulation does.
    __device__ __forceinline__ void sync_group() const {
        constexpr unsigned kGroup = Width < 32 ? (1u << (Width % 32)) - 1u : kWholeWarp;
        if constexpr (Width > 1) __syncwarp(kGroup << (threadIdx.x & 31u & ~(Width - 1u)));
    }
    __device__ __forceinline__ bool any(bool mine) const {
        if constexpr (Width == 1) return mine;
        return __any_sync(kWholeWarp, mine);
    }

    __device__ __forceinline__ bool all(bool mine) const {
        if constexpr (Width == 1) return mine;
        constexpr unsigned kGroup = Width < 32 ? (1u << (Width % 32)) - 1u : kWholeWarp;
        const unsigned missing = __ballot_sync(kWholeWarp, !mine);
        return ((missing >> (threadIdx.x & 31u & ~(Width - 1u))) & kGroup) == 0;
    }

    // One bit for each lane of the group for which it holds.
    __device__ __forceinline__ std::uint32_t ballot(bool mine) const {
        if constexpr (Width == 1) return mine ? 1u : 0u;
        constexpr unsigned kGroup = Width < 32 ? (1u << (Width % 32)) - 1u : kWholeWarp;
        return (__ballot_sync(kWholeWarp, mine) >> (threadIdx.x & 31u & ~(Width - 1u))) & kGroup;
    }

    // What the leader of the group holds.
    __device__ __forceinline__ int from_leader(int value) const {
        if constexpr (Width > 1) value = __shfl_sync(kWholeWarp, value, 0, Width);
        return value;
    }

    // The largest key of the group.
    __device__ __forceinline__ std::int32_t highest(std::int32_t key) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2)
            key = kit::maximum(key, static_cast<std::int32_t>(__shfl_xor_sync(kWholeWarp, key, offset, Width)));
        return key;
    }

    // The lowest lane of the group for which `mine` holds; Width when there is none.
    __device__ __forceinline__ int first(bool mine) const {
        const unsigned holders = __ballot_sync(kWholeWarp, mine);
        const unsigned group =
            (holders >> (threadIdx.x & 31u & ~(Width - 1u))) | (Width < 32 ? 1u << (Width % 32) : 0u);
        return __ffs(static_cast<int>(group)) - 1;
    }

    // K actions are spread over the lanes, action a at lane a % Width; of equal scores the lowest action wins. A lane
    // without one holds action K.
    template <int K>
    __device__ __forceinline__ std::int32_t best(core::Scored mine) const {
        if constexpr (Width == 1) return mine.action;
        const std::int32_t key = core::ordered(mine.score);
        const std::int32_t top = highest(key);
        if constexpr (K <= Width) {  // one action a lane: the lowest lane has the lowest action
            const int lane = first(key == top && mine.action != K);
            return lane < Width ? lane : K;
        }
        return -highest(top == key ? -mine.action : INT32_MIN);
    }

    // The calls of kit/team.h; N is at most Width.
    template <std::uint32_t N, class F>
    __device__ __forceinline__ void each(const F& f) const {
        static_assert(Width == 1 || N <= Width);
        if constexpr (Width == 1)
            kit::Alone{}.each<N>(f);
        else if (rank < static_cast<int>(N))
            f(static_cast<std::uint32_t>(rank));
    }
    template <std::uint32_t N, class F>
    __device__ __forceinline__ void spread(std::uint32_t (&out)[N], const F& f) const {
        static_assert(Width == 1 || N <= Width);
        if constexpr (Width == 1) {
            kit::Alone{}.spread(out, f);
        } else {
            const std::uint32_t mine = rank < static_cast<int>(N) ? f(static_cast<std::uint32_t>(rank)) : 0;
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < N; ++i)
                out[i] = __shfl_sync(kWholeWarp, mine, static_cast<int>(i), Width);
        }
    }
    template <class T>
    __device__ __forceinline__ T sum(T mine) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2)
            mine += __shfl_xor_sync(kWholeWarp, mine, offset, Width);
        return mine;
    }
    __device__ __forceinline__ std::uint32_t unite(std::uint32_t mine) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2)
            mine |= __shfl_xor_sync(kWholeWarp, mine, offset, Width);
        return mine;
    }
    __device__ __forceinline__ std::uint32_t lowest(std::uint32_t mine) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2)
            mine = kit::minimum(mine, static_cast<std::uint32_t>(__shfl_xor_sync(kWholeWarp, mine, offset, Width)));
        return mine;
    }

    __device__ __forceinline__ std::uint32_t nearest(std::uint64_t distance, std::uint32_t agent) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2) {
            const std::uint64_t other_distance = __shfl_xor_sync(kWholeWarp, distance, offset, Width);
            const std::uint32_t other_agent = __shfl_xor_sync(kWholeWarp, agent, offset, Width);
            const bool closer = other_distance < distance || (other_distance == distance && other_agent < agent);
            distance = closer ? other_distance : distance;
            agent = closer ? other_agent : agent;
        }
        return agent;
    }
};

struct AtomicUpdates {
    __device__ __forceinline__ void add(std::uint64_t* to, std::uint64_t amount) const {
        atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(amount));
    }
    __device__ __forceinline__ void add(std::uint32_t* to, std::uint32_t amount) const { atomicAdd(to, amount); }
    __device__ __forceinline__ void lower_to(std::uint32_t* to, std::uint32_t value) const { atomicMin(to, value); }
    __device__ __forceinline__ void set_bits(std::uint32_t* to, std::uint32_t bits) const { atomicOr(to, bits); }
    __device__ __forceinline__ void set_bits(std::uint64_t* to, std::uint64_t bits) const {
        atomicOr(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(bits));
    }
    __device__ __forceinline__ std::uint64_t exchange_if(std::uint64_t* at, std::uint64_t expected,
                                                         std::uint64_t desired) const {
        return atomicCAS(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(expected),
                         static_cast<unsigned long long>(desired));
    }
};

// Nanoseconds of the device's global timer (steps of 32 to 64 ns).
__device__ __forceinline__ std::uint64_t device_time_ns() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_LANES_CUH
