// A context: what the host lends, the backends made with it, and the ids of everything that lives in it.
#ifndef AUGUR_RUNTIME_CONTEXT_H
#define AUGUR_RUNTIME_CONTEXT_H

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "runtime/frame_budget.h"
#include "runtime/gl_copy.h"
#include "runtime/handles.h"
#include "runtime/log.h"
#include "runtime/memory.h"

namespace augur {

class Rules;

// Where a context gets its backends from. Tests put their own in.
struct BackendFactory {
    std::unique_ptr<Backend> (*make_cpu)(const BackendHost& host) = make_cpu_backend;
    augur_result (*make_cuda)(const BackendHost& host, std::unique_ptr<Backend>* out,
                              std::string& message) = make_cuda_backend;
    CudaProbe (*probe)() = probe_cuda;
};

class Context final : public Object {
  public:
    static constexpr Kind kKind = Kind::context;

    ~Context() override;

    std::uint64_t id() const { return id_; }
    ContextLog& log() { return log_; }
    HostMemory& memory() { return memory_; }
    FrameBudget& frame_budget() { return frame_budget_; }
    // The backend that planners get; the CPU's once the GPU is lost.
    Backend& backend();
    Backend& cpu() { return *cpu_; }
    bool has_gpu() const { return cuda_ != nullptr; }
    // Functions of the host's OpenGL, looked up on first use, with the context current. AUGUR_OK, or why there are
    // none.
    augur_result gl(const GlFunctions** out);
    // True the first time: what is wrong with one OpenGL buffer is wrong with the others, and one message is enough.
    bool first_unshared_gl_buffer() { return !gl_unshared_.exchange(true); }
    bool can_copy_gl() const { return desc_.gl_get_proc_address != nullptr; }

    void begin_frame(const augur_frame_budget_desc& desc);
    augur_capabilities capabilities();
    augur_memory_usage memory_usage() const;
    augur_result find_rules(const char* name, std::uint64_t* out_id);

    // Gives an object its id and owns it from then on; 0 with the message when no id is left.
    std::uint64_t adopt(Kind kind, std::unique_ptr<Object> object);
    // For a call that took an object down itself.
    void remove_child(std::uint64_t id);
    // Goes from one child of a kind (0: from before the first) to the next; false past the last. Starts again where the
    // child is gone meanwhile. Allocates nothing, so that taking down cannot fail.
    bool next_child(Kind kind, std::uint64_t* id) const;
    bool has_child(std::uint64_t id) const;

  private:
    friend augur_result create_context(const augur_context_desc& desc, const BackendFactory& factory,
                                       std::uint64_t* out_id);
    explicit Context(const augur_context_desc& desc);
    augur_result open_backends(const BackendFactory& factory);

    augur_context_desc desc_;
    std::uint64_t id_ = 0;
    ContextLog log_;
    HostMemory memory_;
    FrameBudget frame_budget_;
    std::unique_ptr<Tasks> tasks_;
    std::unique_ptr<Backend> cpu_;
    std::unique_ptr<Backend> cuda_;  // null: not there or not wanted
    CudaProbe probe_{};              // where it is not there
    mutable std::mutex mutex_;       // of the next two
    std::unique_ptr<GlFunctions> gl_;
    std::vector<std::uint64_t> children_;
    std::atomic<bool> gl_unshared_{false};  // a warning says that OpenGL buffers are copied
    std::mutex rules_mutex_;
    std::vector<Rules*> rules_;  // one for each game asked for; also among the children
};

// AUGUR_OK, AUGUR_FELL_BACK_TO_CPU (made, without the GPU that is there), or why not.
augur_result create_context(const augur_context_desc& desc, const BackendFactory& factory, std::uint64_t* out_id);

// Takes down a context that the caller has alone, with everything in it.
void destroy_context(Use<Context>& context);

}  // namespace augur

#endif  // AUGUR_RUNTIME_CONTEXT_H
