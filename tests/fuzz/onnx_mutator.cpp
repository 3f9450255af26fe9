// How the fuzzer changes a model: three times out of four as a model, by one field of one message, so that what lies
// behind the decoder is reached; else as bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/wire_tree.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using augur::fuzz::WireField;
using Fields = std::vector<WireField>;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t bound) {
    return static_cast<std::size_t>(random()) % bound;
}

constexpr std::uint64_t kNumbers[] = {
    0,       1,       2,          3,          4,           5,           6,          7,
    9,       10,      11,         13,         17,          18,          28,         64,
    1 << 16, 1 << 24, 0x7fffffff, 0x80000000, 0xffffffff,  1ull << 32,  1ull << 62, 1ull << 63,
    ~0ull,   ~1ull,   ~2ull,      ~3ull,      ~0ull << 31, ~0ull << 62, ~0ull >> 1, ~0ull - 0x7ffffffe};
constexpr float kReals[] = {0.0f, 1.0f, -1.0f, 2.0f, 0.5f, 1e-5f, -1e-5f, 1e30f, 3.4e38f, -3.4e38f};
constexpr std::string_view kTexts[] = {"Abs",
                                       "Add",
                                       "And",
                                       "AveragePool",
                                       "BatchNormalization",
                                       "Cast",
                                       "CastLike",
                                       "Celu",
                                       "Clip",
                                       "Concat",
                                       "Constant",
                                       "ConstantOfShape",
                                       "Conv",
                                       "Div",
                                       "Dropout",
                                       "Elu",
                                       "Equal",
                                       "Erf",
                                       "Exp",
                                       "Expand",
                                       "Flatten",
                                       "Gather",
                                       "Gelu",
                                       "Gemm",
                                       "GlobalAveragePool",
                                       "GlobalMaxPool",
                                       "Greater",
                                       "GroupNormalization",
                                       "HardSigmoid",
                                       "HardSwish",
                                       "Identity",
                                       "InstanceNormalization",
                                       "LayerNormalization",
                                       "LeakyRelu",
                                       "Less",
                                       "LogSoftmax",
                                       "MatMul",
                                       "Max",
                                       "MaxPool",
                                       "Mean",
                                       "Min",
                                       "Mish",
                                       "Mul",
                                       "Neg",
                                       "Not",
                                       "Or",
                                       "PRelu",
                                       "Pad",
                                       "Pow",
                                       "RMSNormalization",
                                       "Range",
                                       "Reciprocal",
                                       "ReduceMean",
                                       "ReduceSum",
                                       "Relu",
                                       "Reshape",
                                       "Selu",
                                       "Shape",
                                       "Sigmoid",
                                       "Slice",
                                       "Softmax",
                                       "Softplus",
                                       "Softsign",
                                       "Split",
                                       "Sqrt",
                                       "Squeeze",
                                       "Sub",
                                       "Sum",
                                       "Swish",
                                       "Tanh",
                                       "Tile",
                                       "Transpose",
                                       "Unsqueeze",
                                       "Where",
                                       "axis",
                                       "axes",
                                       "keepdims",
                                       "allowzero",
                                       "perm",
                                       "pads",
                                       "strides",
                                       "dilations",
                                       "group",
                                       "kernel_shape",
                                       "auto_pad",
                                       "SAME_UPPER",
                                       "SAME_LOWER",
                                       "VALID",
                                       "ceil_mode",
                                       "count_include_pad",
                                       "epsilon",
                                       "alpha",
                                       "beta",
                                       "transA",
                                       "transB",
                                       "mode",
                                       "reflect",
                                       "edge",
                                       "wrap",
                                       "value",
                                       "value_ints",
                                       "value_float",
                                       "to",
                                       "start",
                                       "end",
                                       "num_groups",
                                       "num_outputs",
                                       "x",
                                       "y",
                                       "w",
                                       "b",
                                       "c",
                                       "N",
                                       ""};

void change_bytes(Random& random, const std::vector<Fields*>& lists, std::string& bytes) {
    switch (below(random, 4)) {
        case 0:
            bytes = kTexts[below(random, std::size(kTexts))];
            break;
        case 1: {  // somebody else's name or numbers
            const Fields& from = *lists[below(random, lists.size())];
            if (from.empty()) break;
            const WireField& other = from[below(random, from.size())];
            if (other.type == 2 && other.fields.empty()) bytes = other.bytes;
            break;
        }
        case 2: {  // one number among its floats or integers
            const std::size_t width = bytes.size() % 8 == 0 && below(random, 2) == 0 ? 8 : 4;
            if (bytes.size() < width) break;
            const std::size_t at = below(random, bytes.size() / width) * width;
            if (width == 8)
                std::memcpy(bytes.data() + at, &kNumbers[below(random, std::size(kNumbers))], width);
            else
                std::memcpy(bytes.data() + at, &kReals[below(random, std::size(kReals))], width);
            break;
        }
        default: {
            std::string room = bytes;
            room.resize(bytes.size() + 16);
            room.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(room.data()), bytes.size(), room.size()));
            bytes = room;
            break;
        }
    }
}

void change_field(Random& random, const std::vector<Fields*>& lists, WireField& field) {
    if (field.type == 0) {
        const std::uint64_t step = below(random, 3);
        field.value = step == 0   ? field.value + 1
                      : step == 1 ? field.value - 1
                                  : kNumbers[below(random, std::size(kNumbers))];
    } else if (field.type == 5) {
        field.bytes.assign(reinterpret_cast<const char*>(&kReals[below(random, std::size(kReals))]), sizeof(float));
    } else if (field.type == 2 && field.fields.empty()) {
        change_bytes(random, lists, field.bytes);
    }
}

void change(Random& random, Fields& model) {
    std::vector<Fields*> lists;
    lists_of(model, lists);
    Fields& list = *lists[below(random, lists.size())];
    if (list.empty()) return;
    const std::size_t at = below(random, list.size());
    const auto place = [&list](std::size_t index) { return list.begin() + static_cast<std::ptrdiff_t>(index); };
    switch (below(random, 8)) {
        case 0:
            list.erase(place(at));
            break;
        case 1: {
            const WireField copy = list[at];
            list.insert(place(below(random, list.size() + 1)), copy);
            break;
        }
        case 2:
            std::swap(list[at], list[below(random, list.size())]);
            break;
        default:
            change_field(random, lists, list[at]);
            break;
    }
}

std::size_t written(const Fields& model, std::uint8_t* data, std::size_t most) {
    std::string bytes;
    write_wire(model, bytes);
    const std::size_t size = std::min(bytes.size(), most);
    if (size > 0) std::memcpy(data, bytes.data(), size);
    return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Random random(seed);
    Fields model;
    if (below(random, 4) == 0 || !augur::fuzz::read_wire({reinterpret_cast<const char*>(data), size}, 0, model))
        return LLVMFuzzerMutate(data, size, most);
    for (std::size_t i = 1 + below(random, 3); i > 0; --i)
        change(random, model);
    return written(model, data, most);
}

// A message of another model joins one of this, in a field of the same number: a node, a weight, an attribute.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
    Random random(seed);
    Fields model, other;
    if (!augur::fuzz::read_wire({reinterpret_cast<const char*>(a), a_size}, 0, model) ||
        !augur::fuzz::read_wire({reinterpret_cast<const char*>(b), b_size}, 0, other))
        return 0;
    std::vector<Fields*> to, from;
    lists_of(model, to);
    lists_of(other, from);
    for (int attempt = 0; attempt < 8; ++attempt) {
        Fields& into = *to[below(random, to.size())];
        const Fields& source = *from[below(random, from.size())];
        if (into.empty() || source.empty()) continue;
        const WireField& field = source[below(random, source.size())];
        const auto same = std::find_if(into.begin(), into.end(),
                                       [&field](const WireField& each) { return each.number == field.number; });
        if (same == into.end() || same->type != field.type) continue;
        if (below(random, 2) == 0)
            *same = field;
        else
            into.insert(same, field);
        return written(model, out, most);
    }
    return 0;
}
