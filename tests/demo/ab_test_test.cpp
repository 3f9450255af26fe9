#include "app/ab_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace augur::demo {
namespace {

// Frames of a made-up game, whose length depends on the AI and on the moment.
AbTest played(double period_seconds, int frames, const std::function<double(bool on, double seconds)>& length_ms) {
    AbTest test;
    test.start(period_seconds);
    double seconds = 0.0;
    for (int i = 0; i < frames; ++i) {
        const double ms = length_ms(test.ai_on(), seconds);
        seconds += 1e-3 * ms;
        test.add(seconds, ms);
    }
    return test;
}

TEST(DemoAbTest, IsOnWhileNothingIsCompared) {
    AbTest test;
    EXPECT_TRUE(test.ai_on());
    test.add(1.0, 16.0);
    EXPECT_EQ(test.result().on.frames, 0u);
    EXPECT_FALSE(test.result().known());
}

TEST(DemoAbTest, TurnsTheAiOnAndOffByTheClock) {
    AbTest test;
    test.start(1.0);
    int changes = 0;
    bool before = true;
    for (int i = 1; i <= 1000; ++i) {  // ten seconds
        test.add(0.01 * i, 10.0);
        changes += test.ai_on() != before ? 1 : 0;
        before = test.ai_on();
    }
    EXPECT_EQ(changes, 10);
    EXPECT_EQ(test.result().pairs, 5u);
}

TEST(DemoAbTest, FindsAConstantCostExactly) {
    const AbResult found = played(0.5, 2000, [](bool on, double) { return on ? 12.0 : 10.0; }).result();
    ASSERT_GE(found.pairs, 10u);
    EXPECT_NEAR(found.difference_ms, 2.0, 1e-9);
    EXPECT_NEAR(found.uncertainty_ms, 0.0, 1e-9);
    EXPECT_NEAR(found.on.mean_ms, 12.0, 1e-9);
    EXPECT_NEAR(found.off.mean_ms, 10.0, 1e-9);
    EXPECT_EQ(found.on.p99_ms, 12.0);
    EXPECT_EQ(found.off.p99_ms, 10.0);
    EXPECT_TRUE(found.significant());
}

TEST(DemoAbTest, LeavesOutTheFramesAfterATurn) {
    // Each turn begins with two frames of 90 ms, which belong to the change and not to the side.
    int in_turn = 0;
    bool before = true;
    const AbResult found = played(1.0, 900, [&](bool on, double) {
                               in_turn = on == before ? in_turn + 1 : 0;
                               before = on;
                               return in_turn < 2 ? 90.0 : 10.0;
                           }).result();
    ASSERT_TRUE(found.known());
    EXPECT_NEAR(found.on.mean_ms, 10.0, 0.5);
    EXPECT_NEAR(found.off.mean_ms, 10.0, 1e-9);
    EXPECT_EQ(found.off.p99_ms, 10.0);
}

// Pairs of 3, 5 and 10 ms more: mean 6, standard error sqrt(13 / 3), t with two degrees of freedom 4.303.
TEST(DemoAbTest, UncertaintyIsStudentsIntervalOverThePairs) {
    const double more[] = {3.0, 5.0, 10.0};
    AbTest test;
    test.start(1.0);
    double seconds = 0.0;
    for (int pair = 0; pair < 3; ++pair) {
        for (const bool on : {true, false}) {
            ASSERT_EQ(test.ai_on(), on);
            const double ms = on ? 20.0 + more[pair] : 20.0;
            while (test.ai_on() == on)
                test.add(seconds += 1e-3 * ms, ms);
        }
    }
    const AbResult found = test.result();
    ASSERT_EQ(found.pairs, 3u);
    EXPECT_NEAR(found.difference_ms, 6.0, 1e-9);
    EXPECT_NEAR(found.uncertainty_ms, 4.303 * std::sqrt(13.0 / 3.0), 1e-9);
    EXPECT_FALSE(found.significant()) << "6 is within 8.96";
}

// Noise that many frames share must not pass for certainty: frame by frame it would.
TEST(DemoAbTest, SlowNoiseIsNotTakenForACost) {
    int told = 0;
    for (int seed = 1; seed <= 200; ++seed) {
        unsigned state = static_cast<unsigned>(seed) * 2654435761u;
        double level = 0.0;
        int left = 0;
        const AbResult found = played(0.2, 3000, [&](bool, double) {
                                   if (left-- == 0) {
                                       state = state * 1664525u + 1013904223u;
                                       level = 4.0 * (static_cast<double>(state >> 8) / 16777216.0);
                                       left = 7;
                                   }
                                   return 10.0 + level;
                               }).result();
        told += found.significant() ? 1 : 0;
    }
    EXPECT_LT(told, 24) << "about one in twenty of 200 runs may be unlucky";
    EXPECT_GT(told, 0) << "an interval that never misses is too wide";
}

TEST(DemoAbTest, BeginsAnewAndStops) {
    AbTest test = played(0.5, 500, [](bool, double) { return 10.0; });
    EXPECT_GT(test.result().pairs, 0u);
    test.stop();
    EXPECT_TRUE(test.ai_on());
    const std::size_t pairs = test.result().pairs;
    test.add(1000.0, 50.0);
    EXPECT_EQ(test.result().pairs, pairs) << "what was found stays";
    test.start(0.5);
    EXPECT_EQ(test.result().pairs, 0u);
    EXPECT_EQ(test.result().on.frames, 0u);
}

TEST(DemoAbTest, FramesLongerThanATurnStillMakePairs) {
    const AbResult found = played(0.05, 60, [](bool on, double) { return on ? 300.0 : 200.0; }).result();
    ASSERT_TRUE(found.known());
    EXPECT_NEAR(found.difference_ms, 100.0, 1e-9);
}

TEST(DemoAbTest, QuantilesAreThoseOfTheTable) {
    EXPECT_EQ(AbTest::quantile(0), 0.0);
    EXPECT_EQ(AbTest::quantile(1), 12.706);
    EXPECT_EQ(AbTest::quantile(10), 2.228);
    EXPECT_EQ(AbTest::quantile(30), 2.042);
    for (std::size_t degrees = 1; degrees < 500; ++degrees)
        EXPECT_GE(AbTest::quantile(degrees), AbTest::quantile(degrees + 1));
    EXPECT_GT(AbTest::quantile(100000), 1.9599);
}

}  // namespace
}  // namespace augur::demo
