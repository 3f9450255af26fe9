// Durations in bins of round widths, as augur_planner_latency gives them.
#pragma once

#include <augur/augur.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/samples.h"

namespace augur::demo {

struct Histogram {
    double bin_us = 1.0;
    std::array<std::uint32_t, AUGUR_LATENCY_BIN_COUNT> bins{};
    Percentiles us;
    std::size_t count = 0;

    void add(double duration_us) {
        const auto bin = static_cast<std::size_t>(std::max(duration_us, 0.0) / bin_us);
        ++bins[std::min<std::size_t>(bin, bins.size() - 1)];
        ++count;
    }
};

/// Smallest of 1, 2, 5, 10, ... us of which the bins hold the longest duration.
inline double bin_width_us(double longest_us) {
    for (double decade = 1.0;; decade *= 10.0) {
        for (const double step : {1.0, 2.0, 5.0})
            if (longest_us < decade * step * AUGUR_LATENCY_BIN_COUNT || decade > 1e12) return decade * step;
    }
}

inline Histogram histogram_of(const augur_latency& latency) {
    Histogram histogram;
    histogram.bin_us = std::max(latency.bin_us, 1e-9);
    std::copy(std::begin(latency.bins), std::end(latency.bins), histogram.bins.begin());
    histogram.us = {latency.p50_us, latency.p95_us, latency.p99_us, latency.max_us};
    histogram.count = latency.sample_count;
    return histogram;
}

/// width_us 0: as wide as the durations need.
inline Histogram histogram_of(const std::vector<double>& durations_us, double width_us = 0.0) {
    Histogram histogram;
    if (durations_us.empty()) return histogram;
    Samples samples(durations_us.size());
    for (const double each : durations_us)
        samples.add(each);
    histogram.us = samples.percentiles();
    histogram.bin_us = width_us > 0.0 ? width_us : bin_width_us(histogram.us.max);
    for (const double each : durations_us)
        histogram.add(each);
    return histogram;
}

}  // namespace augur::demo
