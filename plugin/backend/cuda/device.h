// The CUDA device, and its context made current for the length of a call.
#ifndef AUGUR_BACKEND_CUDA_DEVICE_H
#define AUGUR_BACKEND_CUDA_DEVICE_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <string>

#include "backend/backend.h"
#include "backend/cuda/sharing.h"
#include "backend/cuda/status.h"

namespace augur::cuda {

// Entry points of the driver, looked up when the program runs: the library loads on machines without a driver.
struct Driver {
    CUresult (*device_get)(CUdevice*, int);
    CUresult (*primary_retain)(CUcontext*, CUdevice);
    CUresult (*primary_release)(CUdevice);
    CUresult (*context_push)(CUcontext);
    CUresult (*context_pop)(CUcontext*);
    CUresult (*context_device)(CUdevice*);

    // False with a message where the driver is missing or too old.
    bool load(std::string& message);
};

class Device {
  public:
    ~Device();

    // Picks the device and its context. AUGUR_OK, or why it cannot be used.
    augur_result open(const BackendHost& host, std::string& message);

    const cudaDeviceProp& properties() const { return properties_; }
    int ordinal() const { return ordinal_; }
    bool owns_context() const { return owns_primary_; }
    cudaStream_t host_stream() const { return host_stream_; }
    // Whether the host is recording its stream, in which work of ours would end.
    bool host_captures() const;
    DeviceHealth& health() { return health_; }
    const DeviceHealth& health() const { return health_; }
    Sharing& sharing() { return sharing_; }
    const Sharing& sharing() const { return sharing_; }

    // Counts memory against the host's cap; false when it would be passed.
    bool reserve(std::uint64_t bytes);
    void release(std::uint64_t bytes) { reserved_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::uint64_t cap() const { return cap_; }
    std::uint64_t reserved() const { return reserved_.load(std::memory_order_relaxed); }

  private:
    friend class ContextScope;
    Driver driver_{};
    CUcontext context_ = nullptr;
    CUdevice device_ = 0;
    bool owns_primary_ = false;
    int ordinal_ = 0;
    cudaStream_t host_stream_ = nullptr;
    cudaDeviceProp properties_{};
    std::uint64_t cap_ = 0;
    std::atomic<std::uint64_t> reserved_{0};
    DeviceHealth health_;
    Sharing sharing_;
};

// Makes the device's context current, and what was current before again at the end, whatever happens in between. What
// this thread calls meanwhile is nothing to captures of the host's: in a thread that captures, or beside a capture in
// the global mode, a query or an allocation of ours would be refused and break it.
class ContextScope {
  public:
    explicit ContextScope(const Device& device) : ContextScope(device, device.context_) {}
    // The context of a lane.
    ContextScope(const Device& device, CUcontext context) : device_(device) {
        pushed_ = device.driver_.context_push(context) == CUDA_SUCCESS;
        exchanged_ = cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess;
    }
    ~ContextScope() {
        if (exchanged_) cudaThreadExchangeStreamCaptureMode(&mode_);
        CUcontext popped;
        if (pushed_) device_.driver_.context_pop(&popped);
    }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

  private:
    const Device& device_;
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // from the first exchange on, the thread's own
    bool pushed_ = false, exchanged_ = false;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_DEVICE_H
