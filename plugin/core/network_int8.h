// Networks in integers: what an int8 network is, and the arithmetic that every backend shares, bit for bit.
//
// A number x is held as q = round(x / scale), -127 .. 127, with one scale for a tensor and zero at zero; a weight
// likewise with one scale for each output channel. (Between dense layers each element of a tensor may have a scale of
// its own: factors of the one layer and weights of the other take it in, and nobody else reads the tensor.) Products
// are summed in int32 (no sum can overflow: quantising checks it), and a fixed-point factor takes the sum to the scale
// of the result (Jacob et al.: Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
// Inference, CVPR 2018, section 2.2; symmetric, and rounded once instead of twice). Integer sums come out the same in
// any order, so a backend may take any.
//
// The tensors that steps hand on are int8 or single. Steps near the outputs are single: they work on floats with the
// functions of core/network_math.h, whose order of operations is fixed. A step reads an int8 tensor as floats with
// `dequantise`, a single tensor as int8 with `quantise`.
#ifndef AUGUR_CORE_NETWORK_INT8_H
#define AUGUR_CORE_NETWORK_INT8_H

#include "core/math.h"
#include "core/network.h"

namespace augur::core {

// A factor: multiplier * 2^-shift, multiplier in [0, 2^31), shift in [1, 62].
struct Rescale {
    std::int32_t multiplier;
    std::int32_t shift;
};

// Rescaled numbers that are still to be added keep this many bits below the point.
inline constexpr std::int32_t kSpareBits = 8;
// What rescaling saturates at; two such numbers can be added.
inline constexpr std::int32_t kRescaleLimit = 1 << 29;

// x times the factor, rounded to the nearest, halves up, and saturated to +-kRescaleLimit.
AUGUR_HD_INLINE std::int32_t rescale(std::int32_t x, Rescale factor) {
    const std::int64_t product = static_cast<std::int64_t>(x) * factor.multiplier;  // below 2^62
    const std::int64_t result = (product + (std::int64_t{1} << (factor.shift - 1))) >> factor.shift;
    const std::int64_t below = result > kRescaleLimit ? kRescaleLimit : result;
    return static_cast<std::int32_t>(below < -kRescaleLimit ? -kRescaleLimit : below);
}

// Takes the spare bits off, rounded to the nearest, halves up.
AUGUR_HD_INLINE std::int32_t drop_spare_bits(std::int32_t x) {
    return (x + (1 << (kSpareBits - 1))) >> kSpareBits;
}

AUGUR_HD_INLINE std::int8_t clamp_int8(std::int32_t x, std::int32_t low, std::int32_t high) {
    const std::int32_t y = x < low ? low : x;
    return static_cast<std::int8_t>(y > high ? high : y);
}

// x * inverse_scale to the nearest, ties to even, saturated; NaN becomes 0. Branch-free.
AUGUR_HD_INLINE std::int8_t quantise(float x, float inverse_scale) {
    float y = x * inverse_scale;
    y = y > 127.0f ? 127.0f : y;
    y = y < -127.0f ? -127.0f : y;
    y = y == y ? y : 0.0f;
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: a sum with it is rounded to a whole number, its low bits
    return static_cast<std::int8_t>(static_cast<std::int32_t>(float_bits(y + kRound) - 0x4b400000u));
}

AUGUR_HD_INLINE float dequantise(std::int32_t q, float scale) {
    return static_cast<float>(q) * scale;
}

struct QuantisedTensor {
    float scale, inverse_scale;  // inverse_scale: what `quantise` takes
    std::uint32_t single;        // 1: floats. Constant tensors that are not single are there in both forms
    std::uint64_t offset;        // constant int8 tensors: first element in weights
};

enum class QuantisedKind : std::uint32_t {
    integer = 1,  // int8 in, int8 out
    result = 2,   // dense, conv: int8 in, (float)sum * scale out, then the residual and the activation as floats
    single = 3,   // any other step: floats in and out
};

// Belongs to the network's step of the same number. For an integer step, element by element:
//
//   dense, conv   sum of products + bias[channel] =: s
//                 no residual: y = rescale(s, rescales[channel])
//                 residual:    y = drop_spare_bits(rescale(s, rescales[channel]) + rescale(residual, b))
//   average_pool  y = rescale(sum of the taps, rescales[divisor - 1])
//   reduce_mean   y = rescale(sum, rescales[0])
//   max_pool      y = the greatest
//   unary, rearrange   y = the element (where the map is negative the result is `fill`, as it stands)
//   binary        add, subtract: y = drop_spare_bits(rescale(a, a) +- rescale(b, b)); minimum, maximum: the lesser or
//                 greater of the two rescaled, spare bits dropped; multiply: y = rescale(a * b, a); divide by a
//                 constant: multiply, with the reciprocals as the constant
//
// The result is clamp_int8(y, low, high), looked up in the table where there is one.
struct QuantisedStep {
    QuantisedKind kind;
    std::uint64_t weights;   // dense, conv: first int8 in weights, in the places of the float weights
    std::uint64_t bias;      // dense, conv: first in biases, one an output channel; always there
    std::uint64_t rescales;  // integer: first in rescales
    std::uint64_t scales;    // result: first in scales, one an output channel
    std::uint64_t table;     // first of 256 in tables, entry y + 128; kNoWeights: none
    Rescale a, b;
    std::int32_t low, high;
    std::int32_t fill;
};

// A view: somebody else owns the arrays.
struct QuantisedView {
    const QuantisedTensor* tensors;  // as the network's
    const QuantisedStep* steps;      // as the network's
    const std::int8_t* weights;
    const std::int32_t* biases;
    const Rescale* rescales;
    const float* scales;  // of results: one for each output channel
    const std::int8_t* tables;
};

AUGUR_HD_INLINE std::int8_t quantised_result(const QuantisedView& view, const QuantisedStep& step, std::int32_t y) {
    const std::int8_t q = clamp_int8(y, step.low, step.high);
    return step.table == kNoWeights ? q : view.tables[step.table + static_cast<std::uint32_t>(q + 128)];
}

// y of a binary step's elements.
AUGUR_HD_INLINE std::int32_t quantised_combine(BinaryOp op, const QuantisedStep& step, std::int32_t a, std::int32_t b) {
    if (op == BinaryOp::multiply || op == BinaryOp::divide) return rescale(a * b, step.a);
    const std::int32_t x = rescale(a, step.a);
    const std::int32_t y = rescale(b, step.b);
    switch (op) {
        case BinaryOp::subtract:
            return drop_spare_bits(x - y);
        case BinaryOp::minimum:
            return drop_spare_bits(x < y ? x : y);
        case BinaryOp::maximum:
            return drop_spare_bits(x > y ? x : y);
        default:
            return drop_spare_bits(x + y);
    }
}

}  // namespace augur::core

#endif  // AUGUR_CORE_NETWORK_INT8_H
