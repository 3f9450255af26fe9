// Models through the C interface on a GPU: on the host's memory and on the device's, against a context without one.

#include <augur/augur.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/dense_onnx.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kRows = 1000;

struct Session {
    augur_context_id context{0};
    augur_model_id model{0};
    augur_result created = AUGUR_OK;
    augur_model_info info{};

    Session(augur_backend backend, augur_precision precision, const std::string& bytes, std::uint64_t cap = 0) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = static_cast<std::uint32_t>(backend);
        desc.gpu_memory_cap_bytes = cap;
        created = augur_context_create(&desc, &context);
        if (created < 0) return;
        augur_model_desc model_desc = augur_model_desc_default();
        model_desc.data = bytes.data();
        model_desc.size_bytes = bytes.size();
        model_desc.precision = static_cast<std::uint32_t>(precision);
        model_desc.row_capacity = kRows;
        created = augur_model_create(context, &model_desc, &model);
        info.struct_size = sizeof info;
        EXPECT_EQ(augur_model_describe(model, &info), AUGUR_OK) << augur_last_message();
    }
    ~Session() { augur_context_destroy(context); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    augur_buffer_id buffer(void* data, std::size_t size, augur_access access, augur_buffer_kind kind) const {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.kind = static_cast<std::uint32_t>(kind);
        desc.access = static_cast<std::uint32_t>(access);
        desc.pointer = data;
        desc.size_bytes = size;
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(context, &desc, &id), AUGUR_OK) << augur_last_message();
        return id;
    }

    std::vector<float> evaluate(std::vector<float> in, std::size_t outputs, bool on_device) const {
        std::vector<float> out(kRows * outputs, -7.0f);
        void* device[2] = {};
        if (on_device) {
            EXPECT_EQ(cudaMalloc(&device[0], in.size() * 4), cudaSuccess);
            EXPECT_EQ(cudaMalloc(&device[1], out.size() * 4), cudaSuccess);
            EXPECT_EQ(cudaMemcpy(device[0], in.data(), in.size() * 4, cudaMemcpyHostToDevice), cudaSuccess);
            EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
        }
        const augur_buffer_kind kind = on_device ? AUGUR_BUFFER_CUDA : AUGUR_BUFFER_HOST;
        augur_evaluation_desc desc = augur_evaluation_desc_default();
        desc.row_count = kRows;
        desc.inputs[0].buffer = buffer(on_device ? device[0] : in.data(), in.size() * 4, AUGUR_ACCESS_READ, kind);
        desc.outputs[0].buffer = buffer(on_device ? device[1] : out.data(), out.size() * 4, AUGUR_ACCESS_WRITE, kind);
        desc.inputs[0].format = desc.outputs[0].format = AUGUR_FORMAT_F32;
        for (int time = 0; time < 3; ++time) {
            EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
            augur_evaluation_result result{};
            result.struct_size = sizeof result;
            EXPECT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK) << augur_last_message();
            EXPECT_EQ(result.not_finite, 0u);
            EXPECT_GT(result.request_to_done_ns, 0u);
        }
        if (on_device) {
            EXPECT_EQ(cudaMemcpy(out.data(), device[1], out.size() * 4, cudaMemcpyDeviceToHost), cudaSuccess);
        }
        augur_buffer_unregister(desc.inputs[0].buffer);
        augur_buffer_unregister(desc.outputs[0].buffer);
        for (void* pointer : device)
            if (pointer != nullptr) cudaFree(pointer);
        return out;
    }
};

std::string some_model() {
    return write_dense_onnx(
        42, {96, 64}, {{"policy", 7, ""}}, [](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
            const std::uint32_t h = (layer * 7919u + row * 104729u + column * 1299709u) * 2654435761u;
            return (static_cast<float>(h >> 16) / 32768.0f - 1.0f) * 0.2f;
        });
}

std::vector<float> some_rows() {
    std::vector<float> rows(kRows * 42);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<float>((i * 2654435761u) >> 16 & 0xffffu) / 32768.0f - 1.0f;
    return rows;
}

bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(ModelOnGpu, AnswersAsTheCpuDoes) {
    if (!has_gpu()) GTEST_SKIP() << "no cuda device";
    const std::string bytes = some_model();
    for (const augur_precision precision : {AUGUR_PRECISION_FP32, AUGUR_PRECISION_FP16, AUGUR_PRECISION_INT8}) {
        const Session cpu(AUGUR_BACKEND_CPU, precision, bytes);
        const Session gpu(AUGUR_BACKEND_CUDA, precision, bytes);
        ASSERT_EQ(cpu.created, AUGUR_OK);
        ASSERT_EQ(gpu.created, AUGUR_OK) << augur_last_message();
        EXPECT_EQ(gpu.info.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
        EXPECT_EQ(gpu.info.precision, static_cast<std::uint32_t>(precision));
        EXPECT_GT(gpu.info.weight_bytes, 0u);
        EXPECT_GT(gpu.info.reserved_bytes, 0u);
        const std::vector<float> truth = cpu.evaluate(some_rows(), 7, false);
        for (const bool on_device : {false, true}) {
            const std::vector<float> found = gpu.evaluate(some_rows(), 7, on_device);
            for (std::size_t i = 0; i < truth.size(); ++i)
                ASSERT_NEAR(found[i], truth[i], precision == AUGUR_PRECISION_INT8 ? 0.0f : 8e-3f)
                    << static_cast<int>(precision) << (on_device ? " on the device, " : " on the host, ") << i;
        }
    }
}

TEST(ModelOnGpu, RunsInHalfPrecisionThereUnlessToldOtherwise) {
    if (!has_gpu()) GTEST_SKIP() << "no cuda device";
    const Session gpu(AUGUR_BACKEND_CUDA, AUGUR_PRECISION_AUTO, some_model());
    ASSERT_EQ(gpu.created, AUGUR_OK);
    EXPECT_EQ(gpu.info.precision, static_cast<std::uint32_t>(AUGUR_PRECISION_FP16));
    EXPECT_LT(gpu.info.policy_error, 0.01f);
}

TEST(ModelOnGpu, StaysWithinTheCapOrOnTheCpu) {
    if (!has_gpu()) GTEST_SKIP() << "no cuda device";
    const Session gpu(AUGUR_BACKEND_CUDA, AUGUR_PRECISION_INT8, some_model(), 4096);
    EXPECT_EQ(gpu.created, AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(gpu.info.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    const Session cpu(AUGUR_BACKEND_CPU, AUGUR_PRECISION_INT8, some_model());
    EXPECT_EQ(gpu.evaluate(some_rows(), 7, false), cpu.evaluate(some_rows(), 7, false));
}

std::string guide(std::uint32_t number) {
    return write_dense_onnx(42, {32, 16}, {{"policy", 7, ""}, {"value", 1, "Tanh"}},
                            [number](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
                                const std::uint32_t h =
                                    (number * 31337u + layer * 7919u + row * 104729u + column * 1299709u) * 2654435761u;
                                return (static_cast<float>(h >> 16) / 32768.0f - 1.0f) * 0.3f;
                            });
}

// The decision hashes of frames in which the model is swapped again and again, right after the request.
std::vector<std::uint64_t> swap_hashes(augur_backend backend, bool swaps_while_running) {
    constexpr std::uint32_t kAgents = 500;
    const Session session(backend, AUGUR_PRECISION_INT8, guide(0));
    augur_model_id models[2] = {session.model, {0}};
    const std::string other = guide(1);
    augur_model_desc model_desc = augur_model_desc_default();
    model_desc.data = other.data();
    model_desc.size_bytes = other.size();
    model_desc.precision = AUGUR_PRECISION_INT8;
    model_desc.precision_limit = 1.0f;
    EXPECT_EQ(augur_model_create(session.context, &model_desc, &models[1]), AUGUR_OK) << augur_last_message();
    augur_planner_desc desc = augur_planner_desc_default();
    EXPECT_EQ(augur_rules_builtin(session.context, "connect_four", &desc.rules), AUGUR_OK);
    desc.agent_capacity = kAgents;
    desc.simulations = 64;
    desc.model = models[0];
    augur_planner_id planner{0};
    EXPECT_EQ(augur_planner_create(session.context, &desc, &planner), AUGUR_OK) << augur_last_message();
    std::vector<std::uint64_t> own(kAgents), opponents(kAgents);
    std::vector<std::int32_t> actions(kAgents);
    for (std::uint32_t i = 0; i < kAgents; ++i) {
        own[i] = 1ull << (7 * (i % 7));
        opponents[i] = 1ull << (7 * ((i + 1 + i / 7 % 6) % 7));
    }
    const auto shared = [&](auto& numbers, augur_access access) {
        return session.buffer(numbers.data(), numbers.size() * sizeof(numbers[0]), access, AUGUR_BUFFER_HOST);
    };
    augur_binding binding{shared(own, AUGUR_ACCESS_READ), AUGUR_FORMAT_U64, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind(planner, "own", &binding), AUGUR_OK);
    binding.buffer = shared(opponents, AUGUR_ACCESS_READ);
    EXPECT_EQ(augur_planner_bind(planner, "other", &binding), AUGUR_OK);
    binding = {shared(actions, AUGUR_ACCESS_WRITE), AUGUR_FORMAT_I32, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_actions(planner, &binding), AUGUR_OK);
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t i = 0; i < 30; ++i) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kAgents;
        EXPECT_EQ(augur_planner_request(planner, &frame), AUGUR_OK) << augur_last_message();
        augur_frame_result result{};
        result.struct_size = sizeof result;
        if (!swaps_while_running) augur_planner_collect(planner, UINT64_MAX, &result);
        EXPECT_EQ(augur_planner_set_model(planner, models[(i + 1) % 2]), AUGUR_OK) << augur_last_message();
        EXPECT_GE(augur_planner_collect(planner, UINT64_MAX, &result), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(result.backend, static_cast<std::uint32_t>(backend));
        hashes.push_back(result.decision_hash);
    }
    return hashes;
}

TEST(ModelOnGpu, IsSwappedWhileAFrameRuns) {
    if (!has_gpu()) GTEST_SKIP() << "no cuda device";
    const std::vector<std::uint64_t> expected = swap_hashes(AUGUR_BACKEND_CPU, false);
    EXPECT_NE(expected[0], expected[1]);
    EXPECT_EQ(swap_hashes(AUGUR_BACKEND_CUDA, true), expected);
}

}  // namespace
}  // namespace augur::test
