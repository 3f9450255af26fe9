#include "support/host_cuda_context.h"

#include <cuda.h>
#include <cuda_runtime.h>

namespace augur::test {

void* host_cuda_context() {
    if (cudaSetDevice(0) != cudaSuccess || cudaFree(nullptr) != cudaSuccess) return nullptr;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess)
        return nullptr;
    CUcontext context = nullptr;
    if (reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context) != CUDA_SUCCESS) return nullptr;
    return context;
}

}  // namespace augur::test
