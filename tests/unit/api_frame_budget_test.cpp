// One budget for everything in a context: what augur_context_begin_frame does to requests.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cmath>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

#include "support/connect_four_host.h"
#include "support/fake_host.h"

namespace augur {
namespace {

using test::ConnectFourHost;
using test::FakeHost;

augur_result begin_frame(augur_context_id context, std::int64_t budget_us) {
    augur_frame_budget_desc desc = augur_frame_budget_desc_default();
    desc.budget_us = budget_us;
    return augur_context_begin_frame(context, &desc);
}

class FrameBudgetTest : public ::testing::Test {
  protected:
    void SetUp() override { host.set_up(); }
    augur_frame_desc frame() const {
        augur_frame_desc desc = augur_frame_desc_default();
        desc.agent_count = FakeHost::kAgents;
        return desc;
    }
    // Microseconds that the engine was given; 0 without a deadline.
    std::uint64_t given_us(const augur_frame_desc& desc) {
        EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_OK) << augur_last_message();
        const FrameWork& work = host.backend.last_work;
        const std::uint64_t given = work.deadline_ns == 0 ? 0 : (work.deadline_ns - work.request_ns) / 1000;
        // Nothing is learned from a cancelled frame: what it needs stays unknown, and weights decide.
        EXPECT_EQ(augur_planner_cancel(host.planner), AUGUR_OK);
        host.collect();
        return given;
    }
    FakeHost host;
};

TEST_F(FrameBudgetTest, IsADeadlineForWhoeverAsks) {
    EXPECT_EQ(given_us(frame()), 0u) << "nothing was begun";
    ASSERT_EQ(begin_frame(host.context, 1000000), AUGUR_OK);
    const std::uint64_t given = given_us(frame());
    EXPECT_GT(given, 500000u);
    EXPECT_LE(given, 1000000u);
    ASSERT_EQ(begin_frame(host.context, INT64_MAX), AUGUR_OK);
    EXPECT_EQ(given_us(frame()), 0u) << "no limit is as if nothing was begun";
}

TEST_F(FrameBudgetTest, LeavesAPlannersOwnBudgetInForce) {
    ASSERT_EQ(begin_frame(host.context, 10000000), AUGUR_OK);
    augur_frame_desc desc = frame();
    desc.budget_us = 2000;
    EXPECT_EQ(given_us(desc), 2000u);
    desc.budget_us = 0;
    EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_BUDGET_ZERO);
}

TEST_F(FrameBudgetTest, OfNothingIsAnsweredAtOnceByEveryAgent) {
    for (const std::int64_t budget : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
        ASSERT_EQ(begin_frame(host.context, budget), AUGUR_OK);
        ASSERT_EQ(host.request(), AUGUR_OK);
        EXPECT_EQ(host.backend.last_work.simulations, 0u);
        EXPECT_EQ(host.backend.last_work.deadline_ns, 0u) << "what is not searched cannot be late";
        augur_frame_result result{};
        EXPECT_EQ(host.collect(&result), AUGUR_BUDGET_ZERO);
        EXPECT_EQ(result.deadline_missed, 0u);
        EXPECT_EQ(host.units[3].action, host.units[3].health % 4) << "written all the same";
    }
    ASSERT_EQ(begin_frame(host.context, 1000000), AUGUR_OK);
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK) << "the next frame is fine";
}

TEST_F(FrameBudgetTest, OfAnHourOrMoreHoldsNobodyBack) {
    for (const std::int64_t budget : {std::int64_t{3600} * 1000000, INT64_MAX / 1000, INT64_MAX - 1}) {
        ASSERT_EQ(begin_frame(host.context, budget), AUGUR_OK);
        ASSERT_EQ(host.request(), AUGUR_OK) << budget;
        EXPECT_EQ(host.collect(), AUGUR_OK);
    }
}

TEST_F(FrameBudgetTest, WeightsOutOfRangeAreRefusedByName) {
    const float nan = std::nanf(""), inf = HUGE_VALF;
    for (const float weight : {0.0f, -1.0f, 0.0009f, 1001.0f, nan, inf, -inf}) {
        augur_frame_desc desc = frame();
        desc.phase_weight = weight;
        EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_ERROR_INVALID_ARGUMENT) << weight;
        EXPECT_NE(std::strstr(augur_last_message(), "phase_weight"), nullptr) << augur_last_message();
        desc = frame();
        desc.depth_weight = weight;
        EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_ERROR_INVALID_ARGUMENT) << weight;
        EXPECT_NE(std::strstr(augur_last_message(), "depth_weight"), nullptr) << augur_last_message();
    }
    for (const float weight : {0.001f, 1000.0f}) {
        augur_frame_desc desc = frame();
        desc.phase_weight = desc.depth_weight = weight;
        EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_OK) << augur_last_message();
        host.collect();
    }
}

TEST_F(FrameBudgetTest, TheMoreUrgentPlannerGetsMore) {
    FakeHost& h = host;
    augur_planner_id second{0};
    ASSERT_EQ(augur_planner_create(h.context, &h.planner_desc, &second), AUGUR_OK);
    const augur_planner_id first = h.planner;
    h.planner = second;
    h.bind_all();
    const auto both = [&](float weight) {
        EXPECT_EQ(begin_frame(h.context, 10000000), AUGUR_OK);
        augur_frame_desc desc = frame();
        desc.phase_weight = weight;
        h.planner = first;
        const std::uint64_t given = given_us(desc);
        h.planner = second;
        given_us(frame());
        return given;
    };
    for (int i = 0; i < 3; ++i)
        both(1.0f);
    // Five and eight seconds of ten, less what went by before the request.
    const std::uint64_t equal = both(1.0f), urgent = both(4.0f);
    EXPECT_LE(equal, 5000000u);
    EXPECT_LE(urgent, 8000000u);
    EXPECT_GT(urgent, equal + 1000000);
}

TEST_F(FrameBudgetTest, AMinuteBetweenBeginAndRequestMakesOneFrameLate) {
    ASSERT_EQ(begin_frame(host.context, 1), AUGUR_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_BUDGET_ZERO);
    ASSERT_EQ(begin_frame(host.context, 1000000), AUGUR_OK);
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(FrameBudgetTest, ARequestThatIsRefusedTakesNoTime) {
    ASSERT_EQ(begin_frame(host.context, 1000000), AUGUR_OK);
    augur_frame_desc desc = frame();
    desc.agent_count = 1000;
    EXPECT_EQ(augur_planner_request(host.planner, &desc), AUGUR_ERROR_LIMIT);
    EXPECT_GT(given_us(frame()), 500000u);
}

// Planners of several threads, one of which begins frames. Under the thread sanitizer this is the test of the lock.
TEST(FrameBudgetThreads, PlannersOfSeveralThreadsShareFramesThatAnotherBegins) {
    constexpr int kThreads = 3, kFrames = 300;
    ConnectFourHost host;
    host.create_context(2);
    ASSERT_EQ(augur_rules_builtin(host.context, "connect_four", &host.planner_desc.rules), AUGUR_OK);
    std::atomic<bool> stop{false};
    std::thread game([&] {
        constexpr std::int64_t kBudgets[] = {0, 30, 400, 2000, 100000, INT64_MAX};
        for (std::size_t i = 0; !stop.load(); ++i) {
            EXPECT_EQ(begin_frame(host.context, kBudgets[i % std::size(kBudgets)]), AUGUR_OK);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    });
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            ConnectFourHost own;  // its boards
            own.context = host.context;
            own.planner_desc = host.planner_desc;
            for (int round = 0; round < 3; ++round) {
                own.planner_desc.adaptive = static_cast<std::uint32_t>(round % 2);
                own.create_planner();
                own.bind_all();
                for (int i = 0; i < kFrames; ++i) {
                    augur_frame_desc frame = augur_frame_desc_default();
                    frame.agent_count = ConnectFourHost::kAgents;
                    frame.phase_weight = static_cast<float>(1 + t);
                    ASSERT_EQ(augur_planner_request(own.planner, &frame), AUGUR_OK) << augur_last_message();
                    ASSERT_GE(augur_planner_collect(own.planner, UINT64_MAX, nullptr), 0);
                    for (const std::int32_t action : own.actions)
                        ASSERT_TRUE(action >= 0 && action < 7) << action;
                }
                ASSERT_EQ(augur_planner_destroy(own.planner), AUGUR_OK);
                ASSERT_EQ(augur_buffer_unregister(own.buffer), AUGUR_OK);
                ASSERT_EQ(augur_buffer_unregister(own.action_buffer), AUGUR_OK);
            }
            own.context = {0};
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    stop = true;
    game.join();
}

}  // namespace
}  // namespace augur
