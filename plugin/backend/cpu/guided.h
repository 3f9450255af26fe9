// A network's seat in a planner's CPU search.
#ifndef AUGUR_BACKEND_CPU_GUIDED_H
#define AUGUR_BACKEND_CPU_GUIDED_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/arena.h"
#include "backend/cpu/network.h"
#include "core/choose.h"
#include "core/guided_search.h"

namespace augur {

// A network as planners and evaluations of the CPU backend share it.
class CpuBackendNetwork final : public BackendNetwork {
  public:
    explicit CpuBackendNetwork(std::unique_ptr<CpuNetwork> network) : network_(std::move(network)) {}

    const CpuNetwork& network() const { return *network_; }
    const core::NetworkProgram& program() const override { return network_->program(); }
    std::uint64_t memory_bytes() const override { return network_->memory_bytes(); }

  private:
    std::unique_ptr<CpuNetwork> network_;
};

// A network's working memory: for each worker the rows of one batch, what comes out, and the network's own scratch.
class CpuSeat final : public NetworkSeat {
  public:
    CpuSeat(const NetworkUse& use, std::uint32_t rows, std::uint32_t workers, Memory* memory);
    ~CpuSeat() override;

    // Rows of a batch: a group of a forest, or a wave.
    static std::uint32_t rows_of(const EngineDesc& desc) {
        return desc.search == AUGUR_SEARCH_TREE ? std::max(core::kGuidedGroup, desc.leaves_per_wave)
                                                : core::kGuidedGroup;
    }

    // False where there is no memory.
    bool allocate();

    std::uint64_t memory_bytes() const override { return block_bytes_; }

    // The first feature of a row of a worker's batch.
    float* row(std::uint32_t worker, std::uint32_t row) const;
    // Runs the network over the first `rows` rows of a worker's batch.
    void run(std::uint32_t worker, std::uint32_t rows);
    // What it said of a row.
    core::Advice advice(std::uint32_t worker, std::uint32_t row) const;

    // The batch of one worker, for core::GuidedSearch.
    struct Batch {
        CpuSeat& seat;
        std::uint32_t worker;
        float* row(std::uint32_t i) const { return seat.row(worker, i); }
        void run(std::uint32_t rows) const { seat.run(worker, rows); }
        core::Advice advice(std::uint32_t i) const { return seat.advice(worker, i); }
        bool has_value() const { return seat.heads_[1] != core::kNoHead; }
    };

  private:
    struct Place {
        float* input;
        float* outputs[core::kNetworkOutputs];  // null but for the policy and the value: no search reads the others
        std::byte* scratch;
    };
    std::size_t place(void* base);
    const float* head(core::NetworkHead which, std::uint32_t worker, std::uint32_t row) const;

    const CpuNetwork& network_;
    const NetworkUse use_;
    const std::uint32_t rows_;
    std::uint32_t features_;
    std::uint32_t output_sizes_[core::kNetworkOutputs]{};
    std::uint32_t heads_[core::kNetworkHeads];
    Memory* const memory_;
    std::vector<Place> places_;  // [workers]; a worker changes its own only
    void* block_ = nullptr;
    std::size_t block_bytes_;
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_GUIDED_H
