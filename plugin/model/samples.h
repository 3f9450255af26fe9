// Rows that a network is tried on when it is loaded.
#ifndef AUGUR_MODEL_SAMPLES_H
#define AUGUR_MODEL_SAMPLES_H

#include <string>
#include <vector>

#include "core/network.h"

namespace augur::model {

struct Samples {
    std::vector<std::vector<float>> inputs;  // [inputs][rows][count]
    std::uint32_t rows = 0;

    std::vector<const float*> pointers() const;
};

// False with a message where rows are announced but not there, or are not finite.
bool samples_are_usable(const core::NetworkView& net, const float* const* given, std::uint32_t given_rows,
                        std::string& message);

// Up to most_rows of the given rows, spread evenly over all; where none are given, most_rows of numbers uniform in
// [-1, 1], the same for ever.
Samples make_samples(const core::NetworkView& net, const float* const* given, std::uint32_t given_rows,
                     std::uint32_t most_rows);

}  // namespace augur::model

#endif  // AUGUR_MODEL_SAMPLES_H
