// Which output means what to a search. The rule is written down in onnx.h.
#ifndef AUGUR_MODEL_HEADS_H
#define AUGUR_MODEL_HEADS_H

#include "model/network.h"
#include "model/onnx.h"

namespace augur::model {

// Fills in network.heads from the names of its outputs. Throws Refusal.
void find_heads(const ImportOptions& options, Network& network);

}  // namespace augur::model

#endif  // AUGUR_MODEL_HEADS_H
