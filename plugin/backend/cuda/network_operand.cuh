// Reading and writing single numbers of a tensor, whatever form and order it is kept in.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_OPERAND_CUH
#define AUGUR_BACKEND_CUDA_NETWORK_OPERAND_CUH

#include <cuda_fp16.h>

#include "backend/cuda/network_operand.h"
#include "core/network_math.h"

namespace augur::cuda {

template <class T>
__device__ __forceinline__ T* resolve(const Address& at) {
    return static_cast<T*>(at.table != nullptr ? *at.table : at.data);
}

__device__ __forceinline__ std::uint32_t row_count(const RowCount& rows) {
    return rows.counter != nullptr ? *rows.counter : rows.capacity;
}

// An operand whose place is known.
struct Resolved {
    const Operand& operand;
    unsigned char* data;
    __device__ explicit Resolved(const Operand& of) : operand(of), data(resolve<unsigned char>(of.at)) {}

    // Where element i of a row is kept.
    __device__ std::uint32_t place(std::uint32_t i) const {
        return operand.stored_channels == 0 ? i : i % operand.plane * operand.stored_channels + i / operand.plane;
    }
    __device__ std::size_t place(std::uint32_t row, std::uint32_t i) const {
        return static_cast<std::size_t>(row) * operand.row_elements + place(i);
    }

    __device__ float single(std::uint32_t row, std::uint32_t i) const {
        const std::size_t at = place(row, i);
        if (operand.form == Form::half) return __half2float(reinterpret_cast<const __half*>(data)[at]);
        if (operand.form == Form::integer)
            return core::dequantise(reinterpret_cast<const std::int8_t*>(data)[at], operand.scale);
        const float x = reinterpret_cast<const float*>(data)[at];
        if (operand.reading == Reading::rounded) return __half2float(__float2half_rn(x));
        if (operand.reading == Reading::quantised)
            return core::dequantise(core::quantise(x, operand.inverse_scale), operand.scale);
        return x;
    }

    __device__ std::int32_t integer(std::uint32_t row, std::uint32_t i) const {
        if (operand.integers != nullptr) return operand.integers[i];
        const std::size_t at = place(row, i);
        if (operand.form == Form::integer) return reinterpret_cast<const std::int8_t*>(data)[at];
        return core::quantise(reinterpret_cast<const float*>(data)[at], operand.inverse_scale);
    }

    // at: place(row, i), or the place of padding.
    __device__ void store(std::size_t at, float x) const {
        if (operand.form == Form::half)
            reinterpret_cast<__half*>(data)[at] = __float2half_rn(x);
        else
            reinterpret_cast<float*>(data)[at] = x;
    }
    __device__ void store(std::size_t at, std::int8_t q) const { reinterpret_cast<std::int8_t*>(data)[at] = q; }
};

// Any activation, as a call: written out at every place of use it would make kernels many times as long.
static __device__ __noinline__ float activate_any(core::Activation activation, float alpha, float beta, float x) {
    return core::activate(activation, alpha, beta, x);
}

__device__ __forceinline__ float activated(core::Activation activation, float alpha, float beta, float x) {
    if (activation == core::Activation::none) return x;
    if (activation == core::Activation::relu) return x < 0.0f ? 0.0f : x;
    return activate_any(activation, alpha, beta, x);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_OPERAND_CUH
