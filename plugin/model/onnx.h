// An ONNX file becomes a network: decoded, checked, constants folded, activations fused, memory shared.
//
// What is read: ai.onnx opsets 9 .. kNewestOpset, the operators of operators.cpp, float weights (float, double, float16
// and bfloat16, kept as float; a double beyond float's range is refused) and int64 shapes. A network is a function of
// one row: the first dimension of every input is the batch. It may be symbolic, unnamed, or 1, in which case rows are
// evaluated one after the other all the same; another number is refused. So is every node that would mix rows (a
// softmax over axis 0, a Reshape that folds the batch, a Transpose that moves it), by its name.
//
// Limits of what is read, besides those of ImportLimits: rows of at most core::kNetworkRank dimensions; weights of
// Conv, Gemm and the normalizations must be constant; everything is computed in float, so a cast to float16 and back
// does not round; numbers that are not finite are refused, but for the bounds of a Clip (mask with a large number); a
// network that carries the batch anywhere but in front for a while, as PyTorch's MultiheadAttention does, is refused;
// no subgraphs, local functions, sparse tensors, sequences, nor operators of other domains.
//
// Heads. Which output is policy, value and reward is decided so:
//   1. a name given in ImportOptions::head_outputs (AUGUR_ERROR_NOT_FOUND if there is no such output);
//   2. else an output called "policy", "value", "reward", in any mixture of upper and lower case;
//   3. else the first output not yet taken that has the word in its name, as "policy_logits" has;
//   4. only where the steps above found no head at all: the first output is the policy, the second the value, the third
//      the reward.
// A head that none of this finds is missing (core::kNoHead). No output serves as two heads.
#ifndef AUGUR_MODEL_ONNX_H
#define AUGUR_MODEL_ONNX_H

#include <augur/base.h>

#include <cstdint>
#include <string>

#include "model/network.h"

namespace augur::model {

inline constexpr std::uint32_t kOldestOpset = 9;
inline constexpr std::uint32_t kNewestOpset = 28;
inline constexpr std::uint32_t kNewestIrVersion = 14;

// What a file may ask for. Everything is checked before memory is taken; passing one is AUGUR_ERROR_LIMIT.
struct ImportLimits {
    std::uint64_t size_bytes = 1ull << 30;        // file and external data together [1 GiB]
    std::uint64_t nodes = 1u << 16;               // [65,536]
    std::uint64_t tensors = 1u << 18;             // named values: initializers, inputs, results of nodes [262,144]
    std::uint64_t tensor_elements = 1ull << 28;   // of one tensor [268 M]; at most 2^31 - 1
    std::uint64_t scratch_elements = 1ull << 26;  // of one row's scratch [67 M]
    // Elements that importing may make besides those stored in the file: constants computed, weights transposed, index
    // tables. One more than made_elements + 2 x size of the file in bytes is refused. [16 M]
    std::uint64_t made_elements = 1ull << 24;
    std::uint64_t multiply_adds = 1ull << 38;  // of one row, the taps of pools among them [275 G]
};

struct ImportOptions {
    ImportLimits limits;
    std::string head_outputs[core::kNetworkHeads];  // names, indexed by core::NetworkHead; "": found by the rule above
};

struct OnnxSource {
    const void* bytes = nullptr;  // the file's; read only during the call
    std::uint64_t size_bytes = 0;
    std::string folder;  // where external data may lie; "": none is allowed
};

// Fills *out (what was in it is gone) and returns AUGUR_OK; or leaves it as it was and says in message what is wrong,
// naming node and operator where one is to blame:
//   AUGUR_ERROR_INVALID_MODEL         damaged or contradictory, with the offset where one is known;
//   AUGUR_ERROR_UNSUPPORTED_OPERATOR  well formed, but outside of what is read: node, operator, domain, opset;
//   AUGUR_ERROR_LIMIT                 larger than options.limits;
//   AUGUR_ERROR_NOT_FOUND             no output by the name in options.head_outputs, or external data is missing;
//   AUGUR_ERROR_IO                    external data cannot be read;
//   AUGUR_ERROR_OUT_OF_MEMORY, AUGUR_ERROR_INTERNAL.
// Never throws. Cost: linear in the size of the file; memory: a small multiple of it. [any thread]
augur_result load_onnx(const OnnxSource& source, const ImportOptions& options, Network* out, std::string& message);

// The same for a file, which is read once, whole, before anything else is done with it. External data is allowed inside
// the file's folder. AUGUR_ERROR_NOT_FOUND: there is no such file; AUGUR_ERROR_IO: it is a folder, a device or a pipe,
// is empty, or may not be read; AUGUR_ERROR_LIMIT: larger than options.limits.size_bytes.
augur_result load_onnx_file(const std::string& path, const ImportOptions& options, Network* out, std::string& message);

}  // namespace augur::model

#endif  // AUGUR_MODEL_ONNX_H
