// Which part of a simulation a search's time goes into, as the first thread of its grid sees it: the others do alike.
// Only in frames whose order says so: clocks in the midst of a loop cost 4 % of a frame of 4,096 trees.
#ifndef AUGUR_BACKEND_CUDA_PART_METER_CUH
#define AUGUR_BACKEND_CUDA_PART_METER_CUH

#include <type_traits>

#include "backend/cuda/control.h"
#include "backend/cuda/lanes.cuh"

namespace augur::cuda {

__device__ __forceinline__ bool is_first_thread() {
    return blockIdx.x == 0 && threadIdx.x == 0;
}

__device__ __forceinline__ void add_time(FrameState& frame, core::SearchPart part, std::uint64_t time) {
    auto* const sum = &frame.report.parts.sums[static_cast<std::uint32_t>(part)];
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), time);
}

// Simulations of one thread, whose parts come once each and in their order; every eighth is measured.
struct SimulationMeter {
    FrameState& frame;
    std::uint32_t round = 0;
    std::uint32_t moments[core::kSearchParts] = {};  // when a part began

    __device__ __forceinline__ explicit SimulationMeter(FrameState& of) : frame(of) {}
    __device__ __forceinline__ static std::uint32_t now() { return static_cast<std::uint32_t>(clock()); }
    __device__ __forceinline__ bool on() const { return round % 8 == 2 && is_first_thread(); }

    __device__ __forceinline__ void begin() {
        ++round;
        if (on()) moments[0] = now();
    }
    __device__ __forceinline__ void pass(core::SearchPart, core::SearchPart to) {
        if (on()) moments[static_cast<std::uint32_t>(to)] = now();
    }
    __device__ __forceinline__ void end(core::SearchPart) {
        if (!on()) return;
        std::uint32_t next = now();
        for (std::uint32_t part = core::kSearchParts; part-- > 0;) {
            add_time(frame, static_cast<core::SearchPart>(part), next - moments[part]);
            next = moments[part];
        }
    }
};

template <class Meter>
__device__ __forceinline__ Meter make_meter(FrameState& frame) {
    if constexpr (std::is_same_v<Meter, core::NoMeter>)
        return {};
    else
        return Meter(frame);
}

// Parts in any order, through as many kernels as it takes. on: false for all threads but the first. Each call is a look
// at a clock and at most two additions in memory that nobody waits for.
template <class Clock>
struct PartMeter {
    FrameState& frame;
    bool on;

    __device__ __forceinline__ void begin(core::SearchPart part = core::SearchPart::select) const {
        if (on) add_time(frame, part, 0 - Clock::now());
    }
    __device__ __forceinline__ void pass(core::SearchPart from, core::SearchPart to) const {
        if (on) pass_at(from, to, Clock::now());
    }
    __device__ __forceinline__ void end(core::SearchPart part) const {
        if (on) add_time(frame, part, Clock::now());
    }
    // At a moment that is known.
    __device__ __forceinline__ void pass_at(core::SearchPart from, core::SearchPart to, std::uint64_t time) const {
        if (!on) return;
        add_time(frame, from, time);
        add_time(frame, to, 0 - time);
    }
};

struct Cycles {
    __device__ __forceinline__ static std::uint64_t now() { return static_cast<std::uint64_t>(clock64()); }
};
struct Nanoseconds {
    __device__ __forceinline__ static std::uint64_t now() { return device_time_ns(); }
};

// Within a kernel, and through the kernels of a wave.
struct BlockMeter : PartMeter<Cycles> {
    __device__ __forceinline__ explicit BlockMeter(FrameState& of)
        : PartMeter<Cycles>{of, is_first_thread() && of.order.watched != 0} {}
};
struct WaveMeter : PartMeter<Nanoseconds> {
    __device__ __forceinline__ explicit WaveMeter(FrameState& of)
        : PartMeter<Nanoseconds>{of, is_first_thread() && of.order.watched != 0} {}
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_PART_METER_CUH
