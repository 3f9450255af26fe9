// The machines that a search can run on, as one visible table: the CPU with different numbers of workers, and both
// forms of the CUDA backend, in a context of its own and in one that the host lends. A test that runs on all of them
// runs once for every row.

#ifndef AUGUR_TESTS_SUPPORT_MACHINE_H
#define AUGUR_TESTS_SUPPORT_MACHINE_H

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "runtime/thread_pool.h"

namespace augur::test {

struct MachineSpec {
    const char* name;
    augur_backend backend;
    std::uint32_t workers;
    augur_execution execution;
    bool lends_context = false;  // CUDA: the host's own context, where a block has no more than 47 KB of shared memory
    augur_gpu_sharing sharing = AUGUR_GPU_SHARING_PRIORITY;
};

// The first row is the reference: the CPU, all work done by the calling thread.
const std::vector<MachineSpec>& all_machines();

class Machine {
  public:
    // Null where there is no such machine; why_not says what is missing.
    static std::unique_ptr<Machine> make(const MachineSpec& spec, std::string& why_not);

    const MachineSpec& spec() const { return spec_; }
    Backend& backend() { return *backend_; }

  private:
    class QuietLog final : public Log {
      public:
        void write(augur_severity, augur_result, const char* text) override;
        std::string last() const;

      private:
        mutable std::mutex mutex_;
        std::string last_;
    };
    class PlainMemory final : public Memory {
      public:
        void* allocate(std::size_t size_bytes, std::size_t alignment) override;
        void release(void* pointer, std::size_t size_bytes) override;
    };

    explicit Machine(const MachineSpec& spec) : spec_(spec), tasks_(spec.workers) {}

    MachineSpec spec_;
    QuietLog log_;
    PlainMemory memory_;
    ThreadPool tasks_;
    std::unique_ptr<Backend> backend_;
};

}  // namespace augur::test

#endif
