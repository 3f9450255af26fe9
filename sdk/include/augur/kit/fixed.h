// Fixed-point numbers: the same bits on every machine. Rewards and values are Q16: 65536 is 1.0.
#ifndef AUGUR_KIT_FIXED_H
#define AUGUR_KIT_FIXED_H

#include <augur/kit/platform.h>

namespace augur::kit {

inline constexpr std::int32_t kOne = 65536;  // 1.0 in Q16

// A real constant in Q16, rounded to nearest; for compile-time use in rules.
constexpr std::int32_t q16(double x) {
    return static_cast<std::int32_t>(x * 65536.0 + (x >= 0 ? 0.5 : -0.5));
}

template <class T>
AUGUR_HD_INLINE constexpr T minimum(T a, T b) {
    return b < a ? b : a;
}

template <class T>
AUGUR_HD_INLINE constexpr T maximum(T a, T b) {
    return a < b ? b : a;
}

template <class T>
AUGUR_HD_INLINE constexpr T clamp(T x, T low, T high) {
    return x < low ? low : (high < x ? high : x);
}

template <class T>
AUGUR_HD_INLINE constexpr T absolute(T x) {
    return x < T(0) ? -x : x;
}

// a * b for Q16 numbers, rounded down; the product is taken in 64 bits.
AUGUR_HD_INLINE constexpr std::int32_t multiply_q16(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>((static_cast<std::int64_t>(a) * b) >> 16);
}

// Largest r with r * r <= x. Bit by bit: 16 steps, no floating point.
AUGUR_HD_INLINE constexpr std::uint32_t integer_sqrt(std::uint32_t x) {
    std::uint32_t root = 0;
    for (std::uint32_t bit = 1u << 30; bit != 0; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

// Mixes 64 bits so that every input bit moves about half of the output bits (the finaliser of SplitMix64: Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Used for state hashes, not for random
// numbers.
AUGUR_HD_INLINE constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

AUGUR_HD_INLINE constexpr std::uint64_t combine64(std::uint64_t hash, std::uint64_t x) {
    return mix64(hash ^ (x + 0x9e3779b97f4a7c15ull));
}

}  // namespace augur::kit

#endif  // AUGUR_KIT_FIXED_H
