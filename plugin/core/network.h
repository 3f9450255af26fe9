// A network as plain numbers: what plugin/model makes of an ONNX file, and what every backend runs.
//
// A network is a list of steps over tensors. A tensor is [B][dims...]: B rows, one per state to evaluate, each dense
// and row-major in the order of ONNX (channels before height and width); or constant, the same for all rows. No step
// mixes rows, so rows can be evaluated in batches of any size.
#ifndef AUGUR_CORE_NETWORK_H
#define AUGUR_CORE_NETWORK_H

#include <augur/kit/platform.h>

namespace augur::core {

inline constexpr std::uint32_t kNetworkRank = 6;  // most dimensions of a tensor, without the batch
inline constexpr std::uint32_t kNoTensor = 0xffffffffu;
inline constexpr std::uint64_t kNoWeights = ~0ull;

// y = f(x), element by element. Formulas are those of the ONNX operators of the same name.
enum class Activation : std::uint32_t {
    none = 0,
    relu,        // max(x, 0)
    leaky_relu,  // x < 0 ? alpha x : x
    elu,         // x < 0 ? alpha (exp(x) - 1) : x
    sigmoid,     // 1 / (1 + exp(-x))
    tanh,
    gelu,       // x/2 (1 + erf(x / sqrt 2))
    gelu_tanh,  // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    clip,       // min(max(x, alpha), beta)
    erf,
    exp,
    square_root,
    absolute,
    negate,
    softplus,      // ln(1 + exp(x))
    hard_sigmoid,  // max(0, min(1, alpha x + beta))
    hard_swish,    // x max(0, min(1, x / 6 + 1/2))
};

enum class NetworkOp : std::uint32_t {
    dense = 1,     // out[m][n] = sum over k of in[m][k] w[k][n] + bias[n]
    matmul,        // out[g][m][n] = sum over k of a[g][m][k] b[g][k][n]; no weights
    conv,          // 2-D, w[O][C / groups][kh][kw]
    max_pool,      // 2-D over [C][H][W]; padding never wins
    average_pool,  // 2-D; count_pad: whether padding counts in the divisor
    binary,        // a op b with broadcasting
    unary,         // activation alone
    softmax,       // along the middle of [outer][n][inner]
    log_softmax,
    layer_norm,   // over the last n of [outer][n]: (x - mean) / sqrt(variance + epsilon) * w[n] + bias[n]
    reduce_mean,  // over the middle of [outer][n][inner]
    rearrange,    // out[i] = map[i] < 0 ? fill : in[map[i]]; stands for Transpose, Slice, Gather, Pad, Concat
};

enum class BinaryOp : std::uint32_t { add = 1, subtract, multiply, divide, minimum, maximum, power };

struct NetworkTensor {
    std::uint32_t rank;
    std::uint32_t dims[kNetworkRank];  // of one row
    std::uint32_t count;               // elements of one row
    std::uint32_t constant;            // 1: not computed, the same for all rows
    std::uint64_t offset;  // first element: in a row's scratch (scratch_count elements), or in weights where constant
};

// The middle of a step's tensor, for ops along an axis.
struct NetworkAxis {
    std::uint32_t outer, n, inner;
};

struct NetworkWindow {
    std::uint32_t channels, height, width;              // of the input
    std::uint32_t out_channels, out_height, out_width;  // of the output
    std::uint32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    std::int32_t pad_top, pad_left, pad_bottom, pad_right;
    std::uint32_t groups;
    std::uint32_t count_pad;  // average_pool: 1 padding counts
};

struct NetworkStep {
    NetworkOp op;
    std::uint32_t inputs[2];  // tensors; kNoTensor where there is none
    std::uint32_t output;     // tensor; never one of the inputs, unless op is unary or binary with equal shapes

    // What is done to every element of the result. conv and dense: after the bias and, with a residual, after it is
    // added.
    Activation activation;
    float alpha, beta;
    std::uint32_t
        residual;  // conv, dense: tensor of the output's shape that is added before the activation; or kNoTensor

    std::uint64_t weights;  // first float in weights; kNoWeights where there are none
    std::uint64_t bias;     // likewise

    // dense: m rows of a batch row, k in, n out. matmul: g groups (strides 0 or 1: whether a and b have the groups).
    std::uint32_t groups, m, k, n;
    std::uint32_t group_a, group_b;

    NetworkWindow window;  // conv, pools
    NetworkAxis axis;      // softmax, log_softmax, layer_norm, reduce_mean
    float epsilon;         // layer_norm
    BinaryOp binary;       // binary
    std::uint32_t stride_a[kNetworkRank],
        stride_b[kNetworkRank];  // binary: in elements, along the output's dims; 0 broadcasts
    std::uint64_t map;           // rearrange: first entry in maps, output count of them (or part_count, see below)
    float fill;                  // rearrange
    std::uint32_t part_first,
        part_count;  // rearrange: which elements of the output this step writes (Concat: one step an input)
};

// What a result of the network means to a search.
enum class NetworkHead : std::uint32_t { policy = 0, value = 1, reward = 2 };
inline constexpr std::uint32_t kNetworkHeads = 3;
inline constexpr std::uint32_t kNetworkInputs = 4;   // most of them
inline constexpr std::uint32_t kNetworkOutputs = 8;  // most of them
inline constexpr std::uint32_t kNoHead = 0xffffffffu;

// fp32: floats throughout. fp16: weights and what passes between steps rounded to half precision, sums in float; the
// steps that make the outputs in floats altogether. Both bounded. int8: integer sums and fixed-point rescaling between
// steps; exact.
enum class Precision : std::uint32_t { fp32 = 1, fp16 = 2, int8 = 3 };

// Views: somebody else owns the arrays.
struct NetworkView {
    const NetworkTensor* tensors;  // [tensor_count]
    const NetworkStep* steps;      // [step_count], in the order to run
    const float* weights;          // [weight_count]
    const std::int32_t* maps;      // [map_count]
    std::uint32_t tensor_count, step_count;
    std::uint64_t weight_count, map_count;
    std::uint64_t scratch_count;  // elements of a row's scratch; tensors share it where their lives allow
    std::uint32_t input_count, output_count;
    std::uint32_t inputs[kNetworkInputs];    // tensors
    std::uint32_t outputs[kNetworkOutputs];  // tensors
    std::uint32_t heads[kNetworkHeads];      // places in outputs; kNoHead where the network has none
};

}  // namespace augur::core

#endif  // AUGUR_CORE_NETWORK_H
