// The plain interpreter against results worked out by hand or by closed forms: it is the oracle for everything else.

#include "model/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/network_exact.h"
#include "support/network_builder.h"

namespace augur::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// All outputs of one row, one after the other.
Floats evaluate(const NetworkBuilder& builder, const std::vector<Floats>& inputs) {
    const core::NetworkView net = builder.view();
    std::vector<const float*> in;
    for (const Floats& input : inputs)
        in.push_back(input.data());
    std::vector<Floats> outputs;
    std::vector<float*> out;
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        outputs.emplace_back(net.tensors[net.outputs[o]].count);
    for (Floats& output : outputs)
        out.push_back(output.data());
    model::run_reference(net, in.data(), out.data(), 1);
    Floats all;
    for (const Floats& output : outputs)
        all.insert(all.end(), output.begin(), output.end());
    return all;
}

TEST(Reference, DenseAddsBiasResidualAndThenActivates) {
    NetworkBuilder b;
    const auto x = b.input({2, 2});
    const auto r = b.input({2, 3});
    const auto y = b.tensor({2, 3});
    core::NetworkStep& s = b.dense(x, y, 2, 3, {1, 2, 3, 4, 5, 6}, {0.5f, 0, -20});
    s.residual = r;
    s.activation = core::Activation::relu;
    b.output(y);
    EXPECT_EQ(evaluate(b, {{1, 1, 2, -1}, {0, 0, 0, 10, 0, 30}}), (Floats{5.5f, 7, 0, 8.5f, 0, 10}));
}

TEST(Reference, MatmulTakesGroupsFromEitherSide) {
    NetworkBuilder b;
    const auto x = b.input({2, 1, 2});
    const auto w = b.input({2, 2});
    const auto y = b.tensor({2, 1, 2});
    core::NetworkStep& s = b.step(core::NetworkOp::matmul, x, y);
    s.inputs[1] = w;
    s.groups = 2;
    s.group_a = 1;
    s.group_b = 0;
    s.m = 1;
    s.k = s.n = 2;
    b.output(y);
    EXPECT_EQ(evaluate(b, {{1, 2, 3, 4}, {1, 10, 100, 1000}}), (Floats{201, 2010, 403, 4030}));
}

// A kernel of ones counts what it covers; one tap shows where it lies.
TEST(Reference, ConvolutionsPadStrideDilateAndGroup) {
    const auto conv = [](core::NetworkWindow w, const Floats& weights, const Floats& image) {
        NetworkBuilder::size(w);
        NetworkBuilder b;
        const auto x = b.input({w.channels, w.height, w.width});
        const auto y = b.tensor({w.out_channels, w.out_height, w.out_width});
        b.conv(x, y, w, weights);
        b.output(y);
        return evaluate(b, {image});
    };
    const Floats nine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(conv(NetworkBuilder::window(1, 3, 3, 1, 3), Floats(9, 1.0f), nine), (Floats{45}));
    EXPECT_EQ(conv(NetworkBuilder::window(1, 3, 3, 1, 3, 1, 1), Floats(9, 1.0f), nine),
              (Floats{12, 21, 16, 27, 45, 33, 24, 39, 28}));
    EXPECT_EQ(conv(NetworkBuilder::window(1, 3, 3, 1, 3, 2, 1), {0, 0, 0, 0, 1, 0, 0, 0, 0}, nine),
              (Floats{1, 3, 7, 9}));
    core::NetworkWindow dilated = NetworkBuilder::window(1, 3, 3, 1, 2);
    dilated.dilation_h = dilated.dilation_w = 2;
    EXPECT_EQ(conv(dilated, {1, 10, 100, 1000}, nine), (Floats{1 + 30 + 700 + 9000}));
    core::NetworkWindow uneven = NetworkBuilder::window(1, 3, 3, 1, 1);
    uneven.pad_left = 1;
    uneven.pad_bottom = 1;
    EXPECT_EQ(conv(uneven, {2}, nine), (Floats{0, 2, 4, 6, 0, 8, 10, 12, 0, 14, 16, 18, 0, 0, 0, 0}));
    core::NetworkWindow grouped = NetworkBuilder::window(2, 1, 2, 4, 1);
    grouped.groups = 2;
    EXPECT_EQ(conv(grouped, {1, 10, 100, 1000}, {1, 2, 3, 4}), (Floats{1, 2, 10, 20, 300, 400, 3000, 4000}));
    // Two input channels, kernel [O][C][kh][kw].
    core::NetworkWindow two = NetworkBuilder::window(2, 1, 1, 2, 1);
    EXPECT_EQ(conv(two, {1, 2, 3, 4}, {5, 6}), (Floats{17, 39}));
}

TEST(Reference, PoolsTakeTheGreatestOrTheMeanOfWhatTheyCover) {
    const auto pool = [](core::NetworkOp op, core::NetworkWindow w, const Floats& image, bool rounded_up = false) {
        NetworkBuilder::size(w);
        w.out_height += rounded_up ? 1 : 0;
        w.out_width += rounded_up ? 1 : 0;
        NetworkBuilder b;
        const auto x = b.input({w.channels, w.height, w.width});
        const auto y = b.tensor({w.channels, w.out_height, w.out_width});
        b.step(op, x, y).window = w;
        b.output(y);
        return evaluate(b, {image});
    };
    const Floats nine = {-1, -2, -3, -4, -5, -6, -7, -8, -9};
    core::NetworkWindow w = NetworkBuilder::window(1, 3, 3, 1, 3, 2, 1);
    EXPECT_EQ(pool(core::NetworkOp::max_pool, w, nine), (Floats{-1, -2, -4, -5})) << "padding never wins";
    EXPECT_EQ(pool(core::NetworkOp::average_pool, w, nine), (Floats{-3, -4, -6, -7}));
    w.count_pad = 1;
    EXPECT_EQ(pool(core::NetworkOp::average_pool, w, {9, 0, 0, 0, 0, 0, 0, 0, 18}), (Floats{1, 0, 0, 2}));
    // Sizes rounded up reach beyond the padding; what lies there counts for nothing.
    core::NetworkWindow up = NetworkBuilder::window(1, 3, 3, 1, 2, 2);
    up.count_pad = 1;
    EXPECT_EQ(pool(core::NetworkOp::average_pool, up, {1, 2, 3, 4, 5, 6, 7, 8, 9}, true), (Floats{3, 4.5f, 7.5f, 9}));
    const Floats with_nan = {1, std::numeric_limits<float>::quiet_NaN(), 3, 4};
    EXPECT_TRUE(std::isnan(pool(core::NetworkOp::max_pool, NetworkBuilder::window(1, 2, 2, 1, 2), with_nan)[0]));
}

TEST(Reference, BinaryStepsBroadcastAsTheirStridesSay) {
    NetworkBuilder b;
    const auto x = b.input({2, 3});
    const auto row = b.input({3});
    const auto column = b.input({2, 1});
    const auto sum = b.tensor({2, 3});
    const auto difference = b.tensor({2, 3});
    const auto outer = b.tensor({2, 3});
    b.binary(core::BinaryOp::add, x, row, sum);
    b.binary(core::BinaryOp::subtract, column, x, difference);
    b.binary(core::BinaryOp::power, row, column, outer).activation = core::Activation::negate;
    b.output(sum);
    b.output(difference);
    b.output(outer);
    EXPECT_EQ(evaluate(b, {{1, 2, 3, 4, 5, 6}, {10, 20, 30}, {2, 3}}),
              (Floats{11, 22, 33, 14, 25, 36, 1, 0, -1, -1, -2, -3, -100, -400, -900, -1000, -8000, -27000}));
}

TEST(Reference, SoftmaxesRunAlongTheirAxis) {
    NetworkBuilder b;
    const auto x = b.input({2, 2});
    const auto rows = b.tensor({2, 2});
    const auto columns = b.tensor({2, 2});
    b.step(core::NetworkOp::softmax, x, rows).axis = {2, 2, 1};
    b.step(core::NetworkOp::log_softmax, x, columns).axis = {1, 2, 2};
    b.output(rows);
    b.output(columns);
    const float log2 = std::log(2.0f);
    const float log3 = std::log(3.0f);
    const Floats y = evaluate(b, {{0, log2, 1000 + log3, 1000}});
    const Floats expected = {1 / 3.0f, 2 / 3.0f, 0.75f, 0.25f, -1000 - log3, log2 - 1000, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(y[i], expected[i], std::fabs(expected[i]) * 1e-4f + 1e-6f) << i;
    // Logits that are all -infinity say nothing, and that is what comes out.
    EXPECT_TRUE(std::isnan(evaluate(b, {{-kInfinity, -kInfinity, 0, 0}})[0]));
}

TEST(Reference, LayerNormsAndMeansTakeTheirAxis) {
    NetworkBuilder b;
    const auto x = b.input({2, 4});
    const auto normal = b.tensor({2, 4});
    const auto means = b.tensor({4});
    const auto w = b.add_weights({1, 2, 3, -1});
    const auto bias = b.add_weights({0, 1, 0, 0.5f});
    core::NetworkStep& s = b.step(core::NetworkOp::layer_norm, x, normal);
    s.axis = {2, 4, 1};
    s.epsilon = 0.5f;
    s.weights = w;
    s.bias = bias;
    b.step(core::NetworkOp::reduce_mean, x, means).axis = {1, 2, 4};
    b.output(normal);
    b.output(means);
    const Floats y = evaluate(b, {{1, 2, 3, 6, 5, 5, 5, 5}});
    const Floats expected = {-1, 0, 0, -1, 0, 1, 0, 0.5f, 3, 3.5f, 4, 5.5f};  // first row: mean 3, variance 3.5
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_FLOAT_EQ(y[i], expected[i]) << i;
}

TEST(Reference, RearrangingFollowsItsMapPartByPart) {
    NetworkBuilder b;
    const auto x = b.input({3});
    const auto y = b.tensor({5});
    core::NetworkStep& s = b.rearrange(x, y, {2, -1, 0}, 1);
    s.fill = 7;
    s.activation = core::Activation::negate;
    b.rearrange(x, y, {1});
    b.rearrange(x, y, {1}, 4);
    b.output(y);
    EXPECT_EQ(evaluate(b, {{1, 2, 3}}), (Floats{2, -3, -7, -1, 2}));
}

TEST(Reference, ObserversSeeInputsAndEveryStepBeforeAndAfterItsActivation) {
    NetworkBuilder b;
    const auto x = b.input({1});
    const auto y = b.tensor({2});
    b.dense(x, y, 1, 2, {-3, 4}).activation = core::Activation::relu;
    b.output(y);
    std::vector<Floats> seen;
    const float in = 2;
    const float* inputs[] = {&in};
    float out[2];
    float* outputs[] = {out};
    model::run_reference(b.view(), inputs, outputs, 1, [&](const model::Observation& o) {
        seen.emplace_back(o.before, o.before + o.count);
        seen.emplace_back(o.values, o.values + o.count);
        EXPECT_EQ(o.step, o.tensor == x ? model::kNoStep : 0u);
    });
    EXPECT_EQ(seen, (std::vector<Floats>{{2}, {2}, {-6, 8}, {0, 8}}));
}

}  // namespace
}  // namespace augur::test
