// A kernel of the host's breaks the device. Nothing on it works in this process any more, so this is a program of its
// own.

#include "gpu/boards.h"

namespace augur::test {
namespace {

__global__ void write_to_nowhere() {
    *reinterpret_cast<volatile int*>(8) = 1;
}

TEST(DeviceLost, TheSameFrameIsAnsweredByTheCpuAndAllLaterOnes) {
    AUGUR_NEEDS_GPU();
    constexpr std::uint32_t kAgents = 200;
    Boards boards(kAgents);
    std::vector<std::int32_t> actions(kAgents, -7);
    augur_frame_result before{}, after{};
    Host host(AUGUR_BACKEND_AUTO);
    ASSERT_EQ(host.make_planner(kAgents, 32), AUGUR_OK);
    host.bind(boards.own.data(), boards.other.data(), actions.data(), kAgents, AUGUR_BUFFER_HOST);
    ASSERT_EQ(host.request(kAgents), AUGUR_OK);
    ASSERT_GE(host.collect(&before), AUGUR_OK);
    ASSERT_EQ(before.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));

    write_to_nowhere<<<1, 1>>>();
    ASSERT_NE(cudaDeviceSynchronize(), cudaSuccess);
    actions.assign(kAgents, -7);
    for (int frame = 0; frame < 3; ++frame) {
        ASSERT_GE(host.request(kAgents), AUGUR_OK) << augur_last_message();
        // The frame that met the loss says so; from then on the planner is the CPU's.
        EXPECT_EQ(host.collect(&after), frame == 0 ? AUGUR_FELL_BACK_TO_CPU : AUGUR_OK);
        EXPECT_EQ(after.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
        EXPECT_EQ(after.decision_hash, before.decision_hash);
    }
    for (const std::int32_t action : actions)
        EXPECT_TRUE(action >= 0 && action < 7);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(host.planner(), &counters), AUGUR_OK);
    EXPECT_EQ(counters.backend_switches, 1u);
}

}  // namespace
}  // namespace augur::test
