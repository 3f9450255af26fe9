// A block runs a small network over its rows: warps share the columns of a layer, and matrix instructions do the sums.
#ifndef AUGUR_BACKEND_CUDA_FUSED_NETWORK_CUH
#define AUGUR_BACKEND_CUDA_FUSED_NETWORK_CUH

#include <cuda_fp16.h>

#include <type_traits>

#include "backend/cuda/fused_plan.h"
#include "backend/cuda/matrix_units.cuh"
#include "core/network_math.h"

namespace augur::cuda {

// Where a block finds the network and its rows' tensors.
struct FusedBlock {
    const FusedLayer* layers;        // shared memory
    const uint4* weights;            // shared or global memory
    const std::uint32_t* constants;  // shared or global memory
    unsigned char* tensors;          // shared memory, rows * row_bytes
};

// core::rescale for factors whose shift is at least kSmallFactorShift: the low word of the product cannot carry.
__device__ __forceinline__ std::int32_t rescale_small(std::int32_t x, core::Rescale factor) {
    return (__mulhi(x, factor.multiplier) + (1 << (factor.shift - kSmallFactorShift))) >>
           (factor.shift - kSmallFactorShift + 1);
}

// A float as any layer but the usual one wants it, at its place in the row.
inline __device__ __noinline__ void store_rarely(unsigned char* row, const FusedLayer& layer, std::uint32_t column,
                                                 float x) {
    if (column >= layer.columns && layer.output != FusedOutput::half) return;
    const float y = core::activate(layer.activation, layer.alpha, layer.beta, x);
    if (layer.output == FusedOutput::half)
        reinterpret_cast<__half*>(row)[column] = __float2half_rn(y);
    else
        reinterpret_cast<float*>(row)[column] = y;
}

// The same of a sum of int8 products.
inline __device__ __noinline__ void store_rarely(FusedBlock block, unsigned char* row, const FusedLayer& layer,
                                                 std::uint32_t column, std::int32_t sum) {
    if (layer.output == FusedOutput::from_int8) {
        const auto* scales = reinterpret_cast<const float*>(block.constants + layer.factors);
        store_rarely(row, layer, column, core::dequantise(sum, scales[column]));
        return;
    }
    const auto* factors = reinterpret_cast<const core::Rescale*>(block.constants + layer.factors);
    std::int8_t q = core::clamp_int8(core::rescale(sum, factors[column]), layer.low, layer.high);
    if (layer.table != kNoTable) q = reinterpret_cast<const std::int8_t*>(block.constants + layer.table)[q + 128];
    row[column] = static_cast<unsigned char>(q);
}

// Two neighbouring halves of two rows, by relu.
__device__ __forceinline__ void store_relu(unsigned char* to, const float (&s)[4], std::uint32_t rows_apart) {
    *reinterpret_cast<__half2*>(to) = __floats2half2_rn(s[0] > 0.0f ? s[0] : 0.0f, s[1] > 0.0f ? s[1] : 0.0f);
    *reinterpret_cast<__half2*>(to + rows_apart) =
        __floats2half2_rn(s[2] > 0.0f ? s[2] : 0.0f, s[3] > 0.0f ? s[3] : 0.0f);
}

// What one lane holds of a block of 8 columns: two neighbouring columns of two rows. `to` is the first row's beginning.
__device__ __forceinline__ void store_sums(const FusedBlock&, unsigned char* to, const FusedLayer& layer,
                                           std::uint32_t column, const float (&s)[4], std::uint32_t rows_apart) {
    store_relu(to + column * 2, s, rows_apart);
}

// Two neighbouring int8 of two rows, rescaled by small factors.
__device__ __forceinline__ void store_int8(unsigned char* to, core::Rescale a, core::Rescale b, const FusedLayer& layer,
                                           const std::int32_t (&s)[4], std::uint32_t rows_apart) {
    const auto pair = [&](std::int32_t x, std::int32_t y) {
        return static_cast<std::uint16_t>(
            static_cast<std::uint8_t>(core::clamp_int8(rescale_small(x, a), layer.low, layer.high)) |
            static_cast<std::uint8_t>(core::clamp_int8(rescale_small(y, b), layer.low, layer.high)) << 8);
    };
    *reinterpret_cast<std::uint16_t*>(to) = pair(s[0], s[1]);
    *reinterpret_cast<std::uint16_t*>(to + rows_apart) = pair(s[2], s[3]);
}

__device__ __forceinline__ void store_sums(const FusedBlock& block, unsigned char* to, const FusedLayer& layer,
                                           std::uint32_t column, const std::int32_t (&s)[4], std::uint32_t rows_apart) {
    const auto* factors = reinterpret_cast<const core::Rescale*>(block.constants + layer.factors) + column;
    store_int8(to + column, factors[0], factors[1], layer, s, rows_apart);
}

// The same of a head without an activation.
template <class Sum>
__device__ __forceinline__ void store_plain(unsigned char* to, const FusedLayer& layer, std::uint32_t column,
                                            const Sum (&s)[4], std::uint32_t rows_apart) {
    auto* const first = reinterpret_cast<float*>(to) + column;
    auto* const second = reinterpret_cast<float*>(to + rows_apart) + column;
    if (column < layer.columns) {
        first[0] = static_cast<float>(s[0]);
        second[0] = static_cast<float>(s[2]);
    }
    if (column + 1 < layer.columns) {
        first[1] = static_cast<float>(s[1]);
        second[1] = static_cast<float>(s[3]);
    }
}

template <class Sum>
inline __device__ __noinline__ void store_rare_sums(FusedBlock block, unsigned char* to, const FusedLayer& layer,
                                                    std::uint32_t column, Sum a, Sum b, Sum c, Sum d,
                                                    std::uint32_t rows_apart) {
    const auto store = [&](unsigned char* row, std::uint32_t at, Sum x) {
        if constexpr (std::is_same_v<Sum, float>)
            store_rarely(row, layer, at, x);
        else
            store_rarely(block, row, layer, at, x);
    };
    store(to, column, a);
    store(to, column + 1, b);
    store(to + rows_apart, column, c);
    store(to + rows_apart, column + 1, d);
}

// 16 columns of a layer for 16 * kRowTiles rows from `first_row` on, by one warp; kRows of the block in all. kTiles: of
// a row of inputs; 0: any number.
template <int kRows, int kRowTiles, int kPasses, int kTiles, class Sum>
__device__ __forceinline__ void run_columns(const FusedBlock& block, const FusedLayer& layer, std::uint32_t pair,
                                            std::uint32_t first_row) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t tiles = kTiles != 0 ? kTiles : layer.tiles, input_stride = fused_stride(tiles);
    const auto input = static_cast<std::uint32_t>(__cvta_generic_to_shared(
        block.tensors + layer.input_offset * kRows + (first_row + lane % 16) * input_stride + lane / 16 * 16));
    const uint4* const weights = block.weights + layer.weights + pair * tiles * kPasses * 32 + lane;
    const std::uint32_t column = pair * 16 + lane % 4 * 2;
    const auto* bias = reinterpret_cast<const Sum*>(block.constants + layer.bias) + column;
    Sum sums[kPasses][kRowTiles][2][4] = {};
    AUGUR_UNROLL
    for (int half = 0; half < 2; ++half) {
        const Sum first = bias[half * 8], second = bias[half * 8 + 1];
        AUGUR_UNROLL
        for (int r = 0; r < kRowTiles; ++r) {
            sums[0][r][half][0] = sums[0][r][half][2] = first;
            sums[0][r][half][1] = sums[0][r][half][3] = second;
        }
    }
    const auto multiply = [&](std::uint32_t tile) {
        uint4 w[kPasses];
        std::uint32_t rows[kRowTiles][4];
        AUGUR_UNROLL
        for (int pass = 0; pass < kPasses; ++pass)
            w[pass] = weights[(tile * kPasses + pass) * 32];
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < kRowTiles; ++r)
            load_blocks(rows[r], input + r * 16 * input_stride + tile * kFusedTileBytes);
        AUGUR_UNROLL
        for (int pass = 0; pass < kPasses; ++pass) {
            AUGUR_UNROLL
            for (int r = 0; r < kRowTiles; ++r) {
                multiply_add(sums[pass][r][0], rows[r], w[pass].x, w[pass].y);
                multiply_add(sums[pass][r][1], rows[r], w[pass].z, w[pass].w);
            }
        }
    };
    if constexpr (kTiles != 0) {
        AUGUR_UNROLL
        for (std::uint32_t tile = 0; tile < kTiles; ++tile)
            multiply(tile);
    } else {
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
            multiply(tile);
    }
    const bool plain = layer.output == FusedOutput::single && layer.activation == core::Activation::none;
    const bool usual = layer.output == (std::is_same_v<Sum, float> ? FusedOutput::half_relu : FusedOutput::int8);
    const std::uint32_t output_stride = layer.output_stride;
    unsigned char* to = block.tensors + layer.output_offset * kRows + (first_row + lane / 4) * output_stride;
    AUGUR_UNROLL
    for (int r = 0; r < kRowTiles; ++r) {
        AUGUR_UNROLL
        for (int half = 0; half < 2; ++half) {
            if constexpr (kPasses == 2) {
                AUGUR_UNROLL
                for (int i = 0; i < 4; ++i)
                    sums[0][r][half][i] += sums[kPasses - 1][r][half][i];
            }
            unsigned char* const row = to + r * 16 * output_stride;
            const Sum(&s)[4] = sums[0][r][half];
            if (usual)
                store_sums(block, row, layer, column + half * 8, s, 8 * output_stride);
            else if (plain)
                store_plain(row, layer, column + half * 8, s, 8 * output_stride);
            else
                store_rare_sums(block, row, layer, column + half * 8, s[0], s[1], s[2], s[3], 8 * output_stride);
        }
    }
}

// The numbers of tiles that are worth code of their own: 32 to 128 inputs in halves, 64 to 256 in int8, and the
// features of the built-in games.
template <int kRows, int kRowTiles, int kPasses, class Sum>
__device__ __forceinline__ void run_columns(const FusedBlock& block, const FusedLayer& layer, std::uint32_t pair,
                                            std::uint32_t first_row) {
    switch (layer.tiles) {
        case 2:
            return run_columns<kRows, kRowTiles, kPasses, 2, Sum>(block, layer, pair, first_row);
        case 3:
            return run_columns<kRows, kRowTiles, kPasses, 3, Sum>(block, layer, pair, first_row);
        case 4:
            return run_columns<kRows, kRowTiles, kPasses, 4, Sum>(block, layer, pair, first_row);
        case 6:
            return run_columns<kRows, kRowTiles, kPasses, 6, Sum>(block, layer, pair, first_row);
        case 8:
            return run_columns<kRows, kRowTiles, kPasses, 8, Sum>(block, layer, pair, first_row);
        default:
            return run_columns<kRows, kRowTiles, kPasses, 0, Sum>(block, layer, pair, first_row);
    }
}

// One task of a layer: 16 columns, for all rows or, where there are few columns, for 16 of them.
template <int kRows>
__device__ __forceinline__ void run_task(const FusedBlock& block, const FusedLayer& layer, std::uint32_t task,
                                         bool is_int8, bool splits) {
    constexpr int kRowTiles = kRows / 16;
    if (!splits) {
        if (is_int8)
            run_columns<kRows, kRowTiles, 1, std::int32_t>(block, layer, task, 0);
        else
            run_columns<kRows, kRowTiles, 1, float>(block, layer, task, 0);
        return;
    }
    const std::uint32_t pair = task / kRowTiles, first_row = task % kRowTiles * 16;
    if (is_int8)
        run_columns<kRows, 1, 1, std::int32_t>(block, layer, pair, first_row);
    else if (layer.passes == 1)
        run_columns<kRows, 1, 1, float>(block, layer, pair, first_row);
    else
        run_columns<kRows, 1, 2, float>(block, layer, pair, first_row);
}

// The whole network over the block's kRows rows (16 or 32). All threads call it, after a barrier; it ends with one.
template <int kRows>
__device__ __forceinline__ void run_fused(const FusedBlock& block, std::uint32_t layer_count, bool is_int8) {
    const std::uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32;
    std::uint32_t task = warp;
    for (std::uint32_t l = 0; l < layer_count; ++l) {
        const FusedLayer& layer = block.layers[l];
        const bool splits = layer.passes == 2 || layer.pairs() * 2 <= warps;
        const std::uint32_t tasks = layer.pairs() * (splits ? kRows / 16 : 1);
        for (; task < tasks; task += warps)
            run_task<kRows>(block, layer, task, is_int8, splits);
        task -= tasks;  // layers of a phase follow each other without a gap
        if (layer.last_of_phase == 0) continue;
        __syncthreads();
        task = warp;
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FUSED_NETWORK_CUH
