// Which tensors stay floats in fp16 and int8 networks.
#ifndef AUGUR_MODEL_SINGLE_TENSORS_H
#define AUGUR_MODEL_SINGLE_TENSORS_H

#include <vector>

#include "core/network.h"

namespace augur::model {

inline bool has_weights(const core::NetworkStep& step) {
    return step.op == core::NetworkOp::dense || step.op == core::NetworkOp::conv;
}

// Weights of a dense or conv step, without the bias.
inline std::uint64_t weight_count(const core::NetworkStep& step) {
    if (step.op == core::NetworkOp::dense) return static_cast<std::uint64_t>(step.k) * step.n;
    const core::NetworkWindow& w = step.window;
    return static_cast<std::uint64_t>(w.out_channels) * (w.channels / w.groups) * w.kernel_h * w.kernel_w;
}

// Calls f(tensor) for every tensor that the step reads.
template <class F>
void for_each_read(const core::NetworkStep& step, F f) {
    if (step.inputs[0] != core::kNoTensor) f(step.inputs[0]);
    if (step.inputs[1] != core::kNoTensor) f(step.inputs[1]);
    if (has_weights(step) && step.residual != core::kNoTensor) f(step.residual);
}

// [tensors] 1: floats. Those are the outputs, and what is read by nothing but steps without weights whose results are
// floats: what stands between the last weights and an output.
std::vector<std::uint32_t> single_tensors(const core::NetworkView& net);

}  // namespace augur::model

#endif  // AUGUR_MODEL_SINGLE_TENSORS_H
