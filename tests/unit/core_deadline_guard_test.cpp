// Searches that end before the game's drawing catches them, on made-up times.

#include <gtest/gtest.h>

#include "core/deadline_guard.h"

namespace augur::core {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A GPU that draws from `begins` to `ends` after each request: who runs then is done after it.
struct Drawing {
    DeadlineGuard guard;
    std::uint64_t begins = UINT64_MAX, ends = 0;

    // How many of the frames were late.
    int run(std::uint64_t budget, int frames) {
        int late = 0;
        for (int i = 0; i < frames; ++i) {
            const std::uint64_t told = guard.limited(budget);
            const std::uint64_t done = told >= begins && told < ends ? ends : told + 5'000;
            guard.ended(told, done - told);
            late += done > budget + budget / 20 ? 1 : 0;
        }
        return late;
    }
};

TEST(DeadlineGuard, LetsSearchesHaveAllTheirTime) {
    Drawing none;
    EXPECT_EQ(none.run(4 * kMs, 1000), 0);
    EXPECT_FALSE(none.guard.active());
    EXPECT_EQ(none.guard.limited(7 * kMs), 7 * kMs);
}

TEST(DeadlineGuard, EndsThemBeforeTheDrawing) {
    Drawing drawing;
    drawing.begins = 2 * kMs;
    drawing.ends = 10 * kMs;
    EXPECT_LE(drawing.run(4 * kMs, 40), 5);
    EXPECT_LT(drawing.guard.limited(4 * kMs), 2 * kMs);
    EXPECT_GT(drawing.guard.limited(4 * kMs), kMs);
    EXPECT_LT(drawing.run(4 * kMs, 10000), 50);  // tries
    EXPECT_EQ(drawing.run(kMs, 1000), 0);
}

TEST(DeadlineGuard, LeavesASearchAloneThatHasTimeToBeCaught) {
    Drawing drawing;
    drawing.begins = 2 * kMs;
    drawing.ends = 10 * kMs;
    drawing.run(4 * kMs, 40);
    ASSERT_TRUE(drawing.guard.active());
    EXPECT_EQ(drawing.guard.limited(3'600'000 * kMs), 3'600'000 * kMs) << "an hour";
    EXPECT_EQ(drawing.guard.limited(20 * kMs), 20 * kMs);
    EXPECT_LT(drawing.guard.limited(16 * kMs), 2 * kMs);
}

TEST(DeadlineGuard, GivesTheTimeBackWhenNothingIsDrawnAnyMore) {
    Drawing drawing;
    drawing.begins = 2 * kMs;
    drawing.ends = 10 * kMs;
    drawing.run(4 * kMs, 100);
    drawing.begins = UINT64_MAX;
    EXPECT_EQ(drawing.run(4 * kMs, 20000), 0);
    EXPECT_EQ(drawing.guard.limited(4 * kMs), 4 * kMs);
}

TEST(DeadlineGuard, GivesTheTimeBackToSearchesThatEndByThemselves) {
    Drawing drawing;
    drawing.begins = 2 * kMs;
    drawing.ends = 10 * kMs;
    drawing.run(4 * kMs, 100);
    const std::uint64_t limit = drawing.guard.limited(4 * kMs);
    for (int i = 0; i < 5000; ++i)
        drawing.guard.ended_by_itself(limit, limit / 8);
    EXPECT_EQ(drawing.guard.limited(4 * kMs), limit) << "short ones say nothing";
    for (int i = 0; i < 50000 && drawing.guard.active(); ++i) {
        const std::uint64_t told = drawing.guard.limited(4 * kMs);
        drawing.guard.ended_by_itself(told, told - told / 8);
    }
    EXPECT_EQ(drawing.guard.limited(4 * kMs), 4 * kMs);
}

TEST(DeadlineGuard, OneLateFrameMovesNothing) {
    Drawing drawing;
    for (int i = 0; i < 50; ++i) {
        drawing.run(4 * kMs, 20);
        drawing.guard.ended(4 * kMs, 60'000 * kMs);  // a minute
    }
    EXPECT_FALSE(drawing.guard.active());
}

TEST(DeadlineGuard, NeverTakesEverything) {
    DeadlineGuard guard;
    for (int i = 0; i < 1000; ++i)
        guard.ended(guard.limited(4 * kMs), 100 * kMs);
    EXPECT_GE(guard.limited(4 * kMs), 250'000u);
    EXPECT_EQ(guard.limited(100'000), 100'000u);
}

}  // namespace
}  // namespace augur::core
