#include "app/frame_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/histogram.h"
#include "support/split_mix.h"

namespace augur::demo {
namespace {

// Around 10 ms, spread over one.
double usual(test::SplitMix64& random) {
    return 9.5 + static_cast<double>(random.next() >> 40) / 16777216.0;
}

TEST(SpikeFinder, SaysNothingBeforeItKnowsWhatIsUsual) {
    SpikeFinder finder;
    for (std::size_t i = 0; i < SpikeFinder::kFewest; ++i) {
        EXPECT_EQ(finder.limit(), 0.0);
        EXPECT_FALSE(finder.add(i % 2 == 0 ? 1.0 : 1000.0));
    }
    EXPECT_GT(finder.limit(), 0.0);
}

TEST(SpikeFinder, FindsTheSpikesAndNothingElse) {
    SpikeFinder finder;
    test::SplitMix64 random(7);
    int found = 0;
    for (int i = 1; i <= 5000; ++i) {
        const bool spike = i % 97 == 0;
        const bool said = finder.add(spike ? 25.0 : usual(random));
        found += said ? 1 : 0;
        if (i > 97) {
            EXPECT_EQ(said, spike) << i;
        }
    }
    EXPECT_GE(found, 50);
}

TEST(SpikeFinder, AQuietRowHasNone) {
    SpikeFinder finder;
    for (int i = 0; i < 1000; ++i)
        EXPECT_FALSE(finder.add(i % 100 == 99 ? 10.0 + 0.3 : 10.0)) << "not half as long again";
    SpikeFinder short_ones;
    for (int i = 0; i < 1000; ++i)
        EXPECT_FALSE(short_ones.add(i % 100 == 99 ? 0.09 : 0.02)) << "less than a tenth of a millisecond more";
}

TEST(SpikeFinder, ANewLevelIsASpikeForAWhileOnly) {
    SpikeFinder finder;
    test::SplitMix64 random(9);
    for (int i = 0; i < 300; ++i)
        finder.add(usual(random));
    int said = 0;
    for (int i = 0; i < 300; ++i)
        said += finder.add(2.0 * usual(random)) ? 1 : 0;
    EXPECT_GT(said, 10);
    EXPECT_LT(said, 90) << "it is what is usual by now";
}

TEST(FrameHistory, KeepsTheNewestAndFindsThem) {
    FrameHistory history;
    EXPECT_EQ(history.size(), 0u);
    EXPECT_EQ(history.find(0), nullptr);
    for (std::uint64_t i = 0; i < FrameHistory::kCapacity + 100; ++i) {
        FrameRecord record;
        record.number = i;
        record.whole_ms = 10.0;
        history.add(record);
    }
    EXPECT_EQ(history.size(), FrameHistory::kCapacity);
    EXPECT_EQ(history.recent(0).number, FrameHistory::kCapacity + 99);
    EXPECT_EQ(history.recent(FrameHistory::kCapacity - 1).number, 100u);
    EXPECT_EQ(history.find(99), nullptr);
    ASSERT_NE(history.find(100), nullptr);
    EXPECT_EQ(history.find(100)->number, 100u);
    EXPECT_EQ(history.spikes(), 0u);
}

TEST(FrameHistory, MarksFramesAndPlansApart) {
    FrameHistory history;
    for (std::uint64_t i = 0; i < 200; ++i) {
        FrameRecord record;
        record.number = i;
        record.whole_ms = i == 150 ? 40.0 : 10.0;
        record.has_plan = i % 2 == 0;
        record.plan.stages[AUGUR_STAGE_FINALISE] = {900000, i == 160 ? 9000000u : 1000000u};
        history.add(record);
    }
    EXPECT_TRUE(history.find(150)->frame_spike);
    EXPECT_FALSE(history.find(150)->plan_spike);
    EXPECT_TRUE(history.find(160)->plan_spike);
    EXPECT_FALSE(history.find(160)->frame_spike);
    EXPECT_EQ(history.spikes(), 2u);
    EXPECT_EQ(history.find(161)->plan_ms(), 0.0) << "no plan came in this frame";
}

TEST(FrameHistory, APlansLengthIsNotWhenTheGameCame) {
    FrameRecord record;
    record.has_plan = true;
    record.plan.done_ns = 50000000;
    record.plan.stages[AUGUR_STAGE_FINALISE] = {1900000, 2000000};
    record.plan.stages[AUGUR_STAGE_COPY] = {49900000, 50000000};
    EXPECT_NEAR(record.plan_ms(), 2.1, 1e-9);
    record.plan.stages[AUGUR_STAGE_COPY] = {0, 40000};  // of the fields, at the request
    EXPECT_NEAR(record.plan_ms(), 2.0, 1e-9);
}

TEST(Histogram, HasRoundBinsThatHoldEverything) {
    EXPECT_EQ(bin_width_us(0.0), 1.0);
    EXPECT_EQ(bin_width_us(63.9), 1.0);
    EXPECT_EQ(bin_width_us(64.0), 2.0);
    EXPECT_EQ(bin_width_us(1000.0), 20.0);
    EXPECT_EQ(bin_width_us(1e6), 20000.0);
    const Histogram histogram = histogram_of(std::vector<double>{1.0, 50.0, 51.0, 640.0});
    EXPECT_EQ(histogram.bin_us, 20.0);
    EXPECT_EQ(histogram.bins[0], 1u);
    EXPECT_EQ(histogram.bins[2], 2u);
    EXPECT_EQ(histogram.bins[32], 1u);
    EXPECT_EQ(histogram.count, 4u);
    EXPECT_EQ(histogram.us.max, 640.0);
    EXPECT_EQ(histogram_of(std::vector<double>{}).count, 0u);
    EXPECT_EQ(histogram_of(std::vector<double>{1e9}, 1.0).bins[AUGUR_LATENCY_BIN_COUNT - 1], 1u)
        << "past the last bin is in it";
}

}  // namespace
}  // namespace augur::demo
