// The clock of a device that starts at another moment, runs at another pace and is only seen through frames.
#include "backend/cuda/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "support/split_mix.h"

namespace augur::cuda {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1000 * kUs, kSecond = 1000 * kMs;

struct TwoClocks {
    std::uint64_t host = 100 * kSecond;
    std::uint64_t device_at_start = 7 * kSecond;
    double pace = 1.0;  // of the device's clock
    test::SplitMix64 random{3};
    ClockOffset clock;
    struct Frame {
        std::uint64_t launched, began, ended, saw;  // host times, as they really are
        std::uint64_t device_began, device_ended;
    } last{};

    std::uint64_t device(std::uint64_t at_host) const {
        const double since = static_cast<double>(at_host - 100 * kSecond);
        return device_at_start + static_cast<std::uint64_t>(std::llround(since * pace));
    }
    // A frame that begins, runs and is seen after times like those of a game.
    void frame(std::uint64_t longest_look_ns = 50 * kUs) {
        last.launched = host;
        last.began = last.launched + 4 * kUs + random.below(6 * kUs);
        last.ended = last.began + 200 * kUs + random.below(kMs);
        last.saw = last.ended + 1 * kUs + random.below(static_cast<std::uint32_t>(longest_look_ns));
        last.device_began = device(last.began);
        last.device_ended = device(last.ended);
        clock.observe(last.launched, last.device_began, last.device_ended, last.saw);
        host = last.saw + 16 * kMs;
    }
};

// What a timeline shows must lie between the calls, whatever the clocks do.
void expect_ordered(const TwoClocks& clocks) {
    const TwoClocks::Frame& f = clocks.last;
    EXPECT_GE(clocks.clock.to_host(f.device_began), f.launched);
    EXPECT_LE(clocks.clock.to_host(f.device_ended), f.saw);
    EXPECT_LT(clocks.clock.to_host(f.device_began), clocks.clock.to_host(f.device_ended));
}

TEST(ClockOffset, StagesLieBetweenTheCallsThatFrameThem) {
    TwoClocks clocks;
    for (int i = 0; i < 10000; ++i) {
        clocks.frame();
        expect_ordered(clocks);
        const double error = std::abs(static_cast<double>(clocks.clock.to_host(clocks.last.device_began)) -
                                      static_cast<double>(clocks.last.began));
        EXPECT_LE(error, 10.0 * kUs) << "no more than a launch takes";
    }
}

TEST(ClockOffset, FollowsAClockThatRunsAway) {
    for (const double parts_per_million : {-80.0, -5.0, 5.0, 80.0}) {
        TwoClocks clocks;
        clocks.pace = 1.0 + parts_per_million * 1e-6;
        double worst = 0.0;
        for (int i = 0; i < 60 * 600; ++i) {  // ten minutes
            clocks.frame();
            expect_ordered(clocks);
            worst = std::max(worst, std::abs(static_cast<double>(clocks.clock.to_host(clocks.last.device_ended)) -
                                             static_cast<double>(clocks.last.ended)));
        }
        EXPECT_LE(worst, 60.0 * kUs) << parts_per_million;
    }
}

TEST(ClockOffset, ALateLookAtAFinishedFrameDoesNoHarm) {
    TwoClocks clocks;
    for (int i = 0; i < 100; ++i)
        clocks.frame();
    const std::uint64_t before = clocks.clock.to_host(clocks.last.device_began);
    clocks.frame(4 * static_cast<std::uint32_t>(kSecond) / 4);
    expect_ordered(clocks);
    EXPECT_NEAR(static_cast<double>(clocks.clock.to_host(clocks.device(clocks.last.launched))),
                static_cast<double>(clocks.last.launched), 10.0 * kUs);
    EXPECT_GT(before, 0u);
}

TEST(ClockOffset, ADeadlineComesBackAsItWent) {
    for (const std::uint64_t start : {std::uint64_t{0}, 7 * kSecond, 4000 * kSecond}) {  // before and after the host's
        TwoClocks clocks;
        clocks.device_at_start = start;
        clocks.frame();
        EXPECT_EQ(clocks.clock.to_host(clocks.clock.to_device(123 * kSecond)), 123 * kSecond);
        EXPECT_NEAR(static_cast<double>(clocks.clock.to_device(123 * kSecond)),
                    static_cast<double>(clocks.device(123 * kSecond)), 60.0 * kUs);
    }
}

}  // namespace
}  // namespace augur::cuda
