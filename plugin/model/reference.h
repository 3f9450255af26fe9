// Runs a network in the slowest and plainest way: one row and one element at a time, sums in double. The oracle that
// every backend is tested against, and what calibration and the load-time canary measure with. It calls no function of
// a mathematics library, so its results are the same bits on every machine.
#ifndef AUGUR_MODEL_REFERENCE_H
#define AUGUR_MODEL_REFERENCE_H

#include <functional>

#include "core/network.h"

namespace augur::model {

// Called for every input and after every step of every row: the tensor, and the [count] numbers it now holds.
using Observer = std::function<void(std::uint32_t tensor, const float* values, std::uint32_t count)>;

// inputs[i] is [rows][count of input i], outputs[o] is [rows][count of output o]. Allocates; throws std::bad_alloc.
void run_reference(const core::NetworkView& net, const float* const* inputs, float* const* outputs, std::uint32_t rows,
                   const Observer& observer = {});

}  // namespace augur::model

#endif  // AUGUR_MODEL_REFERENCE_H
