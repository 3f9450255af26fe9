// The CPU backend's networks against the plain interpreter, on every level of the instruction set that is here.

#include "backend/cpu/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "model/reference.h"
#include "support/network_cpu.h"
#include "support/network_zoo.h"

namespace augur::test {
namespace {

TEST(CpuNetwork, EveryStepAgreesWithTheReferenceOnEveryLevel) {
    CountedMemory memory;
    for (const ZooNetwork& zoo : network_zoo()) {
        const core::NetworkView net = zoo.network.view();
        Batch truth(net, 9, 42);
        model::run_reference(net, truth.in(net).data(), truth.out(net).data(), truth.rows);
        for (const CpuLevel level : levels()) {
            const auto network = make(fp32(net), memory, level);
            Batch batch(net, 9, 42);
            run(*network, batch, 0, 9);
            for (std::size_t o = 0; o < batch.outputs.size(); ++o)
                for (std::size_t i = 0; i < batch.outputs[o].size(); ++i) {
                    const float expected = truth.outputs[o][i];
                    if (std::isnan(expected)) {
                        ASSERT_TRUE(std::isnan(batch.outputs[o][i]));
                        continue;
                    }
                    ASSERT_NEAR(batch.outputs[o][i], expected, 1e-5f * std::fmax(1.0f, std::fabs(expected)))
                        << zoo.name << ", level " << static_cast<int>(level) << ", output " << o << "[" << i << "]";
                }
        }
    }
    EXPECT_EQ(memory.held, 0u);
}

TEST(CpuNetwork, ARowsResultsDoNotDependOnItsBatch) {
    CountedMemory memory;
    for (const ZooNetwork& zoo : network_zoo()) {
        const core::NetworkView net = zoo.network.view();
        for (const CpuLevel level : levels()) {
            const auto network = make(fp32(net), memory, level);
            constexpr std::uint32_t kRows = 61;
            Batch whole(net, kRows, 7);
            Batch parts(net, kRows, 7);
            run(*network, whole, 0, kRows);
            for (std::uint32_t first = 0, rows = 1; first < kRows;
                 first += rows, rows = std::min(rows + 2, kRows - first))
                run(*network, parts, first, rows);
            for (std::size_t o = 0; o < whole.outputs.size(); ++o)
                ASSERT_EQ(std::memcmp(whole.outputs[o].data(), parts.outputs[o].data(),
                                      whole.outputs[o].size() * sizeof(float)),
                          0)
                    << zoo.name << ", level " << static_cast<int>(level) << ", output " << o;
        }
    }
}

TEST(CpuNetwork, OutputsThatAreNotWantedChangeNoOther) {
    CountedMemory memory;
    int left_out = 0;
    for (const ZooNetwork& zoo : network_zoo()) {
        const core::NetworkView net = zoo.network.view();
        const auto network = make(fp32(net), memory);
        Batch whole(net, 31, 3);
        run(*network, whole, 0, 31);
        for (std::uint32_t wanted = 0; wanted < net.output_count; ++wanted) {
            Batch alone(net, 31, 3);
            const std::vector<std::vector<float>> untouched = alone.outputs;
            auto outputs = alone.out(net);
            for (std::uint32_t o = 0; o < net.output_count; ++o)
                if (o != wanted) outputs[o] = nullptr;
            std::vector<unsigned char> scratch(network->scratch_bytes(31), 0xff);
            network->run(alone.in(net).data(), outputs.data(), 31, scratch.data());
            for (std::uint32_t o = 0; o < net.output_count; ++o) {
                const std::vector<float>& expected = o == wanted ? whole.outputs[o] : untouched[o];
                EXPECT_EQ(std::memcmp(alone.outputs[o].data(), expected.data(), expected.size() * sizeof(float)), 0)
                    << zoo.name << ", output " << o << " of " << wanted;
                left_out += o != wanted ? 1 : 0;
            }
        }
    }
    EXPECT_GT(left_out, 0) << "no network here has several outputs";
}

TEST(CpuNetwork, LevelsWithFusedMultiplyAddAgreeBitForBit) {
    if (best_cpu_level() < CpuLevel::v4) GTEST_SKIP() << "this machine has no AVX-512";
    CountedMemory memory;
    for (const ZooNetwork& zoo : network_zoo()) {
        const core::NetworkView net = zoo.network.view();
        const auto v3 = make(fp32(net), memory, CpuLevel::v3);
        const auto v4 = make(fp32(net), memory, CpuLevel::v4);
        Batch a(net, 33, 5);
        Batch b(net, 33, 5);
        run(*v3, a, 0, 33);
        run(*v4, b, 0, 33);
        for (std::size_t o = 0; o < a.outputs.size(); ++o)
            ASSERT_EQ(std::memcmp(a.outputs[o].data(), b.outputs[o].data(), a.outputs[o].size() * sizeof(float)), 0)
                << zoo.name << ", output " << o;
    }
}

TEST(CpuNetwork, LongBatchesNeedNoMoreScratchAndStayInBounds) {
    CountedMemory memory;
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    const core::NetworkView net = builder.view();
    const auto network = make(fp32(net), memory);
    EXPECT_EQ(network->scratch_bytes(100000), network->scratch_bytes(1000000));
    EXPECT_LT(network->scratch_bytes(1000000), std::size_t{1} << 20);
    constexpr std::uint32_t kRows = 5000;
    Batch batch(net, kRows, 9);
    std::vector<unsigned char> scratch(network->scratch_bytes(kRows) + 64, 0xab);
    network->run(batch.in(net).data(), batch.out(net).data(), kRows, scratch.data());
    for (std::size_t i = network->scratch_bytes(kRows); i < scratch.size(); ++i)
        ASSERT_EQ(scratch[i], 0xab);
    Batch single(net, kRows, 9);
    run(*network, single, 4321, 1);
    EXPECT_EQ(batch.outputs[0][4321 * 7], single.outputs[0][4321 * 7]);
}

TEST(CpuNetwork, ThreadsRunOneNetworkSideBySide) {
    CountedMemory memory;
    const NetworkBuilder builder = board_resnet();
    const core::NetworkView net = builder.view();
    const auto network = make(fp32(net), memory);
    Batch whole(net, 40, 3);
    Batch shared(net, 40, 3);
    run(*network, whole, 0, 40);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] { run(*network, shared, t * 10, 10); });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(whole.outputs, shared.outputs);
}

TEST(CpuNetwork, NumbersThatAreNotFiniteComeOutAsTheyAre) {
    CountedMemory memory;
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    const core::NetworkView net = builder.view();
    for (const CpuLevel level : levels()) {
        const auto network = make(fp32(net), memory, level);
        Batch batch(net, 3, 9);
        batch.inputs[0][42 + 5] = std::numeric_limits<float>::quiet_NaN();
        run(*network, batch, 0, 3);
        for (int i = 0; i < 7; ++i) {
            EXPECT_TRUE(std::isfinite(batch.outputs[0][i]));
            EXPECT_TRUE(std::isnan(batch.outputs[0][7 + i]));
            EXPECT_TRUE(std::isfinite(batch.outputs[0][14 + i]));
        }
        EXPECT_TRUE(std::isnan(batch.outputs[1][1]));
    }
}

TEST(CpuNetwork, OutputsMayBeInputsOrConstants) {
    CountedMemory memory;
    NetworkBuilder b;
    const auto x = b.input({3});
    const auto c = b.constant({2}, {4.0f, 5.0f});
    b.output(x);
    b.output(c);
    const core::NetworkView net = b.view();
    const auto network = make(fp32(net), memory);
    Batch batch(net, 2, 1);
    run(*network, batch, 0, 2);
    EXPECT_EQ(batch.outputs[0], batch.inputs[0]);
    EXPECT_EQ(batch.outputs[1], (Floats{4.0f, 5.0f, 4.0f, 5.0f}));
}

TEST(CpuNetwork, SaysHowManyBytesItCouldNotHave) {
    CountedMemory memory;
    memory.refuse = true;
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    std::unique_ptr<CpuNetwork> network;
    std::string message;
    EXPECT_EQ(CpuNetwork::make(fp32(builder.view()), memory, best_cpu_level(), &network, message),
              AUGUR_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(network, nullptr);
    EXPECT_NE(message.find("bytes"), std::string::npos) << message;
}

}  // namespace
}  // namespace augur::test
