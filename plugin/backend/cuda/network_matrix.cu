// Dense and conv steps on matrix units: a product of [pixels of all rows][taps * channels] with [taps * channels][n],
// whose left side is gathered from the tensor while it is copied into shared memory and exists nowhere else.
//
// A block of four warps makes tiles of 64 or 128 pixels by 64 columns, taking 64 bytes of k at a time through a ring of
// copies under way. Where tiles are fewer than the device has room for, k is shared by several blocks: each leaves its
// sums, and the last to come adds them up in a fixed order and goes on.
#include <algorithm>

#include "backend/cuda/matrix_units.cuh"
#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"
#include "backend/cuda/network_pack.h"
#include "core/network_int8.h"

namespace augur::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr std::uint32_t kColumns = kMatrixColumns;
constexpr std::uint32_t kVectors = kMatrixChunk / 16;

// Numbers of a tile lie in shared memory at row * kPitch + column while the step ends.
constexpr std::uint32_t kPitch = kColumns + 8;

// The end of a step, number by number, whatever form and order it is stored in.
template <bool kInt8>
struct Ending {
    const MatrixArgs& args;
    Resolved residual, out;
    std::uint32_t pixels;

    __device__ explicit Ending(const MatrixArgs& of)
        : args(of), residual(of.of.residual), out(of.of.output), pixels(of.at.out_height * of.at.out_width) {}

    // Element of a row in the order of ONNX.
    __device__ std::uint32_t element(std::uint32_t pixel, std::uint32_t n) const {
        return args.of.step.op == core::NetworkOp::dense ? pixel * args.columns + n : n * pixels + pixel;
    }
    __device__ float single(std::uint32_t row, std::uint32_t pixel, std::uint32_t n, float sum) const {
        if (args.has_residual) sum = sum + residual.single(row, element(pixel, n));
        return activated(args.activation, args.of.step.alpha, args.of.step.beta, sum);
    }
    __device__ void store(std::uint32_t m, std::uint32_t n, std::int32_t sum) const {
        const std::uint32_t row = m / pixels, pixel = m % pixels;
        const std::size_t at =
            row * args.out.row + pixel * args.out.pixel + static_cast<std::size_t>(n) * args.out.channel;
        if (n >= args.columns) return out.store(at, static_cast<std::int8_t>(0));
        sum += args.biases[n];
        if (args.scales != nullptr) return out.store(at, single(row, pixel, n, core::dequantise(sum, args.scales[n])));
        std::int32_t y = core::rescale(sum, args.rescales[n]);
        const core::QuantisedStep& q = args.of.quantised;
        if (args.has_residual)
            y = core::drop_spare_bits(y + core::rescale(residual.integer(row, element(pixel, n)), q.b));
        out.store(at, core::quantised_result(args.of.view, q, y));
    }
    __device__ void store(std::uint32_t m, std::uint32_t n, float sum) const {
        const std::uint32_t row = m / pixels, pixel = m % pixels;
        const std::size_t at =
            row * args.out.row + pixel * args.out.pixel + static_cast<std::size_t>(n) * args.out.channel;
        out.store(at, n < args.columns ? single(row, pixel, n, sum + args.of.bias[n]) : 0.0f);
    }
};

// Eight halves side by side, the residual's too where there is one.
__device__ __forceinline__ void store_eight(const MatrixArgs& args, __half* out, const __half* residual,
                                            std::uint32_t n, const float* sums) {
    float y[8];
    AUGUR_UNROLL
    for (int i = 0; i < 8; i += 4) {
        const float4 sum = *reinterpret_cast<const float4*>(sums + i);
        const float4 bias = __ldg(reinterpret_cast<const float4*>(args.of.bias + n + i));
        y[i] = sum.x + bias.x;
        y[i + 1] = sum.y + bias.y;
        y[i + 2] = sum.z + bias.z;
        y[i + 3] = sum.w + bias.w;
    }
    if (args.has_residual) {
        const uint4 words = *reinterpret_cast<const uint4*>(residual);
        const auto* pairs = reinterpret_cast<const __half2*>(&words);
        AUGUR_UNROLL
        for (int i = 0; i < 4; ++i) {
            const float2 pair = __half22float2(pairs[i]);
            y[2 * i] = y[2 * i] + pair.x;
            y[2 * i + 1] = y[2 * i + 1] + pair.y;
        }
    }
    if (args.activation == core::Activation::relu) {
        AUGUR_UNROLL
        for (int i = 0; i < 8; ++i)
            y[i] = y[i] < 0.0f ? 0.0f : y[i];
    } else if (args.activation != core::Activation::none) {
        AUGUR_UNROLL
        for (int i = 0; i < 8; ++i)
            y[i] = activate_any(args.activation, args.of.step.alpha, args.of.step.beta, y[i]);
    }
    if (n + 8 > args.columns) {
        AUGUR_UNROLL
        for (int i = 0; i < 8; ++i)
            y[i] = n + static_cast<std::uint32_t>(i) < args.columns ? y[i] : 0.0f;
    }
    uint4 words;
    auto* pairs = reinterpret_cast<__half2*>(&words);
    AUGUR_UNROLL
    for (int i = 0; i < 4; ++i)
        pairs[i] = __floats2half2_rn(y[2 * i], y[2 * i + 1]);
    *reinterpret_cast<uint4*>(out) = words;
}

// Eight integers side by side. Factors of padding are 0, and nobody reads it.
__device__ __forceinline__ void store_eight(const MatrixArgs& args, std::int8_t* out, const std::int8_t* residual,
                                            std::uint32_t n, const std::int32_t* sums) {
    const core::QuantisedStep& q = args.of.quantised;
    uint2 more = {0, 0};
    if (args.has_residual) more = *reinterpret_cast<const uint2*>(residual);
    const auto* added = reinterpret_cast<const std::int8_t*>(&more);
    const std::int8_t* table = q.table == core::kNoWeights ? nullptr : args.of.view.tables + q.table;
    uint2 words;
    auto* y = reinterpret_cast<std::int8_t*>(&words);
    AUGUR_UNROLL
    for (int i = 0; i < 8; ++i) {
        const int2 factor = __ldg(reinterpret_cast<const int2*>(args.rescales + n + i));
        std::int32_t x = core::rescale(sums[i] + __ldg(args.biases + n + i), core::Rescale{factor.x, factor.y});
        if (args.has_residual) x = core::drop_spare_bits(x + core::rescale(added[i], q.b));
        y[i] = core::clamp_int8(x, q.low, q.high);
        if (table != nullptr) y[i] = __ldg(table + y[i] + 128);
    }
    *reinterpret_cast<uint2*>(out) = words;
}

template <bool kInt8, int kWarpRows>
struct Tile {
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr int kRows = 2 * kWarpRows;
    static constexpr int kStages = kWarpRows == 64 ? 3 : 4;
    static constexpr int kCopies = kRows / 32;  // rows of the left side that a thread copies
    static constexpr int kHigh = kWarpRows / 16;
    static constexpr int kWide = 4;  // of 8 columns; a warp makes 32
    static constexpr std::uint32_t kStageBytes = (kRows + kColumns) * kMatrixChunk;
    static_assert(kStages * kStageBytes >= kRows * kPitch * 4);
    Sum sums[kHigh][kWide][4];
};

// Where a thread copies from: one vector of the chunk, in each of its rows.
template <int kCopies>
struct Source {
    const unsigned char* origin[kCopies];  // of the window's first tap, which may lie outside
    std::int32_t y[kCopies], x[kCopies];
    std::uint32_t ky, kx, vector;  // tap, and vector of its channels

    __device__ void begin(const MatrixArgs& args, const unsigned char* data, std::uint32_t first, std::uint32_t count,
                          std::uint32_t pixel_bytes, std::uint64_t row_bytes, std::uint32_t k_vector) {
        const core::NetworkWindow& w = args.at;
        const std::uint32_t pixels = w.out_height * w.out_width;
        AUGUR_UNROLL
        for (int i = 0; i < kCopies; ++i) {
            const std::uint32_t m = first + threadIdx.x / kVectors + 32 * i;
            const std::uint32_t row = m / pixels, pixel = m % pixels;
            y[i] = m < count ? static_cast<std::int32_t>(pixel / w.out_width * w.stride_h) - w.pad_top : -(1 << 30);
            x[i] = static_cast<std::int32_t>(pixel % w.out_width * w.stride_w) - w.pad_left;
            origin[i] = data + static_cast<std::int64_t>(row * row_bytes) +
                        (static_cast<std::int64_t>(m < count ? y[i] : 0) * w.width + x[i]) * pixel_bytes;
        }
        const std::uint32_t vectors = pixel_bytes / 16;
        vector = k_vector % vectors;
        const std::uint32_t tap = k_vector / vectors % (w.kernel_h * w.kernel_w);
        ky = tap / w.kernel_w;
        kx = tap % w.kernel_w;
    }

    __device__ void copy(const MatrixArgs& args, const unsigned char* data, std::uint32_t pixel_bytes,
                         std::uint32_t to) {
        const core::NetworkWindow& w = args.at;
        const std::int32_t down = static_cast<std::int32_t>(ky * w.dilation_h);
        const std::int32_t right = static_cast<std::int32_t>(kx * w.dilation_w);
        const std::int64_t offset = (static_cast<std::int64_t>(down) * w.width + right) * pixel_bytes + vector * 16;
        AUGUR_UNROLL
        for (int i = 0; i < kCopies; ++i) {
            const bool valid = static_cast<std::uint32_t>(y[i] + down) < w.height &&
                               static_cast<std::uint32_t>(x[i] + right) < w.width;
            copy_later(to + 32 * i * kMatrixChunk, valid ? origin[i] + offset : data, valid);
        }
        vector += kVectors;
        const std::uint32_t vectors = pixel_bytes / 16;
        while (vector >= vectors) {
            vector -= vectors;
            if (++kx < w.kernel_w) continue;
            kx = 0;
            if (++ky == w.kernel_h) ky = 0;  // the next repeat
        }
    }
};

// Vector v of a row lies where no two of eight neighbouring rows share banks.
__device__ __forceinline__ std::uint32_t swizzled(std::uint32_t row, std::uint32_t v) {
    return row * kMatrixChunk + ((v ^ (row >> 1)) & (kVectors - 1)) * 16;
}

template <bool kInt8, int kWarpRows>
__device__ __forceinline__ void multiply_chunk(Tile<kInt8, kWarpRows>& tile, std::uint32_t left, std::uint32_t right) {
    using T = Tile<kInt8, kWarpRows>;
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const std::uint32_t first_row = warp % 2 * kWarpRows, first_column = warp / 2 * 32;
    AUGUR_UNROLL
    for (std::uint32_t step = 0; step < kVectors / 2; ++step) {
        std::uint32_t a[T::kHigh][4], b[2][4];
        AUGUR_UNROLL
        for (int i = 0; i < T::kHigh; ++i)
            load_blocks(a[i], left + swizzled(first_row + 16 * i + lane % 16, 2 * step + lane / 16));
        AUGUR_UNROLL
        for (int j = 0; j < 2; ++j)
            load_blocks(b[j],
                        right + swizzled(first_column + 16 * j + lane % 8 + lane / 16 * 8, 2 * step + lane / 8 % 2));
        AUGUR_UNROLL
        for (int i = 0; i < T::kHigh; ++i)
            AUGUR_UNROLL
        for (int j = 0; j < T::kWide; ++j)
            multiply_add(tile.sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

// Leaves this block's sums with the others' of the tile; true for the last to come, which then has all of them.
template <bool kInt8, int kWarpRows>
__device__ __forceinline__ bool collect(Tile<kInt8, kWarpRows>& tile, const MatrixArgs& args, std::uint32_t number,
                                        std::uint32_t split) {
    using T = Tile<kInt8, kWarpRows>;
    using Four = std::conditional_t<kInt8, int4, float4>;
    constexpr std::size_t kEach = static_cast<std::size_t>(T::kRows) * kColumns / 4;  // fours of a tile
    constexpr int kMine = T::kHigh * T::kWide;
    auto* parts = static_cast<Four*>(args.parts) + static_cast<std::size_t>(number) * args.splits * kEach + threadIdx.x;
    AUGUR_UNROLL
    for (int i = 0; i < kMine; ++i) {
        const auto& from = tile.sums[i / T::kWide][i % T::kWide];
        parts[split * kEach + static_cast<std::size_t>(i) * kThreads] = Four{from[0], from[1], from[2], from[3]};
    }
    __threadfence();
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(args.counters + number, 1u) == args.splits - 1;
    __syncthreads();
    if (!last) return false;
    __threadfence();
    if (threadIdx.x == 0) args.counters[number] = 0;
    AUGUR_UNROLL
    for (int i = 0; i < kMine * 4; ++i)
        tile.sums[i / (T::kWide * 4)][i / 4 % T::kWide][i % 4] = 0;
#pragma unroll 1
    for (std::uint32_t s = 0; s < args.splits; ++s) {
        Four fours[kMine];
        AUGUR_UNROLL
        for (int i = 0; i < kMine; ++i)
            fours[i] = __ldcg(parts + s * kEach + static_cast<std::size_t>(i) * kThreads);
        AUGUR_UNROLL
        for (int i = 0; i < kMine; ++i) {
            auto& to = tile.sums[i / T::kWide][i % T::kWide];
            to[0] = to[0] + fours[i].x;
            to[1] = to[1] + fours[i].y;
            to[2] = to[2] + fours[i].z;
            to[3] = to[3] + fours[i].w;
        }
    }
    return true;
}

// Brings the sums into shared memory, where they can be taken row by row in a loop: written out for the places where
// the matrix units leave them, the end of a step would be thousands of instructions that each block runs once.
template <bool kInt8, int kWarpRows>
__device__ __forceinline__ void finish_tile(const Tile<kInt8, kWarpRows>& tile, const MatrixArgs& args,
                                            unsigned char* ring, std::uint32_t first_row, std::uint32_t first_column,
                                            std::uint32_t count) {
    using T = Tile<kInt8, kWarpRows>;
    using Number = std::conditional_t<kInt8, std::int8_t, __half>;
    auto* numbers = reinterpret_cast<typename T::Sum*>(ring);
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto* mine = numbers + (warp % 2 * kWarpRows + lane / 4) * kPitch + warp / 2 * 32 + lane % 4 * 2;
    AUGUR_UNROLL
    for (int i = 0; i < T::kHigh * 2 * T::kWide; ++i) {
        const int high = i / (2 * T::kWide), half = i / T::kWide % 2, j = i % T::kWide;
        auto* to = mine + (16 * high + 8 * half) * kPitch + 8 * j;
        to[0] = tile.sums[high][j][2 * half];
        to[1] = tile.sums[high][j][2 * half + 1];
    }
    __syncthreads();
    if (args.in_eights) {
        auto* out = resolve<Number>(args.of.output.at);
        const auto* residual = resolve<const Number>(args.of.residual.at);
#pragma unroll 1
        for (std::uint32_t item = threadIdx.x; item < T::kRows * (kColumns / 8); item += kThreads) {
            const std::uint32_t row = item / (kColumns / 8), column = item % (kColumns / 8) * 8;
            const std::uint32_t m = first_row + row, n = first_column + column;
            if (m >= count || n >= args.out_columns) continue;
            const std::size_t at = static_cast<std::size_t>(m) * args.out.pixel + n;
            store_eight(args, out + at, residual + at, n, numbers + row * kPitch + column);
        }
    } else {
        const Ending<kInt8> ending(args);
#pragma unroll 1
        for (std::uint32_t item = threadIdx.x; item < T::kRows * kColumns; item += kThreads) {
            const std::uint32_t row = item / kColumns, column = item % kColumns;
            if (first_row + row < count && first_column + column < args.out_columns)
                ending.store(first_row + row, first_column + column, numbers[row * kPitch + column]);
        }
    }
    __syncthreads();  // before copies fill the ring again
}

template <bool kInt8, int kWarpRows>
__global__ void __launch_bounds__(kThreads) matrix_kernel(const __grid_constant__ MatrixArgs args) {
    using T = Tile<kInt8, kWarpRows>;
    __shared__ __align__(128) unsigned char ring[T::kStages * T::kStageBytes];
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(ring));
    if (resolve<unsigned char>(args.of.output.at) == nullptr) return;
    const auto* data = resolve<const unsigned char>(args.of.a.at);
    const auto* weights = static_cast<const unsigned char*>(args.of.weights);
    const std::uint32_t pixels = args.at.out_height * args.at.out_width;
    const std::uint32_t count = row_count(args.of.rows) * pixels;
    const std::uint32_t pixel_bytes = args.at.channels * (kInt8 ? 1 : 2);
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(args.of.a.row_elements) * (kInt8 ? 1 : 2);
    const std::uint32_t wide = (args.columns + kColumns - 1) / kColumns;
    const std::uint32_t work = (count + T::kRows - 1) / T::kRows * wide * args.splits;
    const std::uint32_t vector = threadIdx.x % kVectors, row = threadIdx.x / kVectors;
    for (std::uint32_t w = blockIdx.x; w < work; w += gridDim.x) {
        const std::uint32_t number = w / args.splits, split = w % args.splits;
        const std::uint32_t first_row = number / wide * T::kRows, first_column = number % wide * kColumns;
        const std::uint32_t begin = args.chunks * split / args.splits, end = args.chunks * (split + 1) / args.splits;
        Source<T::kCopies> source;
        source.begin(args, data, first_row, count, pixel_bytes, row_bytes, begin * kVectors + vector);
        const std::size_t weight_row = static_cast<std::size_t>(args.chunks) * kMatrixChunk;
        const unsigned char* weight =
            weights + (first_column + row) * weight_row + static_cast<std::size_t>(begin) * kMatrixChunk + vector * 16;
        // Copies the next chunk into a stage; past the end only the count of commits goes on.
        std::uint32_t next = begin;
        const auto copy = [&] {
            if (next < end) {
                const std::uint32_t stage = base + (next - begin) % T::kStages * T::kStageBytes;
                source.copy(args, data, pixel_bytes, stage + swizzled(row, vector));
                AUGUR_UNROLL
                for (std::uint32_t i = 0; i < kColumns / 32; ++i)
                    copy_later(stage + T::kRows * kMatrixChunk + swizzled(row + 32 * i, vector),
                               weight + 32 * i * weight_row, true);
                weight += kMatrixChunk;
                ++next;
            }
            commit_copies();
        };
        T tile;
        AUGUR_UNROLL
        for (int i = 0; i < T::kHigh * T::kWide * 4; ++i)
            tile.sums[i / (T::kWide * 4)][i / 4 % T::kWide][i % 4] = 0;
        for (int i = 0; i < T::kStages - 1; ++i)
            copy();
        for (std::uint32_t chunk = begin; chunk < end; ++chunk) {
            wait_for_copies<T::kStages - 2>();
            __syncthreads();
            copy();
            const std::uint32_t stage = base + (chunk - begin) % T::kStages * T::kStageBytes;
            multiply_chunk(tile, stage, stage + T::kRows * kMatrixChunk);
        }
        wait_for_copies<0>();
        __syncthreads();
        if (args.splits > 1 && !collect(tile, args, number, split)) continue;
        finish_tile(tile, args, ring, first_row, first_column, count);
    }
}

template <bool kInt8, int kWarpRows>
void add(GraphChain& chain, const MatrixArgs& args, std::uint64_t work, Machine machine) {
    const auto blocks = std::clamp<std::uint64_t>(work, 1, std::uint64_t{machine.multiprocessors} * 8);
    chain.add(matrix_kernel<kInt8, kWarpRows>, static_cast<unsigned>(blocks), kThreads, args);
}

}  // namespace

MatrixShare share_matrix(std::uint64_t pixels, std::uint32_t columns, std::uint32_t chunks,
                         std::uint32_t multiprocessors) {
    constexpr std::uint32_t kLeastChunks = 8;
    constexpr std::uint32_t kMostSplits = 32;
    MatrixShare share{};
    const std::uint64_t wide = (columns + kColumns - 1) / kColumns;
    share.large = (pixels + 127) / 128 * wide >= 2 * std::uint64_t{multiprocessors};
    const std::uint64_t rows = share.large ? 128 : 64;
    share.tiles = (pixels + rows - 1) / rows * wide;
    // Several blocks a multiprocessor, so that one multiplies while others wait for memory.
    const std::uint64_t wanted = 4 * std::uint64_t{multiprocessors} / std::max<std::uint64_t>(share.tiles, 1);
    share.splits = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(std::min<std::uint64_t>(wanted, chunks / kLeastChunks), 1, kMostSplits));
    share.part_bytes = share.splits == 1 ? 0 : share.tiles * share.splits * rows * kColumns * 4;
    return share;
}

void add_matrix(GraphChain& chain, const MatrixArgs& args, const MatrixShare& share, Machine machine) {
    const std::uint64_t work = share.tiles * share.splits;
    if (args.of.is_int8)
        share.large ? add<true, 64>(chain, args, work, machine) : add<true, 32>(chain, args, work, machine);
    else
        share.large ? add<false, 64>(chain, args, work, machine) : add<false, 32>(chain, args, work, machine);
}

}  // namespace augur::cuda
