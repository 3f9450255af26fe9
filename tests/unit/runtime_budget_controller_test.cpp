// The controller on a machine that is simulated: what it plans when the cost of a simulation jumps, wobbles, lies.
#include "runtime/budget_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "support/split_mix.h"

namespace augur {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1000 * kUs, kMinute = 60000 * kMs;

// A machine on which a frame costs overhead + fixed + cost * simulations, and that stops at the deadline.
struct Machine {
    double cost_ns = 10.0;  // per simulation
    double fixed_ns = 0.0;
    double overhead_ns = 20.0 * kUs;
    double noise = 0.0;  // +- this share of the search
    test::SplitMix64 random{1};

    struct Frame {
        std::uint64_t planned, done, total_ns;
    };

    // One frame of `wanted` simulations at most, planned and learned.
    Frame run(BudgetController& controller, std::uint64_t budget_ns, std::uint64_t wanted, std::uint64_t least = 16) {
        Frame frame{controller.plan(budget_ns, least), 0, 0};
        if (frame.planned == 0) return frame;
        const std::uint64_t planned = std::min(frame.planned, wanted);
        const double wobble = 1.0 + noise * (static_cast<double>(random.below(2001)) - 1000.0) / 1000.0;
        const double time = static_cast<double>(budget_ns) - overhead_ns - fixed_ns;
        const double possible = time > 0 ? time / (cost_ns * wobble) : 0;
        frame.done = possible < static_cast<double>(planned) ? static_cast<std::uint64_t>(possible) : planned;
        const double search = (fixed_ns + cost_ns * static_cast<double>(frame.done)) * wobble;
        frame.total_ns = static_cast<std::uint64_t>(search + overhead_ns);
        controller.learn(frame.total_ns, static_cast<std::uint64_t>(search), frame.done, frame.done < planned);
        return frame;
    }
};

// How often a row of numbers turns from rising to falling or back; steps of less than one in a hundred do not count.
int turns(const std::vector<std::uint64_t>& row) {
    int count = 0, before = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
        const double step = static_cast<double>(row[i]) / static_cast<double>(row[i - 1]);
        const int now = step > 1.01 ? 1 : step < 0.99 ? -1 : 0;
        if (now != 0 && before != 0 && now != before) ++count;
        if (now != 0) before = now;
    }
    return count;
}

TEST(BudgetController, PlansEverythingWhileItKnowsNothing) {
    BudgetController controller;
    EXPECT_EQ(controller.plan(1 * kMs, 16), BudgetController::kAllOfThem);
    EXPECT_EQ(controller.plan(0, 16), BudgetController::kAllOfThem);
    EXPECT_EQ(controller.expected_ns(1000), 0u);
    EXPECT_EQ(controller.simulation_ps(), 0u);
    controller.learn(1000, 500, 0, false);  // a frame without simulations tells nothing of their cost
    EXPECT_EQ(controller.plan(1 * kMs, 16), BudgetController::kAllOfThem);
}

TEST(BudgetController, PlansWhatTheTimeWillPayFor) {
    BudgetController controller;
    Machine machine;
    machine.run(controller, 2 * kMs, 1000000);
    const Machine::Frame frame = machine.run(controller, 2 * kMs, 1000000);
    // (2 ms * 15/16 - 20 us) / 10 ns.
    EXPECT_NEAR(static_cast<double>(frame.planned), 185500.0, 200.0);
    EXPECT_LE(frame.total_ns, 2 * kMs);
    EXPECT_NEAR(static_cast<double>(controller.simulation_ps()), 10000.0, 50.0);
    EXPECT_NEAR(static_cast<double>(controller.expected_ns(100000)), 1020000.0, 6000.0);
}

TEST(BudgetController, FollowsACostThatRisesWithinThreeFramesAndNeverPlansPastTheBudgetThen) {
    BudgetController controller;
    Machine machine;
    for (int i = 0; i < 50; ++i)
        machine.run(controller, 2 * kMs, 1000000);
    machine.cost_ns *= 3;
    int too_many = 0;
    for (int i = 0; i < 50; ++i) {
        const Machine::Frame frame = machine.run(controller, 2 * kMs, 1000000);
        if (frame.planned > frame.done) ++too_many;
    }
    EXPECT_LE(too_many, 6) << "frames that their deadline had to end";
    EXPECT_GE(too_many, 1);
}

TEST(BudgetController, DoesNotOscillateWhenTheLoadStepsUpAndDown) {
    for (const double noise : {0.0, 0.03, 0.1}) {
        BudgetController controller;
        Machine machine;
        machine.noise = noise;
        std::vector<std::uint64_t> plans;
        for (int i = 0; i < 800; ++i) {
            machine.cost_ns = i / 200 % 2 == 0 ? 10.0 : 30.0;
            const Machine::Frame frame = machine.run(controller, 2 * kMs, 1000000);
            if (i >= 20) plans.push_back(frame.planned);
        }
        // Three steps: down, up, down.
        EXPECT_LE(turns(plans), noise == 0.0 ? 2 : 12) << "noise " << noise;
        EXPECT_GT(plans[550], 100000u) << "recovered";
        EXPECT_LT(plans[250], 70000u);
    }
}

// Sixty frames a second, and a second in which everything takes three or ten times as long.
TEST(BudgetController, ABurstOfASecondIsForgottenInHalfASecondWithoutSwinging) {
    for (const double slower : {1.5, 3.0, 10.0}) {
        BudgetController controller;
        Machine machine;
        machine.cost_ns = 400.0;
        machine.overhead_ns = 60.0 * kUs;
        std::vector<std::uint64_t> after;
        std::uint64_t before = 0;
        int cut = 0;
        for (int i = 0; i < 300; ++i) {
            machine.cost_ns = i >= 100 && i < 160 ? 400.0 * slower : 400.0;
            const Machine::Frame frame = machine.run(controller, 1 * kMs, 12800);
            ASSERT_GT(frame.planned, 0u) << "nobody thinks at all in frame " << i;
            if (i >= 20) cut += frame.done < frame.planned ? 1 : 0;
            if (i == 99) before = frame.planned;
            if (i >= 160) after.push_back(frame.planned);
        }
        EXPECT_LE(cut, 7) << slower;
        EXPECT_GE(after[30], before * 9 / 10) << slower;
        EXPECT_EQ(turns(after), 0) << slower;
        EXPECT_LE(*std::max_element(after.begin(), after.end()), before * 101 / 100) << slower;
    }
}

// A core that is taken away now and then, in a search or before it begins: agents are not put off for that.
TEST(BudgetController, WhatIsSlowNowAndThenDoesNotPutAgentsOff) {
    struct Interference {
        int percent;      // of the frames
        double slower;    // their simulations
        double later_us;  // their searches
        double least;     // of what these frames have time for
    };
    for (const auto& [percent, slower, later_us, least] : {Interference{10, 3, 0, 0.85},
                                                           {10, 10, 0, 0.85},
                                                           {20, 3, 0, 0.75},
                                                           {20, 10, 0, 0.7},
                                                           {10, 1, 600, 0.85},
                                                           {30, 1, 600, 0.75},
                                                           {50, 1, 4000, 0.85}}) {
        BudgetController controller;
        test::SplitMix64 random(7);
        double done = 0, possible = 0;
        for (int i = 0; i < 2000; ++i) {
            const bool hit = random.below(100) < percent;
            Machine machine;
            machine.cost_ns = 400.0 * (hit ? slower : 1.0);
            machine.overhead_ns = (60.0 + (hit ? later_us : 0)) * kUs;
            const Machine::Frame frame = machine.run(controller, 1 * kMs, 12800);
            if (i < 30) continue;
            done += static_cast<double>(frame.done);
            possible += std::max(0.0, (1.0 * kMs - machine.overhead_ns) / machine.cost_ns);
        }
        EXPECT_GT(done / possible, least)
            << percent << " of 100 " << slower << " times slower, " << later_us << " later";
    }
}

// The same core by core: a worker loses it at any time of a frame for up to ten milliseconds, which may be before its
// search, in the middle of it, or past its deadline.
TEST(BudgetController, WorkersThatLoseTheirCoreDoNotStopThinking) {
    constexpr double kCost = 400.0, kOverhead = 60.0 * kUs;
    for (const auto& [budget_ns, percent, least] :
         {std::tuple{500 * kUs, 10, 0.8}, {500 * kUs, 30, 0.7}, {2 * kMs, 10, 0.85}, {2 * kMs, 30, 0.75}}) {
        const auto budget = static_cast<double>(budget_ns);
        BudgetController controller;
        test::SplitMix64 random(11);
        double done_in_all = 0, possible_in_all = 0;
        int without = 0;
        for (int i = 0; i < 3000; ++i) {
            const std::uint64_t planned = controller.plan(budget_ns, 8);
            const bool loses = random.below(100) < percent;
            const double at = budget * random.below(1200) * 1e-3, away = loses ? 10.0 * kUs * random.below(1000) : 0;
            const double begin = kOverhead + (at < kOverhead ? away : 0);
            // Simulations and the time of a search of so many that its deadline ends.
            const auto search = [&](double wanted) {
                const double whole = wanted * kCost, left = std::max(0.0, budget - begin);
                if (at < kOverhead || at - begin >= std::min(whole, left))
                    return std::pair{std::min(whole, left) / kCost, std::min(whole, left)};
                const double worked = std::min(whole, (at - begin) + std::max(0.0, left - (at - begin) - away));
                return std::pair{worked / kCost, worked + away};
            };
            if (i > 30) possible_in_all += search(12800).first;
            if (planned == 0) {
                ++without;
                continue;
            }
            const double wanted = std::min(12800.0, static_cast<double>(planned));
            const auto [done, length] = search(wanted);
            if (i > 30) done_in_all += done;
            controller.learn(static_cast<std::uint64_t>(length + begin), static_cast<std::uint64_t>(length),
                             static_cast<std::uint64_t>(done), done < wanted);
        }
        EXPECT_LE(without, 30) << budget_ns << " ns, " << percent << " of 100";
        EXPECT_GT(done_in_all / possible_in_all, least) << budget_ns << " ns, " << percent << " of 100";
    }
}

TEST(BudgetController, RecoversWithinThirtyFrames) {
    BudgetController controller;
    Machine machine;
    machine.cost_ns = 40.0;
    for (int i = 0; i < 50; ++i)
        machine.run(controller, 2 * kMs, 1000000);
    machine.cost_ns = 10.0;
    for (int i = 0; i < 30; ++i)
        machine.run(controller, 2 * kMs, 1000000);
    EXPECT_GT(controller.plan(2 * kMs, 16), 170000u);
}

TEST(BudgetController, APauseOfAMinuteMovesNothing) {
    BudgetController controller;
    Machine machine;
    for (int i = 0; i < 50; ++i)
        machine.run(controller, 2 * kMs, 1000000);
    const std::uint64_t before = controller.plan(2 * kMs, 16);
    controller.learn(kMinute, kMinute - kMs, 180000, true);
    const std::uint64_t after = controller.plan(2 * kMs, 16);
    EXPECT_EQ(after, before);
    for (int i = 0; i < 5; ++i)
        EXPECT_GE(machine.run(controller, 2 * kMs, 1000000).planned, before * 9 / 10) << i;
    // Outside of the search just as well.
    controller.learn(kMinute, kMs, 100000, false);
    EXPECT_GE(controller.plan(2 * kMs, 16), before * 9 / 10);
}

TEST(BudgetController, AFirstFrameThatPausesIsForgottenWithTheSecond) {
    BudgetController controller;
    controller.learn(kMinute, kMinute, 1000, false);
    Machine machine;
    int frames = 0;
    std::uint64_t planned = 0;
    for (; frames < 2000 && planned < 100000; ++frames)
        planned = std::min<std::uint64_t>(machine.run(controller, 2 * kMs, 1000000).planned, 1000000);
    EXPECT_LT(frames, 600) << "prior-only frames make it try again";
    EXPECT_GE(planned, 100000u);
}

TEST(BudgetController, ATimeOfNothingPlansNothingAndBreaksNothing) {
    BudgetController controller;
    Machine machine;
    for (int i = 0; i < 50; ++i)
        machine.run(controller, 2 * kMs, 1000000);
    const std::uint64_t before = controller.plan(2 * kMs, 16);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(controller.plan(0, 16), 0u);
    EXPECT_GE(controller.plan(2 * kMs, 16), before);
    EXPECT_GE(machine.run(controller, 2 * kMs, 1000000).planned, before * 9 / 10);
    EXPECT_EQ(controller.plan(UINT64_MAX, 16), BudgetController::kAllOfThem);
}

TEST(BudgetController, NeverGivesUpForGood) {
    BudgetController controller;
    Machine machine;
    machine.cost_ns = 1.0e6;  // a millisecond each: no frame has room for 16
    for (int i = 0; i < 3; ++i)
        controller.learn(17 * kMs, 16 * kMs, 16, true);
    machine.cost_ns = 10.0;  // and now it has
    int frames = 1;
    while (controller.plan(2 * kMs, 16) == 0 && frames < 1000)
        ++frames;
    EXPECT_LT(frames, 150);
}

TEST(BudgetController, AFewSmallFramesDoNotMakeASimulationDear) {
    // A GPU: a hundred simulations take as long as ten thousand.
    BudgetController controller;
    Machine machine;
    machine.cost_ns = 2.0;
    machine.fixed_ns = 150.0 * kUs;
    for (int i = 0; i < 50; ++i)
        machine.run(controller, 2 * kMs, 100000);
    const std::uint64_t before = controller.plan(2 * kMs, 16);
    for (int i = 0; i < 20; ++i)
        machine.run(controller, 260 * kUs, 1000);
    const std::uint64_t after = controller.plan(2 * kMs, 16);
    EXPECT_GE(after, before * 3 / 4);
}

TEST(BudgetController, BurstsOfAgentsArePaidForByTheSameTime) {
    BudgetController controller;
    Machine machine;
    for (int i = 0; i < 300; ++i) {
        const std::uint64_t wanted = i % 10 == 9 ? 2000000 : 50000;
        const Machine::Frame frame = machine.run(controller, 2 * kMs, wanted);
        if (i > 20) {
            EXPECT_LE(frame.total_ns, 2 * kMs) << i;
        }
        if (i > 20 && wanted > 1000000) {
            EXPECT_GT(frame.done, 150000u) << i;
        }
    }
}

TEST(BudgetController, SurvivesTimesThatAreNonsense) {
    BudgetController controller;
    controller.learn(0, 0, 1, false);
    controller.learn(0, UINT64_MAX, 1, true);
    controller.learn(UINT64_MAX, UINT64_MAX, 1, true);
    controller.learn(5, 10, 3, false);  // a search longer than its frame: the clock was set
    for (int i = 0; i < 300; ++i)
        controller.learn(1 * kMs, 900 * kUs, 90000, false);
    EXPECT_NEAR(static_cast<double>(controller.simulation_ps()), 10000.0, 1500.0);
}

}  // namespace
}  // namespace augur
