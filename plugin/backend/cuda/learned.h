// The networks of a learned game in one planner's GPU search: the memory they work in, and their kernels in its graph.
#ifndef AUGUR_BACKEND_CUDA_LEARNED_H
#define AUGUR_BACKEND_CUDA_LEARNED_H

#include "backend/cuda/control.h"
#include "backend/cuda/device_block.h"
#include "backend/cuda/learned_view.h"
#include "backend/cuda/network.h"
#include "backend/cuda/seat.h"

namespace augur::cuda {

class CudaLearned {
  public:
    // agents: most of a frame; rows: of a batch below the roots, at most, and no less than agents.
    CudaLearned(std::shared_ptr<Device> device, const LearnedGame& game, std::uint32_t agents, std::uint32_t rows);

    // Takes the memory. Waits for the stream.
    augur_result allocate(cudaStream_t stream, std::string& message);

    std::uint64_t memory_bytes() const { return block_bytes_; }
    // Everything but the latents, which the engine keeps with its trees.
    LearnedView learned_view(float* latents) const;
    // The prediction.
    const SeatView& view() const { return view_; }

    // Before the roots are gathered: what the frame's agents see. order: in device memory.
    void add_observations(GraphChain& chain, const FrameOrder* order) const;
    // Representation and prediction of rows 0 .. *rows - 1, which are agents; rows is read when the kernels run.
    void add_roots(GraphChain& chain, const std::uint32_t* rows) const;
    // Dynamics and prediction of the rows of a wave.
    void add_network(GraphChain& chain, const std::uint32_t* rows) const;
    bool is_heavy() const;

  private:
    std::uint64_t place(unsigned char* base);
    static void add_part(GraphChain& chain, const CudaNetwork& network, const NetworkBatch& batch,
                         const std::uint32_t* rows);
    // Numbers of whole rows are looked at, and made zeros where not all are finite.
    void add_keep_finite(GraphChain& chain, float* numbers, std::uint32_t count, std::uint32_t row_capacity,
                         const std::uint32_t* rows, std::uint32_t* sound) const;

    std::shared_ptr<Device> device_;
    const LearnedGame game_;
    const CudaNetwork &representation_, &dynamics_, &prediction_;
    const std::uint32_t agents_, rows_;
    LearnedView learned_{};
    SeatView view_{};
    NetworkBatch representation_batch_{}, dynamics_batch_{}, prediction_batch_{};
    float* states_ = nullptr;         // [rows][S], made by representation or dynamics
    std::uint32_t* sound_ = nullptr;  // [rows]
    std::uint64_t block_bytes_ = 0;
    DeviceBlock block_;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_LEARNED_H
