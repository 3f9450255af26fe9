// What is kept of the last frames of a planner and of the last evaluations of a model.
#ifndef AUGUR_RUNTIME_TIMELINE_H
#define AUGUR_RUNTIME_TIMELINE_H

#include <augur/inspect.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/latency.h"

namespace augur {

// The last Capacity entries; 0 is the oldest one kept.
template <class Entry, std::uint32_t Capacity>
class LastOnes {
  public:
    void add(const Entry& entry) {
        entries_[next_ % Capacity] = entry;
        ++next_;
    }
    std::uint32_t count() const { return next_ < Capacity ? static_cast<std::uint32_t>(next_) : Capacity; }
    const Entry& at(std::uint32_t index) const { return entries_[(next_ - count() + index) % Capacity]; }

  private:
    std::array<Entry, Capacity> entries_{};
    std::uint64_t next_ = 0;
};

using Timeline = LastOnes<augur_timeline_frame, AUGUR_TIMELINE_CAPACITY>;

// One batch of augur_model_evaluate; times of the steady clock.
struct EvaluationSpan {
    std::uint64_t request_ns;
    std::uint64_t submitted_ns;  // the call returned
    std::uint64_t began_ns;      // a worker or the GPU took it up
    std::uint64_t done_ns;
    std::uint32_t rows;
};
using EvaluationTimeline = LastOnes<EvaluationSpan, AUGUR_TIMELINE_CAPACITY>;

// Distribution of what length(entry) says, in nanoseconds, over the entries for which it is not 0.
template <class Entries, class Length>
augur_latency distribution_over(const Entries& entries, const Length& length) {
    std::array<std::uint64_t, AUGUR_TIMELINE_CAPACITY> samples;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < entries.count(); ++i)
        if (const std::uint64_t ns = length(entries.at(i)); ns != 0) samples[count++] = ns;
    std::sort(samples.begin(), samples.begin() + count);
    return distribution_of({samples.data(), count});
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_TIMELINE_H
