// The CPU backend while the game's own work has every core: budgets, results asked early, twice or never, cancelled
// frames, several planners of one context asked by several threads. Nothing here asks for speed, only for what is
// promised however late a frame comes. Under the thread sanitizer too.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/frame_check.h"
#include "support/split_mix.h"

namespace augur {
namespace {

using test::CheckedSeat;
using test::SplitMix64;

constexpr std::uint32_t kRoom = 40, kMost = 64;

std::uint32_t pick(SplitMix64& random, std::size_t bound) {
    return static_cast<std::uint32_t>(random.next() % bound);
}

// Threads that keep all cores at work until the end.
class BusyCores {
  public:
    BusyCores() {
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()) + 1; ++i)
            threads_.emplace_back([this] {
                while (!stop_.load(std::memory_order_relaxed)) {
                }
            });
    }
    ~BusyCores() {
        stop_ = true;
        for (std::thread& thread : threads_)
            thread.join();
    }

  private:
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

class ContextOf {
  public:
    explicit ContextOf(std::uint32_t workers) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = AUGUR_BACKEND_CPU;
        desc.worker_threads = workers;
        EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_OK) << augur_last_message();
    }
    ~ContextOf() { augur_context_destroy(id); }
    augur_context_id id{0};
};

augur_planner_desc kind(std::uint32_t number) {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.agent_capacity = kRoom;
    desc.simulations = kMost;
    desc.adaptive = number % 4 == 1 ? 1 : 0;
    desc.search = number % 4 == 2 ? AUGUR_SEARCH_TREE : AUGUR_SEARCH_FOREST;
    desc.carry_over = number % 4 == 3 ? AUGUR_CARRY_OVER_SUBTREE : AUGUR_CARRY_OVER_NONE;
    desc.late_actions = number % 4 == 3 ? AUGUR_LATE_ACTIONS_DROP : AUGUR_LATE_ACTIONS_WRITE;
    return desc;
}

// Budgets of nothing, of less, of a microsecond, of some, of an hour and of more than the clock holds; simulations from
// none to all; agents from one to all.
augur_frame_desc any_frame(SplitMix64& random) {
    constexpr std::int64_t kBudgets[] = {0,    -1,    INT64_MIN + 1, 1,         200,
                                         2000, 20000, 3600000000,    INT64_MAX, INT64_MAX - 1};
    constexpr std::uint32_t kSimulations[] = {0, 1, 3, 20, kMost, kMost};
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 1 + pick(random, kRoom);
    frame.budget_us = kBudgets[pick(random, std::size(kBudgets))];
    frame.simulations = kSimulations[pick(random, std::size(kSimulations))];
    frame.frame = pick(random, 2) == 0 ? 0xffffffffffffffffull : (1ull << 32) + pick(random, 1000);
    return frame;
}

// One frame as a game may go about it: looks before it is done, asks for the next one too early, asks twice.
void play(CheckedSeat& seat, const augur_frame_desc& frame, SplitMix64& random, augur_result* answer = nullptr) {
    ASSERT_EQ(seat.request(frame), AUGUR_OK) << augur_last_message();
    augur_frame_result early{};
    early.struct_size = sizeof early;
    early.frame = 4711;
    bool done = false;
    for (std::uint32_t looks = pick(random, 4); looks > 0 && !done; --looks) {
        const augur_result code = augur_planner_collect(seat.planner(), pick(random, 2) * 50, &early);
        ASSERT_GE(code, AUGUR_OK);
        done = code != AUGUR_NOT_READY;
        if (!done) {
            ASSERT_EQ(early.frame, 4711u) << "written before it is done";
        }
    }
    if (!done && pick(random, 4) == 0) {
        const augur_result again = augur_planner_request(seat.planner(), &frame);
        ASSERT_TRUE(again == AUGUR_ERROR_BUSY || again == AUGUR_OK) << again;
    }
    augur_frame_result result{}, same{};
    const augur_result code = seat.collect(frame, &result);
    ASSERT_EQ(seat.collect(frame, &same), code);
    if (answer != nullptr) *answer = code;
    ASSERT_EQ(std::memcmp(&same, &result, sizeof same), 0);
}

// Workers of ours, and none: then collect does the work, between the game's threads.
class Contention : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Contention, EveryFrameHasItsActionsAndSaysWhatBecameOfIt) {
    constexpr std::uint32_t kPlanners = 4, kFrames = 150;
    const ContextOf context(GetParam());
    const BusyCores busy;
    std::atomic<std::uint32_t> whole{0}, late{0}, unsearched{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kPlanners; ++t) {
        threads.emplace_back([&, t] {
            CheckedSeat seat(context.id, kind(t));
            SplitMix64 random(100 + t);
            for (std::uint32_t i = 0; i < kFrames && !::testing::Test::HasFatalFailure(); ++i) {
                for (float& urgency : seat.urgency())
                    urgency = static_cast<float>(1 + pick(random, 9));
                augur_result answer = AUGUR_ERROR_INTERNAL;
                play(seat, any_frame(random), random, &answer);
                whole += answer == AUGUR_OK ? 1 : 0;
                late += answer == AUGUR_DEADLINE_HIT ? 1 : 0;
                unsearched += answer == AUGUR_BUDGET_ZERO ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    // Of 600 frames a tenth has a microsecond, three tenths have nothing, three have an hour and more.
    EXPECT_GT(whole, 100u);
    EXPECT_GT(late, 15u);
    EXPECT_GT(unsearched, 150u);
}

// Frames whose budget is never over: the same answers as on a machine that has nothing else to do, with the same seed
// for all planners, seed 0 and frames beyond 2^32.
TEST_P(Contention, ChangesNoAnswerOfAFrameThatHasTheTime) {
    constexpr std::uint32_t kPlanners = 3, kFrames = 12;
    const ContextOf context(GetParam());
    const auto hashes = [&] {
        augur_planner_desc desc = kind(0);
        desc.seed = 0;
        CheckedSeat seat(context.id, desc);
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i < kFrames; ++i) {
            augur_frame_desc frame = augur_frame_desc_default();
            frame.agent_count = kRoom;
            frame.frame = (1ull << 32) * (i / 2) + i;
            frame.budget_us = i % 2 == 0 ? 3600000000 : INT64_MAX;
            EXPECT_EQ(seat.request(frame), AUGUR_OK);
            augur_frame_result result{};
            EXPECT_EQ(seat.collect(frame, &result), AUGUR_OK);
            EXPECT_EQ(result.deadline_missed, 0u);
            all.push_back(result.decision_hash);
        }
        return all;
    };
    const std::vector<std::uint64_t> calm = hashes();
    const BusyCores busy;
    std::vector<std::vector<std::uint64_t>> found(kPlanners);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kPlanners; ++t)
        threads.emplace_back([&, t] { found[t] = hashes(); });
    for (std::thread& thread : threads)
        thread.join();
    for (const std::vector<std::uint64_t>& those : found)
        EXPECT_EQ(those, calm);
}

// A long frame that somebody else cancels, again and again.
TEST_P(Contention, ACancelledFrameEndsWithItsActions) {
    const ContextOf context(GetParam());
    const BusyCores busy;
    augur_planner_desc desc = augur_planner_desc_default();
    desc.agent_capacity = kRoom;
    desc.early_stop = 0;
    desc.simulations = 4000;
    CheckedSeat seat(context.id, desc);
    SplitMix64 random(3);
    std::uint32_t cancelled = 0;
    for (std::uint32_t i = 0; i < 20 && !HasFatalFailure(); ++i) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = 1 + pick(random, kRoom);
        ASSERT_EQ(seat.request(frame), AUGUR_OK);
        std::thread other([&] { EXPECT_EQ(augur_planner_cancel(seat.planner()), AUGUR_OK); });
        augur_frame_result result{};
        cancelled += seat.collect(frame, &result, true) == AUGUR_CANCELLED ? 1 : 0;
        other.join();
    }
    EXPECT_GT(cancelled, 0u);
}

// Frames that are never collected, on cores that others have.
TEST_P(Contention, AFrameThatNobodyCollectsStandsInNobodysWay) {
    const ContextOf context(GetParam());
    const BusyCores busy;
    CheckedSeat left(context.id, kind(0)), other(context.id, kind(1));
    SplitMix64 random(4);
    std::uint32_t begun = 0;
    for (std::uint32_t i = 0; i < 60 && !HasFatalFailure(); ++i) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kRoom;
        frame.budget_us = 500;
        // Its array is left alone meanwhile: a worker may be writing there.
        const augur_result requested = augur_planner_request(left.planner(), &frame);
        ASSERT_TRUE(requested == AUGUR_OK || requested == AUGUR_ERROR_BUSY) << augur_last_message();
        begun += requested == AUGUR_OK ? 1 : 0;
        play(other, any_frame(random), random);
    }
    EXPECT_GT(begun, 0u);
}

INSTANTIATE_TEST_SUITE_P(Workers, Contention, ::testing::Values(0u, 1u, 3u),
                         [](const auto& row) { return std::to_string(row.param); });

}  // namespace
}  // namespace augur
