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

// What is done to int32 sums. scales null: rescaled to int8, the residual added, limited, looked up; else the results
// are floats, sum * scale and the residual on top.
struct IntegerEnd {
    void* out;
    const void* residual;             // in the places of the output, of its type, or null
    const std::int32_t* multipliers;  // [channels rounded up to panel_width]
    const std::int32_t* shifts;       // likewise
    core::Rescale residual_factor;
    std::int32_t low, high;
    const std::int8_t* table;  // 256 entries for -128 .. 127, or null
    const float* scales;       // [channels]
};

struct DenseCall8 {
    const std::int8_t* in;  // [m][k]
    std::uint32_t m, k, n;
    const void* packed;        // see pack_dense_int8
    const std::int32_t* bias;  // likewise
    void* workspace;           // dense_workspace_int8 bytes, aligned to 64
    IntegerEnd end;
};

struct ConvCall8 {
    const core::NetworkWindow* window;
    const std::int8_t* in;  // [rows][C][H][W]
    std::uint32_t rows;
    const void* packed;        // see pack_conv_int8
    const std::int32_t* bias;  // likewise
    void* workspace;           // conv_workspace_int8 bytes, aligned to 64
    IntegerEnd end;
};

struct StepCall8 {
    const core::NetworkView* net;
    const core::QuantisedView* view;
    const core::NetworkStep* step;
    const core::QuantisedStep* quantised;
    const std::int8_t* a;  // of the first row
    const std::int8_t* b;
    std::size_t a_stride, b_stride;  // from row to row; 0: constant
    std::int8_t* out;
    std::uint32_t rows;
    std::int32_t* workspace;  // pools: [out_width]
};

struct NetworkKernels {
    CpuLevel level;
    std::uint32_t panel_width;  // columns of a panel

    // Weights [k][n] as panels [n / panel_width][k][panel_width], filled up with zeros.
    std::size_t (*dense_floats)(std::uint32_t k, std::uint32_t n);
    void (*pack_dense)(const float* weights, std::uint32_t k, std::uint32_t n, float* packed);
    void (*dense)(const DenseCall& call);

    // Weights [O][K] of each group as blocks of output channels, each [K][channels], filled up with zeros.
    std::size_t (*conv_floats)(const core::NetworkWindow& window);
    void (*pack_conv)(const float* weights, const core::NetworkWindow& window, float* packed);
    std::size_t (*conv_workspace)(const core::NetworkWindow& window);
    void (*conv)(const ConvCall& call);

    void (*step)(const StepCall& call);
    void (*activate)(core::Activation activation, float alpha, float beta, float* x, std::size_t count);
    void (*round_to_half)(const float* in, float* out, std::size_t count);

    // int8. Packed biases make up for how numbers are staged: [n rounded up to panel_width], [O].
    std::size_t (*dense_bytes_int8)(std::uint32_t k, std::uint32_t n);
    void (*pack_dense_int8)(const std::int8_t* weights, const std::int32_t* bias, std::uint32_t k, std::uint32_t n,
                            void* packed, std::int32_t* packed_bias);
    std::size_t (*dense_workspace_int8)(std::uint32_t k);
    void (*dense_int8)(const DenseCall8& call);
    std::size_t (*conv_bytes_int8)(const core::NetworkWindow& window);
    void (*pack_conv_int8)(const std::int8_t* weights, const std::int32_t* bias, const core::NetworkWindow& window,
                           void* packed, std::int32_t* packed_bias);
    std::size_t (*conv_workspace_int8)(const core::NetworkWindow& window);
    void (*conv_int8)(const ConvCall8& call);
    void (*step_int8)(const StepCall8& call);
    void (*quantise)(const float* in, std::size_t count, float inverse_scale, std::int8_t* out);
    void (*dequantise)(const std::int8_t* in, std::size_t count, float scale, float* out);
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
