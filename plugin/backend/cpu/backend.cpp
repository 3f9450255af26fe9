#include "backend/backend.h"

#include <vector>

#include "backend/cpu/engine.h"
#include "backend/cpu/evaluator.h"
#include "backend/cpu/games.h"
#include "backend/cpu/learned_games.h"
#include "rules/connect_four.h"
#include "rules/skirmish.h"

namespace augur {

namespace {

std::vector<CpuGame>& games() {
    // Never destroyed: a host may still plan from its own static destructors.
    static auto& all = *new std::vector<CpuGame>{make_cpu_game<rules::ConnectFour>(), make_cpu_game<rules::Skirmish>()};
    return all;
}

const CpuGame* find(const EngineDesc& desc) {
    if (desc.learned != nullptr) return &learned_cpu_game(desc.learned->action_count);
    for (const CpuGame& game : games())
        if (game.info == desc.rules || std::string_view(game.info->name) == desc.rules->name) return &game;
    return nullptr;
}

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(const BackendHost& host) : host_(host) {}

    augur_backend kind() const override { return AUGUR_BACKEND_CPU; }

    void describe(augur_capabilities& out) const override {
        out.backend = AUGUR_BACKEND_CPU;
        out.worker_count = host_.tasks->worker_count();
        out.exact = 1;
    }

    const core::RulesInfo* game(std::uint32_t index) const override {
        const CpuGame* row = cpu_game(index);
        return row != nullptr ? row->info : nullptr;
    }

    augur_result memory(const EngineDesc& desc, EngineMemory* out, std::string& message) const override {
        const CpuGame* row = find(desc);
        if (row == nullptr) return missing(desc, message);
        *out = row->memory(desc);
        if (desc.learned != nullptr)
            out->host_bytes +=
                CpuLearned(*desc.learned, CpuSeat::rows_of(desc), workers(), host_.memory).memory_bytes();
        return AUGUR_OK;
    }

    augur_result make_engine(const EngineDesc& desc, std::unique_ptr<Engine>* out, std::string& message) override {
        const CpuGame* row = find(desc);
        if (row == nullptr) return missing(desc, message);
        return row->make_engine(desc, host_, out, message);
    }

    std::uint64_t seat_bytes(const EngineDesc& desc, const NetworkUse& use) const override {
        return CpuSeat(use, CpuSeat::rows_of(desc), workers(), host_.memory).memory_bytes();
    }

    augur_result make_network(const core::NetworkProgram& program, std::unique_ptr<BackendNetwork>* out,
                              std::string& message) override {
        std::unique_ptr<CpuNetwork> network;
        const augur_result result = CpuNetwork::make(program, *host_.memory, best_cpu_level(), &network, message);
        if (result == AUGUR_OK) *out = std::make_unique<CpuBackendNetwork>(std::move(network));
        return result;
    }

    augur_result make_evaluator(const BackendNetwork& network, std::uint32_t row_capacity,
                                std::unique_ptr<Evaluator>* out, std::string& message) override {
        auto evaluator = std::make_unique<CpuEvaluator>(static_cast<const CpuBackendNetwork&>(network).network(),
                                                        row_capacity, host_.memory, host_.tasks);
        if (!evaluator->allocate()) {
            message = "no memory for " + std::to_string(evaluator->memory_bytes()) + " bytes of rows";
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        *out = std::move(evaluator);
        return AUGUR_OK;
    }

    augur_result attach(const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out,
                        std::string& message) override {
        if (desc.kind != AUGUR_BUFFER_HOST) {
            message =
                "kind is AUGUR_BUFFER_CUDA, and this context uses the CPU backend, which cannot read device memory";
            return AUGUR_ERROR_UNSUPPORTED;
        }
        *out = make_host_view(desc.pointer);
        return AUGUR_OK;
    }

    augur_result health() const override { return AUGUR_OK; }

  private:
    std::uint32_t workers() const { return kit::maximum(1u, host_.tasks->worker_count()); }
    static augur_result missing(const EngineDesc& desc, std::string& message) {
        message = std::string("the CPU backend has no game \"") + desc.rules->name + "\"";
        return AUGUR_ERROR_NOT_FOUND;
    }

    BackendHost host_;
};

}  // namespace

const CpuGame* cpu_game(std::uint32_t index) {
    return index < games().size() ? &games()[index] : nullptr;
}

void add_cpu_game(const CpuGame& game) {
    games().push_back(game);
}

std::unique_ptr<Backend> make_cpu_backend(const BackendHost& host) {
    return std::make_unique<CpuBackend>(host);
}

std::unique_ptr<BackendBuffer> make_host_view(void* data) {
    return std::make_unique<HostView>(data);
}

}  // namespace augur
