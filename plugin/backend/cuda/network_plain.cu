// Dense and conv steps in floats: tiles of 64 pixels by 64 columns, 16 numbers of k at a time.
#include <algorithm>

#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"

namespace augur::cuda {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kTile = 64;   // pixels, and columns
constexpr std::uint32_t kDepth = 16;  // numbers of k

// A step as a product: pixels of all rows by columns.
struct PlainShape {
    std::uint32_t pixels, columns, depth;
};

__host__ __device__ inline PlainShape shape_of(const core::NetworkStep& step) {
    const core::NetworkWindow& w = step.window;
    if (step.op == core::NetworkOp::dense) return {step.m, step.n, step.k};
    return {w.out_height * w.out_width, w.out_channels, w.channels * w.kernel_h * w.kernel_w};
}

// Number k of what pixel multiplies with the weights.
struct Gather {
    std::uint32_t channel, ky, kx;
    __device__ Gather(const core::NetworkStep& step, std::uint32_t k) : channel(k), ky(0), kx(0) {
        if (step.op == core::NetworkOp::dense) return;
        const std::uint32_t taps = step.window.kernel_h * step.window.kernel_w;
        channel = k / taps;
        ky = k % taps / step.window.kernel_w;
        kx = k % taps % step.window.kernel_w;
    }
    __device__ float operator()(const core::NetworkStep& step, const Resolved& a, std::uint32_t row,
                                std::uint32_t pixel) const {
        if (step.op == core::NetworkOp::dense) return a.single(row, pixel * step.k + channel);
        const core::NetworkWindow& w = step.window;
        const auto y = static_cast<std::int32_t>(pixel / w.out_width * w.stride_h + ky * w.dilation_h) - w.pad_top;
        const auto x = static_cast<std::int32_t>(pixel % w.out_width * w.stride_w + kx * w.dilation_w) - w.pad_left;
        if (y < 0 || y >= static_cast<std::int32_t>(w.height) || x < 0 || x >= static_cast<std::int32_t>(w.width))
            return 0.0f;
        return a.single(row,
                        (channel * w.height + static_cast<std::uint32_t>(y)) * w.width + static_cast<std::uint32_t>(x));
    }
};

__global__ void __launch_bounds__(kThreads) plain_kernel(const __grid_constant__ StepArgs args) {
    __shared__ float left[kDepth][kTile + 4], right[kDepth][kTile];
    const Resolved a(args.a), residual(args.residual), out(args.output);
    if (out.data == nullptr) return;
    const core::NetworkStep& step = args.step;
    const PlainShape shape = shape_of(step);
    const auto* weights = static_cast<const float*>(args.weights);
    const std::uint64_t count = static_cast<std::uint64_t>(row_count(args.rows)) * shape.pixels;
    const std::uint32_t wide = (shape.columns + kTile - 1) / kTile;
    const std::uint64_t work = (count + kTile - 1) / kTile * wide;
    const std::uint32_t across = threadIdx.x % 16 * 4, down = threadIdx.x / 16 * 4;
    for (std::uint64_t tile = blockIdx.x; tile < work; tile += gridDim.x) {
        const std::uint64_t first_pixel = tile / wide * kTile;
        const std::uint32_t first_column = static_cast<std::uint32_t>(tile % wide) * kTile;
        float sums[4][4] = {};
        for (std::uint32_t first = 0; first < shape.depth; first += kDepth) {
            const std::uint32_t k = first + threadIdx.x % kDepth;
            const Gather gather(step, k);
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < 4; ++i) {
                const std::uint32_t at = threadIdx.x / kDepth + 16 * i;
                const std::uint64_t m = first_pixel + at;
                left[threadIdx.x % kDepth][at] = k < shape.depth && m < count
                                                     ? gather(step, a, static_cast<std::uint32_t>(m / shape.pixels),
                                                              static_cast<std::uint32_t>(m % shape.pixels))
                                                     : 0.0f;
            }
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < 4; ++i) {
                const std::uint32_t depth = threadIdx.x / kTile + 4 * i, n = first_column + threadIdx.x % kTile;
                right[depth][threadIdx.x % kTile] =
                    first + depth < shape.depth && n < shape.columns
                        ? weights[static_cast<std::size_t>(first + depth) * shape.columns + n]
                        : 0.0f;
            }
            __syncthreads();
            AUGUR_UNROLL
            for (std::uint32_t depth = 0; depth < kDepth; ++depth) {
                const float4 l = *reinterpret_cast<const float4*>(&left[depth][down]);
                const float4 r = *reinterpret_cast<const float4*>(&right[depth][across]);
                const float ls[4] = {l.x, l.y, l.z, l.w}, rs[4] = {r.x, r.y, r.z, r.w};
                AUGUR_UNROLL
                for (int i = 0; i < 4; ++i) {
                    AUGUR_UNROLL
                    for (int j = 0; j < 4; ++j)
                        sums[i][j] = fmaf(ls[i], rs[j], sums[i][j]);
                }
            }
            __syncthreads();
        }
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::uint64_t m = first_pixel + down + i;
            if (m >= count) continue;
            const auto row = static_cast<std::uint32_t>(m / shape.pixels);
            const auto pixel = static_cast<std::uint32_t>(m % shape.pixels);
            AUGUR_UNROLL
            for (std::uint32_t j = 0; j < 4; ++j) {
                const std::uint32_t n = first_column + across + j;
                if (n >= shape.columns) continue;
                const std::uint32_t element =
                    step.op == core::NetworkOp::dense ? pixel * shape.columns + n : n * shape.pixels + pixel;
                float sum = sums[i][j] + args.bias[n];
                if (step.residual != core::kNoTensor) sum = sum + residual.single(row, element);
                out.store(out.place(row, element), activated(step.activation, step.alpha, step.beta, sum));
            }
        }
        // Padding of the channels.
        if (args.output.stored_channels == 0 || first_column + kTile < shape.columns) continue;
        const std::uint32_t padding = args.output.stored_channels - shape.columns;
        for (std::uint32_t i = threadIdx.x; i < padding * kTile; i += kThreads) {
            const std::uint64_t m = first_pixel + i / padding;
            if (m >= count) continue;
            const std::size_t at = static_cast<std::size_t>(m / shape.pixels) * args.output.row_elements +
                                   static_cast<std::size_t>(m % shape.pixels) * args.output.stored_channels +
                                   shape.columns + i % padding;
            out.store(at, 0.0f);
        }
    }
}

}  // namespace

void add_plain(GraphChain& chain, const StepArgs& args, Machine machine) {
    const PlainShape shape = shape_of(args.step);
    const std::uint64_t work =
        (std::uint64_t{args.rows.capacity} * shape.pixels + kTile - 1) / kTile * ((shape.columns + kTile - 1) / kTile);
    const auto blocks = std::clamp<std::uint64_t>(work, 1, std::uint64_t{machine.multiprocessors} * 8);
    chain.add(plain_kernel, static_cast<unsigned>(blocks), kThreads, args);
}

}  // namespace augur::cuda
