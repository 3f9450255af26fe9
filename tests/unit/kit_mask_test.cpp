// Action masks against std::bitset, for counts around every word boundary.

#include <augur/kit/mask.h>

#include <gtest/gtest.h>

#include <bitset>
#include <vector>

#include "support/split_mix.h"

namespace augur::test {
namespace {

template <int K>
struct Case {
    static constexpr int kActions = K;
};

template <class C>
class ActionMaskTest : public testing::Test {
  protected:
    static constexpr int K = C::kActions;
    using Mask = kit::ActionMask<K>;
    using Bits = std::bitset<static_cast<std::size_t>(K)>;

    static Bits random_bits(SplitMix64& random, int density) {
        Bits bits;
        for (std::size_t i = 0; i < bits.size(); ++i)
            bits[i] = random.below(100) < density;
        return bits;
    }

    static Mask mask_of(const Bits& bits) {
        Mask mask = Mask::none();
        for (int i = 0; i < K; ++i) {
            if (bits[static_cast<std::size_t>(i)]) mask.set(i);
        }
        return mask;
    }

    static void expect_same(const Mask& mask, const Bits& bits) {
        std::vector<int> set;
        for (int i = 0; i < K; ++i) {
            ASSERT_EQ(mask.test(i), bits[static_cast<std::size_t>(i)]) << i;
            if (mask.test(i)) set.push_back(i);
        }
        ASSERT_EQ(mask.count(), static_cast<int>(set.size()));
        ASSERT_EQ(mask.any(), !set.empty());
        ASSERT_EQ(mask.first(), set.empty() ? K : set.front());
        for (std::size_t n = 0; n < set.size(); ++n)
            ASSERT_EQ(mask.nth(static_cast<int>(n)), set[n]) << n;
    }
};

using Cases = testing::Types<Case<1>, Case<2>, Case<7>, Case<12>, Case<31>, Case<32>, Case<33>, Case<63>, Case<64>,
                             Case<65>, Case<128>, Case<129>, Case<4096>>;
TYPED_TEST_SUITE(ActionMaskTest, Cases);

TYPED_TEST(ActionMaskTest, AllHoldsEveryActionAndNoneHoldsNone) {
    typename TestFixture::Bits bits;
    TestFixture::expect_same(TestFixture::Mask::none(), bits);
    TestFixture::expect_same(TestFixture::Mask::all(), bits.set());
}

TYPED_TEST(ActionMaskTest, BehavesAsABitset) {
    SplitMix64 random(TestFixture::K);
    const int trials = TestFixture::K > 1000 ? 3 : 60;
    for (int trial = 0; trial < trials; ++trial) {
        const auto a = TestFixture::random_bits(random, trial % 3 == 0 ? 3 : 50);
        const auto b = TestFixture::random_bits(random, 50);
        const auto mask_a = TestFixture::mask_of(a);
        const auto mask_b = TestFixture::mask_of(b);
        TestFixture::expect_same(mask_a, a);
        TestFixture::expect_same(mask_a & mask_b, a & b);
        TestFixture::expect_same(mask_a | mask_b, a | b);
        TestFixture::expect_same(mask_a.without(mask_b), a & ~b);
        EXPECT_EQ(mask_a == mask_b, a == b);
        auto cleared = mask_a;
        auto expected = a;
        const int action = random.below(TestFixture::K);
        cleared.clear(action);
        expected.reset(static_cast<std::size_t>(action));
        TestFixture::expect_same(cleared, expected);
        EXPECT_EQ(cleared == mask_a, expected == a);
    }
}

TEST(ActionMask, FromBitsDropsWhatIsAboveTheActionCount) {
    const auto mask = kit::ActionMask<7>::from_bits(0xffffffffu);
    EXPECT_EQ(mask.count(), 7);
    EXPECT_TRUE(mask == kit::ActionMask<7>::all());
    EXPECT_EQ(kit::ActionMask<64>::from_bits(~std::uint64_t{0}).count(), 64);
}

}  // namespace
}  // namespace augur::test
