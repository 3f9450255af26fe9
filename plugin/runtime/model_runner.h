// Runs a network on a backend while it is being loaded, so that what is tried there is what will run.
#ifndef AUGUR_RUNTIME_MODEL_RUNNER_H
#define AUGUR_RUNTIME_MODEL_RUNNER_H

#include "backend/backend.h"
#include "model/prepare.h"

namespace augur {

// Runs programs on the backend, or on the CPU's where it cannot; both outlive the runner.
model::ProgramRunner runner_on(Backend& backend, Backend& cpu);

}  // namespace augur

#endif  // AUGUR_RUNTIME_MODEL_RUNNER_H
