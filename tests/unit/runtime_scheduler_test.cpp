// The scheduler on a simulated clock: who gets how much of a frame, and that everybody comes to its turn.
#include "runtime/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/split_mix.h"

namespace augur {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1000 * kUs, kStart = 10000000 * kMs;

Scheduler::Ask planner(double weight, std::uint64_t needed_ns, std::uint64_t least_ns = 10 * kUs) {
    return {weight, needed_ns, least_ns, false};
}

// A game with planners that are asked one after the other, each collected before the next: the time goes on by what
// they use.
struct Game {
    Scheduler scheduler;
    std::uint64_t now = kStart;
    std::vector<std::uint32_t> clients;
    std::vector<Scheduler::Ask> asks;

    void add(const Scheduler::Ask& ask) {
        clients.push_back(scheduler.add(true));
        asks.push_back(ask);
    }
    // A few frames, until the scheduler knows who comes.
    void warm_up(std::uint64_t budget_ns) {
        for (int i = 0; i < 4; ++i)
            frame(budget_ns);
    }
    // What each got in one frame, in nanoseconds; 0 where it was put off.
    std::vector<std::uint64_t> frame(std::uint64_t budget_ns) {
        scheduler.begin_frame(now, budget_ns);
        std::vector<std::uint64_t> got;
        for (std::size_t i = 0; i < clients.size(); ++i)
            got.push_back(ask(i));
        return got;
    }
    std::uint64_t ask(std::size_t i) {
        const Scheduler::Share share = scheduler.request(clients[i], asks[i], now);
        EXPECT_TRUE(share.shared);
        if (share.put_off) return 0;
        const std::uint64_t time = share.deadline_ns > now ? share.deadline_ns - now : 0;
        now += asks[i].needed_ns == 0 ? time : std::min(time, asks[i].needed_ns);
        scheduler.done(clients[i]);
        return time;
    }
};

TEST(Scheduler, WithoutAFrameNobodySharesAnything) {
    Scheduler scheduler;
    const std::uint32_t client = scheduler.add(true);
    EXPECT_FALSE(scheduler.request(client, planner(1, kMs), kStart).shared);
    scheduler.begin_frame(kStart, 1 * kMs);
    EXPECT_TRUE(scheduler.request(client, planner(1, kMs), kStart).shared);
    scheduler.begin_frame(kStart, Scheduler::kNoLimit);
    EXPECT_FALSE(scheduler.request(client, planner(1, kMs), kStart).shared);
}

TEST(Scheduler, OneAloneHasTheWholeFrame) {
    Scheduler scheduler;
    const std::uint32_t client = scheduler.add(true);
    scheduler.begin_frame(kStart, 2 * kMs);
    const Scheduler::Share share = scheduler.request(client, planner(1, 10 * kMs), kStart + 300 * kUs);
    EXPECT_FALSE(share.put_off);
    EXPECT_EQ(share.deadline_ns, kStart + 2 * kMs) << "of the frame, however late it was asked";
}

TEST(Scheduler, SharesByWeight) {
    Game game;
    game.add(planner(3, 0));
    game.add(planner(1, 0));
    game.warm_up(4 * kMs);
    const std::vector<std::uint64_t> got = game.frame(4 * kMs);
    EXPECT_NEAR(static_cast<double>(got[0]), 3.0 * kMs, 0.01 * kMs);
    EXPECT_NEAR(static_cast<double>(got[1]), 1.0 * kMs, 0.01 * kMs);
}

TEST(Scheduler, TheFirstFrameIsSharedToo) {
    Game game;
    game.add(planner(1, 0));
    game.add(planner(1, 0));
    const std::vector<std::uint64_t> got = game.frame(4 * kMs);
    EXPECT_NEAR(static_cast<double>(got[0]), 2.0 * kMs, 0.01 * kMs);
    EXPECT_NEAR(static_cast<double>(got[1]), 2.0 * kMs, 0.01 * kMs);
    // Models are not expected before they have once been asked.
    game.scheduler.add(false);
    EXPECT_NEAR(static_cast<double>(game.frame(4 * kMs)[0]), 2.0 * kMs, 0.01 * kMs);
}

TEST(Scheduler, NobodyIsGivenMoreThanItNeedsWhileOthersNeedIt) {
    Game game;
    game.add(planner(1, 8 * kMs));
    game.add(planner(9, 800 * kUs));
    game.warm_up(4 * kMs);
    const std::vector<std::uint64_t> got = game.frame(4 * kMs);
    EXPECT_NEAR(static_cast<double>(got[0]), 3.1 * kMs, 0.01 * kMs) << "the urgent one needs 0.8 ms and an eighth";
    EXPECT_GE(got[1], 800 * kUs);
}

TEST(Scheduler, WhatOneLeavesGoesToTheNext) {
    Game game;
    game.add(planner(1, 200 * kUs));
    game.add(planner(1, 10 * kMs));
    game.warm_up(4 * kMs);
    const std::uint64_t began = game.now;
    const std::vector<std::uint64_t> got = game.frame(4 * kMs);
    EXPECT_EQ(got[1], 3800 * kUs);
    EXPECT_EQ(game.now, began + 4 * kMs);
}

TEST(Scheduler, ThoseThatRunAreWaitedFor) {
    Scheduler scheduler;
    const std::uint32_t first = scheduler.add(true), second = scheduler.add(true);
    std::uint64_t now = kStart;
    for (int frame = 0; frame < 2; ++frame, now += 10 * kMs) {
        scheduler.begin_frame(now, 4 * kMs);
        const Scheduler::Share a = scheduler.request(first, planner(1, 0), now);
        const Scheduler::Share b = scheduler.request(second, planner(1, 0), now);
        EXPECT_EQ(b.deadline_ns, now + 4 * kMs);
        if (frame == 1) {
            EXPECT_NEAR(static_cast<double>(a.deadline_ns - now), 2.0 * kMs, 0.01 * kMs);
        }
        scheduler.done(first);
        scheduler.done(second);
    }
}

TEST(Scheduler, EvaluationsTakeTheirTimeFirst) {
    Game game;
    game.add(planner(1, 0));
    game.add({1, 1 * kMs, 1 * kMs, true});
    game.add(planner(1, 0));
    game.warm_up(4 * kMs);
    const std::vector<std::uint64_t> got = game.frame(4 * kMs);
    EXPECT_NEAR(static_cast<double>(got[0]), 1.5 * kMs, 0.01 * kMs);
    EXPECT_NEAR(static_cast<double>(got[2]), 1.5 * kMs, 0.01 * kMs);
}

TEST(Scheduler, AnEvaluationThatIsTooLongLeavesPlannersHalf) {
    Game game;
    game.add(planner(1, 0));
    game.add({1, 100 * kMs, 100 * kMs, true});
    game.warm_up(4 * kMs);
    game.now += 1000 * kMs;
    game.scheduler.begin_frame(game.now, 4 * kMs);
    EXPECT_EQ(game.ask(0), 2 * kMs);
}

TEST(Scheduler, APlannerThatStaysAwayIsForgottenAfterTwoFrames) {
    Game game;
    game.add(planner(1, 0));
    game.add(planner(1, 0));
    game.warm_up(4 * kMs);
    std::vector<std::uint64_t> got;
    for (int i = 0; i < 3; ++i) {
        game.scheduler.begin_frame(game.now, 4 * kMs);
        got.push_back(game.ask(0));
    }
    EXPECT_NEAR(static_cast<double>(got[0]), 2.0 * kMs, 0.01 * kMs);
    EXPECT_NEAR(static_cast<double>(got[1]), 2.0 * kMs, 0.01 * kMs);
    EXPECT_EQ(got[2], 4 * kMs);
}

// The bound: with m of n planners served a frame, one that waits grows by its weight each frame, while one that is
// served falls back to its own, so a planner of weight w waits at most about (n / m) * (1 + (W / w) * ln ...) frames;
// 3 * n / m * (W / w) holds that generously.
TEST(Scheduler, EverybodyComesToItsTurn) {
    for (const double heaviest : {1.0, 4.0, 50.0}) {
        Game game;
        constexpr int kPlanners = 12;
        for (int i = 0; i < kPlanners; ++i)  // each wants a millisecond at least: two of them fit
            game.add(planner(i < 4 ? heaviest : 1.0, 0, 1 * kMs));
        std::vector<int> waits(kPlanners, 0), longest(kPlanners, 0), served(kPlanners, 0);
        for (int frame = 0; frame < 3000; ++frame) {
            const std::vector<std::uint64_t> got = game.frame(2 * kMs + 100 * kUs);
            EXPECT_TRUE(std::any_of(got.begin(), got.end(), [](std::uint64_t ns) { return ns > 0; }));
            for (std::size_t i = 0; i < kPlanners; ++i) {
                waits[i] = got[i] > 0 ? 0 : waits[i] + 1;
                longest[i] = std::max(longest[i], waits[i]);
                served[i] += got[i] > 0 ? 1 : 0;
            }
            game.now += kMs;
        }
        for (std::size_t i = 0; i < kPlanners; ++i) {
            const double weight = i < 4 ? heaviest : 1.0;
            EXPECT_LE(longest[i], 3.0 * kPlanners * heaviest / weight) << i << " of weight " << weight;
        }
        if (heaviest > 1.0) {
            EXPECT_GT(served[0], served[11]) << "the urgent come more often";
        }
    }
}

TEST(Scheduler, EverybodyComesToItsTurnWhenWeightsAndNeedsChangeAtRandom) {
    test::SplitMix64 random(7);
    Game game;
    constexpr std::size_t kPlanners = 9;
    for (std::size_t i = 0; i < kPlanners; ++i)
        game.add(planner(1, 0, 1 * kMs));
    std::vector<int> waits(kPlanners, 0);
    int longest = 0;
    for (int frame = 0; frame < 5000; ++frame) {
        for (Scheduler::Ask& ask : game.asks) {
            ask.weight = 0.1 * static_cast<double>(1 + random.below(100));  // 0.1 .. 10
            ask.least_ns = static_cast<std::uint64_t>(200 + random.below(1800)) * kUs;
            ask.needed_ns = ask.least_ns * static_cast<std::uint64_t>(random.below(4));
        }
        const std::vector<std::uint64_t> got = game.frame(3 * kMs);
        for (std::size_t i = 0; i < kPlanners; ++i) {
            waits[i] = got[i] > 0 ? 0 : waits[i] + 1;
            longest = std::max(longest, waits[i]);
        }
    }
    EXPECT_LE(longest, 100);
    EXPECT_GT(longest, 0) << "the frame was too short for all of them";
}

TEST(Scheduler, AFrameOfNothingPutsEverybodyOff) {
    Game game;
    game.add(planner(1, 0));
    game.add(planner(1, 0));
    for (const std::uint64_t ns : game.frame(0))
        EXPECT_EQ(ns, 0u);
    EXPECT_EQ(game.scheduler.age(game.clients[1]), 1u);
    EXPECT_GT(game.frame(4 * kMs)[0], 0u) << "the next is fine";
    EXPECT_EQ(game.scheduler.age(game.clients[0]), 0u);
}

TEST(Scheduler, AClockThatGoesBackOrJumpsMakesOneFrameLateAtMost) {
    Game game;
    game.add(planner(1, 300 * kUs));
    game.add(planner(1, 300 * kUs));
    game.frame(2 * kMs);
    // A minute goes by between the beginning of the frame and its requests.
    game.scheduler.begin_frame(game.now, 2 * kMs);
    game.now += 60000 * kMs;
    EXPECT_EQ(game.ask(0), 0u);
    EXPECT_EQ(game.ask(1), 0u);
    for (const std::uint64_t ns : game.frame(2 * kMs))
        EXPECT_GE(ns, 300 * kUs);
    // An hour back: nobody gets more than the frame has.
    game.scheduler.begin_frame(game.now, 2 * kMs);
    const std::uint64_t end = game.now + 2 * kMs;
    game.now -= 3600000 * kMs;
    const Scheduler::Share share = game.scheduler.request(game.clients[0], game.asks[0], game.now);
    EXPECT_FALSE(share.put_off);
    EXPECT_LE(share.deadline_ns, end);
    game.scheduler.done(game.clients[0]);
    for (const std::uint64_t ns : game.frame(2 * kMs))
        EXPECT_GE(ns, 300 * kUs);
}

TEST(Scheduler, BudgetsPastTheEndOfTimeAreHeld) {
    Scheduler scheduler;
    const std::uint32_t a = scheduler.add(true), b = scheduler.add(true);
    for (int i = 0; i < 3; ++i) {
        scheduler.begin_frame(UINT64_MAX - 5, UINT64_MAX - 1);
        EXPECT_FALSE(scheduler.request(a, planner(1, UINT64_MAX), UINT64_MAX - 5).shared) << "as good as no limit";
        scheduler.begin_frame(kStart, UINT64_MAX / 2);
        const Scheduler::Share share = scheduler.request(b, planner(1e6, UINT64_MAX, UINT64_MAX), kStart);
        EXPECT_TRUE(share.shared);
        EXPECT_FALSE(share.put_off) << "the first is served";
        scheduler.done(b);
    }
}

TEST(Scheduler, ManyPlannersOfDifferentWeightShareOneFrame) {
    Game game;
    constexpr std::size_t kPlanners = 64;
    double weights = 0;
    for (std::size_t i = 0; i < kPlanners; ++i) {
        game.add(planner(1.0 + static_cast<double>(i % 8), 0, 1 * kUs));
        weights += 1.0 + static_cast<double>(i % 8);
    }
    game.warm_up(16 * kMs);
    const std::uint64_t began = game.now;
    const std::vector<std::uint64_t> got = game.frame(16 * kMs);
    EXPECT_LE(game.now, began + 16 * kMs);
    for (std::size_t i = 0; i < kPlanners; ++i)
        EXPECT_NEAR(static_cast<double>(got[i]), 16.0 * kMs * game.asks[i].weight / weights, 5.0 * kUs) << i;
}

TEST(Scheduler, NumbersAreUsedAgain) {
    Scheduler scheduler;
    const std::uint32_t a = scheduler.add(true), b = scheduler.add(true);
    EXPECT_NE(a, b);
    scheduler.begin_frame(kStart, 1 * kMs);
    scheduler.request(a, planner(5, 0), kStart);
    scheduler.remove(a);
    EXPECT_EQ(scheduler.add(false), a);
    scheduler.begin_frame(kStart + 2 * kMs, 1 * kMs);
    const Scheduler::Share share = scheduler.request(b, planner(1, 0), kStart + 2 * kMs);
    EXPECT_EQ(share.deadline_ns, kStart + 3 * kMs) << "nothing is kept for one that is gone";
}

}  // namespace
}  // namespace augur
