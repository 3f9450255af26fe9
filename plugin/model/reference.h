// Runs networks in the slowest and plainest way, one row at a time: the oracle that every backend is tested against,
// and what calibration and the load-time canary measure with. It calls no function of a mathematics library, so its
// results are the same bits on every machine.
#ifndef AUGUR_MODEL_REFERENCE_H
#define AUGUR_MODEL_REFERENCE_H

#include <functional>

#include "core/network_program.h"

namespace augur::model {

// What a tensor holds after a step, [count] of `values`; `before` is the same before the activation. Inputs are
// observed too, with step kNoStep; both are the same then.
struct Observation {
    std::uint32_t step;
    std::uint32_t tensor;
    std::uint32_t count;
    const float* before;
    const float* values;
};
inline constexpr std::uint32_t kNoStep = 0xffffffffu;
using Observer = std::function<void(const Observation&)>;

// inputs[i] is [rows][count of input i], outputs[o] is [rows][count of output o]. Sums in double. Allocates; throws
// std::bad_alloc.
void run_reference(const core::NetworkView& net, const float* const* inputs, float* const* outputs, std::uint32_t rows,
                   const Observer& observer = {});

// The same in the program's precision: fp32 and fp16 with sums in double, int8 bit for bit what every backend gives.
void run_reference(const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                   std::uint32_t rows);

}  // namespace augur::model

#endif  // AUGUR_MODEL_REFERENCE_H
