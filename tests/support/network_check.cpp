#include "support/network_check.h"

#include <cmath>
#include <vector>

namespace augur::test {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkTensor;
using core::NetworkView;

class Checker {
  public:
    explicit Checker(const model::Network& network) : network_(network), view_(network.view()) {}

    std::string run() {
        if (view_.input_count == 0 || view_.input_count > core::kNetworkInputs) return "the number of inputs";
        if (view_.output_count == 0 || view_.output_count > core::kNetworkOutputs) return "the number of outputs";
        if (network_.step_names.size() != view_.step_count) return "the number of names";
        for (std::uint64_t i = 0; i < view_.weight_count; ++i)
            if (!std::isfinite(view_.weights[i])) return "a weight is not finite";
        for (std::uint32_t t = 0; t < view_.tensor_count; ++t)
            if (std::string text = tensor(view_.tensors[t]); !text.empty()) return text + at("tensor", t);
        if (std::string text = ports(); !text.empty()) return text;
        for (std::uint32_t s = 0; s < view_.step_count; ++s)
            if (std::string text = step(view_.steps[s]); !text.empty()) return text + at("step", s);
        return memory();
    }

  private:
    static std::string at(const char* what, std::uint32_t index) {
        return std::string(" of ") + what + " " + std::to_string(index);
    }
    const NetworkTensor& of(std::uint32_t tensor) const { return view_.tensors[tensor]; }

    std::string tensor(const NetworkTensor& tensor) const {
        if (tensor.rank > core::kNetworkRank) return "the rank";
        std::uint64_t count = 1;
        for (std::uint32_t d = 0; d < tensor.rank; ++d)
            count *= tensor.dims[d];
        if (count == 0 || count != tensor.count || tensor.count > 0x7fffffff) return "the count";
        if (tensor.constant > 1) return "the constant flag";
        const std::uint64_t end = tensor.constant != 0 ? view_.weight_count : view_.scratch_count;
        if (tensor.offset > end || tensor.count > end - tensor.offset) return "the place";
        const std::uint64_t unit = tensor.constant != 0 ? model::kWeightAlignment : model::kScratchAlignment;
        return tensor.offset % unit != 0 ? "the alignment" : "";
    }

    std::string ports() const {
        std::vector<int> seen(view_.tensor_count, 0);
        for (const auto* list : {&network_.inputs, &network_.outputs})
            for (const model::Port& port : *list) {
                if (port.tensor >= view_.tensor_count || ++seen[port.tensor] > 1) return "the tensor of a port";
                if (of(port.tensor).constant != 0 || of(port.tensor).count != port.count) return "the count of a port";
                std::uint64_t count = 1;
                for (const std::uint32_t dim : port.dims)
                    count *= dim;
                if (count != port.count) return "the dims of a port";
            }
        for (const std::uint32_t head : network_.heads)
            if (head != core::kNoHead && head >= view_.output_count) return "a head";
        return "";
    }

    bool weights_fit(std::uint64_t first, std::uint64_t count) const {
        return first == core::kNoWeights || (first <= view_.weight_count && count <= view_.weight_count - first &&
                                             first % model::kWeightAlignment == 0);
    }

    std::string step(const NetworkStep& step) const {
        if (step.output >= view_.tensor_count || of(step.output).constant != 0) return "the output";
        for (const std::uint32_t input : step.inputs)
            if (input != core::kNoTensor && input >= view_.tensor_count) return "an input";
        if (step.inputs[0] == core::kNoTensor) return "the first input";
        const bool two = step.op == NetworkOp::binary || step.op == NetworkOp::matmul;
        if ((step.inputs[1] != core::kNoTensor) != two) return "the second input";
        const bool linear = step.op == NetworkOp::dense || step.op == NetworkOp::conv;
        if (step.residual != core::kNoTensor &&
            (!linear || step.residual >= view_.tensor_count || of(step.residual).count != of(step.output).count))
            return "the residual";
        if (static_cast<std::uint32_t>(step.activation) > static_cast<std::uint32_t>(core::Activation::hard_swish) ||
            !std::isfinite(step.alpha) || !std::isfinite(step.beta))
            return "the activation";
        const std::uint64_t in = of(step.inputs[0]).count, out = of(step.output).count;
        switch (step.op) {
            case NetworkOp::dense:
                if (step.weights == core::kNoWeights) return "missing weights";
                if (in != 1ull * step.m * step.k || out != 1ull * step.m * step.n) return "the sizes";
                return weights_fit(step.weights, 1ull * step.k * step.n) && weights_fit(step.bias, step.n) ? ""
                                                                                                           : "weights";
            case NetworkOp::matmul: {
                const std::uint64_t a = 1ull * step.m * step.k * (step.group_a != 0 ? step.groups : 1);
                const std::uint64_t b = 1ull * step.k * step.n * (step.group_b != 0 ? step.groups : 1);
                return step.group_a <= 1 && step.group_b <= 1 && in == a && of(step.inputs[1]).count == b &&
                               out == 1ull * step.groups * step.m * step.n
                           ? ""
                           : "the sizes";
            }
            case NetworkOp::conv:
            case NetworkOp::max_pool:
            case NetworkOp::average_pool:
                return window(step, in, out);
            case NetworkOp::binary:
                return binary(step);
            case NetworkOp::unary:
                return in == out ? "" : "the sizes";
            case NetworkOp::softmax:
            case NetworkOp::log_softmax:
            case NetworkOp::layer_norm:
                if (in != 1ull * step.axis.outer * step.axis.n * step.axis.inner || in != out) return "the axis";
                if (step.op != NetworkOp::layer_norm) return "";
                return step.axis.inner == 1 && step.epsilon > 0.0f && weights_fit(step.weights, step.axis.n) &&
                               weights_fit(step.bias, step.axis.n)
                           ? ""
                           : "the normalization";
            case NetworkOp::reduce_mean:
                return in == 1ull * step.axis.outer * step.axis.n * step.axis.inner &&
                               out == 1ull * step.axis.outer * step.axis.inner
                           ? ""
                           : "the axis";
            case NetworkOp::rearrange: {
                const std::uint64_t count = step.part_count != 0 ? step.part_count : out;
                if (step.part_first > out || count > out - step.part_first) return "the part";
                if (step.map > view_.map_count || count > view_.map_count - step.map) return "the map";
                for (std::uint64_t i = 0; i < count; ++i)
                    if (const std::int32_t from = view_.maps[step.map + i];
                        from >= 0 && static_cast<std::uint64_t>(from) >= in)
                        return "a map entry";
                return std::isfinite(step.fill) ? "" : "the fill";
            }
        }
        return "the operator";
    }

    std::string window(const NetworkStep& step, std::uint64_t in, std::uint64_t out) const {
        const core::NetworkWindow& w = step.window;
        if (in != 1ull * w.channels * w.height * w.width || out != 1ull * w.out_channels * w.out_height * w.out_width)
            return "the sizes";
        if (w.kernel_h == 0 || w.kernel_w == 0 || w.stride_h == 0 || w.stride_w == 0 || w.dilation_h == 0 ||
            w.dilation_w == 0 || w.groups == 0 || w.pad_top < 0 || w.pad_left < 0 || w.pad_bottom < 0 ||
            w.pad_right < 0)
            return "the window";
        if (step.op != NetworkOp::conv) return w.channels == w.out_channels && w.count_pad <= 1 ? "" : "the channels";
        if (w.channels % w.groups != 0 || w.out_channels % w.groups != 0 || step.weights == core::kNoWeights)
            return "the groups";
        return weights_fit(step.weights, 1ull * w.out_channels * (w.channels / w.groups) * w.kernel_h * w.kernel_w) &&
                       weights_fit(step.bias, w.out_channels)
                   ? ""
                   : "weights";
    }

    // The largest place that a step's strides reach in both operands.
    std::string binary(const NetworkStep& step) const {
        const NetworkTensor& shape = of(step.output);
        std::uint64_t last_a = 0, last_b = 0;
        for (std::uint32_t d = 0; d < shape.rank; ++d) {
            last_a += 1ull * (shape.dims[d] - 1) * step.stride_a[d];
            last_b += 1ull * (shape.dims[d] - 1) * step.stride_b[d];
        }
        return last_a < of(step.inputs[0]).count && last_b < of(step.inputs[1]).count ? "" : "the strides";
    }

    // Runs the steps over a scratch that remembers which tensor every element belongs to: what is read must still be
    // there, written wholly, and outputs must last.
    std::string memory() const {
        std::vector<std::uint32_t> owner(view_.scratch_count, core::kNoTensor);
        const auto write = [&](std::uint32_t tensor, std::uint64_t first, std::uint64_t count) {
            for (std::uint64_t i = first; i < first + count; ++i)
                owner[of(tensor).offset + i] = tensor;
        };
        const auto whole = [&](std::uint32_t tensor) {
            if (of(tensor).constant != 0) return true;
            for (std::uint64_t i = 0; i < of(tensor).count; ++i)
                if (owner[of(tensor).offset + i] != tensor) return false;
            return true;
        };
        for (const model::Port& input : network_.inputs)
            write(input.tensor, 0, of(input.tensor).count);
        for (const model::Port& input : network_.inputs)
            if (!whole(input.tensor)) return "inputs overlap";
        for (std::uint32_t s = 0; s < view_.step_count; ++s) {
            const NetworkStep& step = view_.steps[s];
            const bool in_place = step.op == NetworkOp::unary || step.op == NetworkOp::binary;
            std::uint32_t reads[3] = {step.inputs[0], step.inputs[1], step.residual};
            for (const std::uint32_t tensor : reads) {
                if (tensor == core::kNoTensor) continue;
                if (!whole(tensor)) return "what is read was overwritten or never written" + at("step", s);
                if (of(tensor).constant != 0) continue;
                const std::uint64_t begin = of(tensor).offset, end = begin + of(tensor).count;
                const std::uint64_t out = of(step.output).offset, out_end = out + of(step.output).count;
                const bool apart = end <= out || out_end <= begin;
                if (!apart && !(in_place && begin == out && end == out_end))
                    return "it overwrites what it reads" + at("step", s);
            }
            if (step.part_count != 0)
                write(step.output, step.part_first, step.part_count);
            else
                write(step.output, 0, of(step.output).count);
        }
        for (const model::Port& output : network_.outputs)
            if (!whole(output.tensor)) return "an output was overwritten or never written";
        return "";
    }

    const model::Network& network_;
    NetworkView view_;
};

}  // namespace

std::string broken_promise(const model::Network& network) {
    return Checker(network).run();
}

}  // namespace augur::test
