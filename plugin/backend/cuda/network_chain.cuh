// Small dense layers one after the other, all in one kernel. What a multiplication of matrix units gives to a lane,
// columns 2t and 2t+1 of each 8, is as good a left side for the next layer as any, if the weights stand in the same
// order of k (network_pack.cpp). So what passes between layers goes through shared memory as each lane has it, 16 bytes
// at a time, and comes back to the lane of the same number.
//
// The weights lie in shared memory where the device has room for them, else they come through the first cache; of
// layers over 128 wide those are staged that have room. Few lines, and wide ones, go through the layers by teams of
// warps, each making 32 columns of a layer at a time; of many lines each warp takes its own 32, and has the next ones
// copied while it makes the last layer.
//
// Columns are made 32 at a time in a loop. Written out, a warp would run through tens of thousands of instructions
// once, and wait for each of them to come from memory.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_CHAIN_CUH
#define AUGUR_BACKEND_CUDA_NETWORK_CHAIN_CUH

#include <algorithm>
#include <type_traits>

#include "backend/cuda/matrix_units.cuh"
#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"
#include "backend/cuda/network_pack.h"
#include "core/network_int8.h"

namespace augur::cuda {

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

// NaNs stay what they are.
__device__ __forceinline__ std::uint32_t without_negatives(std::uint32_t halves) {
    const __half2 pair = __hmax2_nan(*reinterpret_cast<const __half2*>(&halves), __half2half2(__half(0.0f)));
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

// Of whole quads.
__host__ __device__ __forceinline__ std::uint32_t layer_bias_bytes(const ChainLayer& layer) {
    return (layer.columns + kLayerColumns - 1) / kLayerColumns * kLayerColumns * 4;
}

template <bool kInt8, int kWidth, int kHigh, int kTeam, bool kStaged>
struct Chain {
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr int kTiles = kWidth / (kInt8 ? 32 : 16);       // of k, 32 bytes each
    static constexpr int kGroup = kLayerDepth / (kInt8 ? 32 : 16);  // tiles that weights are padded to
    static constexpr int kQuads = kWidth / kLayerColumns;
    static constexpr int kWords = kHigh * kTiles;        // of 16 bytes, that a lane keeps of its lines
    static constexpr int kBuffers = kTeam == 1 ? 1 : 2;  // a warp alone is done reading when it writes
    static constexpr int kWarps = kTeam == 1 ? 12 : 8;   // of a block
    // A warp alone has the next lines' floats copied to where it passes numbers on, while it makes its last layer. Of
    // networks of 64 that layer is too short to hide it.
    static constexpr int kAheadWidth = 64;
    static constexpr bool kAhead = kTeam == 1 && kWidth > 64;
    static constexpr int kAheadWords = kAhead ? 2 * kHigh * kAheadWidth / 16 : 0;
    static constexpr int kTeamWords = std::max(kBuffers * kWords, kAheadWords);
    static constexpr std::uint32_t kPassedBytes = kWarps / kTeam * kTeamWords * 32 * 16;

    const ChainArgs& args;
    std::uint64_t first_line, lines;  // of this team's first; all
    std::uint32_t lane, member, team;
    uint4* passed;  // [kBuffers][kWords] of this lane, 32 apart: what the next layer multiplies
    int buffer = 0;
    std::uint32_t left[kHigh][kTiles][4];
    unsigned char* stored;  // where the layer's numbers are wanted; null: nowhere

    __device__ explicit Chain(const ChainArgs& of) : args(of) {}

    __device__ __forceinline__ void sync_team() const {
        if constexpr (kTeam > 1) asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "n"(kTeam * 32) : "memory");
    }
    __device__ __forceinline__ uint4& word(int of, int i) const { return passed[(of * kWords + i) * 32]; }

    __device__ __forceinline__ std::uint64_t line(int high, int half) const {
        return first_line + static_cast<std::uint32_t>(16 * high + 8 * half) + lane / 4;
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

    // The same where a warp could not hold all of a tile's floats: the team shares the work.
    __device__ __forceinline__ void read_together(const float* data, std::uint32_t width, float inverse_scale) {
        constexpr int kRead = kInt8 ? 2 : 1;
        float4 x[kWords / kTeam][2][kRead];
        AUGUR_UNROLL
        for (int i = 0; i < kWords / kTeam * 2 * kRead; ++i) {
            const int mine = i / (2 * kRead), half = i / kRead % 2, part = i % kRead;
            const std::uint32_t at_word = member + static_cast<std::uint32_t>(mine * kTeam);
            const std::uint64_t at = line(static_cast<int>(at_word / kTiles), half);
            const std::uint32_t k =
                at_word % kTiles * (16 * kRead) + static_cast<std::uint32_t>(16 * part) + lane % 4 * 4;
            x[mine][half][part] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (at < lines && k < width)
                x[mine][half][part] = __ldg(reinterpret_cast<const float4*>(data + at * width + k));
        }
        AUGUR_UNROLL
        for (int i = 0; i < kWords / kTeam; ++i) {
            const auto& y = x[i];
            uint4 four;
            if constexpr (kInt8)
                four = make_uint4(pack_integers(y[0][0], inverse_scale), pack_integers(y[1][0], inverse_scale),
                                  pack_integers(y[0][1], inverse_scale), pack_integers(y[1][1], inverse_scale));
            else
                four = make_uint4(pack_halves(y[0][0].x, y[0][0].y), pack_halves(y[1][0].x, y[1][0].y),
                                  pack_halves(y[0][0].z, y[0][0].w), pack_halves(y[1][0].z, y[1][0].w));
            word(buffer, static_cast<int>(member) + i * kTeam) = four;
        }
        sync_team();
        take();
    }

    // Any input; the team shares the work.
    __device__ __forceinline__ void read_any(const unsigned char* data) {
        const float inverse_scale = args.input.form == Form::integer ? 0.0f : args.input.inverse_scale;
#pragma unroll 1
        for (int i = static_cast<int>(member); i < kWords; i += kTeam) {
            std::uint32_t parts[4];
            AUGUR_UNROLL
            for (int part = 0; part < 4; ++part) {
                const std::uint64_t at = line(i / kTiles, part % 2);
                const std::uint32_t k = static_cast<std::uint32_t>(i % kTiles) * (kInt8 ? 32 : 16) + lane % 4 * 4 +
                                        static_cast<std::uint32_t>(part / 2) * (kInt8 ? 16 : 2);
                float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (at < lines) {
                    x.x = number_at(args.input, data, at, k, args.k);
                    x.y = number_at(args.input, data, at, k + 1, args.k);
                    if (kInt8) x.z = number_at(args.input, data, at, k + 2, args.k);
                    if (kInt8) x.w = number_at(args.input, data, at, k + 3, args.k);
                }
                parts[part] = kInt8 ? pack_integers(x, inverse_scale) : pack_halves(x.x, x.y);
            }
            word(buffer, i) = make_uint4(parts[0], parts[1], parts[2], parts[3]);
        }
        sync_team();
        take();
    }

    // Asks for lines of floats to come to where nothing is passed on any more: 16 bytes of a line each, of no more than
    // kAheadWidth numbers.
    __device__ __forceinline__ void copy_ahead(const float* data, std::uint64_t from) const {
        if (from >= lines) return;
        const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(passed));
        AUGUR_UNROLL
        for (int i = 0; i < kAheadWords; ++i) {
            const std::uint64_t at = from + static_cast<std::uint32_t>(8 * (i % (2 * kHigh))) + lane / 4;
            const std::uint32_t k = static_cast<std::uint32_t>(i / (2 * kHigh) * 16) + lane % 4 * 4;
            const bool valid = at < lines && k < args.k;
            copy_later(to + i * 512, valid ? data + at * args.k + k : data, valid);
        }
        commit_copies();
    }

    // What was copied ahead, to be multiplied. What is left as it was belongs to no k of the first layer.
    __device__ __forceinline__ void take_ahead() {
        constexpr int kRead = kInt8 ? 2 : 1;  // fours of a lane in a tile
        const float inverse_scale = args.input.inverse_scale;
        wait_for_copies<0>();
        AUGUR_UNROLL
        for (int i = 0; i < kAheadWords; ++i) {
            const int high = i % (2 * kHigh) / 2, half = i % 2, four = i / (2 * kHigh);
            const float4 x = *reinterpret_cast<const float4*>(passed + i * 32);
            auto& to = left[high][four / kRead];
            if constexpr (kInt8) {
                to[four % 2 * 2 + half] = pack_integers(x, inverse_scale);
            } else {
                to[half] = pack_halves(x.x, x.y);
                to[2 + half] = pack_halves(x.z, x.w);
            }
        }
    }

    // What was passed on, to be multiplied.
    __device__ __forceinline__ void take() {
        AUGUR_UNROLL
        for (int i = 0; i < kWords; ++i) {
            const uint4 four = word(buffer, i);
            auto& to = left[i / kTiles][i % kTiles];
            to[0] = four.x;
            to[1] = four.y;
            to[2] = four.z;
            to[3] = four.w;
        }
    }

    // Asks for lines of floats that come next.
    __device__ __forceinline__ void expect(const float* data, std::uint64_t from) const {
        if (from >= lines) return;
        const std::uint64_t to = from + 16 * kHigh < lines ? from + 16 * kHigh : lines;
        const auto* begin = reinterpret_cast<const unsigned char*>(data + from * args.k);
        const auto* end = reinterpret_cast<const unsigned char*>(data + to * args.k);
        for (const unsigned char* at = begin + (member * 32 + lane) * 128; at < end; at += kTeam * 32 * 128)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
    }

    __device__ __forceinline__ void read(const unsigned char* data, bool aligned) {
        const auto* floats = reinterpret_cast<const float*>(data);
        if (!aligned)
            read_any(data);
        else if constexpr (kWidth > 128)
            read_together(floats, args.k, args.input.inverse_scale);
        else
            read_aligned(floats, args.k, args.input.inverse_scale);
    }

    // The biases of a quad's columns, as what sums begin with.
    template <bool kShared>
    __device__ __forceinline__ void begin_quad(const void* biases, int quad, Sum (&sums)[kHigh][4][4]) const {
        using Two = std::conditional_t<kInt8, int2, float2>;
        AUGUR_UNROLL
        for (int j = 0; j < 4; ++j) {
            const std::uint32_t n = static_cast<std::uint32_t>(quad * 32 + 8 * j) + lane % 4 * 2;
            const Two* from = reinterpret_cast<const Two*>(static_cast<const Sum*>(biases) + n);
            Two bias;
            if constexpr (kShared)
                bias = *from;
            else
                bias = __ldg(from);
            const Sum first = bias.x, second = bias.y;
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
        // Of halves that nobody else reads, what is below 0 can be cut off two at a time.
        [[maybe_unused]] bool cut = false;
        if constexpr (kInt8) {
            if (layer.is_result) return finish_results(layer, quad, sums);
            finish_integers(layer, quad, sums);
        } else {
            cut = stored == nullptr && layer.activation == core::Activation::relu;
            if (!cut) finish_singles(layer, quad, sums);
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
                word(kBuffers - 1 - buffer, high * kTiles + quad) =
                    make_uint4(four(0, 0), four(0, 1), four(2, 0), four(2, 1));
            } else {
                AUGUR_UNROLL
                for (int j = 0; j < 4; j += 2) {
                    uint4 four = make_uint4(pack_halves(from[j][0], from[j][1]), pack_halves(from[j][2], from[j][3]),
                                            pack_halves(from[j + 1][0], from[j + 1][1]),
                                            pack_halves(from[j + 1][2], from[j + 1][3]));
                    if (cut)
                        four = make_uint4(without_negatives(four.x), without_negatives(four.y),
                                          without_negatives(four.z), without_negatives(four.w));
                    word(kBuffers - 1 - buffer, high * kTiles + 2 * quad + j / 2) = four;
                }
            }
        }
    }

    // All k of 32 columns, or of the first kEights times 8 of them.
    template <int kEights>
    __device__ __forceinline__ void multiply_quad(const uint4* from, std::uint32_t repeats, std::uint32_t groups,
                                                  Sum (&sums)[kHigh][4][4]) const {
        constexpr std::uint32_t kStep = 32 * 2 * kGroup;
        do {
            AUGUR_UNROLL
            for (int group = 0; group < kTiles / kGroup; ++group) {
                if (group > 0 && static_cast<std::uint32_t>(group) >= groups) continue;
                AUGUR_UNROLL
                for (int tile = 0; tile < kGroup; ++tile) {
                    const uint4 first = from[64 * tile];
                    uint4 second{};
                    if constexpr (kEights > 2) second = from[64 * tile + 32];
                    AUGUR_UNROLL
                    for (int high = 0; high < kHigh; ++high) {
                        const auto& a = left[high][group * kGroup + tile];
                        multiply_add(sums[high][0], a, first.x, first.y);
                        multiply_add(sums[high][1], a, first.z, first.w);
                        if constexpr (kEights > 2) {
                            multiply_add(sums[high][2], a, second.x, second.y);
                            multiply_add(sums[high][3], a, second.z, second.w);
                        }
                    }
                }
                from += kStep;
            }
        } while (--repeats > 0);
    }

    // weights, biases: the layer's, in shared memory or not.
    template <bool kShared>
    __device__ __forceinline__ void run(const ChainLayer& layer, const uint4* weights, const void* biases) {
        const std::uint32_t quads = (layer.columns + kLayerColumns - 1) / kLayerColumns, repeats = layer.repeats;
        const std::uint32_t groups = (layer.tiles + kGroup - 1) / kGroup;
        stored = layer.is_stored ? resolve<unsigned char>(layer.stored) : nullptr;
#pragma unroll 1
        for (std::uint32_t quad = member; quad < quads; quad += kTeam) {
            const uint4* from = weights + static_cast<std::size_t>(quad) * repeats * groups * (64 * kGroup) + lane;
            Sum sums[kHigh][4][4];
            begin_quad<kShared>(biases, static_cast<int>(quad), sums);
            if (layer.columns - quad * kLayerColumns <= 16)
                multiply_quad<2>(from, repeats, groups, sums);
            else
                multiply_quad<4>(from, repeats, groups, sums);
            finish_quad(layer, static_cast<int>(quad), sums);
        }
        if (!layer.goes_on) return;
        // A layer's columns end within the numbers of k that the next one's weights are padded to.
        if (member == 0) {
            const int made = static_cast<int>(quads) * (kTiles / kQuads);
            for (int tile = made; tile < (made + kGroup - 1) / kGroup * kGroup; ++tile)
                for (int high = 0; high < kHigh; ++high)
                    word(kBuffers - 1 - buffer, high * kTiles + tile) = make_uint4(0, 0, 0, 0);
        }
        buffer = kBuffers - 1 - buffer;
        sync_team();
        take();
    }
};

// Shared memory: what is passed on, then the weights and biases of all layers where they are staged.
template <bool kInt8, int kWidth, int kHigh, int kTeam, bool kStaged>
__global__ void __launch_bounds__(Chain<kInt8, kWidth, kHigh, kTeam, kStaged>::kWarps * 32)
    chain_kernel(const __grid_constant__ ChainArgs args) {
    using C = Chain<kInt8, kWidth, kHigh, kTeam, kStaged>;
    extern __shared__ uint4 shared[];
    uint4* const staged = shared + C::kPassedBytes / 16;
    if constexpr (kStaged) {
        auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(staged));
#pragma unroll 1
        for (std::uint32_t l = 0; l < args.layer_count; ++l) {
            if (!args.layers[l].is_staged) continue;
            const auto* from = static_cast<const uint4*>(args.layers[l].weights);
            for (std::uint32_t i = threadIdx.x; i < args.layers[l].weight_bytes / 16; i += blockDim.x)
                copy_later(to + i * 16, from + i, true);
            to += args.layers[l].weight_bytes;
            const std::uint32_t bias_bytes = layer_bias_bytes(args.layers[l]);
            const auto* bias = kInt8 ? static_cast<const void*>(args.layers[l].biases) : args.layers[l].bias;
            if (threadIdx.x < bias_bytes / 16)
                copy_later(to + threadIdx.x * 16, static_cast<const uint4*>(bias) + threadIdx.x, true);
            to += bias_bytes;
        }
        commit_copies();
    }
    C chain(args);
    const auto* data = resolve<const unsigned char>(args.input.at);
    const bool aligned =
        args.input.form == Form::single && args.k % 4 == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    const std::uint32_t warp = threadIdx.x / 32;
    chain.lane = threadIdx.x % 32;
    chain.member = warp % kTeam;
    chain.team = warp / kTeam;
    chain.passed = shared + chain.team * (C::kTeamWords * 32) + chain.lane;
    chain.lines = static_cast<std::uint64_t>(row_count(args.rows)) * args.lines;
    constexpr std::uint32_t kTeams = C::kWarps / kTeam;
    constexpr std::uint64_t kEach = 16 * kHigh;
    const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * kTeams * kEach;
    // Tiles of lines go round the blocks, so that few of them use all multiprocessors.
    chain.first_line = (static_cast<std::uint64_t>(chain.team) * gridDim.x + blockIdx.x) * kEach;
    if (aligned && chain.first_line < chain.lines) chain.read(data, true);  // while the weights come
    bool is_read = aligned;
    const bool ahead = C::kAhead && aligned && args.k <= C::kAheadWidth;
    if constexpr (kStaged) {
        wait_for_copies<0>();
        __syncthreads();
    }
#pragma unroll 1
    for (; chain.first_line < chain.lines; chain.first_line += stride) {
        chain.sync_team();  // nobody takes what the last lines left any more
        if (!is_read) {
            if (ahead)
                chain.take_ahead();
            else
                chain.read(data, aligned);
        }
        is_read = false;
        if (aligned) chain.expect(reinterpret_cast<const float*>(data), chain.first_line + stride);
        const uint4* weights = staged;
#pragma unroll 1
        for (std::uint32_t l = 0; l < args.layer_count; ++l) {
            const ChainLayer& layer = args.layers[l];
            if (ahead && l + 1 == args.layer_count)
                chain.copy_ahead(reinterpret_cast<const float*>(data), chain.first_line + stride);
            // Narrow networks are staged as a whole: nothing is written out twice for them.
            if (kStaged && (kWidth <= 128 || layer.is_staged)) {
                chain.template run<true>(layer, weights, weights + layer.weight_bytes / 16);
                weights += (layer.weight_bytes + layer_bias_bytes(layer)) / 16;
            } else if constexpr (!kStaged || kWidth > 128) {
                chain.template run<false>(layer, static_cast<const uint4*>(layer.weights),
                                          kInt8 ? static_cast<const void*>(layer.biases) : layer.bias);
            }
        }
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_CHAIN_CUH
