// The operators that are read: one table, and the functions it names, a file for each family.
#ifndef AUGUR_MODEL_OPERATORS_H
#define AUGUR_MODEL_OPERATORS_H

#include <string_view>

#include "model/graph.h"

namespace augur::model {

// Importers: read a node's attributes and inputs, add steps, name the outputs. Each refuses what it does not know.

// operators_elementwise.cpp
void import_add(Node& node);
void import_subtract(Node& node);
void import_multiply(Node& node);
void import_divide(Node& node);
void import_power(Node& node);
void import_minimum(Node& node);
void import_maximum(Node& node);
void import_sum(Node& node);
void import_mean(Node& node);
void import_relu(Node& node);
void import_leaky_relu(Node& node);
void import_prelu(Node& node);
void import_elu(Node& node);
void import_selu(Node& node);
void import_celu(Node& node);
void import_sigmoid(Node& node);
void import_tanh(Node& node);
void import_gelu(Node& node);
void import_erf(Node& node);
void import_exp(Node& node);
void import_sqrt(Node& node);
void import_abs(Node& node);
void import_neg(Node& node);
void import_reciprocal(Node& node);
void import_softplus(Node& node);
void import_softsign(Node& node);
void import_mish(Node& node);
void import_swish(Node& node);
void import_hard_sigmoid(Node& node);
void import_hard_swish(Node& node);
void import_clip(Node& node);

// operators_linear.cpp
void import_gemm(Node& node);
void import_matmul(Node& node);

// operators_window.cpp
void import_conv(Node& node);
void import_max_pool(Node& node);
void import_average_pool(Node& node);
void import_global_average_pool(Node& node);
void import_global_max_pool(Node& node);

// operators_normal.cpp
void import_softmax(Node& node);
void import_log_softmax(Node& node);
void import_batch_normalization(Node& node);
void import_layer_normalization(Node& node);
void import_rms_normalization(Node& node);
void import_instance_normalization(Node& node);
void import_group_normalization(Node& node);
void import_reduce_mean(Node& node);
void import_reduce_sum(Node& node);

// operators_shape.cpp
void import_reshape(Node& node);
void import_flatten(Node& node);
void import_squeeze(Node& node);
void import_unsqueeze(Node& node);
void import_identity(Node& node);
void import_dropout(Node& node);
void import_cast(Node& node);
void import_cast_like(Node& node);

// operators_move.cpp
void import_transpose(Node& node);
void import_concat(Node& node);
void import_slice(Node& node);
void import_split(Node& node);
void import_gather(Node& node);
void import_pad(Node& node);
void import_expand(Node& node);
void import_tile(Node& node);

// operators_constant.cpp
void import_constant(Node& node);
void import_shape(Node& node);
void import_constant_of_shape(Node& node);
void import_range(Node& node);
void import_equal(Node& node);
void import_less(Node& node);
void import_greater(Node& node);
void import_and(Node& node);
void import_or(Node& node);
void import_not(Node& node);
void import_where(Node& node);

struct Operator {
    const char* name;
    std::int64_t first_opset, last_opset;
    void (*import)(Node& node);
};

// Null where there is no operator by that name.
const Operator* find_operator(std::string_view name);

// Helpers that several families share.

// a op b, broadcast; constants are computed at once. operators_elementwise.cpp
Value combine_values(Node& node, core::BinaryOp op, const Value& a, const Value& b);
Value activate_value(Node& node, core::Activation activation, const Value& x, float alpha = 0.0f, float beta = 0.0f);
Value number(Node& node, float value);

// The value with the batch in front kept, and another row of as many elements. operators_shape.cpp
Value with_row(const Value& value, Dims row, Node& node);

// The value repeated to a larger row that it broadcasts to. operators_move.cpp
Value expanded(Node& node, const Value& value, const Dims& row);
// The value with its row's dimensions permuted.
Value transposed(Node& node, const Value& value, const std::vector<std::size_t>& row_order);

// Computes what a pure function of known integers, truth values or floats gives. operators_constant.cpp
Value fold_binary(Node& node, core::BinaryOp op, const Constant& a, const Constant& b);

}  // namespace augur::model

#endif  // AUGUR_MODEL_OPERATORS_H
