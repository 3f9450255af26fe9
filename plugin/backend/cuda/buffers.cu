#include "backend/cuda/buffers.h"

#include <cstring>

// From cuda_gl_interop.h, which cannot be included without an OpenGL header.
extern "C" cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource** resource,
                                                              unsigned int buffer, unsigned int flags);

namespace augur::cuda {

namespace {

// Ordinary memory, pinned while it is registered. Kernels read and write it over the bus, in place.
class PinnedBuffer final : public CudaBuffer {
  public:
    PinnedBuffer(std::shared_ptr<Device> device, void* host, unsigned char* seen, bool pinned)
        : device_(std::move(device)), host_(host), seen_(seen), pinned_(pinned) {}
    ~PinnedBuffer() override {
        if (!pinned_ || device_->health().lost()) return;
        const ContextScope scope(*device_);
        cudaHostUnregister(host_);
    }
    unsigned char* begin(cudaStream_t, augur_result&) override { return seen_; }

  private:
    std::shared_ptr<Device> device_;
    void* host_;
    unsigned char* seen_;
    bool pinned_;
};

// Ordinary memory that cannot be pinned (pages shared with another registration, or not allowed): a pinned copy beside
// it.
class CopiedBuffer final : public CudaBuffer {
  public:
    CopiedBuffer(std::shared_ptr<Device> device, const augur_buffer_desc& desc, void* staging, unsigned char* seen)
        : device_(std::move(device)), desc_(desc), staging_(staging), seen_(seen) {}
    ~CopiedBuffer() override {
        if (device_->health().lost()) return;
        const ContextScope scope(*device_);
        cudaFreeHost(staging_);
    }

    unsigned char* begin(cudaStream_t, augur_result&) override {
        if (!in_frame_)
            std::memcpy(staging_, desc_.pointer, desc_.size_bytes);  // what is not written must stay as it is
        in_frame_ = true;
        return seen_;
    }

    std::uint64_t finish() override {
        if (!in_frame_) return 0;
        in_frame_ = false;
        if (!(desc_.access & AUGUR_ACCESS_WRITE)) return desc_.size_bytes;
        std::memcpy(desc_.pointer, staging_, desc_.size_bytes);
        return 2 * desc_.size_bytes;
    }

  private:
    std::shared_ptr<Device> device_;
    augur_buffer_desc desc_;
    void* staging_;
    unsigned char* seen_;
    bool in_frame_ = false;
};

class DeviceBuffer final : public CudaBuffer {
  public:
    explicit DeviceBuffer(void* data) : data_(static_cast<unsigned char*>(data)) {}
    unsigned char* begin(cudaStream_t, augur_result&) override { return data_; }
    bool on_device() const override { return true; }

  private:
    unsigned char* data_;
};

// An OpenGL buffer, mapped for the length of the launch. Several fields in one buffer map it once.
class OpenGlBuffer final : public CudaBuffer {
  public:
    OpenGlBuffer(std::shared_ptr<Device> device, cudaGraphicsResource* resource, std::uint64_t size_bytes)
        : device_(std::move(device)), resource_(resource), size_bytes_(size_bytes) {}
    ~OpenGlBuffer() override {
        if (device_->health().lost()) return;
        const ContextScope scope(*device_);
        cudaGraphicsUnregisterResource(resource_);
    }

    unsigned char* begin(cudaStream_t stream, augur_result& result) override {
        if (mapped_ != nullptr) return mapped_;
        result = device_->health().check(cudaGraphicsMapResources(1, &resource_, stream));
        if (result != AUGUR_OK) return nullptr;
        void* data = nullptr;
        std::size_t size = 0;
        result = device_->health().check(cudaGraphicsResourceGetMappedPointer(&data, &size, resource_));
        if (result == AUGUR_OK && size < size_bytes_) result = AUGUR_ERROR_INVALID_BUFFER;
        mapped_ = static_cast<unsigned char*>(data);
        if (result != AUGUR_OK) {
            mapped_ = data != nullptr ? mapped_ : reinterpret_cast<unsigned char*>(1);
            end(stream);
            return nullptr;
        }
        return mapped_;
    }

    bool on_device() const override { return true; }

    // Ordered after the frame's kernels: OpenGL work issued later waits for them.
    void end(cudaStream_t stream) override {
        if (mapped_ == nullptr) return;
        mapped_ = nullptr;
        device_->health().check(cudaGraphicsUnmapResources(1, &resource_, stream));
    }

  private:
    std::shared_ptr<Device> device_;
    cudaGraphicsResource* resource_;
    std::uint64_t size_bytes_;
    unsigned char* mapped_ = nullptr;
};

augur_result attach_host(std::shared_ptr<Device> device, const augur_buffer_desc& desc,
                         std::unique_ptr<BackendBuffer>* out, std::string& message) {
    DeviceHealth& health = device->health();
    cudaPointerAttributes attributes{};
    if (health.check(cudaPointerGetAttributes(&attributes, desc.pointer), "cudaPointerGetAttributes", message) !=
        AUGUR_OK)
        return AUGUR_ERROR_INVALID_BUFFER;
    if (attributes.type == cudaMemoryTypeDevice) {
        message = "kind is AUGUR_BUFFER_HOST, but pointer is CUDA device memory; use AUGUR_BUFFER_CUDA";
        return AUGUR_ERROR_INVALID_BUFFER;
    }
    if (attributes.type == cudaMemoryTypeHost ||
        attributes.type == cudaMemoryTypeManaged) {  // pinned already, by the host
        *out = std::make_unique<PinnedBuffer>(device, desc.pointer,
                                              static_cast<unsigned char*>(attributes.devicePointer), false);
        return AUGUR_OK;
    }
    void* seen = nullptr;
    if (cudaHostRegister(desc.pointer, desc.size_bytes, cudaHostRegisterMapped | cudaHostRegisterPortable) ==
        cudaSuccess) {
        if (health.check(cudaHostGetDevicePointer(&seen, desc.pointer, 0), "cudaHostGetDevicePointer", message) ==
            AUGUR_OK) {
            *out = std::make_unique<PinnedBuffer>(device, desc.pointer, static_cast<unsigned char*>(seen), true);
            return AUGUR_OK;
        }
        cudaHostUnregister(desc.pointer);
    }
    void* staging = nullptr;
    augur_result result =
        health.check(cudaHostAlloc(&staging, desc.size_bytes, cudaHostAllocMapped), "cudaHostAlloc", message);
    if (result == AUGUR_OK)
        result = health.check(cudaHostGetDevicePointer(&seen, staging, 0), "cudaHostGetDevicePointer", message);
    if (result != AUGUR_OK) return result;
    *out = std::make_unique<CopiedBuffer>(device, desc, staging, static_cast<unsigned char*>(seen));
    return AUGUR_OK;
}

augur_result attach_device(Device& device, const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out,
                           std::string& message) {
    cudaPointerAttributes attributes{};
    if (device.health().check(cudaPointerGetAttributes(&attributes, desc.pointer), "cudaPointerGetAttributes",
                              message) != AUGUR_OK)
        return AUGUR_ERROR_INVALID_BUFFER;
    if (const augur_result result = check_device_memory(attributes, device.ordinal(), message); result != AUGUR_OK)
        return result;
    *out = std::make_unique<DeviceBuffer>(desc.pointer);
    return AUGUR_OK;
}

augur_result attach_opengl(std::shared_ptr<Device> device, const augur_buffer_desc& desc,
                           std::unique_ptr<BackendBuffer>* out, std::string& message) {
    const unsigned flags =
        desc.access == AUGUR_ACCESS_READ ? cudaGraphicsRegisterFlagsReadOnly : cudaGraphicsRegisterFlagsNone;
    cudaGraphicsResource* resource = nullptr;
    const cudaError_t error = cudaGraphicsGLRegisterBuffer(&resource, desc.gl_buffer, flags);
    if (error != cudaSuccess) {
        message = std::string("OpenGL buffer ") + std::to_string(desc.gl_buffer) +
                  " cannot be shared with CUDA: " + cudaGetErrorString(error) +
                  " (is the OpenGL context current, and on the same GPU?)";
        return error == cudaErrorInvalidValue ? AUGUR_ERROR_INVALID_BUFFER : AUGUR_ERROR_UNSUPPORTED;
    }
    *out = std::make_unique<OpenGlBuffer>(std::move(device), resource, desc.size_bytes);
    return AUGUR_OK;
}

}  // namespace

augur_result check_device_memory(const cudaPointerAttributes& attributes, int ordinal, std::string& message) {
    if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
        message = "kind is AUGUR_BUFFER_CUDA, but pointer is not CUDA device memory; use AUGUR_BUFFER_HOST";
        return AUGUR_ERROR_INVALID_BUFFER;
    }
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != ordinal) {
        message = "pointer belongs to CUDA device " + std::to_string(attributes.device) + ", the context uses device " +
                  std::to_string(ordinal);
        return AUGUR_ERROR_INVALID_BUFFER;
    }
    return AUGUR_OK;
}

augur_result attach_buffer(std::shared_ptr<Device> device, const augur_buffer_desc& desc,
                           std::unique_ptr<BackendBuffer>* out, std::string& message) {
    if (device->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
    const ContextScope scope(*device);
    switch (desc.kind) {
        case AUGUR_BUFFER_HOST:
            return attach_host(std::move(device), desc, out, message);
        case AUGUR_BUFFER_CUDA:
            return attach_device(*device, desc, out, message);
        default:
            return attach_opengl(std::move(device), desc, out, message);
    }
}

}  // namespace augur::cuda
