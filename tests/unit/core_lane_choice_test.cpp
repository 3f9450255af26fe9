// Which part of a shared GPU searches take, on made-up times.

#include <gtest/gtest.h>

#include <vector>

#include "core/lane_choice.h"

namespace augur::core {
namespace {

constexpr std::uint64_t kBudget = 1'000'000;

// Searches one after the other that take `work` nanoseconds on the whole GPU, lanes being 1/8, 1/4 and 1/2 of it.
struct Halves {
    LaneChoice choice{LaneRule::by_need, 3};
    std::uint32_t lane = 0;
    std::uint32_t changes = 0;

    void run(std::uint64_t work, int frames, std::uint64_t budget = kBudget) {
        for (int i = 0; i < frames; ++i) {
            const std::uint32_t before = lane;
            lane = choice.for_search(1, true);
            changes += before != lane ? 1 : 0;
            choice.searched(lane, work << (3 - lane), budget, true);
        }
    }
};

TEST(LaneChoice, TheFirstRuleTakesTheFirst) {
    LaneChoice choice(LaneRule::first, 3);
    EXPECT_EQ(choice.for_search(0.001f, true), 0u);
    EXPECT_EQ(choice.wanted(), 0u);
}

TEST(LaneChoice, UrgencyDecidesAtOne) {
    LaneChoice choice(LaneRule::by_urgency, 2);
    EXPECT_EQ(choice.for_search(1.0f, false), 0u);
    EXPECT_EQ(choice.for_search(50.0f, true), 0u);
    EXPECT_EQ(choice.for_search(0.99f, true), 1u);
}

TEST(LaneChoice, TheSmallestLaneThatKeepsTheBudget) {
    Halves light, medium, heavy;
    light.run(kBudget / 100, 200);  // 8 % of the budget in the smallest lane
    EXPECT_EQ(light.lane, 0u);
    medium.run(kBudget / 6, 200);  // 133 % in the smallest, 67 % in the next
    EXPECT_EQ(medium.lane, 1u);
    heavy.run(kBudget / 2, 200);  // 100 % in the largest
    EXPECT_EQ(heavy.lane, 2u);
}

TEST(LaneChoice, GrowsAtOnceAndShrinksLate) {
    Halves halves;
    halves.run(kBudget / 100, 200);
    ASSERT_EQ(halves.lane, 0u);
    halves.run(kBudget / 3, 3);  // one frame too long in each of the two smaller lanes
    EXPECT_EQ(halves.lane, 2u);
    halves.run(kBudget / 100, 30);
    EXPECT_EQ(halves.lane, 2u);
    halves.run(kBudget / 100, 40);
    EXPECT_EQ(halves.lane, 0u);
}

TEST(LaneChoice, DoesNotSwing) {
    Halves halves;
    halves.run(kBudget / 100, 200);
    halves.changes = 0;
    for (int burst = 0; burst < 10; ++burst) {
        halves.run(kBudget / 6, 20);  // needs the middle lane
        halves.run(kBudget / 100, 20);
    }
    EXPECT_LE(halves.changes, 2u);
    // Nor where a lane is just too small, for any length of time: down needs less than half of what up needs.
    for (std::uint64_t work = kBudget / 100; work < kBudget / 2; work += kBudget / 100) {
        halves.run(work, 200);
        halves.changes = 0;
        halves.run(work, 2000);
        EXPECT_EQ(halves.changes, 0u) << work;
    }
}

// Searches that take took[lane], one after the other; how often each lane was taken.
struct Lanes {
    LaneChoice choice;
    std::vector<std::uint64_t> took;

    std::vector<std::uint32_t> run(int frames) {
        std::vector<std::uint32_t> times(took.size());
        for (int i = 0; i < frames; ++i) {
            const std::uint32_t lane = choice.for_search(1, true);
            ++times.at(lane);
            choice.searched(lane, took[lane], 0, true);
        }
        return times;
    }
};

TEST(LaneChoice, WithoutABudgetTheSmallestThatIsHardlySlower) {
    Lanes lanes{LaneChoice(LaneRule::by_need, 3), {420'000, 350'000, 340'000}};
    lanes.run(100);
    EXPECT_GT(lanes.run(1000)[0], 950u);
    lanes.took = {900'000, 420'000, 340'000};
    lanes.run(1000);
    EXPECT_GT(lanes.run(1000)[1], 950u);
}

TEST(LaneChoice, MeasuresAndTakesTheFirstThatIsHardlySlower) {
    Lanes lanes{LaneChoice(LaneRule::by_measure, 4), {4'000'000, 900'000, 520'000, 500'000}};
    EXPECT_EQ(lanes.choice.for_search(1, false), 0u);  // alone: the whole
    const std::vector<std::uint32_t> times = lanes.run(1000);
    EXPECT_GT(times[2], 950u);
    EXPECT_EQ(lanes.choice.wanted(), 2u);
    for (const std::uint32_t t : times)
        EXPECT_GE(t, 4u);
    EXPECT_EQ(lanes.choice.for_search(1, false), 0u);
}

TEST(LaneChoice, NoticesThatTheFastestHasChanged) {
    Lanes lanes{LaneChoice(LaneRule::by_measure, 2), {1'000'000, 300'000}};
    EXPECT_LT(lanes.run(200)[0], 20u);
    lanes.took[0] = 300'000;
    lanes.run(2000);
    EXPECT_GT(lanes.run(200)[0], 180u);
}

TEST(LaneChoice, TwoThatAreAlikeAreNotTakenInTurns) {
    Lanes lanes{LaneChoice(LaneRule::by_measure, 2), {390'000, 310'000}};
    lanes.run(100);
    std::uint32_t changes = 0, before = lanes.choice.wanted();
    for (int i = 0; i < 2000; ++i) {
        lanes.took[0] = i % 2 == 0 ? 370'000 : 400'000;  // around what makes the difference
        lanes.run(1);
        changes += lanes.choice.wanted() != before ? 1 : 0;
        before = lanes.choice.wanted();
    }
    EXPECT_LE(changes, 2u);
}

// A planner beside others: what it needs, evaluations leave alone.
struct Planner {
    LaneChoice choice;
    std::vector<std::uint64_t> took;  // by lane

    void search(LaneDemand& demand, std::uint64_t budget = 0) {
        const std::uint32_t lane = choice.for_search(1, true);
        demand.searches(choice.wanted());
        choice.searched(lane, took[lane], budget, true);
    }
};

TEST(LaneDemand, EachPlannerFindsItsOwnLane) {
    // A planner whose searches are short beside one whose searches need half of the GPU: in one pot their mean would
    // say nothing of either.
    Planner light{LaneChoice(LaneRule::by_measure, 4), {900'000, 52'000, 51'000, 50'000}};
    Planner heavy{LaneChoice(LaneRule::by_measure, 4), {9'000'000, 8'000'000, 4'000'000, 2'000'000}};
    LaneDemand demand(0);
    demand.join();
    demand.join();
    std::uint32_t left_alone = 0;
    for (int frame = 0; frame < 1000; ++frame) {
        light.search(demand);
        heavy.search(demand);
        left_alone += frame >= 100 && demand.for_evaluation() == 3 ? 1 : 0;
    }
    EXPECT_EQ(light.choice.wanted(), 1u);
    EXPECT_EQ(heavy.choice.wanted(), 3u);
    EXPECT_EQ(left_alone, 900u);
}

TEST(LaneDemand, ABudgetOfOnePlannerSaysNothingOfAnother) {
    Planner with{LaneChoice(LaneRule::by_need, 3), {80'000, 40'000, 20'000}};
    Planner without{LaneChoice(LaneRule::by_need, 3), {900'000, 420'000, 340'000}};
    LaneDemand demand(2);
    demand.join();
    demand.join();
    for (int frame = 0; frame < 1000; ++frame) {
        with.search(demand, kBudget);
        without.search(demand);
    }
    EXPECT_EQ(with.choice.wanted(), 0u);
    EXPECT_EQ(without.choice.wanted(), 1u);
    EXPECT_EQ(demand.for_evaluation(), 1u);
}

TEST(LaneDemand, WhoSearchesNoMoreNeedsNothing) {
    Planner small{LaneChoice(LaneRule::by_need, 3), {80'000, 40'000, 20'000}};
    Planner large{LaneChoice(LaneRule::by_need, 3), {8'000'000, 4'000'000, 900'000}};
    LaneDemand demand(2);
    demand.join();
    demand.join();
    EXPECT_EQ(demand.for_evaluation(), 2u);  // before anybody has searched
    for (int frame = 0; frame < 200; ++frame) {
        small.search(demand, kBudget);
        large.search(demand, kBudget);
    }
    EXPECT_EQ(demand.for_evaluation(), 2u);
    // One frame without the large one changes nothing; many do, and it has its part again with its next search.
    small.search(demand, kBudget);
    EXPECT_EQ(demand.for_evaluation(), 2u);
    for (int frame = 0; frame < 20; ++frame)
        small.search(demand, kBudget);
    EXPECT_EQ(demand.for_evaluation(), 0u);
    large.search(demand, kBudget);
    EXPECT_EQ(demand.for_evaluation(), 2u);
}

}  // namespace
}  // namespace augur::core
