// The host's memory as kernels see it.
#ifndef AUGUR_BACKEND_CUDA_BUFFERS_H
#define AUGUR_BACKEND_CUDA_BUFFERS_H

#include "backend/cuda/device.h"

namespace augur::cuda {

// One registered buffer. For a frame: begin before the launch, end right after it, finish when the frame is done. A
// buffer that serves several fields gets each call several times.
class CudaBuffer : public BackendBuffer {
  public:
    // Where kernels on `stream` find the first byte; null with the reason in `result`.
    virtual unsigned char* begin(cudaStream_t stream, augur_result& result) = 0;
    virtual void end(cudaStream_t) {}
    // Returns the bytes copied for the frame; 0 where memory is used in place.
    virtual std::uint64_t finish() { return 0; }
    // Whether kernels may read it as often as they like.
    virtual bool on_device() const { return false; }
};

// Whether memory with these attributes can be a CUDA buffer of device `ordinal`.
augur_result check_device_memory(const cudaPointerAttributes& attributes, int ordinal, std::string& message);

augur_result attach_buffer(std::shared_ptr<Device> device, const augur_buffer_desc& desc,
                           std::unique_ptr<BackendBuffer>* out, std::string& message);

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_BUFFERS_H
