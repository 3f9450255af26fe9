// The plain interpreter of int8 programs: the oracle for the bits of every backend.
#ifndef AUGUR_MODEL_REFERENCE_INT8_H
#define AUGUR_MODEL_REFERENCE_INT8_H

#include "core/network_program.h"

namespace augur::model {

// As run_reference, for programs of precision int8.
void run_reference_int8(const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                        std::uint32_t rows);

}  // namespace augur::model

#endif  // AUGUR_MODEL_REFERENCE_INT8_H
