// Where the tensors of a row lie in its scratch, so that those which never live at the same time share it.
#ifndef AUGUR_MODEL_MEMORY_H
#define AUGUR_MODEL_MEMORY_H

#include <cstdint>

#include "model/draft.h"

namespace augur::model {

// Fills in the offsets of every computed tensor and returns the elements of a row's scratch. In the order of the steps,
// each output takes the smallest gap that holds it; a unary step, or a binary one whose operand has the output's shape,
// writes over an operand that nobody reads again.
std::uint64_t place_tensors(Draft& draft);

}  // namespace augur::model

#endif  // AUGUR_MODEL_MEMORY_H
