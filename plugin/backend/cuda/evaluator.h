// Rows of a network evaluated outside of any search: one graph, launched once a batch.
#ifndef AUGUR_BACKEND_CUDA_EVALUATOR_H
#define AUGUR_BACKEND_CUDA_EVALUATOR_H

#include "backend/cuda/buffers.h"
#include "backend/cuda/clock.h"
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
    augur_result build_graph(std::string& message);
    augur_result fill_order(const EvaluationWork& work);
    unsigned char* open(BackendBuffer* buffer, augur_result& result);
    augur_result launch();
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
    cudaStream_t stream_ = nullptr;
    bool owns_stream_ = false;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
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
