#include "model/fold.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace augur::model {
namespace {

using core::Activation;
using core::BinaryOp;
using core::kNoTensor;
using core::NetworkOp;
using core::NetworkStep;
using core::NetworkTensor;

constexpr std::uint32_t kNoStep = 0xffffffffu;

bool is_linear(const NetworkStep& step) {
    return step.op == NetworkOp::dense || step.op == NetworkOp::conv;
}

// Whether a step may carry an activation. Copies and softmaxes stay plain.
bool takes_activation(const NetworkStep& step) {
    switch (step.op) {
        case NetworkOp::dense:
        case NetworkOp::matmul:
        case NetworkOp::conv:
        case NetworkOp::max_pool:
        case NetworkOp::average_pool:
        case NetworkOp::binary:
        case NetworkOp::layer_norm:
        case NetworkOp::reduce_mean:
            return step.activation == Activation::none;
        default:
            return false;
    }
}

// What is done to the channels of a conv or the columns of a dense step after its own bias: y = scale x + shift.
struct Channels {
    std::vector<double> scale, shift;
};

class Folder {
  public:
    Folder(Draft& draft, std::uint64_t most_made)
        : draft_(draft),
          left_(most_made),
          uses_(draft.tensors.size(), 0),
          writer_(draft.tensors.size(), kNoStep),
          gone_(draft.steps.size(), false),
          channels_() {
        for (std::uint32_t i = 0; i < draft.steps.size(); ++i) {
            each_read(draft.steps[i].step, [&](std::uint32_t tensor) { ++uses_[tensor]; });
            const NetworkStep& step = draft.steps[i].step;
            // A tensor that is written in parts has no writer that could take something in.
            if (step.part_count == 0) writer_[step.output] = i;
        }
        for (const DraftPort& output : draft.outputs)
            ++uses_[output.tensor];
    }

    void run() {
        for (std::uint32_t i = 0; i < draft_.steps.size(); ++i) {
            const NetworkStep& step = draft_.steps[i].step;
            if (step.op == NetworkOp::unary) fold_activation(i);
            if (step.op == NetworkOp::binary && !fold_channels(i) && !fold_residual(i)) fold_gelu(i);
        }
        for (auto& [index, channels] : channels_)
            apply(draft_.steps[index], channels);
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < draft_.steps.size(); ++i)
            if (!gone_[i]) std::swap(draft_.steps[kept++], draft_.steps[i]);
        draft_.steps.resize(kept);
    }

  private:
    // The step that makes a tensor, where nobody but the asker reads it; null otherwise.
    NetworkStep* sole_source(std::uint32_t tensor) {
        if (tensor == kNoTensor || uses_[tensor] != 1 || writer_[tensor] == kNoStep) return nullptr;
        return &draft_.steps[writer_[tensor]].step;
    }

    // Lets the step that made `tensor` make what step i makes; step i is gone.
    void take_over(std::uint32_t i, std::uint32_t tensor) {
        const std::uint32_t source = writer_[tensor];
        const std::uint32_t output = draft_.steps[i].step.output;
        draft_.steps[source].step.output = output;
        draft_.steps[source].name = draft_.steps[i].name;
        writer_[output] = source;
        writer_[tensor] = kNoStep;
        uses_[tensor] = 0;
        gone_[i] = true;
    }

    void fold_activation(std::uint32_t i) {
        const NetworkStep& step = draft_.steps[i].step;
        NetworkStep* source = sole_source(step.inputs[0]);
        if (source == nullptr || !takes_activation(*source) || step.activation == Activation::none) return;
        source->activation = step.activation;
        source->alpha = step.alpha;
        source->beta = step.beta;
        take_over(i, step.inputs[0]);
    }

    // Step i is a op b with b constant per channel of the linear step that makes a, or the other way round.
    bool fold_channels(std::uint32_t i) {
        const NetworkStep& step = draft_.steps[i].step;
        for (int side = 0; side < 2; ++side) {
            const std::uint32_t computed = step.inputs[side], constant = step.inputs[1 - side];
            const NetworkStep* source = sole_source(computed);
            if (source == nullptr || !is_linear(*source) || source->activation != Activation::none ||
                source->residual != kNoTensor || !draft_.is_constant(constant) ||
                draft_.tensor(computed).count != draft_.tensor(step.output).count)
                continue;
            const auto values =
                per_channel(*source, draft_.tensor(step.output), side == 0 ? step.stride_b : step.stride_a,
                            *draft_.tensors[constant].values);
            if (values && combine(writer_[computed], step.binary, *values, side == 0)) {
                --uses_[constant];
                take_over(i, computed);
                return true;
            }
        }
        return false;
    }

    // The constant's number for every channel, where it has one.
    static std::optional<std::vector<float>> per_channel(const NetworkStep& source, const NetworkTensor& shape,
                                                         const std::uint32_t* strides,
                                                         const std::vector<float>& constant) {
        const bool conv = source.op == NetworkOp::conv;
        const std::uint32_t count = conv ? source.window.out_channels : source.n;
        // Channels are the first dimensions of a conv's result, columns the last of a dense step's.
        std::uint32_t begin = 0, end = shape.rank;
        std::uint64_t product = 1;
        if (conv) {
            for (end = 0; end < shape.rank && product < count; ++end)
                product *= shape.dims[end];
        } else {
            for (begin = shape.rank; begin > 0 && product < count; --begin)
                product *= shape.dims[begin - 1];
        }
        if (product != count) return std::nullopt;
        for (std::uint32_t d = 0; d < shape.rank; ++d)
            if ((d < begin || d >= end) && shape.dims[d] != 1 && strides[d] != 0) return std::nullopt;
        std::vector<float> values;
        values.reserve(count);
        for (std::uint32_t c = 0; c < count; ++c) {
            std::uint32_t rest = c, at = 0;
            for (std::uint32_t d = end; d-- > begin; rest /= shape.dims[d])
                at += rest % shape.dims[d] * strides[d];
            values.push_back(constant[at]);
        }
        return values;
    }

    bool combine(std::uint32_t index, BinaryOp op, const std::vector<float>& values, bool constant_is_right) {
        if (op != BinaryOp::add && op != BinaryOp::subtract && op != BinaryOp::multiply &&
            !(op == BinaryOp::divide && constant_is_right))
            return false;
        if (op == BinaryOp::divide && std::find(values.begin(), values.end(), 0.0f) != values.end()) return false;
        const auto known = channels_.find(index);
        const bool fresh = known == channels_.end();
        // The copy of the weights is paid for when the first constant is taken in.
        const std::uint64_t cost =
            values.size() * 4 + (fresh && draft_.steps[index].weights ? draft_.steps[index].weights->size() : 0);
        if (cost > left_) return false;
        left_ -= cost;
        Channels& channels = fresh ? channels_[index] : known->second;
        if (fresh) {
            channels.scale.assign(values.size(), 1.0);
            channels.shift.assign(values.size(), 0.0);
        }
        for (std::size_t c = 0; c < values.size(); ++c) {
            const auto value = static_cast<double>(values[c]);
            double& scale = channels.scale[c];
            double& shift = channels.shift[c];
            switch (op) {
                case BinaryOp::add:
                    shift += value;
                    break;
                case BinaryOp::subtract:
                    scale = constant_is_right ? scale : -scale;
                    shift = constant_is_right ? shift - value : value - shift;
                    break;
                case BinaryOp::multiply:
                    scale *= value;
                    shift *= value;
                    break;
                default:
                    scale /= value;
                    shift /= value;
                    break;
            }
        }
        return true;
    }

    static void apply(DraftStep& draft, const Channels& channels) {
        const std::size_t count = channels.scale.size();
        const bool conv = draft.step.op == NetworkOp::conv;
        auto bias = std::make_shared<std::vector<float>>(count);
        for (std::size_t c = 0; c < count; ++c) {
            const double before = draft.bias ? static_cast<double>((*draft.bias)[c]) : 0.0;
            (*bias)[c] = static_cast<float>(before * channels.scale[c] + channels.shift[c]);
        }
        draft.bias = std::move(bias);
        if (std::all_of(channels.scale.begin(), channels.scale.end(), [](double x) { return x == 1.0; })) return;
        auto weights = std::make_shared<std::vector<float>>(*draft.weights);
        const std::size_t per_channel = weights->size() / count;
        for (std::size_t i = 0; i < weights->size(); ++i) {
            const std::size_t c = conv ? i / per_channel : i % count;
            (*weights)[i] = static_cast<float>(static_cast<double>((*weights)[i]) * channels.scale[c]);
        }
        draft.weights = std::move(weights);
    }

    // Step i is the sum of two tensors of one shape, one of which a linear step makes for it alone. The linear step
    // moves to where the sum was: the other tensor may be made after it.
    bool fold_residual(std::uint32_t i) {
        const NetworkStep& step = draft_.steps[i].step;
        const std::uint32_t a = step.inputs[0], b = step.inputs[1];
        const std::uint32_t count = draft_.tensor(step.output).count;
        if (step.binary != BinaryOp::add || a == b || draft_.tensor(a).count != count ||
            draft_.tensor(b).count != count || draft_.is_constant(a) || draft_.is_constant(b))
            return false;
        const auto candidate = [&](std::uint32_t tensor) {
            const NetworkStep* source = sole_source(tensor);
            return source != nullptr && is_linear(*source) && source->activation == Activation::none &&
                           source->residual == kNoTensor
                       ? writer_[tensor]
                       : kNoStep;
        };
        const std::uint32_t from_a = candidate(a), from_b = candidate(b);
        if (from_a == kNoStep && from_b == kNoStep) return false;
        const bool use_a = from_b == kNoStep || (from_a != kNoStep && from_a > from_b);
        const std::uint32_t source = use_a ? from_a : from_b, taken = use_a ? a : b, other = use_a ? b : a;
        DraftStep moved = draft_.steps[source];
        moved.step.residual = other;
        moved.step.output = step.output;
        moved.name = draft_.steps[i].name;
        draft_.steps[i] = std::move(moved);
        if (const auto channels = channels_.find(source); channels != channels_.end()) {
            channels_[i] = std::move(channels->second);
            channels_.erase(source);
        }
        writer_[draft_.steps[i].step.output] = i;
        writer_[taken] = kNoStep;
        uses_[taken] = 0;
        gone_[source] = true;
        return true;
    }

    // The one number of a constant operand; nothing where the operand is no such constant.
    std::optional<float> scalar(const NetworkStep& step, int side) const {
        const std::uint32_t tensor = step.inputs[side];
        if (tensor == kNoTensor || !draft_.is_constant(tensor) || draft_.tensor(tensor).count != 1) return std::nullopt;
        return draft_.tensors[tensor].values->front();
    }

    // A binary step with one constant number near value on the given side: the other side's tensor.
    std::uint32_t beside(const NetworkStep* step, BinaryOp op, float value, bool either_side) const {
        if (step == nullptr || step->op != NetworkOp::binary || step->binary != op ||
            step->activation != Activation::none)
            return kNoTensor;
        for (int side = 1; side >= (either_side ? 0 : 1); --side)
            if (const auto number = scalar(*step, side); number && std::abs(*number - value) <= 1e-6f * value)
                return step->inputs[1 - side];
        return kNoTensor;
    }

    // The step that makes a tensor, however many read it.
    NetworkStep* source(std::uint32_t tensor) {
        return tensor == kNoTensor || writer_[tensor] == kNoStep ? nullptr : &draft_.steps[writer_[tensor]].step;
    }

    // x times half, or x over two.
    std::uint32_t halved(const NetworkStep* step) const {
        const std::uint32_t product = beside(step, BinaryOp::multiply, 0.5f, true);
        return product != kNoTensor ? product : beside(step, BinaryOp::divide, 2.0f, false);
    }

    // erf(x / sqrt 2) + 1 for the x it is of; kNoTensor for anything else.
    std::uint32_t gelu_gate(std::uint32_t tensor) {
        const NetworkStep* sum = source(tensor);
        const std::uint32_t erf = beside(sum, BinaryOp::add, 1.0f, true);
        const NetworkStep* function = source(erf);
        if (function == nullptr || function->activation != Activation::erf) return kNoTensor;
        // The division carries the activation by now.
        NetworkStep plain = *function;
        plain.activation = Activation::none;
        if (function->op == NetworkOp::binary) {
            const std::uint32_t quotient = beside(&plain, BinaryOp::divide, 1.41421356f, false);
            return quotient != kNoTensor ? quotient : beside(&plain, BinaryOp::multiply, 0.707106781f, true);
        }
        return kNoTensor;
    }

    // Step i as the last of gelu: x (gate / 2), (x / 2) gate or (x gate) / 2.
    void fold_gelu(std::uint32_t i) {
        NetworkStep& step = draft_.steps[i].step;
        std::uint32_t x = kNoTensor;
        if (const std::uint32_t product = halved(&step); product != kNoTensor) {
            x = gelu_of_product(source(product));
        } else if (step.binary == BinaryOp::multiply) {
            for (int side = 0; side < 2 && x == kNoTensor; ++side) {
                const std::uint32_t a = step.inputs[side], b = step.inputs[1 - side];
                if (const std::uint32_t gate = halved(source(b)); gate != kNoTensor && gelu_gate(gate) == a) x = a;
                if (const std::uint32_t half = halved(source(a)); half != kNoTensor && gelu_gate(b) == half) x = half;
            }
        }
        if (x == kNoTensor || draft_.tensor(x).count != draft_.tensor(step.output).count) return;
        each_read(step, [&](std::uint32_t tensor) { --uses_[tensor]; });
        ++uses_[x];
        const std::uint32_t output = step.output;
        step = blank_step(NetworkOp::unary);
        step.inputs[0] = x;
        step.output = output;
        step.activation = Activation::gelu;
    }

    std::uint32_t gelu_of_product(const NetworkStep* product) {
        if (product == nullptr || product->op != NetworkOp::binary || product->binary != BinaryOp::multiply ||
            product->activation != Activation::none)
            return kNoTensor;
        for (int side = 0; side < 2; ++side)
            if (gelu_gate(product->inputs[1 - side]) == product->inputs[side]) return product->inputs[side];
        return kNoTensor;
    }

    Draft& draft_;
    std::uint64_t left_;
    std::vector<std::uint32_t> uses_, writer_;
    std::vector<bool> gone_;
    std::map<std::uint32_t, Channels> channels_;
};

void remove_dead(Draft& draft) {
    std::vector<bool> needed(draft.tensors.size(), false);
    for (const DraftPort& output : draft.outputs)
        needed[output.tensor] = true;
    std::vector<DraftStep> live;
    for (std::size_t i = draft.steps.size(); i-- > 0;) {
        DraftStep& step = draft.steps[i];
        if (!needed[step.step.output]) continue;
        each_read(step.step, [&](std::uint32_t tensor) { needed[tensor] = true; });
        live.push_back(std::move(step));
    }
    std::reverse(live.begin(), live.end());
    draft.steps = std::move(live);
    for (const DraftPort& input : draft.inputs)
        needed[input.tensor] = true;
    std::vector<std::uint32_t> place(draft.tensors.size(), kNoTensor);
    std::vector<DraftTensor> tensors;
    for (std::size_t t = 0; t < draft.tensors.size(); ++t) {
        if (!needed[t]) continue;
        place[t] = static_cast<std::uint32_t>(tensors.size());
        tensors.push_back(std::move(draft.tensors[t]));
    }
    draft.tensors = std::move(tensors);
    for (DraftStep& step : draft.steps) {
        each_read(step.step, [&](std::uint32_t& tensor) { tensor = place[tensor]; });
        step.step.output = place[step.step.output];
    }
    for (DraftPort& input : draft.inputs)
        input.tensor = place[input.tensor];
    for (DraftPort& output : draft.outputs)
        output.tensor = place[output.tensor];
}

}  // namespace

void fold(Draft& draft, std::uint64_t most_made) {
    remove_dead(draft);
    Folder(draft, most_made).run();
    // What a rewritten gelu leaves behind is no longer read; its own activation may now go into the step before.
    remove_dead(draft);
    Folder(draft, most_made).run();
    remove_dead(draft);
}

}  // namespace augur::model
