// Exact arithmetic. Only + - * / sqrt of IEEE floats are used, each rounded to nearest, with contraction off on both
// compilers, so the same expression gives the same bits on every machine.
#ifndef AUGUR_CORE_MATH_H
#define AUGUR_CORE_MATH_H

#include <augur/kit/platform.h>

#include <bit>
#include <cmath>
#include <limits>

namespace augur::core {

AUGUR_HD_INLINE std::uint32_t float_bits(float x) {
#if AUGUR_DEVICE_CODE
    return __float_as_uint(x);
#else
    return std::bit_cast<std::uint32_t>(x);
#endif
}

AUGUR_HD_INLINE float float_of_bits(std::uint32_t bits) {
#if AUGUR_DEVICE_CODE
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
}

// Correctly rounded square root of x >= 0.
AUGUR_HD_INLINE float square_root(float x) {
#if AUGUR_DEVICE_CODE
    return __fsqrt_rn(x);
#else
    return std::sqrt(x);
#endif
}

// The same of a whole number n >= 1. On a GPU by the steps that a root takes for normal numbers, without its test for
// others.
AUGUR_HD_INLINE float square_root_of_count(std::uint32_t n) {
#if AUGUR_DEVICE_CODE
    const float x = static_cast<float>(n);
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float root = __fmul_rn(x, inverse);
    return __fmaf_rn(__fmaf_rn(-root, root, x), __fmul_rn(inverse, 0.5f), root);
#else
    return std::sqrt(static_cast<float>(n));
#endif
}

// Natural logarithm of n >= 1, relative error below 3e-7. The exponent is taken off, and the rest x in [0.75, 1.5) goes
// through ln x = 2 artanh((x - 1) / (x + 1)) up to the ninth power (Abramowitz and Stegun 4.1.27).
AUGUR_HD_INLINE float natural_log(std::uint32_t n) {
    int exponent = 0;
    float x = static_cast<float>(n);
    while (x >= 1.5f) {
        x = x * 0.5f;
        ++exponent;
    }
    const float z = (x - 1.0f) / (x + 1.0f);
    const float z2 = z * z;
    const float series = z * (2.0f + z2 * (2.0f / 3.0f + z2 * (0.4f + z2 * (2.0f / 7.0f + z2 * (2.0f / 9.0f)))));
    return series + static_cast<float>(exponent) * 0.693147182f;
}

// x = n ln 2 + r with n whole and r in [-0.3466, 0.3466] (Cody and Waite), and e^r - 1 as a polynomial fitted to it
// (relative error 2e-8). For -150 ln 2 <= x <= 128.4 ln 2; NaN gives NaN in rest and any n.
struct ExponentialParts {
    std::uint32_t n;  // two's complement
    float rest;       // e^r - 1
};

AUGUR_HD_INLINE ExponentialParts exponential_parts(float x) {
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: a sum with it is rounded to a whole number, its low bits
    const float shifted = x * 1.44269504f + kRound;
    const float n = shifted - kRound;
    const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;  // ln 2 in two parts, the first of 16 bits
    const float q = 0.5f + r * (0.16666542f + r * (0.0416662805f + r * (0.00836664438f + r * 0.0013946552f)));
    return {float_bits(shifted) - 0x4b400000u, r + r * r * q};
}

// 2^n for -126 <= n <= 127.
AUGUR_HD_INLINE float power_of_two(std::uint32_t n) {
    return float_of_bits((n + 127u) << 23);
}

// e^x. Relative error below 1e-7 where the result is normal; within one unit of the least float where it is denormal;
// infinity from 88.7228394 on; 0 below -103.98. NaN gives NaN. Branch-free.
AUGUR_HD_INLINE float exponential(float x) {
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    const ExponentialParts parts = exponential_parts(x);
    // In two factors, because 2^n alone may be no normal float. Only the last product is rounded.
    const std::uint32_t sign = parts.n >> 31;
    const std::uint32_t half = (parts.n >> 1) | (sign << 31);
    return ((1.0f + parts.rest) * power_of_two(half)) * power_of_two(parts.n - half);
}

// e^x - 1 for x <= 80, without the loss of digits near 0. Relative error below 1.5e-7. NaN gives NaN. Branch-free.
AUGUR_HD_INLINE float exponential_minus_one(float x) {
    x = x < -40.0f ? -40.0f : x;
    const ExponentialParts parts = exponential_parts(x);
    const float scale = power_of_two(parts.n);
    return parts.rest * scale + (scale - 1.0f);
}

// tanh x = (e^2x - 1) / (e^2x + 1). Relative error below 2e-7, also of denormal x; the sign of zero is kept; exactly 1
// from 20 on. NaN gives NaN. Branch-free.
AUGUR_HD_INLINE float hyperbolic_tangent(float x) {
    const std::uint32_t bits = float_bits(x);
    float size = float_of_bits(bits & 0x7fffffffu);
    size = size > 20.0f ? 20.0f : size;
    const float e = exponential_minus_one(size + size);
    return float_of_bits(float_bits(e / (e + 2.0f)) | (bits & 0x80000000u));
}

// Natural logarithm of any float. Relative error below 2e-7, also near 1 and for denormal x; -infinity for zeros, NaN
// below zero, infinity and NaN give themselves. The exponent is taken off, and the rest m in [0.75, 1.5) goes through
// ln m = 2 artanh z, z = (m - 1) / (m + 1), with a polynomial fitted to artanh z / z. Branch-free.
AUGUR_HD_INLINE float natural_log(float x) {
    const bool small = x < 1.17549435e-38f;  // denormals, zeros and negative numbers
    const std::uint32_t bits = float_bits(small ? x * 8388608.0f : x);
    const std::uint32_t n = (bits - 0x3f400000u) & 0xff800000u;  // 2^23 times the exponent of x / m
    const float m = float_of_bits(bits - n);
    const float exponent = static_cast<float>(static_cast<std::int32_t>(n) >> 23) - (small ? 23.0f : 0.0f);
    const float z = (m - 1.0f) / (m + 1.0f);
    const float z2 = z * z;
    const float series = 2.0f * z + 2.0f * z * z2 * (0.333334744f + z2 * (0.199788034f + z2 * 0.151826292f));
    const float finite = exponent * 0.693145752f + (series + exponent * 1.42860677e-6f);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float above = x < kInfinity ? finite : x;                              // infinity and NaN
    const float below = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : x;  // NaN again
    return x > 0.0f ? above : (x == 0.0f ? -kInfinity : below);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_MATH_H
