// The one header that knows which compiler it is in. Everything written once for host and device carries AUGUR_HD.
#ifndef AUGUR_KIT_PLATFORM_H
#define AUGUR_KIT_PLATFORM_H

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define AUGUR_HD __host__ __device__
#define AUGUR_HD_INLINE __host__ __device__ __forceinline__
#elif defined(_MSC_VER)
#define AUGUR_HD
#define AUGUR_HD_INLINE __forceinline
#else
#define AUGUR_HD
#define AUGUR_HD_INLINE inline __attribute__((always_inline))
#endif

// A function that is rarely needed beside code that runs all the time: on a GPU it stays out of the way, because what
// runs all the time must fit into the instruction cache. It takes its parameters by value: what a reference is taken of
// lies in memory, for all the code around the call.
#if defined(__CUDACC__)
#define AUGUR_HD_RARE __host__ __device__ __noinline__
#else
#define AUGUR_HD_RARE inline
#endif

// Before a loop of a few fixed turns: write the turns out, so that small arrays stay in registers.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define AUGUR_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define AUGUR_UNROLL _Pragma("GCC unroll 32")
#else
#define AUGUR_UNROLL
#endif

// Before a loop of a few fixed turns that do not depend on each other: written out on a GPU; left a loop on a CPU,
// where GCC makes vector instructions of it (turns that were written out it takes one by one).
#if defined(__CUDA_ARCH__)
#define AUGUR_LANES _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define AUGUR_LANES _Pragma("GCC unroll 1")
#else
#define AUGUR_LANES
#endif

#if defined(__CUDA_ARCH__)
#define AUGUR_DEVICE_CODE 1
#define AUGUR_DEVICE_ARCH __CUDA_ARCH__ /* e.g. 900 for compute capability 9.0 */
#else
#define AUGUR_DEVICE_CODE 0
#define AUGUR_DEVICE_ARCH 0
#endif

namespace augur::kit {

// Set bits of a word.
AUGUR_HD_INLINE int popcount(std::uint32_t x) {
#if AUGUR_DEVICE_CODE
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

AUGUR_HD_INLINE int popcount(std::uint64_t x) {
#if AUGUR_DEVICE_CODE
    return __popcll(static_cast<long long>(x));
#else
    return __builtin_popcountll(x);
#endif
}

// Index of the lowest set bit; x must not be 0.
AUGUR_HD_INLINE int lowest_bit(std::uint32_t x) {
#if AUGUR_DEVICE_CODE
    return __ffs(static_cast<int>(x)) - 1;
#else
    return __builtin_ctz(x);
#endif
}

AUGUR_HD_INLINE int lowest_bit(std::uint64_t x) {
#if AUGUR_DEVICE_CODE
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

// High 32 bits of a 32 x 32 bit product.
AUGUR_HD_INLINE std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
#if AUGUR_DEVICE_CODE
    return __umulhi(a, b);
#else
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
#endif
}

}  // namespace augur::kit

#endif  // AUGUR_KIT_PLATFORM_H
