// Softmax, the normalizations and the reductions: operators along axes.

#include <algorithm>
#include <cmath>

#include "model/operators.h"

namespace augur::model {
namespace {

core::NetworkAxis along(const Dims& row, std::size_t first, std::size_t last) {
    core::NetworkAxis axis{1, 1, 1};
    for (std::size_t i = 0; i < row.size(); ++i)
        (i < first ? axis.outer : i < last ? axis.n : axis.inner) *= row[i];
    return axis;
}

// Before opset 13 everything from the axis on is one line; since then the axis is.
void import_softmax_of(Node& node, core::NetworkOp op) {
    node.expect(1, 1);
    const Value value = node.input(0);
    node.expect_rows(value);
    const bool flattens = node.opset() < 13;
    const std::size_t axis = node.row_axis(value, node.integer("axis", flattens ? 1 : -1));
    const std::uint32_t tensor = node.tensor_of(value);
    core::NetworkStep& step = node.add(op, value.row).step;
    step.inputs[0] = tensor;
    step.axis = along(value.row, axis, flattens ? value.row.size() : axis + 1);
    node.output(0, node.result());
}

float epsilon_of(Node& node) {
    const float epsilon = node.real("epsilon", 1e-5f);
    if (!(epsilon > 0.0f)) node.invalid("its attribute 'epsilon' is not above 0");
    return epsilon;
}

// A known vector for the channels of a batched value, as a constant that broadcasts to it.
Value for_channels(Node& node, const Value& value, std::vector<float> numbers) {
    auto constant = std::make_shared<Constant>();
    constant->dims.assign(value.row.size(), 1);
    constant->dims[0] = value.row[0];
    constant->reals = std::move(numbers);
    return node.constant(std::move(constant));
}

// A known array broadcast to a row, as flat numbers.
Floats spread(Node& node, const Constant& from, const Dims& row) {
    const std::optional<Dims> both = broadcast(from.dims, row);
    if (!both || *both != row)
        node.invalid("a weight of shape " + shown_dims(from.dims) + " does not broadcast to " + shown_dims(row));
    const std::uint64_t count = product(row);
    node.graph().charge(count);
    const std::vector<std::uint32_t> strides = broadcast_strides(from.dims, row);
    auto out = std::make_shared<std::vector<float>>(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t rest = i, at = 0;
        for (std::size_t d = row.size(); d-- > 0; rest /= row[d])
            at += rest % row[d] * strides[d];
        (*out)[i] = from.reals[at];
    }
    return out;
}

// The mean over some axes of the row, kept as dimensions of size 1.
Value mean_over(Node& node, const Value& value, std::vector<bool> over) {
    Value from = value;
    // Axes that do not lie together are brought to the end.
    const auto is_over = [&](std::size_t i) { return over[i] && value.row[i] != 1; };
    std::vector<std::size_t> kept, gone;
    for (std::size_t i = 0; i < value.row.size(); ++i)
        (is_over(i) ? gone : kept).push_back(i);
    std::size_t first = gone.empty() ? 0 : gone.front();
    std::size_t last = gone.empty() ? 0 : gone.back() + 1;
    for (std::size_t i = first; i < last; ++i) {
        if (over[i] || value.row[i] == 1) continue;
        std::vector<std::size_t> order = kept;
        order.insert(order.end(), gone.begin(), gone.end());
        from = transposed(node, value, order);
        first = kept.size();
        last = value.row.size();
        break;
    }
    Dims row = value.row;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (over[i]) row[i] = 1;
    const std::uint32_t tensor = node.tensor_of(from);
    core::NetworkStep& step = node.add(core::NetworkOp::reduce_mean, row).step;
    step.inputs[0] = tensor;
    step.axis = along(from.row, first, last);
    return node.result();
}

void import_reduce(Node& node, std::int64_t axes_input_since, bool sums) {
    node.expect(1, node.opset() < axes_input_since ? 1 : 2);
    const bool keep = node.flag("keepdims", true);
    const bool nothing_if_empty = node.opset() >= axes_input_since && node.flag("noop_with_empty_axes", false);
    const std::optional<std::vector<std::int64_t>> axes = node.axes(axes_input_since);
    const Value value = node.input(0);
    node.expect_rows(value);
    if (!axes || axes->empty()) {
        if (!nothing_if_empty) node.mixes("it reduces over all dimensions");
        node.output(0, value);
        return;
    }
    std::vector<bool> over(value.row.size(), false);
    for (const std::int64_t axis : *axes)
        over[node.row_axis(value, axis)] = true;
    Value out = mean_over(node, value, over);
    if (sums) {
        const std::uint64_t count = product(value.row) / product(out.row);
        out = combine_values(node, core::BinaryOp::multiply, out, number(node, static_cast<float>(count)));
    }
    Dims row;
    for (std::size_t i = 0; i < value.row.size(); ++i)
        if (keep || !over[i]) row.push_back(out.row[i]);
    node.output(0, with_row(out, row, node));
}

// Each channel, or each group of channels, over all of its places: a layer normalization of lines that lie together.
Value normalized_lines(Node& node, const Value& value, std::uint32_t lines, float epsilon) {
    const std::uint32_t tensor = node.tensor_of(value);
    core::NetworkStep& step = node.add(core::NetworkOp::layer_norm, value.row).step;
    step.inputs[0] = tensor;
    step.axis = {lines, static_cast<std::uint32_t>(product(value.row) / lines), 1};
    step.epsilon = epsilon;
    return node.result();
}

// A weight for every channel, or for every group of them, as one number a channel.
std::vector<float> by_channel(Node& node, const Constant& weights, std::uint32_t channels, std::uint32_t groups) {
    const auto count = static_cast<std::uint32_t>(weights.count());
    if (weights.dims.size() != 1 || (count != channels && count != groups))
        node.invalid("it has " + std::to_string(channels) + " channels and a weight of shape " +
                     shown_dims(weights.dims));
    node.graph().charge(channels);
    std::vector<float> numbers;
    numbers.reserve(channels);
    for (std::uint32_t c = 0; c < channels; ++c)
        numbers.push_back(weights.reals[c / (channels / count)]);
    return numbers;
}

void scale_channels(Node& node, const Value& value, std::vector<float> scale, std::vector<float> bias) {
    const Value scaled =
        combine_values(node, core::BinaryOp::multiply, value, for_channels(node, value, std::move(scale)));
    node.output(0, combine_values(node, core::BinaryOp::add, scaled, for_channels(node, value, std::move(bias))));
}

}  // namespace

void import_softmax(Node& node) {
    import_softmax_of(node, core::NetworkOp::softmax);
}
void import_log_softmax(Node& node) {
    import_softmax_of(node, core::NetworkOp::log_softmax);
}

// (x - mean) / sqrt(variance + epsilon) scale + bias of each channel, as a product and a sum, which fold.cpp puts into
// the step before where that is linear.
void import_batch_normalization(Node& node) {
    node.expect(5, 5, 5);
    node.real("momentum", 0.9f);
    const float epsilon = epsilon_of(node);
    if (node.opset() >= 14 && node.flag("training_mode", false)) node.unsupported("it is in training mode");
    for (std::size_t i = 1; i < node.output_count(); ++i)
        if (node.has_output(i)) node.unsupported("it has outputs for training");
    const Value value = node.input(0);
    node.expect_rows(value);
    if (value.row.empty()) node.unsupported("its input has no channels");
    const Constant& scale = node.weights(1, "scale");
    const Constant& bias = node.weights(2, "bias");
    const Constant& mean = node.weights(3, "mean");
    const Constant& variance = node.weights(4, "variance");
    for (const Constant* each : {&scale, &bias, &mean, &variance})
        if (each->dims != Dims{value.row[0]})
            node.invalid("it has " + std::to_string(value.row[0]) + " channels and a parameter of shape " +
                         shown_dims(each->dims));
    node.graph().charge(2ull * value.row[0]);
    std::vector<float> factors, terms;
    for (std::uint32_t c = 0; c < value.row[0]; ++c) {
        if (variance.reals[c] < 0.0f) node.invalid("its variance is below 0 in channel " + std::to_string(c));
        const double factor = static_cast<double>(scale.reals[c]) /
                              std::sqrt(static_cast<double>(variance.reals[c]) + static_cast<double>(epsilon));
        factors.push_back(static_cast<float>(factor));
        terms.push_back(
            static_cast<float>(static_cast<double>(bias.reals[c]) - static_cast<double>(mean.reals[c]) * factor));
    }
    const Value product =
        combine_values(node, core::BinaryOp::multiply, value, for_channels(node, value, std::move(factors)));
    node.output(0, combine_values(node, core::BinaryOp::add, product, for_channels(node, value, std::move(terms))));
}

void import_layer_normalization(Node& node) {
    node.expect(2, 3, 3);
    const float epsilon = epsilon_of(node);
    if (node.integer("stash_type", 1) != 1) node.unsupported("its attribute 'stash_type' is not 1");
    const Value value = node.input(0);
    node.expect_rows(value);
    const std::size_t axis = node.row_axis(value, node.integer("axis", -1));
    const Dims normal(value.row.begin() + static_cast<std::ptrdiff_t>(axis), value.row.end());
    const Floats scale = spread(node, node.weights(1, "scale"), normal);
    const Floats bias = node.has_input(2) ? spread(node, node.weights(2, "bias"), normal) : nullptr;
    const std::uint32_t tensor = node.tensor_of(value);
    DraftStep& step = node.add(core::NetworkOp::layer_norm, value.row);
    step.step.inputs[0] = tensor;
    step.step.axis = along(value.row, axis, value.row.size());
    step.step.epsilon = epsilon;
    step.weights = scale;
    step.bias = bias;
    node.output(0, node.result());
    node.no_output(1, "its mean is used");
    node.no_output(2, "its deviation is used");
}

// x / sqrt(mean of x^2 + epsilon) scale
void import_rms_normalization(Node& node) {
    using core::BinaryOp;
    node.expect(2, 2);
    const float epsilon = epsilon_of(node);
    if (node.integer("stash_type", 1) != 1) node.unsupported("its attribute 'stash_type' is not 1");
    const Value value = node.input(0);
    node.expect_rows(value);
    const std::size_t axis = node.row_axis(value, node.integer("axis", -1));
    std::vector<bool> over(value.row.size(), false);
    std::fill(over.begin() + static_cast<std::ptrdiff_t>(axis), over.end(), true);
    const Value squares = combine_values(node, BinaryOp::multiply, value, value);
    const Value mean = mean_over(node, squares, over);
    const Value sum = combine_values(node, BinaryOp::add, mean, number(node, epsilon));
    const Value root = activate_value(node, core::Activation::square_root, sum);
    const Value normal = combine_values(node, BinaryOp::divide, value, root);
    const Value out = combine_values(node, BinaryOp::multiply, normal, node.input(1));
    if (out.row != value.row) node.invalid("its scale does not broadcast to its input");
    node.output(0, out);
}

void import_instance_normalization(Node& node) {
    node.expect(3, 3);
    const float epsilon = epsilon_of(node);
    const Value value = node.input(0);
    node.expect_rows(value);
    if (value.rank() < 3) node.invalid("its input " + shown_dims(value.row, true) + " has no height or width");
    const std::uint32_t channels = value.row[0];
    std::vector<float> scale = by_channel(node, node.weights(1, "scale"), channels, channels);
    std::vector<float> bias = by_channel(node, node.weights(2, "bias"), channels, channels);
    scale_channels(node, normalized_lines(node, value, channels, epsilon), std::move(scale), std::move(bias));
}

// Weights are one for each group before opset 21, one for each channel from then on.
void import_group_normalization(Node& node) {
    node.expect(3, 3);
    const float epsilon = epsilon_of(node);
    if (node.opset() >= 21 && node.integer("stash_type", 1) != 1)
        node.unsupported("its attribute 'stash_type' is not 1");
    const Value value = node.input(0);
    node.expect_rows(value);
    if (value.rank() < 2) node.invalid("its input has no channels");
    const std::uint32_t channels = value.row[0];
    const std::int64_t groups = node.integer("num_groups", 0);
    if (groups < 1 || groups > channels || channels % groups != 0)
        node.invalid("it has " + std::to_string(channels) + " channels in " + std::to_string(groups) + " groups");
    const auto lines = static_cast<std::uint32_t>(groups);
    const std::uint32_t weights = node.opset() < 21 ? lines : channels;
    for (std::size_t i = 1; i <= 2; ++i)
        if (node.weights(i, "weight").dims != Dims{weights})
            node.invalid("it has " + std::to_string(channels) + " channels in " + std::to_string(groups) +
                         " groups and a weight of shape " + shown_dims(node.weights(i, "weight").dims));
    std::vector<float> scale = by_channel(node, node.weights(1, "scale"), channels, lines);
    std::vector<float> bias = by_channel(node, node.weights(2, "bias"), channels, lines);
    scale_channels(node, normalized_lines(node, value, lines, epsilon), std::move(scale), std::move(bias));
}

void import_reduce_mean(Node& node) {
    import_reduce(node, 18, false);
}
void import_reduce_sum(Node& node) {
    import_reduce(node, 13, true);
}

}  // namespace augur::model
