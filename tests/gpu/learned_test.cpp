// Learned rules through the C interface on a GPU: on the host's memory and on the device's, in time, within memory, and
// recorded, beside the CPU.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/learned_host.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 600, kNumbers = 5;

bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string asset(const std::string& name) {
    const char* tests = std::getenv("AUGUR_TESTS_DIR");
    const std::string root = tests != nullptr ? std::string(tests) + "/.." : std::string(AUGUR_SOURCE_DIR);
    std::ifstream file(root + "/assets/models/balance_" + name + ".onnx", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class GpuLearned : public ::testing::Test {
  protected:
    LearnedHost gpu_, cpu_;

    void SetUp() override {
        if (!has_gpu()) GTEST_SKIP() << "no cuda device";
    }
    static void make_rules(LearnedHost& host, augur_backend backend, augur_precision precision = AUGUR_PRECISION_INT8) {
        host.create_context(2, backend);
        augur_model_desc desc = augur_model_desc_default();
        desc.precision = static_cast<std::uint32_t>(precision);
        desc.precision_limit = 0.5f;  // without real states as samples it is rough, and the same everywhere
        host.take_models(asset("representation"), asset("dynamics"), asset("prediction"), desc);
        host.rules_desc.discount = 0.96875f;
    }
    static void make(LearnedHost& host, augur_backend backend, std::uint32_t simulations = 24) {
        make_rules(host, backend);
        host.planner_desc.simulations = simulations;
        host.create_planner(kAgents);
        host.bind_all(kNumbers, true);
        see(host, 0);
    }
    // Sixteenths, so that nothing is rounded; some agents see no numbers, some may do one thing only.
    static void see(LearnedHost& host, std::uint32_t frame) {
        for (std::uint32_t i = 0; i < kAgents; ++i) {
            for (std::uint32_t n = 0; n < kNumbers; ++n)
                host.observations[i * kNumbers + n] =
                    (static_cast<float>(((i + 7 * frame) * (5 + 6 * n) + 3 * n) % 17) - 8.0f) / 16.0f;
            if (i % 50 == 3) host.observations[i * kNumbers + 2] = INFINITY;
            host.legal[i] = i % 40 == 1 ? 2u : i % 3 == 0 ? 5u : 7u;
        }
    }
    static augur_frame_result plan(LearnedHost& host) {
        augur_frame_result result{};
        result.struct_size = sizeof result;
        EXPECT_GE(host.plan(&result), 0) << augur_last_message();
        return result;
    }
    static augur_counters counters(const LearnedHost& host) {
        augur_counters counters{};
        counters.struct_size = sizeof counters;
        EXPECT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
        return counters;
    }
};

TEST_F(GpuLearned, DecidesAsTheCpuDoes) {
    for (const augur_search search : {AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE})
        for (const augur_selection selection : {AUGUR_SELECTION_PUCT, AUGUR_SELECTION_GUMBEL}) {
            if (search == AUGUR_SEARCH_TREE && selection == AUGUR_SELECTION_GUMBEL) continue;
            LearnedHost gpu, cpu;
            for (LearnedHost* host : {&gpu, &cpu}) {
                host->planner_desc.search = search;
                host->planner_desc.selection = selection;
                make(*host, host == &gpu ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU);
            }
            for (std::uint32_t frame = 0; frame < 3; ++frame) {
                see(gpu, frame);
                see(cpu, frame);
                const augur_frame_result a = plan(gpu), b = plan(cpu);
                EXPECT_EQ(a.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
                EXPECT_EQ(a.decision_hash, b.decision_hash);
                EXPECT_EQ(a.simulations, b.simulations);
                EXPECT_EQ(gpu.actions, cpu.actions);
            }
            EXPECT_EQ(counters(gpu).execution, static_cast<std::uint32_t>(AUGUR_EXECUTION_WAVES));
            for (const std::uint32_t agent : {0u, 2u, 599u}) {
                std::vector<float> visits_and_more(4, 777.0f);
                float value[2] = {};
                std::uint32_t visits[2][4] = {{7, 7, 7, 777}, {7, 7, 7, 777}};
                ASSERT_EQ(augur_planner_root(gpu.planner, agent, visits[0], visits_and_more.data()), AUGUR_OK);
                ASSERT_EQ(augur_planner_root(cpu.planner, agent, visits[1], nullptr), AUGUR_OK);
                for (int a = 0; a < 4; ++a)
                    EXPECT_EQ(visits[0][a], visits[1][a]);
                EXPECT_EQ(visits_and_more[3], 777.0f) << "no more than the actions there are";
                float priors[2][4] = {{0, 0, 0, 777}, {0, 0, 0, 777}};
                ASSERT_EQ(augur_planner_advice(gpu.planner, agent, priors[0], &value[0]), AUGUR_OK);
                ASSERT_EQ(augur_planner_advice(cpu.planner, agent, priors[1], &value[1]), AUGUR_OK);
                for (int a = 0; a < 4; ++a)
                    EXPECT_EQ(priors[0][a], priors[1][a]);
                EXPECT_EQ(value[0], value[1]);
            }
        }
}

TEST_F(GpuLearned, ReadsObservationsWhereverTheyLieAndInAnyFormat) {
    make(gpu_, AUGUR_BACKEND_CUDA);
    make(cpu_, AUGUR_BACKEND_CPU);
    const std::uint64_t expected = plan(cpu_).decision_hash;
    // In the device's memory, a structure to an agent.
    constexpr std::size_t kStride = (kNumbers + 3) * sizeof(float);
    unsigned char* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 64 + kAgents * kStride), cudaSuccess);
    ASSERT_EQ(cudaMemset(device, 0xff, 64 + kAgents * kStride), cudaSuccess);
    ASSERT_EQ(cudaMemcpy2D(device + 64, kStride, gpu_.observations.data(), kNumbers * sizeof(float),
                           kNumbers * sizeof(float), kAgents, cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
    augur_buffer_desc buffer = augur_buffer_desc_default();
    buffer.kind = AUGUR_BUFFER_CUDA;
    buffer.access = AUGUR_ACCESS_READ;
    buffer.pointer = device;
    buffer.size_bytes = 64 + kAgents * kStride;
    augur_binding at{{0}, AUGUR_FORMAT_F32, 0, 64, kStride};
    ASSERT_EQ(augur_buffer_register(gpu_.context, &buffer, &at.buffer), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(augur_planner_bind(gpu_.planner, "observation", &at), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(plan(gpu_).decision_hash, expected);
    // Whole numbers of the host: sixteen times as large, between others.
    augur_planner_destroy(gpu_.planner);
    gpu_.rules_desc.observation_scale = cpu_.rules_desc.observation_scale = 1.0f / 16.0f;
    std::vector<std::int8_t> bytes(kAgents * 8, 99);
    for (LearnedHost* host : {&gpu_, &cpu_}) {
        host->create_planner(kAgents);
        host->bind_all(kNumbers, true);
        see(*host, 0);
        for (std::uint32_t i = 0; i < kAgents; ++i)
            for (std::uint32_t n = 0; n < kNumbers; ++n) {
                const float number = host->observations[i * kNumbers + n];
                bytes[i * 8 + n] = std::isfinite(number) ? static_cast<std::int8_t>(number * 16.0f) : std::int8_t{0};
            }
        at = {host->buffer_of(bytes.data(), bytes.size(), AUGUR_ACCESS_READ), AUGUR_FORMAT_I8, 0, 0, 8};
        ASSERT_EQ(augur_planner_bind(host->planner, "observation", &at), AUGUR_OK) << augur_last_message();
    }
    EXPECT_EQ(plan(gpu_).decision_hash, plan(cpu_).decision_hash);
    augur_context_destroy(std::exchange(gpu_.context, {0}));
    cudaFree(device);
}

TEST_F(GpuLearned, EndsInTimeAndCanBeCancelled) {
    make(gpu_, AUGUR_BACKEND_CUDA, 20000);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = kAgents;
    frame.budget_us = 3000;
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(augur_planner_request(gpu_.planner, &frame), AUGUR_OK);
        augur_frame_result result{};
        result.struct_size = sizeof result;
        EXPECT_EQ(augur_planner_collect(gpu_.planner, UINT64_MAX, &result), AUGUR_DEADLINE_HIT);
        EXPECT_GT(result.simulations, 0u);
        for (std::uint32_t agent = 0; agent < kAgents; ++agent)
            EXPECT_EQ(gpu_.actions[agent] >= 0 && gpu_.actions[agent] < 3, agent % 50 != 3) << agent;
    }
    frame.budget_us = INT64_MAX;
    ASSERT_EQ(augur_planner_request(gpu_.planner, &frame), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(gpu_.planner), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(gpu_.planner, UINT64_MAX, nullptr), AUGUR_CANCELLED);
    frame.simulations = 8;
    ASSERT_EQ(augur_planner_request(gpu_.planner, &frame), AUGUR_OK);
    ASSERT_GE(augur_planner_collect(gpu_.planner, UINT64_MAX, nullptr), 0);
    augur_timeline_frame frames[32];
    std::uint32_t count = 32;
    ASSERT_GE(augur_planner_timeline(gpu_.planner, frames, &count), 0) << augur_last_message();
    const augur_stage_span& evaluate = frames[count - 1].stages[AUGUR_STAGE_EVALUATE];
    EXPECT_GT(evaluate.end_ns, evaluate.begin_ns) << "the networks' share of the search";
}

TEST_F(GpuLearned, TellsItsMemoryToTheByte) {
    make_rules(gpu_, AUGUR_BACKEND_CUDA, AUGUR_PRECISION_FP16);
    ASSERT_EQ(augur_rules_learned(gpu_.context, &gpu_.rules_desc, &gpu_.planner_desc.rules), AUGUR_OK);
    gpu_.planner_desc.agent_capacity = kAgents;
    augur_planner_memory_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_planner_memory(gpu_.context, &gpu_.planner_desc, &info), AUGUR_OK) << augur_last_message();
    gpu_.create_planner(kAgents);
    EXPECT_EQ(counters(gpu_).device_bytes, info.device_bytes);
    EXPECT_EQ(counters(gpu_).host_bytes, info.host_bytes);
    EXPECT_GE(info.device_bytes, std::uint64_t{info.bytes_per_node} * kAgents);
}

TEST_F(GpuLearned, RecordsWhatTheCpuReplaysAndTheOtherWayRound) {
    const std::string path = ::testing::TempDir() + "augur_gpu_learned_recording.augur";
    make(gpu_, AUGUR_BACKEND_CUDA);
    make(cpu_, AUGUR_BACKEND_CPU);
    for (LearnedHost* host : {&gpu_, &cpu_}) {
        LearnedHost& other = host == &gpu_ ? cpu_ : gpu_;
        ASSERT_EQ(augur_planner_record_start(host->planner, path.c_str()), AUGUR_OK) << augur_last_message();
        for (std::uint32_t frame = 0; frame < 3; ++frame) {
            see(*host, frame);
            plan(*host);
        }
        ASSERT_EQ(augur_planner_record_stop(host->planner), AUGUR_OK) << augur_last_message();
        augur_replay_report report{};
        report.struct_size = sizeof report;
        ASSERT_EQ(augur_replay_with_rules(other.context, path.c_str(), other.planner_desc.rules, &report), AUGUR_OK)
            << augur_last_message();
        EXPECT_EQ(report.frames_equal, 3u);
        EXPECT_EQ(report.backend, static_cast<std::uint32_t>(host == &gpu_ ? AUGUR_BACKEND_CPU : AUGUR_BACKEND_CUDA));
    }
    std::remove(path.c_str());
}

}  // namespace
}  // namespace augur::test
