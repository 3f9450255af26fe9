// Makes a draft shorter without changing what it computes: fewer steps are less memory traffic and fewer launches.
#ifndef AUGUR_MODEL_FOLD_H
#define AUGUR_MODEL_FOLD_H

#include "model/draft.h"

namespace augur::model {

// In one pass from first step to last, where the step before has no other reader:
//   conv or dense, then a product, quotient, sum or difference with a constant per channel (a batch normalization, the
//   bias of a linear layer) -> into its weights and bias;
//   conv or dense, then a sum with another tensor of the same shape -> its residual;
//   any arithmetic step, then an activation -> its activation;
//   x / sqrt 2 -> erf -> + 1 -> * x -> / 2, as exporters write it before opset 20 -> gelu.
// Then steps and tensors that no output needs are taken out. most_made: elements of weights that may be copied for
// this; when they are used up, what is left stays as it is.
void fold(Draft& draft, std::uint64_t most_made);

}  // namespace augur::model

#endif  // AUGUR_MODEL_FOLD_H
