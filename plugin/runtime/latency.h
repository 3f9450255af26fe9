// The last 1,024 durations of one kind, and their exact distribution.
#ifndef AUGUR_RUNTIME_LATENCY_H
#define AUGUR_RUNTIME_LATENCY_H

#include <augur/inspect.h>

#include <array>
#include <cstdint>

namespace augur {

class LatencyWindow {
  public:
    static constexpr std::uint32_t kCapacity = 1024;

    void add(std::uint64_t duration_ns) {
        samples_[next_ % kCapacity] = duration_ns;
        ++next_;
    }
    std::uint32_t count() const { return next_ < kCapacity ? static_cast<std::uint32_t>(next_) : kCapacity; }

    // Percentile p is the smallest sample that at least p percent of the window do not exceed (nearest rank). All zero
    // without a sample. Cost: one sort of the window, nothing allocated.
    augur_latency summary() const;

  private:
    std::array<std::uint64_t, kCapacity> samples_{};
    std::uint64_t next_ = 0;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_LATENCY_H
