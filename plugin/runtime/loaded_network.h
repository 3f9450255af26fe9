// A network and what runs it.
#ifndef AUGUR_RUNTIME_LOADED_NETWORK_H
#define AUGUR_RUNTIME_LOADED_NETWORK_H

#include <memory>
#include <string>

#include "backend/backend.h"
#include "model/prepare.h"

namespace augur {

// A network that planners keep for as long as they use it, whatever becomes of the model it came from.
struct LoadedNetwork {
    model::Prepared prepared;
    std::string note;                        // what preparing had to say
    std::unique_ptr<BackendNetwork> on_cpu;  // made of prepared, which outlives it
    std::unique_ptr<BackendNetwork> on_gpu;  // null: it runs on the CPU alone
    core::ValueKind value_kind = core::ValueKind::bounded;
    float value_scale = 1.0f;
    std::uint64_t identity = 0;  // of everything that its answers depend on; never 0 once loaded

    ~LoadedNetwork() {
        on_gpu = nullptr;
        on_cpu = nullptr;
    }
    // network null: not on that backend.
    NetworkUse use(augur_backend backend = AUGUR_BACKEND_CPU) const {
        return {backend == AUGUR_BACKEND_CUDA ? on_gpu.get() : on_cpu.get(), value_kind, value_scale};
    }
    const model::Network& network() const { return prepared.network; }
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_LOADED_NETWORK_H
