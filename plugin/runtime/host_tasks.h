// The game's job system in the place of threads of ours.
#ifndef AUGUR_RUNTIME_HOST_TASKS_H
#define AUGUR_RUNTIME_HOST_TASKS_H

#include "backend/backend.h"
#include "runtime/task_batch.h"

namespace augur {

// Every index runs exactly once also where the host runs one twice, leaves one out, throws, or comes late: what the
// host did not run by the end of finish is run there.
class HostTasks final : public Tasks {
  public:
    HostTasks(const augur_task_system& system, Log& log) : system_(system), log_(log) {}

    std::uint32_t worker_count() const override { return system_.worker_count; }
    void* enqueue(augur_task_fn run, void* data, std::uint32_t count) override;
    void finish(void* token) override;

  private:
    // One host task takes one index of the batch, whichever is next.
    static void AUGUR_CALL run_next(void* data, std::uint32_t index);

    augur_task_system system_;
    Log& log_;
    TaskBatchPool pool_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_HOST_TASKS_H
