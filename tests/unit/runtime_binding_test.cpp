// Where numbers lie: extents, alignment, and whether two bindings share bytes.
#include "runtime/binding.h"

#include <gtest/gtest.h>

#include <set>

#include "runtime/context.h"
#include "support/fake_host.h"
#include "support/split_mix.h"

namespace augur {
namespace {

class BindingTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(host.create_context(), AUGUR_OK); }

    std::unique_ptr<Buffer> buffer_over(void* pointer, std::uint64_t size_bytes) {
        Use<Context> context;
        EXPECT_EQ(context.acquire(host.context.value), AUGUR_OK);
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = pointer;
        desc.size_bytes = size_bytes;
        std::unique_ptr<Buffer> buffer;
        EXPECT_EQ(Buffer::make(*context, desc, &buffer), AUGUR_OK);
        return buffer;
    }

    test::FakeHost host;
    alignas(64) unsigned char bytes[4096];
};

TEST_F(BindingTest, OverlapAgreesWithAListOfBytes) {
    const auto buffer = buffer_over(bytes, sizeof bytes);
    test::SplitMix64 random(3);
    int touching = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto agents = static_cast<std::uint32_t>(random.below(6) + 1);
        const auto any = [&] {
            const auto size = 1u << random.below(4);
            return Bound{buffer.get(), static_cast<std::uint64_t>(random.below(100)) * size,
                         static_cast<std::uint64_t>(random.below(12) + 1) * size, AUGUR_FORMAT_U8, size};
        };
        const Bound a = any(), b = any();
        std::set<std::uint64_t> of_a;
        bool shared = false;
        for (std::uint32_t i = 0; i < agents; ++i)
            for (std::uint32_t k = 0; k < a.size_bytes; ++k)
                of_a.insert(a.offset_bytes + i * a.stride_bytes + k);
        for (std::uint32_t i = 0; i < agents; ++i)
            for (std::uint32_t k = 0; k < b.size_bytes; ++k)
                shared = shared || of_a.count(b.offset_bytes + i * b.stride_bytes + k) != 0;
        ASSERT_EQ(overlap(a, b, agents), shared);
        touching += shared ? 1 : 0;
    }
    EXPECT_GT(touching, 500);
    EXPECT_LT(touching, 19500);
}

TEST_F(BindingTest, OverlapSeesTwoRegistrationsOfTheSameMemory) {
    const auto whole = buffer_over(bytes, 256), part = buffer_over(bytes + 64, 128);
    const Bound a{whole.get(), 64, 4, AUGUR_FORMAT_I32, 4}, b{part.get(), 0, 4, AUGUR_FORMAT_I32, 4};
    EXPECT_TRUE(overlap(a, b, 1));
    const Bound c{whole.get(), 60, 4, AUGUR_FORMAT_I32, 4};
    EXPECT_FALSE(overlap(c, b, 1));
}

// True when the binding fits, worked out in numbers that do not wrap round.
bool fits_by_arithmetic(const augur_binding& binding, std::uint32_t numbers, std::uint32_t agents,
                        std::uint64_t size_bytes) {
    const long double size = format_bytes(binding.format);
    const long double row = size * numbers;
    const long double stride = binding.stride_bytes == 0 ? row : static_cast<long double>(binding.stride_bytes);
    return static_cast<long double>(binding.offset_bytes) + stride * (agents - 1) + row <=
           static_cast<long double>(size_bytes);
}

TEST_F(BindingTest, ExtentsAreCheckedWithoutOverflow) {
    const auto buffer = buffer_over(bytes, 1024);
    test::SplitMix64 random(4);
    const std::uint64_t edges[] = {0, 1020, 1024, 1028, 1ull << 32, 1ull << 62, UINT64_MAX - 3, UINT64_MAX - 7};
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto numbers = static_cast<std::uint32_t>(random.below(4) + 1);
        const std::uint32_t agents = random.below(4) == 0 ? 1048576u : static_cast<std::uint32_t>(random.below(40) + 1);
        augur_binding binding{{1}, AUGUR_FORMAT_F32, 0, 0, 0};
        binding.offset_bytes =
            random.below(2) != 0 ? edges[random.below(8)] & ~3ull : static_cast<std::uint64_t>(random.below(260)) * 4;
        binding.stride_bytes = random.below(3) == 0 ? edges[random.below(8)] & ~3ull
                                                    : numbers * 4ull + static_cast<std::uint64_t>(random.below(10)) * 4;
        Bound out[4];
        const augur_result result = resolve_binding(binding, *buffer, numbers, agents, out);
        const bool fits = fits_by_arithmetic(binding, numbers, agents, 1024) &&
                          (binding.stride_bytes == 0 || binding.stride_bytes >= numbers * 4ull);
        ASSERT_EQ(result == AUGUR_OK, fits) << binding.offset_bytes << ' ' << binding.stride_bytes << ' ' << agents;
        if (result != AUGUR_OK) {
            ASSERT_EQ(result, AUGUR_ERROR_INVALID_BUFFER);
        }
        accepted += fits ? 1 : 0;
    }
    EXPECT_GT(accepted, 200);
}

TEST_F(BindingTest, RefusalsGiveTheNumbers) {
    const auto buffer = buffer_over(bytes, 64);
    Bound out[4];
    const struct {
        std::uint64_t offset_bytes, stride_bytes;
        std::uint32_t numbers, agents;
        const char* said;
    } cases[] = {
        {0, 4, 2, 3, "stride_bytes is 4, it must be a multiple of 4 and at least 8"},  // one agent's row is two numbers
        {0, 1, 1, 3, "stride_bytes is 1"},
        {0, 6, 1, 3, "stride_bytes is 6"},
        {2, 0, 1, 3, "offset_bytes is 2"},
        {0, 0, 1, 17, "put 17 agents past the end of a buffer of 64 bytes"},
        {8, 4, 1, 15, "offset_bytes 8 and stride_bytes 4 put 15 agents past the end"},
        {64, 0, 1, 1, "offset_bytes 64"},
        {UINT64_MAX - 3, 0, 1, 1, "offset_bytes 18446744073709551612"},
        {0, UINT64_MAX - 3, 1, 2, "stride_bytes 18446744073709551612 put 2 agents"},
        {0, 1ull << 62, 1, 5, "stride_bytes 4611686018427387904 put 5 agents"},  // times 4 it is 0 again
    };
    for (const auto& row : cases) {
        const augur_binding binding{{1}, AUGUR_FORMAT_F32, 0, row.offset_bytes, row.stride_bytes};
        EXPECT_EQ(resolve_binding(binding, *buffer, row.numbers, row.agents, out), AUGUR_ERROR_INVALID_BUFFER)
            << row.said;
        EXPECT_NE(std::string(last_message()).find(row.said), std::string::npos) << last_message();
    }
    const augur_binding fits{{1}, AUGUR_FORMAT_F32, 0, 8, 4};
    EXPECT_EQ(resolve_binding(fits, *buffer, 1, 14, out), AUGUR_OK) << last_message();
}

TEST_F(BindingTest, NumbersOfEightBytesNeedAnAddressOfEight) {
    const auto buffer = buffer_over(bytes + 4, 1024);
    augur_binding binding{{1}, AUGUR_FORMAT_U64, 0, 0, 0};
    Bound out[1];
    EXPECT_EQ(resolve_binding(binding, *buffer, 1, 4, out), AUGUR_ERROR_INVALID_BUFFER);
    binding.format = AUGUR_FORMAT_I32;
    EXPECT_EQ(resolve_binding(binding, *buffer, 1, 4, out), AUGUR_OK);
}

TEST_F(BindingTest, FieldsAreFoundByNameAndComponent) {
    FieldPlace place;
    ASSERT_EQ(find_field(fake::kRules, "position", &place), AUGUR_OK);
    EXPECT_EQ(place.first, 0u);
    EXPECT_EQ(place.count, 2u);
    ASSERT_EQ(find_field(fake::kRules, "position.y", &place), AUGUR_OK);
    EXPECT_EQ(place.first, 1u);
    EXPECT_EQ(place.count, 1u);
    ASSERT_EQ(find_field(fake::kRules, "mask", &place), AUGUR_OK);
    EXPECT_EQ(place.first, 3u);
    EXPECT_EQ(component_name(fake::kRules, 1), "position.y");
    EXPECT_EQ(component_name(fake::kRules, 2), "health");
    const std::string megabyte(1 << 20, 'p');
    for (const char* name : {"", "positio", "positionx", "position.", "position.z", "position.xy", ".x", "health.y",
                             "POSITION", "%s%n", "\xff\xfe\x80", megabyte.c_str()})
        EXPECT_EQ(find_field(fake::kRules, name, &place), AUGUR_ERROR_NOT_FOUND) << quoted(name);
    EXPECT_NE(std::string(last_message()).find("position, health, mask"), std::string::npos) << last_message();
    EXPECT_EQ(find_field(fake::kRules, nullptr, &place), AUGUR_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace augur
