#include "model/single_tensors.h"

namespace augur::model {

std::vector<std::uint32_t> single_tensors(const core::NetworkView& net) {
    enum class Reader : std::uint32_t { none, singles, others };  // who reads a tensor, of the steps seen so far
    std::vector<Reader> readers(net.tensor_count, Reader::none);
    std::vector<std::uint32_t> single(net.tensor_count, 0);
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        single[net.outputs[o]] = 1;
    for (std::uint32_t s = net.step_count; s-- > 0;) {
        const core::NetworkStep& step = net.steps[s];
        // Everything that reads the result comes later, so is known.
        if (readers[step.output] == Reader::singles) single[step.output] = 1;
        const bool is_single = single[step.output] != 0 && !has_weights(step);
        for_each_read(step, [&](std::uint32_t tensor) {
            if (!is_single)
                readers[tensor] = Reader::others;
            else if (readers[tensor] == Reader::none)
                readers[tensor] = Reader::singles;
        });
    }
    for (std::uint32_t i = 0; i < net.input_count; ++i)
        if (readers[net.inputs[i]] == Reader::singles) single[net.inputs[i]] = 1;
    return single;
}

}  // namespace augur::model
