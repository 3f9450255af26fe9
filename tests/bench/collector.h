// Plays the frames of one case and keeps what each of them took.
#ifndef AUGUR_TESTS_BENCH_COLLECTOR_H
#define AUGUR_TESTS_BENCH_COLLECTOR_H

#include <augur/augur.hpp>
#include <cstdint>
#include <vector>

#include "case.h"
#include "runner.h"
#include "session.h"

namespace augur::bench {

class Collector {
  public:
    // companion: another planner that shares the frames' budget; null where none does.
    Collector(const Case& c, const sdk::Context& context, Session& session, sdk::Planner* companion);

    // Frames number themselves from here on; the first is 1, the same on every backend.
    void warm_up(const Effort& effort, Row& row);
    void measure(const Effort& effort, Row& row);

  private:
    augur_frame_desc describe() const;
    bool is_over(const Effort& effort, std::size_t frames, double begin_us) const;

    void frame();
    void host_frame();
    double machine_frame_us();
    void two_frames(bool watched_first);
    double timed_frame(bool watched);
    void watch(const augur_frame_result& result);
    void write_traces(Row& row);

    void request(const augur_frame_desc& frame);
    void keep(const augur_frame_result& result);
    void keep_carry();

    const Case& case_;
    const sdk::Context& context_;
    Session& session_;
    sdk::Planner& planner_;
    sdk::Planner* companion_;
    augur_profile profile_;
    double usual_us_ = 0;     // of a frame
    std::uint64_t seen_ = 0;  // so that what was looked at is used
    std::uint64_t machine_steps_ = 0;
    std::vector<double> frame_ms_, ready_ms_, search_ms_, carry_us_, request_us_, collect_us_, host_cpu_us_,
        machine_us_, telemetry_us_, inspect_us_;
    double simulations_ = 0;
    std::uint64_t deadline_misses_ = 0, bytes_copied_ = 0;
};

}  // namespace augur::bench

#endif
