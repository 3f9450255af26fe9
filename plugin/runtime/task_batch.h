// One enqueue of CPU work: whoever comes by takes the next index; every index runs exactly once.
#ifndef AUGUR_RUNTIME_TASK_BATCH_H
#define AUGUR_RUNTIME_TASK_BATCH_H

#include <augur/context.h>

#include <array>
#include <atomic>

#include "runtime/system.h"

namespace augur {

// Batches are taken from a fixed pool, so a frame allocates nothing.
struct TaskBatch {
    augur_task_fn run = nullptr;
    void* data = nullptr;
    std::uint32_t count = 0;
    std::atomic<std::uint32_t> next{0};  // first index that nobody took
    std::atomic<std::uint32_t> left{0};  // indices whose run has not returned
    std::atomic<bool> taken{false};      // in use by an enqueue
    void* host_token = nullptr;          // of the host's task system
    bool enqueued = false;               // the host took it

    void start(augur_task_fn batch_run, void* batch_data, std::uint32_t batch_count) {
        run = batch_run;
        data = batch_data;
        count = batch_count;
        left.store(batch_count, std::memory_order_relaxed);
        next.store(0, std::memory_order_release);
    }

    bool has_work() const { return next.load(std::memory_order_relaxed) < count; }
    bool done() const { return left.load(std::memory_order_acquire) == 0; }

    // Takes an index to run; false when all are taken. Whoever holds one that has not returned keeps the batch alive.
    bool claim(std::uint32_t* index) {
        if (!has_work()) return false;
        *index = next.fetch_add(1, std::memory_order_acq_rel);
        return *index < count;
    }

    // Runs a claimed index, then others while there are any, under the default floating point mode. True when the last
    // run of the batch returned here. The batch may be gone when this returns.
    bool run_from(std::uint32_t index) {
        const system::DefaultFloatingPoint mode;
        for (;;) {
            run(data, index);
            // The next one is taken before this one is given back, so the batch cannot end in between.
            const bool more = claim(&index);
            const bool last = left.fetch_sub(1, std::memory_order_acq_rel) == 1;
            if (!more) return last;
        }
    }
};

// Batches in flight at once: one for each frame that runs. More than these run inside enqueue.
class TaskBatchPool {
  public:
    static constexpr std::size_t kCapacity = 128;

    TaskBatch* take() {
        for (TaskBatch& batch : batches_) {
            if (!batch.taken.exchange(true, std::memory_order_acq_rel)) return &batch;
        }
        return nullptr;
    }
    void give_back(TaskBatch* batch) { batch->taken.store(false, std::memory_order_release); }

  private:
    std::array<TaskBatch, kCapacity> batches_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_TASK_BATCH_H
