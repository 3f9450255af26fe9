// The kernels of networks for x86-64-v4.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes its own undefined vectors in avx512fintrin.h for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define AUGUR_THIS_LEVEL v4
#include "backend/cpu/network_level.inl"

namespace augur {

const NetworkKernels& network_kernels_v4() {
    return kKernels;
}

}  // namespace augur
