// Conv and the pools: operators with a window that moves over height and width. Those over one dimension are done as
// those over two, with a height of 1.

#include <algorithm>
#include <cmath>

#include "model/operators.h"

namespace augur::model {
namespace {

constexpr std::int64_t kMostExtent = 1 << 24;  // of kernels, strides, dilations and pads

AutoPad auto_pad_of(Node& node) {
    const std::string_view text = node.text("auto_pad", "NOTSET");
    if (text == "NOTSET") return AutoPad::explicit_pads;
    if (text == "SAME_UPPER") return AutoPad::same_upper;
    if (text == "SAME_LOWER") return AutoPad::same_lower;
    if (text == "VALID") return AutoPad::valid;
    node.invalid("its attribute 'auto_pad' is " + shown(text));
}

// count numbers in [least, kMostExtent], or so many times otherwise.
std::vector<std::int64_t> extents(Node& node, const char* name, std::size_t count, std::int64_t least,
                                  std::int64_t otherwise) {
    std::vector<std::int64_t> values = node.integers(name).value_or(std::vector<std::int64_t>(count, otherwise));
    if (values.size() != count)
        node.invalid(std::string("its attribute '") + name + "' has " + std::to_string(values.size()) +
                     " numbers, not " + std::to_string(count));
    for (const std::int64_t value : values)
        if (value < least || value > kMostExtent)
            node.invalid(std::string("its attribute '") + name + "' has the number " + std::to_string(value) +
                         ", allowed are " + std::to_string(least) + " .. " + std::to_string(kMostExtent));
    return values;
}

// Both lines of a window, of a value [batch][channels][width] or [batch][channels][height][width].
struct Window {
    std::uint32_t channels = 0;
    WindowLine lines[2];  // height, width
};

const Value& image_of(Node& node) {
    const Value& value = node.input(0);
    node.expect_rows(value);
    if (value.rank() < 3) node.invalid("its input " + shown_dims(value.row, true) + " has no height or width");
    if (value.rank() > 4) node.unsupported("its window has more than two dimensions");
    return value;
}

Window place(Node& node, const Value& image, const std::vector<std::int64_t>& kernel, bool dilates, bool ceil_mode) {
    const std::size_t count = image.row.size() - 1;
    const AutoPad pad = auto_pad_of(node);
    const std::vector<std::int64_t> strides = extents(node, "strides", count, 1, 1);
    const std::vector<std::int64_t> dilations =
        dilates ? extents(node, "dilations", count, 1, 1) : std::vector<std::int64_t>(count, 1);
    const std::vector<std::int64_t> pads = extents(node, "pads", 2 * count, 0, 0);
    if (pad != AutoPad::explicit_pads && std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p != 0; }))
        node.invalid("it has both 'pads' and 'auto_pad'");
    Window window;
    window.channels = image.row[0];
    window.lines[0].in = window.lines[0].out = 1;
    for (std::size_t i = 0; i < count; ++i) {
        WindowLine& line = window.lines[2 - count + i];
        line.in = image.row[1 + i];
        line.kernel = kernel[i];
        line.stride = strides[i];
        line.dilation = dilations[i];
        line.pad_begin = pads[i];
        line.pad_end = pads[count + i];
        if (!place_window(line, pad, ceil_mode) || line.out > 0x7fffffff)
            node.invalid("its window of " + std::to_string(line.kernel) + " does not fit into its input " +
                         shown_dims(image.row, true));
        if (line.pad_begin > 0x7fffffff || line.pad_end > 0x7fffffff) node.invalid("its padding is too large");
    }
    return window;
}

core::NetworkWindow network_window(const Window& window, std::uint32_t out_channels, std::uint32_t groups,
                                   bool count_pad) {
    const WindowLine& h = window.lines[0];
    const WindowLine& w = window.lines[1];
    core::NetworkWindow out{};
    out.channels = window.channels;
    out.height = static_cast<std::uint32_t>(h.in);
    out.width = static_cast<std::uint32_t>(w.in);
    out.out_channels = out_channels;
    out.out_height = static_cast<std::uint32_t>(h.out);
    out.out_width = static_cast<std::uint32_t>(w.out);
    out.kernel_h = static_cast<std::uint32_t>(h.kernel);
    out.kernel_w = static_cast<std::uint32_t>(w.kernel);
    out.stride_h = static_cast<std::uint32_t>(h.stride);
    out.stride_w = static_cast<std::uint32_t>(w.stride);
    out.dilation_h = static_cast<std::uint32_t>(h.dilation);
    out.dilation_w = static_cast<std::uint32_t>(w.dilation);
    out.pad_top = static_cast<std::int32_t>(h.pad_begin);
    out.pad_left = static_cast<std::int32_t>(w.pad_begin);
    out.pad_bottom = static_cast<std::int32_t>(h.pad_end);
    out.pad_right = static_cast<std::int32_t>(w.pad_end);
    out.groups = groups;
    out.count_pad = count_pad ? 1 : 0;
    return out;
}

// The row of the result, with as many dimensions as the input.
Dims out_row(const Value& image, const Window& window, std::uint32_t channels) {
    Dims row = {channels};
    if (image.row.size() == 3) row.push_back(static_cast<std::uint32_t>(window.lines[0].out));
    row.push_back(static_cast<std::uint32_t>(window.lines[1].out));
    return row;
}

Value pool(Node& node, core::NetworkOp op, const Value& image, const Window& window, bool count_pad) {
    const std::uint32_t tensor = node.tensor_of(image);
    core::NetworkStep& step = node.add(op, out_row(image, window, window.channels)).step;
    step.inputs[0] = tensor;
    step.window = network_window(window, window.channels, window.channels, count_pad);
    return node.result();
}

Value import_pool(Node& node, core::NetworkOp op, bool dilates, bool count_pad) {
    const Value image = image_of(node);
    if (!node.has_attribute("kernel_shape")) node.invalid("it has no attribute 'kernel_shape'");
    const std::vector<std::int64_t> kernel = extents(node, "kernel_shape", image.row.size() - 1, 1, 1);
    const bool ceil_mode = node.opset() >= 10 && node.flag("ceil_mode", false);
    const Window window = place(node, image, kernel, dilates, ceil_mode);
    for (const WindowLine& line : window.lines) {
        if (line.dilation > line.in) node.graph().charge(static_cast<std::uint64_t>(line.pad_begin));
        if (!covers_input(line)) node.unsupported("a window of it lies wholly in the padding");
    }
    return pool(node, op, image, window, count_pad);
}

}  // namespace

void import_conv(Node& node) {
    node.expect(2, 3);
    const Value image = image_of(node);
    const Constant& weights = node.weights(1, "kernel");
    if (weights.dims.size() != image.rank())
        node.invalid("its kernel " + shown_dims(weights.dims) + " does not go with its input " +
                     shown_dims(image.row, true));
    const std::int64_t group = node.integer("group", 1);
    const std::uint32_t channels = image.row[0], out_channels = weights.dims[0];
    if (group < 1 || group > channels || channels % group != 0 || out_channels == 0 || out_channels % group != 0 ||
        weights.dims[1] != channels / group)
        node.invalid("its kernel " + shown_dims(weights.dims) + " does not go with " + std::to_string(channels) +
                     " channels in " + std::to_string(group) + " groups");
    const std::vector<std::int64_t> kernel(weights.dims.begin() + 2, weights.dims.end());
    const std::vector<std::int64_t> said = node.integers("kernel_shape").value_or(kernel);
    if (said != kernel || std::find(kernel.begin(), kernel.end(), 0) != kernel.end())
        node.invalid("its attribute 'kernel_shape' is not the shape of its kernel " + shown_dims(weights.dims));
    const Window window = place(node, image, kernel, true, false);
    const Constant* bias = node.has_input(2) ? &node.weights(2, "bias") : nullptr;
    if (bias != nullptr && bias->dims != Dims{out_channels})
        node.invalid("its bias " + shown_dims(bias->dims) + " is not one number for each of " +
                     std::to_string(out_channels) + " channels");
    const std::uint32_t tensor = node.tensor_of(image);
    DraftStep& step = node.add(core::NetworkOp::conv, out_row(image, window, out_channels));
    step.step.inputs[0] = tensor;
    step.step.window = network_window(window, out_channels, static_cast<std::uint32_t>(group), false);
    step.weights = Floats(node.input(1).constant, &weights.reals);
    if (bias != nullptr) step.bias = Floats(node.input(2).constant, &bias->reals);
    node.output(0, node.result());
}

void import_max_pool(Node& node) {
    node.expect(1, 1, 2);
    // The order of the second output's indices.
    const std::int64_t order = node.integer("storage_order", 0);
    if (order != 0 && order != 1) node.invalid("its attribute 'storage_order' is neither 0 nor 1");
    node.output(0, import_pool(node, core::NetworkOp::max_pool, node.opset() >= 10, false));
    node.no_output(1, "its indices are used");
}

void import_average_pool(Node& node) {
    node.expect(1, 1);
    const bool count_pad = node.flag("count_include_pad", false);
    node.output(0, import_pool(node, core::NetworkOp::average_pool, node.opset() >= 19, count_pad));
}

void import_global_average_pool(Node& node) {
    node.expect(1, 1);
    const Value image = node.input(0);
    node.expect_rows(image);
    if (image.rank() < 3) node.invalid("its input " + shown_dims(image.row, true) + " has no height or width");
    const std::uint32_t tensor = node.tensor_of(image);
    Dims row(image.row.size(), 1);
    row[0] = image.row[0];
    core::NetworkStep& step = node.add(core::NetworkOp::reduce_mean, row).step;
    step.inputs[0] = tensor;
    step.axis = {image.row[0], static_cast<std::uint32_t>(product(image.row) / image.row[0]), 1};
    node.output(0, node.result());
}

void import_global_max_pool(Node& node) {
    node.expect(1, 1);
    const Value image = image_of(node);
    Window window;
    window.channels = image.row[0];
    const std::size_t count = image.row.size() - 1;
    for (std::size_t i = 0; i < 2; ++i) {
        WindowLine& line = window.lines[i];
        line.in = i + count >= 2 ? image.row[1 + i + count - 2] : 1;
        line.kernel = line.in;
        line.out = 1;
    }
    node.output(0, pool(node, core::NetworkOp::max_pool, image, window, false));
}

}  // namespace augur::model
