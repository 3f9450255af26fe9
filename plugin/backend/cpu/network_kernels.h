// The inner loops of networks on the CPU, compiled once for each level of the x86-64 instruction set and chosen when a
// network is made. Levels v3 and v4 give the same bits; base multiplies and adds where they fuse the two, so its fp32
// and fp16 sums are rounded differently. int8 is the same on all.
#ifndef AUGUR_BACKEND_CPU_NETWORK_KERNELS_H
#define AUGUR_BACKEND_CPU_NETWORK_KERNELS_H

#include <cstddef>

#include "core/network_program.h"

namespace augur {

enum class CpuLevel : std::uint32_t {
    base,  // any machine
    v3,    // AVX2 and FMA (x86-64-v3)
    v4,    // AVX-512 with VNNI (x86-64-v4 and what came after)
};

// What is done to a result before it is written: residual added where there is one, then limited.
struct FloatEnd {
    const float* residual;  // in the places of the output, or null
    float low, high;        // -infinity .. infinity: no limits
};

// out[m][n] = sum over k ascending of in[m][k] w[k][n], on top of bias[n].
struct DenseCall {
    const float* in;  // [m][k]
    float* out;       // [m][n]
    std::uint32_t m, k, n;
    const float* packed;  // see pack_dense
    const float* bias;    // [n rounded up to panel_width]
    FloatEnd end;
};

// A batch of convolutions. Sums run over channel, kernel row and kernel column, ascending.
struct ConvCall {
    const core::NetworkWindow* window;
    const float* in;  // [rows][C][H][W]
    float* out;       // [rows][O][oh][ow]
    std::uint32_t rows;
    const float* packed;  // see pack_conv
    const float* bias;    // [O]
    float* workspace;     // conv_workspace bytes, aligned to 64
    FloatEnd end;
};

// Any other step. Exact: the same bits on all levels.
struct StepCall {
    const core::NetworkView* net;
    const core::NetworkStep* step;
    const float* a;  // of the first row
    const float* b;
    std::size_t a_stride, b_stride;  // from row to row; 0: constant
    float* out;
    std::size_t out_stride;
    std::uint32_t rows;
};

struct NetworkKernels {
    CpuLevel level;
    std::uint32_t panel_width;  // columns of a panel
    std::uint32_t conv_height;  // output channels that are computed together

    // Weights [k][n] as panels [n / panel_width][k][panel_width], filled up with zeros.
    std::size_t (*dense_floats)(std::uint32_t k, std::uint32_t n);
    void (*pack_dense)(const float* weights, std::uint32_t k, std::uint32_t n, float* packed);
    void (*dense)(const DenseCall& call);

    // Weights [O][K] of each group as blocks [O / conv_height][K][conv_height], filled up with zeros.
    std::size_t (*conv_floats)(const core::NetworkWindow& window);
    void (*pack_conv)(const float* weights, const core::NetworkWindow& window, float* packed);
    std::size_t (*conv_workspace)(const core::NetworkWindow& window);
    void (*conv)(const ConvCall& call);

    void (*step)(const StepCall& call);
    void (*activate)(core::Activation activation, float alpha, float beta, float* x, std::size_t count);
    void (*round_to_half)(const float* in, float* out, std::size_t count);
};

// The best level that this machine has.
CpuLevel best_cpu_level();

// level at most best_cpu_level().
const NetworkKernels& network_kernels(CpuLevel level);

// Those of one level, whatever the machine.
const NetworkKernels& network_kernels_base();
const NetworkKernels& network_kernels_v3();
const NetworkKernels& network_kernels_v4();

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_NETWORK_KERNELS_H
