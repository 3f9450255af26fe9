// What is left of a model once it is loaded: how many steps, how much memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/memory.h"
#include "model/onnx.h"
#include "support/network_check.h"
#include "support/onnx_cases.h"
#include "support/onnx_writer.h"
#include "support/split_mix.h"

namespace augur {
namespace {

using core::Activation;
using core::kNoTensor;
using core::NetworkOp;
using test::onnx_floats;
using test::onnx_node;
using test::OnnxGraph;

model::Network loaded(const std::string& bytes) {
    model::Network network;
    std::string message;
    EXPECT_EQ(model::load_onnx({bytes.data(), bytes.size(), ""}, {}, &network, message), AUGUR_OK) << message;
    EXPECT_EQ(test::broken_promise(network), "");
    return network;
}

model::Network stored(const std::string& family, const std::string& name) {
    for (const auto& each : test::read_onnx_cases(AUGUR_SOURCE_DIR "/tests/data/onnx_ops"))
        if (each.family == family && each.name == name) return loaded(each.model);
    ADD_FAILURE() << "no case " << name;
    return {};
}

std::size_t count(const model::Network& network, NetworkOp op) {
    return static_cast<std::size_t>(std::count_if(network.steps.begin(), network.steps.end(),
                                                  [op](const core::NetworkStep& step) { return step.op == op; }));
}

TEST(ModelFold, AnMlpIsItsLayers) {
    const model::Network network = stored("models", "mlp/17");
    ASSERT_EQ(network.steps.size(), 3U);
    EXPECT_EQ(network.steps[0].activation, Activation::relu);
    EXPECT_EQ(network.steps[1].activation, Activation::tanh);
    EXPECT_EQ(network.steps[2].activation, Activation::none);
    EXPECT_EQ(network.multiply_adds, 42U * 64 + 64 * 32 + 32 * 7);
    EXPECT_EQ(network.parameter_count, 42U * 64 + 64 + 64 * 32 + 32 + 32 * 7 + 7);
    EXPECT_EQ(network.step_names[2], "/4/Gemm");
    EXPECT_EQ(network.producer, "augur-cases");
    // 42 in, then 64 beside it, then 32 where the input was.
    EXPECT_EQ(network.scratch_count, 48U + 64U);
}

TEST(ModelFold, ResNet18IsItsConvolutions) {
    const model::Network network = stored("models", "resnet18/17");
    EXPECT_EQ(count(network, NetworkOp::conv), 20U);
    EXPECT_EQ(network.steps.size(), 20U + 3U);  // a max pool, a mean, a dense layer
    std::size_t residuals = 0, plain = 0;
    for (const core::NetworkStep& step : network.steps) {
        residuals += step.residual != kNoTensor ? 1 : 0;
        plain += step.op == NetworkOp::conv && step.activation == Activation::none ? 1 : 0;
    }
    EXPECT_EQ(residuals, 8U);
    EXPECT_EQ(plain, 3U);  // those beside the blocks that halve the picture
}

TEST(ModelFold, ABoardNetworkIsItsConvolutionsAndHeads) {
    const model::Network network = stored("models", "board/14");
    EXPECT_EQ(count(network, NetworkOp::conv), 7U);
    EXPECT_EQ(count(network, NetworkOp::dense), 3U);
    EXPECT_EQ(count(network, NetworkOp::reduce_mean), 1U);
    EXPECT_EQ(network.steps.size(), 11U);
}

TEST(ModelFold, GeluOfOldOpsetsBecomesOneActivation) {
    for (const char* name : {"graph/gelu_product_halved", "graph/gelu_input_halved", "graph/gelu_gate_halved"}) {
        const model::Network network = stored("files", name);
        ASSERT_EQ(network.steps.size(), 1U) << name;
        EXPECT_EQ(network.steps[0].activation, Activation::gelu);
    }
    EXPECT_GT(stored("files", "graph/nearly_gelu").steps.size(), 1U);
}

TEST(ModelFold, ScalesAndShiftsGoIntoTheLayer) {
    const model::Network network = stored("files", "graph/scale_and_shift");
    ASSERT_EQ(network.steps.size(), 1U);
    EXPECT_EQ(network.steps[0].activation, Activation::tanh);
    EXPECT_EQ(stored("files", "graph/scale_of_matrix_rows_stays").steps.size(), 2U);
    EXPECT_EQ(stored("files", "graph/scale_of_pixels_stays").steps.size(), 3U);
}

TEST(ModelFold, SharedWeightsAreStoredOnce) {
    const model::Network network = stored("files", "graph/shared_weights");
    EXPECT_EQ(network.steps.size(), 2U);
    EXPECT_EQ(network.steps[0].weights, network.steps[1].weights);
    EXPECT_EQ(network.parameter_count, 9U + 3U);
}

TEST(ModelFold, ShapesAndIdentitiesCostNoStep) {
    for (const char* name : {"Reshape/13/zero_and_rest", "Flatten/13/default", "Squeeze/13/one", "Unsqueeze/13/one"}) {
        // One copy alone, because the output is the input.
        const model::Network network = stored("shapes", name);
        ASSERT_EQ(network.steps.size(), 1U) << name;
        EXPECT_EQ(network.steps[0].op, NetworkOp::unary);
        EXPECT_EQ(network.steps[0].activation, Activation::none);
    }
}

TEST(ModelFold, DeadNodesAreGone) {
    EXPECT_EQ(stored("files", "graph/dead_node").steps.size(), 1U);
}

TEST(ModelFold, WhatTwoReadIsNotFused) {
    // relu(a) and a itself are both outputs.
    OnnxGraph graph;
    graph.input("x", {4}).weight(onnx_floats("w", {4, 4}, std::vector<float>(16, 0.5f)));
    graph.node(onnx_node("MatMul", {"x", "w"}, {"a"})).node(onnx_node("Relu", {"a"}, {"b"}));
    EXPECT_EQ(loaded(OnnxGraph(graph).output("b").model()).steps.size(), 1U);
    EXPECT_EQ(loaded(OnnxGraph(graph).output("b").output("a").model()).steps.size(), 2U);
}

TEST(ModelMemory, ALongChainNeedsTwoTensors) {
    OnnxGraph graph;
    graph.input("x0", {64}).weight(onnx_floats("w", {64, 64}, std::vector<float>(64 * 64, 0.1f)));
    for (int i = 0; i < 100; ++i)
        graph.node(onnx_node("MatMul", {test::numbered("x", i), "w"}, {test::numbered("x", i + 1)}));
    EXPECT_EQ(loaded(graph.output("x100").model()).scratch_count, 128U);
}

TEST(ModelMemory, ElementwiseStepsWriteOverTheirOperand) {
    OnnxGraph graph;
    graph.input("x", {64}).node(onnx_node("Exp", {"x"}, {"a"})).node(onnx_node("Softmax", {"a"}, {"b"}));
    graph.node(onnx_node("Neg", {"b"}, {"c"})).node(onnx_node("Add", {"c", "c"}, {"d"})).output("d");
    EXPECT_EQ(loaded(graph.model()).scratch_count, 128U);
}

// Graphs at random: whatever the lives of tensors, nothing is overwritten that is still read (network_check walks the
// scratch), and no more is taken than all tensors side by side would take.
TEST(ModelMemory, RandomGraphsNeverOverwriteWhatIsStillRead) {
    test::SplitMix64 random(11);
    const char* unary[] = {"Relu", "Exp", "Softmax", "Neg"};
    const char* binary[] = {"Add", "Mul", "Max"};
    for (int round = 0; round < 300; ++round) {
        OnnxGraph graph;
        graph.input("v0", {6}).input("v1", {6});
        graph.weight(onnx_floats("w", {6, 6}, std::vector<float>(36, 0.25f)));
        const int nodes = 2 + random.below(20);
        const auto value = [&](int below) { return test::numbered("v", random.below(below)); };
        for (int i = 2; i < nodes + 2; ++i) {
            const std::string out = test::numbered("v", i);
            switch (random.below(4)) {
                case 0:
                    graph.node(onnx_node(unary[random.below(4)], {value(i)}, {out}));
                    break;
                case 1:
                    graph.node(onnx_node("MatMul", {value(i), "w"}, {out}));
                    break;
                default:
                    graph.node(onnx_node(binary[random.below(3)], {value(i), value(i)}, {out}));
                    break;
            }
        }
        const int outputs = 1 + random.below(3);
        for (int i = 0; i < outputs; ++i)
            graph.output(test::numbered("v", nodes + 1 - i));
        const model::Network network = loaded(graph.model());
        std::uint64_t side_by_side = 0;
        for (const core::NetworkTensor& tensor : network.tensors)
            side_by_side += tensor.constant != 0 ? 0 : 8;
        EXPECT_LE(network.scratch_count, side_by_side);
        if (HasFailure()) FAIL() << "round " << round;
    }
}

}  // namespace
}  // namespace augur
