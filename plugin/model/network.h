// A network that owns its arrays: what load_onnx makes, and what a backend copies from.
#ifndef AUGUR_MODEL_NETWORK_H
#define AUGUR_MODEL_NETWORK_H

#include <cstdint>
#include <string>
#include <vector>

#include "core/network.h"

namespace augur::model {

// One input or output. Rows of it are dense: count floats each, in the order of dims.
struct Port {
    std::string name;  // as in the file
    std::uint32_t tensor = core::kNoTensor;
    std::uint64_t count = 0;          // elements of one row
    std::vector<std::uint32_t> dims;  // of one row, without the batch; empty: one number a row
};

// What every network promises, besides what core/network.h says:
//   - steps are in an order in which every tensor is written before it is read;
//   - an output is a tensor of its own, written by a step: never an input, never constant, never listed twice. It keeps
//     its values to the end of the last step; everything else is overwritten by later tensors when nobody reads it any
//     more;
//   - the inputs lie in a row's scratch too, apart from each other; they may be overwritten after their last use;
//   - offsets are multiples of kScratchAlignment elements, blocks of weights begin at multiples of kWeightAlignment;
//   - the dims of an output's tensor may be written differently from Port::dims (a Reshape costs nothing); the elements
//     and their order are the same;
//   - every weight is finite; every count, index and map entry was checked against what it indexes.
struct Network {
    std::vector<core::NetworkTensor> tensors;
    std::vector<core::NetworkStep> steps;
    std::vector<std::string>
        step_names;  // per step: the ONNX node it came from (the last one, where several became one)
    std::vector<float> weights;
    std::vector<std::int32_t> maps;
    std::uint64_t scratch_count = 0;  // elements of a row's scratch

    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::uint32_t heads[core::kNetworkHeads] = {core::kNoHead, core::kNoHead, core::kNoHead};

    std::uint64_t parameter_count = 0;   // weights that steps read: of the file's, after folding
    std::uint64_t multiply_adds = 0;     // of one row, in dense, matmul and conv steps
    std::uint32_t opset = 0;             // of the file, domain ai.onnx
    std::uint32_t ir_version = 0;        // likewise
    bool batch_is_fixed_to_one = false;  // the file says 1; rows are evaluated one after the other all the same
    std::string producer;                // "pytorch 2.4.0", or empty

    // Valid until the network is changed, moved or destroyed.
    core::NetworkView view() const;
};

inline constexpr std::uint64_t kScratchAlignment = 8;  // elements
inline constexpr std::uint64_t kWeightAlignment = 16;  // elements

}  // namespace augur::model

#endif  // AUGUR_MODEL_NETWORK_H
