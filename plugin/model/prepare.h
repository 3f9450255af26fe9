// Chooses and makes the precision that a network runs in, and tries it before anybody relies on it.
#ifndef AUGUR_MODEL_PREPARE_H
#define AUGUR_MODEL_PREPARE_H

#include <augur/base.h>

#include <functional>
#include <string>
#include <vector>

#include "core/network_program.h"
#include "model/half_weights.h"
#include "model/network.h"
#include "model/quantise.h"

namespace augur::model {

enum class PrecisionChoice : std::uint32_t {
    automatic = 0,  // fp32 on a CPU, fp16 on a GPU
    fp32,
    fp16,
    int8,
};

// Runs a program on rows; as run_reference. False: it could not be run.
using ProgramRunner = std::function<bool(const core::NetworkProgram& program, const float* const* inputs,
                                         float* const* outputs, std::uint32_t rows)>;

struct PrepareOptions {
    PrecisionChoice precision = PrecisionChoice::automatic;
    bool for_gpu = false;
    // Inputs like those the network will see: inputs[i] is [rows][count of input i]. 0 rows: numbers of our own,
    // uniform in [-1, 1], always the same.
    const float* const* sample_inputs = nullptr;
    std::uint32_t sample_rows = 0;
    // Greatest error of an output against fp32 that the chosen precision may have, in parts of the output's range; see
    // HeadError. A reward beside a policy or a value may have more: no search reads it. [0.05]
    float error_limit = 0.05f;
    // Where the value head's numbers belong; infinite: anywhere.
    float value_least = -1.0f, value_most = 1.0f;
    // What the canary runs on: a backend, or nothing for the reference, which takes seconds for a large network. int8
    // takes its scales from the reference either way.
    ProgramRunner run;
};

// The chosen precision against fp32 on the samples, for one output.
struct HeadError {
    float greatest;     // by size, in parts of the range
    float mean_square;  // its root, in parts of the range
    float range;        // greatest minus least number of the fp32 output, at least 1e-6
    float least, most;  // of the fp32 output
};

// A network and all that its precision needs. Neither moved nor copied while a backend has its program.
struct Prepared {
    Network network;
    HalfWeights half;
    Quantised quantised;
    core::Precision precision = core::Precision::fp32;
    std::vector<HeadError> errors;  // [outputs]
    std::uint32_t sample_rows = 0;  // that the canary ran on

    core::NetworkProgram program() const;
};

// Makes *out, which is overwritten. AUGUR_OK, with in message whatever the host should read: why the precision is not
// the one asked for (fp16 falls back to fp32, int8 to fp16 on a GPU and else to fp32), outputs that are constant, not
// finite, or differ between two runs, values outside of where they belong. Sentences end with a line feed; no message:
// "".
//   AUGUR_ERROR_INVALID_ARGUMENT  error_limit is negative or NaN; samples are missing or not finite;
//   AUGUR_ERROR_OUT_OF_MEMORY, AUGUR_ERROR_INTERNAL.
// Never throws. Cost: a few runs of the network on the samples; on large networks only the first of them are used.
augur_result prepare(Network&& network, const PrepareOptions& options, Prepared* out, std::string& message);

}  // namespace augur::model

#endif  // AUGUR_MODEL_PREPARE_H
