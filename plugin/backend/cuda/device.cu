#include "backend/cuda/device.h"

#include "backend/cuda/entry_point.h"

namespace augur::cuda {

namespace {

// Tells whether this build has code for a GPU.
__global__ void probe_kernel() {}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

bool Driver::load(std::string& message) {
    if (look_up("cuDeviceGet", device_get) && look_up("cuDevicePrimaryCtxRetain", primary_retain) &&
        look_up("cuDevicePrimaryCtxRelease", primary_release) && look_up("cuCtxPushCurrent", context_push) &&
        look_up("cuCtxPopCurrent", context_pop) && look_up("cuCtxGetDevice", context_device))
        return true;
    message = "the GPU driver lacks functions that this library needs";
    return false;
}

Device::~Device() {
    sharing_.close();
    if (owns_primary_) driver_.primary_release(device_);
}

augur_result Device::open(const BackendHost& host, std::string& message) {
    const CudaProbe probe = probe_cuda();
    if (probe.result != AUGUR_OK) {
        message = probe.text;
        return probe.result;
    }
    if (!driver_.load(message)) return AUGUR_ERROR_DRIVER_TOO_OLD;
    cap_ = host.gpu_memory_cap_bytes;
    host_stream_ = static_cast<cudaStream_t>(host.cuda_stream);
    if (host.cuda_context != nullptr) {
        context_ = static_cast<CUcontext>(host.cuda_context);
        if (driver_.context_push(context_) != CUDA_SUCCESS) {
            message = "cuda_context is not a CUDA context";
            return AUGUR_ERROR_INVALID_ARGUMENT;
        }
        driver_.context_device(&device_);
        ordinal_ = static_cast<int>(device_);
        CUcontext popped;
        driver_.context_pop(&popped);
    } else {
        const int count = static_cast<int>(probe.device_count);
        if (host.cuda_device >= count) {
            message = "cuda_device is " + std::to_string(host.cuda_device) + ", there are " + std::to_string(count);
            return AUGUR_ERROR_INVALID_ARGUMENT;
        }
        ordinal_ = host.cuda_device;
        double best = -1;
        for (int d = 0; ordinal_ < 0 && d < count; ++d) {
            int clock_khz = 0, width_bits = 0;
            cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, d);
            cudaDeviceGetAttribute(&width_bits, cudaDevAttrGlobalMemoryBusWidth, d);
            const double bandwidth = static_cast<double>(clock_khz) * width_bits;
            if (bandwidth > best) {
                best = bandwidth;
                device_ = d;
            }
        }
        if (ordinal_ < 0) ordinal_ = static_cast<int>(device_);
        const CUresult retained = driver_.device_get(&device_, ordinal_) == CUDA_SUCCESS
                                      ? driver_.primary_retain(&context_, device_)
                                      : CUDA_ERROR_INVALID_DEVICE;
        if (retained != CUDA_SUCCESS) {
            message = "device " + std::to_string(ordinal_) + " gives no context (CUresult " +
                      std::to_string(static_cast<int>(retained)) +
                      "): in exclusive use by another process, or out of memory";
            return retained == CUDA_ERROR_OUT_OF_MEMORY ? AUGUR_ERROR_OUT_OF_MEMORY : AUGUR_ERROR_NO_DEVICE;
        }
        owns_primary_ = true;
    }
    const ContextScope scope(*this);
    int lowest = 0, highest = 0;
    if (health_.check(cudaGetDeviceProperties(&properties_, ordinal_), "cudaGetDeviceProperties", message) !=
            AUGUR_OK ||
        health_.check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange",
                      message) != AUGUR_OK)
        return AUGUR_ERROR_NO_DEVICE;
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, probe_kernel) != cudaSuccess) {
        cudaGetLastError();
        message =
            std::string("this build has no code for ") + properties_.name + " (compute capability " +
            std::to_string(properties_.major) + "." + std::to_string(properties_.minor) +
            "); build with AUGUR_CUDA_ARCHITECTURES=" + std::to_string(properties_.major * 10 + properties_.minor);
        return AUGUR_ERROR_UNSUPPORTED;
    }
    std::string why_not;
    sharing_.open({device_, context_, owns_primary_, host_stream_ != nullptr,
                   static_cast<std::uint32_t>(properties_.multiProcessorCount), lowest, highest},
                  host.gpu_sharing, host.partition_multiprocessors, why_not);
    if (!why_not.empty() && host.gpu_sharing == AUGUR_GPU_SHARING_AUTO)
        host.log->write(AUGUR_SEVERITY_INFO, AUGUR_OK, ("gpu_sharing: no parts of the GPU: " + why_not).c_str());
    else if (!why_not.empty())
        host.log->write(AUGUR_SEVERITY_WARNING, AUGUR_ERROR_UNSUPPORTED,
                        ("gpu_sharing is not possible as asked: " + why_not).c_str());
    return AUGUR_OK;
}

bool Device::host_captures() const {
    if (host_stream_ == nullptr) return false;
    const ContextScope scope(*this);
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(host_stream_, &capturing) != cudaSuccess || capturing != cudaStreamCaptureStatusNone;
}

bool Device::reserve(std::uint64_t bytes) {
    const std::uint64_t before = reserved_.fetch_add(bytes, std::memory_order_relaxed);
    if (cap_ == 0 || before + bytes <= cap_) return true;
    release(bytes);
    return false;
}

}  // namespace augur::cuda

namespace augur {

CudaProbe probe_cuda() {
    CudaProbe probe{};
    int runtime = 0, driver = 0, count = 0;
    cudaRuntimeGetVersion(&runtime);
    probe.runtime_version = static_cast<std::uint32_t>(runtime);
    const cudaError_t driver_error = cudaDriverGetVersion(&driver);
    probe.driver_version = driver_error == cudaSuccess ? static_cast<std::uint32_t>(driver) : 0;
    if (probe.driver_version == 0) {
        probe.result = AUGUR_ERROR_NO_DEVICE;
        probe.text = "no NVIDIA driver was found";
        return probe;
    }
    if (probe.driver_version / 1000 < probe.runtime_version / 1000) {
        probe.result = AUGUR_ERROR_DRIVER_TOO_OLD;
        probe.text = "the GPU driver supports CUDA " + cuda::version_text(driver) + ", this library needs " +
                     cuda::version_text(runtime / 1000 * 1000);
        return probe;
    }
    const cudaError_t error = cudaGetDeviceCount(&count);
    probe.device_count = error == cudaSuccess && count > 0 ? static_cast<std::uint32_t>(count) : 0;
    if (error == cudaErrorInsufficientDriver) {
        probe.result = AUGUR_ERROR_DRIVER_TOO_OLD;
        probe.text = "the GPU driver is older than this library needs (CUDA " + cuda::version_text(runtime) + ")";
    } else if (probe.device_count == 0) {
        probe.result = AUGUR_ERROR_NO_DEVICE;
        probe.text = std::string("no usable GPU: ") + cudaGetErrorString(error);
    } else {
        probe.result = AUGUR_OK;
        probe.text = std::to_string(count) + " GPU(s), driver CUDA " + cuda::version_text(driver);
    }
    return probe;
}

}  // namespace augur
