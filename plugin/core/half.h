// Half precision (IEEE 754 binary16) by integer work on the bits: the same on every machine.
#ifndef AUGUR_CORE_HALF_H
#define AUGUR_CORE_HALF_H

#include "core/math.h"

namespace augur::core {

inline constexpr float kLargestHalf = 65504.0f;
inline constexpr std::uint16_t kHalfInfinity = 0x7c00;

// Rounded to the nearest, ties to even. From 65520 on infinity: test with overflows_half first where that matters.
// NaN stays NaN, quiet, with the upper bits of its payload. Branch-free.
AUGUR_HD_INLINE std::uint16_t half_of_float(float x) {
    const std::uint32_t bits = float_bits(x);
    const std::uint32_t size = bits & 0x7fffffffu;
    // Normal halves: the exponent moved, the mantissa rounded; a carry runs into the exponent as it should.
    const std::uint32_t moved = size - 0x38000000u;
    const std::uint32_t normal = (moved + 0xfffu + ((moved >> 13) & 1u)) >> 13;
    // Denormal halves are multiples of 2^-24, the last bit of a float in [0.5, 1): the sum rounds to it.
    const std::uint32_t denormal = float_bits(float_of_bits(size < 0x38800000u ? size : 0u) + 0.5f) - 0x3f000000u;
    const std::uint32_t finite = size < 0x38800000u ? denormal : normal;
    const std::uint32_t large = size > 0x7f800000u ? 0x7e00u | ((size >> 13) & 0x3ffu) : 0x7c00u;
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | (size < 0x477ff000u ? finite : large));
}

// Exact. NaN becomes quiet. Branch-free.
AUGUR_HD_INLINE float float_of_half(std::uint16_t half) {
    const std::uint32_t size = half & 0x7fffu;
    const std::uint32_t denormal = float_bits(static_cast<float>(static_cast<std::int32_t>(size)) * 5.96046448e-8f);
    const std::uint32_t normal = (size << 13) + 0x38000000u;
    const std::uint32_t large = (size << 13) + 0x70000000u + (size > 0x7c00u ? 0x400000u & ~(size << 13) : 0u);
    const std::uint32_t finite = size < 0x400u ? denormal : normal;
    return float_of_bits((size < 0x7c00u ? finite : large) | ((half & 0x8000u) << 16));
}

AUGUR_HD_INLINE float round_to_half(float x) {
    return float_of_half(half_of_float(x));
}

// Whether a finite x has no finite half.
AUGUR_HD_INLINE bool overflows_half(float x) {
    const std::uint32_t size = float_bits(x) & 0x7fffffffu;
    return size >= 0x477ff000u && size < 0x7f800000u;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_HALF_H
