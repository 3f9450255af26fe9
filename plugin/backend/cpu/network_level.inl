// All kernels of one level. The including file names the level (AUGUR_THIS_LEVEL) and is compiled for it; everything
// here is local to it, so that no code for one machine is ever picked for another.

#include "backend/cpu/network_kernels.h"

#if defined(__SSE2__)
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
// What both need is in the float files.
#include "backend/cpu/network_int8.inl"
#include "backend/cpu/network_int8_steps.inl"
// NOLINTEND(bugprone-suspicious-include)

constexpr NetworkKernels kKernels = {
    .level = CpuLevel::AUGUR_THIS_LEVEL,
    .panel_width = kPanel,
    .dense_floats = dense_floats,
    .pack_dense = pack_dense,
    .dense = dense,
    .conv_floats = conv_floats,
    .pack_conv = pack_conv,
    .conv_workspace = conv_workspace,
    .conv = conv,
    .step = step,
    .activate = activate,
    .round_to_half = round_to_half,
    .dense_bytes_int8 = dense_bytes_int8,
    .pack_dense_int8 = pack_dense_int8,
    .dense_workspace_int8 = dense_workspace_int8,
    .dense_int8 = dense_int8,
    .conv_bytes_int8 = conv_bytes_int8,
    .pack_conv_int8 = pack_conv_int8,
    .conv_workspace_int8 = conv_workspace_int8,
    .conv_int8 = conv_int8,
    .step_int8 = step_int8,
    .quantise = quantise_all,
    .dequantise = dequantise_all,
};

}  // namespace
}  // namespace augur
