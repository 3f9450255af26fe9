#include "app/samples.h"

#include <gtest/gtest.h>

namespace augur::demo {
namespace {

TEST(Samples, PercentilesAreNearestRanks) {
    Samples samples(1000);
    for (int i = 100; i >= 1; --i)
        samples.add(i);
    const Percentiles found = samples.percentiles();
    EXPECT_EQ(found.p50, 50.0);
    EXPECT_EQ(found.p95, 95.0);
    EXPECT_EQ(found.p99, 99.0);
    EXPECT_EQ(found.max, 100.0);
}

TEST(Samples, OneSampleIsEveryPercentileAndNoneIsZero) {
    Samples samples(4);
    EXPECT_EQ(samples.percentiles().max, 0.0);
    samples.add(3.5);
    EXPECT_EQ(samples.percentiles().p50, 3.5);
    EXPECT_EQ(samples.percentiles().p99, 3.5);
}

TEST(Samples, KeepsTheNewest) {
    Samples samples(3);
    for (int i = 1; i <= 5; ++i)
        samples.add(i);
    EXPECT_EQ(samples.size(), 3u);
    EXPECT_EQ(samples.recent(0), 5.0);
    EXPECT_EQ(samples.recent(2), 3.0);
    EXPECT_EQ(samples.percentiles().p50, 4.0);
}

}  // namespace
}  // namespace augur::demo
