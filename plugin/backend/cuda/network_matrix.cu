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

// The end of a step for a pair of neighbouring columns of one pixel.
template <bool kInt8>
struct Ending {
    const MatrixArgs& args;
    Resolved residual, out;
    bool has_residual, is_result, pairs;
    std::uint32_t pixels;

    __device__ explicit Ending(const MatrixArgs& of)
        : args(of),
          residual(of.of.residual),
          out(of.of.output),
          has_residual(of.of.step.residual != core::kNoTensor),
          is_result(kInt8 && of.of.quantised.kind == core::QuantisedKind::result),
          pairs(of.out.channel == 1 && of.of.output.form == Form::half && of.out_columns % 2 == 0),
          pixels(of.at.out_height * of.at.out_width) {}

    // Element of a row in the order of ONNX.
    __device__ std::uint32_t element(std::uint32_t pixel, std::uint32_t n) const {
        return args.of.step.op == core::NetworkOp::dense ? pixel * args.columns + n : n * pixels + pixel;
    }

    __device__ float single(std::uint32_t row, std::uint32_t pixel, std::uint32_t n, float sum) const {
        if (has_residual) sum = sum + residual.single(row, element(pixel, n));
        return activated(args.of.step.activation, args.of.step.alpha, args.of.step.beta, sum);
    }

    __device__ void store(std::uint32_t row, std::uint32_t pixel, std::uint32_t n, std::int32_t sum) const {
        const std::size_t at =
            row * args.out.row + pixel * args.out.pixel + static_cast<std::size_t>(n) * args.out.channel;
        if (n >= args.columns) return out.store(at, static_cast<std::int8_t>(0));
        const core::QuantisedStep& q = args.of.quantised;
        sum += args.of.view.biases[q.bias + n];
        if (is_result)
            return out.store(at, single(row, pixel, n, core::dequantise(sum, args.of.view.scales[q.scales + n])));
        std::int32_t y = core::rescale(sum, args.of.view.rescales[q.rescales + n]);
        if (has_residual) y = core::drop_spare_bits(y + core::rescale(residual.integer(row, element(pixel, n)), q.b));
        out.store(at, core::quantised_result(args.of.view, q, y));
    }
    __device__ void store(std::uint32_t row, std::uint32_t pixel, std::uint32_t n, float sum) const {
        const std::size_t at =
            row * args.out.row + pixel * args.out.pixel + static_cast<std::size_t>(n) * args.out.channel;
        out.store(at, n < args.columns ? single(row, pixel, n, sum + args.of.bias[n]) : 0.0f);
    }

    // Halves with channels last: both at once, the residual too where it lies likewise.
    __device__ void store_pair(std::uint32_t row, std::uint32_t pixel, std::uint32_t n, float first,
                               float second) const {
        const std::size_t at = row * args.out.row + pixel * args.out.pixel + n;
        float2 sum = {first + args.of.bias[n], second + args.of.bias[n + 1]};
        if (has_residual && args.residual_pairs) {
            const auto* from = reinterpret_cast<const __half*>(residual.data) + row * args.residual.row +
                               pixel * args.residual.pixel + n;
            const float2 more = __half22float2(*reinterpret_cast<const __half2*>(from));
            sum = {sum.x + more.x, sum.y + more.y};
        } else if (has_residual) {
            if (n < args.columns) sum.x = sum.x + residual.single(row, element(pixel, n));
            if (n + 1 < args.columns) sum.y = sum.y + residual.single(row, element(pixel, n + 1));
        }
        const core::NetworkStep& step = args.of.step;
        sum.x = n < args.columns ? activated(step.activation, step.alpha, step.beta, sum.x) : 0.0f;
        sum.y = n + 1 < args.columns ? activated(step.activation, step.alpha, step.beta, sum.y) : 0.0f;
        reinterpret_cast<__half2*>(out.data)[at / 2] = __float22half2_rn(sum);
    }
};

template <bool kInt8, int kWarpRows>
struct Tile {
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr int kRows = 2 * kWarpRows;
    static constexpr int kStages = kWarpRows == 64 ? 3 : 4;
    static constexpr int kCopies = kRows / 32;  // rows of the left side that a thread copies
    static constexpr int kHigh = kWarpRows / 16;
    static constexpr int kWide = 4;  // of 8 columns; a warp makes 32
    static constexpr std::uint32_t kStageBytes = (kRows + kColumns) * kMatrixChunk;
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
    constexpr std::size_t kEach = static_cast<std::size_t>(T::kRows) * kColumns;
    auto* parts = static_cast<typename T::Sum*>(args.parts) + static_cast<std::size_t>(number) * args.splits * kEach;
    AUGUR_UNROLL
    for (int i = 0; i < T::kHigh * T::kWide; ++i) {
        auto* to = parts + split * kEach + (static_cast<std::size_t>(i) * kThreads + threadIdx.x) * 4;
        AUGUR_UNROLL
        for (int c = 0; c < 4; ++c)
            to[c] = tile.sums[i / T::kWide][i % T::kWide][c];
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
    for (int i = 0; i < T::kHigh * T::kWide; ++i) {
        typename T::Sum sum[4] = {};
        for (std::uint32_t s = 0; s < args.splits; ++s) {
            const auto* from = parts + s * kEach + (static_cast<std::size_t>(i) * kThreads + threadIdx.x) * 4;
            AUGUR_UNROLL
            for (int c = 0; c < 4; ++c)
                sum[c] = sum[c] + __ldcg(from + c);
        }
        AUGUR_UNROLL
        for (int c = 0; c < 4; ++c)
            tile.sums[i / T::kWide][i % T::kWide][c] = sum[c];
    }
    return true;
}

template <bool kInt8, int kWarpRows>
__device__ __forceinline__ void finish_tile(const Tile<kInt8, kWarpRows>& tile, const MatrixArgs& args,
                                            std::uint32_t first_row, std::uint32_t first_column, std::uint32_t count) {
    using T = Tile<kInt8, kWarpRows>;
    const Ending<kInt8> ending(args);
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    first_row += warp % 2 * kWarpRows + lane / 4;
    first_column += warp / 2 * 32 + lane % 4 * 2;
    AUGUR_UNROLL
    for (int i = 0; i < T::kHigh; ++i) {
        AUGUR_UNROLL
        for (int half = 0; half < 2; ++half) {
            const std::uint32_t m = first_row + 16 * i + 8 * half;
            if (m >= count) continue;
            const std::uint32_t row = m / ending.pixels, pixel = m % ending.pixels;
            AUGUR_UNROLL
            for (int j = 0; j < T::kWide; ++j) {
                const std::uint32_t n = first_column + 8 * j;
                const auto first = tile.sums[i][j][2 * half], second = tile.sums[i][j][2 * half + 1];
                if constexpr (!kInt8) {
                    if (ending.pairs) {
                        if (n < args.out_columns) ending.store_pair(row, pixel, n, first, second);
                        continue;
                    }
                }
                if (n < args.out_columns) ending.store(row, pixel, n, first);
                if (n + 1 < args.out_columns) ending.store(row, pixel, n + 1, second);
            }
        }
    }
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
        finish_tile(tile, args, first_row, first_column, count);
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
    const std::uint64_t wanted = (2 * std::uint64_t{multiprocessors} + share.tiles - 1) / share.tiles;
    share.splits = static_cast<std::uint32_t>(
        share.tiles >= multiprocessors
            ? 1
            : std::clamp<std::uint64_t>(std::min<std::uint64_t>(wanted, chunks / kLeastChunks), 1, kMostSplits));
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
