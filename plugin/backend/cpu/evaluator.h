// Rows of a network evaluated outside of any search, shared among the context's workers.
#ifndef AUGUR_BACKEND_CPU_EVALUATOR_H
#define AUGUR_BACKEND_CPU_EVALUATOR_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/network.h"

namespace augur {

class CpuEvaluator final : public Evaluator {
  public:
    CpuEvaluator(const CpuNetwork& network, std::uint32_t row_capacity, Memory* memory, Tasks* tasks);
    ~CpuEvaluator() override;

    // False where there is no memory.
    bool allocate();

    augur_result submit(const EvaluationWork& work) override;
    augur_result wait(std::uint64_t timeout_ns) override;
    const EvaluationOutput& output() const override { return output_; }
    std::uint64_t memory_bytes() const override { return block_bytes_; }

  private:
    // Rows that a worker takes at a time.
    static constexpr std::uint32_t kPiece = 32;

    // A worker's own memory: rows that cannot be read or written where the host has them.
    struct Place {
        float* inputs[core::kNetworkInputs];
        float* outputs[core::kNetworkOutputs];
        std::byte* scratch;
    };
    std::size_t place(void* base);
    static void AUGUR_CALL run_entry(void* self, std::uint32_t worker) {
        static_cast<CpuEvaluator*>(self)->run(worker);
    }
    void run(std::uint32_t worker);
    void run_piece(std::uint32_t worker, std::uint32_t first, std::uint32_t rows);
    void finish_tasks();

    const CpuNetwork& network_;
    const std::uint32_t piece_;
    Memory* const memory_;
    Tasks* const tasks_;
    std::vector<std::uint32_t> input_sizes_, output_sizes_;
    std::vector<Place> places_;  // [workers]
    void* block_ = nullptr;
    std::size_t block_bytes_ = 0;

    EvaluationWork work_{};
    std::uint32_t pieces_ = 0;
    std::atomic<std::uint32_t> claimed_{0}, completed_{0};
    std::atomic<std::uint64_t> not_finite_{0};
    std::uint64_t began_ns_ = 0;  // written by whoever takes the first piece
    EvaluationOutput output_{};
    std::atomic<bool> done_{true};
    std::mutex mutex_;
    std::condition_variable finished_;
    void* token_ = nullptr;
    bool token_pending_ = false;
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_EVALUATOR_H
