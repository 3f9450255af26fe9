// How searches and evaluations of one context share the GPU: lanes, each a part of the multiprocessors with a priority.
#ifndef AUGUR_BACKEND_CUDA_SHARING_H
#define AUGUR_BACKEND_CUDA_SHARING_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <augur/context.h>

#include <atomic>
#include <mutex>
#include <string>

#include "core/lane_choice.h"

namespace augur::cuda {

// Where work is launched.
struct Lane {
    CUcontext context = nullptr;  // current while its streams and graphs are made and launched
    int priority = 0;
    std::uint32_t multiprocessors = 0;
};

// Entry points of the driver for parts of a GPU ("green contexts", from 12.4 on).
struct PartitionDriver {
    CUresult (*get_resource)(CUdevice, CUdevResource*, CUdevResourceType);
    CUresult (*split)(CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*, unsigned, unsigned);
    CUresult (*make_desc)(CUdevResourceDesc*, CUdevResource*, unsigned);
    CUresult (*create)(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned);
    CUresult (*destroy)(CUgreenCtx);
    CUresult (*as_context)(CUcontext*, CUgreenCtx);

    bool load();
};

class Sharing {
  public:
    struct Whole {
        CUdevice device;
        CUcontext context;
        bool is_primary;       // only then can it be divided
        bool has_host_stream;  // which carries all work
        std::uint32_t multiprocessors;
        int lowest_priority, highest_priority;
    };

    // While the device's context is still there.
    void close();

    // Makes the lanes of a mode, the context being current. Where that is not possible the mode becomes PRIORITY (PLAIN
    // on a host's stream), and why_not says why; empty otherwise. For AUTO this is no fault. partition: multiprocessors
    // of PARTITION's searches, 0: an eighth.
    void open(const Whole& whole, augur_gpu_sharing wanted, std::uint32_t partition, std::string& why_not);

    augur_gpu_sharing mode() const { return mode_; }
    std::uint32_t lane_count() const { return count_; }
    const Lane& search_lane(std::uint32_t i) const { return search_[i]; }
    const Lane& evaluation_lane(std::uint32_t i) const { return evaluation_[i]; }

    // Of the search that begins now.
    struct Choice {
        std::uint32_t lane;
        bool beside;  // evaluations are running
    };
    Choice begin_search(core::LaneChoice& planner, float urgency);
    // A planner's own choice, given back before the planner goes.
    core::LaneChoice join();
    void leave();
    // The lane of the evaluation that begins now. Every call is followed by one of end_evaluation.
    std::uint32_t begin_evaluation();
    void end_evaluation() { evaluations_.fetch_sub(1, std::memory_order_relaxed); }

    // Calls launch, which puts work on the stream; by TURNS only when all work launched before is done. done: an event
    // of the caller's.
    template <class Launch>
    cudaError_t take_turn(cudaStream_t stream, cudaEvent_t done, Launch launch) {
        if (mode_ != AUGUR_GPU_SHARING_TURNS) return launch();
        const std::lock_guard lock(mutex_);
        cudaError_t error = last_ != nullptr && last_ != done ? cudaStreamWaitEvent(stream, last_, 0) : cudaSuccess;
        if (error == cudaSuccess) error = launch();
        if (error == cudaSuccess) error = cudaEventRecord(done, stream);
        if (error == cudaSuccess) last_ = done;
        return error;
    }
    // Before the event is destroyed.
    void forget(cudaEvent_t done);

  private:
    static constexpr std::uint32_t kParts = core::kMaxLanes - 1;
    bool add_partition(const Whole& whole, std::uint32_t multiprocessors, std::string& why_not);
    void add_whole(const Whole& whole, int search_priority, int evaluation_priority);

    PartitionDriver driver_{};
    augur_gpu_sharing mode_ = AUGUR_GPU_SHARING_PRIORITY;
    Lane search_[core::kMaxLanes], evaluation_[core::kMaxLanes];
    std::uint32_t count_ = 0;
    CUgreenCtx parts_[2 * kParts] = {};
    std::uint32_t part_count_ = 0;
    std::atomic<std::uint32_t> evaluations_{0};  // running
    core::LaneRule rule_ = core::LaneRule::first;
    std::mutex mutex_;  // of the next two
    core::LaneDemand demand_;
    cudaEvent_t last_ = nullptr;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_SHARING_H
