// Rows of a network evaluated outside of any search: one graph, launched once a batch.
#ifndef AUGUR_BACKEND_CUDA_EVALUATOR_H
#define AUGUR_BACKEND_CUDA_EVALUATOR_H

#include "backend/cuda/buffers.h"
#include "backend/cuda/clock.h"
#include "backend/cuda/graph.h"
#include "backend/cuda/network.h"

namespace augur::cuda {

struct EvaluatorMailbox;
struct EvaluatorState;

class CudaEvaluator final : public Evaluator {
  public:
    // The network outlives it.
    CudaEvaluator(const CudaNetwork& network, std::uint32_t row_capacity, std::shared_ptr<Device> device);
    ~CudaEvaluator() override;

    // Takes memory, builds the graph, and runs it without rows.
    augur_result create(std::string& message);

    augur_result submit(const EvaluationWork& work) override;
    augur_result wait(std::uint64_t timeout_ns) override;
    const EvaluationOutput& output() const override { return output_; }
    std::uint64_t memory_bytes() const override { return block_bytes_; }

  private:
    // Where the parts of the block of device memory lie.
    struct Places {
        std::uint64_t inputs[core::kNetworkInputs], outputs[core::kNetworkOutputs], scratch, state, bytes;
    };
    Places place(std::uint32_t rows) const;
    augur_result take_memory(std::string& message);
    augur_result make_stream(std::uint32_t lane, std::string& message);
    augur_result build_graph(std::uint32_t lane, std::string& message);
    augur_result fill_order(const EvaluationWork& work);
    unsigned char* open(BackendBuffer* buffer, augur_result& result);
    CUcontext lane_context(std::uint32_t lane) const { return device_->sharing().evaluation_lane(lane).context; }
    augur_result launch();
    void end_running();
    bool finished();

    const CudaNetwork& network_;
    std::shared_ptr<Device> device_;
    const std::uint32_t row_capacity_;
    std::uint32_t part_rows_ = 0;  // rows that go through the network at a time
    void* block_ = nullptr;
    std::uint64_t block_bytes_ = 0;
    std::uint64_t reserved_ = 0;
    EvaluatorMailbox* mailbox_ = nullptr;
    EvaluatorMailbox* device_mailbox_ = nullptr;  // as the device sees it
    EvaluatorState* state_ = nullptr;
    // A lane of the GPU as this evaluator uses it.
    struct EvaluatorLane {
        cudaStream_t stream = nullptr;
        bool owns_stream = false;
        std::unique_ptr<FrameGraph> graph;
    };
    EvaluatorLane lanes_[core::kMaxLanes];
    std::uint32_t lane_ = 0;      // of the running batch, or of the last one
    cudaEvent_t turn_ = nullptr;  // passed when the batch is done
    ClockOffset clock_;

    CudaBuffer* buffers_[core::kNetworkInputs + core::kNetworkOutputs]{};
    std::uint32_t buffer_count_ = 0;
    std::uint64_t sequence_ = 0;
    std::uint64_t launched_ns_ = 0;
    std::uint32_t polls_ = 0;
    bool running_ = false;
    augur_result result_ = AUGUR_OK;
    EvaluationOutput output_{};
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_EVALUATOR_H
