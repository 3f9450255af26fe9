// What a network becomes on the GPU: which kernels run in which order, and where everything they read lies.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_PLAN_H
#define AUGUR_BACKEND_CUDA_NETWORK_PLAN_H

#include <vector>

#include "backend/cuda/network_operand.h"

namespace augur::cuda {

inline constexpr std::uint64_t kNothing = ~0ull;

// A tensor of the program, or one that a conversion adds.
struct PlannedTensor {
    enum class Home : std::uint32_t {
        none,      // nobody stores it
        constant,  // in the block
        input,     // where the caller has it
        output,    // where the caller wants it
        scratch,
    } home = Home::none;
    std::uint32_t port = 0;  // input, output: its number
    Form form = Form::single;
    Reading reading = Reading::plain;
    std::uint32_t count = 0;
    std::uint32_t row_elements = 0;
    std::uint32_t plane = 0, stored_channels = 0;  // channels last; else 0
    float scale = 0.0f, inverse_scale = 0.0f;
    std::uint64_t floats = kNothing, integers = kNothing;  // constant: offsets in the block
    std::uint32_t first_use = ~0u, last_use = 0;           // works; scratch
};

// One dense layer of a chain. What it gives goes on in registers, is stored, or both.
struct PlannedLayer {
    std::uint32_t step;
    bool goes_on;                    // the next layer reads it; else the next layer reads what this one read
    std::uint32_t stored;            // tensor, or kNoTensor
    bool from_input;                 // it reads the chain's input
    std::uint32_t repeats;           // 2: weights in two halves, the greater parts and the rests
    std::uint64_t weights;           // offsets in the block
    std::uint64_t bias;              // padded to whole kLayerColumns; floats, int8: integers
    std::uint64_t rescales, scales;  // int8: the one or the other, padded too
};

// One kernel.
struct PlannedWork {
    enum class Kind : std::uint32_t {
        convert,  // a tensor into the form and order that matrix units read
        fold,     // a conv's input of few channels, likewise: what a kernel row meets side by side
        chain,    // small dense layers one after the other, numbers in registers
        matrix,   // dense or conv on matrix units
        plain,    // dense or conv in floats
        direct,   // dense or conv, one thread an output
        element,  // any other step
        give,     // a tensor to where the caller wants an output
    } kind;
    std::uint32_t step = 0;
    std::uint32_t a = core::kNoTensor, b = core::kNoTensor, residual = core::kNoTensor, output = core::kNoTensor;
    bool folded = false;                                                // matrix: reads what a fold has made
    std::uint32_t repeats = 1;                                          // matrix: as of a layer
    std::uint64_t weights = kNothing, bias = kNothing, map = kNothing;  // offsets in the block
    std::uint64_t rescales = kNothing, scales = kNothing;               // matrix, int8: the one or the other, padded
    std::uint32_t input_channels = 0;                                   // matrix: stored, of the input
    std::vector<PlannedLayer> layers;                                   // chain
};

struct NetworkPlan {
    std::vector<PlannedTensor> tensors;
    std::vector<PlannedWork> works;
    std::vector<unsigned char> block;  // what goes to the device; empty once it is there
    // int8 networks, offsets in the block.
    std::uint64_t biases = kNothing, rescales = kNothing, scales = kNothing, tables = kNothing;
};

// Never fails but for want of memory (std::bad_alloc).
NetworkPlan make_plan(const core::NetworkProgram& program);

// Most outputs of a chain's layer, and most numbers it takes in.
inline constexpr std::uint32_t kChainWidth = 256;
inline constexpr std::uint32_t kChainLayers = 8;

// Offsets of all scratch tensors for so many rows, and what they take together.
struct ScratchLayout {
    std::vector<std::uint64_t> offsets;  // [tensors]
    std::uint64_t bytes;
};
ScratchLayout lay_out(const NetworkPlan& plan, std::uint32_t row_capacity);

inline std::uint32_t form_bytes(Form form) {
    return form == Form::single ? 4 : form == Form::half ? 2 : 1;
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_PLAN_H
