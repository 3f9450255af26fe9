// A network with the precision it runs in: what a backend is given.
#ifndef AUGUR_CORE_NETWORK_PROGRAM_H
#define AUGUR_CORE_NETWORK_PROGRAM_H

#include "core/network_int8.h"

namespace augur::core {

// A network in half precision. Steps that make an output, or stand between the last weights and an output, are single:
// their weights are the network's floats, and what they write stays float. Every other step has half weights (biases
// stay float), sums in float, and rounds what it writes to half. Inputs are rounded to half where a step that is not
// single reads them.
struct HalfView {
    const std::uint16_t* weights;         // [weight_count], in the places of the float weights
    const std::uint32_t* single_tensors;  // [tensor_count] 1: floats
};

// Views: somebody else owns the arrays (model::Prepared), and keeps them in place as long as a backend has the program.
struct NetworkProgram {
    NetworkView network;
    Precision precision;
    QuantisedView quantised;  // int8
    HalfView half;            // fp16
};

}  // namespace augur::core

#endif  // AUGUR_CORE_NETWORK_PROGRAM_H
