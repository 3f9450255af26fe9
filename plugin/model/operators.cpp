#include "model/operators.h"

#include <algorithm>
#include <iterator>

namespace augur::model {
namespace {

constexpr std::int64_t kOldest = kOldestOpset;
constexpr std::int64_t kNewest = kNewestOpset;

// In the order of their names. The first opset is the oldest that is read, or the one that brought the operator; up to
// the last one the operator's text was compared with what its importer does.
constexpr Operator kOperators[] = {
    {"Abs", kOldest, kNewest, import_abs},
    {"Add", kOldest, kNewest, import_add},
    {"And", kOldest, kNewest, import_and},
    {"AveragePool", kOldest, kNewest, import_average_pool},
    {"BatchNormalization", kOldest, kNewest, import_batch_normalization},
    {"Cast", kOldest, kNewest, import_cast},
    {"CastLike", 15, kNewest, import_cast_like},
    {"Celu", 12, kNewest, import_celu},
    {"Clip", kOldest, kNewest, import_clip},
    {"Concat", kOldest, kNewest, import_concat},
    {"Constant", kOldest, kNewest, import_constant},
    {"ConstantOfShape", kOldest, kNewest, import_constant_of_shape},
    {"Conv", kOldest, kNewest, import_conv},
    {"Div", kOldest, kNewest, import_divide},
    {"Dropout", kOldest, kNewest, import_dropout},
    {"Elu", kOldest, kNewest, import_elu},
    {"Equal", kOldest, kNewest, import_equal},
    {"Erf", kOldest, kNewest, import_erf},
    {"Exp", kOldest, kNewest, import_exp},
    {"Expand", kOldest, kNewest, import_expand},
    {"Flatten", kOldest, kNewest, import_flatten},
    {"Gather", kOldest, kNewest, import_gather},
    {"Gelu", 20, kNewest, import_gelu},
    {"Gemm", kOldest, kNewest, import_gemm},
    {"GlobalAveragePool", kOldest, kNewest, import_global_average_pool},
    {"GlobalMaxPool", kOldest, kNewest, import_global_max_pool},
    {"Greater", kOldest, kNewest, import_greater},
    {"GroupNormalization", 18, kNewest, import_group_normalization},
    {"HardSigmoid", kOldest, kNewest, import_hard_sigmoid},
    {"HardSwish", 14, kNewest, import_hard_swish},
    {"Identity", kOldest, kNewest, import_identity},
    {"InstanceNormalization", kOldest, kNewest, import_instance_normalization},
    {"LayerNormalization", 17, kNewest, import_layer_normalization},
    {"LeakyRelu", kOldest, kNewest, import_leaky_relu},
    {"Less", kOldest, kNewest, import_less},
    {"LogSoftmax", kOldest, kNewest, import_log_softmax},
    {"MatMul", kOldest, kNewest, import_matmul},
    {"Max", kOldest, kNewest, import_maximum},
    {"MaxPool", kOldest, kNewest, import_max_pool},
    {"Mean", kOldest, kNewest, import_mean},
    {"Min", kOldest, kNewest, import_minimum},
    {"Mish", 18, kNewest, import_mish},
    {"Mul", kOldest, kNewest, import_multiply},
    {"Neg", kOldest, kNewest, import_neg},
    {"Not", kOldest, kNewest, import_not},
    {"Or", kOldest, kNewest, import_or},
    {"PRelu", kOldest, kNewest, import_prelu},
    {"Pad", kOldest, kNewest, import_pad},
    {"Pow", kOldest, kNewest, import_power},
    {"RMSNormalization", 23, kNewest, import_rms_normalization},
    {"Range", 11, kNewest, import_range},
    {"Reciprocal", kOldest, kNewest, import_reciprocal},
    {"ReduceMean", kOldest, kNewest, import_reduce_mean},
    {"ReduceSum", kOldest, kNewest, import_reduce_sum},
    {"Relu", kOldest, kNewest, import_relu},
    {"Reshape", kOldest, kNewest, import_reshape},
    {"Selu", kOldest, kNewest, import_selu},
    {"Shape", kOldest, kNewest, import_shape},
    {"Sigmoid", kOldest, kNewest, import_sigmoid},
    {"Slice", kOldest, kNewest, import_slice},
    {"Softmax", kOldest, kNewest, import_softmax},
    {"Softplus", kOldest, kNewest, import_softplus},
    {"Softsign", kOldest, kNewest, import_softsign},
    {"Split", kOldest, kNewest, import_split},
    {"Sqrt", kOldest, kNewest, import_sqrt},
    {"Squeeze", kOldest, kNewest, import_squeeze},
    {"Sub", kOldest, kNewest, import_subtract},
    {"Sum", kOldest, kNewest, import_sum},
    {"Swish", 24, kNewest, import_swish},
    {"Tanh", kOldest, kNewest, import_tanh},
    {"Tile", kOldest, kNewest, import_tile},
    {"Transpose", kOldest, kNewest, import_transpose},
    {"Unsqueeze", kOldest, kNewest, import_unsqueeze},
    {"Where", kOldest, kNewest, import_where},
};

}  // namespace

const Operator* find_operator(std::string_view name) {
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [name](const Operator& each) { return name == each.name; });
    return found != std::end(kOperators) ? found : nullptr;
}

}  // namespace augur::model
