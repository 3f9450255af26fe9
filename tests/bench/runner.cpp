#include "runner.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <thread>

namespace augur::bench {
namespace {

constexpr double kMillion = 1e6;
// A collect with a limit waits and does not help with the work, so that only the workers are measured.
constexpr std::uint64_t kAloneTimeoutUs = 600'000'000;

class Collector {
  public:
    Collector(const Case& c, sdk::Planner& planner) : case_(c), planner_(planner) {}

    // Frames number themselves from here on; the first is 1, the same on every backend.
    void warm_up(const Effort& effort, Row& row) {
        const double begin = steady_us();
        for (std::size_t i = 0; i < std::max<std::size_t>(effort.warm_frames, 1); ++i) {
            if (i > 0 && steady_us() - begin > effort.warm_seconds * kMillion) break;
            augur_frame_desc frame = describe();
            if (i == 0) frame.frame = 1;
            sdk::unwrap(planner_.request(frame));
            const augur_frame_result result = sdk::unwrap(planner_.collect());
            // Networks in floats agree within rounding, not bit for bit.
            const bool exact = case_.model == AUGUR_PRECISION_AUTO || case_.model == AUGUR_PRECISION_INT8;
            if (i == 0 && case_.budget_us == 0 && exact) row.decision_hash = result.decision_hash;
            usual_us_ = static_cast<double>(result.request_to_done_ns) * 1e-3;
        }
    }

    void measure(const Effort& effort, Row& row) {
        const double begin = steady_us(), cpu_begin = process_cpu_us();
        for (std::size_t i = 0; i < effort.frames; ++i) {
            if (i >= effort.least_frames && steady_us() - begin > effort.seconds * kMillion) break;
            if (case_.kind == Kind::host_cost) {
                host_frame();
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
        row.simulations_per_frame = simulations_ / frames;
        row.simulations_per_s = case_.kind == Kind::host_cost ? 0 : simulations_ / (busy_ms * 1e-3);
        row.simulations_per_cpu_s = simulations_ / (cpu_us / kMillion);
        row.deadline_misses = deadline_misses_;
        row.bytes_copied = bytes_copied_;
    }

  private:
    augur_frame_desc describe() const {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = case_.agents;
        return frame;
    }

    // As a game does it that has nothing else to do.
    void frame() {
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
    }

    // As a game does it that comes back when the frame is long done.
    void host_frame() {
        const augur_frame_desc desc = describe();
        double cpu_begin = thread_cpu_us(), begin = steady_us();
        sdk::unwrap(planner_.request(desc));
        double end = steady_us(), cpu = thread_cpu_us() - cpu_begin, wall = 0;
        request_us_.push_back(end - begin);
        // Cost counts every collect; asking too early would be one more. Polling would do collect's work unseen.
        augur_frame_result result{};
        result.struct_size = sizeof result;
        augur_result code = AUGUR_NOT_READY;
        while (code == AUGUR_NOT_READY) {
            sleep_us(2 * usual_us_ + 200);
            cpu_begin = thread_cpu_us();
            begin = steady_us();
            code = augur_planner_collect(planner_.id(), 0, &result);
            wall += steady_us() - begin;
            cpu += thread_cpu_us() - cpu_begin;
        }
        sdk::unwrap(sdk::Status(code));
        collect_us_.push_back(wall);
        host_cpu_us_.push_back(cpu);
        frame_ms_.push_back((request_us_.back() + wall) * 1e-3);
        keep(result);
    }

    void keep(const augur_frame_result& result) {
        ready_ms_.push_back(static_cast<double>(result.request_to_done_ns) * 1e-6);
        search_ms_.push_back(static_cast<double>(result.search_ns) * 1e-6);
        if (case_.carry_over) keep_carry();
        simulations_ += static_cast<double>(result.simulations);
        deadline_misses_ += result.deadline_missed;
        bytes_copied_ = result.bytes_copied;
    }

    void keep_carry() {
        augur_timeline_frame last[1];
        sdk::unwrap(planner_.timeline(last));
        const augur_stage_span& carry = last[0].stages[AUGUR_STAGE_CARRY];
        carry_us_.push_back(static_cast<double>(carry.end_ns - carry.begin_ns) * 1e-3);
    }

    const Case& case_;
    sdk::Planner& planner_;
    double usual_us_ = 0;  // of a frame
    std::vector<double> frame_ms_, ready_ms_, search_ms_, carry_us_, request_us_, collect_us_, host_cpu_us_;
    double simulations_ = 0;
    std::uint64_t deadline_misses_ = 0, bytes_copied_ = 0;
};

void run(const Case& c, augur_backend backend, const Effort& effort, Machines& machines, Row& row) {
    const Machine& machine = machine_for(c, backend, machines);
    row.workers = backend == AUGUR_BACKEND_CPU ? machine.capabilities.worker_count : 0;
    const sdk::Model model = load_model(c, machine);
    const augur_planner_memory_info memory =
        sdk::unwrap(machine.context.planner_memory(planner_desc(c, machine, model)));
    row.device_bytes = memory.device_bytes;
    row.host_bytes = memory.host_bytes;
    row.bytes_per_node = memory.bytes_per_node;
    if (c.kind == Kind::memory) return;

    Session session(c, machine, model);
    Collector collector(c, session.planner());
    collector.warm_up(effort, row);
    collector.measure(effort, row);

    const augur_counters counters = sdk::unwrap(session.planner().counters());
    if (counters.backend != static_cast<std::uint32_t>(backend)) row.failed = "another backend answered";
    if (counters.bad_states > 0) row.failed = "the library refused states of the scene";
    if (c.budget_us == 0 && counters.fallbacks > 0) row.failed = "agents were left without a search";
    if (c.budget_us == 0 && counters.simulations == 0) row.failed = "no simulation was done";
}

}  // namespace

Row run_case(const Case& c, augur_backend backend, const Effort& effort, Machines& machines) {
    Row row;
    row.c = &c;
    row.backend = backend;
    if (c.workers > std::max(1u, std::thread::hardware_concurrency())) {
        row.skipped = "this machine has fewer cores";
        return row;
    }
    try {
        run(c, backend, effort, machines, row);
    } catch (const sdk::Error& error) {
        (error.code() == AUGUR_ERROR_UNSUPPORTED ? row.skipped : row.failed) = error.what();
    } catch (const std::exception& error) {
        row.failed = error.what();
    }
    return row;
}

std::optional<double> figure(const Row& row, Metric metric) {
    if (!row.measured()) return std::nullopt;
    const bool framed = row.frame_ms.count > 0;
    switch (metric) {
        case Metric::median_ms:
            return framed ? std::optional(row.frame_ms.median) : std::nullopt;
        case Metric::search_ms:
            return framed ? std::optional(row.search_ms.median) : std::nullopt;
        case Metric::searched_per_s:
            return framed && row.search_ms.median > 0
                       ? std::optional(row.simulations_per_frame / (row.search_ms.median * 1e-3) / kMillion)
                       : std::nullopt;
        case Metric::simulations_per_s:
            return framed ? std::optional(row.simulations_per_s / kMillion) : std::nullopt;
        case Metric::per_worker:
            return framed && row.workers > 0 ? std::optional(row.simulations_per_s / row.workers / kMillion)
                                             : std::nullopt;
        case Metric::overrun_us:
            return framed ? std::optional(row.frame_ms.p99 * 1e3 - row.c->budget_us) : std::nullopt;
        case Metric::carry_us:
            return row.carry_us.count > 0 ? std::optional(row.carry_us.median) : std::nullopt;
        case Metric::host_us:
            return framed ? std::optional(row.host_cpu_us.median) : std::nullopt;
        case Metric::memory_mb:
            return static_cast<double>(row.backend == AUGUR_BACKEND_CUDA ? row.device_bytes : row.host_bytes) /
                   kMillion;
    }
    return std::nullopt;
}

std::optional<double> ratio(const Row& row, const Baseline& baseline) {
    const std::optional<double> ours = figure(row, baseline.metric);
    if (!ours) return std::nullopt;
    const bool more_is_better = baseline.metric == Metric::simulations_per_s ||
                                baseline.metric == Metric::searched_per_s || baseline.metric == Metric::per_worker;
    if (more_is_better) return *ours / baseline.value;
    return *ours > 0 ? std::min(baseline.value / *ours, kLargestRatio) : kLargestRatio;
}

bool applies(const Row& row, const Baseline& baseline) {
    return baseline.where == Where::both || (baseline.where == Where::cuda) == (row.backend == AUGUR_BACKEND_CUDA);
}

std::vector<std::string> different_answers(const std::vector<Row>& rows) {
    std::map<const Case*, std::uint64_t> first;
    std::vector<std::string> names;
    for (const Row& row : rows) {
        if (!row.measured() || !row.decision_hash) continue;
        const auto [known, fresh] = first.emplace(row.c, *row.decision_hash);
        if (!fresh && known->second != *row.decision_hash) names.emplace_back(row.c->name);
    }
    return names;
}

std::vector<Crossover> crossovers(const std::vector<Row>& rows) {
    std::vector<Crossover> found;
    for (const Game game : {Game::connect_four, Game::skirmish}) {
        std::map<std::uint32_t, std::map<augur_backend, double>> medians;
        for (const Row& row : rows) {
            if (row.measured() && row.c->kind == Kind::crossover && row.c->game == game)
                medians[row.c->agents][row.backend] = row.frame_ms.median;
        }
        Crossover crossover{game, std::nullopt};
        bool compared = false;
        for (const auto& [agents, by_backend] : medians) {
            const auto cpu = by_backend.find(AUGUR_BACKEND_CPU), gpu = by_backend.find(AUGUR_BACKEND_CUDA);
            if (cpu == by_backend.end() || gpu == by_backend.end()) continue;
            compared = true;
            if (gpu->second >= cpu->second) {
                crossover.agents.reset();
            } else if (!crossover.agents) {
                crossover.agents = agents;
            }
        }
        if (compared) found.push_back(crossover);
    }
    return found;
}

}  // namespace augur::bench
