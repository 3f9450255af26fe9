// The arithmetic with shapes, against walks that do it one step at a time.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "model/shapes.h"

namespace augur {
namespace {

using model::AutoPad;
using model::Dims;
using model::WindowLine;

// The window's begin walks along the padded line. By the text it may pass the end only where the size is rounded up,
// and then must not begin in the padding at the end.
std::int64_t walked(const WindowLine& line, bool ceil_mode) {
    const std::int64_t extent = (line.kernel - 1) * line.dilation + 1, size = line.in + line.pad_begin + line.pad_end;
    std::int64_t out = 0;
    for (std::int64_t begin = 0;; begin += line.stride) {
        const bool fits = begin + extent <= size;
        // Rounded up: the last window begins less than a stride behind the last one that fits.
        const bool hangs_over = ceil_mode && out > 0 && begin - line.stride + extent < size;
        const bool in_padding = ceil_mode && begin >= line.in + line.pad_begin;
        if (in_padding || !(fits || hangs_over)) return out;
        ++out;
    }
}

TEST(ModelShapes, WindowsAreAsManyAsAWalkFinds) {
    for (std::int64_t in = 1; in <= 7; ++in)
        for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
            for (std::int64_t stride = 1; stride <= 4; ++stride)
                for (std::int64_t dilation = 1; dilation <= 3; ++dilation)
                    for (std::int64_t pads = 0; pads < 9; ++pads)
                        for (const bool ceil_mode : {false, true}) {
                            WindowLine line{in, kernel, stride, dilation, pads / 3, pads % 3, 0};
                            const std::int64_t expected = walked(line, ceil_mode);
                            const bool fits = place_window(line, AutoPad::explicit_pads, ceil_mode);
                            ASSERT_EQ(fits, expected > 0);
                            ASSERT_EQ(fits ? line.out : 0, expected)
                                << in << " " << kernel << " " << stride << " " << dilation << " " << pads << ceil_mode;
                        }
}

TEST(ModelShapes, SamePaddingCoversTheInputAndKeepsItsSize) {
    for (std::int64_t in = 1; in <= 9; ++in)
        for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
            for (std::int64_t stride = 1; stride <= 4; ++stride)
                for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
                    WindowLine upper{in, kernel, stride, dilation, 0, 0, 0}, lower = upper;
                    ASSERT_TRUE(place_window(upper, AutoPad::same_upper, false));
                    ASSERT_TRUE(place_window(lower, AutoPad::same_lower, false));
                    EXPECT_EQ(upper.out, (in + stride - 1) / stride);
                    EXPECT_EQ(upper.out, lower.out);
                    EXPECT_EQ(upper.pad_begin, lower.pad_end);
                    EXPECT_EQ(upper.pad_end, lower.pad_begin);
                    EXPECT_LE(upper.pad_end - upper.pad_begin, 1);
                    EXPECT_GE(upper.pad_end, upper.pad_begin);
                    const std::int64_t extent = (kernel - 1) * dilation + 1;
                    EXPECT_GE(in + upper.pad_begin + upper.pad_end, (upper.out - 1) * stride + extent);
                }
}

TEST(ModelShapes, CoveredMeansThatEveryWindowHasATapInside) {
    for (std::int64_t in = 1; in <= 5; ++in)
        for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
            for (std::int64_t stride = 1; stride <= 3; ++stride)
                for (std::int64_t dilation = 1; dilation <= 7; ++dilation)
                    for (std::int64_t pads = 0; pads < 64; ++pads)
                        for (const bool ceil_mode : {false, true}) {
                            WindowLine line{in, kernel, stride, dilation, pads / 8, pads % 8, 0};
                            if (!place_window(line, AutoPad::explicit_pads, ceil_mode)) continue;
                            bool all = true;
                            for (std::int64_t o = 0; o < line.out; ++o) {
                                bool any = false;
                                for (std::int64_t k = 0; k < kernel; ++k) {
                                    const std::int64_t at = o * stride - line.pad_begin + k * dilation;
                                    any = any || (at >= 0 && at < in);
                                }
                                all = all && any;
                            }
                            ASSERT_EQ(covers_input(line), all) << in << " " << kernel << " " << stride << " "
                                                               << dilation << " " << pads << " " << ceil_mode;
                        }
}

// Slice-13: bounds that are negative count from the back, then are clamped; then one walks.
TEST(ModelShapes, SlicesAreWhatAWalkFinds) {
    for (std::int64_t dim = 0; dim <= 5; ++dim)
        for (std::int64_t start = -8; start <= 8; ++start)
            for (std::int64_t end = -8; end <= 8; ++end)
                for (const std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
                    std::int64_t from = start < 0 ? start + dim : start, to = end < 0 ? end + dim : end;
                    from = from < 0 ? 0 : from;
                    from = from > (step > 0 ? dim : dim - 1) ? (step > 0 ? dim : dim - 1) : from;
                    to = to > dim ? dim : to;
                    to = to < (step > 0 ? 0 : -1) ? (step > 0 ? 0 : -1) : to;
                    std::vector<std::int64_t> expected, found;
                    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += step)
                        if (i >= 0 && i < dim) expected.push_back(i);
                    const model::SliceLine line = model::place_slice(dim, start, end, step);
                    for (std::int64_t i = 0; i < line.count; ++i)
                        found.push_back(line.first + i * line.step);
                    ASSERT_EQ(found, expected) << dim << " " << start << " " << end << " " << step;
                }
    EXPECT_EQ(model::place_slice(5, 1, INT64_MAX, 0x7fffffff).count, 1);
    EXPECT_EQ(model::place_slice(5, INT64_MAX, INT64_MIN, -1).count, 5);
    EXPECT_EQ(model::place_slice(5, INT64_MIN, INT64_MAX, 2).count, 3);
}

TEST(ModelShapes, BroadcastFollowsNumpy) {
    EXPECT_EQ(model::broadcast({2, 1, 3}, {4, 1}), (Dims{2, 4, 3}));
    EXPECT_EQ(model::broadcast({}, {4}), (Dims{4}));
    EXPECT_EQ(model::broadcast({0}, {1}), (Dims{0}));
    EXPECT_EQ(model::broadcast({2}, {3}), std::nullopt);
    EXPECT_EQ(model::broadcast_strides({2, 1, 3}, {2, 4, 3}), (Dims{3, 0, 1}));
    EXPECT_EQ(model::broadcast_strides({3}, {2, 3}), (Dims{0, 1}));
}

TEST(ModelShapes, ProductsStopBeforeTheyWrap) {
    EXPECT_EQ(model::product({0x7fffffff, 0x7fffffff}), 0x7fffffffull * 0x7fffffffull);
    EXPECT_EQ(model::product({0xffffffff, 0xffffffff, 0xffffffff}), 1ull << 63);
    EXPECT_EQ(model::product({0xffffffff, 0xffffffff, 0xffffffff, 0}), 0U);
    EXPECT_EQ(model::product({}), 1U);
}

}  // namespace
}  // namespace augur
