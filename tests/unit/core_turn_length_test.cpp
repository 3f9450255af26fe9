// How many waves a loop does before it looks at the clock, on made-up times.

#include <gtest/gtest.h>

#include <cstdint>

#include "core/turn_length.h"

namespace augur::core {
namespace {

constexpr std::uint64_t kUs = 1000;

// A GPU on which a wave takes `wave` and the end of a turn `look`; both loops, as its kernels run them.
struct Loops {
    static constexpr std::uint32_t kWaves = 4;
    TurnLength turn{0, 0};
    std::uint64_t wave = 20 * kUs, look = 6 * kUs, start = 5000 * kUs;
    std::uint64_t end = 0;  // of the last frame
    int turns = 0, singles = 0;

    void frame(std::uint64_t deadline_ns, int waves_wanted) {
        std::uint64_t now = start;
        int done = 0;
        turns = singles = 0;
        turn.begin(now);
        const auto late = [&] { return deadline_ns != 0 && now >= deadline_ns; };
        bool whole = turn.fits(now, deadline_ns, kWaves);
        while (done < waves_wanted && !late() && whole) {
            now += kWaves * wave + look;
            done += kWaves;
            ++turns;
            turn.passed(now, kWaves);
            whole = turn.fits(now, deadline_ns, kWaves);
        }
        while (done < waves_wanted && !late()) {
            now += wave + look;
            ++done;
            ++singles;
            turn.passed(now, 1);
        }
        end = now;
    }
};

TEST(TurnLength, WithoutADeadlineAllTurnsAreWhole) {
    Loops loops;
    loops.frame(0, 64);
    EXPECT_EQ(loops.turns, 16);
    EXPECT_EQ(loops.singles, 0);
}

TEST(TurnLength, OverrunsADeadlineByLessThanOneWave) {
    Loops loops;
    loops.frame(0, 64);  // what a wave costs is known
    for (std::uint64_t budget = 30 * kUs; budget < 2000 * kUs; budget += 7 * kUs) {
        loops.frame(loops.start + budget, 1000);
        EXPECT_GE(loops.end, loops.start + budget);
        EXPECT_LT(loops.end, loops.start + budget + loops.wave + loops.look) << budget;
        EXPECT_LE(loops.singles, 5) << "only near the deadline: each look costs";
    }
}

TEST(TurnLength, LongWavesGoOneByOne) {
    Loops loops;
    loops.wave = 400 * kUs;  // a network of some size
    loops.frame(0, 64);
    loops.frame(loops.start + 1000 * kUs, 1000);
    EXPECT_EQ(loops.turns, 0);
    EXPECT_EQ(loops.singles, 3);
    EXPECT_LT(loops.end, loops.start + 1000 * kUs + loops.wave + loops.look);
}

TEST(TurnLength, TheFirstFrameOfAllKnowsNothingAndLearns) {
    Loops loops;
    loops.frame(loops.start + 100 * kUs, 1000);
    EXPECT_EQ(loops.turns, 1);
    loops.frame(loops.start + 100 * kUs, 1000);
    EXPECT_LT(loops.end, loops.start + 100 * kUs + loops.wave + loops.look);
}

// A turn that something else held up makes the next one look long, and is forgotten with it.
TEST(TurnLength, ATurnThatWasHeldUpIsForgottenWithTheNext) {
    Loops loops;
    loops.wave = 10'000 * kUs;
    loops.frame(0, 4);
    loops.wave = 20 * kUs;
    loops.frame(loops.start + 1000 * kUs, 1000);
    EXPECT_GT(loops.singles, 0);
    loops.frame(loops.start + 1000 * kUs, 1000);
    EXPECT_GE(loops.turns, 10);
    EXPECT_LE(loops.singles, 5);
}

TEST(TurnLength, AClockThatStandsStillOrGoesBackBreaksNothing) {
    TurnLength turn{0, 0};
    turn.begin(100);
    turn.passed(100, 4);
    EXPECT_TRUE(turn.fits(100, 100, 4));
    turn.passed(50, 4);
    EXPECT_EQ(turn.wave_ns, 0u);
    EXPECT_FALSE(turn.fits(101, 100, 4));
}

}  // namespace
}  // namespace augur::core
