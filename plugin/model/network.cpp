#include "model/network.h"

#include <algorithm>

namespace augur::model {

core::NetworkView Network::view() const {
    core::NetworkView view{};
    view.tensors = tensors.data();
    view.steps = steps.data();
    view.weights = weights.data();
    view.maps = maps.data();
    view.tensor_count = static_cast<std::uint32_t>(tensors.size());
    view.step_count = static_cast<std::uint32_t>(steps.size());
    view.weight_count = weights.size();
    view.map_count = maps.size();
    view.scratch_count = scratch_count;
    view.input_count = static_cast<std::uint32_t>(inputs.size());
    view.output_count = static_cast<std::uint32_t>(outputs.size());
    std::fill(std::begin(view.inputs), std::end(view.inputs), core::kNoTensor);
    std::fill(std::begin(view.outputs), std::end(view.outputs), core::kNoTensor);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        view.inputs[i] = inputs[i].tensor;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        view.outputs[i] = outputs[i].tensor;
    std::copy(std::begin(heads), std::end(heads), std::begin(view.heads));
    return view;
}

}  // namespace augur::model
