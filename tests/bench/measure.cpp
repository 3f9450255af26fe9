#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numeric>
#include <thread>

namespace augur::bench {
namespace {

double clock_us(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double nearest_rank(const std::vector<double>& sorted, double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

double steady_us() {
    return clock_us(CLOCK_MONOTONIC);
}

double thread_cpu_us() {
    return clock_us(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_us() {
    return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

void sleep_us(double time) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(time));
}

Summary summarise(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    Summary summary;
    summary.count = samples.size();
    summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    summary.min = samples.front();
    summary.median = nearest_rank(samples, 0.50);
    summary.p95 = nearest_rank(samples, 0.95);
    summary.p99 = nearest_rank(samples, 0.99);
    summary.max = samples.back();
    return summary;
}

}  // namespace augur::bench
