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

void count_into(std::span<const std::uint64_t> sorted, std::uint64_t width_ns, std::uint32_t* bins) {
    for (const std::uint64_t sample : sorted)
        ++bins[sample / width_ns];
}

// All but mean and bins.
augur_latency ranks_of(std::span<const std::uint64_t> sorted) {
    const auto count = static_cast<std::uint32_t>(sorted.size());
    augur_latency result{};
    result.sample_count = count;
    if (count == 0) return result;
    const auto percentile = [&](std::uint32_t percent) { return us(sorted[(count * percent + 99) / 100 - 1]); };
    result.p50_us = percentile(50);
    result.p95_us = percentile(95);
    result.p99_us = percentile(99);
    result.max_us = us(sorted[count - 1]);
    return result;
}

}  // namespace

augur_latency distribution_of(std::span<const std::uint64_t> sorted) {
    augur_latency result = ranks_of(sorted);
    if (sorted.empty()) return result;
    WideSum sum;
    for (const std::uint64_t sample : sorted)
        sum.add(sample);
    const std::uint64_t width_ns = bin_width_ns(sorted.back());
    result.mean_us = sum.value() / 1000.0 / static_cast<double>(sorted.size());
    result.bin_us = us(width_ns);
    count_into(sorted, width_ns, result.bins);
    return result;
}

void LatencyWindow::take_in(std::uint64_t sample) {
    const auto end = sorted_.begin() + count_;
    const auto place = std::upper_bound(sorted_.begin(), end, sample);
    std::copy_backward(place, end, end + 1);
    *place = sample;
    ++count_;
    sum_.add(sample);
    if (bin_ns_ == 0) return;
    const std::uint64_t bin = sample / bin_ns_;
    if (bin < bins_.size())
        ++bins_[bin];
    else
        bin_ns_ = 0;  // too long for these
}

void LatencyWindow::take_out(std::uint64_t sample) {
    const auto end = sorted_.begin() + count_;
    const auto place = std::lower_bound(sorted_.begin(), end, sample);
    std::copy(place + 1, end, place);
    --count_;
    sum_.remove(sample);
    if (bin_ns_ != 0) --bins_[sample / bin_ns_];
}

void LatencyWindow::put_in_order() {
    if (added_ - ordered_ <= kFewNew) {
        for (; ordered_ < added_; ++ordered_) {
            if (count_ == kCapacity) take_out(at(ordered_ - kCapacity));
            take_in(at(ordered_));
        }
        return;
    }
    ordered_ = added_;
    count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(added_, kCapacity));
    sum_ = {};
    bin_ns_ = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
        sorted_[i] = at(added_ - count_ + i);
        sum_.add(sorted_[i]);
    }
    std::sort(sorted_.begin(), sorted_.begin() + count_);
}

void LatencyWindow::count_bins() {
    const std::uint64_t width = bin_width_ns(sorted_[count_ - 1]);
    if (width == bin_ns_) return;
    bin_ns_ = width;
    bins_ = {};
    count_into({sorted_.data(), count_}, width, bins_.data());
}

augur_latency LatencyWindow::summary() {
    put_in_order();
    augur_latency result = ranks_of({sorted_.data(), count_});
    if (count_ == 0) return result;
    count_bins();
    result.mean_us = sum_.value() / 1000.0 / count_;
    result.bin_us = us(bin_ns_);
    std::copy(bins_.begin(), bins_.end(), result.bins);
    return result;
}

}  // namespace augur
