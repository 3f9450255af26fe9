#include "collector.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "measure.h"

namespace augur::bench {
namespace {

constexpr double kMillion = 1e6;
// A collect with a limit waits and does not help with the work, so that only the workers are measured.
constexpr std::uint64_t kAloneTimeoutUs = 600'000'000;
// Differences need more frames than the frames themselves.
constexpr double kTelemetryPatience = 4.0;
constexpr int kTraces = 5;
constexpr double kMachineUs = 15;

// What a game's thread does meanwhile: it works, on more memory than the first two caches hold. Asleep, the core would
// be slow to wake, and the calls would be charged for it.
void work_of_the_game_us(double time) {
    static std::vector<std::uint64_t> memory(std::size_t{1} << 20, 1);
    const double end = steady_us() + time;
    while (steady_us() < end) {
        for (std::size_t i = 1; i < memory.size(); i += 8)
            memory[i] += memory[i - 1];
    }
}

// A chain of shifts of that many steps, which needs no memory and no system call.
std::uint64_t shift(std::uint64_t steps, std::uint64_t value) {
    for (; steps > 0; --steps) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}

// Steps of such a chain that take kMachineUs where nothing comes between.
std::uint64_t machine_steps(std::uint64_t& seen) {
    constexpr std::uint64_t kSteps = 10000;
    double least = steady_us();
    for (int i = 0; i < 20; ++i) {
        const double begin = steady_us();
        seen += shift(kSteps, seen + 1);
        least = std::min(least, steady_us() - begin);
    }
    return static_cast<std::uint64_t>(kMachineUs / least * kSteps);
}

}  // namespace

Collector::Collector(const Case& c, const sdk::Context& context, Session& session, sdk::Planner* companion)
    : case_(c),
      context_(context),
      session_(session),
      planner_(session.planner()),
      companion_(companion),
      profile_(profile_of(c)) {}

void Collector::warm_up(const Effort& effort, Row& row) {
    const double begin = steady_us();
    for (std::size_t i = 0; i < std::max<std::size_t>(effort.warm_frames, 1); ++i) {
        if (i > 0 && steady_us() - begin > effort.warm_seconds * kMillion) break;
        augur_frame_desc frame = describe();
        if (i == 0) frame.frame = 1;
        const double asked = steady_us();
        request(frame);
        const augur_frame_result result = sdk::unwrap(planner_.collect());
        // Networks in floats agree within rounding, not bit for bit.
        const bool exact = case_.model == AUGUR_PRECISION_AUTO || case_.model == AUGUR_PRECISION_INT8;
        if (i == 0 && case_.budget_us == 0 && exact) row.decision_hash = result.decision_hash;
        usual_us_ = static_cast<double>(result.request_to_done_ns) * 1e-3;
        session_.go_on(case_.world);
        if (companion_ == nullptr) continue;
        sdk::unwrap(companion_->collect());
        usual_us_ = steady_us() - asked;
    }
}

void Collector::measure(const Effort& effort, Row& row) {
    const double begin = steady_us(), cpu_begin = process_cpu_us();
    for (std::size_t i = 0; !is_over(effort, i, begin); ++i) {
        if (case_.kind == Kind::host_cost) {
            host_frame();
        } else if (case_.kind == Kind::telemetry) {
            two_frames(i % 2 == 1);
        } else {
            frame();
        }
    }
    const double cpu_us = process_cpu_us() - cpu_begin;
    const auto frames = static_cast<double>(frame_ms_.size());
    double busy_ms = 0;
    for (const double ms : frame_ms_)
        busy_ms += ms;
    row.frame_ms = summarise(frame_ms_);
    row.ready_ms = summarise(ready_ms_);
    row.search_ms = summarise(search_ms_);
    row.carry_us = summarise(carry_us_);
    row.request_us = summarise(request_us_);
    row.collect_us = summarise(collect_us_);
    row.host_cpu_us = summarise(host_cpu_us_);
    row.machine_us = summarise(machine_us_);
    row.telemetry_us = summarise(telemetry_us_);
    row.inspect_us = summarise(inspect_us_);
    row.simulations_per_frame = simulations_ / frames;
    const bool counts = case_.kind != Kind::host_cost && case_.kind != Kind::telemetry;
    row.simulations_per_s = counts ? simulations_ / (busy_ms * 1e-3) : 0;
    row.simulations_per_cpu_s = simulations_ / (cpu_us / kMillion);
    row.deadline_misses = deadline_misses_;
    row.bytes_copied = bytes_copied_;
    if (case_.kind == Kind::telemetry) write_traces(row);
}

augur_frame_desc Collector::describe() const {
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = case_.agents;
    return frame;
}

bool Collector::is_over(const Effort& effort, std::size_t frames, double begin_us) const {
    if (frames >= effort.frames) return true;
    const double patience = case_.kind == Kind::telemetry ? kTelemetryPatience : 1.0;
    return frames >= effort.least_frames && steady_us() - begin_us > effort.seconds * patience * kMillion;
}

// As a game does it that has nothing else to do.
void Collector::frame() {
    const augur_frame_desc desc = describe();
    const double cpu_begin = thread_cpu_us(), begin = steady_us();
    sdk::unwrap(planner_.request(desc));
    const double requested = steady_us();
    const auto result = sdk::unwrap(planner_.collect(case_.workers > 0 ? kAloneTimeoutUs : UINT64_MAX));
    const double end = steady_us();
    host_cpu_us_.push_back(thread_cpu_us() - cpu_begin);
    request_us_.push_back(requested - begin);
    frame_ms_.push_back((end - begin) * 1e-3);
    keep(result);
    if (case_.carry_over != AUGUR_CARRY_OVER_NONE) keep_carry();
    session_.go_on(case_.world);
}

// As a game does it that comes back when the frame is long done.
void Collector::host_frame() {
    augur_frame_desc desc = describe();
    double cpu_begin = thread_cpu_us(), begin = steady_us();
    if (case_.everything) {
        sdk::unwrap(context_.begin_frame(case_.budget_us));
        sdk::unwrap(sdk::Status(augur_profile_apply_frame(&profile_, &desc)));
    }
    sdk::unwrap(planner_.request(desc));
    double end = steady_us(), cpu = thread_cpu_us() - cpu_begin, wall = 0;
    request_us_.push_back(end - begin);
    if (companion_ != nullptr) sdk::unwrap(companion_->request(desc));
    // Cost counts every collect; asking too early would be one more. Polling would do collect's work unseen.
    augur_frame_result result{};
    result.struct_size = sizeof result;
    augur_result code = AUGUR_NOT_READY;
    while (code == AUGUR_NOT_READY) {
        work_of_the_game_us(2 * usual_us_ + 200);
        cpu_begin = thread_cpu_us();
        begin = steady_us();
        code = augur_planner_collect(planner_.id(), 0, &result);
        if (case_.everything) {
            augur_timeline_frame last[1];
            sdk::unwrap(planner_.timeline(last));
        }
        wall += steady_us() - begin;
        cpu += thread_cpu_us() - cpu_begin;
    }
    sdk::unwrap(sdk::Status(code));
    if (companion_ != nullptr) sdk::unwrap(companion_->collect());
    collect_us_.push_back(wall);
    host_cpu_us_.push_back(cpu);
    frame_ms_.push_back((request_us_.back() + wall) * 1e-3);
    keep(result);
    machine_us_.push_back(machine_frame_us());
}

// What the machine adds by itself to a stretch as long as those calls: interrupts, other guests of the host.
double Collector::machine_frame_us() {
    if (machine_steps_ == 0) machine_steps_ = machine_steps(seen_);
    const double cpu_begin = thread_cpu_us();
    seen_ += shift(machine_steps_, seen_ + 1);
    return thread_cpu_us() - cpu_begin;
}

// One frame that is watched and one that is not, side by side.
void Collector::two_frames(bool watched_first) {
    double watched = watched_first ? timed_frame(true) : 0;
    const double plain = timed_frame(false);
    if (!watched_first) watched = timed_frame(true);
    frame_ms_.push_back(plain * 1e-3);
    telemetry_us_.push_back(watched - plain);
}

// From the request until the actions are there and, where it is watched, everything about the frame was read.
double Collector::timed_frame(bool watched) {
    const augur_frame_desc desc = describe();
    augur_frame_result result{};
    result.struct_size = sizeof result;
    const double cpu_begin = thread_cpu_us(), begin = steady_us();
    sdk::unwrap(planner_.request(desc));
    const double requested = steady_us();
    sdk::unwrap(sdk::Status(augur_planner_collect(planner_.id(), UINT64_MAX, watched ? &result : nullptr)));
    if (!watched) {
        const double end = steady_us();
        host_cpu_us_.push_back(thread_cpu_us() - cpu_begin);
        request_us_.push_back(requested - begin);
        return end - begin;
    }
    const double collected = steady_us();
    watch(result);
    const double end = steady_us();
    inspect_us_.push_back(end - collected);
    keep(result);
    return end - begin;
}

// What an overlay reads each frame: counters, the stages with their times, every distribution.
void Collector::watch(const augur_frame_result& result) {
    const augur_counters counters = sdk::unwrap(planner_.counters());
    augur_timeline_frame last[1];
    sdk::unwrap(planner_.timeline(last));
    seen_ += counters.frames + last[0].stages[AUGUR_STAGE_SEARCH].end_ns + result.simulations;
    for (const augur_latency_kind kind :
         {AUGUR_LATENCY_REQUEST, AUGUR_LATENCY_SEARCH, AUGUR_LATENCY_FRAME, AUGUR_LATENCY_WAIT, AUGUR_LATENCY_COLLECT})
        seen_ += sdk::unwrap(planner_.latency(kind)).sample_count;
}

// All frames that are kept, as a file: something for a key of the overlay, not for each frame.
void Collector::write_traces(Row& row) {
    namespace fs = std::filesystem;
    const std::string path =
        (fs::temp_directory_path() / ("augur-bench-trace-" + std::to_string(::getpid()) + ".json")).string();
    std::vector<double> times;
    for (int i = 0; i < kTraces; ++i) {
        const double begin = steady_us();
        sdk::unwrap(context_.write_trace(path.c_str()));
        times.push_back((steady_us() - begin) * 1e-3);
    }
    std::error_code ignored;
    fs::remove(path, ignored);
    row.trace_ms = summarise(times);
}

// Both planners of a case that has two.
void Collector::request(const augur_frame_desc& frame) {
    if (case_.everything) sdk::unwrap(context_.begin_frame(case_.budget_us));
    sdk::unwrap(planner_.request(frame));
    if (companion_ != nullptr) sdk::unwrap(companion_->request(frame));
}

void Collector::keep(const augur_frame_result& result) {
    ready_ms_.push_back(static_cast<double>(result.request_to_done_ns) * 1e-6);
    search_ms_.push_back(static_cast<double>(result.search_ns) * 1e-6);
    simulations_ += static_cast<double>(result.simulations);
    deadline_misses_ += result.deadline_missed;
    bytes_copied_ = result.bytes_copied;
}

void Collector::keep_carry() {
    augur_timeline_frame last[1];
    sdk::unwrap(planner_.timeline(last));
    const augur_stage_span& carry = last[0].stages[AUGUR_STAGE_CARRY];
    carry_us_.push_back(static_cast<double>(carry.end_ns - carry.begin_ns) * 1e-3);
}

}  // namespace augur::bench
