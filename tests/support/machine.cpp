#include "support/machine.h"

#include <cstring>

#include "runtime/system.h"
#include "support/host_cuda_context.h"

namespace augur::test {

const std::vector<MachineSpec>& all_machines() {
    static const std::vector<MachineSpec> machines = {
        {"cpu_caller", AUGUR_BACKEND_CPU, 0, AUGUR_EXECUTION_AUTO},
        {"cpu_1_worker", AUGUR_BACKEND_CPU, 1, AUGUR_EXECUTION_AUTO},
        {"cpu_2_workers", AUGUR_BACKEND_CPU, 2, AUGUR_EXECUTION_AUTO},
        {"cpu_7_workers", AUGUR_BACKEND_CPU, 7, AUGUR_EXECUTION_AUTO},
        {"cuda_resident", AUGUR_BACKEND_CUDA, 0, AUGUR_EXECUTION_RESIDENT},
        {"cuda_waves", AUGUR_BACKEND_CUDA, 0, AUGUR_EXECUTION_WAVES},
        {"cuda_lent_context", AUGUR_BACKEND_CUDA, 0, AUGUR_EXECUTION_RESIDENT, true},
        {"cuda_partition", AUGUR_BACKEND_CUDA, 0, AUGUR_EXECUTION_RESIDENT, false, AUGUR_GPU_SHARING_PARTITION},
        {"cuda_partition_waves", AUGUR_BACKEND_CUDA, 0, AUGUR_EXECUTION_WAVES, false, AUGUR_GPU_SHARING_PARTITION},
    };
    return machines;
}

void Machine::QuietLog::write(augur_severity, augur_result, const char* text) {
    const std::lock_guard lock(mutex_);
    last_ = text;
}

std::string Machine::QuietLog::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

// Filled with a pattern: an engine that counts on zeroed memory shows itself.
void* Machine::PlainMemory::allocate(std::size_t size_bytes, std::size_t alignment) {
    void* memory = system::allocate_aligned(size_bytes, alignment);
    if (memory != nullptr) std::memset(memory, 0xA5, size_bytes);
    return memory;
}

void Machine::PlainMemory::release(void* pointer, std::size_t) {
    system::release_aligned(pointer);
}

std::unique_ptr<Machine> Machine::make(const MachineSpec& spec, std::string& why_not) {
    std::unique_ptr<Machine> machine(new Machine(spec));
    BackendHost host{};
    host.log = &machine->log_;
    host.memory = &machine->memory_;
    host.tasks = &machine->tasks_;
    host.cuda_device = -1;
    host.gpu_sharing = spec.sharing;
    if (spec.backend == AUGUR_BACKEND_CPU) {
        machine->backend_ = make_cpu_backend(host);
        return machine;
    }
    if (spec.lends_context) {
        host.cuda_context = host_cuda_context();
        if (host.cuda_context == nullptr) {
            why_not = "no CUDA context to lend";
            return nullptr;
        }
    }
    std::string message;
    const augur_result result = make_cuda_backend(host, &machine->backend_, message);
    if (result >= 0 && machine->backend_ != nullptr) return machine;
    why_not = message.empty() ? machine->log_.last() : message;
    return nullptr;
}

}  // namespace augur::test
