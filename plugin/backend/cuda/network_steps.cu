// Steps without matrix units: one thread, or one warp, for an output or a line of them.
#include <algorithm>

#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_operand.cuh"
#include "core/network_int8.h"

namespace augur::cuda {
namespace {

using core::NetworkOp;

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::uint64_t items, Machine machine) {
    const std::uint64_t wanted = (items + kThreads - 1) / kThreads;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, std::uint64_t{machine.multiprocessors} * 8));
}

// Calls f(row, item) for this thread's share of rows * each items, in the order of memory.
template <class F>
__device__ __forceinline__ void for_each(const RowCount& rows, std::uint32_t each, F f) {
    const std::uint64_t total = static_cast<std::uint64_t>(row_count(rows)) * each;
    const std::uint32_t stride = gridDim.x * blockDim.x;
    if (total < 0x80000000u) {
        for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride)
            f(i / each, i % each);
    } else {
        for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride)
            f(static_cast<std::uint32_t>(i / each), static_cast<std::uint32_t>(i % each));
    }
}

// Calls f(row, element, place in the output) for every element of the output, and writes zeros where there is padding.
template <class F>
__device__ __forceinline__ void for_each_output(const StepArgs& args, const Resolved& out, F f) {
    const Operand& to = args.output;
    if (out.data == nullptr) return;
    for_each(args.rows, to.row_elements, [&](std::uint32_t row, std::uint32_t item) {
        const std::size_t at = static_cast<std::size_t>(row) * to.row_elements + item;
        if (to.stored_channels == 0) return f(row, item, at);
        const std::uint32_t channel = item % to.stored_channels;
        const std::uint32_t element = channel * to.plane + item / to.stored_channels;
        if (element < to.count) return f(row, element, at);
        if (to.form == Form::integer)
            out.store(at, static_cast<std::int8_t>(0));
        else
            out.store(at, 0.0f);
    });
}

__device__ __forceinline__ bool is_integer(const StepArgs& args) {
    return args.is_int8 && args.quantised.kind == core::QuantisedKind::integer;
}

__device__ __forceinline__ void finish(const StepArgs& args, const Resolved& out, std::size_t at, float x) {
    out.store(at, activated(args.step.activation, args.step.alpha, args.step.beta, x));
}
__device__ __forceinline__ void finish_integer(const StepArgs& args, const Resolved& out, std::size_t at,
                                               std::int32_t y) {
    out.store(at, core::quantised_result(args.view, args.quantised, y));
}

__global__ void __launch_bounds__(kThreads) unary_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), out(args.output);
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        if (is_integer(args))
            finish_integer(args, out, at, a.integer(row, i));
        else
            finish(args, out, at, a.single(row, i));
    });
}

// As core::combine, with the power as a call of its own.
static __device__ __noinline__ float power_of(float x, float y) {
    return core::power(x, y);
}

__global__ void __launch_bounds__(kThreads) binary_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), b(args.b), out(args.output);
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        const core::BinaryPlace place = core::binary_place(args.shape, args.step, i);
        if (is_integer(args)) {
            finish_integer(args, out, at,
                           core::quantised_combine(args.step.binary, args.quantised, a.integer(row, place.a),
                                                   b.integer(row, place.b)));
            return;
        }
        const float x = a.single(row, place.a), y = b.single(row, place.b);
        finish(args, out, at,
               args.step.binary == core::BinaryOp::power ? power_of(x, y) : core::combine(args.step.binary, x, y));
    });
}

// Calls f(place in the input) for the taps of output i that lie in the input, by kernel row, then kernel column.
template <class F>
__device__ __forceinline__ void for_each_tap(const core::NetworkWindow& w, std::uint32_t i, F f) {
    const std::uint32_t x = i % w.out_width;
    const std::uint32_t y = i / w.out_width % w.out_height;
    const std::uint32_t plane = i / w.out_width / w.out_height * w.height * w.width;
    for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
        const auto from_y = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
        if (from_y < 0 || from_y >= static_cast<std::int32_t>(w.height)) continue;
        for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
            const auto from_x = static_cast<std::int32_t>(x * w.stride_w + kx * w.dilation_w) - w.pad_left;
            if (from_x < 0 || from_x >= static_cast<std::int32_t>(w.width)) continue;
            f(plane + static_cast<std::uint32_t>(from_y) * w.width + static_cast<std::uint32_t>(from_x));
        }
    }
}

__global__ void __launch_bounds__(kThreads) pool_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), out(args.output);
    const core::NetworkWindow& w = args.step.window;
    const bool is_max = args.step.op == NetworkOp::max_pool;
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        const std::uint32_t x = i % w.out_width, y = i / w.out_width % w.out_height;
        if (is_integer(args)) {
            std::int32_t result = is_max ? -128 : 0;
            for_each_tap(w, i, [&](std::uint32_t from) {
                const std::int32_t q = a.integer(row, from);
                result = is_max ? (q > result ? q : result) : result + q;
            });
            if (!is_max)
                result = core::rescale(result,
                                       args.view.rescales[args.quantised.rescales + core::pool_divisor(w, y, x) - 1]);
            finish_integer(args, out, at, result);
            return;
        }
        float result = is_max ? -std::numeric_limits<float>::infinity() : 0.0f;
        for_each_tap(w, i, [&](std::uint32_t from) {
            const float value = a.single(row, from);
            result = is_max ? core::pool_maximum(result, value) : result + value;
        });
        finish(args, out, at, is_max ? result : result / static_cast<float>(core::pool_divisor(w, y, x)));
    });
}

// Max pool of halves with channels last, eight channels a thread.
__global__ void __launch_bounds__(kThreads) max_pool_kernel(const __grid_constant__ StepArgs args) {
    const core::NetworkWindow& w = args.step.window;
    const auto* in = resolve<const uint4>(args.a.at);
    auto* out = resolve<uint4>(args.output.at);
    const std::uint32_t eights = args.output.stored_channels / 8;
    for_each(args.rows, args.output.row_elements / 8, [&](std::uint32_t row, std::uint32_t item) {
        const std::uint32_t eight = item % eights, pixel = item / eights;
        const uint4* from = in + static_cast<std::size_t>(row) * (args.a.row_elements / 8) + eight;
        __half2 best[4];
        AUGUR_UNROLL
        for (int i = 0; i < 4; ++i)
            best[i] = __half2half2(__ushort_as_half(0xfc00));  // -infinity
        for_each_tap(w, pixel, [&](std::uint32_t at) {
            const uint4 words = __ldg(from + static_cast<std::size_t>(at) * eights);
            const auto* numbers = reinterpret_cast<const __half2*>(&words);
            AUGUR_UNROLL
            for (int i = 0; i < 4; ++i)
                best[i] = __hmax2_nan(best[i], numbers[i]);
        });
        if (args.step.activation != core::Activation::none) {
            AUGUR_UNROLL
            for (int i = 0; i < 4; ++i) {
                const float2 pair = __half22float2(best[i]);
                best[i] = __floats2half2_rn(activated(args.step.activation, args.step.alpha, args.step.beta, pair.x),
                                            activated(args.step.activation, args.step.alpha, args.step.beta, pair.y));
            }
        }
        out[static_cast<std::size_t>(row) * (args.output.row_elements / 8) + item] =
            *reinterpret_cast<const uint4*>(best);
    });
}

bool pools_eights(const StepArgs& args) {
    const auto in_eights = [](const Operand& of) {
        return of.form == Form::half && of.stored_channels != 0 && of.stored_channels % 8 == 0;
    };
    return args.step.op == NetworkOp::max_pool && in_eights(args.a) && in_eights(args.output) &&
           args.a.stored_channels == args.output.stored_channels;
}

__global__ void __launch_bounds__(kThreads) mean_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), out(args.output);
    const core::NetworkAxis& axis = args.step.axis;
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        const std::uint32_t first = i / axis.inner * axis.n * axis.inner + i % axis.inner;
        // Eight numbers are under way at a time.
        constexpr std::uint32_t kAhead = 8;
        if (is_integer(args)) {
            std::int32_t sum = 0;
            for (std::uint32_t n = 0; n < axis.n; n += kAhead) {
                AUGUR_UNROLL
                for (std::uint32_t i = 0; i < kAhead; ++i)
                    sum += n + i < axis.n ? a.integer(row, first + (n + i) * axis.inner) : 0;
            }
            finish_integer(args, out, at, core::rescale(sum, args.view.rescales[args.quantised.rescales]));
            return;
        }
        float sum = 0.0f;
        for (std::uint32_t n = 0; n < axis.n; n += kAhead) {
            float numbers[kAhead];
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < kAhead; ++i)
                numbers[i] = n + i < axis.n ? a.single(row, first + (n + i) * axis.inner) : 0.0f;
            AUGUR_UNROLL
            for (std::uint32_t i = 0; i < kAhead; ++i)
                sum = n + i < axis.n ? sum + numbers[i] : sum;
        }
        finish(args, out, at, sum / static_cast<float>(axis.n));
    });
}

// Mean over the planes of halves with channels last: a warp for eight channels, its lanes along the plane.
__global__ void __launch_bounds__(kThreads) plane_mean_kernel(const __grid_constant__ StepArgs args) {
    const Resolved out(args.output);
    if (out.data == nullptr) return;
    const auto* in = resolve<const uint4>(args.a.at);
    const std::uint32_t eights = args.a.stored_channels / 8, lane = threadIdx.x % 32, plane = args.a.plane;
    const std::uint64_t items = static_cast<std::uint64_t>(row_count(args.rows)) * eights;
    for (std::uint64_t item = (blockIdx.x * blockDim.x + threadIdx.x) / 32; item < items;
         item += gridDim.x * blockDim.x / 32) {
        const auto row = static_cast<std::uint32_t>(item / eights), eight = static_cast<std::uint32_t>(item % eights);
        const uint4* from = in + static_cast<std::size_t>(row) * plane * eights + eight;
        float sums[8] = {};
        for (std::uint32_t p = lane; p < plane; p += 32) {
            const uint4 words = __ldg(from + static_cast<std::size_t>(p) * eights);
            const auto* pairs = reinterpret_cast<const __half2*>(&words);
            AUGUR_UNROLL
            for (int i = 0; i < 4; ++i) {
                const float2 pair = __half22float2(pairs[i]);
                sums[2 * i] += pair.x;
                sums[2 * i + 1] += pair.y;
            }
        }
        AUGUR_UNROLL
        for (int i = 0; i < 8; ++i) {
            AUGUR_UNROLL
            for (int offset = 16; offset > 0; offset /= 2)
                sums[i] += __shfl_xor_sync(0xffffffffu, sums[i], offset);
        }
        float mine = sums[0];
        AUGUR_UNROLL
        for (std::uint32_t i = 1; i < 8; ++i)
            mine = lane == i ? sums[i] : mine;
        const std::uint32_t channel = 8 * eight + lane;
        if (lane < 8 && channel < args.output.count)
            finish(args, out, out.place(row, channel), mine / static_cast<float>(plane));
    }
}

bool means_planes(const StepArgs& args) {
    const core::NetworkAxis& axis = args.step.axis;
    return !args.is_int8 && args.a.form == Form::half && args.a.stored_channels != 0 && axis.inner == 1 &&
           axis.n == args.a.plane && args.a.at.data != nullptr;
}

__global__ void __launch_bounds__(kThreads) matmul_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), b(args.b), out(args.output);
    const core::NetworkStep& step = args.step;
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        const std::uint32_t n = i % step.n, m = i / step.n % step.m, g = i / step.n / step.m;
        const std::uint32_t left = (g * step.group_a * step.m + m) * step.k;
        const std::uint32_t right = g * step.group_b * step.k * step.n + n;
        float sum = 0.0f;
        for (std::uint32_t k = 0; k < step.k; ++k)
            sum = sum + a.single(row, left + k) * b.single(row, right + k * step.n);
        finish(args, out, at, sum);
    });
}

__global__ void __launch_bounds__(kThreads)
    rearrange_kernel(const __grid_constant__ StepArgs args, std::uint32_t count) {
    const Resolved a(args.a), out(args.output);
    if (out.data == nullptr) return;
    for_each(args.rows, count, [&](std::uint32_t row, std::uint32_t i) {
        const std::int32_t from = args.map[i];
        const std::size_t at = out.place(row, args.step.part_first + i);
        if (!is_integer(args))
            finish(args, out, at, from < 0 ? args.step.fill : a.single(row, static_cast<std::uint32_t>(from)));
        else if (from < 0)
            out.store(at, static_cast<std::int8_t>(args.quantised.fill));
        else
            finish_integer(args, out, at, a.integer(row, static_cast<std::uint32_t>(from)));
    });
}

// A sum over the warp's numbers from the first lane to the last, on top of `sum`; numbers past count are left out. All
// lanes get it.
__device__ __forceinline__ float ordered_sum(float sum, float mine, std::uint32_t count) {
    for (std::uint32_t lane = 0; lane < (count < 32 ? count : 32); ++lane)
        sum = sum + __shfl_sync(0xffffffffu, mine, static_cast<int>(lane));
    return sum;
}

// A warp for a line; sums in the order of core::softmax_line.
__global__ void __launch_bounds__(kThreads) softmax_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), out(args.output);
    if (out.data == nullptr) return;
    const core::NetworkAxis& axis = args.step.axis;
    const bool logarithm = args.step.op == NetworkOp::log_softmax;
    const std::uint32_t lane = threadIdx.x % 32, each = axis.outer * axis.inner;
    const std::uint64_t lines = static_cast<std::uint64_t>(row_count(args.rows)) * each;
    for (std::uint64_t line = (blockIdx.x * blockDim.x + threadIdx.x) / 32; line < lines;
         line += gridDim.x * blockDim.x / 32) {
        const auto row = static_cast<std::uint32_t>(line / each);
        const auto of_row = static_cast<std::uint32_t>(line % each);
        const std::uint32_t first = of_row / axis.inner * axis.n * axis.inner + of_row % axis.inner;
        const auto in = [&](std::uint32_t i) { return a.single(row, first + i * axis.inner); };
        // The greatest, NaN where there is one: the order makes no difference.
        float best = -std::numeric_limits<float>::infinity();
        for (std::uint32_t i = lane; i < axis.n; i += 32)
            best = core::pool_maximum(best, in(i));
        for (int offset = 16; offset > 0; offset /= 2)
            best = core::pool_maximum(best, __shfl_xor_sync(0xffffffffu, best, offset));
        float sum = 0.0f;
        for (std::uint32_t i = 0; i < axis.n; i += 32) {
            const float e = i + lane < axis.n ? core::exponential(in(i + lane) - best) : 0.0f;
            sum = ordered_sum(sum, e, axis.n - i);
        }
        const float shift = logarithm ? core::natural_log(sum) : 0.0f;
        for (std::uint32_t i = lane; i < axis.n; i += 32) {
            const float x = in(i);
            const float y = logarithm ? x - best - shift : core::exponential(x - best) / sum;
            finish(args, out, out.place(row, first + i * axis.inner), y);
        }
    }
}

// A warp for a line; sums in the order of core::layer_norm_line.
__global__ void __launch_bounds__(kThreads) norm_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), out(args.output);
    if (out.data == nullptr) return;
    const core::NetworkAxis& axis = args.step.axis;
    const auto* weights = static_cast<const float*>(args.weights);
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint64_t lines = static_cast<std::uint64_t>(row_count(args.rows)) * axis.outer;
    for (std::uint64_t line = (blockIdx.x * blockDim.x + threadIdx.x) / 32; line < lines;
         line += gridDim.x * blockDim.x / 32) {
        const auto row = static_cast<std::uint32_t>(line / axis.outer);
        const std::uint32_t first = static_cast<std::uint32_t>(line % axis.outer) * axis.n;
        const auto in = [&](std::uint32_t i) { return i < axis.n ? a.single(row, first + i) : 0.0f; };
        float sum = 0.0f;
        for (std::uint32_t i = 0; i < axis.n; i += 32)
            sum = ordered_sum(sum, in(i + lane), axis.n - i);
        const float mean = sum / static_cast<float>(axis.n);
        float squares = 0.0f;
        for (std::uint32_t i = 0; i < axis.n; i += 32) {
            const float x = in(i + lane) - mean;
            squares = ordered_sum(squares, x * x, axis.n - i);
        }
        const float deviation = core::square_root(squares / static_cast<float>(axis.n) + args.step.epsilon);
        for (std::uint32_t i = lane; i < axis.n; i += 32) {
            float y = (in(i)-mean) / deviation;
            if (weights != nullptr) y = y * weights[i];
            if (args.bias != nullptr) y = y + args.bias[i];
            finish(args, out, out.place(row, first + i), y);
        }
    }
}

// Calls f(element of the input, weight) for every product of output i; returns the output's channel.
template <class F>
__device__ __forceinline__ std::uint32_t for_each_product(const core::NetworkStep& step, std::uint32_t i, F f) {
    if (step.op == NetworkOp::dense) {
        const std::uint32_t n = i % step.n, first = i / step.n * step.k;
        for (std::uint32_t k = 0; k < step.k; ++k)
            f(first + k, static_cast<std::size_t>(k) * step.n + n);
        return n;
    }
    const core::NetworkWindow& w = step.window;
    const std::uint32_t channel = i / w.out_width / w.out_height;
    const std::uint32_t in_group = w.channels / w.groups;
    const std::uint32_t first = channel / (w.out_channels / w.groups) * in_group;
    const std::uint32_t x = i % w.out_width, y = i / w.out_width % w.out_height;
    for (std::uint32_t c = 0; c < in_group; ++c) {
        std::size_t weight = (static_cast<std::size_t>(channel) * in_group + c) * w.kernel_h * w.kernel_w;
        for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
            const auto from_y = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
            for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx, ++weight) {
                const auto from_x = static_cast<std::int32_t>(x * w.stride_w + kx * w.dilation_w) - w.pad_left;
                if (from_y < 0 || from_y >= static_cast<std::int32_t>(w.height)) continue;
                if (from_x < 0 || from_x >= static_cast<std::int32_t>(w.width)) continue;
                f(((first + c) * w.height + static_cast<std::uint32_t>(from_y)) * w.width +
                      static_cast<std::uint32_t>(from_x),
                  weight);
            }
        }
    }
    return channel;
}

__global__ void __launch_bounds__(kThreads) direct_kernel(const __grid_constant__ StepArgs args) {
    const Resolved a(args.a), residual(args.residual), out(args.output);
    const bool has_residual = args.step.residual != core::kNoTensor;
    for_each_output(args, out, [&](std::uint32_t row, std::uint32_t i, std::size_t at) {
        if (!args.is_int8) {
            const auto* weights = static_cast<const float*>(args.weights);
            float sum = 0.0f;
            const std::uint32_t channel = for_each_product(args.step, i, [&](std::uint32_t from, std::size_t weight) {
                sum = fmaf(a.single(row, from), weights[weight], sum);
            });
            if (args.bias != nullptr) sum = sum + args.bias[channel];
            if (has_residual) sum = sum + residual.single(row, i);
            return finish(args, out, at, sum);
        }
        const auto* weights = static_cast<const std::int8_t*>(args.weights);
        std::int32_t sum = 0;
        const std::uint32_t channel = for_each_product(args.step, i, [&](std::uint32_t from, std::size_t weight) {
            sum += a.integer(row, from) * weights[weight];
        });
        sum += args.view.biases[args.quantised.bias + channel];
        if (args.quantised.kind == core::QuantisedKind::result) {
            float y = core::dequantise(sum, args.view.scales[args.quantised.scales + channel]);
            if (has_residual) y = y + residual.single(row, i);
            return finish(args, out, at, y);
        }
        std::int32_t y = core::rescale(sum, args.view.rescales[args.quantised.rescales + channel]);
        if (has_residual) y = core::drop_spare_bits(y + core::rescale(residual.integer(row, i), args.quantised.b));
        finish_integer(args, out, at, y);
    });
}

__device__ __forceinline__ void convert_one(const Resolved& from, const Resolved& to, std::uint32_t row,
                                            std::uint32_t element, std::size_t at) {
    if (to.operand.form == Form::integer)
        to.store(at, static_cast<std::int8_t>(from.integer(row, element)));
    else
        to.store(at, from.single(row, element));
}

// Threads go along the pixels of the input, which lie side by side there, and then along its channels.
__global__ void __launch_bounds__(kThreads)
    convert_kernel(const __grid_constant__ Operand from_operand, const __grid_constant__ Operand to_operand,
                   bool from_rows, RowCount rows) {
    const Resolved from(from_operand), to(to_operand);
    const std::uint32_t plane = to_operand.plane, stored = to_operand.stored_channels;
    const std::uint32_t channels = stored == 0 ? 0 : to_operand.count / plane;
    for_each(rows, to_operand.row_elements, [&](std::uint32_t row, std::uint32_t item) {
        const std::size_t base = static_cast<std::size_t>(row) * to_operand.row_elements;
        if (stored == 0) return convert_one(from, to, row, item, base + item);
        const std::uint32_t pixel = from_rows ? item / stored : item % plane;
        const std::uint32_t channel = from_rows ? item % stored : item / plane;
        const std::size_t at = base + static_cast<std::size_t>(pixel) * stored + channel;
        if (channel < channels)
            convert_one(from, to, row, from_rows ? pixel * channels + channel : channel * plane + pixel, at);
        else if (to_operand.form == Form::integer)
            to.store(at, static_cast<std::int8_t>(0));
        else
            to.store(at, 0.0f);
    });
}

// From the order of ONNX to halves with channels last, eight channels a thread; threads go along the pixels.
__global__ void __launch_bounds__(kThreads)
    convert_eights_kernel(const __grid_constant__ Operand from_operand, const __grid_constant__ Operand to_operand,
                          RowCount rows) {
    const Resolved from(from_operand);
    auto* to = resolve<uint4>(to_operand.at);
    const std::uint32_t plane = to_operand.plane, eights = to_operand.stored_channels / 8;
    const std::uint32_t channels = to_operand.count / plane;
    for_each(rows, plane * eights, [&](std::uint32_t row, std::uint32_t item) {
        const std::uint32_t pixel = item % plane, eight = item / plane;
        __half2 pairs[4];
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::uint32_t channel = 8 * eight + 2 * i;
            const float x = channel < channels ? from.single(row, channel * plane + pixel) : 0.0f;
            const float y = channel + 1 < channels ? from.single(row, (channel + 1) * plane + pixel) : 0.0f;
            pairs[i] = __floats2half2_rn(x, y);
        }
        to[(static_cast<std::size_t>(row) * plane + pixel) * eights + eight] = *reinterpret_cast<const uint4*>(pairs);
    });
}

// Eight numbers a thread, written at once; threads go along the pixels.
__global__ void __launch_bounds__(kThreads)
    fold_kernel(const __grid_constant__ Operand from_operand, const __grid_constant__ Operand to_operand,
                const __grid_constant__ core::NetworkWindow w, RowCount rows) {
    const Resolved from(from_operand);
    auto* to = resolve<unsigned char>(to_operand.at);
    const bool integers = to_operand.form == Form::integer;
    const std::uint32_t plane = to_operand.plane, eights = to_operand.stored_channels / 8;
    for_each(rows, plane * eights, [&](std::uint32_t row, std::uint32_t item) {
        const std::uint32_t pixel = item % plane, eight = item / plane;
        const std::uint32_t y = pixel / w.out_width, x = pixel % w.out_width;
        std::uint32_t halves[4] = {}, bytes[2] = {};
        AUGUR_UNROLL
        for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t column = (8 * eight + i) / w.channels, channel = (8 * eight + i) % w.channels;
            const auto from_x = static_cast<std::int32_t>(x * w.stride_w + column * w.dilation_w) - w.pad_left;
            if (column >= w.kernel_w || from_x < 0 || from_x >= static_cast<std::int32_t>(w.width)) continue;
            const std::uint32_t element = (channel * w.height + y) * w.width + static_cast<std::uint32_t>(from_x);
            if (integers)
                bytes[i / 4] |= (static_cast<std::uint32_t>(from.integer(row, element)) & 0xffu) << (8 * (i % 4));
            else
                halves[i / 2] |=
                    static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(from.single(row, element))))
                    << (16 * (i % 2));
        }
        const std::size_t at = (static_cast<std::size_t>(row) * plane + pixel) * eights + eight;
        if (integers)
            reinterpret_cast<uint2*>(to)[at] = make_uint2(bytes[0], bytes[1]);
        else
            reinterpret_cast<uint4*>(to)[at] = make_uint4(halves[0], halves[1], halves[2], halves[3]);
    });
}

__global__ void __launch_bounds__(kThreads) give_kernel(const __grid_constant__ Operand from_operand,
                                                        const __grid_constant__ Operand to_operand, RowCount rows) {
    const Resolved from(from_operand), to(to_operand);
    if (to.data == nullptr) return;
    for_each(rows, to_operand.count, [&](std::uint32_t row, std::uint32_t i) {
        to.store(static_cast<std::size_t>(row) * to_operand.count + i, from.single(row, i));
    });
}

__global__ void clear_kernel(std::uint32_t* counters, std::uint32_t count) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) counters[i] = 0;
}

}  // namespace

void add_element(GraphChain& chain, const StepArgs& args, Machine machine) {
    const std::uint64_t rows = args.rows.capacity;
    const unsigned blocks = blocks_for(rows * args.output.row_elements, machine);
    const core::NetworkAxis& axis = args.step.axis;
    switch (args.step.op) {
        case NetworkOp::matmul:
            return chain.add(matmul_kernel, blocks, kThreads, args);
        case NetworkOp::max_pool:
        case NetworkOp::average_pool:
            if (pools_eights(args))
                return chain.add(max_pool_kernel, blocks_for(rows * args.output.row_elements / 8, machine), kThreads,
                                 args);
            return chain.add(pool_kernel, blocks, kThreads, args);
        case NetworkOp::binary:
            return chain.add(binary_kernel, blocks, kThreads, args);
        case NetworkOp::softmax:
        case NetworkOp::log_softmax:
            return chain.add(softmax_kernel, blocks_for(rows * axis.outer * axis.inner * 32, machine), kThreads, args);
        case NetworkOp::layer_norm:
            return chain.add(norm_kernel, blocks_for(rows * axis.outer * 32, machine), kThreads, args);
        case NetworkOp::reduce_mean:
            if (means_planes(args))
                return chain.add(plane_mean_kernel, blocks_for(rows * args.a.stored_channels / 8 * 32, machine),
                                 kThreads, args);
            return chain.add(mean_kernel, blocks, kThreads, args);
        case NetworkOp::rearrange: {
            const std::uint32_t count = core::rearranged_count(args.shape, args.step);
            return chain.add(rearrange_kernel, blocks_for(rows * count, machine), kThreads, args, count);
        }
        default:
            return chain.add(unary_kernel, blocks, kThreads, args);
    }
}

void add_direct(GraphChain& chain, const StepArgs& args, Machine machine) {
    chain.add(direct_kernel, blocks_for(std::uint64_t{args.rows.capacity} * args.output.row_elements, machine),
              kThreads, args);
}

void add_convert(GraphChain& chain, const Operand& from, const Operand& to, bool from_rows, RowCount rows,
                 Machine machine) {
    if (!from_rows && to.form == Form::half && to.stored_channels != 0 && to.stored_channels % 8 == 0)
        return chain.add(convert_eights_kernel, blocks_for(std::uint64_t{rows.capacity} * to.row_elements / 8, machine),
                         kThreads, from, to, rows);
    chain.add(convert_kernel, blocks_for(std::uint64_t{rows.capacity} * to.row_elements, machine), kThreads, from, to,
              from_rows, rows);
}

void add_fold(GraphChain& chain, const Operand& from, const Operand& to, const core::NetworkWindow& window,
              RowCount rows, Machine machine) {
    chain.add(fold_kernel, blocks_for(std::uint64_t{rows.capacity} * to.row_elements / 8, machine), kThreads, from, to,
              window, rows);
}

void add_give(GraphChain& chain, const Operand& from, const Operand& to, RowCount rows, Machine machine) {
    chain.add(give_kernel, blocks_for(std::uint64_t{rows.capacity} * to.count, machine), kThreads, from, to, rows);
}

void add_clear(GraphChain& chain, std::uint32_t* counters, std::uint32_t count) {
    chain.add(clear_kernel, (count + kThreads - 1) / kThreads, kThreads, counters, count);
}

}  // namespace augur::cuda
