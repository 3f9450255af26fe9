// A block of device memory, counted against the host's cap.
#ifndef AUGUR_BACKEND_CUDA_DEVICE_BLOCK_H
#define AUGUR_BACKEND_CUDA_DEVICE_BLOCK_H

#include <memory>
#include <string>

#include "backend/cuda/device.h"

namespace augur::cuda {

class DeviceBlock {
  public:
    explicit DeviceBlock(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    ~DeviceBlock() {
        device_->release(reserved_);
        if (device_->health().lost() || data_ == nullptr) return;
        const ContextScope scope(*device_);
        cudaFree(data_);  // waits for a frame that may still be using it
    }
    DeviceBlock(const DeviceBlock&) = delete;
    DeviceBlock& operator=(const DeviceBlock&) = delete;

    unsigned char* data() const { return data_; }

    // The block's zeros are written on the stream. what: for the message, "the network's working memory".
    augur_result allocate(std::uint64_t bytes, const char* what, cudaStream_t stream, std::string& message) {
        DeviceHealth& health = device_->health();
        if (!device_->reserve(bytes)) {
            message = std::string(what) + " in the planner needs " + std::to_string(bytes) +
                      " bytes of GPU memory, gpu_memory_cap_bytes is " + std::to_string(device_->cap());
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        reserved_ = bytes;
        void* block = nullptr;
        const augur_result result = health.check(cudaMalloc(&block, bytes), "cudaMalloc", message);
        if (result != AUGUR_OK) {
            message += " for " + std::to_string(bytes) + " bytes";
            return result;
        }
        data_ = static_cast<unsigned char*>(block);
        return health.check(cudaMemsetAsync(data_, 0, bytes, stream), "cudaMemsetAsync", message);
    }

  private:
    std::shared_ptr<Device> device_;
    unsigned char* data_ = nullptr;
    std::uint64_t reserved_ = 0;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_DEVICE_BLOCK_H
