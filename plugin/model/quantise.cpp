#include "model/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/network_math.h"
#include "model/reference.h"
#include "model/single_tensors.h"

namespace augur::model {
namespace {

using core::Activation;
using core::BinaryOp;
using core::NetworkOp;
using core::NetworkStep;
using core::NetworkView;
using core::QuantisedKind;
using core::QuantisedStep;

constexpr double kLargest = 127.0;  // of an int8, by size
constexpr std::int64_t kSumLimit = std::numeric_limits<std::int32_t>::max();
constexpr double kBiasLimit = 1 << 30;

// What was small on the samples may be larger elsewhere: room above an element's range, and the least scale of one in
// parts of its tensor's.
constexpr float kElementRoom = 1.25f;
constexpr float kLeastFactor = 0.125f;

// Tensors that one dense layer writes, one number an output, and only such layers read, over all of it.
std::vector<bool> between_dense(const NetworkView& net) {
    std::vector<bool> between(net.tensor_count, false);
    std::vector<std::uint32_t> writers(net.tensor_count, 0);
    const auto is_plain = [](const NetworkStep& step) {
        return step.op == NetworkOp::dense && step.m == 1 && step.residual == core::kNoTensor;
    };
    for (std::uint32_t s = 0; s < net.step_count; ++s) {
        const NetworkStep& step = net.steps[s];
        const bool keeps = step.activation == Activation::none || step.activation == Activation::relu;
        between[step.output] = ++writers[step.output] == 1 && is_plain(step) && keeps;
    }
    for (std::uint32_t s = 0; s < net.step_count; ++s)
        for_each_read(net.steps[s], [&](std::uint32_t t) {
            if (!is_plain(net.steps[s])) between[t] = false;
        });
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        between[net.outputs[o]] = false;
    return between;
}

// What a step that cannot be quantised says.
struct Impossible {
    std::string why;
};

class Quantiser {
  public:
    Quantiser(const NetworkView& net, const Ranges& ranges, Quantised& out) : net_(net), ranges_(ranges), out_(out) {}

    void set_tensors() {
        const std::vector<std::uint32_t> single = single_tensors(net_);
        out_.tensors.resize(net_.tensor_count);
        for (std::uint32_t t = 0; t < net_.tensor_count; ++t) {
            // Constants are floats until an integer step needs them otherwise.
            out_.tensors[t].single = net_.tensors[t].constant != 0 ? 1 : single[t];
            set_scale(t, scale_of(ranges_.tensors[t]));
        }
        // What only moves numbers on keeps their scale.
        std::vector<std::uint32_t> writers(net_.tensor_count, 0);
        for (std::uint32_t s = 0; s < net_.step_count; ++s)
            ++writers[net_.steps[s].output];
        for (std::uint32_t s = 0; s < net_.step_count; ++s) {
            const NetworkStep& step = net_.steps[s];
            const bool moves = step.op == NetworkOp::max_pool ||
                               (step.op == NetworkOp::rearrange && fits(step.fill, tensor(step.inputs[0]).scale));
            if (moves && step.activation == Activation::none && writers[step.output] == 1 &&
                net_.tensors[step.inputs[0]].constant == 0)
                set_scale(step.output, tensor(step.inputs[0]).scale);
        }
    }

    void add_step(std::uint32_t s) {
        step_ = &net_.steps[s];
        before_ = ranges_.before[s];
        q_ = {};
        q_.table = core::kNoWeights;
        q_.low = -127;
        q_.high = 127;
        const bool to_single = tensor(step_->output).single != 0;
        if (has_weights(*step_)) {
            q_.kind = to_single ? QuantisedKind::result : QuantisedKind::integer;
            set_weights();
        } else if (to_single) {
            q_.kind = QuantisedKind::single;
        } else {
            q_.kind = QuantisedKind::integer;
            set_integer();
        }
        out_.steps.push_back(q_);
    }

  private:
    core::QuantisedTensor& tensor(std::uint32_t t) { return out_.tensors[t]; }

    // Scale of an element in parts of its tensor's.
    float factor(std::uint32_t t, std::size_t element) {
        if (ranges_.elements.empty() || ranges_.elements[t].empty()) return 1.0f;
        return std::clamp(ranges_.elements[t][element] * kElementRoom / 127.0f / tensor(t).scale, kLeastFactor, 1.0f);
    }
    static float scale_of(float range) { return range > 0.0f ? static_cast<float>(range / kLargest) : 1.0f / 127.0f; }
    static bool fits(float x, float scale) { return std::fabs(x) <= scale * 127.0f; }
    static float inverse_of(float scale) { return 1.0f / scale; }

    void set_scale(std::uint32_t t, float scale) {
        // Scales whose inverse would not be a normal float hold numbers that are nothing beside all others.
        scale = std::max(scale, 1e-30f);
        tensor(t).scale = scale;
        tensor(t).inverse_scale = inverse_of(scale);
    }

    void add_rescale(double ratio) {
        check_ratio(ratio);
        out_.rescales.push_back(make_rescale(ratio));
    }
    static void check_ratio(double ratio) {
        if (!(ratio < kBiasLimit)) throw Impossible{"its numbers span too many powers of two"};
    }
    static core::Rescale checked_rescale(double ratio) {
        check_ratio(ratio);
        return make_rescale(ratio);
    }

    // The activation as limits or as a table. Returns the scale of y, the result before it.
    double end(float y_scale_where_moved = 0.0f) {
        const core::QuantisedTensor& to = tensor(step_->output);
        const bool moved = y_scale_where_moved > 0.0f;
        const bool limits = step_->activation == Activation::none || step_->activation == Activation::relu ||
                            step_->activation == Activation::clip;
        if (limits && (!moved || y_scale_where_moved == to.scale)) {
            if (step_->activation == Activation::relu) q_.low = 0;
            if (step_->activation == Activation::clip) {
                q_.low = core::quantise(step_->alpha, to.inverse_scale);
                q_.high = core::quantise(step_->beta, to.inverse_scale);
            }
            return double{to.scale};
        }
        // Beyond these the table's result is all but constant, so its entries are better spent within.
        float range = before_;
        if (step_->activation == Activation::tanh) range = std::min(range, 4.0f);
        if (step_->activation == Activation::sigmoid) range = std::min(range, 8.0f);
        if (step_->activation == Activation::erf) range = std::min(range, 3.0f);
        const float from = moved ? y_scale_where_moved : std::max(scale_of(range), 1e-30f);
        q_.table = out_.tables.size();
        for (std::int32_t i = -128; i < 128; ++i)
            out_.tables.push_back(
                core::quantise(core::activate(step_->activation, step_->alpha, step_->beta, core::dequantise(i, from)),
                               to.inverse_scale));
        return double{from};
    }

    // Scale of a channel's weights: so that the greatest is 127, and that the bias fits beside the sums.
    static double weight_scale(float greatest, float bias, double in_scale) {
        const double scale = double{greatest} / kLargest;
        const double least = std::fabs(double{bias}) / (in_scale * kBiasLimit);
        return std::max({scale, least, 1e-30});
    }

    // Dense: weight k of channel n at [k][n]. Conv: [channel][k].
    std::size_t weight_at(std::size_t k, std::size_t channel) const {
        return step_->op == NetworkOp::dense ? k * step_->n + channel : channel * taps() + k;
    }
    std::size_t taps() const {
        if (step_->op == NetworkOp::dense) return step_->k;
        const core::NetworkWindow& w = step_->window;
        return static_cast<std::size_t>(w.channels / w.groups) * w.kernel_h * w.kernel_w;
    }

    void set_weights() {
        const std::size_t channels = step_->op == NetworkOp::dense ? step_->n : step_->window.out_channels;
        const std::size_t k_count = taps();
        const float* weights = net_.weights + step_->weights;
        const double in_scale = double{tensor(step_->inputs[0]).scale};
        const bool has_residual = step_->residual != core::kNoTensor;
        const bool is_result = q_.kind == QuantisedKind::result;
        std::vector<float> in_factors(step_->op == NetworkOp::dense ? k_count : 0);
        for (std::size_t k = 0; k < in_factors.size(); ++k)
            in_factors[k] = factor(step_->inputs[0], k);
        q_.weights = out_.weights.size();
        q_.bias = out_.biases.size();
        q_.rescales = out_.rescales.size();
        q_.scales = out_.scales.size();
        out_.weights.resize(q_.weights + k_count * channels);
        const double y_scale = is_result ? 1.0 : end();
        const double spare = has_residual ? 1 << core::kSpareBits : 1;
        // Weights take in the scales of single elements, see Ranges::elements.
        const auto weight = [&](std::size_t k, std::size_t c) {
            const bool is_dense = step_->op == NetworkOp::dense;
            return is_dense ? weights[weight_at(k, c)] * in_factors[k] : weights[weight_at(k, c)];
        };
        for (std::size_t c = 0; c < channels; ++c) {
            const float bias = step_->bias == core::kNoWeights ? 0.0f : net_.weights[step_->bias + c];
            float greatest = 0.0f;
            for (std::size_t k = 0; k < k_count; ++k)
                greatest = std::max(greatest, std::fabs(weight(k, c)));
            const double scale = weight_scale(greatest, bias, in_scale);
            const auto inverse = static_cast<float>(1.0 / scale);
            const auto whole_bias = static_cast<std::int64_t>(std::llround(double{bias} / (scale * in_scale)));
            std::int64_t most = std::abs(whole_bias);
            for (std::size_t k = 0; k < k_count; ++k) {
                const std::int8_t w = core::quantise(weight(k, c), inverse);
                out_.weights[q_.weights + weight_at(k, c)] = w;
                most += std::abs(int{w}) * 127;
            }
            if (most > kSumLimit)
                throw Impossible{"its sums of " + std::to_string(k_count) + " products could overflow"};
            out_.biases.push_back(static_cast<std::int32_t>(whole_bias));
            if (is_result)
                out_.scales.push_back(static_cast<float>(scale * in_scale));
            else
                add_rescale(scale * in_scale / (y_scale * double{factor(step_->output, c)}) * spare);
        }
        if (!is_result && has_residual) q_.b = checked_rescale(double{tensor(step_->residual).scale} / y_scale * spare);
    }

    void set_integer() {
        const core::QuantisedTensor& a = tensor(step_->inputs[0]);
        if (net_.tensors[step_->inputs[0]].constant != 0) set_constant(step_->inputs[0], false);
        switch (step_->op) {
            case NetworkOp::max_pool:
            case NetworkOp::unary:
                end(a.scale);
                return;
            case NetworkOp::rearrange:
                end(a.scale);
                q_.fill = core::quantise(core::activate(step_->activation, step_->alpha, step_->beta, step_->fill),
                                         tensor(step_->output).inverse_scale);
                return;
            case NetworkOp::average_pool: {
                const double y_scale = end();
                const std::uint32_t taps = step_->window.kernel_h * step_->window.kernel_w;
                check_sum(taps);
                q_.rescales = out_.rescales.size();
                for (std::uint32_t divisor = 1; divisor <= taps; ++divisor)
                    add_rescale(double{a.scale} / y_scale / divisor);
                return;
            }
            case NetworkOp::reduce_mean: {
                const double y_scale = end();
                check_sum(step_->axis.n);
                q_.rescales = out_.rescales.size();
                add_rescale(double{a.scale} / y_scale / step_->axis.n);
                return;
            }
            case NetworkOp::binary:
                return set_binary();
            default:
                throw Impossible{"it has no int8 form, and what follows it is no output alone"};
        }
    }

    static void check_sum(std::uint32_t n) {
        if (n > (1u << 24)) throw Impossible{"its sums of " + std::to_string(n) + " numbers could overflow"};
    }

    void set_binary() {
        const bool divides = step_->binary == BinaryOp::divide;
        const bool b_constant = net_.tensors[step_->inputs[1]].constant != 0;
        if (step_->binary == BinaryOp::power || (divides && !b_constant))
            throw Impossible{"it has no int8 form, and what follows it is no output alone"};
        if (b_constant) set_constant(step_->inputs[1], divides);
        const double y_scale = end();
        const double a = double{tensor(step_->inputs[0]).scale};
        const double b = double{tensor(step_->inputs[1]).scale};
        if (divides || step_->binary == BinaryOp::multiply) {
            q_.a = checked_rescale(a * b / y_scale);
        } else {
            q_.a = checked_rescale(a / y_scale * (1 << core::kSpareBits));
            q_.b = checked_rescale(b / y_scale * (1 << core::kSpareBits));
        }
    }

    // A constant operand, or the reciprocals of its numbers.
    void set_constant(std::uint32_t t, bool reciprocals) {
        const core::NetworkTensor& shape = net_.tensors[t];
        const float* values = net_.weights + shape.offset;
        for (std::uint32_t s = 0; s < net_.step_count; ++s) {
            const NetworkStep& other = net_.steps[s];
            const bool other_divides = other.op == NetworkOp::binary && other.binary == BinaryOp::divide;
            if (other.op == NetworkOp::binary && other.inputs[1] == t && other_divides != reciprocals)
                throw Impossible{"its constant is divided by here and used otherwise elsewhere"};
        }
        const auto number = [&](std::uint32_t i) { return reciprocals ? 1.0f / values[i] : values[i]; };
        float greatest = 0.0f;
        for (std::uint32_t i = 0; i < shape.count; ++i)
            greatest = std::max(greatest, std::fabs(number(i)));
        if (!std::isfinite(greatest)) throw Impossible{"it divides by zero"};
        set_scale(t, scale_of(greatest));
        tensor(t).single = 0;
        tensor(t).offset = out_.weights.size();
        for (std::uint32_t i = 0; i < shape.count; ++i)
            out_.weights.push_back(core::quantise(number(i), tensor(t).inverse_scale));
    }

    const NetworkView& net_;
    const Ranges& ranges_;
    Quantised& out_;
    const NetworkStep* step_ = nullptr;
    float before_ = 0.0f;
    QuantisedStep q_{};
};

}  // namespace

void RangeMeter::Histogram::add(const float* values, std::uint32_t count) {
    if (counts.empty()) counts.resize(0x7f80, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t size = core::float_bits(values[i]) & 0x7fffffffu;
        if (size == 0 || size >= 0x7f800000u) continue;
        ++counts[size >> 16];
        ++total;
        greatest = std::max(greatest, core::float_of_bits(size));
    }
}

float RangeMeter::Histogram::range(double share) const {
    const double wanted = share * static_cast<double>(total);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        below += counts[i];
        if (counts[i] != 0 && static_cast<double>(below) >= wanted)
            return std::min(greatest, core::float_of_bits(static_cast<std::uint32_t>(i + 1) << 16));
    }
    return greatest;
}

RangeMeter::RangeMeter(const NetworkView& net, const float* const* inputs, float* const* outputs, std::uint32_t rows)
    : tensors_(net.tensor_count), before_(net.step_count), elements_(net.tensor_count) {
    const std::vector<bool> between = between_dense(net);
    for (std::uint32_t t = 0; t < net.tensor_count; ++t)
        if (between[t]) elements_[t].assign(net.tensors[t].count, 0.0f);
    run_reference(net, inputs, outputs, rows, [&](const Observation& seen) {
        tensors_[seen.tensor].add(seen.values, seen.count);
        std::vector<float>& elements = elements_[seen.tensor];
        for (std::size_t i = 0; i < elements.size(); ++i)
            if (std::isfinite(seen.values[i])) elements[i] = std::max(elements[i], std::fabs(seen.values[i]));
        if (seen.step != kNoStep) before_[seen.step].add(seen.before, seen.count);
    });
    for (std::uint32_t t = 0; t < net.tensor_count; ++t)
        if (net.tensors[t].constant != 0) tensors_[t].add(net.weights + net.tensors[t].offset, net.tensors[t].count);
}

Ranges RangeMeter::ranges(double share, bool by_element) const {
    Ranges ranges;
    if (by_element) ranges.elements = elements_;
    for (const Histogram& histogram : tensors_)
        ranges.tensors.push_back(share < 1.0 ? histogram.range(share) : histogram.greatest);
    for (const Histogram& histogram : before_)
        ranges.before.push_back(share < 1.0 ? histogram.range(share) : histogram.greatest);
    return ranges;
}

core::Rescale make_rescale(double ratio) {
    if (!(ratio > 0.0)) return {0, 1};
    int exponent = 0;
    const double mantissa = std::frexp(ratio, &exponent);  // in [0.5, 1)
    auto multiplier = static_cast<std::int64_t>(std::floor(std::ldexp(mantissa, 31) + 0.5));
    if (multiplier == std::int64_t{1} << 31) {
        multiplier >>= 1;
        ++exponent;
    }
    int shift = 31 - exponent;
    if (shift > 62) {
        multiplier >>= std::min(shift - 62, 62);
        shift = 62;
    }
    return {static_cast<std::int32_t>(multiplier), shift};
}

bool quantise(const NetworkView& net, const Ranges& ranges, Quantised* out, std::uint32_t* step, std::string& why) {
    *out = {};
    Quantiser quantiser(net, ranges, *out);
    quantiser.set_tensors();
    for (std::uint32_t s = 0; s < net.step_count; ++s) {
        try {
            quantiser.add_step(s);
        } catch (const Impossible& impossible) {
            *step = s;
            why = impossible.why;
            return false;
        }
    }
    return true;
}

}  // namespace augur::model
