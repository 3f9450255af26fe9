// The plan of the fused search kernel against the reference: what the GPU's matrix instructions would make of the
// packed weights is worked out here, word by word, from the layout that the plan describes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/fused_plan.h"
#include "core/half.h"
#include "core/network_int8.h"
#include "core/network_math.h"
#include "model/onnx.h"
#include "model/prepare.h"
#include "model/reference.h"
#include "support/dense_onnx.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using cuda::FusedLayer;
using cuda::FusedOutput;
using cuda::FusedPlan;

model::Prepared prepared(std::uint32_t features, const std::vector<std::uint32_t>& hidden,
                         const std::vector<DenseHead>& heads, model::PrecisionChoice precision) {
    SplitMix64 random(77);
    const std::string bytes =
        write_dense_onnx(features, hidden, heads, [&](std::uint32_t, std::uint32_t, std::uint32_t) {
            return static_cast<float>(random.below(2001) - 1000) * 0.0002f;
        });
    model::Network network;
    std::string message;
    EXPECT_GE(model::load_onnx({bytes.data(), bytes.size(), ""}, {}, &network, message), 0) << message;
    model::PrepareOptions options;
    options.precision = precision;
    options.error_limit = 0.5f;
    model::Prepared out;
    EXPECT_GE(model::prepare(std::move(network), options, &out, message), 0) << message;
    return out;
}

// One row through the plan, as a block runs it, for a block of one row.
class Row {
  public:
    explicit Row(const FusedPlan& plan) : plan_(plan), memory_(plan.network.row_bytes, 0) {}

    void run(const float* features) {
        const cuda::FusedNetwork& net = plan_.network;
        for (std::uint32_t i = 0; i < net.features; ++i) {
            if (net.is_int8 != 0)
                memory_[net.feature_offset + i] =
                    static_cast<unsigned char>(core::quantise(features[i], net.inverse_scale));
            else
                put(net.feature_offset + 2 * i, core::half_of_float(features[i]));
        }
        for (std::uint32_t l = 0; l < net.layer_count; ++l)
            net.is_int8 != 0 ? run_int8(net.layers[l]) : run_half(net.layers[l]);
    }

    float at(std::uint32_t offset, std::uint32_t index) const { return get<float>(offset + 4 * index); }

    // What the usual network's heads make of the second layer: upper halves, lower halves, and the value's activation.
    std::vector<float> joined_heads() const {
        const cuda::UsualHeads& heads = plan_.network.usual;
        const bool is_int8 = plan_.network.is_int8 != 0;
        std::vector<float> sums[2];
        std::vector<std::int32_t> whole(heads.blocks() * 8);
        for (std::vector<float>& part : sums)
            part.assign(whole.size(), 0.0f);
        for (std::uint32_t n = 0; n < whole.size(); ++n)
            is_int8 ? static_cast<void>(whole[n] = constant<std::int32_t>(heads.bias + n))
                    : static_cast<void>(sums[0][n] = constant<float>(heads.bias + n));
        std::size_t word = std::size_t{4} * heads.weights;
        for (std::uint32_t block = 0; block < heads.blocks(); ++block)
            for (std::uint32_t tile = 0; tile < cuda::kUsualWidth / (is_int8 ? 32 : 16); ++tile)
                for (std::uint32_t lane = 0; lane < 32; ++lane)
                    for (std::uint32_t part = 0; part < 4; ++part, ++word) {
                        const std::size_t byte =
                            plan_.network.layers[1].output_offset + tile * 32 + part / 2 * 16 + lane % 4 * 4;
                        const std::uint32_t column = block * 8 + lane / 4, packed = plan_.weights[word];
                        if (is_int8 && part % 2 != 0) {
                            EXPECT_EQ(packed, 0u) << "there are no lower halves";
                        }
                        for (std::uint32_t i = 0; i < 4 && is_int8; ++i)
                            whole[column] += get<std::int8_t>(byte + i) * static_cast<std::int8_t>(packed >> 8 * i);
                        for (std::uint32_t i = 0; i < 2 && !is_int8; ++i)
                            sums[part % 2][column] += core::float_of_half(get<std::uint16_t>(byte + 2 * i)) *
                                                      core::float_of_half(static_cast<std::uint16_t>(packed >> 16 * i));
                    }
        std::vector<float> out(heads.columns);
        for (std::uint32_t n = 0; n < heads.columns; ++n) {
            out[n] = is_int8 ? core::dequantise(whole[n], constant<float>(heads.scales + n)) : sums[0][n] + sums[1][n];
            if (n >= heads.value_column)
                out[n] = core::activate(heads.value_activation, heads.value_alpha, heads.value_beta, out[n]);
        }
        return out;
    }

  private:
    template <class T>
    T get(std::size_t byte) const {
        T value;
        std::memcpy(&value, memory_.data() + byte, sizeof value);
        return value;
    }
    template <class T>
    void put(std::size_t byte, T value) {
        std::memcpy(memory_.data() + byte, &value, sizeof value);
    }
    template <class T>
    T constant(std::size_t word) const {
        T value;
        std::memcpy(&value, plan_.constants.data() + word, sizeof value);
        return value;
    }

    // f(column, first byte of the row's inputs, packed weights) for every word of 4 bytes, pass by pass.
    template <class F>
    void each_word(const FusedLayer& layer, const F& f) const {
        std::size_t word = std::size_t{4} * layer.weights;
        for (std::uint32_t pair = 0; pair < layer.pairs(); ++pair)
            for (std::uint32_t tile = 0; tile < layer.tiles; ++tile)
                for (std::uint32_t pass = 0; pass < layer.passes; ++pass)
                    for (std::uint32_t lane = 0; lane < 32; ++lane)
                        for (std::uint32_t part = 0; part < 4; ++part, ++word)
                            f(pair * 16 + part / 2 * 8 + lane / 4,
                              layer.input_offset + tile * 32 + part % 2 * 16 + lane % 4 * 4, plan_.weights[word]);
    }

    void run_half(const FusedLayer& layer) {
        std::vector<float> sums(layer.pairs() * 16);
        for (std::uint32_t n = 0; n < sums.size(); ++n)
            sums[n] = constant<float>(layer.bias + n);
        each_word(layer, [&](std::uint32_t column, std::uint32_t byte, std::uint32_t packed) {
            for (std::uint32_t i = 0; i < 2; ++i)
                sums[column] += core::float_of_half(get<std::uint16_t>(byte + 2 * i)) *
                                core::float_of_half(static_cast<std::uint16_t>(packed >> 16 * i));
        });
        for (std::uint32_t n = 0; n < sums.size(); ++n) {
            const float y = core::activate(layer.activation, layer.alpha, layer.beta, sums[n]);
            if (layer.output != FusedOutput::single)
                put(layer.output_offset + 2 * n, core::half_of_float(y));
            else if (n < layer.columns)
                put(layer.output_offset + 4 * n, y);
        }
    }

    void run_int8(const FusedLayer& layer) {
        std::vector<std::int32_t> sums(layer.pairs() * 16);
        for (std::uint32_t n = 0; n < sums.size(); ++n)
            sums[n] = constant<std::int32_t>(layer.bias + n);
        each_word(layer, [&](std::uint32_t column, std::uint32_t byte, std::uint32_t packed) {
            for (std::uint32_t i = 0; i < 4; ++i)
                sums[column] += get<std::int8_t>(byte + i) * static_cast<std::int8_t>(packed >> 8 * i);
        });
        for (std::uint32_t n = 0; n < sums.size(); ++n) {
            if (layer.output == FusedOutput::from_int8) {
                if (n >= layer.columns) continue;
                const float x = core::dequantise(sums[n], constant<float>(layer.factors + n));
                put(layer.output_offset + 4 * n, core::activate(layer.activation, layer.alpha, layer.beta, x));
                continue;
            }
            const core::Rescale factor = constant<core::Rescale>(layer.factors + 2 * n);
            if (layer.output == FusedOutput::int8) {
                EXPECT_GE(factor.shift, cuda::kSmallFactorShift);
            }
            std::int8_t q = core::clamp_int8(core::rescale(sums[n], factor), layer.low, layer.high);
            if (layer.table != cuda::kNoTable)
                q = reinterpret_cast<const std::int8_t*>(plan_.constants.data() + layer.table)[q + 128];
            put(layer.output_offset + n, q);
        }
    }

    const FusedPlan& plan_;
    std::vector<unsigned char> memory_;
};

struct Shape {
    const char* name;
    std::uint32_t features;
    std::vector<std::uint32_t> hidden;
    std::vector<DenseHead> heads;
};

const Shape kShapes[] = {
    {"connect_four", 42, {128, 128}, {{"policy", 7, ""}, {"value", 1, "Tanh"}}},
    {"skirmish", 93, {128, 128}, {{"policy", 13, ""}, {"value", 1, "Tanh"}}},
    {"odd", 5, {33, 48, 7}, {{"policy", 19, ""}, {"value", 3, ""}}},
    {"value_alone", 64, {16}, {{"value", 1, "Sigmoid"}}},
};

void expect_as_reference(const Shape& shape, model::PrecisionChoice precision, core::Precision wanted,
                         float tolerance) {
    const model::Prepared made = prepared(shape.features, shape.hidden, shape.heads, precision);
    ASSERT_EQ(made.precision, wanted);
    const core::NetworkProgram program = made.program();
    const std::optional<FusedPlan> plan = cuda::make_fused_plan(program);
    ASSERT_TRUE(plan.has_value());
    ASSERT_EQ(plan->network.layers[plan->network.layer_count - 1].last_of_phase, 1u);
    SplitMix64 random(3);
    Row row(*plan);
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<float> features(shape.features);
        for (float& x : features)
            x = static_cast<float>(random.below(2001) - 1000) * 0.001f;
        std::vector<std::vector<float>> outputs;
        std::vector<float*> pointers;
        for (const DenseHead& head : shape.heads)
            outputs.emplace_back(head.size);
        for (std::vector<float>& output : outputs)
            pointers.push_back(output.data());
        const float* input = features.data();
        model::run_reference(program, &input, pointers.data(), 1);
        row.run(features.data());
        const auto compare = [&](core::NetworkHead head, std::uint32_t offset, std::uint32_t stride) {
            const std::uint32_t output = program.network.heads[static_cast<std::uint32_t>(head)];
            ASSERT_EQ(stride != 0, output != core::kNoHead);
            if (stride == 0) return;
            for (std::uint32_t i = 0; i < outputs[output].size(); ++i)
                EXPECT_NEAR(row.at(offset, i), outputs[output][i], tolerance) << shape.name << " output " << i;
        };
        compare(core::NetworkHead::policy, plan->network.logits_offset, plan->network.logits_stride);
        compare(core::NetworkHead::value, plan->network.value_offset, plan->network.value_stride);
    }
}

TEST(FusedPlan, HoldsTheWeightsOfHalfNetworks) {
    for (const Shape& shape : kShapes)
        expect_as_reference(shape, model::PrecisionChoice::fp16, core::Precision::fp16, 2e-4f);
}

TEST(FusedPlan, JoinsTheHeadsOfTheUsualNetwork) {
    const auto expect_joined = [](const Shape& shape, std::uint32_t value_column, model::PrecisionChoice precision) {
        const float tolerance = precision == model::PrecisionChoice::int8 ? 0.0f : 2e-5f;
        const model::Prepared made = prepared(shape.features, shape.hidden, shape.heads, precision);
        const std::optional<FusedPlan> plan = cuda::make_fused_plan(made.program());
        ASSERT_TRUE(plan.has_value());
        const cuda::FusedNetwork& net = plan->network;
        ASSERT_EQ(net.usual.value_column, value_column) << shape.name;
        SplitMix64 random(5);
        Row row(*plan);
        std::vector<float> features(shape.features);
        for (float& x : features)
            x = static_cast<float>(random.below(2001) - 1000) * 0.001f;
        row.run(features.data());
        const std::vector<float> joined = row.joined_heads();
        for (std::uint32_t n = 0; n < value_column; ++n)
            EXPECT_NEAR(joined[n], row.at(net.logits_offset, n), tolerance) << shape.name << " column " << n;
        for (std::uint32_t n = value_column; n < joined.size(); ++n)
            EXPECT_NEAR(joined[n], row.at(net.value_offset, n - value_column), tolerance)
                << shape.name << " column " << n;
    };
    for (const auto precision : {model::PrecisionChoice::fp16, model::PrecisionChoice::int8}) {
        expect_joined(kShapes[0], 7, precision);
        expect_joined(kShapes[1], 13, precision);
        expect_joined({"policy_alone", 20, {128, 128}, {{"policy", 5, ""}}}, 5, precision);
        expect_joined({"value_alone", 20, {128, 128}, {{"value", 3, "Sigmoid"}}}, 0, precision);
    }
    const auto columns_of = [](const Shape& shape, model::PrecisionChoice precision) {
        const model::Prepared made = prepared(shape.features, shape.hidden, shape.heads, precision);
        return cuda::make_fused_plan(made.program())->network.usual.columns;
    };
    EXPECT_EQ(columns_of(kShapes[1], model::PrecisionChoice::fp16), 14u);
    EXPECT_EQ(columns_of(kShapes[1], model::PrecisionChoice::int8), 14u);
    EXPECT_EQ(columns_of(kShapes[2], model::PrecisionChoice::fp16), 0u) << "other widths";
    EXPECT_EQ(columns_of(kShapes[2], model::PrecisionChoice::int8), 0u) << "other widths";
    EXPECT_EQ(columns_of({"one", 42, {128}, {{"policy", 7, ""}}}, model::PrecisionChoice::fp16), 0u) << "one layer";
}

TEST(FusedPlan, LeavesOutWhatNoSearchReads) {
    const DenseHead policy{"policy", 7, ""}, reward{"reward", 5, "Sigmoid"}, value{"value", 1, "Tanh"};
    for (const auto precision : {model::PrecisionChoice::fp16, model::PrecisionChoice::int8}) {
        const model::Prepared read = prepared(42, {128, 128}, {policy, value}, precision);
        const FusedPlan without = *cuda::make_fused_plan(read.program());
        for (const std::vector<DenseHead>& heads :
             {std::vector<DenseHead>{policy, value, reward}, {policy, reward, value}, {reward, policy, value}}) {
            const model::Prepared made = prepared(42, {128, 128}, heads, precision);
            ASSERT_EQ(made.program().network.step_count, 5u);
            const std::optional<FusedPlan> plan = cuda::make_fused_plan(made.program());
            ASSERT_TRUE(plan.has_value());
            EXPECT_EQ(plan->network.layer_count, 4u);
            EXPECT_EQ(plan->network.row_bytes, without.network.row_bytes);
            EXPECT_EQ(plan->network.usual.columns, without.network.usual.columns);
            EXPECT_EQ(plan->weights.size(), without.weights.size());
            EXPECT_EQ(plan->constants.size(), without.constants.size());
        }
    }
    const std::vector<DenseHead> all = {reward, policy, value};
    expect_as_reference({"with_reward", 42, {128, 128}, all}, model::PrecisionChoice::fp16, core::Precision::fp16,
                        2e-4f);
    expect_as_reference({"with_reward", 42, {128, 128}, all}, model::PrecisionChoice::int8, core::Precision::int8,
                        0.0f);
}

TEST(FusedPlan, HoldsTheWeightsOfInt8NetworksExactly) {
    for (const Shape& shape : kShapes)
        expect_as_reference(shape, model::PrecisionChoice::int8, core::Precision::int8, 0.0f);
}

TEST(FusedPlan, LeavesOthersToTheirOwnKernels) {
    const auto plan_of = [](std::uint32_t features, const std::vector<std::uint32_t>& hidden,
                            model::PrecisionChoice precision) {
        const model::Prepared made = prepared(features, hidden, {{"policy", 7, ""}, {"value", 1, ""}}, precision);
        return cuda::make_fused_plan(made.program()).has_value();
    };
    EXPECT_TRUE(plan_of(42, {64}, model::PrecisionChoice::fp16));
    EXPECT_FALSE(plan_of(42, {64}, model::PrecisionChoice::fp32)) << "floats have no matrix instructions";
    EXPECT_FALSE(plan_of(600, {64}, model::PrecisionChoice::fp16)) << "too wide";
    EXPECT_FALSE(plan_of(42, {16, 16, 16, 16, 16, 16, 16, 16}, model::PrecisionChoice::fp16)) << "too many layers";
    EXPECT_FALSE(plan_of(42, {}, model::PrecisionChoice::fp16)) << "a head reads the input as floats";
}

}  // namespace
}  // namespace augur::test
