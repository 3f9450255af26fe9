// Memory on the device, and being a guest in a process that uses CUDA itself.

#include <cuda.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "gpu/boards.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 1000;

// Device memory that is freed at the end of a test.
template <class T>
struct DeviceArray {
    T* data = nullptr;
    explicit DeviceArray(std::size_t count) { EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess); }
    ~DeviceArray() { cudaFree(data); }
};

TEST(DeviceMemory, IsReadAndWrittenInPlaceWithTheSameAnswers) {
    AUGUR_NEEDS_GPU();
    Boards boards(kAgents);
    std::vector<std::int32_t> expected(kAgents, -7), actions(kAgents, -7);
    augur_frame_result from_host{}, from_device{};
    {
        Host host(AUGUR_BACKEND_CPU);
        ASSERT_EQ(host.make_planner(kAgents, 48), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), expected.data(), kAgents, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(kAgents), AUGUR_OK);
        ASSERT_GE(host.collect(&from_host), AUGUR_OK);
    }
    DeviceArray<std::uint64_t> own(kAgents), other(kAgents);
    DeviceArray<std::int32_t> chosen(kAgents);
    cudaMemcpy(own.data, boards.own.data(), boards.bytes(), cudaMemcpyHostToDevice);
    cudaMemcpy(other.data, boards.other.data(), boards.bytes(), cudaMemcpyHostToDevice);
    ASSERT_EQ(cudaStreamSynchronize(cudaStreamLegacy),
              cudaSuccess);  // cudaMemcpy may return before the bytes are there
    Host host(AUGUR_BACKEND_CUDA);
    ASSERT_EQ(host.make_planner(kAgents, 48), AUGUR_OK);
    host.bind(own.data, other.data, chosen.data, kAgents, AUGUR_BUFFER_CUDA);
    ASSERT_EQ(host.request(kAgents), AUGUR_OK);
    ASSERT_GE(host.collect(&from_device), AUGUR_OK);
    cudaMemcpy(actions.data(), chosen.data, kAgents * sizeof(std::int32_t), cudaMemcpyDeviceToHost);
    EXPECT_EQ(actions, expected);
    EXPECT_EQ(from_device.decision_hash, from_host.decision_hash);
    EXPECT_EQ(from_device.bytes_copied, 0u);
    EXPECT_EQ(from_device.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
}

TEST(DeviceMemory, MixedUpWithHostMemoryIsRefused) {
    AUGUR_NEEDS_GPU();
    Host host(AUGUR_BACKEND_CUDA);
    DeviceArray<std::uint64_t> device(8);
    std::vector<std::uint64_t> plain(8);
    augur_buffer_id buffer{};
    EXPECT_EQ(host.register_memory(device.data, 64, AUGUR_BUFFER_HOST, AUGUR_ACCESS_READ, &buffer),
              AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(host.register_memory(plain.data(), 64, AUGUR_BUFFER_CUDA, AUGUR_ACCESS_READ, &buffer),
              AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(buffer.value, 0u);
}

TEST(DeviceMemory, PinnedMemoryOfTheHostIsUsedAsItIs) {
    AUGUR_NEEDS_GPU();
    Boards boards(kAgents);
    std::int32_t* actions = nullptr;
    ASSERT_EQ(cudaMallocHost(&actions, kAgents * sizeof(std::int32_t)), cudaSuccess);
    {
        Host host(AUGUR_BACKEND_CUDA);
        ASSERT_EQ(host.make_planner(kAgents, 16), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), actions, kAgents, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(kAgents), AUGUR_OK);
        ASSERT_GE(host.collect(), AUGUR_OK);
    }
    for (std::uint32_t i = 0; i < kAgents; ++i)
        EXPECT_TRUE(actions[i] >= 0 && actions[i] < 7) << i;
    cudaFreeHost(actions);
}

TEST(DeviceMemory, ThatIsManagedMayBeCalledEither) {
    AUGUR_NEEDS_GPU();
    int both_at_once = 0;
    cudaDeviceGetAttribute(&both_at_once, cudaDevAttrConcurrentManagedAccess, 0);
    if (both_at_once == 0) GTEST_SKIP() << "managed memory of this GPU cannot be read by the host meanwhile";
    Boards boards(kAgents);
    std::uint64_t* own = nullptr;
    std::uint64_t* other = nullptr;
    std::int32_t* actions = nullptr;
    ASSERT_EQ(cudaMallocManaged(&own, boards.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&other, boards.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&actions, kAgents * sizeof(std::int32_t)), cudaSuccess);
    std::memcpy(own, boards.own.data(), boards.bytes());
    std::memcpy(other, boards.other.data(), boards.bytes());
    std::uint64_t hashes[2] = {};
    for (const augur_buffer_kind kind : {AUGUR_BUFFER_HOST, AUGUR_BUFFER_CUDA}) {
        for (std::uint32_t i = 0; i < kAgents; ++i)
            actions[i] = -7;
        Host host(AUGUR_BACKEND_CUDA);
        ASSERT_EQ(host.make_planner(kAgents, 16), AUGUR_OK);
        host.bind(own, other, actions, kAgents, kind);
        augur_frame_result result{};
        ASSERT_EQ(host.request(kAgents), AUGUR_OK) << augur_last_message();
        ASSERT_GE(host.collect(&result), AUGUR_OK);
        hashes[kind == AUGUR_BUFFER_CUDA ? 1 : 0] = result.decision_hash;
        for (std::uint32_t i = 0; i < kAgents; ++i)
            ASSERT_TRUE(actions[i] >= 0 && actions[i] < 7) << i;
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    cudaFree(own);
    cudaFree(other);
    cudaFree(actions);
}

TEST(DeviceMemory, OfAnotherGpuIsRefused) {
    AUGUR_NEEDS_GPU();
    int gpus = 0;
    ASSERT_EQ(cudaGetDeviceCount(&gpus), cudaSuccess);
    if (gpus < 2) GTEST_SKIP() << "there is one GPU only";
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    DeviceArray<std::uint64_t> elsewhere(8);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    augur_context_desc desc = augur_context_desc_default();
    desc.cuda_device = 0;
    Host host(AUGUR_BACKEND_CUDA, &desc);
    augur_buffer_id buffer{};
    EXPECT_EQ(host.register_memory(elsewhere.data, 64, AUGUR_BUFFER_CUDA, AUGUR_ACCESS_READ, &buffer),
              AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_NE(std::strstr(augur_last_message(), "CUDA device 1"), nullptr) << augur_last_message();
    EXPECT_EQ(buffer.value, 0u);
}

TEST(DeviceMemory, StaysWithinTheCap) {
    AUGUR_NEEDS_GPU();
    augur_context_desc desc = augur_context_desc_default();
    desc.gpu_memory_cap_bytes = 1 << 20;
    Host host(AUGUR_BACKEND_CUDA, &desc);
    EXPECT_EQ(host.make_planner(65536, 64), AUGUR_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(host.make_planner(16, 8), AUGUR_OK) << "a refused planner keeps nothing of the cap";
}

TEST(DeviceMemory, MoreThanThereIsFailsAndLeavesTheRestUsable) {
    AUGUR_NEEDS_GPU();
    Host host(AUGUR_BACKEND_CUDA);
    EXPECT_EQ(host.make_planner(1048576, 65535), AUGUR_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(host.make_planner(16, 8), AUGUR_OK);
}

TEST(Guest, LeavesThePendingErrorOfTheHostAlone) {
    AUGUR_NEEDS_GPU();
    cudaGetLastError();
    ASSERT_NE(cudaMemcpy(nullptr, nullptr, 8, cudaMemcpyHostToDevice), cudaSuccess);  // the host's own mistake, pending
    const cudaError_t pending = cudaPeekAtLastError();
    Boards boards(8);
    std::vector<std::int32_t> actions(8);
    Host host(AUGUR_BACKEND_CUDA);
    ASSERT_EQ(host.make_planner(8, 16), AUGUR_OK) << "the host's error was taken for ours";
    host.bind(boards.own.data(), boards.other.data(), actions.data(), 8, AUGUR_BUFFER_HOST);
    EXPECT_EQ(host.request(8), AUGUR_OK);
    EXPECT_GE(host.collect(), AUGUR_OK);
    EXPECT_EQ(cudaPeekAtLastError(), pending);
    cudaGetLastError();
}

// The driver's own functions, found as a host without the driver's library at link time finds them.
template <class F>
F driver_function(const char* name, unsigned version) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found), cudaSuccess) << name;
    EXPECT_NE(entry, nullptr) << name;
    return reinterpret_cast<F>(entry);
}

TEST(Guest, LeavesTheContextOfTheCallerCurrentAlsoAfterErrors) {
    AUGUR_NEEDS_GPU();
    const auto create = driver_function<CUresult (*)(CUcontext*, unsigned, CUdevice)>("cuCtxCreate", 11000);
    const auto destroy = driver_function<CUresult (*)(CUcontext)>("cuCtxDestroy", 11000);
    const auto get_current = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent", 11000);
    ASSERT_TRUE(create != nullptr && destroy != nullptr && get_current != nullptr);
    CUcontext mine = nullptr;
    ASSERT_EQ(create(&mine, 0, 0), CUDA_SUCCESS);  // and it is current from here on
    const auto expect_mine = [&](const char* after) {
        CUcontext now = nullptr;
        EXPECT_EQ(get_current(&now), CUDA_SUCCESS) << after;
        EXPECT_EQ(now, mine) << after;
    };
    Boards boards(8);
    std::vector<std::int32_t> actions(8);
    {
        Host host(AUGUR_BACKEND_CUDA);
        expect_mine("augur_context_create");
        ASSERT_EQ(host.make_planner(8, 16), AUGUR_OK);
        expect_mine("augur_planner_create");
        host.bind(boards.own.data(), boards.other.data(), actions.data(), 8, AUGUR_BUFFER_HOST);
        expect_mine("augur_buffer_register");
        EXPECT_EQ(host.request(8), AUGUR_OK);
        expect_mine("augur_planner_request");
        EXPECT_GE(host.collect(), AUGUR_OK);
        expect_mine("augur_planner_collect");
        augur_buffer_id refused{};
        EXPECT_EQ(host.register_memory(boards.own.data(), 64, AUGUR_BUFFER_CUDA, AUGUR_ACCESS_READ, &refused),
                  AUGUR_ERROR_INVALID_BUFFER);
        expect_mine("a buffer that was refused");
        augur_planner_desc too_large = augur_planner_desc_default();
        ASSERT_EQ(augur_rules_builtin(host.context(), "connect_four", &too_large.rules), AUGUR_OK);
        too_large.agent_capacity = 1048576;
        too_large.simulations = 65535;
        augur_planner_id planner{};
        EXPECT_EQ(augur_planner_create(host.context(), &too_large, &planner), AUGUR_ERROR_OUT_OF_MEMORY);
        expect_mine("a planner that there was no memory for");
    }
    expect_mine("augur_context_destroy");
    EXPECT_EQ(destroy(mine), CUDA_SUCCESS);
}

// The host's own work is before the frame in its stream, and longer than the budget.
TEST(Guest, CountsItsBudgetFromTheCallBehindTheHostsOwnWork) {
    AUGUR_NEEDS_GPU();
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    augur_context_desc desc = augur_context_desc_default();
    desc.cuda_stream = stream;
    {
        Boards boards(64);
        std::vector<std::int32_t> actions(64, -7);
        Host host(AUGUR_BACKEND_CUDA, &desc);
        ASSERT_EQ(host.make_planner(64, 2000), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), actions.data(), 64, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(64), AUGUR_OK);
        ASSERT_GE(host.collect(), AUGUR_OK);
        const auto work = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
        ASSERT_EQ(cudaLaunchHostFunc(stream, work, nullptr), cudaSuccess);
        augur_frame_result result{};
        ASSERT_EQ(host.request(64, 2000), AUGUR_OK);
        EXPECT_EQ(host.collect(&result), AUGUR_DEADLINE_HIT);
        EXPECT_EQ(result.deadline_missed, 1u);
        EXPECT_GE(result.request_to_done_ns, 15000000u);
        for (const std::int32_t action : actions)
            EXPECT_TRUE(action >= 0 && action < 7);
    }
    cudaStreamDestroy(stream);
}

TEST(Guest, DoesNotBreakACaptureOfTheHosts) {
    AUGUR_NEEDS_GPU();
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    augur_context_desc desc = augur_context_desc_default();
    desc.cuda_stream = stream;
    {
        Boards boards(8);
        std::vector<std::int32_t> actions(8);
        Host host(AUGUR_BACKEND_CUDA, &desc);
        ASSERT_EQ(host.make_planner(8, 16, AUGUR_CARRY_OVER_SUBTREE), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), actions.data(), 8, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(8), AUGUR_OK);
        ASSERT_GE(host.collect(), AUGUR_OK);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        EXPECT_EQ(host.request(8), AUGUR_ERROR_CAPTURE_CONFLICT);
        // Whatever would use the stream says so, too; what was planned can still be collected.
        augur_agent_result agents[8];
        augur_tree_node nodes[64];
        std::uint32_t count = 64, visits[7];
        EXPECT_EQ(augur_planner_results(host.planner(), 0, 8, agents), AUGUR_ERROR_CAPTURE_CONFLICT);
        EXPECT_EQ(augur_planner_tree(host.planner(), 0, nodes, &count), AUGUR_ERROR_CAPTURE_CONFLICT);
        EXPECT_EQ(augur_planner_root(host.planner(), 0, visits, nullptr), AUGUR_ERROR_CAPTURE_CONFLICT);
        EXPECT_EQ(augur_planner_reset_trees(host.planner(), 0, 8), AUGUR_ERROR_CAPTURE_CONFLICT);
        EXPECT_EQ(host.collect(), AUGUR_OK);
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the host's capture was broken";
        cudaGraphDestroy(graph);
        std::size_t captured = 99;
        EXPECT_EQ(host.request(8), AUGUR_OK) << "and planning goes on after it";
        EXPECT_GE(host.collect(), AUGUR_OK);
        EXPECT_EQ(augur_planner_results(host.planner(), 0, 8, agents), AUGUR_OK);

        // A frame that runs when the capture begins, looked for often enough that the GPU's health is looked at too.
        ASSERT_EQ(host.make_planner(8, 65535), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), actions.data(), 8, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(8), AUGUR_OK);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        for (int i = 0; i < 2000; ++i)
            EXPECT_GE(augur_planner_poll(host.planner()), AUGUR_OK);
        EXPECT_EQ(augur_planner_cancel(host.planner()), AUGUR_OK);
        EXPECT_GE(host.collect(), AUGUR_OK);
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the host's capture was broken";
        EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &captured), cudaSuccess);
        EXPECT_EQ(captured, 0u) << "something of ours is in it";
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(stream);
}

TEST(Guest, EndsACancelledFrameWithLegalActions) {
    AUGUR_NEEDS_GPU();
    Boards boards(64);
    std::vector<std::int32_t> actions(64, -7);
    Host host(AUGUR_BACKEND_CUDA);
    ASSERT_EQ(host.make_planner(64, 65535), AUGUR_OK);
    host.bind(boards.own.data(), boards.other.data(), actions.data(), 64, AUGUR_BUFFER_HOST);
    ASSERT_EQ(host.request(64), AUGUR_OK);
    EXPECT_EQ(augur_planner_cancel(host.planner()), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_CANCELLED);
    for (const std::int32_t action : actions)
        EXPECT_TRUE(action >= 0 && action < 7);
}

TEST(Guest, KeepsADeadlineWithLegalActions) {
    AUGUR_NEEDS_GPU();
    Boards boards(kAgents);
    std::vector<std::int32_t> actions(kAgents, -7);
    Host host(AUGUR_BACKEND_CUDA);
    ASSERT_EQ(host.make_planner(kAgents, 20000), AUGUR_OK);
    host.bind(boards.own.data(), boards.other.data(), actions.data(), kAgents, AUGUR_BUFFER_HOST);
    ASSERT_EQ(host.request(kAgents, 2000), AUGUR_OK);
    augur_frame_result result{};
    EXPECT_EQ(host.collect(&result), AUGUR_DEADLINE_HIT);
    EXPECT_GT(result.simulations, kAgents);
    for (const std::int32_t action : actions)
        EXPECT_TRUE(action >= 0 && action < 7);
}

}  // namespace
}  // namespace augur::test
