// Memory on the device, and being a guest in a process that uses CUDA itself.

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
        ASSERT_EQ(host.make_planner(8, 16), AUGUR_OK);
        host.bind(boards.own.data(), boards.other.data(), actions.data(), 8, AUGUR_BUFFER_HOST);
        ASSERT_EQ(host.request(8), AUGUR_OK);
        ASSERT_GE(host.collect(), AUGUR_OK);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        EXPECT_EQ(host.request(8), AUGUR_ERROR_CAPTURE_CONFLICT);
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the host's capture was broken";
        cudaGraphDestroy(graph);
        EXPECT_EQ(host.request(8), AUGUR_OK) << "and planning goes on after it";
        EXPECT_GE(host.collect(), AUGUR_OK);
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
