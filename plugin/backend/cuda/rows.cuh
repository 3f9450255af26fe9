// Rows of the host's numbers, in any format, as kernels read them.
#ifndef AUGUR_BACKEND_CUDA_ROWS_CUH
#define AUGUR_BACKEND_CUDA_ROWS_CUH

#include "core/fetch.h"

namespace augur::cuda {

// Calls f(row, number) for this thread's share of rows * each numbers.
template <class F>
__device__ __forceinline__ void for_each_number(std::uint32_t rows, std::uint32_t each, F f) {
    const std::uint64_t total = static_cast<std::uint64_t>(rows) * each;
    for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        if (total < 0x100000000u)
            f(static_cast<std::uint32_t>(i) / each, static_cast<std::uint32_t>(i) % each);
        else
            f(static_cast<std::uint32_t>(i / each), static_cast<std::uint32_t>(i % each));
    }
}

// The i-th number of a row.
__device__ __forceinline__ float number_at(const unsigned char* row, core::Format format, std::uint32_t i) {
    switch (format) {
        case core::Format::i32:
            return static_cast<float>(reinterpret_cast<const std::int32_t*>(row)[i]);
        case core::Format::u32:
            return static_cast<float>(reinterpret_cast<const std::uint32_t*>(row)[i]);
        case core::Format::i16:
            return static_cast<float>(reinterpret_cast<const std::int16_t*>(row)[i]);
        case core::Format::u16:
            return static_cast<float>(reinterpret_cast<const std::uint16_t*>(row)[i]);
        case core::Format::i8:
            return static_cast<float>(reinterpret_cast<const std::int8_t*>(row)[i]);
        case core::Format::u8:
            return static_cast<float>(row[i]);
        default:
            return reinterpret_cast<const float*>(row)[i];
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_ROWS_CUH
