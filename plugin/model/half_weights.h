// Weights in half precision, for fp16 networks.
#ifndef AUGUR_MODEL_HALF_WEIGHTS_H
#define AUGUR_MODEL_HALF_WEIGHTS_H

#include <vector>

#include "core/network_program.h"

namespace augur::model {

// Owns what a HalfView shows.
struct HalfWeights {
    std::vector<std::uint16_t> weights;
    std::vector<std::uint32_t> single_tensors;

    core::HalfView view() const { return {weights.data(), single_tensors.data()}; }
};

// A weight that half precision cannot hold.
struct HalfOverflow {
    std::uint32_t step;
    std::uint64_t place;  // in the step's weights
    float value;
};

// Rounds the weights of all steps that are not single. False where one would become infinite: then the network has no
// fp16 form. Weights become 0 silently where they are below 3e-8: that changes sums by no more than rounding does.
bool make_half_weights(const core::NetworkView& net, HalfWeights* out, HalfOverflow* overflow);

}  // namespace augur::model

#endif  // AUGUR_MODEL_HALF_WEIGHTS_H
