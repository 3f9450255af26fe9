// Gemm and MatMul.

#include <algorithm>

#include "model/operators.h"

namespace augur::model {
namespace {

// A known matrix [rows][columns] with both exchanged; made once for all nodes that share it.
Value exchanged(Node& node, const Value& matrix) {
    return transposed(node, matrix, {1, 0});
}

Floats floats_of(const Value& value) {
    return Floats(value.constant, &value.constant->reals);
}

// out[m][n] of rows [m][k] with known weights [k][n].
Value dense(Node& node, const Value& rows, const Value& weights, const Dims& out) {
    const std::uint32_t tensor = node.tensor_of(rows);
    DraftStep& draft = node.add(core::NetworkOp::dense, out);
    core::NetworkStep& step = draft.step;
    step.inputs[0] = tensor;
    step.k = weights.row[weights.row.size() - 2];
    step.n = weights.row.back();
    step.m = static_cast<std::uint32_t>(product(rows.row) / step.k);
    step.groups = 1;
    draft.weights = floats_of(weights);
    return node.result();
}

Value known_product(Node& node, const Value& a, const Value& b) {
    if (a.row.size() != 2 || b.row.size() != 2) node.unsupported("it multiplies constants that are no matrices");
    const std::size_t m = a.row[0], k = a.row[1], n = b.row[1];
    if (b.row[0] != k) node.invalid("it multiplies " + shown_dims(a.row) + " by " + shown_dims(b.row));
    const std::vector<float>& x = a.constant->reals;
    const std::vector<float>& y = b.constant->reals;
    node.graph().charge(static_cast<std::uint64_t>(m) * n);
    if (m * n > 0) node.graph().charge(static_cast<std::uint64_t>(m) * n * k);
    auto out = std::make_shared<Constant>();
    out->dims = {a.row[0], b.row[1]};
    out->reals.reserve(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (std::size_t l = 0; l < k; ++l)
                sum += static_cast<double>(x[i * k + l]) * static_cast<double>(y[l * n + j]);
            out->reals.push_back(static_cast<float>(sum));
        }
    return node.constant(std::move(out));
}

// The row of a MatMul's operand with the batch taken off; for constants the 1 that stands in its place.
Dims operand_row(Node& node, const Value& value, std::size_t rank) {
    Dims row = value.row;
    if (value.batched) {
        if (value.rank() != rank) node.mixes("its operands are broadcast so that the batch meets another dimension");
    } else if (row.size() == rank && rank > 2) {
        if (row[0] != 1) node.mixes("a constant of shape " + shown_dims(row) + " has a part for each row of the batch");
        row.erase(row.begin());
    }
    return row;
}

// [groups...][m][k] by [groups...][k][n], at least one of them computed and both of three dimensions or more, or
// constant.
Value grouped(Node& node, Value a, Value b) {
    const std::size_t rank = std::max(a.rank(), b.rank());
    a.row = operand_row(node, a, rank);
    b.row = operand_row(node, b, rank);
    const std::uint32_t m = a.row[a.row.size() - 2], k = a.row.back(), n = b.row.back();
    const Dims groups_a(a.row.begin(), a.row.end() - 2), groups_b(b.row.begin(), b.row.end() - 2);
    const std::optional<Dims> groups = broadcast(groups_a, groups_b);
    if (!groups || b.row[b.row.size() - 2] != k)
        node.invalid("it multiplies " + shown_dims(a.row) + " by " + shown_dims(b.row) + " in a row");
    const std::uint64_t count = product(*groups);
    Dims row = *groups;
    row.push_back(m);
    row.push_back(n);
    // A step knows an operand that all groups share, and one with a matrix for each. What lies between is repeated.
    const auto spread = [&](const Value& value, const Dims& own, std::uint32_t rows, std::uint32_t columns) {
        if (product(own) == 1 || product(own) == count) return value;
        Dims full = *groups;
        full.push_back(rows);
        full.push_back(columns);
        return expanded(node, value, full);
    };
    a = spread(a, groups_a, m, k);
    b = spread(b, groups_b, k, n);
    const std::uint32_t left = node.tensor_of(a), right = node.tensor_of(b);
    core::NetworkStep& step = node.add(core::NetworkOp::matmul, row).step;
    step.inputs[0] = left;
    step.inputs[1] = right;
    step.groups = static_cast<std::uint32_t>(count);
    step.m = m;
    step.k = k;
    step.n = n;
    step.group_a = product(groups_a) == 1 && count != 1 ? 0 : 1;
    step.group_b = product(groups_b) == 1 && count != 1 ? 0 : 1;
    return node.result();
}

}  // namespace

void import_matmul(Node& node) {
    node.expect(2, 2);
    Value a = node.input(0), b = node.input(1);
    node.expect_real(a);
    node.expect_real(b);
    if (a.rank() == 0 || b.rank() == 0) node.invalid("it multiplies a single number");
    if (a.is_known() && b.is_known()) {
        node.weights(0, "first operand");
        node.weights(1, "second operand");
        node.output(0, known_product(node, a, b));
        return;
    }
    // Vectors become matrices of one row or one column, which are taken off again.
    const bool vector_a = a.rank() == 1, vector_b = b.rank() == 1;
    if ((vector_a && a.batched) || (vector_b && b.batched))
        node.mixes("it multiplies a vector that runs over the batch");
    if (b.batched && b.rank() == 2) node.mixes("it sums over the batch");
    if (vector_a) a = with_row(a, {1, a.row[0]}, node);
    if (vector_b) b = with_row(b, {b.row[0], 1}, node);
    const std::uint64_t outer_b = b.is_known() ? product(b.row) / (std::max<std::uint64_t>(b.row.back(), 1) *
                                                                   std::max<std::uint64_t>(b.row[b.row.size() - 2], 1))
                                               : 0;
    Value out;
    if (a.batched && b.is_known() && outer_b == 1 && b.row.size() <= a.rank()) {
        node.weights(1, "second operand");
        if (a.row.empty() || a.row.back() != b.row[b.row.size() - 2])
            node.invalid("it multiplies " + shown_dims(a.row, true) + " by " + shown_dims(b.row));
        Dims row = a.row;
        row.back() = b.row.back();
        out = dense(node, a, b, row);
    } else {
        if (a.batched && a.rank() == 2) node.mixes("the rows of its first operand are the batch");
        out = grouped(node, a, b);
    }
    Dims row = out.row;
    if (vector_a) row.erase(row.end() - 2);
    if (vector_b) row.pop_back();
    node.output(0, with_row(out, row, node));
}

// alpha A' B' + beta C, A' and B' transposed where asked for.
void import_gemm(Node& node) {
    node.expect(node.opset() < 11 ? 3 : 2, 3);
    const float alpha = node.real("alpha", 1.0f), beta = node.real("beta", 1.0f);
    const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
    Value a = node.input(0), b = node.input(1);
    node.expect_real(a);
    node.expect_real(b);
    if (a.rank() != 2 || b.rank() != 2) node.invalid("its operands are no matrices");
    if (b.batched) node.mixes("its second operand has a part for each row of the batch");
    if (a.batched && transpose_a) node.mixes("it transposes the batch");
    node.weights(1, "second operand");
    if (!a.batched && transpose_a) a = exchanged(node, a);
    if (transpose_b) b = exchanged(node, b);
    if (alpha != 1.0f) b = combine_values(node, core::BinaryOp::multiply, b, number(node, alpha));
    Value out;
    if (a.is_known()) {
        node.weights(0, "first operand");
        out = known_product(node, a, b);
    } else if (a.constant != nullptr) {
        node.unsupported("it works on constants alone, which is not computed here");
    } else {
        if (a.row[0] != b.row[0]) node.invalid("it multiplies " + shown_dims(a.row, true) + " by " + shown_dims(b.row));
        out = dense(node, a, b, {b.row[1]});
    }
    if (node.has_input(2) && beta != 0.0f) {
        Value c = node.input(2);
        if (c.is_known()) node.weights(2, "third operand");
        if (beta != 1.0f) c = combine_values(node, core::BinaryOp::multiply, c, number(node, beta));
        const Dims row = out.row;
        out = combine_values(node, core::BinaryOp::add, out, c);
        if (out.row != row)
            node.invalid("its third operand " + shown_dims(c.row) + " does not broadcast to its result");
    }
    node.output(0, out);
}

}  // namespace augur::model
