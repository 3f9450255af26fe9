#include "runtime/thread_pool.h"

#include <algorithm>

namespace augur {

ThreadPool::ThreadPool(std::uint32_t worker_count) {
    queue_.reserve(TaskBatchPool::kCapacity);
    workers_.reserve(worker_count);
    try {
        for (std::uint32_t i = 0; i < worker_count; ++i)
            workers_.emplace_back([this] { work(); });
    } catch (...) {
        stop();
        throw;
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

void ThreadPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_ready_.notify_all();
    for (std::thread& worker : workers_)
        worker.join();
    workers_.clear();
}

void* ThreadPool::enqueue(augur_task_fn run, void* data, std::uint32_t count) {
    TaskBatch* batch = count > 0 ? pool_.take() : nullptr;
    if (batch == nullptr) {
        const system::DefaultFloatingPoint mode;
        for (std::uint32_t i = 0; i < count; ++i)
            run(data, i);
        return nullptr;
    }
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        batch->start(run, data, count);
        queue_.push_back(batch);
        wake = sleeping_ > 0;
    }
    // One thread is woken here, and each one that wakes wakes the next: the caller does not pay for all of them.
    if (wake) work_ready_.notify_one();
    return batch;
}

void ThreadPool::finish(void* token) {
    if (token == nullptr) return;
    auto* batch = static_cast<TaskBatch*>(token);
    std::uint32_t index = 0;
    if (batch->claim(&index)) batch->run_from(index);
    std::unique_lock lock(mutex_);
    batch_done_.wait(lock, [batch] { return batch->done(); });
    // A worker that saw this batch in the queue holds the lock while it looks at it, so nobody does now.
    queue_.erase(std::remove(queue_.begin(), queue_.end(), batch), queue_.end());
    lock.unlock();
    pool_.give_back(batch);
}

bool ThreadPool::claim(TaskBatch** batch, std::uint32_t* index) {
    for (TaskBatch* candidate : queue_) {
        if (candidate->claim(index)) {
            *batch = candidate;
            return true;
        }
    }
    return false;
}

void ThreadPool::work() {
    system::name_thread("augur-worker");
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        TaskBatch* batch = nullptr;
        std::uint32_t index = 0;
        if (!claim(&batch, &index)) {
            ++sleeping_;
            work_ready_.wait(lock);
            --sleeping_;
            continue;
        }
        const bool wake_next = sleeping_ > 0 && batch->has_work();
        lock.unlock();
        if (wake_next) work_ready_.notify_one();
        const bool last = batch->run_from(index);
        lock.lock();
        if (last) batch_done_.notify_all();
    }
}

}  // namespace augur
