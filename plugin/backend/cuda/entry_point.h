// Functions of the driver, looked up when the program runs.
#ifndef AUGUR_BACKEND_CUDA_ENTRY_POINT_H
#define AUGUR_BACKEND_CUDA_ENTRY_POINT_H

#include <cuda_runtime.h>

namespace augur::cuda {

// version: of CUDA in which the function has the wanted form, e.g. 12040. False where the driver has none.
template <class F>
bool look_up(const char* name, F& out, unsigned version = 12000) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
    out = reinterpret_cast<F>(entry);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess && entry != nullptr;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_ENTRY_POINT_H
