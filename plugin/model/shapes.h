// Arithmetic with shapes. Nothing here knows of nodes or files; a shape that cannot be is an empty optional.
#ifndef AUGUR_MODEL_SHAPES_H
#define AUGUR_MODEL_SHAPES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace augur::model {

using Dims = std::vector<std::uint32_t>;

// "[3, 4]"; with a batch "[batch, 3, 4]".
std::string shown_dims(const Dims& dims, bool batched = false);

std::uint64_t product(const Dims& dims);                  // saturates at 2^63
std::vector<std::uint32_t> strides_of(const Dims& dims);  // row-major

// The shape of both broadcast to each other, from the last dimension on.
std::optional<Dims> broadcast(const Dims& a, const Dims& b);

// Strides to walk an array of shape `from` along the dimensions of `to`, which it broadcasts to: 0 where it repeats.
std::vector<std::uint32_t> broadcast_strides(const Dims& from, const Dims& to);

// How one spatial dimension of a Conv or a pool goes.
struct WindowLine {
    std::int64_t in = 0, kernel = 1, stride = 1, dilation = 1;
    std::int64_t pad_begin = 0, pad_end = 0;
    std::int64_t out = 0;
};

enum class AutoPad { explicit_pads, same_upper, same_lower, valid };

// Fills in out, and the pads where they are automatic. False where the window does not fit.
// Formulas: ONNX AveragePool-22. Windows that would begin in the padding at the end are left out.
bool place_window(WindowLine& line, AutoPad pad, bool ceil_mode);

// Whether every window of a pool covers at least one element that is no padding. Cost: where the dilation is larger
// than the input, pad_begin / stride.
bool covers_input(const WindowLine& line);

// Start, end and step of a Slice along a dimension of size dim, by ONNX Slice-13: the first element and how many.
struct SliceLine {
    std::int64_t first = 0, step = 1, count = 0;
};
SliceLine place_slice(std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step);

}  // namespace augur::model

#endif  // AUGUR_MODEL_SHAPES_H
