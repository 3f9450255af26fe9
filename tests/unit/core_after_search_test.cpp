// How much earlier searches are told to end, on made-up times.

#include <gtest/gtest.h>

#include "core/after_search.h"

namespace augur::core {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1'000'000;

// How late the last of some frames is, each of which takes that long after its search was told to end.
std::uint64_t late_after(AfterSearch& after, int frames, std::uint64_t budget, std::uint64_t takes) {
    std::uint64_t done = 0;
    for (int i = 0; i < frames; ++i) {
        done = after.time_to_search(budget) + takes;
        after.learn(takes, true);
    }
    return done > budget ? done - budget : 0;
}

TEST(AfterSearch, GivesTheWholeBudgetAtFirst) {
    EXPECT_EQ(AfterSearch().time_to_search(kMs), kMs);
    EXPECT_EQ(AfterSearch().time_to_search(0), 0u);
}

TEST(AfterSearch, KeepsTheDeadlineFromTheSecondFrameOn) {
    AfterSearch after;
    EXPECT_EQ(late_after(after, 1, kMs, 80 * kUs), 80 * kUs);
    EXPECT_EQ(late_after(after, 1, kMs, 80 * kUs), 0u);
    EXPECT_EQ(after.time_to_search(kMs), 920 * kUs) << "and no more than that";
    EXPECT_EQ(after.beyond(90 * kUs), 10 * kUs);
    EXPECT_EQ(after.beyond(70 * kUs), 0u);
    EXPECT_EQ(late_after(after, 4, 4 * kMs, 700 * kUs), 0u) << "much more in four frames";
}

TEST(AfterSearch, LeavesThreeQuartersToTheSearch) {
    AfterSearch after;
    late_after(after, 10, 10 * kMs, 900 * kUs);
    EXPECT_EQ(after.time_to_search(kMs), 750 * kUs);
    EXPECT_EQ(after.time_to_search(10 * kMs), 9100 * kUs);
}

TEST(AfterSearch, MindsLittleWhatHappensOnce) {
    AfterSearch after;
    late_after(after, 100, 10 * kMs, 50 * kUs);
    after.learn(8 * kMs, true);
    EXPECT_EQ(after.time_to_search(10 * kMs), 9800 * kUs) << "twice what was expected and a little";
    late_after(after, 100, 10 * kMs, 50 * kUs);
    EXPECT_GT(after.time_to_search(10 * kMs), 9945 * kUs);
}

TEST(AfterSearch, LearnsFromSearchesThatEndedByThemselvesOnlyWhatIsMore) {
    AfterSearch after;
    late_after(after, 10, kMs, 60 * kUs);
    for (int i = 0; i < 100; ++i)
        after.learn(20 * kUs, false);
    EXPECT_EQ(after.time_to_search(kMs), 940 * kUs);
    after.learn(90 * kUs, false);
    EXPECT_EQ(after.time_to_search(kMs), 910 * kUs);
}

}  // namespace
}  // namespace augur::core
