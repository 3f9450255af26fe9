// How a frame's simulations are divided: against the plainest way to say it, by one thread and by many, and over
// frames.
#include "core/allotment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "support/split_mix.h"

namespace augur::core {
namespace {

using test::SplitMix64;

// The agents of one frame, and what they were given.
struct Frame {
    std::vector<AgentWork> work;
    std::vector<std::uint32_t> urgency;
    std::vector<std::uint16_t> ages;
    AllotmentReport report{};

    explicit Frame(std::size_t agents) : work(agents), urgency(agents, kWholeUrgency), ages(agents, 0) { begin(); }
    void begin() {
        for (AgentWork& w : work)
            w = {1, 0, 0, 77};
    }
    AllotmentView view() { return {work.data(), urgency.data(), ages.data(), static_cast<std::uint32_t>(work.size())}; }
    void allot(const AllotmentOrder& order) {
        AllotmentScratch scratch;
        std::memset(&scratch, 0xa5, sizeof scratch);
        const SerialTeam team;
        const AllotmentView agents = view();
        report = Allotment<SerialTeam>{agents, order, scratch, team}.run();
    }
    std::uint64_t given() const {
        std::uint64_t sum = 0;
        for (const AgentWork& w : work)
            sum += w.active;
        return sum;
    }
    // The next frame finds those who got nothing older.
    void end() {
        for (std::size_t i = 0; i < work.size(); ++i)
            ages[i] = next_age(ages[i], work[i].active == 0 ? work[i].flags : 0u);
        begin();
    }
};

constexpr std::uint64_t kUngranted = std::numeric_limits<std::uint64_t>::max();

TEST(Allotment, OfEqualAgentsIsEqual) {
    for (const std::uint32_t urgency : {1u, 7u, kWholeUrgency, kMostUrgency}) {
        Frame frame(37);
        std::fill(frame.urgency.begin(), frame.urgency.end(), urgency);
        frame.allot({kUngranted, 32, 256, 16, 1});
        for (const AgentWork& w : frame.work)
            EXPECT_EQ(w.active, 32u);
        EXPECT_EQ(frame.report.simulations, 37u * 32u);
        EXPECT_EQ(frame.report.wanting, 37u);
        EXPECT_EQ(frame.report.put_off, 0u);
    }
}

TEST(Allotment, FollowsUrgency) {
    Frame frame(3);
    frame.urgency = {kWholeUrgency, 2 * kWholeUrgency, 5 * kWholeUrgency};
    frame.allot({kUngranted, 80, 1000, 1, 1});
    EXPECT_EQ(frame.work[0].active, 30u);
    EXPECT_EQ(frame.work[1].active, 60u);
    EXPECT_EQ(frame.work[2].active, 150u);
}

TEST(Allotment, WhatTheMostUrgentCannotTakeGoesToTheOthers) {
    Frame frame(4);
    frame.urgency = {kWholeUrgency, kWholeUrgency, kWholeUrgency, 100 * kWholeUrgency};
    frame.allot({kUngranted, 40, 100, 8, 1});
    EXPECT_EQ(frame.work[3].active, 100u);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(frame.work[static_cast<std::size_t>(i)].active, 20u);
}

TEST(Allotment, WithFewerSimulationsTheLeastUrgentThinkLessFirst) {
    Frame frame(2);
    frame.urgency = {kWholeUrgency, 4 * kWholeUrgency};
    std::uint32_t before[2] = {64, 64};
    bool urgent_is_whole = true;
    for (std::uint64_t granted = 128; granted >= 32; granted -= 4) {
        frame.begin();
        frame.allot({granted, 64, 64, 8, 1});
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_LE(frame.work[i].active, before[i]);
            before[i] = frame.work[i].active;
        }
        if (frame.work[1].active < 64) {
            urgent_is_whole = false;
            EXPECT_LE(frame.work[0].active, 17u) << "the other had shrunk to a quarter by then";
        }
    }
    EXPECT_FALSE(urgent_is_whole);
}

TEST(Allotment, UrgencyOfNothingIsNotSearchedAndLeavesItsSimulationsToOthers) {
    Frame frame(4);
    frame.urgency = {0, kWholeUrgency, kBadUrgency, kWholeUrgency};
    frame.allot({kUngranted, 32, 256, 16, 1});
    EXPECT_EQ(frame.work[0].active, 0u);
    EXPECT_EQ(frame.work[0].flags, static_cast<std::uint32_t>(kFlagFallback));
    EXPECT_EQ(frame.work[2].active, 0u);
    EXPECT_EQ(frame.work[2].flags, kFlagFallback | kFlagBadUrgency);
    EXPECT_EQ(frame.work[1].active, 64u);
    EXPECT_EQ(frame.work[3].active, 64u);
    EXPECT_EQ(frame.work[3].flags, 0u);
    EXPECT_EQ(frame.report.put_off, 0u) << "nobody who is urgent waits";
}

TEST(Allotment, LeavesAgentsAloneThatWantNothing) {
    Frame frame(3);
    frame.work[1] = {1, 0, kFlagOnlyAction, 0};
    frame.allot({kUngranted, 32, 256, 16, 1});
    EXPECT_EQ(frame.work[0].active, 32u) << "the mean is that of agents who want to search";
    EXPECT_EQ(frame.work[1].active, 0u);
    EXPECT_EQ(frame.work[1].flags, static_cast<std::uint32_t>(kFlagOnlyAction));
    EXPECT_EQ(frame.report.wanting, 2u);
    frame.work.assign(3, {1, 0, kFlagNoAction, 0});
    frame.allot({kUngranted, 32, 256, 16, 1});
    EXPECT_EQ(frame.given(), 0u);
    EXPECT_EQ(frame.report.simulations, 0u);
    EXPECT_EQ(frame.report.wanting, 0u);
}

TEST(Allotment, GrantsOfNothingAndOfEverything) {
    Frame frame(5);
    frame.allot({0, 32, 64, 16, 1});
    EXPECT_EQ(frame.given(), 0u);
    EXPECT_EQ(frame.report.put_off, 5u);
    frame.begin();
    frame.allot({15, 32, 64, 16, 1});
    EXPECT_EQ(frame.given(), 0u) << "not enough for one";
    frame.begin();
    frame.allot({16, 32, 64, 16, 1});
    EXPECT_EQ(frame.work[0].active, 16u) << "the lowest index among equals";
    EXPECT_EQ(frame.given(), 16u);
    frame.begin();
    frame.allot({kUngranted, 64, 64, 64, 1});
    EXPECT_EQ(frame.given(), 5u * 64u);
    Frame one(1);
    one.allot({kUngranted, 4194303, 4194303, 4194303, 1});
    EXPECT_EQ(one.work[0].active, 4194303u);
    one.begin();
    one.allot({kUngranted, 1, 1, 1, 1});
    EXPECT_EQ(one.work[0].active, 1u);
}

// Said once more in the plainest way: the sum over agents for the largest factor that fits, in floating point.
std::vector<std::uint32_t> plainly(const Frame& frame, const AllotmentOrder& order) {
    std::vector<double> weights;
    double total = 0, heaviest = 0;
    for (std::size_t i = 0; i < frame.work.size(); ++i) {
        const bool wants = frame.work[i].active != 0;
        total += wants ? order.mean : 0;
        const bool urgent = wants && frame.urgency[i] != kBadUrgency;
        weights.push_back(urgent ? static_cast<double>(weight_of(level_of(frame.urgency[i]))) : 0.0);
        heaviest = std::max(heaviest, weights.back());
    }
    total = std::min(total, static_cast<double>(order.granted));
    const auto share = [&](std::size_t i, double factor) -> double {
        if (weights[i] == 0) return 0;
        return std::clamp(std::floor(factor * std::max(weights[i] / heaviest, 1.0 / 4096)),
                          static_cast<double>(order.least), static_cast<double>(order.most));
    };
    double low = 0, high = order.most * 4096.0;
    for (int step = 0; step < 200; ++step) {
        const double factor = 0.5 * (low + high);
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i)
            sum += share(i, factor);
        (sum <= total ? low : high) = factor;
    }
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < weights.size(); ++i)
        out.push_back(static_cast<std::uint32_t>(share(i, low)));
    return out;
}

TEST(Allotment, IsWhatThePlainestWayComesTo) {
    SplitMix64 random(3);
    for (int round = 0; round < 300; ++round) {
        Frame frame(static_cast<std::size_t>(1 + random.below(60)));
        for (std::size_t i = 0; i < frame.work.size(); ++i) {
            const int kind = random.below(10);
            frame.urgency[i] = kind == 0   ? 0
                               : kind == 1 ? kBadUrgency
                               : kind == 2 ? kMostUrgency
                                           : static_cast<std::uint32_t>(1 + random.below(1 << (1 + random.below(20))));
            if (random.below(8) == 0) frame.work[i].active = 0;
        }
        const auto most = static_cast<std::uint32_t>(1 + random.below(500));
        const auto mean = static_cast<std::uint32_t>(1 + random.below(static_cast<int>(most)));
        const auto least = static_cast<std::uint32_t>(1 + random.below(static_cast<int>(mean)));
        const AllotmentOrder order = {kUngranted, mean, most, least, 1};
        const std::vector<std::uint32_t> expected = plainly(frame, order);
        std::vector<std::uint32_t> urgent;
        frame.allot(order);
        std::uint64_t all = 0, wanted = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            // The factor is a whole number of 2^-20 in one and not in the other.
            EXPECT_NEAR(frame.work[i].active, expected[i], 1.0) << "round " << round << " agent " << i;
            all += frame.work[i].active;
            wanted += expected[i];
        }
        EXPECT_EQ(frame.report.simulations, all);
        EXPECT_LE(all, std::uint64_t{mean} * frame.report.wanting);
        EXPECT_LE(wanted - std::min(wanted, all), expected.size());
    }
}

TEST(Allotment, MoreUrgentNeverMeansFewer) {
    SplitMix64 random(5);
    for (int round = 0; round < 100; ++round) {
        Frame frame(50);
        for (std::uint32_t& urgency : frame.urgency)
            urgency = static_cast<std::uint32_t>(random.below(4000));
        frame.allot({static_cast<std::uint64_t>(random.below(4000)), 40, 200, 10, 1});
        EXPECT_LE(frame.given(), 4000u);
        for (std::size_t i = 0; i < 50; ++i)
            for (std::size_t j = 0; j < 50; ++j)
                if (frame.urgency[i] > frame.urgency[j] && level_of(frame.urgency[i]) != level_of(frame.urgency[j])) {
                    EXPECT_GE(frame.work[i].active, frame.work[j].active);
                }
    }
}

// Many threads in step, as a block of a GPU: what SerialTeam promises of a larger team.
struct ThreadTeam {
    struct Shared {
        std::barrier<> gate;
        std::vector<std::uint64_t> held;
    };
    Shared* shared;
    std::uint32_t number, count;

    std::uint32_t index() const { return number; }
    std::uint32_t width() const { return count; }
    void sync() const { shared->gate.arrive_and_wait(); }
    void add(std::uint32_t& cell, std::uint32_t n) const { std::atomic_ref(cell).fetch_add(n); }
    template <class F>
    void exchange(std::uint64_t mine, const F& look) const {
        sync();
        shared->held[number] = mine;
        sync();
        look();
    }
    std::uint64_t sum(std::uint64_t mine) const {
        std::uint64_t all = 0;
        exchange(mine, [&] {
            for (const std::uint64_t x : shared->held)
                all += x;
        });
        return all;
    }
    std::uint32_t highest(std::uint32_t mine) const {
        std::uint64_t top = 0;
        exchange(mine, [&] { top = *std::max_element(shared->held.begin(), shared->held.end()); });
        return static_cast<std::uint32_t>(top);
    }
    std::uint32_t rank(bool mine, std::uint32_t* all) const {
        std::uint32_t before = 0;
        *all = 0;
        exchange(mine ? 1 : 0, [&] {
            for (std::uint32_t i = 0; i < count; ++i) {
                before += i < number ? static_cast<std::uint32_t>(shared->held[i]) : 0;
                *all += static_cast<std::uint32_t>(shared->held[i]);
            }
        });
        return before;
    }
};

TEST(Allotment, IsTheSameForATeamOfAnySize) {
    SplitMix64 random(9);
    for (int round = 0; round < 12; ++round) {
        Frame alone(static_cast<std::size_t>(1 + random.below(200)));
        for (std::size_t i = 0; i < alone.work.size(); ++i) {
            alone.urgency[i] = static_cast<std::uint32_t>(random.below(3000));
            alone.ages[i] = static_cast<std::uint16_t>(random.below(40));
            if (random.below(9) == 0) alone.work[i].active = 0;
        }
        const AllotmentOrder order = {static_cast<std::uint64_t>(random.below(round % 2 == 0 ? 800 : 100000)), 30, 120,
                                      16, 1};
        Frame together = alone;
        alone.allot(order);
        const auto threads = static_cast<std::uint32_t>(2 + random.below(6));
        ThreadTeam::Shared shared{std::barrier<>(threads), std::vector<std::uint64_t>(threads)};
        AllotmentScratch scratch;
        std::vector<std::thread> running;
        const AllotmentView agents = together.view();
        std::vector<AllotmentReport> reports(threads);
        for (std::uint32_t t = 0; t < threads; ++t) {
            running.emplace_back([&, t] {
                const ThreadTeam team = {&shared, t, threads};
                reports[t] = Allotment<ThreadTeam>{agents, order, scratch, team}.run();
            });
        }
        for (std::thread& thread : running)
            thread.join();
        for (const AllotmentReport& report : reports)
            EXPECT_EQ(std::memcmp(&report, &alone.report, sizeof report), 0);
        for (std::size_t i = 0; i < alone.work.size(); ++i) {
            EXPECT_EQ(together.work[i].active, alone.work[i].active) << "round " << round << " agent " << i;
            EXPECT_EQ(together.work[i].flags, alone.work[i].flags);
        }
    }
}

// While one waits it grows by its urgency each frame; one that is served falls back to its own. So before an agent of
// urgency u is served, one of urgency v is at most about v / u times for each time that it would have been its turn
// among equals.
TEST(AllotmentTurns, EverybodyIsServedWithinABound) {
    for (const std::uint32_t spread : {1u, 4u, 64u}) {
        SplitMix64 random(spread);
        constexpr std::size_t kAgents = 100;
        constexpr std::uint64_t kServed = 10;
        Frame frame(kAgents);
        for (std::uint32_t& urgency : frame.urgency)
            urgency = kWholeUrgency * static_cast<std::uint32_t>(1 + random.below(static_cast<int>(spread)));
        std::vector<int> longest(kAgents, 0), waits(kAgents, 0), served(kAgents, 0);
        for (int n = 0; n < 3000; ++n) {
            frame.allot({kServed * 16, 32, 64, 16, 1});
            EXPECT_EQ(frame.given(), kServed * 16);
            EXPECT_EQ(frame.report.put_off, kAgents - kServed);
            for (std::size_t i = 0; i < kAgents; ++i) {
                waits[i] = frame.work[i].active != 0 ? 0 : waits[i] + 1;
                served[i] += frame.work[i].active != 0 ? 1 : 0;
                longest[i] = std::max(longest[i], waits[i]);
            }
            frame.end();
        }
        for (std::size_t i = 0; i < kAgents; ++i) {
            const double share = static_cast<double>(spread) * kWholeUrgency / frame.urgency[i];
            EXPECT_LE(longest[i], 2.0 * kAgents / kServed * share) << i;
            EXPECT_GT(served[i], 0);
        }
        if (spread == 64) {
            const auto most = static_cast<std::size_t>(std::max_element(frame.urgency.begin(), frame.urgency.end()) -
                                                       frame.urgency.begin());
            const auto fewest = static_cast<std::size_t>(std::min_element(frame.urgency.begin(), frame.urgency.end()) -
                                                         frame.urgency.begin());
            EXPECT_GT(served[most], 4 * served[fewest]);
        }
    }
}

TEST(AllotmentTurns, NobodyStarvesWhenUrgenciesAndGrantsChangeEveryFrame) {
    SplitMix64 random(11);
    constexpr std::size_t kAgents = 60;
    Frame frame(kAgents);
    std::vector<int> waits(kAgents, 0);
    int longest = 0;
    for (int n = 0; n < 5000; ++n) {
        for (std::uint32_t& urgency : frame.urgency)
            urgency = static_cast<std::uint32_t>(16 + random.below(4096));
        frame.allot({static_cast<std::uint64_t>(16 + random.below(160)), 32, 64, 16, 1});
        for (std::size_t i = 0; i < kAgents; ++i) {
            waits[i] = frame.work[i].active != 0 ? 0 : waits[i] + 1;
            longest = std::max(longest, waits[i]);
        }
        frame.end();
    }
    EXPECT_LE(longest, 150);
}

TEST(AllotmentTurns, AgesStopGrowingAndAreForgottenWithASearch) {
    EXPECT_EQ(next_age(0, kFlagFallback), 1);
    EXPECT_EQ(next_age(65534, kFlagFallback), 65535);
    EXPECT_EQ(next_age(65535, kFlagFallback), 65535);
    EXPECT_EQ(next_age(65535, kFlagDeadline), 0);
    Frame frame(2);
    frame.urgency = {kMostUrgency, kMostUrgency};
    frame.ages = {65534, 65535};
    frame.allot({16, 32, 64, 16, 1});
    EXPECT_EQ(frame.given(), 16u);
}

TEST(AllotmentLevels, AreInOrderAndWithinASixteenth) {
    std::uint32_t before = 0;
    for (std::uint64_t weight = 1; weight < std::uint64_t{1} << 40; weight += 1 + weight / 37) {
        const std::uint32_t level = level_of(weight);
        EXPECT_GE(level, before);
        EXPECT_LT(level, kWeightLevels);
        EXPECT_LE(weight_of(level), weight);
        EXPECT_GT(weight_of(level) + weight_of(level) / 16 + 1, weight);
        EXPECT_EQ(level_of(weight_of(level)), level);
        before = level;
    }
    EXPECT_EQ(level_of((std::uint64_t{1} << 40) - 1), kWeightLevels - 1);
    EXPECT_EQ(level_of(0), 0u);
}

template <class T>
std::uint32_t fetched(Format format, T value) {
    SourceView source{};
    source.data = reinterpret_cast<const unsigned char*>(&value);
    source.format = format;
    return fetch_urgency(source, 0);
}

TEST(Urgency, IsReadFromEveryFormat) {
    EXPECT_EQ(fetched(Format::f32, 1.0f), kWholeUrgency);
    EXPECT_EQ(fetched(Format::f32, 0.5f), 128u);
    EXPECT_EQ(fetched(Format::f32, 1e-9f), 1u) << "positive is not nothing";
    EXPECT_EQ(fetched(Format::f32, 65536.0f), kMostUrgency);
    EXPECT_EQ(fetched(Format::f32, 3e38f), kMostUrgency);
    EXPECT_EQ(fetched(Format::f32, 0.0f), 0u);
    EXPECT_EQ(fetched(Format::f32, -0.0f), 0u);
    EXPECT_EQ(fetched(Format::u8, std::uint8_t{255}), 255u * 256u);
    EXPECT_EQ(fetched(Format::i8, std::int8_t{3}), 3u * 256u);
    EXPECT_EQ(fetched(Format::u16, std::uint16_t{65535}), 65535u * 256u);
    EXPECT_EQ(fetched(Format::i16, std::int16_t{1}), kWholeUrgency);
    EXPECT_EQ(fetched(Format::i32, std::int32_t{2147483647}), kMostUrgency);
    EXPECT_EQ(fetched(Format::u32, std::uint32_t{4294967295u}), kMostUrgency);
    EXPECT_EQ(fetched(Format::u32, std::uint32_t{0}), 0u);
    EXPECT_EQ(fetch_urgency(SourceView{}, 5), kWholeUrgency) << "unbound: all are equal";
}

TEST(Urgency, ThatIsNoWeightIsBad) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const float value : {nan, -nan, inf, -inf, -1.0f, -1e-30f})
        EXPECT_EQ(fetched(Format::f32, value), kBadUrgency) << value;
    EXPECT_EQ(fetched(Format::i8, std::int8_t{-1}), kBadUrgency);
    EXPECT_EQ(fetched(Format::i16, std::int16_t{-32768}), kBadUrgency);
    EXPECT_EQ(fetched(Format::i32, std::int32_t{-1}), kBadUrgency);
}

}  // namespace
}  // namespace augur::core
