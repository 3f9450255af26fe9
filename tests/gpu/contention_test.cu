// Frames with budgets while the game's own work has the GPU, in every mode of sharing it: whatever comes late, every
// slot of a frame has its action, no other slot is written, and what is told of the frame is so. No test here asks for
// speed.

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "gpu/boards.h"
#include "support/frame_check.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kRoom = 300;

// Holds every multiprocessor for so long; nothing else of less priority fits beside it.
__global__ void hold(unsigned long long ns) {
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < ns);
}

// The game's rendering: kernels of two milliseconds behind each other in a stream of its own, until the end.
class BusyGpu {
  public:
    BusyGpu() {
        int device = 0, multiprocessors = 0;
        EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
        EXPECT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), cudaSuccess);
        EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
        thread_ = std::thread([this, blocks = 4 * multiprocessors] {
            cudaEvent_t done[2] = {};
            for (cudaEvent_t& event : done)
                cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
            for (std::uint32_t i = 0; !stop_.load(); ++i) {
                hold<<<blocks, 512, 0, stream_>>>(2'000'000);
                cudaEventRecord(done[i % 2], stream_);
                if (i > 0 && cudaEventSynchronize(done[(i + 1) % 2]) == cudaSuccess) ++kernels;  // the one before
            }
            cudaStreamSynchronize(stream_);
            for (const cudaEvent_t event : done)
                cudaEventDestroy(event);
        });
    }
    ~BusyGpu() {
        stop_ = true;
        thread_.join();
        cudaStreamDestroy(stream_);
    }

    std::atomic<std::uint32_t> kernels{0};

  private:
    cudaStream_t stream_ = nullptr;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

augur_planner_desc kind(std::uint32_t number) {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.agent_capacity = kRoom;
    desc.simulations = number == 2 ? 64 : 512;  // each kernel of a wave waits for the game's
    desc.adaptive = number == 1 ? 1 : 0;
    desc.execution = number == 2 ? AUGUR_EXECUTION_WAVES : AUGUR_EXECUTION_AUTO;
    desc.carry_over = number == 3 ? AUGUR_CARRY_OVER_SUBTREE : AUGUR_CARRY_OVER_NONE;
    desc.late_actions = number >= 2 ? AUGUR_LATE_ACTIONS_DROP : AUGUR_LATE_ACTIONS_WRITE;
    return desc;
}
constexpr std::uint32_t kKinds = 4;

augur_frame_desc frame_of(std::uint32_t number) {
    constexpr std::int64_t kBudgets[] = {500, 0, 2000, 1, 3600000000, -1, 8000, INT64_MAX};
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = number % 3 == 0 ? kRoom : 1 + number * 37 % kRoom;
    frame.budget_us = kBudgets[number % 8];
    if (number % 7 == 6) frame.simulations = 20;
    frame.frame = (1ull << 32) + number;
    frame.phase_weight = number % 2 == 0 ? 1.0f : 0.5f;
    return frame;
}

class GpuContention : public ::testing::TestWithParam<augur_gpu_sharing> {
  protected:
    void SetUp() override {
        AUGUR_NEEDS_GPU();
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = AUGUR_BACKEND_CUDA;
        desc.gpu_sharing = static_cast<std::uint32_t>(GetParam());
        ASSERT_EQ(augur_context_create(&desc, &context), AUGUR_OK) << augur_last_message();
    }
    void TearDown() override { augur_context_destroy(context); }

    augur_context_id context{};
};

TEST_P(GpuContention, EveryFrameHasItsActionsAndSaysWhatBecameOfIt) {
    std::vector<std::unique_ptr<CheckedSeat>> seats;
    for (std::uint32_t i = 0; i < kKinds; ++i) {
        seats.push_back(std::make_unique<CheckedSeat>(context, kind(i)));
        for (std::uint32_t agent = 0; agent < kRoom; ++agent)
            seats[i]->urgency()[agent] = static_cast<float>(1 + agent % 5);
    }
    BusyGpu busy;
    std::atomic<std::uint32_t> late{0}, unsearched{0}, whole{0};
    std::vector<std::thread> threads;
    for (const std::unique_ptr<CheckedSeat>& seat : seats) {
        threads.emplace_back([&, at = seat.get()] {
            for (std::uint32_t i = 0; i < 48 && !::testing::Test::HasFailure(); ++i) {
                const augur_frame_desc frame = frame_of(i);
                ASSERT_EQ(at->request(frame), AUGUR_OK) << augur_last_message();
                augur_frame_result result{};
                const augur_result code = at->collect(frame, &result);
                ASSERT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
                late += code == AUGUR_DEADLINE_HIT ? 1 : 0;
                unsearched += code == AUGUR_BUDGET_ZERO ? 1 : 0;
                whole += code == AUGUR_OK ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    // A budget of a microsecond is always late, one of nothing never searched, one of an hour always enough.
    EXPECT_GE(late.load(), 6 * (kKinds - 1));
    EXPECT_GE(unsearched.load(), 12 * kKinds);
    EXPECT_GE(whole.load(), 12 * kKinds);
    EXPECT_GT(busy.kernels.load(), 0u) << "nobody else had the GPU";
}

TEST_P(GpuContention, ChangesNoAnswerOfAFrameThatHasTheTime) {
    const auto hashes = [&] {
        CheckedSeat seat(context, kind(0));
        std::vector<std::uint64_t> all;
        for (std::uint32_t i = 0; i < 10; ++i) {
            augur_frame_desc frame = frame_of(i);
            frame.budget_us = i % 2 == 0 ? 3600000000 : INT64_MAX;
            EXPECT_EQ(seat.request(frame), AUGUR_OK) << augur_last_message();
            augur_frame_result result{};
            EXPECT_EQ(seat.collect(frame, &result), AUGUR_OK);
            all.push_back(result.decision_hash);
        }
        return all;
    };
    const std::vector<std::uint64_t> calm = hashes();
    const BusyGpu busy;
    EXPECT_EQ(hashes(), calm);
}

std::string mode_name(const ::testing::TestParamInfo<augur_gpu_sharing>& row) {
    constexpr const char* kNames[] = {"auto", "plain", "priority", "partition", "adaptive", "turns"};
    return kNames[row.param];
}

INSTANTIATE_TEST_SUITE_P(Modes, GpuContention,
                         ::testing::Values(AUGUR_GPU_SHARING_AUTO, AUGUR_GPU_SHARING_PLAIN, AUGUR_GPU_SHARING_PRIORITY,
                                           AUGUR_GPU_SHARING_PARTITION, AUGUR_GPU_SHARING_ADAPTIVE,
                                           AUGUR_GPU_SHARING_TURNS),
                         mode_name);

// Waves near their deadline go one by one instead of four to a turn. Whatever the time allowed, an agent's answer is
// that of as many simulations without a deadline.
TEST(WavesNearTheirDeadline, AnswerAsManySimulationsDo) {
    AUGUR_NEEDS_GPU();
    Host host(AUGUR_BACKEND_CUDA);
    augur_planner_desc desc = augur_planner_desc_default();
    desc.agent_capacity = kRoom;
    desc.simulations = 4000;
    desc.early_stop = 0;
    desc.execution = AUGUR_EXECUTION_WAVES;
    CheckedSeat seat(host.context(), desc);
    std::uint32_t odd = 0, searched = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kRoom;
        frame.frame = i;
        frame.budget_us = 600 + 150 * (i % 20);
        ASSERT_EQ(seat.request(frame), AUGUR_OK);
        augur_frame_result result{};
        ASSERT_EQ(seat.collect(frame, &result), AUGUR_DEADLINE_HIT);
        std::vector<augur_agent_result> cut(kRoom), whole(kRoom);
        ASSERT_EQ(augur_planner_results(seat.planner(), 0, kRoom, cut.data()), AUGUR_OK);
        std::uint32_t most = 0;
        for (const augur_agent_result& agent : cut)
            most = agent.visits > most ? agent.visits : most;
        if (most == 0) continue;  // somebody else had the GPU until then
        ++searched;
        odd += most % 4 != 0 ? 1 : 0;
        frame.budget_us = INT64_MAX;
        frame.simulations = most;
        ASSERT_EQ(seat.request(frame), AUGUR_OK);
        ASSERT_EQ(seat.collect(frame, &result), AUGUR_OK);
        ASSERT_EQ(augur_planner_results(seat.planner(), 0, kRoom, whole.data()), AUGUR_OK);
        for (std::uint32_t agent = 0; agent < kRoom; ++agent) {
            if (cut[agent].visits != most) continue;  // proven before
            ASSERT_EQ(whole[agent].action, cut[agent].action) << i << ", agent " << agent;
            ASSERT_EQ(whole[agent].value, cut[agent].value) << i << ", agent " << agent;
        }
    }
    EXPECT_GT(searched, 10u);
    EXPECT_GT(odd, 0u) << "no turn was ever shortened";
}

// The host captures a stream of its own, in each mode there is, while frames run: what is captured stays whole, and
// frames are what they are.
TEST(Guest, LeavesACaptureOfAnotherStreamWhole) {
    AUGUR_NEEDS_GPU();
    for (const cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
        Host host(AUGUR_BACKEND_CUDA);
        CheckedSeat seat(host.context(), kind(0));
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
        hold<<<1, 1, 0, stream>>>(1000);
        for (std::uint32_t i = 0; i < 8; ++i) {
            const augur_frame_desc frame = frame_of(i);
            ASSERT_EQ(seat.request(frame), AUGUR_OK) << augur_last_message() << " mode " << mode;
            augur_frame_result result{};
            seat.collect(frame, &result);
        }
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture was broken, mode " << mode;
        std::size_t nodes = 0;
        EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
        EXPECT_EQ(nodes, 1u);
        cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
    }
}

}  // namespace
}  // namespace augur::test
