#include "app/frame_clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace augur::demo {
namespace {

int ticks_in(FrameClock& clock, double frame_seconds, int frames) {
    int ticks = 0;
    for (int i = 0; i < frames; ++i) {
        clock.advance(frame_seconds);
        if (!clock.due()) continue;
        clock.tick_taken();
        ++ticks;
    }
    return ticks;
}

TEST(FrameClock, TicksAtItsRateWhateverTheFrameRate) {
    for (const double frame_rate : {60.0, 144.0, 1000.0, 25.0}) {
        FrameClock clock;
        clock.ticks_per_second = 10.0;
        EXPECT_NEAR(ticks_in(clock, 1.0 / frame_rate, static_cast<int>(10.0 * frame_rate)), 100, 1) << frame_rate;
    }
}

TEST(FrameClock, APauseOfAMinuteIsOneTickAndNoBurst) {
    FrameClock clock;
    clock.ticks_per_second = 10.0;
    clock.advance(60.0);
    ASSERT_TRUE(clock.due());
    clock.tick_taken();
    EXPECT_FALSE(clock.due());
    EXPECT_LE(ticks_in(clock, 1.0 / 60.0, 60), 11);
}

TEST(FrameClock, OneFrameASecondIsAtMostOneTickAFrame) {
    FrameClock clock;
    clock.ticks_per_second = 10.0;
    EXPECT_LE(ticks_in(clock, 1.0, 20), 20);
}

TEST(FrameClock, ADueTickStaysDueUntilTaken) {
    FrameClock clock;
    clock.ticks_per_second = 10.0;
    for (int i = 0; i < 50; ++i)
        clock.advance(0.05);
    EXPECT_TRUE(clock.due());
    EXPECT_EQ(clock.blend(), 1.0);
    clock.tick_taken();
    EXPECT_FALSE(clock.due());
    EXPECT_LT(clock.blend(), 1.0);
}

TEST(FrameClock, StandsStillWhilePausedAndTakesSingleSteps) {
    FrameClock clock;
    clock.paused = true;
    EXPECT_EQ(ticks_in(clock, 0.05, 100), 0);
    clock.request_step();
    EXPECT_EQ(ticks_in(clock, 0.05, 100), 1);
}

TEST(FrameClock, KnowsHowLongUntilTheNextTick) {
    FrameClock clock;
    clock.ticks_per_second = 10.0;
    clock.speed = 2.0;
    clock.advance(0.02);
    EXPECT_NEAR(clock.seconds_to_tick(), 0.03, 1e-9);
    clock.paused = true;
    EXPECT_EQ(clock.seconds_to_tick(), std::numeric_limits<double>::infinity());
}

TEST(FrameClock, IgnoresTimesThatAreNone) {
    FrameClock clock;
    clock.advance(-5.0);
    clock.advance(std::numeric_limits<double>::quiet_NaN());
    clock.advance(0.0);
    EXPECT_EQ(clock.blend(), 0.0);
    clock.advance(std::numeric_limits<double>::infinity());
    EXPECT_LE(clock.blend(), 1.0);
}

}  // namespace
}  // namespace augur::demo
