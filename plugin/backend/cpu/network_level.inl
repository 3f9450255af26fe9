// All kernels of one level. The including file names the level (AUGUR_THIS_LEVEL) and is compiled for it; everything
// here is local to it, so that no code for one machine is ever picked for another.

#include "backend/cpu/network_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>
#include <limits>

#include "core/half.h"
#include "core/network_math.h"

namespace augur {
namespace {

// NOLINTBEGIN(bugprone-suspicious-include): one body, compiled for several machines
#include "backend/cpu/network_vector.inl"
// The vectors come first.
#include "backend/cpu/network_float.inl"
#include "backend/cpu/network_steps.inl"
// NOLINTEND(bugprone-suspicious-include)

constexpr NetworkKernels kKernels = {CpuLevel::AUGUR_THIS_LEVEL,
                                     kPanel,
                                     kHeight,
                                     dense_floats,
                                     pack_dense,
                                     dense,
                                     conv_floats,
                                     pack_conv,
                                     conv_workspace,
                                     conv,
                                     step,
                                     activate,
                                     round_to_half};

}  // namespace
}  // namespace augur
