// Random numbers of the kit: the published vectors of Philox4x32-10, and statistics of the streams that the search
// draws.
//
// Every seed is fixed, so a statistical test gives the same number in every run; the limits (five to six standard
// deviations) say how unlikely that number would be for ideal random bits.

#include <augur/kit/random.h>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace augur::test {
namespace {

using kit::Block128;
using kit::Purpose;
using kit::Random;
using kit::RandomKey;

struct KnownAnswer {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
    std::array<std::uint32_t, 4> output;
};

// Random123 1.14, tests/kat_vectors, the three lines of "philox4x32 10": zeros, ones, and the digits of pi.
constexpr KnownAnswer kKnownAnswers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, MatchesThePublishedKnownAnswerVectors) {
    for (const KnownAnswer& known : kKnownAnswers) {
        const Block128 block = kit::philox4x32(
            {{known.counter[0], known.counter[1], known.counter[2], known.counter[3]}}, known.key[0], known.key[1]);
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(block.word[i], known.output[i]) << "word " << i;
    }
}

// The stream as random.h describes it, spelled out: counter (purpose and block, simulation, agent, frame), key the seed
// with the frame's high half mixed in, eight draws of 16 bits a block, lowest bits first.
std::uint32_t expected_draw(const RandomKey& key, std::uint32_t agent, std::uint32_t simulation, Purpose purpose,
                            std::uint32_t draw) {
    const Block128 block =
        kit::philox4x32({{static_cast<std::uint32_t>(purpose) * 0x10000000u + draw / 8, simulation, agent,
                          static_cast<std::uint32_t>(key.frame)}},
                        static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>((key.seed ^ key.frame) >> 32));
    return block.word[draw % 8 / 2] >> (draw % 2 * 16) & 0xffffu;
}

TEST(Random, StreamIsPhiloxOfSeedFrameAgentSimulationAndPurpose) {
    const RandomKey key{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
    for (const Purpose purpose : {Purpose::rollout, Purpose::chance, Purpose::host}) {
        Random random(key, 17, 4095, purpose);
        for (std::uint32_t draw = 0; draw < 100; ++draw) {
            ASSERT_EQ(random.bits16(), expected_draw(key, 17, 4095, purpose, draw)) << "draw " << draw;
        }
    }
}

TEST(Random, ThirtyTwoBitsAreTwoDrawsLowHalfFirst) {
    const RandomKey key{5, 6};
    Random whole(key, 1, 2, Purpose::rollout);
    Random halves(key, 1, 2, Purpose::rollout);
    for (int i = 0; i < 50; ++i) {
        const std::uint32_t low = halves.bits16();
        const std::uint32_t high = halves.bits16();
        EXPECT_EQ(whole.bits32(), low | high << 16);
    }
}

// Pearson's statistic against a uniform distribution over the cells.
double chi_square(const std::vector<int>& counts) {
    double total = 0;
    for (const int count : counts)
        total += count;
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const int count : counts)
        sum += (count - expected) * (count - expected) / expected;
    return sum;
}

// Six standard deviations above the mean of chi-square with cells - 1 degrees of freedom.
double chi_square_limit(std::size_t cells) {
    const double degrees = static_cast<double>(cells - 1);
    return degrees + 6 * std::sqrt(2 * degrees) + 12;
}

TEST(Random, BelowIsUniformByChiSquare) {
    for (const std::uint32_t n : {2u, 3u, 5u, 7u, 12u, 13u, 64u, 100u}) {
        std::vector<int> counts(n, 0);
        for (std::uint32_t agent = 0; agent < 64; ++agent) {
            for (std::uint32_t simulation = 0; simulation < 64; ++simulation) {
                Random random({42, 7}, agent, simulation, Purpose::rollout);
                for (int draw = 0; draw < 42; ++draw) {
                    const std::uint32_t value = random.below(n);
                    ASSERT_LT(value, n);
                    ++counts[value];
                }
            }
        }
        const double statistic = chi_square(counts);
        EXPECT_LT(statistic, chi_square_limit(n)) << "n " << n;
        // Ideal random numbers do not fall too evenly either: 2 cells excepted, where an even split is likely.
        if (n > 10) {
            EXPECT_GT(statistic, 0.1 * n) << "n " << n;
        }
    }
}

TEST(Random, ConsecutiveDrawsFallUniformlyOnPairs) {
    std::vector<int> counts(49, 0);
    for (std::uint32_t simulation = 0; simulation < 4096; ++simulation) {
        Random random({1, 1}, 0, simulation, Purpose::rollout);
        std::uint32_t previous = random.below(7);
        for (int draw = 0; draw < 41; ++draw) {
            const std::uint32_t value = random.below(7);
            ++counts[previous * 7 + value];
            previous = value;
        }
    }
    EXPECT_LT(chi_square(counts), chi_square_limit(counts.size()));
}

TEST(Random, BelowCoversItsWholeRangeAndNothingElse) {
    Random random({3, 3}, 3, 3, Purpose::host);
    std::uint32_t highest = 0;
    std::uint32_t lowest = 65535;
    for (int draw = 0; draw < 1000000; ++draw) {
        const std::uint32_t value = random.below(65536);
        highest = value > highest ? value : highest;
        lowest = value < lowest ? value : lowest;
    }
    EXPECT_EQ(highest, 65535u);
    EXPECT_EQ(lowest, 0u);
    for (int draw = 0; draw < 100; ++draw)
        EXPECT_EQ(random.below(1), 0u);
}

// Multiply-shift gives each of n values the floor or the ceiling of 65536 / n draws, in order: value v from draw * n /
// 65536.
TEST(Random, BelowIsMultiplyShiftOfOneDraw) {
    for (const std::uint32_t n : {2u, 3u, 7u, 12u, 1000u, 65535u, 65536u}) {
        Random values({21, 22}, n, 0, Purpose::rollout);
        Random draws({21, 22}, n, 0, Purpose::rollout);
        for (int draw = 0; draw < 1000; ++draw) {
            const double share = static_cast<double>(draws.bits16()) * n / 65536.0;
            ASSERT_EQ(values.below(n), static_cast<std::uint32_t>(std::floor(share))) << "n " << n;
        }
    }
}

TEST(Random, ChanceIsNeverAtZeroAlwaysAtOneAndHalfBetween) {
    Random random({9, 9}, 0, 0, Purpose::chance);
    int hits = 0;
    for (int draw = 0; draw < 100000; ++draw) {
        EXPECT_FALSE(random.chance(0));
        EXPECT_TRUE(random.chance(65536));
        hits += random.chance(32768) ? 1 : 0;
    }
    EXPECT_NEAR(hits, 50000, 5 * std::sqrt(100000 * 0.25));
}

TEST(Random, EveryBitIsSetHalfOfTheTime) {
    constexpr int kDraws = 200000;
    int set[16] = {};
    Random random({11, 12}, 13, 14, Purpose::rollout);
    for (int draw = 0; draw < kDraws; ++draw) {
        const std::uint32_t bits = random.bits16();
        for (int bit = 0; bit < 16; ++bit)
            set[bit] += static_cast<int>(bits >> bit & 1u);
    }
    for (const int count : set)
        EXPECT_NEAR(count, kDraws / 2, 5 * std::sqrt(kDraws * 0.25));
}

// The ways in which two streams can be neighbours: everything that keys a stream, one step apart.
enum class Step { kAgent, kSimulation, kFrame, kSeed, kPurpose, kAgentAndSimulation };

Random stream(Step step, std::uint32_t i) {
    switch (step) {
        case Step::kAgent:
            return {{100, 200}, i, 300, Purpose::rollout};
        case Step::kSimulation:
            return {{100, 200}, 300, i, Purpose::rollout};
        case Step::kFrame:
            return {{100, i}, 200, 300, Purpose::rollout};
        case Step::kSeed:
            return {{i, 100}, 200, 300, Purpose::rollout};
        case Step::kPurpose:
            return {{100, 200}, 300, i / 2, i % 2 == 0 ? Purpose::rollout : Purpose::chance};
        case Step::kAgentAndSimulation:
            break;
    }
    return {{100, 200}, i, 100000 - i, Purpose::rollout};
}

class NeighbouringStreams : public testing::TestWithParam<Step> {};

TEST_P(NeighbouringStreams, AgreeOnHalfOfTheirBits) {
    constexpr std::uint32_t kStreams = 20000;
    constexpr int kWords = 4;
    std::int64_t different = 0;
    for (std::uint32_t i = 0; i < kStreams; ++i) {
        Random a = stream(GetParam(), i);
        Random b = stream(GetParam(), i + 1);
        for (int word = 0; word < kWords; ++word)
            different += std::popcount(a.bits32() ^ b.bits32());
    }
    const double bits = 32.0 * kWords * kStreams;
    EXPECT_NEAR(static_cast<double>(different), bits / 2, 5 * std::sqrt(bits / 4));
}

TEST_P(NeighbouringStreams, HaveUncorrelatedDraws) {
    constexpr std::uint32_t kStreams = 50000;
    // Correlation of the n-th draw of stream i with the n-th draw of stream i + 1, for the first eight draws.
    for (int lag = 0; lag < 8; ++lag) {
        double sum = 0;
        double previous = 0;
        for (std::uint32_t i = 0; i <= kStreams; ++i) {
            Random random = stream(GetParam(), i);
            for (int skip = 0; skip < lag; ++skip)
                random.bits16();
            // Uniform on (-1, 1) with variance 1/3.
            const double value = (random.bits16() + 0.5) / 32768.0 - 1.0;
            if (i > 0) sum += value * previous * 3.0;
            previous = value;
        }
        EXPECT_NEAR(sum / kStreams, 0.0, 5 / std::sqrt(static_cast<double>(kStreams))) << "draw " << lag;
    }
}

TEST_P(NeighbouringStreams, AreAllDifferent) {
    constexpr std::uint32_t kStreams = 50000;
    std::unordered_set<std::uint64_t> first;
    for (std::uint32_t i = 0; i < kStreams; ++i) {
        Random random = stream(GetParam(), i);
        const std::uint64_t low = random.bits32();
        first.insert(low | static_cast<std::uint64_t>(random.bits32()) << 32);
    }
    EXPECT_EQ(first.size(), kStreams);
}

INSTANTIATE_TEST_SUITE_P(Keys, NeighbouringStreams,
                         testing::Values(Step::kAgent, Step::kSimulation, Step::kFrame, Step::kSeed, Step::kPurpose,
                                         Step::kAgentAndSimulation));

TEST(Random, EveryBitOfSeedFrameAgentAndSimulationMatters) {
    const auto first_bits = [](std::uint64_t seed, std::uint64_t frame, std::uint32_t agent, std::uint32_t simulation) {
        Random random({seed, frame}, agent, simulation, Purpose::rollout);
        const std::uint64_t low = random.bits32();
        return low | static_cast<std::uint64_t>(random.bits32()) << 32;
    };
    const std::uint64_t base = first_bits(1, 2, 3, 4);
    for (int bit = 0; bit < 64; ++bit) {
        EXPECT_NE(first_bits(1 ^ (std::uint64_t{1} << bit), 2, 3, 4), base) << "seed bit " << bit;
        EXPECT_NE(first_bits(1, 2 ^ (std::uint64_t{1} << bit), 3, 4), base) << "frame bit " << bit;
        if (bit >= 32) continue;
        EXPECT_NE(first_bits(1, 2, 3 ^ (1u << bit), 4), base) << "agent bit " << bit;
        EXPECT_NE(first_bits(1, 2, 3, 4 ^ (1u << bit)), base) << "simulation bit " << bit;
    }
}

}  // namespace
}  // namespace augur::test
