// int8 networks: the shared arithmetic against integers of another language, quantising against floats, and the CPU
// backend against the plain interpreter, bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "model/quantise.h"
#include "model/reference.h"
#include "model/single_tensors.h"
#include "support/network_cpu.h"
#include "support/network_zoo.h"

namespace augur::test {
namespace {

// From Python's whole numbers: (x * m + (1 << (s - 1))) >> s, held within +-2^29.
TEST(Int8Math, RescalesAsWholeNumbersDo) {
    struct Vector {
        std::int64_t x, multiplier, shift, y;
    };
    constexpr Vector kVectors[] = {
        {0, 1073741824, 31, 0},
        {1, 1073741824, 31, 1},
        {-1, 1073741824, 31, 0},
        {3, 1073741824, 31, 2},
        {-3, 1073741824, 31, -1},
        {5, 1073741824, 32, 1},
        {-5, 1073741824, 32, -1},
        {-6, 1073741824, 32, -1},
        {2147483647, 2147483647, 31, 536870912},
        {-2147483648ll, 2147483647, 31, -536870912},
        {2147483647, 2147483647, 62, 1},
        {-2147483648ll, 2147483647, 62, -1},
        {2147483647, 1073741824, 1, 536870912},
        {527858757, 1843690974, 44, 55320},
        {1904202612, 1185095836, 33, 262710101},
        {-1661267722, 2081059921, 35, -100617695},
        {-1076616359, 1539165521, 41, -753558},
        {-947116003, 1910052088, 33, -210600078},
        {-1838539192, 2029019199, 32, -536870912},
        {-1579513480, 1085151705, 34, -99768615},
        {1175076011, 1429915820, 33, 195607983},
        {-904927395, 1500853396, 34, -79055512},
        {-501551273, 1120063502, 39, -1021852},
    };
    for (const Vector& v : kVectors) {
        const core::Rescale factor = {static_cast<std::int32_t>(v.multiplier), static_cast<std::int32_t>(v.shift)};
        EXPECT_EQ(core::rescale(static_cast<std::int32_t>(v.x), factor), v.y) << v.x << " * " << v.multiplier;
    }
    EXPECT_EQ(core::drop_spare_bits(127), 0);
    EXPECT_EQ(core::drop_spare_bits(128), 1);
    EXPECT_EQ(core::drop_spare_bits(-128), 0);
    EXPECT_EQ(core::drop_spare_bits(-129), -1);
}

TEST(Int8Math, FactorsAreWithinHalfAUnitOfTheirRatio) {
    SplitMix64 random(1);
    for (int trial = 0; trial < 10000; ++trial) {
        const double ratio = std::exp2(random.below(4800) / 100.0 - 24.0);
        const core::Rescale factor = model::make_rescale(ratio);
        ASSERT_GE(factor.shift, 1);
        ASSERT_LE(factor.shift, 62);
        ASSERT_NEAR(std::ldexp(factor.multiplier, -factor.shift), ratio, ratio * 0x1p-31);
    }
    EXPECT_EQ(core::rescale(1000000, model::make_rescale(0.0)), 0);
    EXPECT_EQ(core::rescale(2147483647, model::make_rescale(1e-20)), 0);
    EXPECT_EQ(core::rescale(12345, model::make_rescale(1.0)), 12345);
    EXPECT_EQ(core::rescale(-12345, model::make_rescale(1.0 - 1e-12)), -12345);  // a mantissa that rounds up to 1
}

TEST(Int8Math, QuantisingRoundsToEvenSaturatesAndMakesNothingOfNan) {
    EXPECT_EQ(core::quantise(0.5f, 1.0f), 0);
    EXPECT_EQ(core::quantise(1.5f, 1.0f), 2);
    EXPECT_EQ(core::quantise(-2.5f, 1.0f), -2);
    EXPECT_EQ(core::quantise(-126.6f, 1.0f), -127);
    EXPECT_EQ(core::quantise(1e30f, 1.0f), 127);
    EXPECT_EQ(core::quantise(-std::numeric_limits<float>::infinity(), 1.0f), -127);
    EXPECT_EQ(core::quantise(std::numeric_limits<float>::quiet_NaN(), 1.0f), 0);
}

// A program and what it stands on.
struct Int8Program {
    model::Quantised quantised;
    core::NetworkProgram program{};
    bool possible = false;
    std::uint32_t step = 0;
    std::string why;

    explicit Int8Program(const core::NetworkView& net, std::uint32_t rows = 32, bool by_element = true) {
        constexpr std::uint64_t seed = 99;
        Batch samples(net, rows, seed);
        const model::RangeMeter meter(net, samples.in(net).data(), samples.out(net).data(), rows);
        possible = model::quantise(net, meter.ranges(1.0, by_element), &quantised, &step, why);
        program.network = net;
        program.precision = core::Precision::int8;
        program.quantised = quantised.view();
    }
};

// By hand: x in {1, -1} of scale 1/127; weights ((1, 0.5), (-1, 0.25)) by columns of scale 1/127 and 0.5/127; relu; the
// sum of both as the output.
TEST(Int8Network, ASmallOneGivesWhatWasWorkedOutByHand) {
    NetworkBuilder b;
    const auto x = b.input({2});
    const auto h = b.tensor({2});
    const auto y = b.tensor({1});
    b.dense(x, h, 2, 2, {1.0f, 0.5f, -1.0f, 0.25f}).activation = core::Activation::relu;
    b.dense(h, y, 2, 1, {1.0f, 1.0f}, {0.5f});
    b.output(y);
    const core::NetworkView net = b.view();
    const float samples[] = {1.0f, -1.0f, -1.0f, 1.0f};  // h = (2, 0.25), (0, 0)
    const float* inputs[] = {samples};
    float truth[2];
    float* truths[] = {truth};
    const model::RangeMeter meter(net, inputs, truths, 2);
    const model::Ranges ranges = meter.ranges(1.0, false);
    EXPECT_EQ(ranges.tensors, (std::vector<float>{1.0f, 2.0f, 2.75f}));
    EXPECT_EQ(ranges.before[0], 2.0f);
    model::Quantised quantised;
    std::uint32_t step = 0;
    std::string why;
    ASSERT_TRUE(model::quantise(net, ranges, &quantised, &step, why)) << why;
    EXPECT_EQ(quantised.weights, (std::vector<std::int8_t>{127, 127, -127, 64, 127, 127}));  // 0.25 is 63.5: to even
    // h0: 127 * 127 * 2 = 32258, of scale 1/127/127; to 2/127: 127. h1: (127 * 127 - 127 * 64) = 8001, of scale
    // 0.5/127/127, to 2/127: 15.75, 16. y: 143 * 127 + bias, of scale 2/127/127: bias 0.5 is 4032.25.
    EXPECT_EQ(quantised.biases, (std::vector<std::int32_t>{0, 0, 4032}));
    core::NetworkProgram program{};
    program.network = net;
    program.precision = core::Precision::int8;
    program.quantised = quantised.view();
    float out[2];
    float* outputs[] = {out};
    model::run_reference(program, inputs, outputs, 2);
    const float scale = quantised.scales[0];
    EXPECT_FLOAT_EQ(scale, 2.0f / 127.0f / 127.0f);
    EXPECT_EQ(out[0], static_cast<float>(143 * 127 + 4032) * scale);
    EXPECT_EQ(out[1], 4032.0f * scale);
}

std::vector<ZooNetwork> int8_zoo() {
    std::vector<ZooNetwork> zoo = network_zoo();
    const std::size_t count = zoo.size();
    for (std::size_t i = 0; i < count; ++i)
        zoo.push_back({zoo[i].name + ", then dense", then_dense(zoo[i].network)});
    return zoo;
}

TEST(Int8Network, CpuGivesTheReferencesBitsOnEveryLevelAndInEveryBatch) {
    CountedMemory memory;
    int possible = 0;
    int integer_steps = 0;
    for (const ZooNetwork& zoo : int8_zoo()) {
        const core::NetworkView net = zoo.network.view();
        const Int8Program int8(net);
        if (!int8.possible) continue;
        ++possible;
        for (const core::QuantisedStep& step : int8.quantised.steps)
            integer_steps += step.kind == core::QuantisedKind::integer ? 1 : 0;
        constexpr std::uint32_t kRows = 21;
        Batch truth(net, kRows, 42);
        for (Floats& input : truth.inputs)
            input[1] = 50.0f;  // far outside of what was calibrated
        model::run_reference(int8.program, truth.in(net).data(), truth.out(net).data(), kRows);
        for (const CpuLevel level : levels()) {
            const auto network = make(int8.program, memory, level);
            Batch whole(net, kRows, 42);
            Batch parts(net, kRows, 42);
            whole.inputs = parts.inputs = truth.inputs;
            run(*network, whole, 0, kRows);
            for (std::uint32_t first = 0, rows = 1; first < kRows;
                 first += rows, rows = std::min(rows + 3, kRows - first))
                run(*network, parts, first, rows);
            for (std::size_t o = 0; o < truth.outputs.size(); ++o) {
                for (std::size_t i = 0; i < truth.outputs[o].size(); ++i) {
                    // Any NaN is as good as any other.
                    if (std::isnan(truth.outputs[o][i]) && std::isnan(whole.outputs[o][i])) continue;
                    ASSERT_EQ(core::float_bits(whole.outputs[o][i]), core::float_bits(truth.outputs[o][i]))
                        << zoo.name << ", level " << static_cast<int>(level) << ", output " << o << "[" << i
                        << "]: " << whole.outputs[o][i] << " for " << truth.outputs[o][i];
                }
                ASSERT_EQ(std::memcmp(whole.outputs[o].data(), parts.outputs[o].data(),
                                      whole.outputs[o].size() * sizeof(float)),
                          0)
                    << zoo.name;
            }
        }
    }
    EXPECT_GE(possible, 60);
    EXPECT_GE(integer_steps, 60);
}

// Whatever the factors: saturated results, shifts at both ends, residuals that drown the sums.
TEST(Int8Network, CpuFollowsTheReferenceThroughEveryFactor) {
    CountedMemory memory;
    SplitMix64 random(8);
    for (const ZooNetwork& zoo : int8_zoo()) {
        const core::NetworkView net = zoo.network.view();
        Int8Program int8(net, 4);
        if (!int8.possible) continue;
        const auto factor = [&] {
            const int kind = random.below(4);
            const auto shift = static_cast<std::int32_t>(kind == 0 ? 1 + random.below(62) : 28 + random.below(20));
            return core::Rescale{static_cast<std::int32_t>(random.next() >> 33), shift};
        };
        for (core::Rescale& rescale : int8.quantised.rescales)
            rescale = factor();
        for (std::int32_t& bias : int8.quantised.biases)
            bias = static_cast<std::int32_t>(random.next() >> 33) - (1 << 30);
        for (core::QuantisedStep& step : int8.quantised.steps) {
            step.a = factor();
            step.b = factor();
        }
        Batch truth(net, 5, 42);
        model::run_reference(int8.program, truth.in(net).data(), truth.out(net).data(), 5);
        for (const CpuLevel level : levels()) {
            const auto network = make(int8.program, memory, level);
            Batch batch(net, 5, 42);
            run(*network, batch, 0, 5);
            for (std::size_t o = 0; o < truth.outputs.size(); ++o)
                for (std::size_t i = 0; i < truth.outputs[o].size(); ++i) {
                    if (std::isnan(truth.outputs[o][i]) && std::isnan(batch.outputs[o][i])) continue;
                    ASSERT_EQ(core::float_bits(batch.outputs[o][i]), core::float_bits(truth.outputs[o][i]))
                        << zoo.name << ", level " << static_cast<int>(level) << ", output " << o << "[" << i << "]";
                }
        }
    }
}

TEST(Int8Network, StaysNearTheFloats) {
    for (const ZooNetwork& zoo : int8_zoo()) {
        const core::NetworkView net = zoo.network.view();
        const Int8Program int8(net, 64);
        if (!int8.possible) continue;
        Batch floats(net, 64, 99);
        Batch integers(net, 64, 99);
        model::run_reference(net, floats.in(net).data(), floats.out(net).data(), 64);
        model::run_reference(int8.program, integers.in(net).data(), integers.out(net).data(), 64);
        for (std::size_t o = 0; o < floats.outputs.size(); ++o) {
            float least = std::numeric_limits<float>::infinity();
            float most = -least;
            for (const float x : floats.outputs[o]) {  // NaN is neither
                least = x < least ? x : least;
                most = x > most ? x : most;
            }
            double squares = 0.0;
            int compared = 0;
            for (std::size_t i = 0; i < floats.outputs[o].size(); ++i) {
                const double difference =
                    static_cast<double>(floats.outputs[o][i]) - static_cast<double>(integers.outputs[o][i]);
                if (std::isnan(difference)) continue;
                squares += difference * difference;
                ++compared;
            }
            EXPECT_LT(std::sqrt(squares / compared), 0.025 * static_cast<double>(most - least))
                << zoo.name << ", output " << o;
        }
    }
}

// Hidden numbers of sizes 1 .. 8, which the next layer brings back to one size: with one scale the small ones are
// coarse.
TEST(Int8Network, ScalesOfSingleElementsKeepSmallOnesFine) {
    SplitMix64 random(12);
    NetworkBuilder b;
    const auto x = b.input({16});
    const auto h = b.tensor({32});
    const auto y = b.tensor({4});
    Floats first = layer_weights(random, 16 * 32, 16);
    Floats second = layer_weights(random, 32 * 4, 32);
    for (std::size_t c = 0; c < 32; ++c) {
        const float size = c % 8 == 0 ? 8.0f : 1.0f;
        for (std::size_t k = 0; k < 16; ++k)
            first[k * 32 + c] *= size;
        for (std::size_t n = 0; n < 4; ++n)
            second[c * 4 + n] /= size;
    }
    b.dense(x, h, 16, 32, first).activation = core::Activation::relu;
    b.dense(h, y, 32, 4, second);
    b.output(y);
    const core::NetworkView net = b.view();
    Batch truth(net, 64, 7);
    model::run_reference(net, truth.in(net).data(), truth.out(net).data(), 64);
    const auto squares = [&](bool by_element) {
        const Int8Program int8(net, 512, by_element);
        Batch batch(net, 64, 7);
        model::run_reference(int8.program, batch.in(net).data(), batch.out(net).data(), 64);
        double sum = 0.0;
        for (std::size_t i = 0; i < batch.outputs[0].size(); ++i)
            sum += std::pow(static_cast<double>(batch.outputs[0][i] - truth.outputs[0][i]), 2);
        return sum;
    };
    EXPECT_LT(squares(true), 0.25 * squares(false));
}

TEST(Int8Network, StepsWithoutAFormAreNamed) {
    const NetworkBuilder attention = then_dense(test::attention());
    const Int8Program int8(attention.view());
    EXPECT_FALSE(int8.possible);
    EXPECT_EQ(int8.step, 0u) << "the layer norm is the first";
    EXPECT_NE(int8.why.find("no int8 form"), std::string::npos) << int8.why;
    const NetworkBuilder binaries = then_dense(test::binaries());
    const Int8Program powers(binaries.view());
    EXPECT_FALSE(powers.possible);
    EXPECT_EQ(powers.step, 3u) << "the power";
}

TEST(Int8Network, SumsThatCouldOverflowAreRefused) {
    for (const std::uint32_t k : {133000u, 134000u}) {  // 127 * 127 * 133144 is the last that fits
        NetworkBuilder b;
        const auto x = b.input({k});
        const auto y = b.tensor({1});
        b.dense(x, y, k, 1, Floats(k, 0.5f));
        b.output(y);
        const Int8Program int8(b.view(), 2);
        EXPECT_EQ(int8.possible, k == 133000u) << int8.why;
        if (!int8.possible) {
            EXPECT_NE(int8.why.find("overflow"), std::string::npos) << int8.why;
        }
    }
}

TEST(Int8Network, ABiasFarBeyondTheWeightsStillFits) {
    NetworkBuilder b;
    const auto x = b.input({4});
    const auto h = b.tensor({2});
    const auto y = b.tensor({2});
    b.dense(x, h, 4, 2, Floats(8, 1e-12f), {1.0f, -3.0f});
    b.dense(h, y, 2, 2, {1.0f, 0.0f, 0.0f, 1.0f});
    b.output(y);
    const core::NetworkView net = b.view();
    const Int8Program int8(net, 4);
    ASSERT_TRUE(int8.possible) << int8.why;
    Batch batch(net, 1, 1);
    model::run_reference(int8.program, batch.in(net).data(), batch.out(net).data(), 1);
    EXPECT_NEAR(batch.outputs[0][0], 1.0f, 0.02f);
    EXPECT_NEAR(batch.outputs[0][1], -3.0f, 0.02f);
}

TEST(SingleTensors, AreTheOutputsAndWhatStandsBetweenThemAndTheLastWeights) {
    NetworkBuilder b;
    const auto x = b.input({4});
    const auto h = b.tensor({4});
    const auto logits = b.tensor({4});
    const auto shifted = b.tensor({4});
    const auto policy = b.tensor({4});
    b.dense(x, h, 4, 4, Floats(16, 0.5f));
    b.dense(h, logits, 4, 4, Floats(16, 0.5f));
    b.binary(core::BinaryOp::add, logits, h, shifted);  // h is read by weights as well
    b.step(core::NetworkOp::softmax, shifted, policy).axis = {1, 4, 1};
    b.output(policy);
    EXPECT_EQ(model::single_tensors(b.view()), (std::vector<std::uint32_t>{0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace augur::test
