// CUDA errors as Augur results. A device error is latched: after it no CUDA call is made, and the planner goes on with
// the CPU.
#ifndef AUGUR_BACKEND_CUDA_STATUS_H
#define AUGUR_BACKEND_CUDA_STATUS_H

#include <augur/base.h>
#include <cuda_runtime.h>

#include <atomic>
#include <string>

namespace augur::cuda {

// One for a backend and all its engines.
class DeviceHealth {
  public:
    bool lost() const { return lost_.load(std::memory_order_relaxed); }

    // The result of a CUDA call. Errors that leave the device unusable are latched.
    augur_result check(cudaError_t error) {
        switch (error) {
            case cudaSuccess:
                return AUGUR_OK;
            case cudaErrorNotReady:
                return AUGUR_NOT_READY;
            case cudaErrorMemoryAllocation:
                return AUGUR_ERROR_OUT_OF_MEMORY;
            case cudaErrorStreamCaptureUnsupported:
            case cudaErrorStreamCaptureInvalidated:
            case cudaErrorStreamCaptureMerge:
            case cudaErrorStreamCaptureUnmatched:
            case cudaErrorStreamCaptureUnjoined:
            case cudaErrorStreamCaptureIsolation:
            case cudaErrorStreamCaptureImplicit:
            case cudaErrorStreamCaptureWrongThread:
            case cudaErrorCapturedEvent:
                return AUGUR_ERROR_CAPTURE_CONFLICT;
            case cudaErrorNoKernelImageForDevice:
            case cudaErrorNotSupported:
                return AUGUR_ERROR_UNSUPPORTED;
            case cudaErrorInvalidValue:
            case cudaErrorInvalidResourceHandle:
            case cudaErrorHostMemoryAlreadyRegistered:
                return AUGUR_ERROR_INTERNAL;
            default:
                lost_.store(true, std::memory_order_relaxed);
                return AUGUR_ERROR_DEVICE_LOST;
        }
    }

    // As check, and says what failed.
    augur_result check(cudaError_t error, const char* what, std::string& message) {
        const augur_result result = check(error);
        if (result != AUGUR_OK)
            message = std::string(what) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
        return result;
    }

  private:
    std::atomic<bool> lost_{false};
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_STATUS_H
