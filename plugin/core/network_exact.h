// The single steps of int8 networks (core/network_int8.h), element by element: which operations, in which order. A
// backend may compute them otherwise as long as every bit is the same.
#ifndef AUGUR_CORE_NETWORK_EXACT_H
#define AUGUR_CORE_NETWORK_EXACT_H

#include "core/network_math.h"

namespace augur::core {

// Element i of the sum of g matrices' products; k ascending.
AUGUR_HD_INLINE float exact_matmul(const NetworkStep& step, const float* a, const float* b, std::uint32_t i) {
    const std::size_t n = i % step.n;
    const std::size_t m = i / step.n % step.m;
    const std::size_t g = i / step.n / step.m;
    const float* left = a + (g * step.group_a * step.m + m) * step.k;
    const float* right = b + g * step.group_b * step.k * step.n + n;
    float sum = 0.0f;
    for (std::size_t k = 0; k < step.k; ++k)
        sum = sum + left[k] * right[k * step.n];
    return sum;
}

// Element i of a pool: taps by kernel row, then kernel column.
AUGUR_HD_INLINE float exact_pool(const NetworkStep& step, const float* a, std::uint32_t i) {
    const NetworkWindow& w = step.window;
    const std::uint32_t x = i % w.out_width;
    const std::uint32_t y = i / w.out_width % w.out_height;
    const float* plane = a + static_cast<std::size_t>(i / w.out_width / w.out_height) * w.height * w.width;
    const bool is_max = step.op == NetworkOp::max_pool;
    float result = is_max ? -std::numeric_limits<float>::infinity() : 0.0f;
    for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
        const auto from_y = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
        if (from_y < 0 || from_y >= static_cast<std::int32_t>(w.height)) continue;
        for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
            const auto from_x = static_cast<std::int32_t>(x * w.stride_w + kx * w.dilation_w) - w.pad_left;
            if (from_x < 0 || from_x >= static_cast<std::int32_t>(w.width)) continue;
            const float value = plane[static_cast<std::size_t>(from_y) * w.width + static_cast<std::size_t>(from_x)];
            result = is_max ? pool_maximum(result, value) : result + value;
        }
    }
    return is_max ? result : result / static_cast<float>(pool_divisor(w, y, x));
}

// Element i of a mean along the axis, n ascending.
AUGUR_HD_INLINE float exact_mean(const NetworkAxis& axis, const float* a, std::uint32_t i) {
    const float* from = a + static_cast<std::size_t>(i / axis.inner) * axis.n * axis.inner + i % axis.inner;
    float sum = 0.0f;
    for (std::size_t n = 0; n < axis.n; ++n)
        sum = sum + from[n * axis.inner];
    return sum / static_cast<float>(axis.n);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_NETWORK_EXACT_H
