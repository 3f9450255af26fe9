// Fixed-point arithmetic of the kit against exact integers and doubles.

#include <augur/kit/fixed.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "support/split_mix.h"

namespace augur::test {
namespace {

TEST(Fixed, Q16RoundsToTheNearest) {
    EXPECT_EQ(kit::q16(1.0), 65536);
    EXPECT_EQ(kit::q16(-1.0), -65536);
    EXPECT_EQ(kit::q16(0.5), 32768);
    EXPECT_EQ(kit::q16(0.0), 0);
    SplitMix64 random(1);
    for (int trial = 0; trial < 1000; ++trial) {
        const double x = random.below(2000001) / 1.0e6 - 1.0;
        EXPECT_NEAR(kit::q16(x) / 65536.0, x, 0.5 / 65536.0 + 1e-12);
    }
}

TEST(Fixed, MultiplyRoundsDownInSixtyFourBits) {
    SplitMix64 random(2);
    for (int trial = 0; trial < 10000; ++trial) {
        const auto a = static_cast<std::int32_t>(random.next() >> 40) - (1 << 23);
        const auto b = static_cast<std::int32_t>(random.next() >> 40) - (1 << 23);
        const double exact = std::floor(static_cast<double>(a) * static_cast<double>(b) / 65536.0);
        ASSERT_EQ(kit::multiply_q16(a, b), static_cast<std::int32_t>(exact)) << a << " * " << b;
    }
    EXPECT_EQ(kit::multiply_q16(kit::kOne, -12345), -12345);
    EXPECT_EQ(kit::multiply_q16(-1, 1), -1);
}

TEST(Fixed, IntegerSqrtIsTheFloorOfTheRoot) {
    SplitMix64 random(3);
    const auto check = [](std::uint32_t x) {
        const std::uint64_t root = kit::integer_sqrt(x);
        ASSERT_LE(root * root, x);
        ASSERT_GT((root + 1) * (root + 1), x);
    };
    for (std::uint32_t x = 0; x < 70000; ++x)
        check(x);
    for (std::uint32_t x = 0xffffffffu; x > 0xffffff00u; --x)
        check(x);
    for (std::uint64_t root = 1; root < 65536; root += 37) {
        check(static_cast<std::uint32_t>(root * root));
        check(static_cast<std::uint32_t>(root * root - 1));
    }
    for (int trial = 0; trial < 10000; ++trial)
        check(static_cast<std::uint32_t>(random.next()));
}

TEST(Fixed, ClampMinimumMaximumAndAbsolute) {
    EXPECT_EQ(kit::clamp(5, 1, 3), 3);
    EXPECT_EQ(kit::clamp(-5, 1, 3), 1);
    EXPECT_EQ(kit::clamp(2, 1, 3), 2);
    EXPECT_EQ(kit::minimum(2, 1), 1);
    EXPECT_EQ(kit::maximum(2, 1), 2);
    EXPECT_EQ(kit::absolute(-7), 7);
    EXPECT_EQ(kit::absolute(7), 7);
}

// A hash that leaves input bits out lets different states share a transposition.
TEST(Fixed, Mix64ChangesHalfOfTheBitsForEveryInputBit) {
    SplitMix64 random(4);
    for (int bit = 0; bit < 64; ++bit) {
        int changed = 0;
        constexpr int kTrials = 500;
        for (int trial = 0; trial < kTrials; ++trial) {
            const std::uint64_t x = random.next();
            changed += std::popcount(kit::mix64(x) ^ kit::mix64(x ^ std::uint64_t{1} << bit));
        }
        EXPECT_NEAR(changed, 32 * kTrials, 6 * std::sqrt(16.0 * kTrials)) << "bit " << bit;
    }
}

TEST(Fixed, Combine64DependsOnTheOrder) {
    EXPECT_NE(kit::combine64(kit::combine64(0, 1), 2), kit::combine64(kit::combine64(0, 2), 1));
    EXPECT_NE(kit::combine64(0, 0), kit::combine64(0, 1));
}

}  // namespace
}  // namespace augur::test
