#include "runtime/latency.h"

#include <algorithm>

namespace augur {

namespace {

double us(std::uint64_t duration_ns) {
    return static_cast<double>(duration_ns) / 1000.0;
}

// Smallest of 1, 2, 5, 10, 20, 50 ... us of which 64 hold the longest sample.
std::uint64_t bin_width_ns(std::uint64_t longest_ns) {
    constexpr std::uint64_t kSteps[3] = {1, 2, 5};
    for (std::uint64_t decade = 1000;; decade *= 10) {
        for (const std::uint64_t step : kSteps) {
            if (longest_ns / (decade * step) < AUGUR_LATENCY_BIN_COUNT) return decade * step;
        }
    }
}

}  // namespace

augur_latency LatencyWindow::summary() const {
    augur_latency result{};
    const std::uint32_t n = count();
    result.sample_count = n;
    if (n == 0) return result;

    std::array<std::uint64_t, kCapacity> sorted = samples_;
    std::sort(sorted.begin(), sorted.begin() + n);
    const auto percentile = [&](std::uint32_t percent) { return us(sorted[(n * percent + 99) / 100 - 1]); };
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i)
        sum += us(sorted[i]);
    const std::uint64_t width = bin_width_ns(sorted[n - 1]);
    for (std::uint32_t i = 0; i < n; ++i)
        ++result.bins[sorted[i] / width];
    result.mean_us = sum / n;
    result.p50_us = percentile(50);
    result.p95_us = percentile(95);
    result.p99_us = percentile(99);
    result.max_us = us(sorted[n - 1]);
    result.bin_us = us(width);
    return result;
}

}  // namespace augur
