// A network on the GPU: weights packed once in device memory, then run as kernels of whatever graph wants it.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_H
#define AUGUR_BACKEND_CUDA_NETWORK_H

#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/cuda/graph.h"

namespace augur::cuda {

struct NetworkPlan;

// Where a batch lies. All memory belongs to the caller, is on the device, and stays in place as long as the graph.
struct NetworkBatch {
    const float* inputs[core::kNetworkInputs];  // [rows][count of the input], 16-byte aligned
    float* outputs[core::kNetworkOutputs];      // [rows][count of the output]; null: not wanted
    void* scratch;                              // scratch_bytes(row_capacity), aligned to 256 bytes, of any content
    std::uint32_t row_capacity;                 // most rows, at least 1
    const std::uint32_t* rows;  // how many there are (<= row_capacity), read by the kernels when they run; null: all
    // Null, or where the kernels find the addresses of inputs and outputs when they run, instead of the ones above.
    const float* const* input_table;  // [inputs]
    float* const* output_table;       // [outputs]
};

class CudaNetwork final : public BackendNetwork {
  public:
    // The program's arrays stay alive and in place as long as the network. Errors: _OUT_OF_MEMORY (with the bytes),
    // _DEVICE_LOST. Waits for the weights to be in place.
    static augur_result make(const core::NetworkProgram& program, std::shared_ptr<Device> device,
                             std::unique_ptr<BackendNetwork>* out, std::string& message);
    ~CudaNetwork() override;
    CudaNetwork(const CudaNetwork&) = delete;
    CudaNetwork& operator=(const CudaNetwork&) = delete;

    const core::NetworkProgram& program() const override { return program_; }
    std::uint64_t memory_bytes() const override { return block_bytes_; }

    std::uint64_t scratch_bytes(std::uint32_t row_capacity) const;

    // Adds the kernels that evaluate a batch, after everything added so far. Kernel nodes only, so it may be the body
    // of a conditional node, and any number of times in any graph. The network outlives the graph. A row's results are
    // the same bits in any batch of the same row_capacity; int8: in any batch.
    void add_to(GraphChain& chain, const NetworkBatch& batch) const;

  private:
    CudaNetwork(const core::NetworkProgram& program, std::shared_ptr<Device> device);

    core::NetworkProgram program_;
    std::shared_ptr<Device> device_;
    std::unique_ptr<NetworkPlan> plan_;
    void* block_ = nullptr;
    std::uint64_t block_bytes_ = 0;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_H
