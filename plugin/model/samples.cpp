#include "model/samples.h"

#include <augur/kit/random.h>

#include <algorithm>
#include <cmath>

namespace augur::model {

std::vector<const float*> Samples::pointers() const {
    std::vector<const float*> pointers;
    pointers.reserve(inputs.size());
    for (const std::vector<float>& input : inputs)
        pointers.push_back(input.data());
    return pointers;
}

bool samples_are_usable(const core::NetworkView& net, const float* const* given, std::uint32_t given_rows,
                        std::string& message) {
    if (given_rows == 0) return true;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        if (given == nullptr || given[i] == nullptr) {
            message = "samples of input " + std::to_string(i) + " are missing";
            return false;
        }
        const std::size_t count = net.tensors[net.inputs[i]].count;
        const float* end = given[i] + count * given_rows;
        const float* odd = std::find_if(given[i], end, [](float x) { return !std::isfinite(x); });
        if (odd != end) {
            const auto at = static_cast<std::size_t>(odd - given[i]);
            message = "number " + std::to_string(at % count) + " of sample row " + std::to_string(at / count) +
                      " of input " + std::to_string(i) + " is not finite";
            return false;
        }
    }
    return true;
}

Samples make_samples(const core::NetworkView& net, const float* const* given, std::uint32_t given_rows,
                     std::uint32_t most_rows) {
    Samples samples;
    samples.rows = given_rows == 0 ? most_rows : std::min(given_rows, most_rows);
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        const std::uint32_t count = net.tensors[net.inputs[i]].count;
        std::vector<float> input;
        input.reserve(static_cast<std::size_t>(samples.rows) * count);
        for (std::uint32_t row = 0; row < samples.rows; ++row) {
            if (given_rows != 0) {
                const std::uint64_t from = static_cast<std::uint64_t>(row) * given_rows / samples.rows;
                input.insert(input.end(), given[i] + from * count, given[i] + (from + 1) * count);
                continue;
            }
            for (std::uint32_t n = 0; n < count; ++n) {
                const kit::Block128 bits = kit::philox4x32({{n, row, i, 0}}, 0x6175u, 0x6775u);
                input.push_back(static_cast<float>(bits.word[0] >> 7) * 0x1p-24f - 1.0f);
            }
        }
        samples.inputs.push_back(std::move(input));
    }
    return samples;
}

}  // namespace augur::model
