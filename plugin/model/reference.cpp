#include "model/reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/half.h"
#include "core/network_math.h"
#include "model/reference_int8.h"

namespace augur::model {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkTensor;
using core::NetworkView;
using core::NetworkWindow;

// The tensors of one row, each in an array of its own.
class Row {
  public:
    // half: null, or what to round.
    Row(const NetworkView& net, const core::HalfView* half) : net_(net), half_(half), values_(net.tensor_count) {
        for (std::uint32_t t = 0; t < net.tensor_count; ++t) {
            const NetworkTensor& tensor = net.tensors[t];
            if (tensor.constant != 0)
                values_[t].assign(net.weights + tensor.offset, net.weights + tensor.offset + tensor.count);
            else
                values_[t].assign(tensor.count, 0.0f);
        }
    }

    std::vector<float>& values(std::uint32_t tensor) { return values_[tensor]; }
    const std::vector<float>& before() const { return before_; }  // the last step's result without its activation

    void set_input(std::uint32_t tensor, const float* from) {
        for (float& x : values_[tensor])
            x = rounds(tensor) ? core::round_to_half(*from++) : *from++;
    }

    void run(const NetworkStep& step) {
        before_.assign(values_[step.output].size(), 0.0f);
        switch (step.op) {
            case NetworkOp::dense:
                return dense(step);
            case NetworkOp::matmul:
                return matmul(step);
            case NetworkOp::conv:
                return conv(step);
            case NetworkOp::max_pool:
            case NetworkOp::average_pool:
                return pool(step);
            case NetworkOp::binary:
                return binary(step);
            case NetworkOp::unary:
                return each(step, [&](std::uint32_t i) { return double{a(step)[i]}; });
            case NetworkOp::softmax:
            case NetworkOp::log_softmax:
                return softmax(step);
            case NetworkOp::layer_norm:
                return layer_norm(step);
            case NetworkOp::reduce_mean:
                return reduce_mean(step);
            case NetworkOp::rearrange:
                return rearrange(step);
        }
    }

  private:
    const std::vector<float>& a(const NetworkStep& step) const { return values_[step.inputs[0]]; }
    const std::vector<float>& b(const NetworkStep& step) const { return values_[step.inputs[1]]; }
    bool rounds(std::uint32_t tensor) const { return half_ != nullptr && half_->single_tensors[tensor] == 0; }
    double weight(const NetworkStep& step, std::size_t i) const {
        const std::size_t at = step.weights + i;
        const bool has_half = step.op == NetworkOp::dense || step.op == NetworkOp::conv;
        return double{has_half && rounds(step.output) ? core::float_of_half(half_->weights[at]) : net_.weights[at]};
    }
    double bias(const NetworkStep& step, std::size_t i) const {
        return step.bias == core::kNoWeights ? 0.0 : double{net_.weights[step.bias + i]};
    }

    // Element i of the output becomes the activation of result(i).
    template <class F>
    void each(const NetworkStep& step, F result) {
        std::vector<float>& out = values_[step.output];
        for (std::uint32_t i = 0; i < out.size(); ++i)
            finish(step, out, i, result(i));
    }

    void finish(const NetworkStep& step, std::vector<float>& out, std::uint32_t i, double result) {
        const bool can_add = step.op == NetworkOp::dense || step.op == NetworkOp::conv;
        if (can_add && step.residual != core::kNoTensor) result += double{values_[step.residual][i]};
        before_[i] = static_cast<float>(result);
        const float y = core::activate(step.activation, step.alpha, step.beta, before_[i]);
        out[i] = rounds(step.output) ? core::round_to_half(y) : y;
    }

    void dense(const NetworkStep& step) {
        std::vector<double> sums(step.n);
        for (std::size_t m = 0; m < step.m; ++m) {
            for (std::size_t n = 0; n < step.n; ++n)
                sums[n] = bias(step, n);
            for (std::size_t k = 0; k < step.k; ++k)
                for (std::size_t n = 0; n < step.n; ++n)
                    sums[n] += double{a(step)[m * step.k + k]} * weight(step, k * step.n + n);
            for (std::size_t n = 0; n < step.n; ++n)
                finish(step, values_[step.output], static_cast<std::uint32_t>(m * step.n + n), sums[n]);
        }
    }

    void matmul(const NetworkStep& step) {
        each(step, [&](std::uint32_t i) {
            const std::size_t n = i % step.n;
            const std::size_t m = i / step.n % step.m;
            const std::size_t g = i / step.n / step.m;
            double sum = 0.0;
            for (std::size_t k = 0; k < step.k; ++k)
                sum += double{a(step)[(g * step.group_a * step.m + m) * step.k + k]} *
                       double{b(step)[(g * step.group_b * step.k + k) * step.n + n]};
            return sum;
        });
    }

    // Place in [C][H][W] of the input that tap (ky, kx) of output (oy, ox) reads in channel c; negative in the padding.
    static std::int64_t place(const NetworkWindow& w, std::uint32_t c, std::uint32_t oy, std::uint32_t ox,
                              std::uint32_t ky, std::uint32_t kx) {
        const std::int64_t y = row_of(w, oy, ky);
        const std::int64_t x = column_of(w, ox, kx);
        if (y < 0 || y >= w.height || x < 0 || x >= w.width) return -1;
        return (static_cast<std::int64_t>(c) * w.height + y) * w.width + x;
    }
    static std::int64_t row_of(const NetworkWindow& w, std::uint32_t oy, std::uint32_t ky) {
        return static_cast<std::int64_t>(oy) * w.stride_h - w.pad_top + static_cast<std::int64_t>(ky) * w.dilation_h;
    }
    static std::int64_t column_of(const NetworkWindow& w, std::uint32_t ox, std::uint32_t kx) {
        return static_cast<std::int64_t>(ox) * w.stride_w - w.pad_left + static_cast<std::int64_t>(kx) * w.dilation_w;
    }
    // Whether a tap lies in the input or in its declared padding (and not beyond, as with rounded-up output sizes).
    static bool in_padded(const NetworkWindow& w, std::uint32_t oy, std::uint32_t ox, std::uint32_t ky,
                          std::uint32_t kx) {
        return row_of(w, oy, ky) < static_cast<std::int64_t>(w.height) + w.pad_bottom &&
               column_of(w, ox, kx) < static_cast<std::int64_t>(w.width) + w.pad_right;
    }

    // Plane by plane: for every tap all outputs of a channel.
    void conv(const NetworkStep& step) {
        const NetworkWindow& w = step.window;
        const std::uint32_t in_group = w.channels / w.groups;
        const std::uint32_t out_group = w.out_channels / w.groups;
        const std::uint32_t plane = w.out_height * w.out_width;
        std::vector<double> sums(plane);
        for (std::uint32_t o = 0; o < w.out_channels; ++o) {
            std::fill(sums.begin(), sums.end(), bias(step, o));
            for (std::uint32_t c = 0; c < in_group; ++c)
                for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky)
                    for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                        const std::size_t tap =
                            ((static_cast<std::size_t>(o) * in_group + c) * w.kernel_h + ky) * w.kernel_w + kx;
                        add_tap(w, a(step), weight(step, tap), o / out_group * in_group + c, ky, kx, sums);
                    }
            for (std::uint32_t i = 0; i < plane; ++i)
                finish(step, values_[step.output], o * plane + i, sums[i]);
        }
    }

    static void add_tap(const NetworkWindow& w, const std::vector<float>& in, double weight, std::uint32_t channel,
                        std::uint32_t ky, std::uint32_t kx, std::vector<double>& sums) {
        std::uint32_t first = 0;
        std::uint32_t last = w.out_width;
        while (first < last && column_of(w, first, kx) < 0)
            ++first;
        while (last > first && column_of(w, last - 1, kx) >= w.width)
            --last;
        for (std::uint32_t oy = 0; oy < w.out_height && first < last; ++oy) {
            if (row_of(w, oy, ky) < 0 || row_of(w, oy, ky) >= w.height) continue;
            const float* from = in.data() + place(w, channel, oy, first, ky, kx);
            double* to = sums.data() + static_cast<std::size_t>(oy) * w.out_width;
            for (std::uint32_t ox = first; ox < last; ++ox, from += w.stride_w)
                to[ox] += double{*from} * weight;
        }
    }

    void pool(const NetworkStep& step) {
        const NetworkWindow& w = step.window;
        const bool is_max = step.op == NetworkOp::max_pool;
        each(step, [&](std::uint32_t i) {
            const std::uint32_t ox = i % w.out_width;
            const std::uint32_t oy = i / w.out_width % w.out_height;
            const std::uint32_t c = i / w.out_width / w.out_height;
            float best = -std::numeric_limits<float>::infinity();
            double sum = 0.0;
            std::uint32_t taps = 0;
            for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky)
                for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                    const std::int64_t at = place(w, c, oy, ox, ky, kx);
                    if (at >= 0) {
                        const float x = a(step)[static_cast<std::size_t>(at)];
                        best = core::pool_maximum(best, x);
                        sum += double{x};
                    }
                    taps += at >= 0 || (w.count_pad != 0 && in_padded(w, oy, ox, ky, kx)) ? 1 : 0;
                }
            return is_max ? double{best} : sum / taps;
        });
    }

    void binary(const NetworkStep& step) {
        const NetworkTensor& shape = net_.tensors[step.output];
        each(step, [&](std::uint32_t i) {
            const core::BinaryPlace at = core::binary_place(shape, step, i);
            return double{core::combine(step.binary, a(step)[at.a], b(step)[at.b])};
        });
    }

    // Calls line(first element, stride) for every line along the axis.
    template <class F>
    static void lines(const NetworkStep& step, F line) {
        const core::NetworkAxis& axis = step.axis;
        for (std::size_t outer = 0; outer < axis.outer; ++outer)
            for (std::size_t inner = 0; inner < axis.inner; ++inner)
                line(outer * axis.n * axis.inner + inner, outer * axis.inner + inner);
    }

    void softmax(const NetworkStep& step) {
        const std::size_t n = step.axis.n;
        const std::size_t stride = step.axis.inner;
        const bool logarithm = step.op == NetworkOp::log_softmax;
        std::vector<float>& out = values_[step.output];
        lines(step, [&](std::size_t first, std::size_t) {
            float best = a(step)[first];
            for (std::size_t i = 1; i < n; ++i)
                best = core::pool_maximum(best, a(step)[first + i * stride]);
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                sum += double{core::exponential(a(step)[first + i * stride] - best)};
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t at = first + i * stride;
                const float x = a(step)[at] - best;
                const double y = logarithm ? double{x} - double{core::natural_log(static_cast<float>(sum))}
                                           : double{core::exponential(x)} / sum;
                finish(step, out, static_cast<std::uint32_t>(at), y);
            }
        });
    }

    void layer_norm(const NetworkStep& step) {
        const std::size_t n = step.axis.n;
        std::vector<float>& out = values_[step.output];
        for (std::size_t first = 0; first + n <= out.size(); first += n) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                sum += double{a(step)[first + i]};
            const double mean = sum / static_cast<double>(n);
            double squares = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                const double x = double{a(step)[first + i]} - mean;
                squares += x * x;
            }
            const double deviation = std::sqrt(squares / static_cast<double>(n) + double{step.epsilon});
            for (std::size_t i = 0; i < n; ++i) {
                double y = (double{a(step)[first + i]} - mean) / deviation;
                if (step.weights != core::kNoWeights) y *= weight(step, i);
                finish(step, out, static_cast<std::uint32_t>(first + i), y + bias(step, i));
            }
        }
    }

    void reduce_mean(const NetworkStep& step) {
        std::vector<float>& out = values_[step.output];
        lines(step, [&](std::size_t first, std::size_t to) {
            double sum = 0.0;
            for (std::size_t i = 0; i < step.axis.n; ++i)
                sum += double{a(step)[first + i * step.axis.inner]};
            finish(step, out, static_cast<std::uint32_t>(to), sum / step.axis.n);
        });
    }

    void rearrange(const NetworkStep& step) {
        std::vector<float>& out = values_[step.output];
        const std::uint32_t count = core::rearranged_count(net_.tensors[step.output], step);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::int32_t from = net_.maps[step.map + i];
            finish(step, out, step.part_first + i,
                   double{from < 0 ? step.fill : a(step)[static_cast<std::size_t>(from)]});
        }
    }

    const NetworkView& net_;
    const core::HalfView* half_;
    std::vector<std::vector<float>> values_;
    std::vector<float> before_;
};

void run_rows(const NetworkView& net, const core::HalfView* half, const float* const* inputs, float* const* outputs,
              std::uint32_t rows, const Observer& observer) {
    Row row(net, half);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::uint32_t i = 0; i < net.input_count; ++i) {
            const std::uint32_t tensor = net.inputs[i];
            const std::uint32_t count = net.tensors[tensor].count;
            row.set_input(tensor, inputs[i] + r * count);
            const float* values = row.values(tensor).data();
            if (observer) observer({kNoStep, tensor, count, values, values});
        }
        for (std::uint32_t s = 0; s < net.step_count; ++s) {
            row.run(net.steps[s]);
            const std::uint32_t tensor = net.steps[s].output;
            if (observer)
                observer({s, tensor, net.tensors[tensor].count, row.before().data(), row.values(tensor).data()});
        }
        for (std::uint32_t o = 0; o < net.output_count; ++o) {
            const std::vector<float>& values = row.values(net.outputs[o]);
            std::copy(values.begin(), values.end(), outputs[o] + r * values.size());
        }
    }
}

}  // namespace

void run_reference(const core::NetworkView& net, const float* const* inputs, float* const* outputs, std::uint32_t rows,
                   const Observer& observer) {
    run_rows(net, nullptr, inputs, outputs, rows, observer);
}

void run_reference(const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                   std::uint32_t rows) {
    switch (program.precision) {
        case core::Precision::fp32:
            return run_rows(program.network, nullptr, inputs, outputs, rows, {});
        case core::Precision::fp16:
            return run_rows(program.network, &program.half, inputs, outputs, rows, {});
        case core::Precision::int8:
            return run_reference_int8(program, inputs, outputs, rows);
    }
}

}  // namespace augur::model
