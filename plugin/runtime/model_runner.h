// Runs a network on a backend while it is being loaded, so that what is tried there is what will run.
#ifndef AUGUR_RUNTIME_MODEL_RUNNER_H
#define AUGUR_RUNTIME_MODEL_RUNNER_H

#include "backend/backend.h"
#include "model/prepare.h"

namespace augur {

// The backend outlives the runner.
model::ProgramRunner runner_on(Backend& backend);

}  // namespace augur

#endif  // AUGUR_RUNTIME_MODEL_RUNNER_H
