#include "output.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace augur::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDisplayFrameMs = 1000.0 / 60.0;

const char* backend_name(augur_backend backend) {
    return backend == AUGUR_BACKEND_CUDA ? "cuda" : "cpu";
}

const char* game_name(Game game) {
    return game == Game::connect_four ? "connect_four" : game == Game::skirmish ? "skirmish" : "balance";
}

const char* kind_name(Kind kind) {
    switch (kind) {
        case Kind::frames:
            return "frames";
        case Kind::budget:
            return "budget";
        case Kind::host_cost:
            return "host_cost";
        case Kind::telemetry:
            return "telemetry";
        case Kind::memory:
            return "memory";
        case Kind::crossover:
            return "crossover";
    }
    return "";
}

const char* metric_name(Metric metric) {
    switch (metric) {
        case Metric::median_ms:
            return "median_ms";
        case Metric::search_ms:
            return "search_ms";
        case Metric::searched_per_s:
            return "million_searched_per_s";
        case Metric::simulations_per_s:
            return "million_simulations_per_s";
        case Metric::per_worker:
            return "million_simulations_per_s_and_worker";
        case Metric::overrun_us:
            return "p99_overrun_us";
        case Metric::host_us:
            return "host_cpu_us";
        case Metric::host_p99_us:
            return "host_cpu_p99_us";
        case Metric::telemetry_percent:
            return "telemetry_percent";
        case Metric::carry_us:
            return "carry_us";
        case Metric::memory_mb:
            return "memory_mb";
    }
    return "";
}

std::string number(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string optional_number(const char* format, std::optional<double> value) {
    return value ? number(format, *value) : "-";
}

std::string baseline_text(const Baseline& baseline) {
    return std::string(baseline.name) + " " + number("%.4g", baseline.value);
}

// "0.31 (x1.61)": ours and how many times as good.
std::string ratio_text(const Row& row, const Baseline& baseline) {
    const std::optional<double> ours = figure(row, baseline.metric), times = ratio(row, baseline);
    if (!ours) return "-";
    char text[64];
    const bool large = std::abs(*ours) >= 1000;
    const double shown = large ? std::round(*ours) : *ours;
    const int digits = large ? 9 : 4;
    if (*times < kLargestRatio) {
        std::snprintf(text, sizeof text, "%.*g (x%.3g)", digits, shown, *times);
    } else {
        std::snprintf(text, sizeof text, "%.*g (in time)", digits, shown);
    }
    return text;
}

Json json_of(const Summary& summary) {
    return {{"count", summary.count}, {"mean", summary.mean}, {"min", summary.min}, {"median", summary.median},
            {"p95", summary.p95},     {"p99", summary.p99},   {"max", summary.max}};
}

Json json_of(const Row& row) {
    const Case& c = *row.c;
    Json json = {{"name", c.name},
                 {"device", backend_name(row.backend)},
                 {"kind", kind_name(c.kind)},
                 {"game", game_name(c.game)},
                 {"agents", c.agents},
                 {"simulations", c.simulations},
                 {"budget_us", c.budget_us},
                 {"early_stop", c.early_stop},
                 {"device_memory", c.device_memory}};
    if (!row.skipped.empty()) json["skipped"] = row.skipped;
    if (!row.failed.empty()) json["failed"] = row.failed;
    if (!row.measured()) return json;
    json["workers"] = row.workers;
    json["device_bytes"] = row.device_bytes;
    json["host_bytes"] = row.host_bytes;
    json["bytes_per_node"] = row.bytes_per_node;
    if (row.gpu_sharing != 0) json["gpu_sharing"] = row.gpu_sharing;
    if (row.frame_ms.count > 0) {
        json["frame_ms"] = json_of(row.frame_ms);
        json["ready_ms"] = json_of(row.ready_ms);
        json["search_ms"] = json_of(row.search_ms);
        if (row.carry_us.count > 0) {
            json["carry_us"] = json_of(row.carry_us);
            json["trees_carried"] = row.trees_carried;
            json["trees_warmed"] = row.trees_warmed;
            json["nodes_carried"] = row.nodes_carried;
        }
        json["request_us"] = json_of(row.request_us);
        if (row.collect_us.count > 0) json["collect_us"] = json_of(row.collect_us);
        if (row.machine_us.count > 0) json["machine_us"] = json_of(row.machine_us);
        json["host_cpu_us"] = json_of(row.host_cpu_us);
        if (row.telemetry_us.count > 0) {
            json["telemetry_us"] = json_of(row.telemetry_us);
            json["inspect_us"] = json_of(row.inspect_us);
            json["trace_ms"] = json_of(row.trace_ms);
            json["telemetry_percent"] = *figure(row, Metric::telemetry_percent);
        }
        json["share_of_60hz_frame"] = row.frame_ms.median / kDisplayFrameMs;
        json["simulations_per_frame"] = row.simulations_per_frame;
        if (row.simulations_per_s > 0) json["simulations_per_s"] = row.simulations_per_s;
        json["simulations_per_cpu_s"] = row.simulations_per_cpu_s;
        json["bytes_copied_per_frame"] = row.bytes_copied;
        if (c.kind == Kind::budget) {
            json["deadline_misses"] = row.deadline_misses;
            json["p99_overrun_us"] = *figure(row, Metric::overrun_us);
        }
    }
    if (row.decision_hash) json["decision_hash"] = std::to_string(*row.decision_hash);
    Json baselines = Json::array();
    for (const Baseline& baseline : c.baselines) {
        if (!applies(row, baseline)) continue;
        Json entry = {{"name", baseline.name}, {"metric", metric_name(baseline.metric)}, {"value", baseline.value}};
        if (const auto ours = figure(row, baseline.metric)) {
            entry["ours"] = *ours;
            entry["ratio"] = *ratio(row, baseline);
        }
        baselines.push_back(entry);
    }
    json["baselines"] = baselines;
    return json;
}

}  // namespace

void print_head(const RunInfo& info) {
    std::printf("Augur %s, %s\n", info.library.c_str(), info.date.c_str());
    std::printf("cpu:  %s, %u cores\n", info.cpu.c_str(), info.cores);
    if (!info.gpu.empty())
        std::printf("cuda: %s, driver %s, CUDA %u\n", info.gpu.c_str(), info.gpu_driver.c_str(), info.cuda_driver);
    std::printf("\n%-42s %-6s %6s %10s %10s %10s %9s %10s %9s %9s  %-34s %s\n", "case", "device", "frames", "median ms",
                "p99 ms", "max ms", "of 16.7ms", "M sim/s", "host us", "MB", "beside", "ours (times as good)");
}

void print_row(const Row& row) {
    std::printf("%-42s %-6s ", row.c->name, backend_name(row.backend));
    if (!row.measured()) {
        std::printf("%s: %s\n", row.failed.empty() ? "skipped" : "FAILED",
                    (row.failed.empty() ? row.skipped : row.failed).c_str());
        std::fflush(stdout);
        return;
    }
    if (row.frame_ms.count > 0) {
        std::printf("%6zu %10.4f %10.4f %10.4f %8.2f%% %10s %9.1f ", row.frame_ms.count, row.frame_ms.median,
                    row.frame_ms.p99, row.frame_ms.max, 100.0 * row.frame_ms.median / kDisplayFrameMs,
                    row.simulations_per_s > 0 ? number("%.3f", row.simulations_per_s / 1e6).c_str() : "-",
                    row.host_cpu_us.median);
    } else {
        std::printf("%6s %10s %10s %10s %9s %10s %9s ", "-", "-", "-", "-", "-", "-", "-");
    }
    std::printf("%9s", optional_number("%.2f", figure(row, Metric::memory_mb)).c_str());
    bool first = true;
    for (const Baseline& baseline : row.c->baselines) {
        if (!applies(row, baseline)) continue;
        if (!first) std::printf("\n%130s", "");
        std::printf("  %-34s %s", baseline_text(baseline).c_str(), ratio_text(row, baseline).c_str());
        first = false;
    }
    if (row.telemetry_us.count > 0)
        std::printf("\n%130s  adds %.2f us; the calls take %.2f us, a trace of all frames kept %.2f ms", "",
                    row.telemetry_us.median, row.inspect_us.median, row.trace_ms.median);
    if (row.c->kind == Kind::memory) std::printf("\n%130s  %u bytes a node", "", row.bytes_per_node);
    std::printf("\n");
    std::fflush(stdout);
}

void print_end(const std::vector<Row>& rows) {
    std::printf("\n");
    for (const Crossover& crossover : crossovers(rows)) {
        if (crossover.agents) {
            std::printf("%s at 32 simulations: the GPU is faster than all CPU cores from %u agents on.\n",
                        game_name(crossover.game), *crossover.agents);
        } else {
            std::printf("%s at 32 simulations: the CPU is faster at every count measured.\n",
                        game_name(crossover.game));
        }
    }
    for (const std::string& name : different_answers(rows))
        std::printf("FAILED: %s: the backends gave different answers.\n", name.c_str());
    std::printf(
        "A frame is timed from the request call until a waiting collect returned. host us: CPU time of the calling\n"
        "thread in both calls (in host/ cases the frame is done when collect is called; on the CPU backend a waiting\n"
        "collect helps with the work, except in workers/ cases). MB: memory of the planner, on the GPU where cuda,\n"
        "10^6 bytes. In telemetry/ cases the frame is one that nobody watches. Percentiles are samples (nearest rank). "
        "In brackets: how many times as good as the figure "
        "beside.\n");
}

std::string to_json(const RunInfo& info, const std::vector<Row>& rows) {
    Json json = {{"program", "augur_bench"}, {"library", info.library},
                 {"date", info.date},        {"command", info.command},
                 {"quick", info.quick},      {"cpu", {{"name", info.cpu}, {"cores", info.cores}}}};
    if (!info.gpu.empty()) {
        json["gpu"] = {{"name", info.gpu},
                       {"driver", info.gpu_driver},
                       {"cuda_driver", info.cuda_driver},
                       {"cuda_runtime", info.cuda_runtime}};
    }
    json["rows"] = Json::array();
    for (const Row& row : rows)
        json["rows"].push_back(json_of(row));
    json["crossover"] = Json::array();
    for (const Crossover& crossover : crossovers(rows)) {
        json["crossover"].push_back({{"game", game_name(crossover.game)},
                                     {"gpu_faster_from_agents", crossover.agents ? Json(*crossover.agents) : Json()}});
    }
    json["different_answers"] = different_answers(rows);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace augur::bench
