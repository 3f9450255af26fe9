#include "runtime/trace.h"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "runtime/message.h"
#include "runtime/stage_name.h"
#include "runtime/system.h"

namespace augur {

namespace {

// Nanoseconds as microseconds with three decimals, whatever the locale.
std::string us(std::uint64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000, static_cast<unsigned>(ns % 1000));
    return text;
}

void add_name(std::string& out, const char* what, int thread, const char* name) {
    char text[192];
    std::snprintf(text, sizeof text, R"({"ph":"M","pid":1,"tid":%d,"name":"%s","args":{"name":"%s"}})", thread, what,
                  name);
    out += text;
    out += ",\n";
}

void add_span(std::string& out, const char* name, int thread, std::uint64_t begin_ns, std::uint64_t end_ns) {
    out += R"({"ph":"X","pid":1,"tid":)" + std::to_string(thread) + R"(,"name":")" + name + R"(","ts":)" +
           us(begin_ns) + R"(,"dur":)" + us(end_ns - begin_ns);
}

}  // namespace

augur_result write_trace(const char* path, const Timeline& timeline, const char* planner_name) {
    constexpr int kFrames = 1;  // rows: the frames, then one per stage
    std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    add_name(out, "process_name", 0, planner_name);
    add_name(out, "thread_name", kFrames, "frame");
    for (int stage = 0; stage < AUGUR_STAGE_COUNT; ++stage)
        add_name(out, "thread_name", kFrames + 1 + stage, stage_name(static_cast<std::uint32_t>(stage)));
    for (std::uint32_t i = 0; i < timeline.count(); ++i) {
        const augur_timeline_frame& frame = timeline.at(i);
        const std::uint64_t start = frame.request_time_ns;
        add_span(out, "frame", kFrames, start, start + frame.done_ns);
        char args[256];
        std::snprintf(args, sizeof args,
                      R"(,"args":{"frame":%)" PRIu64 R"(,"agents":%u,"simulations":%)" PRIu64 R"(,"budget_us":%)" PRIu64
                      R"(,"deadline_missed":%u}},)",
                      frame.frame, frame.agent_count, frame.simulations, frame.budget_ns / 1000, frame.deadline_missed);
        out += args;
        out += '\n';
        for (int stage = 0; stage < AUGUR_STAGE_COUNT; ++stage) {
            const augur_stage_span& span = frame.stages[stage];
            if (span.end_ns <= span.begin_ns) continue;
            add_span(out, stage_name(static_cast<std::uint32_t>(stage)), kFrames + 1 + stage, start + span.begin_ns,
                     start + span.end_ns);
            out += "},\n";
        }
    }
    // The last event has no comma after it.
    out.erase(out.size() - 2);
    out += "\n]}\n";

    system::OutputFile file;
    if (!file.open(path) || !file.write(out.data(), out.size()) || !file.commit())
        return fail(AUGUR_ERROR_IO, "trace file %s: %s", quoted(path).c_str(), file.error());
    return AUGUR_OK;
}

}  // namespace augur
