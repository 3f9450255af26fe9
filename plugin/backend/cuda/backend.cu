#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "backend/cuda/buffers.h"
#include "backend/cuda/evaluator.h"
#include "backend/cuda/games.h"
#include "backend/cuda/network.h"

namespace augur {

namespace cuda {

namespace {

std::vector<CudaGame>& games() {
    static std::vector<CudaGame> all = {connect_four_game(), skirmish_game()};
    return all;
}

class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    augur_backend kind() const override { return AUGUR_BACKEND_CUDA; }

    void describe(augur_capabilities& out) const override {
        const cudaDeviceProp& p = device_->properties();
        int driver = 0, runtime = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        out.backend = AUGUR_BACKEND_CUDA;
        std::snprintf(out.device_name, sizeof out.device_name, "%.127s", p.name);
        out.cuda_driver = static_cast<std::uint32_t>(driver);
        out.cuda_runtime = static_cast<std::uint32_t>(runtime);
        out.compute_capability = static_cast<std::uint32_t>(p.major * 10 + p.minor);
        out.multiprocessors = static_cast<std::uint32_t>(p.multiProcessorCount);
        out.memory_bytes = p.totalGlobalMem;
        out.opengl_interop = 1;
        out.exact = 1;
        const Sharing& sharing = device_->sharing();
        out.gpu_sharing = static_cast<std::uint32_t>(sharing.mode());
        for (std::uint32_t i = 0; i < sharing.lane_count(); ++i)
            out.search_multiprocessors = std::max(out.search_multiprocessors, sharing.search_lane(i).multiprocessors);
    }

    const core::RulesInfo* game(std::uint32_t index) const override {
        return index < games().size() ? games()[index].info : nullptr;
    }

    augur_result memory(const EngineDesc& desc, EngineMemory* out, std::string& message) const override {
        const CudaGame* row = find(desc, message);
        if (row == nullptr) return AUGUR_ERROR_NOT_FOUND;
        *out = row->memory(desc, device_);
        return AUGUR_OK;
    }

    augur_result make_engine(const EngineDesc& desc, std::unique_ptr<Engine>* out, std::string& message) override {
        const CudaGame* row = find(desc, message);
        if (row == nullptr) return AUGUR_ERROR_NOT_FOUND;
        if (device_->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
        return row->make_engine(desc, device_, out, message);
    }

    std::uint64_t seat_bytes(const EngineDesc& desc, const NetworkUse& use) const override {
        std::string unused;
        const CudaGame* row = find(desc, unused);
        return row != nullptr ? row->seat_bytes(desc, device_, use) : 0;
    }

    augur_result attach(const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out,
                        std::string& message) override {
        return attach_buffer(device_, desc, out, message);
    }

    augur_result make_network(const core::NetworkProgram& program, std::unique_ptr<BackendNetwork>* out,
                              std::string& message) override {
        return CudaNetwork::make(program, device_, out, message);
    }

    augur_result make_evaluator(const BackendNetwork& network, std::uint32_t row_capacity,
                                std::unique_ptr<Evaluator>* out, std::string& message) override {
        if (device_->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
        auto evaluator =
            std::make_unique<CudaEvaluator>(static_cast<const CudaNetwork&>(network), row_capacity, device_);
        const augur_result result = evaluator->create(message);
        if (result == AUGUR_OK) *out = std::move(evaluator);
        return result;
    }

    DeviceMemory device_memory() const override {
        DeviceMemory memory;
        memory.held_bytes = device_->reserved();
        const ContextScope scope(*device_);
        std::size_t free = 0, total = 0;
        if (device_->health().lost()) return memory;
        if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
            memory.free_bytes = free;
            memory.total_bytes = total;
        } else {
            cudaGetLastError();  // a figure that cannot be had is nobody's error
        }
        return memory;
    }

    augur_result health() const override { return device_->health().lost() ? AUGUR_ERROR_DEVICE_LOST : AUGUR_OK; }

  private:
    static const CudaGame* find(const EngineDesc& desc, std::string& message) {
        if (desc.learned != nullptr) return &learned_cuda_game(desc.learned->action_count);
        for (const CudaGame& game : games())
            if (std::string_view(game.info->name) == desc.rules->name) return &game;
        message = std::string("the CUDA backend has no game \"") + desc.rules->name + "\"";
        return nullptr;
    }

    std::shared_ptr<Device> device_;
};

}  // namespace

void add_cuda_game(const CudaGame& game) {
    games().push_back(game);
}

}  // namespace cuda

augur_result make_cuda_backend(const BackendHost& host, std::unique_ptr<Backend>* out, std::string& message) {
    auto device = std::make_shared<cuda::Device>();
    const augur_result result = device->open(host, message);
    if (result == AUGUR_OK) *out = std::make_unique<cuda::CudaBackend>(std::move(device));
    return result;
}

}  // namespace augur
