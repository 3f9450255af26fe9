// A network while it is being made: steps and tensors with their weights apart, before anything has an address.
#ifndef AUGUR_MODEL_DRAFT_H
#define AUGUR_MODEL_DRAFT_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/network.h"

namespace augur::model {

using Floats = std::shared_ptr<const std::vector<float>>;
using Map = std::shared_ptr<const std::vector<std::int32_t>>;

struct DraftTensor {
    core::NetworkTensor tensor{};  // its offset is filled in at the end
    Floats values;                 // constant ones
    std::string name;
};

struct DraftStep {
    core::NetworkStep step{};  // weights, bias and map are filled in at the end, from those below
    Floats weights, bias;
    Map map;
    std::string name;
};

struct DraftPort {
    std::string name;
    std::uint32_t tensor = core::kNoTensor;
    std::vector<std::uint32_t> dims;
};

struct Draft {
    std::vector<DraftTensor> tensors;
    std::vector<DraftStep> steps;
    std::vector<DraftPort> inputs, outputs;

    const core::NetworkTensor& tensor(std::uint32_t index) const { return tensors[index].tensor; }
    bool is_constant(std::uint32_t index) const { return tensors[index].tensor.constant != 0; }
};

// A step with every field at "none".
core::NetworkStep blank_step(core::NetworkOp op);

// Calls visit(tensor) for every tensor that the step reads.
template <class Step, class Visit>
void each_read(Step& step, Visit visit) {
    for (auto& input : step.inputs)
        if (input != core::kNoTensor) visit(input);
    if (step.residual != core::kNoTensor) visit(step.residual);
}

}  // namespace augur::model

#endif  // AUGUR_MODEL_DRAFT_H
