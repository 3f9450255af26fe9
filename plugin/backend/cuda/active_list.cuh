// Which agents the waves of a forest are about: those that want more simulations, one after the other, so that groups
// of a warp stand together that have something to do. An agent that stops drops out with its wave.
//
// There are two lists, read and written in turn: wave i of a turn of the loop reads list i % 2 and writes the other, so
// a turn has an even number of waves. A list's order is that in which agents came to it; no result depends on it.
#ifndef AUGUR_BACKEND_CUDA_ACTIVE_LIST_CUH
#define AUGUR_BACKEND_CUDA_ACTIVE_LIST_CUH

#include "backend/cuda/lanes.cuh"
#include "backend/cuda/layout.h"

namespace augur::cuda {

// In place of a list: all agents of the frame, whether they want more or not.
inline constexpr int kEveryAgent = -1;

// The agent at one place of a list; 0 and not valid past the end.
struct ListedAgent {
    std::uint32_t agent;
    bool valid;
};

template <class R>
__device__ __forceinline__ ListedAgent listed_agent(const DeviceArrays<R>& arrays, int list, std::uint32_t place) {
    const FrameState& frame = *arrays.frame;
    const bool every = list == kEveryAgent;
    const bool valid = place < (every ? frame.order.key.agent_count : frame.listed[list]);
    return {!valid ? 0 : every ? place : arrays.active[list][place], valid};
}

// Called by a wave's first kernel, after which nobody reads the list that the wave will write.
template <class R>
__device__ __forceinline__ void begin_next_list(const DeviceArrays<R>& arrays, int list) {
    if (list != kEveryAgent && blockIdx.x == 0 && threadIdx.x == 0) arrays.frame->listed[1 - list] = 0;
}

// Called by whole warps at the end of a wave: who goes on comes into the list of the next.
template <class R>
__device__ __forceinline__ void list_for_next(const DeviceArrays<R>& arrays, int list, std::uint32_t agent,
                                              bool goes_on) {
    if (list == kEveryAgent) return;
    const unsigned going = __ballot_sync(kWholeWarp, goes_on);
    if (going == 0) return;
    const std::uint32_t lane = threadIdx.x & 31u;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(&arrays.frame->listed[1 - list], static_cast<std::uint32_t>(__popc(going)));
    first = __shfl_sync(kWholeWarp, first, 0);
    if (goes_on)
        arrays.active[1 - list][first + static_cast<std::uint32_t>(__popc(going & ((1u << lane) - 1u)))] = agent;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_ACTIVE_LIST_CUH
