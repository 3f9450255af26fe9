#include "model/reference_int8.h"

#include <algorithm>
#include <vector>

#include "core/network_exact.h"

namespace augur::model {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkWindow;
using core::QuantisedKind;
using core::QuantisedStep;

// The tensors of one row, each as int8 or as floats, and read as either.
class Row {
  public:
    explicit Row(const core::NetworkProgram& program)
        : net_(program.network),
          view_(program.quantised),
          integers_(net_.tensor_count),
          floats_(net_.tensor_count),
          read_{} {
        for (std::uint32_t t = 0; t < net_.tensor_count; ++t) {
            const core::NetworkTensor& tensor = net_.tensors[t];
            integers_[t].assign(tensor.count, 0);
            floats_[t].assign(tensor.count, 0.0f);
            if (tensor.constant == 0) continue;
            // Constants are there in both forms.
            std::copy_n(net_.weights + tensor.offset, tensor.count, floats_[t].begin());
            if (view_.tensors[t].single == 0)
                std::copy_n(view_.weights + view_.tensors[t].offset, tensor.count, integers_[t].begin());
        }
    }

    void set_input(std::uint32_t tensor, const float* from) {
        for (std::uint32_t i = 0; i < net_.tensors[tensor].count; ++i) {
            floats_[tensor][i] = from[i];
            integers_[tensor][i] = core::quantise(from[i], view_.tensors[tensor].inverse_scale);
        }
    }

    void run(std::uint32_t s) {
        step_ = &net_.steps[s];
        quantised_ = &view_.steps[s];
        switch (quantised_->kind) {
            case QuantisedKind::integer:
                return integer();
            case QuantisedKind::result: {
                const std::vector<float>* residual = has_residual() ? &single(step_->residual, 1) : nullptr;
                return sums([&](std::uint32_t i, std::uint32_t channel, std::int32_t sum) {
                    float y = core::dequantise(sum, view_.scales[quantised_->scales + channel]);
                    if (residual != nullptr) y = y + (*residual)[i];
                    floats_[step_->output][i] = core::activate(step_->activation, step_->alpha, step_->beta, y);
                });
            }
            case QuantisedKind::single:
                return exact();
        }
    }

    const float* output(std::uint32_t tensor) { return single(tensor, 0).data(); }

  private:
    // A tensor as int8. What is single is quantised.
    const std::vector<std::int8_t>& integer(std::uint32_t tensor) {
        const core::QuantisedTensor& q = view_.tensors[tensor];
        if (q.single != 0 && net_.tensors[tensor].constant == 0)
            for (std::size_t i = 0; i < floats_[tensor].size(); ++i)
                integers_[tensor][i] = core::quantise(floats_[tensor][i], q.inverse_scale);
        return integers_[tensor];
    }

    // A tensor as floats, in place `slot` until the next call with it. What is int8 is dequantised; an input too.
    const std::vector<float>& single(std::uint32_t tensor, int slot) {
        const core::QuantisedTensor& q = view_.tensors[tensor];
        if (q.single != 0 || net_.tensors[tensor].constant != 0) return floats_[tensor];
        std::vector<float>& out = read_[slot];
        out.resize(integers_[tensor].size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = core::dequantise(integers_[tensor][i], q.scale);
        return out;
    }

    bool has_residual() const { return step_->residual != core::kNoTensor; }

    // Calls done(element, channel, sum with bias) for every output of a dense or conv step.
    template <class F>
    void sums(F done) {
        const std::vector<std::int8_t>& in = integer(step_->inputs[0]);
        const std::int8_t* weights = view_.weights + quantised_->weights;
        const std::int32_t* bias = view_.biases + quantised_->bias;
        const std::uint32_t count = net_.tensors[step_->output].count;
        if (step_->op == NetworkOp::dense) {
            for (std::uint32_t i = 0; i < count; ++i) {
                const std::size_t m = i / step_->n;
                const std::size_t n = i % step_->n;
                std::int32_t sum = bias[n];
                for (std::size_t k = 0; k < step_->k; ++k)
                    sum += in[m * step_->k + k] * weights[k * step_->n + n];
                done(i, static_cast<std::uint32_t>(n), sum);
            }
            return;
        }
        const NetworkWindow& w = step_->window;
        const std::uint32_t in_group = w.channels / w.groups;
        const std::uint32_t out_group = w.out_channels / w.groups;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t o = i / w.out_width / w.out_height;
            std::int32_t sum = bias[o];
            for (std::uint32_t c = 0; c < in_group; ++c) {
                const std::size_t plane = static_cast<std::size_t>(o / out_group * in_group + c) * w.height * w.width;
                const std::size_t tap = (static_cast<std::size_t>(o) * in_group + c) * w.kernel_h * w.kernel_w;
                taps(w, i, [&](std::size_t at, std::size_t k) { sum += in[plane + at] * weights[tap + k]; });
            }
            done(i, o, sum);
        }
    }

    // Calls f(place in the plane, number of the tap) for every tap of output i that lies in the input.
    template <class F>
    static void taps(const NetworkWindow& w, std::uint32_t i, F f) {
        const std::uint32_t ox = i % w.out_width;
        const std::uint32_t oy = i / w.out_width % w.out_height;
        for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
            const auto y =
                static_cast<std::int64_t>(oy) * w.stride_h + static_cast<std::int64_t>(ky) * w.dilation_h - w.pad_top;
            if (y < 0 || y >= w.height) continue;
            for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                const auto x = static_cast<std::int64_t>(ox) * w.stride_w +
                               static_cast<std::int64_t>(kx) * w.dilation_w - w.pad_left;
                if (x >= 0 && x < w.width)
                    f(static_cast<std::size_t>(y) * w.width + static_cast<std::size_t>(x),
                      static_cast<std::size_t>(ky) * w.kernel_w + kx);
            }
        }
    }

    void set(std::uint32_t i, std::int32_t y) {
        integers_[step_->output][i] = core::quantised_result(view_, *quantised_, y);
    }
    core::Rescale factor(std::uint32_t i) const { return view_.rescales[quantised_->rescales + i]; }

    void integer() {
        const std::uint32_t count = net_.tensors[step_->output].count;
        switch (step_->op) {
            case NetworkOp::dense:
            case NetworkOp::conv: {
                const std::vector<std::int8_t>* residual = has_residual() ? &integer(step_->residual) : nullptr;
                return sums([&](std::uint32_t i, std::uint32_t channel, std::int32_t sum) {
                    std::int32_t y = core::rescale(sum, factor(channel));
                    if (residual != nullptr)
                        y = core::drop_spare_bits(y + core::rescale((*residual)[i], quantised_->b));
                    set(i, y);
                });
            }
            case NetworkOp::max_pool:
            case NetworkOp::average_pool: {
                const NetworkWindow& w = step_->window;
                const std::vector<std::int8_t>& in = integer(step_->inputs[0]);
                for (std::uint32_t i = 0; i < count; ++i) {
                    const std::size_t plane =
                        static_cast<std::size_t>(i / w.out_width / w.out_height) * w.height * w.width;
                    std::int32_t best = -128;
                    std::int32_t sum = 0;
                    taps(w, i, [&](std::size_t at, std::size_t) {
                        best = std::max<std::int32_t>(best, in[plane + at]);
                        sum += in[plane + at];
                    });
                    const std::uint32_t divisor =
                        core::pool_divisor(w, i / w.out_width % w.out_height, i % w.out_width);
                    set(i, step_->op == NetworkOp::max_pool ? best : core::rescale(sum, factor(divisor - 1)));
                }
                return;
            }
            case NetworkOp::reduce_mean: {
                const core::NetworkAxis& axis = step_->axis;
                const std::vector<std::int8_t>& in = integer(step_->inputs[0]);
                for (std::uint32_t i = 0; i < count; ++i) {
                    std::int32_t sum = 0;
                    for (std::size_t n = 0; n < axis.n; ++n)
                        sum +=
                            in[(static_cast<std::size_t>(i / axis.inner) * axis.n + n) * axis.inner + i % axis.inner];
                    set(i, core::rescale(sum, factor(0)));
                }
                return;
            }
            case NetworkOp::binary: {
                const std::vector<std::int8_t>& a = integer(step_->inputs[0]);
                const std::vector<std::int8_t>& b = integer(step_->inputs[1]);
                for (std::uint32_t i = 0; i < count; ++i) {
                    const core::BinaryPlace at = core::binary_place(net_.tensors[step_->output], *step_, i);
                    set(i, core::quantised_combine(step_->binary, *quantised_, a[at.a], b[at.b]));
                }
                return;
            }
            case NetworkOp::rearrange: {
                const std::vector<std::int8_t>& in = integer(step_->inputs[0]);
                const std::uint32_t part = core::rearranged_count(net_.tensors[step_->output], *step_);
                for (std::uint32_t i = 0; i < part; ++i) {
                    const std::int32_t from = net_.maps[step_->map + i];
                    if (from < 0)
                        integers_[step_->output][step_->part_first + i] = static_cast<std::int8_t>(quantised_->fill);
                    else
                        set(step_->part_first + i, in[static_cast<std::size_t>(from)]);
                }
                return;
            }
            default: {  // unary
                const std::vector<std::int8_t>& in = integer(step_->inputs[0]);
                for (std::uint32_t i = 0; i < count; ++i)
                    set(i, in[i]);
                return;
            }
        }
    }

    // A single step: floats by core/network_exact.h.
    void exact() {
        const std::vector<float>& a = single(step_->inputs[0], 0);
        std::vector<float>& out = floats_[step_->output];
        const auto each = [&](auto element) {
            for (std::uint32_t i = 0; i < out.size(); ++i)
                out[i] = core::activate(step_->activation, step_->alpha, step_->beta, element(i));
        };
        switch (step_->op) {
            case NetworkOp::matmul: {
                const std::vector<float>& b = single(step_->inputs[1], 1);
                return each([&](std::uint32_t i) { return core::exact_matmul(*step_, a.data(), b.data(), i); });
            }
            case NetworkOp::max_pool:
            case NetworkOp::average_pool:
                return each([&](std::uint32_t i) { return core::exact_pool(*step_, a.data(), i); });
            case NetworkOp::reduce_mean:
                return each([&](std::uint32_t i) { return core::exact_mean(step_->axis, a.data(), i); });
            case NetworkOp::binary: {
                const std::vector<float>& b = single(step_->inputs[1], 1);
                const core::NetworkTensor& shape = net_.tensors[step_->output];
                return each([&](std::uint32_t i) {
                    const core::BinaryPlace at = core::binary_place(shape, *step_, i);
                    return core::combine(step_->binary, a[at.a], b[at.b]);
                });
            }
            case NetworkOp::softmax:
            case NetworkOp::log_softmax:
                for (std::size_t outer = 0; outer < step_->axis.outer; ++outer)
                    for (std::size_t inner = 0; inner < step_->axis.inner; ++inner) {
                        const std::size_t first = outer * step_->axis.n * step_->axis.inner + inner;
                        core::softmax_line(a.data() + first, out.data() + first, step_->axis.n, step_->axis.inner,
                                           step_->op == NetworkOp::log_softmax);
                    }
                return each([&](std::uint32_t i) { return out[i]; });
            case NetworkOp::layer_norm:
                for (std::size_t first = 0; first < out.size(); first += step_->axis.n)
                    core::layer_norm_line(a.data() + first, out.data() + first, step_->axis.n, step_->epsilon,
                                          step_->weights == core::kNoWeights ? nullptr : net_.weights + step_->weights,
                                          step_->bias == core::kNoWeights ? nullptr : net_.weights + step_->bias);
                return each([&](std::uint32_t i) { return out[i]; });
            case NetworkOp::rearrange: {
                const std::uint32_t part = core::rearranged_count(net_.tensors[step_->output], *step_);
                for (std::uint32_t i = 0; i < part; ++i) {
                    const std::int32_t from = net_.maps[step_->map + i];
                    out[step_->part_first + i] =
                        core::activate(step_->activation, step_->alpha, step_->beta,
                                       from < 0 ? step_->fill : a[static_cast<std::size_t>(from)]);
                }
                return;
            }
            default:  // unary
                return each([&](std::uint32_t i) { return a[i]; });
        }
    }

    const core::NetworkView& net_;
    const core::QuantisedView& view_;
    const NetworkStep* step_ = nullptr;
    const QuantisedStep* quantised_ = nullptr;
    std::vector<std::vector<std::int8_t>> integers_;
    std::vector<std::vector<float>> floats_;
    std::vector<float> read_[2];
};

}  // namespace

void run_reference_int8(const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                        std::uint32_t rows) {
    const core::NetworkView& net = program.network;
    Row row(program);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::uint32_t i = 0; i < net.input_count; ++i)
            row.set_input(net.inputs[i], inputs[i] + r * net.tensors[net.inputs[i]].count);
        for (std::uint32_t s = 0; s < net.step_count; ++s)
            row.run(s);
        for (std::uint32_t o = 0; o < net.output_count; ++o)
            std::copy_n(row.output(net.outputs[o]), net.tensors[net.outputs[o]].count,
                        outputs[o] + r * net.tensors[net.outputs[o]].count);
    }
}

}  // namespace augur::model
