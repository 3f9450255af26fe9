// The CUDA backend's networks against the CPU backend's: int8 byte for byte, fp32 and fp16 within stated limits.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "gpu/network_gpu.h"
#include "model/onnx.h"
#include "support/network_cpu.h"
#include "support/onnx_cases.h"

namespace augur::test {
namespace {

using core::Precision;

// Greatest difference between the backends, in parts of the greatest number of an output, at least 1. Sums are in
// floats on both, in another order; a half that falls to the other side is off by 2^-11 and goes through what follows.
constexpr double kSingleLimit = 2e-5;
constexpr double kHalfLimit = 8e-3;

std::string name_of(Precision precision) {
    return precision == Precision::fp32 ? "fp32" : precision == Precision::fp16 ? "fp16" : "int8";
}

class NetworkOnGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string why_not;
        device_ = gpu_device(why_not);
        if (device_ == nullptr) GTEST_SKIP() << why_not;
    }

    std::unique_ptr<BackendNetwork> make(const core::NetworkProgram& program) {
        std::unique_ptr<BackendNetwork> network;
        std::string message;
        EXPECT_EQ(cuda::CudaNetwork::make(program, device_, &network, message), AUGUR_OK) << message;
        return network;
    }

    static const cuda::CudaNetwork& on_gpu(const std::unique_ptr<BackendNetwork>& network) {
        return static_cast<const cuda::CudaNetwork&>(*network);
    }

    // The outputs of rows rows in a graph made for capacity, against the CPU's.
    void compare(const core::NetworkProgram& program, std::uint32_t rows, std::uint32_t capacity) {
        const core::NetworkView& net = program.network;
        const std::unique_ptr<BackendNetwork> network = make(program);
        ASSERT_NE(network, nullptr);
        CountedMemory memory;
        const auto on_cpu = test::make(program, memory);
        Batch truth(net, rows, rows * 31 + capacity);
        run(*on_cpu, truth, 0, rows);
        Batch batch(net, rows, rows * 31 + capacity);
        GpuGraph graph(on_gpu(network), capacity);
        graph.put(batch);
        // Twice: what the first run leaves behind must not matter.
        for (int time = 0; time < 2; ++time) {
            graph.launch();
            graph.wait();
            graph.get(batch);
            EXPECT_TRUE(graph.stayed_in_bounds(rows, capacity));
            expect_close(program, truth, batch);
            if (HasFailure()) return;
        }
    }

    static void expect_close(const core::NetworkProgram& program, const Batch& truth, const Batch& batch) {
        for (std::size_t o = 0; o < truth.outputs.size(); ++o) {
            const Floats& expected = truth.outputs[o];
            const Floats& found = batch.outputs[o];
            if (program.precision == Precision::int8) {
                for (std::size_t i = 0; i < expected.size(); ++i)
                    ASSERT_TRUE(std::memcmp(&expected[i], &found[i], sizeof(float)) == 0 ||
                                (std::isnan(expected[i]) && std::isnan(found[i])))
                        << "output " << o << "[" << i << "]: " << found[i] << " instead of " << expected[i];
                continue;
            }
            double scale = 1.0;
            for (const float x : expected)
                if (std::isfinite(x)) scale = std::fmax(scale, std::fabs(double{x}));
            const double limit = scale * (program.precision == Precision::fp32 ? kSingleLimit : kHalfLimit);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                if (!std::isfinite(expected[i])) {
                    ASSERT_FALSE(std::isfinite(found[i])) << "output " << o << "[" << i << "]";
                    continue;
                }
                ASSERT_NEAR(found[i], expected[i], limit) << "output " << o << "[" << i << "]";
            }
        }
    }

    void compare_all(const std::string& name, const core::NetworkView& net,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sizes) {
        for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::int8}) {
            const GpuProgram program(net, precision);
            if (!program.possible) continue;
            for (const auto& [rows, capacity] : sizes) {
                SCOPED_TRACE(name + ", " + name_of(precision) + ", " + std::to_string(rows) + " of " +
                             std::to_string(capacity) + " rows");
                compare(program.program, rows, capacity);
            }
        }
    }

    std::shared_ptr<cuda::Device> device_;
};

TEST_F(NetworkOnGpu, EveryStepAgreesWithTheCpu) {
    for (const ZooNetwork& zoo : network_zoo()) {
        compare_all(zoo.name, zoo.network.view(), {{1, 1}, {3, 3}, {33, 33}, {1, 33}, {3, 33}, {0, 33}});
        compare_all(zoo.name + ", then dense", then_dense(zoo.network).view(), {{3, 5}});
    }
}

// Layers that branch, are many, are wide, or share their products among blocks.
TEST_F(NetworkOnGpu, DenseLayersOfAllShapesAgreeWithTheCpu) {
    SplitMix64 random(11);
    const auto layer = [&](NetworkBuilder& b, std::uint32_t from, std::uint32_t k, std::uint32_t n,
                           core::Activation activation) {
        const auto to = b.tensor({n});
        b.dense(from, to, k, n, layer_weights(random, std::size_t{k} * n, k), random_floats(random, n, -0.1f, 0.1f))
            .activation = activation;
        return to;
    };
    using core::Activation;
    {
        NetworkBuilder b;
        const auto x = b.input({30});
        const auto trunk = layer(b, layer(b, x, 30, 96, Activation::relu), 96, 64, Activation::relu);
        b.output(layer(b, layer(b, trunk, 64, 40, Activation::relu), 40, 7, Activation::none));
        b.output(layer(b, trunk, 64, 3, Activation::none));
        b.output(layer(b, layer(b, trunk, 64, 32, Activation::tanh), 32, 1, Activation::tanh));
        b.output(layer(b, x, 30, 2, Activation::sigmoid));
        compare_all("two hidden branches", b.view(), {{1, 1}, {50, 64}, {5000, 6000}});
    }
    {
        NetworkBuilder b;
        auto x = b.input({17});
        x = layer(b, x, 17, 20, Activation::relu);
        for (int i = 0; i < 11; ++i)
            x = layer(b, x, 20, 20, Activation::relu);
        b.output(x);
        compare_all("twelve layers", b.view(), {{1, 1}, {77, 100}});
    }
    for (const std::uint32_t width : {64u, 128u, 256u}) {
        NetworkBuilder b;
        const auto x = b.input({width / 2});
        const auto h = layer(b, layer(b, x, width / 2, width, Activation::relu), width, width, Activation::relu);
        b.output(layer(b, h, width, 9, Activation::none));
        compare_all("width " + std::to_string(width), b.view(),
                    {{1, 1}, {33, 33}, {5000, 5000}, {70000, 70000}, {40000, 70000}});
    }
    {
        NetworkBuilder b;
        const auto x = b.input({520});
        const auto h = layer(b, layer(b, x, 520, 2048, Activation::relu), 2048, 300, Activation::gelu);
        b.output(layer(b, h, 300, 1001, Activation::none));
        compare_all("wide layers", b.view(), {{1, 1}, {65, 65}, {7, 300}, {3000, 3000}});
    }
    {
        // A flattened picture, and residuals in either order.
        NetworkBuilder b = board_resnet(48, 8, 8);
        compare_all("board resnet of 48", b.view(), {{1, 1}, {600, 1000}, {4096, 4096}});
    }
}

TEST_F(NetworkOnGpu, StoredModelsAgreeWithTheCpu) {
    const char* folder = std::getenv("AUGUR_TESTS_DIR");
    const std::string data = (folder != nullptr ? std::string(folder) : AUGUR_SOURCE_DIR "/tests") + "/data/onnx_ops";
    std::size_t computed = 0;
    for (const OnnxCase& each : read_onnx_cases(data)) {
        if (!each.computes) continue;
        model::Network network;
        std::string message;
        ASSERT_EQ(model::load_onnx({each.model.data(), each.model.size(), ""}, {}, &network, message), AUGUR_OK)
            << message;
        compare_all(each.family + ": " + each.name, network.view(), {{each.rows, each.rows}});
        ++computed;
    }
    EXPECT_GE(computed, 1493U);
}

TEST_F(NetworkOnGpu, ARowsNumbersStayItsOwn) {
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
        const NetworkBuilder builder = board_resnet();
        const core::NetworkView net = builder.view();
        const GpuProgram program(net, precision);
        const std::unique_ptr<BackendNetwork> network = make(program.program);
        Batch batch(net, 3, 9);
        batch.inputs[0][net.tensors[net.inputs[0]].count + 5] = std::numeric_limits<float>::quiet_NaN();
        GpuGraph graph(on_gpu(network), 3);
        graph.put(batch);
        graph.launch();
        graph.wait();
        graph.get(batch);
        EXPECT_TRUE(std::isfinite(batch.outputs[1][0]));
        EXPECT_TRUE(std::isnan(batch.outputs[1][1]));
        EXPECT_TRUE(std::isfinite(batch.outputs[1][2]));
    }
}

TEST_F(NetworkOnGpu, OutputsMayBeInputsOrConstants) {
    NetworkBuilder b;
    const auto x = b.input({3});
    const auto c = b.constant({2}, {4.0f, 5.0f});
    b.output(x);
    b.output(c);
    compare_all("inputs and constants", b.view(), {{2, 2}, {2, 5}});
}

// The evaluator on memory of the host and of the device, in every format, in one part and in several.
TEST_F(NetworkOnGpu, TheEvaluatorReadsAndWritesRowsOfEveryKind) {
    BackendHost host{};
    host.cuda_device = -1;
    std::unique_ptr<Backend> backend;
    std::string message;
    ASSERT_EQ(make_cuda_backend(host, &backend, message), AUGUR_OK) << message;
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    const core::NetworkView net = builder.view();
    const GpuProgram program(net, Precision::int8);
    std::unique_ptr<BackendNetwork> network;
    ASSERT_EQ(backend->make_network(program.program, &network, message), AUGUR_OK) << message;
    EXPECT_GT(network->memory_bytes(), 0u);
    CountedMemory memory;
    const auto on_cpu = test::make(program.program, memory);

    for (const std::uint32_t capacity : {100u, 1500000u}) {
        std::unique_ptr<Evaluator> evaluator;
        ASSERT_EQ(backend->make_evaluator(*network, capacity, &evaluator, message), AUGUR_OK) << message;
        EXPECT_GT(evaluator->memory_bytes(), 0u);
        for (const std::uint32_t rows : {1u, 77u, capacity - 3}) {
            for (const bool device_memory : {false, true}) {
                SCOPED_TRACE(std::to_string(rows) + (device_memory ? " rows on the device" : " rows on the host"));
                // Bytes with a gap after each row, taken as b / 16 - 1; outputs with a gap too, and packed.
                constexpr std::size_t kStride = 48;
                std::vector<std::uint8_t> bytes(rows * kStride);
                SplitMix64 random(rows);
                for (std::uint8_t& byte : bytes)
                    byte = static_cast<std::uint8_t>(random.below(33));
                Batch truth(net, rows, 1);
                for (std::size_t r = 0; r < rows; ++r)
                    for (std::size_t i = 0; i < 42; ++i)
                        truth.inputs[0][r * 42 + i] = static_cast<float>(bytes[r * kStride + i]) * 0.0625f - 1.0f;
                run(*on_cpu, truth, 0, rows);
                std::vector<float> policy(rows * std::size_t{10}, -7.0f), value(rows, -7.0f);
                DeviceBytes device_in(bytes.size()), device_policy(policy.size() * 4), device_value(value.size() * 4);
                device_in.fill(bytes.data(), bytes.size());
                device_policy.fill(policy.data(), policy.size() * 4);
                const auto attach = [&](void* on_host, void* on_device, std::size_t size, std::uint32_t access) {
                    augur_buffer_desc desc{};
                    desc.kind = device_memory ? AUGUR_BUFFER_CUDA : AUGUR_BUFFER_HOST;
                    desc.access = access;
                    desc.size_bytes = size;
                    desc.pointer = device_memory ? on_device : on_host;
                    std::unique_ptr<BackendBuffer> buffer;
                    EXPECT_EQ(backend->attach(desc, &buffer, message), AUGUR_OK) << message;
                    return buffer;
                };
                const auto in = attach(bytes.data(), device_in.as<void>(), bytes.size(), AUGUR_ACCESS_READ);
                const auto policy_out =
                    attach(policy.data(), device_policy.as<void>(), policy.size() * 4, AUGUR_ACCESS_READ_WRITE);
                const auto value_out =
                    attach(value.data(), device_value.as<void>(), value.size() * 4, AUGUR_ACCESS_READ_WRITE);
                EvaluationWork work{};
                work.rows = rows;
                work.inputs[0] = {in.get(), 0, kStride, AUGUR_FORMAT_U8, 0.0625f, -1.0f};
                work.outputs[0] = {policy_out.get(), 4, 40};
                work.outputs[1] = {value_out.get(), 0, 4};
                ASSERT_EQ(evaluator->submit(work), AUGUR_OK);
                ASSERT_EQ(evaluator->wait(UINT64_MAX), AUGUR_OK);
                EXPECT_EQ(evaluator->output().not_finite, 0u);
                if (device_memory) {
                    device_policy.take(policy.data(), policy.size() * 4);
                    device_value.take(value.data(), value.size() * 4);
                }
                for (std::size_t r = 0; r < rows; ++r) {
                    ASSERT_EQ(policy[r * 10], -7.0f);
                    for (std::size_t i = 0; i < 7; ++i)
                        ASSERT_EQ(policy[r * 10 + 1 + i], truth.outputs[0][r * 7 + i]) << r << ", " << i;
                    ASSERT_EQ(policy[r * 10 + 8], -7.0f);
                    ASSERT_EQ(value[r], truth.outputs[1][r]) << r;
                }
                // An output that nobody wants; then numbers that are not finite are counted.
                work.outputs[0] = {};
                ASSERT_EQ(evaluator->submit(work), AUGUR_OK);
                ASSERT_EQ(evaluator->wait(UINT64_MAX), AUGUR_OK);
            }
        }
    }
}

TEST_F(NetworkOnGpu, TheEvaluatorCountsWhatIsNotFinite) {
    BackendHost host{};
    host.cuda_device = -1;
    std::unique_ptr<Backend> backend;
    std::string message;
    ASSERT_EQ(make_cuda_backend(host, &backend, message), AUGUR_OK) << message;
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    const core::NetworkView net = builder.view();
    const GpuProgram program(net, Precision::fp16);
    std::unique_ptr<BackendNetwork> network;
    ASSERT_EQ(backend->make_network(program.program, &network, message), AUGUR_OK) << message;
    std::unique_ptr<Evaluator> evaluator;
    ASSERT_EQ(backend->make_evaluator(*network, 5, &evaluator, message), AUGUR_OK) << message;
    Batch batch(net, 5, 3);
    batch.inputs[0][42 + 3] = std::numeric_limits<float>::quiet_NaN();
    DeviceBytes in(batch.inputs[0].size() * 4), policy(5 * 7 * 4);
    in.fill(batch.inputs[0].data(), batch.inputs[0].size() * 4);
    augur_buffer_desc desc{};
    desc.kind = AUGUR_BUFFER_CUDA;
    desc.access = AUGUR_ACCESS_READ_WRITE;
    std::unique_ptr<BackendBuffer> buffers[2];
    desc.pointer = in.as<void>();
    desc.size_bytes = batch.inputs[0].size() * 4;
    ASSERT_EQ(backend->attach(desc, &buffers[0], message), AUGUR_OK) << message;
    desc.pointer = policy.as<void>();
    desc.size_bytes = 5 * 7 * 4;
    ASSERT_EQ(backend->attach(desc, &buffers[1], message), AUGUR_OK) << message;
    EvaluationWork work{};
    work.rows = 5;
    work.inputs[0] = {buffers[0].get(), 0, 42 * 4, AUGUR_FORMAT_F32, 1.0f, 0.0f};
    work.outputs[0] = {buffers[1].get(), 0, 7 * 4};
    ASSERT_EQ(evaluator->submit(work), AUGUR_OK);
    ASSERT_EQ(evaluator->wait(UINT64_MAX), AUGUR_OK);
    EXPECT_EQ(evaluator->output().not_finite, 7u);
    EXPECT_GT(evaluator->output().done_ns, 0u);
}

}  // namespace
}  // namespace augur::test
