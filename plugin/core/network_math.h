// What the steps of a network do to single numbers and to lines of them: exact (core/math.h), so every backend that
// calls these functions on the same numbers gets the same bits. NaN goes in and comes out everywhere: a network that
// fails must be seen to fail.
#ifndef AUGUR_CORE_NETWORK_MATH_H
#define AUGUR_CORE_NETWORK_MATH_H

#include "core/math.h"
#include "core/network.h"

namespace augur::core {

AUGUR_HD_INLINE float absolute(float x) {
    return float_of_bits(float_bits(x) & 0x7fffffffu);
}

// ln(1 + y) for 0 <= y <= 1 as 2 artanh(y / (2 + y)), with a polynomial fitted to artanh z / z. Relative error below
// 3e-7.
AUGUR_HD_INLINE float natural_log_plus_one(float y) {
    const float z = y / (2.0f + y);
    const float z2 = z * z;
    const float p = 0.333332062f + z2 * (0.200108856f + z2 * (0.139989302f + z2 * 0.140156478f));
    return 2.0f * z + 2.0f * z * z2 * p;
}

// 1 / (1 + e^-x), without overflow on either side. Relative error below 3e-7 where the result is normal.
AUGUR_HD_INLINE float sigmoid(float x) {
    const float e = exponential(-absolute(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// Error function. Relative error below 3e-7. Near 0 an odd polynomial; from 1 on 1 - e^-p with a polynomial p, both
// fitted; from 4 on the result is exactly 1.
AUGUR_HD_INLINE float error_function(float x) {
    const float size = absolute(x);
    const float u = size < 1.0f ? size * size : 1.0f;
    const float near =
        size * (1.12837911f +
                u * (-0.37612626f +
                     u * (0.112835854f +
                          u * (-0.0268538129f + u * (0.00518832775f + u * (-0.000801019312f + u * 7.85385782e-5f))))));
    const float v = size > 4.0f ? 4.0f : size;
    const float p = 0.000341507752f +
                    v * (1.12708926f +
                         v * (0.638144732f +
                              v * (0.103106849f + v * (-0.0218381081f + v * (0.00294766971f + v * -0.000186380363f)))));
    const float far = 1.0f - exponential(-p);
    return float_of_bits(float_bits(size < 1.0f ? near : far) | (float_bits(x) & 0x80000000u));
}

// ln(1 + e^x), without overflow.
AUGUR_HD_INLINE float softplus(float x) {
    return (x < 0.0f ? 0.0f : x) + natural_log_plus_one(exponential(-absolute(x)));
}

// max(0, min(1, x)).
AUGUR_HD_INLINE float clamp_unit(float x) {
    const float y = x > 1.0f ? 1.0f : x;
    return y < 0.0f ? 0.0f : y;
}

// min(max(x, low), high): high wins where the two cross, as in ONNX.
AUGUR_HD_INLINE float clip(float x, float low, float high) {
    const float y = x < low ? low : x;
    return y > high ? high : y;
}

AUGUR_HD_INLINE float gelu(float x) {
    return 0.5f * x * (1.0f + error_function(x * 0.707106781f));
}

AUGUR_HD_INLINE float gelu_tanh(float x) {
    return 0.5f * x * (1.0f + hyperbolic_tangent(0.797884561f * (x + 0.044715f * x * x * x)));
}

AUGUR_HD_INLINE float activate(Activation activation, float alpha, float beta, float x) {
    switch (activation) {
        case Activation::none:
            return x;
        case Activation::relu:
            return x < 0.0f ? 0.0f : x;
        case Activation::leaky_relu:
            return x < 0.0f ? alpha * x : x;
        case Activation::elu:
            return x < 0.0f ? alpha * exponential_minus_one(x < 0.0f ? x : 0.0f) : x;
        case Activation::sigmoid:
            return sigmoid(x);
        case Activation::tanh:
            return hyperbolic_tangent(x);
        case Activation::gelu:
            return gelu(x);
        case Activation::gelu_tanh:
            return gelu_tanh(x);
        case Activation::clip:
            return clip(x, alpha, beta);
        case Activation::erf:
            return error_function(x);
        case Activation::exp:
            return exponential(x);
        case Activation::square_root:
            return square_root(x);
        case Activation::absolute:
            return absolute(x);
        case Activation::negate:
            return -x;
        case Activation::softplus:
            return softplus(x);
        case Activation::hard_sigmoid:
            return clamp_unit(alpha * x + beta);
        case Activation::hard_swish:
            return x * clamp_unit(x * (1.0f / 6.0f) + 0.5f);
    }
    return x;
}

// x^y. The logarithm and the exponential are taken in double precision, so the result is the true one rounded, but for
// rare halves. Special cases are those of IEEE 754 pow.
AUGUR_HD_INLINE float power(float x, float y) {
    if (y == 0.0f || x == 1.0f) return 1.0f;
    if (x != x || y != y) return x + y;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float size = absolute(x);
    const float y_size = absolute(y);
    // Whole and odd y keep the sign of a negative x. Floats from 2^24 on are even.
    const bool whole = y_size >= 16777216.0f || static_cast<float>(static_cast<std::int32_t>(y_size)) == y_size;
    const bool odd = whole && y_size < 16777216.0f && (static_cast<std::int32_t>(y_size) & 1) != 0;
    const bool negative = (float_bits(x) >> 31) != 0 && odd;
    float result;
    if (y_size == kInfinity) {
        result = size == 1.0f ? 1.0f : ((size > 1.0f) == (y > 0.0f) ? kInfinity : 0.0f);
    } else if (size == 0.0f || size == kInfinity) {
        result = (size == 0.0f) == (y > 0.0f) ? 0.0f : kInfinity;
    } else if (x < 0.0f && !whole) {
        return std::numeric_limits<float>::quiet_NaN();
    } else {
        // ln size: the exponent off, the rest m in [0.75, 1.5) through 2 artanh z up to z^25 (z <= 0.2).
        const bool small = size < 1.17549435e-38f;
        const std::uint32_t bits = float_bits(small ? size * 8388608.0f : size);
        const std::uint32_t n = (bits - 0x3f400000u) & 0xff800000u;
        const double m = static_cast<double>(float_of_bits(bits - n));
        const double exponent = static_cast<double>((static_cast<std::int32_t>(n) >> 23) - (small ? 23 : 0));
        const double z = (m - 1.0) / (m + 1.0);
        const double z2 = z * z;
        double series = 0.0;
        for (int k = 25; k >= 3; k -= 2)
            series = (series + 1.0 / k) * z2;
        double t = static_cast<double>(y) * (2.0 * z * (1.0 + series) + exponent * 0.6931471805599453);
        // e^t, beyond the range of floats on both sides.
        t = t > 90.0 ? 90.0 : (t < -105.0 ? -105.0 : t);
        const double half = t < 0.0 ? -0.5 : 0.5;
        const int whole_part = static_cast<int>(t * 1.4426950408889634 + half);
        const double r = t - whole_part * 0.6931471805599453;
        double e = 0.0;
        for (int k = 13; k >= 1; --k)
            e = (1.0 + e) * (r / k);
        e += 1.0;
        for (int k = 0; k < whole_part; ++k)
            e *= 2.0;
        for (int k = 0; k > whole_part; --k)
            e *= 0.5;
        result = e > 3.4028235677973362e38 ? kInfinity : static_cast<float>(e);
    }
    return negative ? -result : result;
}

AUGUR_HD_INLINE float combine(BinaryOp op, float a, float b) {
    switch (op) {
        case BinaryOp::add:
            return a + b;
        case BinaryOp::subtract:
            return a - b;
        case BinaryOp::multiply:
            return a * b;
        case BinaryOp::divide:
            return a / b;
        case BinaryOp::minimum:
            return a < b || a != a ? a : b;
        case BinaryOp::maximum:
            return a > b || a != a ? a : b;
        case BinaryOp::power:
            return power(a, b);
    }
    return a;
}

// Of two numbers the one that a max pool keeps.
AUGUR_HD_INLINE float pool_maximum(float best, float x) {
    return x > best || x != x ? x : best;
}

// What the sum of an average pool's window is divided by at output (y, x): its taps in the input, and with count_pad
// those in the declared padding as well (but none beyond it, as output sizes that were rounded up have).
AUGUR_HD_INLINE std::uint32_t pool_divisor(const NetworkWindow& w, std::uint32_t y, std::uint32_t x) {
    const std::int32_t first_y = static_cast<std::int32_t>(y * w.stride_h) - w.pad_top;
    const std::int32_t first_x = static_cast<std::int32_t>(x * w.stride_w) - w.pad_left;
    const bool padding = w.count_pad != 0;
    const std::int32_t low_y = padding ? -w.pad_top : 0;
    const std::int32_t low_x = padding ? -w.pad_left : 0;
    const std::int32_t high_y = static_cast<std::int32_t>(w.height) + (padding ? w.pad_bottom : 0);
    const std::int32_t high_x = static_cast<std::int32_t>(w.width) + (padding ? w.pad_right : 0);
    std::uint32_t rows = 0, columns = 0;
    for (std::uint32_t k = 0; k < w.kernel_h; ++k) {
        const std::int32_t at = first_y + static_cast<std::int32_t>(k * w.dilation_h);
        rows += at >= low_y && at < high_y ? 1 : 0;
    }
    for (std::uint32_t k = 0; k < w.kernel_w; ++k) {
        const std::int32_t at = first_x + static_cast<std::int32_t>(k * w.dilation_w);
        columns += at >= low_x && at < high_x ? 1 : 0;
    }
    return rows * columns;
}

// Where the elements of a binary step's operands lie for element i of its output.
struct BinaryPlace {
    std::uint32_t a, b;
};

AUGUR_HD_INLINE BinaryPlace binary_place(const NetworkTensor& output, const NetworkStep& step, std::uint32_t i) {
    BinaryPlace place{0, 0};
    for (std::uint32_t d = output.rank; d-- > 0;) {
        const std::uint32_t at = i % output.dims[d];
        i /= output.dims[d];
        place.a += at * step.stride_a[d];
        place.b += at * step.stride_b[d];
    }
    return place;
}

// Softmax or its logarithm of n numbers that lie stride apart, in place or not. The sum runs from the first to the
// last.
AUGUR_HD_INLINE void softmax_line(const float* in, float* out, std::uint32_t n, std::uint32_t stride, bool logarithm) {
    float best = in[0];
    for (std::uint32_t i = 1; i < n; ++i)
        best = pool_maximum(best, in[static_cast<std::size_t>(i) * stride]);
    float sum = 0.0f;
    if (logarithm) {
        for (std::uint32_t i = 0; i < n; ++i)
            sum += exponential(in[static_cast<std::size_t>(i) * stride] - best);
        const float shift = natural_log(sum);
        for (std::uint32_t i = 0; i < n; ++i)
            out[static_cast<std::size_t>(i) * stride] = in[static_cast<std::size_t>(i) * stride] - best - shift;
        return;
    }
    for (std::uint32_t i = 0; i < n; ++i)
        out[static_cast<std::size_t>(i) * stride] = exponential(in[static_cast<std::size_t>(i) * stride] - best);
    for (std::uint32_t i = 0; i < n; ++i)
        sum += out[static_cast<std::size_t>(i) * stride];
    for (std::uint32_t i = 0; i < n; ++i)
        out[static_cast<std::size_t>(i) * stride] = out[static_cast<std::size_t>(i) * stride] / sum;
}

// (x - mean) / sqrt(variance + epsilon) * w + bias of n numbers side by side, in place or not; w and bias may be null.
// Both sums run from the first to the last.
AUGUR_HD_INLINE void layer_norm_line(const float* in, float* out, std::uint32_t n, float epsilon, const float* w,
                                     const float* bias) {
    float sum = 0.0f;
    for (std::uint32_t i = 0; i < n; ++i)
        sum += in[i];
    const float mean = sum / static_cast<float>(n);
    float squares = 0.0f;
    for (std::uint32_t i = 0; i < n; ++i)
        squares += (in[i] - mean) * (in[i] - mean);
    const float deviation = square_root(squares / static_cast<float>(n) + epsilon);
    for (std::uint32_t i = 0; i < n; ++i) {
        float y = (in[i] - mean) / deviation;
        if (w != nullptr) y = y * w[i];
        if (bias != nullptr) y = y + bias[i];
        out[i] = y;
    }
}

// Elements of an output that a rearrange step writes.
AUGUR_HD_INLINE std::uint32_t rearranged_count(const NetworkTensor& output, const NetworkStep& step) {
    return step.part_count != 0 ? step.part_count : output.count;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_NETWORK_MATH_H
