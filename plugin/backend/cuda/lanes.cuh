// A group of GPU lanes working on one tree, and atomic updates: the device side of core/lanes.h and core/updates.h.
#ifndef AUGUR_BACKEND_CUDA_LANES_CUH
#define AUGUR_BACKEND_CUDA_LANES_CUH

#include "core/lanes.h"

namespace augur::cuda {

// Width lanes of a warp, a power of two up to 32; groups are aligned to their width.
template <int Width>
struct GroupLanes {
    static constexpr int kWidth = Width;
    unsigned mask;  // lanes of this group
    int rank;       // of this lane in its group

    __device__ static GroupLanes make() {
        const unsigned lane = threadIdx.x & 31u;
        const unsigned first = lane & ~static_cast<unsigned>(Width - 1);
        const unsigned group = Width == 32 ? 0xffffffffu : ((1u << (Width % 32)) - 1u) << first;
        return {group, static_cast<int>(lane - first)};
    }

    __device__ __forceinline__ int index() const { return rank; }
    __device__ __forceinline__ bool leader() const { return rank == 0; }
    __device__ __forceinline__ void sync() const {
        if constexpr (Width > 1) __syncwarp(mask);
    }

    __device__ __forceinline__ core::Scored best(core::Scored mine) const {
        AUGUR_UNROLL
        for (int offset = Width / 2; offset > 0; offset /= 2) {
            const core::Scored other = {__shfl_xor_sync(mask, mine.score, offset, Width),
                                        __shfl_xor_sync(mask, mine.action, offset, Width)};
            if (core::better(other, mine)) mine = other;
        }
        return mine;
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
