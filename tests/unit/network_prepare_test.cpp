// Choosing a precision: what it changes, when it is refused, and what the host is told.

#include "model/prepare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/half.h"
#include "model/reference.h"
#include "support/network_cpu.h"
#include "support/network_zoo.h"

namespace augur::test {
namespace {

using model::PrecisionChoice;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

model::Network owned(const NetworkBuilder& builder) {
    const core::NetworkView view = builder.view();
    model::Network network;
    network.tensors.assign(view.tensors, view.tensors + view.tensor_count);
    network.steps.assign(view.steps, view.steps + view.step_count);
    network.weights.assign(view.weights, view.weights + view.weight_count);
    if (view.map_count != 0) network.maps.assign(view.maps, view.maps + view.map_count);
    network.scratch_count = view.scratch_count;
    for (std::uint32_t s = 0; s < view.step_count; ++s)
        network.step_names.push_back("node_" + std::to_string(s));
    const auto ports = [&](const std::uint32_t* tensors, std::uint32_t count, const char* name) {
        std::vector<model::Port> result;
        for (std::uint32_t i = 0; i < count; ++i)
            result.push_back({name + std::to_string(i), tensors[i], view.tensors[tensors[i]].count, {}});
        return result;
    };
    network.inputs = ports(view.inputs, view.input_count, "in");
    network.outputs = ports(view.outputs, view.output_count, "out");
    std::copy(view.heads, view.heads + core::kNetworkHeads, network.heads);
    return network;
}

struct Result {
    model::Prepared prepared;
    augur_result code;
    std::string message;
};

std::unique_ptr<Result> prepare(const NetworkBuilder& builder, const model::PrepareOptions& options) {
    auto result = std::make_unique<Result>();
    result->code = model::prepare(owned(builder), options, &result->prepared, result->message);
    return result;
}

std::unique_ptr<Result> prepare(const NetworkBuilder& builder, PrecisionChoice precision, bool for_gpu = false) {
    model::PrepareOptions options;
    options.precision = precision;
    options.for_gpu = for_gpu;
    return prepare(builder, options);
}

TEST(Prepare, AutomaticIsFp32OnACpuAndFp16OnAGpu) {
    const NetworkBuilder network = board_resnet();
    const auto cpu = prepare(network, PrecisionChoice::automatic);
    EXPECT_EQ(cpu->code, AUGUR_OK);
    EXPECT_EQ(cpu->prepared.precision, core::Precision::fp32);
    EXPECT_EQ(cpu->message, "");
    EXPECT_EQ(cpu->prepared.errors[0].greatest, 0.0f);
    const auto gpu = prepare(network, PrecisionChoice::automatic, true);
    EXPECT_EQ(gpu->prepared.precision, core::Precision::fp16);
    EXPECT_EQ(gpu->message, "");
    EXPECT_GT(gpu->prepared.errors[0].greatest, 0.0f);
    EXPECT_LT(gpu->prepared.errors[0].greatest, 0.005f);
    EXPECT_LT(gpu->prepared.errors[1].greatest, 0.005f);
}

TEST(Prepare, Int8IsTakenWhereItIsGoodEnough) {
    const auto result = prepare(board_resnet(), PrecisionChoice::int8);
    EXPECT_EQ(result->code, AUGUR_OK);
    EXPECT_EQ(result->prepared.precision, core::Precision::int8) << result->message;
    ASSERT_EQ(result->prepared.errors.size(), 2u);
    EXPECT_GT(result->prepared.errors[0].greatest, 0.0f);
    EXPECT_LT(result->prepared.errors[0].greatest, 0.05f);
    EXPECT_LT(result->prepared.errors[0].mean_square, result->prepared.errors[0].greatest);
}

// The first input is ten thousand times the second, and only the second counts: one scale for both leaves nothing of
// it.
NetworkBuilder breaks_int8() {
    NetworkBuilder b;
    const auto x = b.input({2});
    const auto h = b.tensor({2});
    const auto y = b.tensor({1});
    b.dense(x, h, 2, 2, {0.0f, 0.0f, 1.0f, -1.0f});
    b.dense(h, y, 2, 1, {1.0f, -1.0f});
    b.output(y);
    return b;
}

Floats breaking_samples() {
    SplitMix64 random(1);
    Floats samples;
    for (int row = 0; row < 50; ++row) {
        samples.push_back(random_floats(random, 1, -1e4f, 1e4f)[0]);
        samples.push_back(random_floats(random, 1)[0]);
    }
    return samples;
}

TEST(Prepare, FallsBackFromInt8WhereTheErrorIsTooGreatAndSaysSo) {
    const Floats samples = breaking_samples();
    const float* inputs[] = {samples.data()};
    model::PrepareOptions options;
    options.precision = PrecisionChoice::int8;
    options.sample_inputs = inputs;
    options.sample_rows = 50;
    const auto cpu = prepare(breaks_int8(), options);
    EXPECT_EQ(cpu->code, AUGUR_OK);
    EXPECT_EQ(cpu->prepared.precision, core::Precision::fp32);
    EXPECT_NE(cpu->message.find("int8 changes output 'out0' by up to"), std::string::npos) << cpu->message;
    EXPECT_NE(cpu->message.find("runs in fp32 instead"), std::string::npos) << cpu->message;
    EXPECT_TRUE(cpu->prepared.quantised.weights.empty());
    options.for_gpu = true;
    const auto gpu = prepare(breaks_int8(), options);
    EXPECT_EQ(gpu->prepared.precision, core::Precision::fp16) << gpu->message;
    // Without samples like the ones it meets, nothing is amiss.
    EXPECT_EQ(prepare(breaks_int8(), PrecisionChoice::int8)->prepared.precision, core::Precision::int8);
}

// The same beside a policy that int8 suits.
TEST(Prepare, LetsNoRewardBesideAPolicyDecideAndSaysHowFarOffItIs) {
    const Floats samples = breaking_samples();
    const float* inputs[] = {samples.data()};
    for (const bool is_reward : {true, false}) {
        NetworkBuilder b;
        const auto x = b.input({2});
        const auto h = b.tensor({2});
        const auto policy = b.tensor({1});
        const auto y = b.tensor({1});
        b.dense(x, h, 2, 2, {0.0f, 0.0f, 1.0f, -1.0f});
        b.dense(x, policy, 2, 1, {1.0f, 0.0f});
        b.dense(h, y, 2, 1, {1.0f, -1.0f});
        b.output(policy, core::NetworkHead::policy);
        if (is_reward)
            b.output(y, core::NetworkHead::reward);
        else
            b.output(y);
        model::PrepareOptions options;
        options.precision = PrecisionChoice::int8;
        options.sample_inputs = inputs;
        options.sample_rows = 50;
        const auto result = prepare(b, options);
        EXPECT_EQ(result->prepared.precision, is_reward ? core::Precision::int8 : core::Precision::fp32);
        EXPECT_NE(result->message.find("int8 changes output 'out1' by up to"), std::string::npos) << result->message;
        EXPECT_EQ(result->message.find("no search reads it") != std::string::npos, is_reward) << result->message;
        if (is_reward) {
            EXPECT_LT(result->prepared.errors[0].greatest, 0.05f);
            EXPECT_GT(result->prepared.errors[1].greatest, 0.05f);
        }
    }
}

TEST(Prepare, NamesTheStepThatHasNoInt8Form) {
    const auto result = prepare(then_dense(attention()), PrecisionChoice::int8);
    EXPECT_EQ(result->prepared.precision, core::Precision::fp32);
    EXPECT_NE(result->message.find("int8 is not possible: step 0 (node 'node_0')"), std::string::npos)
        << result->message;
}

TEST(Prepare, RefusesFp16WhereAWeightWouldBecomeInfiniteAndNamesIt) {
    NetworkBuilder b;
    const auto x = b.input({1});
    const auto h = b.tensor({2});
    const auto y = b.tensor({1});
    b.dense(x, h, 1, 2, {65519.0f, -65520.0f});
    b.dense(h, y, 2, 1, {1e-5f, 70000.0f});  // the last layer stays in floats: its weights may be what they like
    b.output(y);
    const auto refused = prepare(b, PrecisionChoice::fp16, true);
    EXPECT_EQ(refused->prepared.precision, core::Precision::fp32);
    EXPECT_NE(refused->message.find("fp16 is not possible: weight 1 of step 0 (node 'node_0')"), std::string::npos)
        << refused->message;
    b.weights()[1] = -65519.0f;
    EXPECT_EQ(prepare(b, PrecisionChoice::fp16, true)->message.find("not possible"), std::string::npos);
}

TEST(Prepare, FallsBackFromFp16WhereNumbersBetweenStepsOverflow) {
    NetworkBuilder b;
    const auto x = b.input({1});
    const auto h = b.tensor({1});
    const auto y = b.tensor({1});
    b.dense(x, h, 1, 1, {60000.0f}, {60000.0f});  // up to 120000
    b.dense(h, y, 1, 1, {1.0f / 120000.0f});
    b.output(y);
    const auto result = prepare(b, PrecisionChoice::fp16, true);
    EXPECT_EQ(result->prepared.precision, core::Precision::fp32);
    EXPECT_NE(result->message.find("fp16 changes output 'out0'"), std::string::npos) << result->message;
}

TEST(Prepare, WarnsOfValuesOutsideOfTheirRangeOfConstantsAndOfWhatIsNotFinite) {
    NetworkBuilder b;
    const auto x = b.input({2});
    const auto policy = b.tensor({3});
    const auto value = b.tensor({1});
    const auto root = b.tensor({2});
    b.dense(x, policy, 2, 3, Floats(6, 0.0f), {1.0f, 2.0f, 3.0f});
    b.dense(x, value, 2, 1, {2.0f, 2.0f});
    b.step(core::NetworkOp::unary, x, root).activation = core::Activation::square_root;
    b.output(policy, core::NetworkHead::policy);
    b.output(value, core::NetworkHead::value);
    b.output(root);
    const auto result = prepare(b, PrecisionChoice::fp32);
    EXPECT_EQ(result->code, AUGUR_OK);
    EXPECT_NE(result->message.find("output 'out0': it is constant"), std::string::npos) << result->message;
    EXPECT_NE(result->message.find("values in output 'out1' lie outside of [-1, 1]"), std::string::npos);
    EXPECT_NE(result->message.find("numbers of output 'out2' are not finite"), std::string::npos);
    EXPECT_EQ(result->message.find("Two runs"), std::string::npos);
    EXPECT_GT(result->prepared.errors[1].most, 1.0f);
    model::PrepareOptions probabilities;
    probabilities.value_least = 0.0f;
    const auto below = prepare(b, probabilities);
    EXPECT_NE(below->message.find("lie outside of [0, 1]"), std::string::npos) << below->message;
    model::PrepareOptions anything;
    anything.value_least = -kInfinity;
    anything.value_most = kInfinity;
    EXPECT_EQ(prepare(b, anything)->message.find("lie outside"), std::string::npos);
    EXPECT_EQ(result->prepared.errors[0].range, 2.0f);
}

TEST(Prepare, RunsTheCanaryTwiceOnTheBackendItIsGiven) {
    int runs = 0;
    model::PrepareOptions options;
    options.run = [&](const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                      std::uint32_t rows) {
        model::run_reference(program, inputs, outputs, rows);
        if (++runs == 2) outputs[0][3] += 1.0f;
        return true;
    };
    const auto random = prepare(board_mlp(core::Activation::relu), options);
    EXPECT_EQ(runs, 2);
    EXPECT_NE(random->message.find("Two runs on the same samples gave different numbers in output 'out0'"),
              std::string::npos)
        << random->message;
    CountedMemory memory;
    options.precision = PrecisionChoice::int8;
    options.run = [&](const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                      std::uint32_t rows) {
        const auto network = make(program, memory);
        std::vector<unsigned char> scratch(network->scratch_bytes(rows));
        network->run(inputs, outputs, rows, scratch.data());
        return true;
    };
    const auto steady = prepare(board_mlp(core::Activation::tanh), options);
    EXPECT_EQ(steady->prepared.precision, core::Precision::int8) << steady->message;
    // What the backend measured and what the reference measures is the same to the bit only in int8; near in floats.
    const auto reference = prepare(board_mlp(core::Activation::tanh), PrecisionChoice::int8);
    EXPECT_NEAR(steady->prepared.errors[0].greatest, reference->prepared.errors[0].greatest, 1e-5f);
    EXPECT_EQ(steady->prepared.quantised.weights, reference->prepared.quantised.weights);
}

TEST(Prepare, RefusesSamplesThatAreMissingOrNotFinite) {
    model::PrepareOptions options;
    options.sample_rows = 2;
    EXPECT_EQ(prepare(breaks_int8(), options)->code, AUGUR_ERROR_INVALID_ARGUMENT);
    const float samples[] = {0.0f, 1.0f, 2.0f, std::numeric_limits<float>::quiet_NaN()};
    const float* inputs[] = {samples};
    options.sample_inputs = inputs;
    const auto refused = prepare(breaks_int8(), options);
    EXPECT_EQ(refused->code, AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(refused->message.find("number 1 of sample row 1 of input 0"), std::string::npos) << refused->message;
    options.sample_rows = 1;
    options.error_limit = -1.0f;
    EXPECT_EQ(prepare(breaks_int8(), options)->code, AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST(HalfNetwork, CpuStaysWithinItsBoundOfTheReferenceAndHidesNothing) {
    CountedMemory memory;
    for (const ZooNetwork& zoo : network_zoo()) {
        auto half = std::make_unique<model::HalfWeights>();
        model::HalfOverflow overflow{};
        const core::NetworkView net = zoo.network.view();
        ASSERT_TRUE(model::make_half_weights(net, half.get(), &overflow));
        core::NetworkProgram program{};
        program.network = net;
        program.precision = core::Precision::fp16;
        program.half = half->view();
        Batch floats(net, 8, 3);
        Batch truth(net, 8, 3);
        model::run_reference(net, floats.in(net).data(), floats.out(net).data(), 8);
        model::run_reference(program, truth.in(net).data(), truth.out(net).data(), 8);
        for (const CpuLevel level : levels()) {
            const auto network = make(program, memory, level);
            Batch batch(net, 8, 3);
            run(*network, batch, 0, 8);
            for (std::size_t o = 0; o < batch.outputs.size(); ++o)
                for (std::size_t i = 0; i < batch.outputs[o].size(); ++i) {
                    if (std::isnan(truth.outputs[o][i])) continue;
                    // Sums that round to neighbouring halves move what follows by 2^-11 here and there.
                    const float size = std::fmax(1.0f, std::fabs(truth.outputs[o][i]));
                    ASSERT_NEAR(batch.outputs[o][i], truth.outputs[o][i], 2e-3f * size) << zoo.name;
                    ASSERT_NEAR(batch.outputs[o][i], floats.outputs[o][i], 8e-3f * size) << zoo.name;
                }
        }
    }
}

TEST(HalfNetwork, RoundsWeightsAndWhatPassesBetweenStepsButNotTheLast) {
    NetworkBuilder b;
    const auto x = b.input({1});
    const auto h = b.tensor({1});
    const auto y = b.tensor({1});
    const float third = 1.0f / 3.0f;
    b.dense(x, h, 1, 1, {third});
    b.dense(h, y, 1, 1, {third});
    b.output(y);
    const core::NetworkView net = b.view();
    model::HalfWeights half;
    model::HalfOverflow overflow{};
    ASSERT_TRUE(model::make_half_weights(net, &half, &overflow));
    EXPECT_EQ(half.weights[0], 0x3555);  // 0.33325195
    core::NetworkProgram program{};
    program.network = net;
    program.precision = core::Precision::fp16;
    program.half = half.view();
    CountedMemory memory;
    const float in = 1.0009f;  // between 1 and 1.0009765625, the next half
    const float* inputs[] = {&in};
    float out = 0.0f;
    float* outputs[] = {&out};
    const float hidden = core::round_to_half(1.0009765625f * 0.333251953125f);
    model::run_reference(program, inputs, outputs, 1);
    EXPECT_EQ(out, static_cast<float>(static_cast<double>(hidden) * static_cast<double>(third)));
    const auto network = make(program, memory);
    std::vector<unsigned char> scratch(network->scratch_bytes(1));
    network->run(inputs, outputs, 1, scratch.data());
    EXPECT_EQ(out, hidden * third);
}

}  // namespace
}  // namespace augur::test
