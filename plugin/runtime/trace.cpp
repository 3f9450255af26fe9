#include "runtime/trace.h"

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "runtime/context.h"
#include "runtime/message.h"
#include "runtime/model.h"
#include "runtime/planner.h"
#include "runtime/stage_name.h"
#include "runtime/system.h"

namespace augur {

namespace {

// The tracks of a process, in the order in which they are shown.
enum Track : int { kCalls = 1, kFrames = 2, kMachine = 3 };

// Nanoseconds as microseconds with three decimals, whatever the locale.
std::string us(std::uint64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000, static_cast<unsigned>(ns % 1000));
    return text;
}

const char* machine_of(augur_backend backend) {
    return backend == AUGUR_BACKEND_CUDA ? "GPU" : "CPU";
}

const char* precision_of(std::uint32_t precision) {
    constexpr const char* kNames[] = {"", "fp32", "fp16", "int8"};
    return precision < std::size(kNames) ? kNames[precision] : "";
}

}  // namespace

Trace::Trace() : text_("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n") {}

void Trace::name(const char* what, int thread, const std::string& text) {
    char head[96];
    std::snprintf(head, sizeof head, R"({"ph":"M","pid":%d,"tid":%d,"name":"%s","args":{"name":")", process_, thread,
                  what);
    text_.append(head).append(text).append("\"}},\n");
    // Shown in the order of the numbers, not of the names.
    std::snprintf(head, sizeof head, R"({"ph":"M","pid":%d,"tid":%d,"name":"%s_sort_index","args":{"sort_index":%d}},)",
                  process_, thread, thread == 0 ? "process" : "thread", thread == 0 ? process_ : thread);
    text_.append(head).append("\n");
}

void Trace::span(const char* name, int thread, std::uint64_t begin_ns, std::uint64_t end_ns, const char* args) {
    char head[96];
    std::snprintf(head, sizeof head, R"({"ph":"X","pid":%d,"tid":%d,"name":"%s","ts":)", process_, thread, name);
    text_.append(head).append(us(begin_ns)).append(",\"dur\":").append(us(end_ns - begin_ns));
    if (args != nullptr) text_.append(",\"args\":").append(args);
    text_.append("},\n");
}

void Trace::event(const char* head, std::uint64_t at_ns, const char* rest) {
    char process[32];
    std::snprintf(process, sizeof process, ",\"pid\":%d,\"ts\":", process_);
    text_.append("{").append(head).append(process).append(us(at_ns)).append(rest).append("},\n");
}

// An arrow from the call on the host to the work that came of it.
void Trace::link(const char* phase, int thread, std::uint64_t at_ns, std::uint64_t number) {
    char head[128];
    std::snprintf(head, sizeof head,
                  R"("ph":"%s","cat":"frame","name":"frame","bp":"e","id":"%d.%)" PRIu64 R"(","tid":%d)", phase,
                  process_, number, thread);
    event(head, at_ns, "");
}

void Trace::add_frame(const augur_timeline_frame& frame) {
    const std::uint64_t start = frame.request_time_ns;
    char args[384];
    std::snprintf(args, sizeof args,
                  R"({"frame":%)" PRIu64 R"(,"agents":%u,"simulations":%)" PRIu64 R"(,"budget_us":%)" PRIu64
                  R"(,"search_until_us":%)" PRIu64
                  R"(,"deadline_missed":%u,"actions_dropped":%u,"multiprocessors":%u,"parts_measured":%u})",
                  frame.frame, frame.agent_count, frame.simulations, frame.budget_ns / 1000,
                  frame.search_until_ns / 1000, frame.deadline_missed, frame.actions_dropped, frame.multiprocessors,
                  frame.parts_measured);
    span("frame", kFrames, start, start + frame.done_ns, args);
    for (std::uint32_t stage = 0; stage < AUGUR_STAGE_COUNT; ++stage) {
        const augur_stage_span& own = frame.stages[stage];
        if (own.end_ns <= own.begin_ns) continue;
        const bool call = stage == AUGUR_STAGE_SUBMIT || stage == AUGUR_STAGE_COPY || stage == AUGUR_STAGE_COLLECT;
        span(stage_name(stage), call ? kCalls : kMachine, start + own.begin_ns, start + own.end_ns);
    }
    link("s", kCalls, start, frame.frame);
    link("f", kMachine, start + frame.stages[AUGUR_STAGE_WAIT].end_ns, frame.frame);
    char counter[64];
    std::snprintf(counter, sizeof counter, R"(,"args":{"ms":%)" PRIu64 R"(.%06u})", frame.done_ns / 1000000,
                  static_cast<unsigned>(frame.done_ns % 1000000));
    event(R"("ph":"C","name":"from request to actions")", start + frame.done_ns, counter);
    if (frame.deadline_missed != 0)
        event(R"("ph":"i","s":"t","tid":2,"name":"deadline missed")", start + frame.budget_ns, "");
}

void Trace::add_planner(const char* rules, const char* machine, const Timeline& timeline) {
    ++process_;
    name("process_name", 0, std::string("planner ") + std::to_string(++planners_) + ": " + rules);
    name("thread_name", kCalls, "host: calls");
    name("thread_name", kFrames, "frames");
    name("thread_name", kMachine, std::string(machine) + ": stages");
    for (std::uint32_t i = 0; i < timeline.count(); ++i)
        add_frame(timeline.at(i));
}

void Trace::add_model(const char* precision, const char* machine, const EvaluationTimeline& timeline) {
    ++process_;
    name("process_name", 0, std::string("model ") + std::to_string(++models_) + ": " + precision);
    name("thread_name", kCalls, "host: calls");
    name("thread_name", kMachine, std::string(machine) + ": batches");
    for (std::uint32_t i = 0; i < timeline.count(); ++i) {
        const EvaluationSpan& batch = timeline.at(i);
        char args[48];
        std::snprintf(args, sizeof args, R"({"rows":%u})", batch.rows);
        span("evaluate", kCalls, batch.request_ns, batch.submitted_ns, args);
        span("wait", kMachine, batch.request_ns, batch.began_ns);
        span("batch", kMachine, batch.began_ns, batch.done_ns, args);
        link("s", kCalls, batch.request_ns, i);
        link("f", kMachine, batch.began_ns, i);
    }
}

augur_result Trace::write(const char* path) {
    // The last event has no comma after it; an empty trace has none.
    if (text_.ends_with(",\n")) text_.erase(text_.size() - 2);
    text_.append("\n]}\n");
    system::OutputFile file;
    if (!file.open(path) || !file.write(text_.data(), text_.size()) || !file.commit())
        return fail(AUGUR_ERROR_IO, "trace file %s: %s", quoted(path).c_str(), file.error());
    return AUGUR_OK;
}

augur_result write_trace(Context& context, const char* path) {
    Trace trace;
    // Copies, so that the text is not made while calls of other threads wait.
    const auto frames = std::make_unique<Timeline>();
    const auto batches = std::make_unique<EvaluationTimeline>();
    for (std::uint64_t child = 0; context.next_child(Kind::planner, &child);) {
        Use<Planner> use;
        if (use.acquire(child) != AUGUR_OK || !use.lock_briefly()) continue;
        *frames = use->timeline();
        const std::string rules = use->rules().name;  // learned rules go with their planner
        const char* const machine = machine_of(use->answers_on());
        use.reset();
        trace.add_planner(rules.c_str(), machine, *frames);
    }
    for (std::uint64_t child = 0; context.next_child(Kind::model, &child);) {
        Use<Model> use;
        if (use.acquire(child) != AUGUR_OK || !use.lock_briefly()) continue;
        *batches = use->timeline();
        const augur_model_info info = use->describe();
        use.reset();
        if (batches->count() > 0)
            trace.add_model(precision_of(info.precision), machine_of(static_cast<augur_backend>(info.backend)),
                            *batches);
    }
    return trace.write(path);
}

}  // namespace augur
