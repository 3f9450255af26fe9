#include "runtime/host_tasks.h"

#include "runtime/callback.h"

namespace augur {

void HostTasks::run_next(void* data, std::uint32_t) {
    auto* batch = static_cast<TaskBatch*>(data);
    std::uint32_t index = 0;
    if (batch->claim(&index)) batch->run_from(index);
}

void* HostTasks::enqueue(augur_task_fn run, void* data, std::uint32_t count) {
    TaskBatch* batch = count > 0 ? pool_.take() : nullptr;
    if (batch == nullptr) {
        const system::DefaultFloatingPoint mode;
        for (std::uint32_t i = 0; i < count; ++i)
            run(data, i);
        return nullptr;
    }
    batch->start(run, data, count);
    batch->host_token = nullptr;
    batch->enqueued =
        call_task_system([&] { batch->host_token = system_.enqueue(system_.user, run_next, batch, count); });
    if (!batch->enqueued)
        log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK,
                   "the host's enqueue threw an exception; its work runs in collect");
    return batch;
}

void HostTasks::finish(void* token) {
    if (token == nullptr) return;
    auto* batch = static_cast<TaskBatch*>(token);
    if (batch->enqueued && !call_task_system([&] { system_.finish(system_.user, batch->host_token); }))
        log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK, "the host's finish threw an exception");
    std::uint32_t index = 0;
    if (batch->claim(&index)) batch->run_from(index);
    for (std::uint32_t attempt = 0; !batch->done(); ++attempt)
        system::back_off(attempt);
    pool_.give_back(batch);
}

}  // namespace augur
