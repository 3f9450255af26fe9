// Timelines as a Chrome/Perfetto trace.
#ifndef AUGUR_RUNTIME_TRACE_H
#define AUGUR_RUNTIME_TRACE_H

#include <cstdint>
#include <string>

#include "runtime/timeline.h"

namespace augur {

class Context;

// Collects events; each planner or model becomes a process with a track of its calls on the host and a track of what
// the machine behind it did. All times are of this process's steady clock, those of the GPU too.
class Trace {
  public:
    Trace();
    // machine: "GPU" or "CPU".
    void add_planner(const char* rules, const char* machine, const Timeline& timeline);
    void add_model(const char* precision, const char* machine, const EvaluationTimeline& timeline);
    // AUGUR_ERROR_IO where it cannot be written.
    augur_result write(const char* path);

  private:
    void name(const char* what, int thread, const std::string& text);
    void span(const char* name, int thread, std::uint64_t begin_ns, std::uint64_t end_ns, const char* args = nullptr);
    void event(const char* head, std::uint64_t at_ns, const char* rest);
    void link(const char* phase, int thread, std::uint64_t at_ns, std::uint64_t number);
    void add_frame(const augur_timeline_frame& frame);

    std::string text_;
    int process_ = 0;
    int planners_ = 0;
    int models_ = 0;
};

// Every planner and model of a context in one file.
augur_result write_trace(Context& context, const char* path);

}  // namespace augur

#endif  // AUGUR_RUNTIME_TRACE_H
