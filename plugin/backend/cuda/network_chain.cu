// Small dense layers one after the other, all in one kernel: a warp takes 16 or 32 lines through all layers. What a
// multiplication of matrix units gives to a lane, columns 2t and 2t+1 of each 8, is as good a left side for the next
// layer as any, if the weights stand in the same order of k (network_pack.cpp). So what passes between layers stays
// with the lane that made it: in registers while it is multiplied, in shared memory while it is made. Weights come
// from memory through the first cache, where all warps of a multiprocessor find them.
//
// Columns are made 32 at a time in a loop. Written out, a warp would run through tens of thousands of instructions
// once, and wait for each of them to come from memory.
#include <algorithm>

#include "backend/cuda/matrix_units.cuh"
#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"
#include "backend/cuda/network_pack.h"
#include "core/network_int8.h"

namespace augur::cuda {
namespace {

constexpr unsigned kThreads = 128;

// A number of the input, 0 past its end.
__device__ __forceinline__ float number_at(const Operand& input, const unsigned char* data, std::uint64_t line,
                                           std::uint32_t k, std::uint32_t width) {
    if (k >= width) return 0.0f;
    const std::uint64_t at = line * width + k;
    if (input.form == Form::half) return __half2float(reinterpret_cast<const __half*>(data)[at]);
    if (input.form == Form::integer) return reinterpret_cast<const std::int8_t*>(data)[at];
    return reinterpret_cast<const float*>(data)[at];
}

__device__ __forceinline__ std::uint32_t pack_halves(float a, float b) {
    const __half2 pair = __floats2half2_rn(a, b);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Four numbers as int8; scale 0: they are whole numbers already.
__device__ __forceinline__ std::uint32_t pack_integers(float4 x, float inverse_scale) {
    const float numbers[4] = {x.x, x.y, x.z, x.w};
    std::uint32_t word = 0;
    AUGUR_UNROLL
    for (int i = 0; i < 4; ++i) {
        const std::int8_t q =
            inverse_scale == 0.0f ? static_cast<std::int8_t>(numbers[i]) : core::quantise(numbers[i], inverse_scale);
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(q)) << (8 * i);
    }
    return word;
}

template <bool kInt8, int kWidth, int kHigh>
struct Chain {
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr int kTiles = kWidth / (kInt8 ? 32 : 16);  // of k, 32 bytes each
    // Tiles whose weights are read at a time: many while a warp has no other to wait with it, few to save registers.
    static constexpr int kGroup = (kHigh == 1 && kWidth <= 128 ? 64 : 32) / (kInt8 ? 32 : 16);
    static constexpr int kQuads = kWidth / kLayerColumns;
    static constexpr int kRuns = 2 * kGroup;
    static constexpr int kWords = kHigh * kTiles;  // of 16 bytes, that a lane keeps of its lines

    const ChainArgs& args;
    std::uint64_t first_line, lines;  // of this warp's first; all
    std::uint32_t lane;
    uint4* mine;  // [kWords] of this lane, 32 apart: what the next layer multiplies
    std::uint32_t left[kHigh][kTiles][4];
    uint4 ahead[kRuns];     // weights of the group to come
    unsigned char* stored;  // where the layer's numbers are wanted; null: nowhere

    __device__ explicit Chain(const ChainArgs& of) : args(of) {}

    __device__ __forceinline__ std::uint64_t line(int high, int half) const {
        return first_line + static_cast<std::uint32_t>(16 * high + 8 * half) + lane / 4;
    }

    __device__ __forceinline__ std::uint32_t* word(int high, int tile, int i) const {
        return reinterpret_cast<std::uint32_t*>(mine + (high * kTiles + tile) * 32) + i;
    }

    // Lines of floats that can be read four at a time: all of a tile of lines under way at once.
    __device__ __forceinline__ void read_aligned(const float* data, std::uint32_t width, float inverse_scale) {
        constexpr int kRead = kInt8 ? 2 : 1;  // fours of a lane in a tile
        AUGUR_UNROLL
        for (int high = 0; high < kHigh; ++high) {
            float4 x[2][kTiles][kRead];
            AUGUR_UNROLL
            for (int i = 0; i < 2 * kTiles * kRead; ++i) {
                const int half = i / (kTiles * kRead), tile = i / kRead % kTiles, part = i % kRead;
                const std::uint64_t at = line(high, half);
                const std::uint32_t k = static_cast<std::uint32_t>(tile * 16 * kRead + 16 * part) + lane % 4 * 4;
                x[half][tile][part] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (at < lines && k < width)
                    x[half][tile][part] = __ldg(reinterpret_cast<const float4*>(data + at * width + k));
            }
            AUGUR_UNROLL
            for (int i = 0; i < 2 * kTiles; ++i) {
                const int half = i / kTiles, tile = i % kTiles;
                if constexpr (kInt8) {
                    left[high][tile][half] = pack_integers(x[half][tile][0], inverse_scale);
                    left[high][tile][2 + half] = pack_integers(x[half][tile][1], inverse_scale);
                } else {
                    left[high][tile][half] = pack_halves(x[half][tile][0].x, x[half][tile][0].y);
                    left[high][tile][2 + half] = pack_halves(x[half][tile][0].z, x[half][tile][0].w);
                }
            }
        }
    }

    // Any input.
    __device__ __forceinline__ void read_any(const unsigned char* data) {
        const float inverse_scale = args.input.form == Form::integer ? 0.0f : args.input.inverse_scale;
#pragma unroll 1
        for (int i = 0; i < kWords * 4; ++i) {
            const int high = i / (kTiles * 4), tile = i / 4 % kTiles, part = i % 4;
            const std::uint64_t at = line(high, part % 2);
            const std::uint32_t k = static_cast<std::uint32_t>(tile) * (kInt8 ? 32 : 16) + lane % 4 * 4 +
                                    static_cast<std::uint32_t>(part / 2) * (kInt8 ? 16 : 2);
            float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (at < lines) {
                x.x = number_at(args.input, data, at, k, args.k);
                x.y = number_at(args.input, data, at, k + 1, args.k);
                if (kInt8) x.z = number_at(args.input, data, at, k + 2, args.k);
                if (kInt8) x.w = number_at(args.input, data, at, k + 3, args.k);
            }
            *word(high, tile, part) = kInt8 ? pack_integers(x, inverse_scale) : pack_halves(x.x, x.y);
        }
        take();
    }

    // What is in shared memory, to be multiplied.
    __device__ __forceinline__ void take() {
        AUGUR_UNROLL
        for (int i = 0; i < kWords; ++i) {
            const uint4 four = mine[i * 32];
            auto& to = left[i / kTiles][i % kTiles];
            to[0] = four.x;
            to[1] = four.y;
            to[2] = four.z;
            to[3] = four.w;
        }
    }

    __device__ __forceinline__ void fetch(const uint4* from) {
        AUGUR_UNROLL
        for (int i = 0; i < kRuns; ++i)
            ahead[i] = __ldg(from + 32 * i + lane);
    }

    // The biases of a quad's columns, as what sums begin with.
    __device__ __forceinline__ void begin_quad(const ChainLayer& layer, int quad, Sum (&sums)[kHigh][4][4]) const {
        AUGUR_UNROLL
        for (int j = 0; j < 4; ++j) {
            const std::uint32_t n = static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2;
            Sum first, second;
            if constexpr (kInt8) {
                const int2 bias = __ldg(reinterpret_cast<const int2*>(layer.biases + n));
                first = bias.x;
                second = bias.y;
            } else {
                const float2 bias = __ldg(reinterpret_cast<const float2*>(layer.bias + n));
                first = bias.x;
                second = bias.y;
            }
            AUGUR_UNROLL
            for (int high = 0; high < kHigh; ++high) {
                sums[high][j][0] = sums[high][j][2] = first;
                sums[high][j][1] = sums[high][j][3] = second;
            }
        }
    }

    // Calls f(line, column of the pair, its two numbers) for all that this lane has made of a quad.
    template <class T, class F>
    __device__ __forceinline__ void each_pair(int quad, T (&numbers)[kHigh][4][4], F f) const {
        AUGUR_UNROLL
        for (int i = 0; i < kHigh * 8; ++i) {
            const int high = i / 8, half = i / 4 % 2, j = i % 4;
            f(line(high, half), static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2,
              numbers[high][j][2 * half], numbers[high][j][2 * half + 1]);
        }
    }

    // Activates floats, and stores them where they are wanted.
    __device__ __forceinline__ void finish_singles(const ChainLayer& layer, int quad, float (&y)[kHigh][4][4]) const {
        const core::Activation activation = layer.activation;
        if (activation == core::Activation::relu) {
            each_pair(quad, y, [](std::uint64_t, std::uint32_t, float& a, float& b) {
                a = a < 0.0f ? 0.0f : a;
                b = b < 0.0f ? 0.0f : b;
            });
        } else if (activation != core::Activation::none) {
            const float alpha = layer.alpha, beta = layer.beta;
            each_pair(quad, y, [&](std::uint64_t, std::uint32_t, float& a, float& b) {
                a = activate_any(activation, alpha, beta, a);
                b = activate_any(activation, alpha, beta, b);
            });
        }
        if (stored == nullptr) return;
        const std::uint32_t columns = layer.columns;
        if (layer.form == Form::half) {
            each_pair(quad, y, [&](std::uint64_t at, std::uint32_t n, float a, float b) {
                auto* to = reinterpret_cast<__half*>(stored) + at * columns + n;
                if (at < lines && n < columns) to[0] = __float2half_rn(a);
                if (at < lines && n + 1 < columns) to[1] = __float2half_rn(b);
            });
        } else {
            each_pair(quad, y, [&](std::uint64_t at, std::uint32_t n, float a, float b) {
                auto* to = reinterpret_cast<float*>(stored) + at * columns + n;
                if (at < lines && n < columns) to[0] = a;
                if (at < lines && n + 1 < columns) to[1] = b;
            });
        }
    }

    // int8 whose numbers are floats from here on: nothing goes on.
    __device__ __forceinline__ void finish_results(const ChainLayer& layer, int quad,
                                                   const std::int32_t (&sums)[kHigh][4][4]) const {
        float y[kHigh][4][4];
        AUGUR_UNROLL
        for (int j = 0; j < 4; ++j) {
            const std::uint32_t n = static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2;
            const float2 scale = __ldg(reinterpret_cast<const float2*>(layer.scales + n));
            AUGUR_UNROLL
            for (int i = 0; i < kHigh * 4; ++i)
                y[i / 4][j][i % 4] = core::dequantise(sums[i / 4][j][i % 4], i % 2 == 0 ? scale.x : scale.y);
        }
        finish_singles(layer, quad, y);
    }

    __device__ __forceinline__ void finish_integers(const ChainLayer& layer, int quad,
                                                    std::int32_t (&sums)[kHigh][4][4]) const {
        const std::int32_t low = layer.low, high = layer.high;
        AUGUR_UNROLL
        for (int j = 0; j < 4; ++j) {
            const std::uint32_t n = static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2;
            const int4 factors = __ldg(reinterpret_cast<const int4*>(layer.rescales + n));
            AUGUR_UNROLL
            for (int i = 0; i < kHigh * 4; ++i) {
                std::int32_t& sum = sums[i / 4][j][i % 4];
                const core::Rescale factor =
                    i % 2 == 0 ? core::Rescale{factors.x, factors.y} : core::Rescale{factors.z, factors.w};
                sum = core::clamp_int8(core::rescale(sum, factor), low, high);
            }
        }
        if (const std::int8_t* table = layer.table; table != nullptr)
            each_pair(quad, sums, [&](std::uint64_t, std::uint32_t, std::int32_t& a, std::int32_t& b) {
                a = __ldg(table + a + 128);
                b = __ldg(table + b + 128);
            });
        if (stored == nullptr) return;
        const std::uint32_t columns = layer.columns;
        each_pair(quad, sums, [&](std::uint64_t at, std::uint32_t n, std::int32_t a, std::int32_t b) {
            auto* to = reinterpret_cast<std::int8_t*>(stored) + at * columns + n;
            if (at < lines && n < columns) to[0] = static_cast<std::int8_t>(a);
            if (at < lines && n + 1 < columns) to[1] = static_cast<std::int8_t>(b);
        });
    }

    // The sums of 32 columns, to shared memory in the form that the next layer takes.
    __device__ __forceinline__ void finish_quad(const ChainLayer& layer, int quad, Sum (&sums)[kHigh][4][4]) {
        if constexpr (kInt8) {
            if (layer.is_result) return finish_results(layer, quad, sums);
            finish_integers(layer, quad, sums);
        } else {
            finish_singles(layer, quad, sums);
        }
        if (!layer.goes_on) return;
        AUGUR_UNROLL
        for (int high = 0; high < kHigh; ++high) {
            const auto& from = sums[high];
            if constexpr (kInt8) {
                const auto four = [&](int j, int half) {
                    return (static_cast<std::uint32_t>(from[j][2 * half]) & 0xffu) |
                           (static_cast<std::uint32_t>(from[j][2 * half + 1]) & 0xffu) << 8 |
                           (static_cast<std::uint32_t>(from[j + 1][2 * half]) & 0xffu) << 16 |
                           static_cast<std::uint32_t>(from[j + 1][2 * half + 1]) << 24;
                };
                mine[(high * kTiles + quad) * 32] = make_uint4(four(0, 0), four(0, 1), four(2, 0), four(2, 1));
            } else {
                AUGUR_UNROLL
                for (int j = 0; j < 4; j += 2)
                    mine[(high * kTiles + 2 * quad + j / 2) * 32] = make_uint4(
                        pack_halves(from[j][0], from[j][1]), pack_halves(from[j][2], from[j][3]),
                        pack_halves(from[j + 1][0], from[j + 1][1]), pack_halves(from[j + 1][2], from[j + 1][3]));
            }
        }
    }

    // Expects the layer's first weights ahead, and leaves those of the next.
    __device__ __forceinline__ void run(const ChainLayer& layer, const uint4* next_layer) {
        constexpr std::uint32_t kStep = 32 * kRuns;
        const std::uint32_t quads = (layer.columns + kLayerColumns - 1) / kLayerColumns, repeats = layer.repeats;
        constexpr std::uint32_t kPadded = kLayerDepth / (kInt8 ? 32 : 16);  // tiles that weights are padded to
        const std::uint32_t groups = (layer.tiles + kPadded - 1) / kPadded * (kPadded / kGroup);
        const auto* from = static_cast<const uint4*>(layer.weights);
        const uint4* end = from + quads * repeats * groups * kStep;
        stored = layer.is_stored ? resolve<unsigned char>(layer.stored) : nullptr;
#pragma unroll 1
        for (int quad = 0; quad < static_cast<int>(quads); ++quad) {
            Sum sums[kHigh][4][4];
            begin_quad(layer, quad, sums);
#pragma unroll 1
            for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
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
        // A layer's columns end within the numbers of k that the next one's weights are padded to.
        const std::uint32_t made = quads * (kTiles / kQuads), wanted = (made + kPadded - 1) / kPadded * kPadded;
        for (std::uint32_t tile = made; tile < wanted; ++tile)
            for (int high = 0; high < kHigh; ++high)
                mine[(static_cast<std::uint32_t>(high * kTiles) + tile) * 32] = make_uint4(0, 0, 0, 0);
        take();
    }
};

template <bool kInt8, int kWidth, int kHigh>
__global__ void __launch_bounds__(kThreads) chain_kernel(const __grid_constant__ ChainArgs args) {
    using C = Chain<kInt8, kWidth, kHigh>;
    __shared__ uint4 passed[kThreads / 32][C::kWords][32];
    C chain(args);
    const auto* data = resolve<const unsigned char>(args.input.at);
    const bool aligned =
        args.input.form == Form::single && args.k % 4 == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    chain.lane = threadIdx.x % 32;
    chain.mine = &passed[threadIdx.x / 32][0][chain.lane];
    chain.lines = static_cast<std::uint64_t>(row_count(args.rows)) * args.lines;
    constexpr std::uint64_t kEach = 16 * kHigh;
    const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / 32) * kEach;
    const auto* first = static_cast<const uint4*>(args.layers[0].weights);
    const std::uint64_t begin = (static_cast<std::uint64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * kEach;
    if (begin >= chain.lines) return;
    chain.fetch(first);
#pragma unroll 1
    for (chain.first_line = begin; chain.first_line < chain.lines; chain.first_line += stride) {
        if (aligned)
            chain.read_aligned(reinterpret_cast<const float*>(data), args.k, args.input.inverse_scale);
        else
            chain.read_any(data);
#pragma unroll 1
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
