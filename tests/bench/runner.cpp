#include "runner.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <thread>

#include "collector.h"

namespace augur::bench {
namespace {

constexpr double kMillion = 1e6;

void run(const Case& c, augur_backend backend, const Effort& effort, Machines& machines, Row& row) {
    const Machine& machine = machine_for(c, backend, machines);
    row.workers = backend == AUGUR_BACKEND_CPU ? machine.capabilities.worker_count : 0;
    row.gpu_sharing = machine.capabilities.gpu_sharing;
    if (backend == AUGUR_BACKEND_CUDA && c.sharing != AUGUR_GPU_SHARING_PRIORITY && row.gpu_sharing != c.sharing) {
        row.skipped = "this machine does not share its GPU so";
        return;
    }
    sdk::unwrap(machine.context.begin_frame(INT64_MAX));  // a case before this may have shared its frames
    const std::unique_ptr<Knowledge> knowledge = load_knowledge(c, machine);
    const augur_planner_memory_info memory = sdk::unwrap(machine.context.planner_memory(planner_desc(c, *knowledge)));
    row.device_bytes = memory.device_bytes;
    row.host_bytes = memory.host_bytes;
    row.bytes_per_node = memory.bytes_per_node;
    if (c.kind == Kind::memory) return;

    Session session(c, machine, *knowledge);
    std::optional<Session> companion;
    if (c.everything) companion.emplace(c, machine, *knowledge);
    Collector collector(c, machine.context, session, companion ? &companion->planner() : nullptr);
    collector.warm_up(effort, row);
    collector.measure(effort, row);

    const augur_counters counters = sdk::unwrap(session.planner().counters());
    if (c.everything) {
        if (counters.simulations_allotted == 0) row.failed = "nothing was divided";
        if (counters.trees_carried == 0) row.failed = "no tree was carried over";
        if (counters.frames_unsearched * 2 > counters.frames) row.failed = "most frames were put off";
    }
    row.trees_carried = static_cast<double>(counters.trees_carried) / static_cast<double>(counters.agents);
    row.trees_warmed = static_cast<double>(counters.trees_warmed) / static_cast<double>(counters.agents);
    row.nodes_carried = counters.trees_carried == 0
                            ? 0
                            : static_cast<double>(counters.nodes_carried) / static_cast<double>(counters.trees_carried);
    if (c.world == World::played && row.trees_carried < 0.1) row.failed = "few trees were carried over";
    if (c.world == World::moving && row.trees_warmed < 0.5) row.failed = "few trees began warm";
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
        case Metric::host_p99_us:
            return framed ? std::optional(row.host_cpu_us.p99) : std::nullopt;
        case Metric::telemetry_percent:
            return row.telemetry_us.count > 0
                       ? std::optional(100.0 * row.telemetry_us.median / (row.frame_ms.median * 1e3))
                       : std::nullopt;
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
