// The last 1,024 durations of one kind, and their exact distribution.
#ifndef AUGUR_RUNTIME_LATENCY_H
#define AUGUR_RUNTIME_LATENCY_H

#include <augur/inspect.h>

#include <array>
#include <cstdint>
#include <span>

namespace augur {

// A sum of 64-bit numbers that cannot overflow: of their upper and of their lower halves.
class WideSum {
  public:
    void add(std::uint64_t x) { high_ += x >> 32, low_ += x & 0xffffffffu; }
    void remove(std::uint64_t x) { high_ -= x >> 32, low_ -= x & 0xffffffffu; }
    double value() const { return static_cast<double>(high_) * 4294967296.0 + static_cast<double>(low_); }

  private:
    std::uint64_t high_ = 0, low_ = 0;
};

// The distribution of samples in nanoseconds, put in order: percentile p is the smallest that at least p percent do not
// exceed (nearest rank). All zero without a sample.
augur_latency distribution_of(std::span<const std::uint64_t> sorted);

// To add a sample costs one store. The samples are put in order when somebody asks: each into its place for who asks
// every frame, all of them anew for who asks now and then.
class LatencyWindow {
  public:
    static constexpr std::uint32_t kCapacity = 1024;

    void add(std::uint64_t duration_ns) {
        at(added_) = duration_ns;
        ++added_;
    }

    // As distribution_of the window. Nothing is allocated.
    augur_latency summary();

  private:
    // With more new samples than this a sort is cheaper; so long they lie beside those whose places they take.
    static constexpr std::uint32_t kFewNew = 64;

    std::uint64_t& at(std::uint64_t number) { return samples_[number % samples_.size()]; }
    void take_in(std::uint64_t sample);
    void take_out(std::uint64_t sample);
    void put_in_order();
    void count_bins();

    std::array<std::uint64_t, kCapacity + kFewNew> samples_{};
    std::uint64_t added_ = 0;

    // Of the window when somebody last asked.
    std::uint64_t ordered_ = 0;  // samples added until then
    std::uint32_t count_ = 0;
    std::array<std::uint64_t, kCapacity> sorted_{};
    WideSum sum_;
    std::uint64_t bin_ns_ = 0;  // 0: bins are not counted
    std::array<std::uint32_t, AUGUR_LATENCY_BIN_COUNT> bins_{};
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_LATENCY_H
