// Worker threads of a context. With none of them the work is done by whoever waits for it.
#ifndef AUGUR_RUNTIME_THREAD_POOL_H
#define AUGUR_RUNTIME_THREAD_POOL_H

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "runtime/task_batch.h"

namespace augur {

class ThreadPool final : public Tasks {
  public:
    // Throws std::bad_alloc or std::system_error when the threads cannot be had.
    explicit ThreadPool(std::uint32_t worker_count);
    ~ThreadPool() override;

    std::uint32_t worker_count() const override { return static_cast<std::uint32_t>(workers_.size()); }
    void* enqueue(augur_task_fn run, void* data, std::uint32_t count) override;
    void finish(void* token) override;

  private:
    void work();
    void stop();
    bool claim(TaskBatch** batch, std::uint32_t* index);

    TaskBatchPool pool_;
    std::mutex mutex_;
    std::condition_variable work_ready_;
    std::condition_variable batch_done_;
    std::vector<TaskBatch*> queue_;  // oldest first; batches that may still have indices to take
    std::uint32_t sleeping_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_THREAD_POOL_H
