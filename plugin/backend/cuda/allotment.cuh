// Dividing a frame's simulations among the agents, on the GPU: one block does what core/allotment.h says.
#ifndef AUGUR_BACKEND_CUDA_ALLOTMENT_CUH
#define AUGUR_BACKEND_CUDA_ALLOTMENT_CUH

#include "backend/cuda/frame_kernels.cuh"
#include "core/allotment.h"

namespace augur::cuda {

inline constexpr unsigned kAllotThreads = 1024;

// All threads of one block; the calls of core::SerialTeam.
struct BlockTeam {
    std::uint64_t* sums;  // [warps], shared

    __device__ __forceinline__ std::uint32_t index() const { return threadIdx.x; }
    __device__ __forceinline__ std::uint32_t width() const { return kAllotThreads; }
    __device__ __forceinline__ void sync() const { __syncthreads(); }
    __device__ __forceinline__ void add(std::uint32_t& cell, std::uint32_t n) const { atomicAdd(&cell, n); }

    __device__ __forceinline__ std::uint64_t sum(std::uint64_t mine) const {
        return warp_sum(of_warps(warp_sum(mine)));
    }

    __device__ __forceinline__ std::uint32_t highest(std::uint32_t mine) const {
        return warp_highest(static_cast<std::uint32_t>(of_warps(warp_highest(mine))));
    }

    __device__ __forceinline__ std::uint32_t rank(bool mine, std::uint32_t* all) const {
        const unsigned holders = __ballot_sync(kWholeWarp, mine);
        const std::uint32_t lane = threadIdx.x & 31u;
        const std::uint64_t of_lane = of_warps(static_cast<std::uint64_t>(__popc(holders)));
        *all = static_cast<std::uint32_t>(warp_sum(of_lane));
        const std::uint64_t before = warp_sum(lane < threadIdx.x / 32 ? of_lane : 0);
        return static_cast<std::uint32_t>(before) + static_cast<std::uint32_t>(__popc(holders & ((1u << lane) - 1u)));
    }

  private:
    // What warp number `lane` has brought.
    __device__ __forceinline__ std::uint64_t of_warps(std::uint64_t mine) const {
        static_assert(kAllotThreads == 32 * 32, "as many warps as lanes");
        __syncthreads();  // whoever reads what was here before has done so
        if ((threadIdx.x & 31u) == 0) sums[threadIdx.x / 32] = mine;
        __syncthreads();
        return sums[threadIdx.x & 31u];
    }
    __device__ __forceinline__ static std::uint32_t warp_highest(std::uint32_t x) {
        for (int offset = 16; offset > 0; offset /= 2)
            x = kit::maximum(x, static_cast<std::uint32_t>(__shfl_xor_sync(kWholeWarp, x, offset)));
        return x;
    }
};

// After the roots are gathered: how many simulations each agent is to have. One block.
template <class R>
__global__ void __launch_bounds__(kAllotThreads) allot_kernel(DeviceArrays<R> arrays) {
    FrameState& frame = *arrays.frame;
    const core::AllotmentOrder order = frame.order.allotment;
    if (order.on == 0) return;
    __shared__ core::AllotmentScratch scratch;
    __shared__ std::uint64_t sums[32];
    const BlockTeam team = {sums};
    const core::AllotmentView agents = {arrays.work, arrays.urgency, arrays.ages, frame.order.key.agent_count};
    const core::AllotmentReport report = core::Allotment<BlockTeam>{agents, order, scratch, team}.run();
    // Who is active now; each thread looks at what it has written itself.
    std::uint32_t active = 0;
    for (std::uint32_t first = 0; first < agents.agent_count; first += kAllotThreads) {
        const std::uint32_t i = first + threadIdx.x;
        const bool goes = i < agents.agent_count && arrays.work[i].active != 0;
        std::uint32_t all = 0;
        const std::uint32_t place = active + team.rank(goes, &all);
        if (goes && arrays.active[0] != nullptr) arrays.active[0][place] = i;
        active += all;
    }
    if (threadIdx.x != 0) return;
    frame.active_agents = active;
    frame.report.allotted = report;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_ALLOTMENT_CUH
