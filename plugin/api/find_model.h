// The model that a call may name.
#ifndef AUGUR_API_FIND_MODEL_H
#define AUGUR_API_FIND_MODEL_H

#include "api/barrier.h"
#include "runtime/model.h"

namespace augur::api {

// Keeps the model for the length of the call; none for the zero id.
inline augur_result find_model(augur_model_id model, const Context& context, Use<Model>* out) {
    if (model.value == 0) return AUGUR_OK;
    if (const augur_result result = out->acquire(model.value); result != AUGUR_OK) return result;
    return check_context(**out, context, "model");
}

}  // namespace augur::api

#endif  // AUGUR_API_FIND_MODEL_H
