// A network's place in one planner's GPU search: the frame's graph with the network in it, and the memory it works in.
#ifndef AUGUR_BACKEND_CUDA_SEAT_H
#define AUGUR_BACKEND_CUDA_SEAT_H

#include <memory>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "backend/cuda/device_block.h"
#include "backend/cuda/fused_plan.h"
#include "backend/cuda/graph.h"
#include "backend/cuda/network.h"

namespace augur::cuda {

// A network as the search's kernels see it.
struct SeatView {
    core::ValueKind value_kind;
    float value_scale;
    // Waves: a batch of rows in device memory.
    float* features;      // [rows][features]
    const float* logits;  // [rows][K]; null: no policy head
    const float* values;  // [rows][value_outputs]; null: no value head
    // Fused.
    const FusedNetwork* fused;
    const uint4* weights;            // [weight_words]
    const std::uint32_t* constants;  // [constant_words]
};

// Multiply-adds of one row, roughly.
std::uint64_t row_work(const core::NetworkView& net);

// Whether one evaluation of so much takes so long that a deadline is looked at after each.
bool is_heavy_work(std::uint64_t each_row, std::uint32_t rows);

class CudaSeat final : public NetworkSeat {
  public:
    // fused: as the fused kernel runs the network; nothing: by kernels of its own, `rows` at a time at most.
    CudaSeat(std::shared_ptr<Device> device, const NetworkUse& use, std::optional<FusedPlan> fused, std::uint32_t rows);

    // Takes the memory and fills it. Waits for the stream.
    augur_result allocate(cudaStream_t stream, std::string& message);

    std::uint64_t memory_bytes() const override { return block_bytes_; }
    bool is_fused() const { return fused_.has_value(); }
    const FusedPlan& fused() const { return *fused_; }
    const SeatView& view() const { return view_; }
    // Of one of the lanes.
    FrameGraph& graph(std::uint32_t lane) { return graphs_[lane]; }

    // The network's kernels; rows: how many, in device memory.
    void add_network(GraphChain& chain, const std::uint32_t* rows) const;
    // The roots are looked at in the same way.
    void add_roots(GraphChain& chain, const std::uint32_t* rows) const { add_network(chain, rows); }
    bool is_heavy() const;

  private:
    std::uint64_t place(unsigned char* base);

    std::shared_ptr<Device> device_;
    const CudaNetwork& network_;
    const std::optional<FusedPlan> fused_;
    const std::uint32_t rows_;
    SeatView view_{};
    NetworkBatch batch_{};
    FusedNetwork* fused_network_ = nullptr;  // device
    FrameGraph graphs_[core::kMaxLanes];
    std::uint64_t block_bytes_ = 0;
    DeviceBlock block_;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_SEAT_H
