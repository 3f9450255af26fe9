// A frame allocates nothing and costs its caller next to nothing. An executable of its own: it replaces operator new.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "runtime/system.h"
#include "support/connect_four_host.h"
#include "support/fake_host.h"

namespace {
std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
    ++allocations;
    void* pointer = alignment <= alignof(std::max_align_t)
                        ? std::malloc(size)
                        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (pointer == nullptr) throw std::bad_alloc();
    return pointer;
}
}  // namespace

void* operator new(std::size_t size) {
    return counted(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept {
    std::free(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
    std::free(pointer);
}
void operator delete(void* pointer, std::align_val_t) noexcept {
    std::free(pointer);
}
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
    std::free(pointer);
}

namespace augur {
namespace {

class FrameAllocations : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, FrameAllocations, ::testing::Values(0u, 2u));

TEST_P(FrameAllocations, AreNone) {
    test::ConnectFourHost host;
    host.set_up(GetParam());
    ASSERT_GE(host.plan(), 0);
    const std::uint64_t before = allocations;
    for (int i = 0; i < 50; ++i) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = test::ConnectFourHost::kAgents;
        frame.budget_us = i % 2 == 0 ? 100000 : INT64_MIN;
        augur_frame_result result{};
        result.struct_size = sizeof result;
        augur_agent_result agents[test::ConnectFourHost::kAgents];
        const bool fine = augur_planner_request(host.planner, &frame) == AUGUR_OK &&
                          augur_planner_poll(host.planner) >= 0 &&
                          augur_planner_collect(host.planner, UINT64_MAX, &result) >= 0 &&
                          augur_planner_results(host.planner, 0, test::ConnectFourHost::kAgents, agents) == AUGUR_OK &&
                          augur_planner_cancel(host.planner) == AUGUR_OK;
        if (!fine) FAIL() << augur_last_message();
    }
    EXPECT_EQ(allocations - before, 0u);
}

TEST(FrameAllocationsWhileRecording, AreNone) {
    test::ConnectFourHost host;
    host.set_up(0);
    const std::string path = ::testing::TempDir() + "augur_allocation_test.augur";
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    ASSERT_GE(host.plan(), 0);
    const std::uint64_t before = allocations;
    for (int i = 0; i < 20; ++i)
        ASSERT_GE(host.plan(), 0);
    EXPECT_EQ(allocations - before, 0u);
    ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    std::remove(path.c_str());
}

TEST(FrameOverhead, OfTheRuntimeIsBelowTenMicroseconds) {
    test::FakeHost host;
    host.set_up();
    std::vector<std::uint64_t> times;
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t began = system::now_ns();
        ASSERT_EQ(host.request(), AUGUR_OK);
        ASSERT_EQ(host.collect(), AUGUR_OK);
        times.push_back(system::now_ns() - began);
    }
    std::nth_element(times.begin(), times.begin() + 1000, times.end());
    // The fake engine's own work on four agents is in it. The limit holds for an optimised build without sanitizers.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(times[1000], 10000u);
#else
    EXPECT_LT(times[1000], 1000000u);
#endif
    RecordProperty("median_ns", std::to_string(times[1000]));
}

}  // namespace
}  // namespace augur
