#include "model/half_weights.h"

#include "core/half.h"
#include "model/single_tensors.h"

namespace augur::model {

bool make_half_weights(const core::NetworkView& net, HalfWeights* out, HalfOverflow* overflow) {
    out->single_tensors = single_tensors(net);
    out->weights.assign(net.weight_count, 0);
    for (std::uint32_t s = 0; s < net.step_count; ++s) {
        const core::NetworkStep& step = net.steps[s];
        if (!has_weights(step) || out->single_tensors[step.output] != 0) continue;
        const std::uint64_t count = weight_count(step);
        for (std::uint64_t i = step.weights; i < step.weights + count; ++i) {
            if (core::overflows_half(net.weights[i])) {
                *overflow = {s, i - step.weights, net.weights[i]};
                return false;
            }
            out->weights[i] = core::half_of_float(net.weights[i]);
        }
    }
    return true;
}

}  // namespace augur::model
