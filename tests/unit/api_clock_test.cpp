// Clocks that jump in the middle of a frame. An executable of its own: it replaces clock_gettime and gettimeofday, so
// that it can move the time that everything in this process reads.
#include <augur/augur.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/system.h"
#include "support/connect_four_host.h"

namespace {
std::atomic<std::int64_t> wall_seconds{0};    // added to the clock that people set
std::atomic<std::int64_t> steady_seconds{0};  // added to the clock that nobody sets
}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
    if (syscall(SYS_clock_gettime, clock, out) != 0) return -1;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) out->tv_sec += wall_seconds;
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME)
        out->tv_sec += steady_seconds;
    return 0;
}

extern "C" int gettimeofday(timeval* out, void*) noexcept {
    timespec now{};
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *out = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

namespace augur {
namespace {

using test::ConnectFourHost;

constexpr std::int64_t kHour = 3600;

class ClockJump : public ::testing::Test {
  protected:
    void TearDown() override {
        wall_seconds = 0;
        steady_seconds = 0;
    }
    // A planner whose frame lasts much longer than the budgets below.
    void set_up() {
        host.planner_desc.simulations = 65535;
        host.planner_desc.early_stop = 0;
        host.set_up(1);
    }
    augur_result request(std::int64_t budget_us, std::uint32_t simulations = 65535) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.budget_us = budget_us;
        frame.simulations = simulations;
        return augur_planner_request(host.planner, &frame);
    }
    augur_result collect(augur_frame_result* result) {
        result->struct_size = sizeof *result;
        return augur_planner_collect(host.planner, UINT64_MAX, result);
    }
    ConnectFourHost host;
};

TEST_F(ClockJump, IsSeenByEverythingInThisProcess) {
    const auto wall = std::chrono::system_clock::now();
    const auto steady = std::chrono::steady_clock::now();
    const std::uint64_t ours = system::now_ns();
    wall_seconds = -kHour;
    steady_seconds = kHour;
    EXPECT_LT(std::chrono::system_clock::now(), wall - std::chrono::minutes(59));
    EXPECT_GT(std::chrono::steady_clock::now(), steady + std::chrono::minutes(59));
    EXPECT_GT(system::now_ns(), ours + 3500000000000ull);
}

TEST_F(ClockJump, OfTheWallClockChangesNoFrame) {
    set_up();
    constexpr std::uint64_t kBudgetNs = 20000000;
    for (const std::int64_t jump : {kHour, -kHour, kHour, -24 * kHour}) {
        augur_frame_result result{};
        ASSERT_EQ(request(kBudgetNs / 1000), AUGUR_OK);
        wall_seconds += jump;
        EXPECT_EQ(collect(&result), AUGUR_DEADLINE_HIT) << jump;
        EXPECT_GE(result.request_to_done_ns, kBudgetNs / 4 * 3) << jump << ": the least that a search may take";
        EXPECT_LT(result.request_to_done_ns, kBudgetNs + 10000000000ull) << jump;
        EXPECT_GT(result.simulations, 0u) << jump;
    }
    augur_latency latency{};
    latency.struct_size = sizeof latency;
    ASSERT_EQ(augur_planner_latency(host.planner, AUGUR_LATENCY_FRAME, &latency), AUGUR_OK);
    EXPECT_LT(latency.max_us, 10000000.0);
}

// A machine that was suspended in a frame, on a system whose steady clock goes on meanwhile.
TEST_F(ClockJump, OfASuspendedMachineMakesOneFrameLateAndNoOther) {
    set_up();
    augur_frame_result result{};
    ASSERT_EQ(request(600000000), AUGUR_OK);
    steady_seconds += kHour;
    EXPECT_EQ(collect(&result), AUGUR_DEADLINE_HIT) << "it ends where it is, instead of going on for ten minutes";
    EXPECT_EQ(result.deadline_missed, 1u);
    for (const std::int32_t action : host.actions)
        EXPECT_TRUE(action >= 0 && action < 7) << action;
    for (int frame = 0; frame < 3; ++frame) {
        ASSERT_EQ(request(600000000, 20), AUGUR_OK);
        EXPECT_EQ(collect(&result), AUGUR_OK);
        EXPECT_EQ(result.deadline_missed, 0u);
        EXPECT_EQ(result.simulations, 20u * ConnectFourHost::kAgents);
    }
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.deadline_misses, 1u);
}

}  // namespace
}  // namespace augur
