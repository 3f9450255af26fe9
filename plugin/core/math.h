// Exact arithmetic. Only + - * / sqrt of IEEE floats are used, each rounded to nearest, with contraction off on both
// compilers, so the same expression gives the same bits on every machine.
#ifndef AUGUR_CORE_MATH_H
#define AUGUR_CORE_MATH_H

#include <augur/kit/platform.h>

#include <cmath>

namespace augur::core {

// Correctly rounded square root of x >= 0.
AUGUR_HD_INLINE float square_root(float x) {
#if AUGUR_DEVICE_CODE
    return __fsqrt_rn(x);
#else
    return std::sqrt(x);
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

}  // namespace augur::core

#endif  // AUGUR_CORE_MATH_H
