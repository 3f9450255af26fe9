// Operators that work element by element.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/network_math.h"
#include "model/operators.h"

namespace augur::model {
namespace {

using core::Activation;
using core::BinaryOp;

// The row of a broadcast result. Rows stay rows only where the batch stays in front of every batched operand.
Dims row_of_both(Node& node, const Value& a, const Value& b) {
    const std::size_t rank = std::max(a.rank(), b.rank());
    Dims rows[2];
    for (const Value* value : {&a, &b}) {
        Dims& row = rows[value == &b ? 1 : 0];
        row = value->row;
        if (value->batched) {
            if (value->rank() != rank)
                node.mixes("shapes " + shown_dims(a.row, a.batched) + " and " + shown_dims(b.row, b.batched) +
                           " are broadcast so that the batch meets another dimension");
        } else if (row.size() == rank) {
            if (row[0] != 1)
                node.mixes("a constant of shape " + shown_dims(row) + " has a part for each row of the batch");
            row.erase(row.begin());
        }
    }
    const std::optional<Dims> row = broadcast(rows[0], rows[1]);
    if (!row)
        node.invalid("shapes " + shown_dims(a.row, a.batched) + " and " + shown_dims(b.row, b.batched) +
                     " do not broadcast");
    return *row;
}

// The row of a value as an operand beside batched ones: without the 1 that stands where they have the batch.
Dims operand_row(const Value& value, std::size_t out_rank) {
    Dims row = value.row;
    if (!value.batched && row.size() > out_rank) row.erase(row.begin());
    return row;
}

void import_binary(Node& node, BinaryOp op) {
    node.expect(2, 2);
    node.output(0, combine_values(node, op, node.input(0), node.input(1)));
}

void import_unary(Node& node, Activation activation, float alpha = 0.0f, float beta = 0.0f) {
    node.expect(1, 1);
    node.output(0, activate_value(node, activation, node.input(0), alpha, beta));
}

// a op b op c ...
Value combine_all(Node& node, BinaryOp op) {
    node.expect(1, kMostNodeValues);
    for (std::size_t i = 0; i < node.input_count(); ++i)
        node.expect_real(node.input(i));
    Value all = node.input(0);
    for (std::size_t i = 1; i < node.input_count(); ++i)
        all = combine_values(node, op, all, node.input(i));
    return all;
}

float positive(Node& node, float value, const char* name) {
    if (!(value > 0.0f)) node.unsupported(std::string("its attribute '") + name + "' is not above 0");
    return value;
}

}  // namespace

Value number(Node& node, float value) {
    auto constant = std::make_shared<Constant>();
    constant->reals = {value};
    return node.constant(std::move(constant));
}

Value combine_values(Node& node, BinaryOp op, const Value& a, const Value& b) {
    if (a.is_known() && b.is_known()) return fold_binary(node, op, *a.constant, *b.constant);
    const Dims row = row_of_both(node, a, b);
    const std::uint32_t left = node.tensor_of(a), right = node.tensor_of(b);
    const std::vector<std::uint32_t> stride_a = broadcast_strides(operand_row(a, row.size()), row);
    const std::vector<std::uint32_t> stride_b = broadcast_strides(operand_row(b, row.size()), row);
    core::NetworkStep& step = node.add(core::NetworkOp::binary, row).step;
    step.inputs[0] = left;
    step.inputs[1] = right;
    step.binary = op;
    std::copy(stride_a.begin(), stride_a.end(), step.stride_a);
    std::copy(stride_b.begin(), stride_b.end(), step.stride_b);
    return node.result();
}

Value activate_value(Node& node, Activation activation, const Value& x, float alpha, float beta) {
    if (x.is_known()) {
        const Constant& from = *x.constant;
        if (from.has_batch()) node.mixes("it computes with the size of the batch");
        auto to = std::make_shared<Constant>();
        to->dims = from.dims;
        to->kind = from.kind;
        node.graph().charge(from.count());
        if (from.kind == ElementKind::real) {
            for (const float value : from.reals)
                to->reals.push_back(core::activate(activation, alpha, beta, value));
        } else if (from.kind == ElementKind::integer &&
                   (activation == Activation::negate || activation == Activation::absolute)) {
            for (const std::int64_t value : from.integers) {
                if (value == std::numeric_limits<std::int64_t>::min()) node.invalid("a whole number overflows");
                to->integers.push_back(activation == Activation::negate || value < 0 ? -value : value);
            }
        } else {
            node.unsupported("it works on constants of whole numbers or truth values");
        }
        return node.constant(std::move(to));
    }
    const std::uint32_t tensor = node.tensor_of(x);
    core::NetworkStep& step = node.add(core::NetworkOp::unary, x.row).step;
    step.inputs[0] = tensor;
    step.activation = activation;
    step.alpha = alpha;
    step.beta = beta;
    return node.result();
}

void import_add(Node& node) {
    import_binary(node, BinaryOp::add);
}
void import_subtract(Node& node) {
    import_binary(node, BinaryOp::subtract);
}
void import_multiply(Node& node) {
    import_binary(node, BinaryOp::multiply);
}
void import_divide(Node& node) {
    import_binary(node, BinaryOp::divide);
}

void import_power(Node& node) {
    node.expect(2, 2);
    const Value base = node.input(0), exponent = node.input(1);
    // A float to a whole power is allowed from opset 12 on.
    Value power = exponent;
    if (exponent.is_known() && exponent.constant->kind == ElementKind::integer && !exponent.constant->has_batch() &&
        !(base.is_known() && base.constant->kind == ElementKind::integer)) {
        auto floats = std::make_shared<Constant>();
        floats->dims = exponent.row;
        node.graph().charge(exponent.constant->count());
        for (const std::int64_t value : exponent.constant->integers)
            floats->reals.push_back(static_cast<float>(value));
        power = node.constant(std::move(floats));
    }
    // What layer normalization is made of before opset 17; a multiplication is much cheaper.
    const bool square = base.batched && power.is_known() && power.constant->kind == ElementKind::real &&
                        power.constant->count() == 1 && power.row.size() <= base.row.size() &&
                        power.constant->reals[0] == 2.0f;
    node.output(0, square ? combine_values(node, BinaryOp::multiply, base, base)
                          : combine_values(node, BinaryOp::power, base, power));
}

void import_minimum(Node& node) {
    node.output(0, combine_all(node, BinaryOp::minimum));
}
void import_maximum(Node& node) {
    node.output(0, combine_all(node, BinaryOp::maximum));
}
void import_sum(Node& node) {
    node.output(0, combine_all(node, BinaryOp::add));
}
void import_mean(Node& node) {
    const Value sum = combine_all(node, BinaryOp::add);
    const auto count = static_cast<float>(node.input_count());
    node.output(0, combine_values(node, BinaryOp::divide, sum, number(node, count)));
}

void import_relu(Node& node) {
    import_unary(node, Activation::relu);
}
void import_leaky_relu(Node& node) {
    import_unary(node, Activation::leaky_relu, node.real("alpha", 0.01f));
}

// x < 0 ? slope x : x = max(x, 0) + slope min(x, 0)
void import_prelu(Node& node) {
    node.expect(2, 2);
    const Value x = node.input(0), slope = node.input(1);
    if (slope.is_known() && slope.constant->count() == 1 && slope.constant->kind == ElementKind::real &&
        slope.row.size() <= x.rank()) {
        node.output(0, activate_value(node, Activation::leaky_relu, x, node.weights(1, "slope").reals[0]));
        return;
    }
    const Value above = activate_value(node, Activation::relu, x);
    const Value below = combine_values(node, BinaryOp::minimum, x, number(node, 0.0f));
    const Value sloped = combine_values(node, BinaryOp::multiply, below, slope);
    if (sloped.row != x.row) node.invalid("its slope " + shown_dims(slope.row) + " does not broadcast to its input");
    node.output(0, combine_values(node, BinaryOp::add, above, sloped));
}

void import_elu(Node& node) {
    import_unary(node, Activation::elu, node.real("alpha", 1.0f));
}

// gamma (x > 0 ? x : alpha e^x - alpha)
void import_selu(Node& node) {
    node.expect(1, 1);
    const float alpha = node.real("alpha", 1.67326319217681884765625f);
    const float gamma = node.real("gamma", 1.05070102214813232421875f);
    const Value elu = activate_value(node, Activation::elu, node.input(0), alpha);
    node.output(0, combine_values(node, BinaryOp::multiply, elu, number(node, gamma)));
}

// max(0, x) + min(0, alpha (e^(x / alpha) - 1)) = alpha elu(x / alpha)
void import_celu(Node& node) {
    node.expect(1, 1);
    const float alpha = positive(node, node.real("alpha", 1.0f), "alpha");
    const Value scaled = combine_values(node, BinaryOp::divide, node.input(0), number(node, alpha));
    const Value elu = activate_value(node, Activation::elu, scaled, 1.0f);
    node.output(0, combine_values(node, BinaryOp::multiply, elu, number(node, alpha)));
}

void import_sigmoid(Node& node) {
    import_unary(node, Activation::sigmoid);
}
void import_tanh(Node& node) {
    import_unary(node, Activation::tanh);
}

void import_gelu(Node& node) {
    const std::string_view approximate = node.text("approximate", "none");
    if (approximate != "none" && approximate != "tanh")
        node.unsupported("its attribute 'approximate' is " + shown(approximate));
    import_unary(node, approximate == "tanh" ? Activation::gelu_tanh : Activation::gelu);
}

void import_erf(Node& node) {
    import_unary(node, Activation::erf);
}
void import_exp(Node& node) {
    import_unary(node, Activation::exp);
}
void import_sqrt(Node& node) {
    import_unary(node, Activation::square_root);
}
void import_abs(Node& node) {
    import_unary(node, Activation::absolute);
}
void import_neg(Node& node) {
    import_unary(node, Activation::negate);
}
void import_reciprocal(Node& node) {
    node.expect(1, 1);
    node.output(0, combine_values(node, BinaryOp::divide, number(node, 1.0f), node.input(0)));
}
void import_softplus(Node& node) {
    import_unary(node, Activation::softplus);
}

// x / (1 + |x|)
void import_softsign(Node& node) {
    node.expect(1, 1);
    const Value x = node.input(0);
    const Value size = activate_value(node, Activation::absolute, x);
    const Value divisor = combine_values(node, BinaryOp::add, size, number(node, 1.0f));
    node.output(0, combine_values(node, BinaryOp::divide, x, divisor));
}

// x tanh(softplus(x))
void import_mish(Node& node) {
    node.expect(1, 1);
    const Value x = node.input(0);
    const Value soft = activate_value(node, Activation::softplus, x);
    const Value gate = activate_value(node, Activation::tanh, soft);
    node.output(0, combine_values(node, BinaryOp::multiply, x, gate));
}

// x sigmoid(alpha x)
void import_swish(Node& node) {
    node.expect(1, 1);
    const Value x = node.input(0);
    const float alpha = node.real("alpha", 1.0f);
    const Value scaled = alpha == 1.0f ? x : combine_values(node, BinaryOp::multiply, x, number(node, alpha));
    const Value gate = activate_value(node, Activation::sigmoid, scaled);
    node.output(0, combine_values(node, BinaryOp::multiply, x, gate));
}

void import_hard_sigmoid(Node& node) {
    const float alpha = node.real("alpha", 0.2f), beta = node.real("beta", 0.5f);
    import_unary(node, Activation::hard_sigmoid, alpha, beta);
}
void import_hard_swish(Node& node) {
    import_unary(node, Activation::hard_swish);
}

// Bounds are attributes before opset 11, optional inputs from then on. min(max, max(x, min)).
void import_clip(Node& node) {
    constexpr float kMost = std::numeric_limits<float>::max();
    float low = -kMost, high = kMost;
    if (node.opset() < 11) {
        node.expect(1, 1);
        low = node.real("min", low);
        high = node.real("max", high);
    } else {
        node.expect(1, 3);
        if (node.has_input(1)) low = node.known_number(1, "least value");
        if (node.has_input(2)) high = node.known_number(2, "greatest value");
    }
    node.expect_real(node.input(0));
    // Written so that a NaN is refused too.
    if (!(low <= kMost && high >= -kMost)) node.invalid("its bounds leave no number that is finite");
    low = std::max(low, -kMost);
    high = std::min(high, kMost);
    node.output(0, activate_value(node, Activation::clip, node.input(0), low, high));
}

}  // namespace augur::model
