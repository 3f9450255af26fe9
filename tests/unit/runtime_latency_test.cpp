// Percentiles and bins of the latency window against their definitions.
#include "runtime/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/split_mix.h"

namespace augur {
namespace {

// Nearest rank, by counting instead of sorting.
std::uint64_t percentile_by_counting(const std::vector<std::uint64_t>& samples, double percent) {
    std::uint64_t best = UINT64_MAX;
    for (const std::uint64_t candidate : samples) {
        const auto not_above = std::count_if(samples.begin(), samples.end(), [&](auto s) { return s <= candidate; });
        if (static_cast<double>(not_above) * 100.0 >= percent * static_cast<double>(samples.size()))
            best = std::min(best, candidate);
    }
    return best;
}

TEST(Latency, IsEmptyBeforeTheFirstFrame) {
    const augur_latency summary = LatencyWindow().summary();
    EXPECT_EQ(summary.sample_count, 0u);
    EXPECT_EQ(summary.max_us, 0.0);
}

TEST(Latency, GivesTheOnlySampleForEveryPercentile) {
    LatencyWindow window;
    window.add(2500);
    const augur_latency summary = window.summary();
    EXPECT_EQ(summary.sample_count, 1u);
    for (const double value : {summary.mean_us, summary.p50_us, summary.p95_us, summary.p99_us, summary.max_us})
        EXPECT_DOUBLE_EQ(value, 2.5);
    EXPECT_EQ(summary.bins[2], 1u);
}

TEST(Latency, MatchesTheDefinitionOverTheLastFrames) {
    for (const std::uint32_t frames : {3u, 20u, 100u, 1024u, 1500u, 3000u}) {
        LatencyWindow window;
        std::vector<std::uint64_t> samples;
        test::SplitMix64 random(frames);
        for (std::uint32_t i = 0; i < frames; ++i) {
            samples.push_back(random.next() % 5000000);
            window.add(samples.back());
        }
        if (samples.size() > LatencyWindow::kCapacity)
            samples.erase(samples.begin(), samples.end() - LatencyWindow::kCapacity);
        const augur_latency summary = window.summary();
        EXPECT_EQ(summary.sample_count, samples.size());
        EXPECT_DOUBLE_EQ(summary.p50_us, static_cast<double>(percentile_by_counting(samples, 50)) / 1000.0);
        EXPECT_DOUBLE_EQ(summary.p95_us, static_cast<double>(percentile_by_counting(samples, 95)) / 1000.0);
        EXPECT_DOUBLE_EQ(summary.p99_us, static_cast<double>(percentile_by_counting(samples, 99)) / 1000.0);
        EXPECT_DOUBLE_EQ(summary.max_us, static_cast<double>(percentile_by_counting(samples, 100)) / 1000.0);
        std::uint32_t in_bins = 0;
        for (const std::uint32_t bin : summary.bins)
            in_bins += bin;
        EXPECT_EQ(in_bins, samples.size());
    }
}

// Asked after every frame, after a few, after many: the same as a window that is asked once. Durations that grow and
// shrink by decades, so that bins change their width both ways; equal ones; ones that no clock gives.
TEST(Latency, IsTheSameHoweverOftenItIsAsked) {
    for (const std::uint32_t pause : {1u, 2u, 63u, 64u, 65u, 200u}) {
        LatencyWindow window;
        std::vector<std::uint64_t> samples;
        test::SplitMix64 random(pause);
        for (std::uint32_t i = 0; i < 4000; ++i) {
            std::uint64_t sample = random.next() % 1000;
            for (std::uint32_t decade = 0; decade < i / 500 % 5; ++decade)
                sample *= 10;
            if (i % 1700 == 5) sample = UINT64_MAX - i;
            samples.push_back(sample);
            window.add(sample);
            if (i % pause != 0) continue;
            const std::size_t first =
                samples.size() > LatencyWindow::kCapacity ? samples.size() - LatencyWindow::kCapacity : 0;
            LatencyWindow fresh;
            long double sum = 0;
            for (std::size_t k = first; k < samples.size(); ++k) {
                fresh.add(samples[k]);
                sum += static_cast<long double>(samples[k]);
            }
            const augur_latency now = window.summary(), wanted = fresh.summary();
            ASSERT_EQ(now.sample_count, samples.size() - first) << i;
            ASSERT_EQ(now.p50_us, wanted.p50_us) << i;
            ASSERT_EQ(now.p95_us, wanted.p95_us) << i;
            ASSERT_EQ(now.p99_us, wanted.p99_us) << i;
            ASSERT_EQ(now.max_us, wanted.max_us) << i;
            ASSERT_EQ(now.bin_us, wanted.bin_us) << i;
            const double mean = static_cast<double>(sum / 1000 / now.sample_count);
            ASSERT_NEAR(now.mean_us, mean, mean * 1e-12) << i;
            for (std::uint32_t bin = 0; bin < AUGUR_LATENCY_BIN_COUNT; ++bin)
                ASSERT_EQ(now.bins[bin], wanted.bins[bin]) << i << " bin " << bin;
        }
    }
}

TEST(Latency, WidensItsBinsInSteps) {
    const std::pair<std::uint64_t, double> cases[] = {
        {0, 1},      {63999, 1},   {64000, 2},     {127999, 2},
        {128000, 5}, {320000, 10}, {6400000, 200}, {3600000000000, 100000000}};
    for (const auto& [longest_ns, width_us] : cases) {
        LatencyWindow window;
        window.add(longest_ns);
        EXPECT_DOUBLE_EQ(window.summary().bin_us, width_us) << longest_ns;
    }
}

}  // namespace
}  // namespace augur
