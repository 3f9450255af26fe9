// Small dense layers one after the other, all in one kernel: a warp takes 16 or 32 lines through all layers, and what
// passes between layers never leaves its registers. What a multiplication of matrix units gives to a lane, columns 2t
// and 2t+1 of each 8, is as good a left side for the next layer as any, if the weights stand in the same order of k
// (network_pack.cpp). Weights come from memory through the first cache, where all warps of a multiprocessor find them;
// no shared memory is used.
#include <algorithm>

#include "backend/cuda/matrix_units.cuh"
#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"
#include "backend/cuda/network_pack.h"
#include "core/network_int8.h"

namespace augur::cuda {
namespace {

constexpr unsigned kThreads = 128;

// Four numbers of the input from k on, zeros past its end.
struct Four {
    float x[4];
};

template <class T>
__device__ __forceinline__ float as_float(T x) {
    if constexpr (std::is_same_v<T, __half>)
        return __half2float(x);
    else
        return static_cast<float>(x);
}

template <class T>
__device__ __forceinline__ Four four_of(const unsigned char* data, std::uint64_t line, std::uint32_t k,
                                        std::uint32_t width, bool aligned) {
    const T* from = reinterpret_cast<const T*>(data) + line * width + k;
    Four four{};
    if (aligned) {
        if (k >= width) return four;
        struct alignas(4 * sizeof(T)) Run {
            T x[4];
        };
        const Run run = *reinterpret_cast<const Run*>(from);
        AUGUR_UNROLL
        for (int i = 0; i < 4; ++i)
            four.x[i] = as_float(run.x[i]);
        return four;
    }
    AUGUR_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i)
        if (k + i < width) four.x[i] = as_float(from[i]);
    return four;
}

__device__ __forceinline__ Four read_four(const Operand& input, const unsigned char* data, std::uint64_t line,
                                          std::uint32_t k, std::uint32_t width, bool aligned) {
    if (input.form == Form::half) return four_of<__half>(data, line, k, width, aligned);
    if (input.form == Form::integer) return four_of<std::int8_t>(data, line, k, width, aligned);
    return four_of<float>(data, line, k, width, aligned);
}

__device__ __forceinline__ std::uint32_t pack_halves(float a, float b) {
    const __half2 pair = __floats2half2_rn(a, b);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
}

__device__ __forceinline__ std::uint32_t pack_integers(const Operand& input, const Four& four) {
    std::uint32_t word = 0;
    AUGUR_UNROLL
    for (int i = 0; i < 4; ++i) {
        const std::int8_t q = input.form == Form::integer ? static_cast<std::int8_t>(four.x[i])
                                                          : core::quantise(four.x[i], input.inverse_scale);
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(q)) << (8 * i);
    }
    return word;
}

template <bool kInt8, int kWidth, int kHigh>
struct Chain {
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr int kTiles = kWidth / (kInt8 ? 32 : 16);  // of k, 32 bytes each
    static constexpr int kGroup = kLayerDepth / (kInt8 ? 32 : 16);
    static constexpr int kQuads = kWidth / kLayerColumns;
    static constexpr int kRuns = 2 * kGroup;
    using Left = std::uint32_t[kHigh][kTiles][4];

    const ChainArgs& args;
    std::uint64_t first_line, lines;  // of this warp's first; all
    std::uint32_t lane;
    Left left, made;
    uint4 ahead[kRuns];     // weights of the group to come
    unsigned char* stored;  // where the layer's numbers are wanted; null: nowhere

    __device__ explicit Chain(const ChainArgs& of) : args(of) {}

    __device__ __forceinline__ std::uint64_t line(int high, int half) const {
        return first_line + static_cast<std::uint32_t>(16 * high + 8 * half) + lane / 4;
    }

    __device__ __forceinline__ void read(const unsigned char* data, bool aligned) {
        AUGUR_UNROLL
        for (int high = 0; high < kHigh; ++high) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half) {
                const std::uint64_t at = line(high, half);
                AUGUR_UNROLL
                for (int tile = 0; tile < kTiles; ++tile) {
                    Four low{}, more{};
                    const std::uint32_t k = static_cast<std::uint32_t>(tile) * (kInt8 ? 32 : 16) + lane % 4 * 4;
                    if (at < lines) low = read_four(args.input, data, at, k, args.k, aligned);
                    if (kInt8 && at < lines) more = read_four(args.input, data, at, k + 16, args.k, aligned);
                    left[high][tile][half] = kInt8 ? pack_integers(args.input, low) : pack_halves(low.x[0], low.x[1]);
                    left[high][tile][2 + half] =
                        kInt8 ? pack_integers(args.input, more) : pack_halves(low.x[2], low.x[3]);
                }
            }
        }
    }

    __device__ __forceinline__ void fetch(const uint4* from) {
        AUGUR_UNROLL
        for (int i = 0; i < kRuns; ++i)
            ahead[i] = __ldg(from + 32 * i + lane);
    }

    // A number that a layer has made: where it is wanted, and what goes on.
    __device__ __forceinline__ float finish(const ChainLayer& layer, std::uint64_t at, std::uint32_t n,
                                            float sum) const {
        const float y = activated(layer.activation, layer.alpha, layer.beta, sum + layer.bias[n]);
        if (stored != nullptr && n < layer.columns && at < lines) store(layer, at * layer.columns + n, y);
        return y;
    }
    __device__ __forceinline__ std::int8_t finish(const ChainLayer& layer, std::uint64_t at, std::uint32_t n,
                                                  std::int32_t sum) const {
        if (n >= layer.columns) return 0;
        sum += layer.biases[n];
        if (layer.is_result) {
            const float y =
                activated(layer.activation, layer.alpha, layer.beta, core::dequantise(sum, layer.scales[n]));
            if (stored != nullptr && at < lines) store(layer, at * layer.columns + n, y);
            return 0;
        }
        std::int8_t q = core::clamp_int8(core::rescale(sum, layer.rescales[n]), layer.low, layer.high);
        if (layer.table != nullptr) q = layer.table[q + 128];
        if (stored != nullptr && at < lines) reinterpret_cast<std::int8_t*>(stored)[at * layer.columns + n] = q;
        return q;
    }
    __device__ __forceinline__ void store(const ChainLayer& layer, std::uint64_t at, float y) const {
        if (layer.form == Form::half)
            reinterpret_cast<__half*>(stored)[at] = __float2half_rn(y);
        else
            reinterpret_cast<float*>(stored)[at] = y;
    }

    // The sums of 32 columns, to `made` in the form that the next layer takes.
    __device__ __forceinline__ void finish_quad(const ChainLayer& layer, int quad, const Sum (&sums)[kHigh][4][4]) {
        AUGUR_UNROLL
        for (int high = 0; high < kHigh; ++high) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half) {
                const std::uint64_t at = line(high, half);
                std::uint32_t words[4] = {};
                AUGUR_UNROLL
                for (int j = 0; j < 4; ++j) {
                    const auto n = static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2;
                    const auto first = finish(layer, at, n, sums[high][j][2 * half]);
                    const auto second = finish(layer, at, n + 1, sums[high][j][2 * half + 1]);
                    if constexpr (kInt8)
                        words[j / 2] |= (static_cast<std::uint32_t>(static_cast<std::uint8_t>(first)) |
                                         static_cast<std::uint32_t>(static_cast<std::uint8_t>(second)) << 8)
                                        << (16 * (j % 2));
                    else
                        words[j] = pack_halves(first, second);
                }
                if constexpr (kInt8) {
                    made[high][quad][half] = words[0];
                    made[high][quad][2 + half] = words[1];
                } else {
                    AUGUR_UNROLL
                    for (int j = 0; j < 4; ++j)
                        made[high][2 * quad + j / 2][j % 2 * 2 + half] = words[j];
                }
            }
        }
    }

    __device__ __forceinline__ void clear_quad(int quad) {
        constexpr int kEach = kInt8 ? 1 : 2;
        AUGUR_UNROLL
        for (int i = 0; i < kHigh * kEach * 4; ++i)
            made[i / (kEach * 4)][quad * kEach + i / 4 % kEach][i % 4] = 0;
    }

    // Expects the layer's first weights ahead, and leaves those of the next.
    __device__ __forceinline__ void run(const ChainLayer& layer, const uint4* next_layer) {
        constexpr std::uint32_t kStep = 32 * kRuns;
        const std::uint32_t quads = (layer.columns + kLayerColumns - 1) / kLayerColumns;
        const std::uint32_t groups = (layer.tiles + kGroup - 1) / kGroup;
        const auto* from = static_cast<const uint4*>(layer.weights);
        const uint4* end = from + quads * layer.repeats * groups * kStep;
        stored = layer.is_stored ? resolve<unsigned char>(layer.stored) : nullptr;
        AUGUR_UNROLL
        for (int quad = 0; quad < kQuads; ++quad) {
            if (static_cast<std::uint32_t>(quad) >= quads) {
                clear_quad(quad);
                continue;
            }
            Sum sums[kHigh][4][4] = {};
            for (std::uint32_t repeat = 0; repeat < layer.repeats; ++repeat) {
                AUGUR_UNROLL
                for (int group = 0; group < kTiles / kGroup; ++group) {
                    if (static_cast<std::uint32_t>(group) >= groups) continue;
                    uint4 now[kRuns];
                    AUGUR_UNROLL
                    for (int i = 0; i < kRuns; ++i)
                        now[i] = ahead[i];
                    from += kStep;
                    fetch(from < end ? from : next_layer);
                    AUGUR_UNROLL
                    for (int tile = 0; tile < kGroup; ++tile) {
                        AUGUR_UNROLL
                        for (int high = 0; high < kHigh; ++high) {
                            const auto& a = left[high][group * kGroup + tile];
                            multiply_add(sums[high][0], a, now[2 * tile].x, now[2 * tile].y);
                            multiply_add(sums[high][1], a, now[2 * tile].z, now[2 * tile].w);
                            multiply_add(sums[high][2], a, now[2 * tile + 1].x, now[2 * tile + 1].y);
                            multiply_add(sums[high][3], a, now[2 * tile + 1].z, now[2 * tile + 1].w);
                        }
                    }
                }
            }
            finish_quad(layer, quad, sums);
        }
        if (!layer.goes_on) return;
        AUGUR_UNROLL
        for (int i = 0; i < kHigh * kTiles * 4; ++i)
            left[i / (kTiles * 4)][i / 4 % kTiles][i % 4] = made[i / (kTiles * 4)][i / 4 % kTiles][i % 4];
    }
};

template <bool kInt8, int kWidth, int kHigh>
__global__ void __launch_bounds__(kThreads) chain_kernel(const __grid_constant__ ChainArgs args) {
    Chain<kInt8, kWidth, kHigh> chain(args);
    const auto* data = resolve<const unsigned char>(args.input.at);
    const bool aligned = args.k % 4 == 0 &&
                         reinterpret_cast<std::uintptr_t>(data) % (4 * (args.input.form == Form::single ? 4 : 2)) == 0;
    chain.lane = threadIdx.x % 32;
    chain.lines = static_cast<std::uint64_t>(row_count(args.rows)) * args.lines;
    constexpr std::uint64_t kEach = 16 * kHigh;
    const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / 32) * kEach;
    const auto* first = static_cast<const uint4*>(args.layers[0].weights);
    const std::uint64_t begin = (static_cast<std::uint64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * kEach;
    if (begin >= chain.lines) return;
    chain.fetch(first);
    for (chain.first_line = begin; chain.first_line < chain.lines; chain.first_line += stride) {
        chain.read(data, aligned);
        for (std::uint32_t l = 0; l < args.layer_count; ++l)
            chain.run(args.layers[l],
                      l + 1 < args.layer_count ? static_cast<const uint4*>(args.layers[l + 1].weights) : first);
    }
}

template <bool kInt8, int kWidth, int kHigh>
void add(GraphChain& chain, const ChainArgs& args, Machine machine) {
    const std::uint64_t warps = (std::uint64_t{args.rows.capacity} * args.lines + 16 * kHigh - 1) / (16 * kHigh);
    // Few warps go to as many multiprocessors as there are.
    const std::uint64_t each = std::clamp<std::uint64_t>(warps / machine.multiprocessors, 1, kThreads / 32);
    int resident = 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, chain_kernel<kInt8, kWidth, kHigh>, kThreads, 0);
    const std::uint64_t most =
        std::uint64_t{machine.multiprocessors} * static_cast<std::uint64_t>(std::max(resident, 2));
    const std::uint64_t blocks = std::clamp<std::uint64_t>((warps + each - 1) / each, 1, most);
    chain.add(chain_kernel<kInt8, kWidth, kHigh>, static_cast<unsigned>(blocks), static_cast<unsigned>(32 * each),
              args);
}

template <bool kInt8>
void add_for(GraphChain& chain, const ChainArgs& args, Machine machine) {
    // Taller tiles use each weight twice as often, where there are enough of them.
    const std::uint64_t lines = std::uint64_t{args.rows.capacity} * args.lines;
    const bool tall = lines >= std::uint64_t{machine.multiprocessors} * 8 * 32;
    if (args.width <= 64)
        tall ? add<kInt8, 64, 2>(chain, args, machine) : add<kInt8, 64, 1>(chain, args, machine);
    else if (args.width <= 128)
        tall ? add<kInt8, 128, 2>(chain, args, machine) : add<kInt8, 128, 1>(chain, args, machine);
    else
        add<kInt8, 256, 1>(chain, args, machine);
}

}  // namespace

void add_chain(GraphChain& chain, const ChainArgs& args, Machine machine) {
    args.is_int8 ? add_for<true>(chain, args, machine) : add_for<false>(chain, args, machine);
}

}  // namespace augur::cuda
