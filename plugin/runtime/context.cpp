#include "runtime/context.h"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "runtime/host_tasks.h"
#include "runtime/message.h"
#include "runtime/planner.h"
#include "runtime/rules.h"
#include "runtime/system.h"
#include "runtime/thread_pool.h"

namespace augur {

namespace {

constexpr std::uint32_t kMostWorkers = 256;
constexpr std::uint32_t kOnePerCore = 0xffffffffu;

// The caller has a core to itself where there are several. One worker even on a single core: without any, a host that
// only polls would never see its frame done.
std::uint32_t default_workers() {
    return std::clamp(system::core_count() - 1, 1u, kMostWorkers);
}

augur_result check(const augur_context_desc& desc) {
    if (desc.api_version >> 22 != AUGUR_VERSION_MAJOR || desc.api_version == 0)
        return fail(AUGUR_ERROR_VERSION, "api_version is %u.%u.%u, this library is %u.%u.%u", desc.api_version >> 22,
                    (desc.api_version >> 12) & 0x3ffu, desc.api_version & 0xfffu, AUGUR_VERSION_MAJOR,
                    AUGUR_VERSION_MINOR, AUGUR_VERSION_PATCH);
    if (desc.backend > AUGUR_BACKEND_CUDA)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "backend is %u, allowed 0..2", desc.backend);
    if (desc.worker_threads != kOnePerCore && desc.worker_threads > kMostWorkers)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "worker_threads is %u, allowed 0..%u or 0xffffffff",
                    desc.worker_threads, kMostWorkers);
    if (desc.cuda_device < -1)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "cuda_device is %d, allowed -1 or more", desc.cuda_device);
    if (desc.gpu_sharing > AUGUR_GPU_SHARING_TURNS)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "gpu_sharing is %u, allowed 0..5", desc.gpu_sharing);
    if ((desc.allocator.allocate == nullptr) != (desc.allocator.release == nullptr))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT,
                    "allocator.allocate and allocator.release must both be given or both be null");
    const augur_task_system& tasks = desc.task_system;
    if ((tasks.enqueue == nullptr) != (tasks.finish == nullptr))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT,
                    "task_system.enqueue and task_system.finish must both be given or both be null");
    if (tasks.enqueue != nullptr && (tasks.worker_count == 0 || tasks.worker_count > kMostWorkers))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "task_system.worker_count is %u, allowed 1..%u", tasks.worker_count,
                    kMostWorkers);
    return AUGUR_OK;
}

}  // namespace

Context::Context(const augur_context_desc& desc) : desc_(desc), log_(desc.logger), memory_(desc.allocator, log_) {}

Context::~Context() = default;

augur_result Context::open_backends(const BackendFactory& factory) {
    if (desc_.task_system.enqueue != nullptr) {
        tasks_ = std::make_unique<HostTasks>(desc_.task_system, log_);
    } else {
        const std::uint32_t workers = desc_.worker_threads == kOnePerCore ? default_workers() : desc_.worker_threads;
        try {
            tasks_ = std::make_unique<ThreadPool>(workers);
        } catch (const std::system_error&) {
            return fail(AUGUR_ERROR_OUT_OF_MEMORY, "worker_threads is %u, and the system could not start that many",
                        workers);
        }
    }
    const BackendHost host{&log_,
                           &memory_,
                           tasks_.get(),
                           desc_.cuda_device,
                           desc_.cuda_context,
                           desc_.cuda_stream,
                           desc_.gpu_memory_cap_bytes,
                           static_cast<augur_gpu_sharing>(desc_.gpu_sharing),
                           desc_.partition_multiprocessors};
    cpu_ = factory.make_cpu(host);
    if (cpu_ == nullptr) return fail(AUGUR_ERROR_OUT_OF_MEMORY, "the CPU backend could not be made");
    if (desc_.backend == AUGUR_BACKEND_CPU) return AUGUR_OK;

    std::string message;
    const augur_result result = factory.make_cuda(host, &cuda_, message);
    if (result == AUGUR_OK && cuda_ != nullptr) return AUGUR_OK;
    cuda_ = nullptr;
    if (desc_.backend == AUGUR_BACKEND_CUDA)
        return fail(result < 0 ? result : AUGUR_ERROR_NO_DEVICE, "backend is CUDA: %s", message.c_str());
    probe_ = factory.probe();
    char text[768];
    std::snprintf(text, sizeof text,
                  "no GPU is used, the CPU answers: %s (driver %u, built with CUDA runtime %u, devices seen %u)",
                  message.c_str(), probe_.driver_version, probe_.runtime_version, probe_.device_count);
    log_.write(AUGUR_SEVERITY_WARNING, result, text);
    return probe_.device_count > 0 ? AUGUR_FELL_BACK_TO_CPU : AUGUR_OK;
}

Backend& Context::backend() {
    return cuda_ != nullptr && cuda_->health() == AUGUR_OK ? *cuda_ : *cpu_;
}

augur_result Context::gl(const GlFunctions** out) {
    const std::unique_ptr<GlFunctions> found = std::make_unique<GlFunctions>();
    {
        const std::lock_guard lock(mutex_);
        *out = gl_.get();
        if (gl_ != nullptr) return AUGUR_OK;
    }
    // The host's function is called without the lock; the first answer stays.
    if (desc_.gl_get_proc_address == nullptr)
        return fail(AUGUR_ERROR_UNSUPPORTED, "OpenGL buffers need gl_get_proc_address in the context's desc");
    if (const augur_result result = found->load(desc_.gl_get_proc_address); result != AUGUR_OK) return result;
    const std::lock_guard lock(mutex_);
    if (gl_ == nullptr) gl_ = std::make_unique<GlFunctions>(*found);
    *out = gl_.get();
    return AUGUR_OK;
}

void Context::begin_frame(const augur_frame_budget_desc& desc) {
    const std::uint64_t now = system::now_ns();
    std::uint64_t budget_ns = Scheduler::kNoLimit;
    if (desc.budget_us <= 0)
        budget_ns = 0;
    else if (desc.budget_us <= INT64_MAX / 1000)
        budget_ns = static_cast<std::uint64_t>(desc.budget_us) * 1000u;
    frame_budget_.begin(now, budget_ns);
}

augur_capabilities Context::capabilities() {
    augur_capabilities out{};
    Backend& used = backend();
    out.cuda_driver = probe_.driver_version;
    out.cuda_runtime = probe_.runtime_version;
    used.describe(out);
    out.backend = used.kind();
    out.worker_count = tasks_->worker_count();
    out.exact = 1;
    if (used.kind() == AUGUR_BACKEND_CPU && out.device_name[0] == '\0')
        std::snprintf(out.device_name, sizeof out.device_name, "%s", system::cpu_name().c_str());
    return out;
}

augur_memory_usage Context::memory_usage() const {
    augur_memory_usage out{};
    const DeviceMemory device = cuda_ != nullptr ? cuda_->device_memory() : DeviceMemory{};
    out.device_bytes = device.held_bytes;
    out.device_cap_bytes = desc_.gpu_memory_cap_bytes;
    out.device_free_bytes = device.free_bytes;
    out.device_total_bytes = device.total_bytes;
    out.host_bytes = memory_.bytes();
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t child : children_) {
        out.planner_count += handles::kind_of(child) == Kind::planner ? 1 : 0;
        out.model_count += handles::kind_of(child) == Kind::model ? 1 : 0;
    }
    return out;
}

augur_result Context::find_rules(const char* name, std::uint64_t* out_id) {
    if (name == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "name is null");
    const core::RulesInfo* on_cpu = find_game(*cpu_, name);
    const core::RulesInfo* on_gpu = cuda_ != nullptr ? find_game(*cuda_, name) : nullptr;
    if (on_cpu == nullptr) {
        std::string known;
        for (std::uint32_t i = 0; cpu_->game(i) != nullptr; ++i)
            known += std::string(i > 0 ? ", " : "") + cpu_->game(i)->name;
        return fail(AUGUR_ERROR_NOT_FOUND, "name is %s, there are: %s", quoted(name).c_str(), known.c_str());
    }
    // One id for each game, however often it is asked for: rules are not destroyed one by one.
    const std::lock_guard lock(rules_mutex_);
    for (const Rules* rules : rules_) {
        if (rules->info() == on_cpu) {
            *out_id = rules->id();
            return AUGUR_OK;
        }
    }
    rules_.reserve(rules_.size() + 1);
    auto made = std::make_unique<Rules>(*this, on_cpu, on_gpu);
    Rules* rules = made.get();
    const std::uint64_t id = adopt(Kind::rules, std::move(made));
    if (id == 0) return AUGUR_ERROR_LIMIT;
    rules->set_id(id);
    rules_.push_back(rules);
    *out_id = id;
    return AUGUR_OK;
}

std::uint64_t Context::adopt(Kind kind, std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    children_.reserve(children_.size() + 1);
    const std::uint64_t id = handles::add(kind, id_, object.get());
    if (id == 0) {
        fail(AUGUR_ERROR_LIMIT, "no id is left; a process holds at most %u objects", handles::kSlotCount);
        return 0;
    }
    object.release();
    children_.push_back(id);
    return id;
}

void Context::remove_child(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    children_.erase(std::remove(children_.begin(), children_.end(), id), children_.end());
}

bool Context::next_child(Kind kind, std::uint64_t* id) const {
    const std::lock_guard lock(mutex_);
    auto next = std::find(children_.begin(), children_.end(), *id);
    next = next != children_.end() ? next + 1 : children_.begin();
    next = std::find_if(next, children_.end(), [kind](std::uint64_t child) { return handles::kind_of(child) == kind; });
    *id = next != children_.end() ? *next : 0;
    return *id != 0;
}

bool Context::has_child(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    return std::find(children_.begin(), children_.end(), id) != children_.end();
}

augur_result create_context(const augur_context_desc& desc, const BackendFactory& factory, std::uint64_t* out_id) {
    if (const augur_result result = check(desc); result != AUGUR_OK) return result;
    std::unique_ptr<Context> context(new Context(desc));
    const augur_result result = context->open_backends(factory);
    if (result < 0) return result;
    const std::uint64_t id = handles::add(Kind::context, 0, context.get());
    if (id == 0) return fail(AUGUR_ERROR_LIMIT, "no id is left for a context");
    context->id_ = id;
    context.release();
    *out_id = id;
    return result;
}

void destroy_context(Use<Context>& context) {
    const std::uint64_t id = context.id();
    // From here on no call enters by the context's own id; those inside end first, so nothing is being made any more.
    handles::close(id);
    handles::wait_for_others(id, 1);
    for (const Kind kind : {Kind::planner, Kind::model, Kind::buffer, Kind::rules}) {
        for (std::uint64_t child = 0; context->next_child(kind, &child); child = 0) {
            delete handles::take_down(child);
            context->remove_child(child);
        }
    }
    delete context.take_down();
}

}  // namespace augur
