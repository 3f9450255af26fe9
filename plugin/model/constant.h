// A tensor whose values are known while the network is imported: a weight, a shape, or what was computed from them.
#ifndef AUGUR_MODEL_CONSTANT_H
#define AUGUR_MODEL_CONSTANT_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/external_data.h"
#include "model/onnx_proto.h"

namespace augur::model {

// Every kind of float is kept as float, every kind of integer as int64.
enum class ElementKind { real, integer, boolean };

struct Constant {
    ElementKind kind = ElementKind::real;
    std::vector<std::uint32_t> dims;
    std::vector<float> reals;            // kind real
    std::vector<std::int64_t> integers;  // integer; boolean as 0 and 1
    // Integers only; empty, or one entry an element: 1 where the element is the size of the batch, whatever that is.
    // Its value is then 0 and means nothing.
    std::vector<std::uint8_t> is_batch;
    std::string name;  // of the initializer or the node it came from

    std::size_t count() const { return kind == ElementKind::real ? reals.size() : integers.size(); }
    bool has_batch() const { return !is_batch.empty(); }
};

using ConstantPointer = std::shared_ptr<const Constant>;

// Product of dims; refuses one that is above limit (at most 2^31 - 1) as AUGUR_ERROR_LIMIT, naming what.
std::uint64_t checked_count(const std::vector<std::uint32_t>& dims, std::uint64_t limit, const std::string& what);

// Turns a tensor of the file into numbers. Everything that the tensor says of itself is checked before memory is taken.
// Refuses dims that are negative or disagree with the payload, element types without a meaning here, NaN, and doubles
// beyond the range of float. file_bytes: of the whole file.
ConstantPointer decode_constant(const TensorProto& tensor, ExternalData& external, std::uint64_t file_bytes,
                                std::uint64_t most_elements);

ElementKind kind_of(DataType type, const std::string& what);

}  // namespace augur::model

#endif  // AUGUR_MODEL_CONSTANT_H
