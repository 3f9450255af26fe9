// Builds networks for tests by hand, step by step, the way that an importer would leave them. Every tensor has a place
// of its own in the scratch unless told otherwise.

#ifndef AUGUR_TESTS_SUPPORT_NETWORK_BUILDER_H
#define AUGUR_TESTS_SUPPORT_NETWORK_BUILDER_H

#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/network.h"
#include "support/split_mix.h"

namespace augur::test {

using Floats = std::vector<float>;

// count floats in [low, high).
inline Floats random_floats(SplitMix64& random, std::size_t count, float low = -1.0f, float high = 1.0f) {
    Floats floats(count);
    for (float& x : floats)
        x = low + (high - low) * static_cast<float>(random.next() >> 40) * 0x1p-24f;
    return floats;
}

class NetworkBuilder {
  public:
    std::uint32_t tensor(std::initializer_list<std::uint32_t> dims) {
        core::NetworkTensor t{};
        t.count = 1;
        for (const std::uint32_t d : dims) {
            t.dims[t.rank++] = d;
            t.count *= d;
        }
        t.offset = scratch_;
        scratch_ += t.count;
        tensors_.push_back(t);
        return static_cast<std::uint32_t>(tensors_.size() - 1);
    }

    std::uint32_t constant(std::initializer_list<std::uint32_t> dims, const Floats& values) {
        const std::uint32_t at = tensor(dims);
        scratch_ -= tensors_[at].count;
        tensors_[at].constant = 1;
        tensors_[at].offset = add_weights(values);
        return at;
    }

    std::uint32_t input(std::initializer_list<std::uint32_t> dims) {
        const std::uint32_t at = tensor(dims);
        inputs_.push_back(at);
        return at;
    }

    void output(std::uint32_t tensor, core::NetworkHead head) {
        heads_[static_cast<std::uint32_t>(head)] = static_cast<std::uint32_t>(outputs_.size());
        outputs_.push_back(tensor);
    }
    void output(std::uint32_t tensor) { outputs_.push_back(tensor); }
    // The outputs so far, which are none any more.
    std::vector<std::uint32_t> take_outputs() {
        for (std::uint32_t& head : heads_)
            head = core::kNoHead;
        return std::exchange(outputs_, {});
    }

    // A step with every field at rest; the caller sets those of its op. The reference is good until the next call.
    core::NetworkStep& step(core::NetworkOp op, std::uint32_t a, std::uint32_t output) {
        core::NetworkStep s{};
        s.op = op;
        s.inputs[0] = a;
        s.inputs[1] = core::kNoTensor;
        s.output = output;
        s.residual = core::kNoTensor;
        s.weights = core::kNoWeights;
        s.bias = core::kNoWeights;
        steps_.push_back(s);
        return steps_.back();
    }

    core::NetworkStep& dense(std::uint32_t a, std::uint32_t output, std::uint32_t k, std::uint32_t n, const Floats& w,
                             const Floats& bias = {}) {
        const std::uint64_t weights = add_weights(w);
        const std::uint64_t biases = bias.empty() ? core::kNoWeights : add_weights(bias);
        core::NetworkStep& s = step(core::NetworkOp::dense, a, output);
        s.groups = 1;
        s.m = tensors_[a].count / k;
        s.k = k;
        s.n = n;
        s.weights = weights;
        s.bias = biases;
        return s;
    }

    // window's output sizes follow from the rest.
    core::NetworkStep& conv(std::uint32_t a, std::uint32_t output, core::NetworkWindow window, const Floats& w,
                            const Floats& bias = {}) {
        const std::uint64_t weights = add_weights(w);
        const std::uint64_t biases = bias.empty() ? core::kNoWeights : add_weights(bias);
        core::NetworkStep& s = step(core::NetworkOp::conv, a, output);
        s.window = window;
        s.weights = weights;
        s.bias = biases;
        return s;
    }

    core::NetworkStep& binary(core::BinaryOp op, std::uint32_t a, std::uint32_t b, std::uint32_t output) {
        core::NetworkStep& s = step(core::NetworkOp::binary, a, output);
        s.inputs[1] = b;
        s.binary = op;
        strides(tensors_[output], tensors_[a], s.stride_a);
        strides(tensors_[output], tensors_[b], s.stride_b);
        return s;
    }

    core::NetworkStep& rearrange(std::uint32_t a, std::uint32_t output, const std::vector<std::int32_t>& map,
                                 std::uint32_t first = 0) {
        const std::uint64_t at = maps_.size();
        maps_.insert(maps_.end(), map.begin(), map.end());
        core::NetworkStep& s = step(core::NetworkOp::rearrange, a, output);
        s.map = at;
        s.part_first = first;
        s.part_count = static_cast<std::uint32_t>(map.size());
        return s;
    }

    // A convolution's or pool's window with everything plain; channels and sizes of the input, square kernel.
    static core::NetworkWindow window(std::uint32_t channels, std::uint32_t height, std::uint32_t width,
                                      std::uint32_t out_channels, std::uint32_t kernel, std::uint32_t stride = 1,
                                      std::int32_t pad = 0) {
        core::NetworkWindow w{};
        w.channels = channels;
        w.height = height;
        w.width = width;
        w.out_channels = out_channels;
        w.kernel_h = w.kernel_w = kernel;
        w.stride_h = w.stride_w = stride;
        w.dilation_h = w.dilation_w = 1;
        w.pad_top = w.pad_left = w.pad_bottom = w.pad_right = pad;
        w.groups = 1;
        size(w);
        return w;
    }

    // Sets the output sizes.
    static void size(core::NetworkWindow& w) {
        const auto along = [](std::uint32_t in, std::int32_t pads, std::uint32_t kernel, std::uint32_t stride,
                              std::uint32_t dilation) {
            const std::int32_t room =
                static_cast<std::int32_t>(in) + pads - static_cast<std::int32_t>(dilation * (kernel - 1) + 1);
            return static_cast<std::uint32_t>(room / static_cast<std::int32_t>(stride) + 1);
        };
        w.out_height = along(w.height, w.pad_top + w.pad_bottom, w.kernel_h, w.stride_h, w.dilation_h);
        w.out_width = along(w.width, w.pad_left + w.pad_right, w.kernel_w, w.stride_w, w.dilation_w);
    }

    std::uint64_t add_weights(const Floats& values) {
        const std::uint64_t at = weights_.size();
        weights_.insert(weights_.end(), values.begin(), values.end());
        return at;
    }

    core::NetworkTensor& at(std::uint32_t tensor) { return tensors_[tensor]; }
    core::NetworkStep& step_at(std::uint32_t step) { return steps_[step]; }
    Floats& weights() { return weights_; }

    // Good as long as the builder is left alone.
    core::NetworkView view() const {
        core::NetworkView view{};
        view.tensors = tensors_.data();
        view.steps = steps_.data();
        view.weights = weights_.data();
        view.maps = maps_.data();
        view.tensor_count = static_cast<std::uint32_t>(tensors_.size());
        view.step_count = static_cast<std::uint32_t>(steps_.size());
        view.weight_count = weights_.size();
        view.map_count = maps_.size();
        view.scratch_count = scratch_;
        view.input_count = static_cast<std::uint32_t>(inputs_.size());
        view.output_count = static_cast<std::uint32_t>(outputs_.size());
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            view.inputs[i] = inputs_[i];
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            view.outputs[i] = outputs_[i];
        for (std::uint32_t h = 0; h < core::kNetworkHeads; ++h)
            view.heads[h] = heads_[h];
        return view;
    }

  private:
    // Of an operand along the output's dimensions, aligned at the last; 0 where it is broadcast.
    static void strides(const core::NetworkTensor& output, const core::NetworkTensor& operand, std::uint32_t* out) {
        std::uint32_t step = 1;
        for (std::uint32_t d = 0; d < operand.rank; ++d) {
            const std::uint32_t from = operand.rank - 1 - d;
            const std::uint32_t to = output.rank - 1 - d;
            out[to] = operand.dims[from] == 1 ? 0 : step;
            step *= operand.dims[from];
        }
    }

    std::vector<core::NetworkTensor> tensors_;
    std::vector<core::NetworkStep> steps_;
    Floats weights_;
    std::vector<std::int32_t> maps_;
    std::uint64_t scratch_ = 0;
    std::vector<std::uint32_t> inputs_, outputs_;
    std::uint32_t heads_[core::kNetworkHeads] = {core::kNoHead, core::kNoHead, core::kNoHead};
};

// Weights of a layer that keeps the size of what goes through it: uniform with variance 2 / k.
inline Floats layer_weights(SplitMix64& random, std::size_t count, std::size_t k) {
    const float bound = std::sqrt(6.0f / static_cast<float>(k));
    return random_floats(random, count, -bound, bound);
}

}  // namespace augur::test

#endif
