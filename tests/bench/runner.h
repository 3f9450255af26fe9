// Runs cases and keeps what was measured.
#ifndef AUGUR_TESTS_BENCH_RUNNER_H
#define AUGUR_TESTS_BENCH_RUNNER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case.h"
#include "measure.h"
#include "session.h"

namespace augur::bench {

// How long a case is measured.
struct Effort {
    std::size_t warm_frames = 20;  // at most; at least one, the slowest of all
    double warm_seconds = 0.15;    // no further warm-up frame starts after this
    std::size_t frames = 400;      // at most
    std::size_t least_frames = 3;  // however long they take
    double seconds = 1.0;          // no frame starts after this, once least_frames are done
};

struct Row {
    const Case* c = nullptr;
    augur_backend backend = AUGUR_BACKEND_CPU;
    std::string skipped;        // why it could not run here
    std::string failed;         // what went wrong
    std::uint32_t workers = 0;  // of the CPU; 0 on the GPU
    Summary frame_ms;           // from the request call until collect returned
    Summary ready_ms;           // from the request call until the actions were ready, as the library says
    Summary search_ms;          // of that, the search itself
    Summary carry_us;           // of that, carrying trees over; carry_over only
    Summary request_us;         // wall time of the request call
    Summary collect_us;         // wall time of collect; host_cost only, where the frame is done already
    Summary host_cpu_us;        // CPU time of the calling thread in request and collect
    Summary machine_us;         // CPU time of 15 us of arithmetic in the same frames; host_cost only
    Summary telemetry_us;       // telemetry only: a watched frame less the one beside it that was not
    Summary inspect_us;         // telemetry only: of that, the calls that look
    Summary trace_ms;           // telemetry only: writing the kept frames as a trace
    double trees_carried = 0, trees_warmed = 0;  // of the agents; carry_over only
    double nodes_carried = 0;                    // of a tree that was carried over
    double simulations_per_frame = 0;
    double simulations_per_s = 0;
    double simulations_per_cpu_s = 0;  // by CPU time of all threads
    std::uint64_t deadline_misses = 0;
    std::uint64_t bytes_copied = 0;  // a frame
    std::uint64_t device_bytes = 0, host_bytes = 0;
    std::uint32_t bytes_per_node = 0;
    std::uint32_t gpu_sharing = 0;               // in use
    std::optional<std::uint64_t> decision_hash;  // of frame 1, where every backend must give the same

    bool measured() const { return skipped.empty() && failed.empty(); }
};

// Never throws; a failure is in the row.
Row run_case(const Case& c, augur_backend backend, const Effort& effort, Machines& machines);

// What a baseline is compared with; nothing where the row has no such figure.
std::optional<double> figure(const Row& row, Metric metric);

// How many times as good as the baseline: 1 just meets it, 2 is twice as fast or half as large. kLargestRatio also
// where a frame came before its budget was over, and more says nothing.
constexpr double kLargestRatio = 1e4;
std::optional<double> ratio(const Row& row, const Baseline& baseline);

// True where the baseline is meant for the row's backend.
bool applies(const Row& row, const Baseline& baseline);

// Cases whose answers differ between rows of different backends though they must not; empty when all is well.
std::vector<std::string> different_answers(const std::vector<Row>& rows);

// The fewest agents from which on the GPU's median frame is shorter than the CPU's, for all measured counts from there
// on.
struct Crossover {
    Game game;
    std::optional<std::uint32_t> agents;  // none: the CPU is faster at the largest count
};
std::vector<Crossover> crossovers(const std::vector<Row>& rows);

}  // namespace augur::bench

#endif
