// A small network as the fused search kernel runs it: dense layers whose weights are packed for the GPU's matrix
// instructions, and whose tensors lie in shared memory.
//
// A matrix instruction multiplies 16 rows by 32 bytes of inputs (16 halves or 32 int8) with 8 columns of weights. So
// weights are held as tiles of 32 bytes by 8 columns, and two such tiles side by side are one 16-byte load of each
// lane.
#ifndef AUGUR_BACKEND_CUDA_FUSED_PLAN_H
#define AUGUR_BACKEND_CUDA_FUSED_PLAN_H

#include <optional>
#include <vector>

#include "core/network_program.h"

namespace augur::cuda {

inline constexpr std::uint32_t kFusedLayers = 8;      // most of them
inline constexpr std::uint32_t kFusedWidth = 512;     // most inputs or outputs of a layer
inline constexpr std::uint32_t kFusedTileBytes = 32;  // of a row, that one instruction takes
inline constexpr std::uint32_t kNoTable = 0xffffffffu;
inline constexpr std::int32_t kSmallFactorShift = 33;  // of factors below 2^31 / 2^33

// What becomes of a layer's sums.
enum class FusedOutput : std::uint32_t {
    half_relu,  // to half precision, as nearly every hidden layer
    half,       // the same with any activation
    single,     // to floats: a head
    int8,       // rescaled; every factor is below a quarter
    int8_any,   // rescaled by any factor, and looked up in a table where there is one
    from_int8,  // int8 sums to floats: a head
};

// Bytes from row to row of a tensor whose rows are that many tiles of 32 bytes.
AUGUR_HD_INLINE constexpr std::uint32_t fused_stride(std::uint32_t tiles) {
    return tiles * kFusedTileBytes + 16;
}

// One dense layer. A tensor lies at offset * rows + row * stride bytes in the block's working memory; strides are odd
// multiples of 16, so that eight rows read at once lie in different banks.
struct FusedLayer {
    std::uint32_t input_offset;  // its stride is fused_stride(tiles)
    std::uint32_t output_offset, output_stride;
    std::uint32_t tiles;     // of a row of inputs
    std::uint32_t passes;    // 2: the weights are floats, as the sum of two halves
    std::uint32_t columns;   // outputs
    std::uint32_t weights;   // first 16-byte word: [pairs of column tiles][tiles][passes][32 lanes]
    std::uint32_t bias;      // first 32-bit word in constants: floats, or int32 where the network is int8
    std::uint32_t factors;   // int8, int8_any: columns x Rescale; from_int8: columns x float scale
    std::uint32_t table;     // int8_any: 256 bytes from this word on; kNoTable: none
    std::int32_t low, high;  // int8, int8_any
    FusedOutput output;
    core::Activation activation;  // half, single, from_int8
    float alpha, beta;
    std::uint32_t last_of_phase;  // 1: the next layer needs what was computed since the last barrier

    AUGUR_HD_INLINE std::uint32_t pairs() const { return (columns + 15) / 16; }
};

// The usual network: two hidden layers of kUsualWidth, in half precision with relu or rescaled to int8, and small heads
// in floats on the second. It has kernels of its own, which keep the hidden weights in registers and take the heads as
// one layer: the policy's columns, then the value's.
inline constexpr std::uint32_t kUsualWidth = 128;

struct UsualHeads {
    std::uint32_t columns;  // 0: the network is not of this kind
    std::uint32_t value_column;
    std::uint32_t weights;  // first 16-byte word: [blocks of 8 columns][tiles of inputs][32 lanes], as the left side of
                            // a product: rows 0 to 7 the upper halves, 8 to 15 the lower ones; of int8 zeros
    std::uint32_t bias;     // first 32-bit word in constants, for each column of the blocks: floats, or int32
    std::uint32_t scales;   // int8: the same, what a sum is multiplied by
    core::Activation value_activation;
    float value_alpha, value_beta;

    AUGUR_HD_INLINE std::uint32_t blocks() const { return (columns + 7) / 8; }
};

// What a kernel knows of the network, in device memory behind its weights.
struct FusedNetwork {
    FusedLayer layers[kFusedLayers];
    UsualHeads usual;
    std::uint32_t layer_count;
    std::uint32_t is_int8;
    std::uint32_t features, feature_offset, feature_stride;  // the input: halves or int8
    float inverse_scale;                                     // int8: of the input
    std::uint32_t logits_offset, logits_stride;              // floats; stride 0: no policy head
    std::uint32_t value_offset, value_stride;                // floats; stride 0: no value head
    std::uint32_t row_bytes;                                 // working memory of a row
    std::uint32_t weight_words;                              // of 16 bytes
    std::uint32_t constant_words;                            // of 4 bytes, a multiple of 4
};

struct FusedPlan {
    FusedNetwork network;
    std::vector<std::uint32_t> weights;    // [4 * weight_words]
    std::vector<std::uint32_t> constants;  // [constant_words]
};

// Nothing where the fused kernel cannot run the program: anything but dense layers one after the other or side by side,
// too many or too wide ones, or fp32.
std::optional<FusedPlan> make_fused_plan(const core::NetworkProgram& program);

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FUSED_PLAN_H
