// A GPU that is not there, or goes away: the CPU answers from that same frame on.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;
using test::FakeUnit;

TEST(Gpu, ThatIsMissingLeavesAutoOnTheCpuWithOneWarning) {
    FakeHost host;
    host.backend.make_gpu = AUGUR_ERROR_NO_DEVICE;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
    augur_capabilities capabilities{};
    capabilities.struct_size = sizeof capabilities;
    ASSERT_EQ(augur_context_capabilities(host.context, &capabilities), AUGUR_OK);
    EXPECT_EQ(capabilities.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_STREQ(capabilities.device_name, "fake CPU");
    EXPECT_EQ(capabilities.exact, 1u);
    EXPECT_EQ(capabilities.cuda_driver, 13000u);
    EXPECT_EQ(augur_context_capabilities(host.context, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST(Gpu, ThatIsThereButUnusableIsToldByTheResult) {
    FakeHost host;
    host.backend.make_gpu = AUGUR_ERROR_DRIVER_TOO_OLD;
    host.backend.probe.device_count = 1;
    ASSERT_EQ(host.create_context(), AUGUR_FELL_BACK_TO_CPU);
    ASSERT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
    EXPECT_NE(host.log.messages()[0].text.find("13000"), std::string::npos) << host.log.messages()[0].text;
    ASSERT_EQ(host.create_planner(), AUGUR_OK);
}

// Why a GPU cannot be used: what the CUDA backend answers, and what the probe sees.
struct NoGpu {
    const char* name;
    augur_result reason;
    std::uint32_t devices, driver;
};

void PrintTo(const NoGpu& why, std::ostream* out) {
    *out << why.name;
}

class GpuThatCannotBeUsed : public ::testing::TestWithParam<NoGpu> {
  protected:
    void SetUp() override {
        host.backend.make_gpu = GetParam().reason;
        host.backend.probe.device_count = GetParam().devices;
        host.backend.probe.driver_version = GetParam().driver;
    }
    FakeHost host;
};

INSTANTIATE_TEST_SUITE_P(Because, GpuThatCannotBeUsed,
                         ::testing::Values(NoGpu{"NoGpuOrNoneVisible", AUGUR_ERROR_NO_DEVICE, 0, 13000},
                                           NoGpu{"NoDriver", AUGUR_ERROR_NO_DEVICE, 0, 0},
                                           NoGpu{"DriverTooOld", AUGUR_ERROR_DRIVER_TOO_OLD, 1, 11040},
                                           NoGpu{"GpuTooOldOrTooNewForTheBuild", AUGUR_ERROR_UNSUPPORTED, 1, 13000},
                                           NoGpu{"InExclusiveUseByAnother", AUGUR_ERROR_NO_DEVICE, 1, 13000},
                                           NoGpu{"NoMemoryForItsContext", AUGUR_ERROR_OUT_OF_MEMORY, 1, 13000},
                                           NoGpu{"LostBefore", AUGUR_ERROR_DEVICE_LOST, 1, 13000}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(GpuThatCannotBeUsed, LeavesAutoOnTheCpuWithOneWarningThatHasTheVersions) {
    EXPECT_EQ(host.create_context(), GetParam().devices > 0 ? AUGUR_FELL_BACK_TO_CPU : AUGUR_OK);
    ASSERT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
    EXPECT_EQ(host.log.messages().size(), 1u);
    const auto message = host.log.messages()[0];
    EXPECT_EQ(message.code, GetParam().reason);
    for (const std::string& said : {"driver " + std::to_string(GetParam().driver), std::string("runtime 13000"),
                                    "devices seen " + std::to_string(GetParam().devices)})
        EXPECT_NE(message.text.find(said), std::string::npos) << message.text;
    ASSERT_EQ(host.create_planner(), AUGUR_OK);
    ASSERT_EQ(host.register_buffer(), AUGUR_OK);
    host.bind_all();
    ASSERT_EQ(host.request(), AUGUR_OK);
    augur_frame_result result{};
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(host.log.messages().size(), 1u) << "one warning, not one a frame";
}

TEST_P(GpuThatCannotBeUsed, IsAFailureThatSaysWhyWhereItWasDemanded) {
    host.context_desc.backend = AUGUR_BACKEND_CUDA;
    EXPECT_EQ(host.create_context(), GetParam().reason);
    EXPECT_EQ(host.context.value, 0u);
    EXPECT_NE(std::strstr(augur_last_message(), "no fake GPU"), nullptr) << augur_last_message();
}

TEST(Gpu, WithoutMemoryForAPlannerRefusesItAndIsUsedByTheNext) {
    for (const int fails_at : {1, 2}) {  // the GPU's trees, and those of the CPU that stands by
        FakeHost host;
        host.backend.gpu = true;
        ASSERT_EQ(host.create_context(), AUGUR_OK);
        host.backend.make_engine = AUGUR_ERROR_OUT_OF_MEMORY;
        host.backend.make_engine_fails_at = fails_at;
        EXPECT_EQ(host.create_planner(), AUGUR_ERROR_OUT_OF_MEMORY);
        EXPECT_NE(std::strstr(augur_last_message(), "the test said so"), nullptr) << augur_last_message();
        EXPECT_EQ(host.planner.value, 0u);
        EXPECT_EQ(host.backend.engines, 0);
        host.backend.make_engine = AUGUR_OK;
        EXPECT_EQ(host.create_planner(), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(host.counters().backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    }
}

TEST(Gpu, IsNotLookedAtWhereTheCpuWasDemanded) {
    FakeHost host;
    host.backend.gpu = true;
    host.context_desc.backend = AUGUR_BACKEND_CPU;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    EXPECT_TRUE(host.log.messages().empty());
    ASSERT_EQ(host.create_planner(), AUGUR_OK);
    EXPECT_EQ(host.backend.engines, 1);
}

class LostGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        host.backend.gpu = true;
        host.set_up();
    }
    void expect_cpu_frame(augur_result expected) {
        augur_frame_result result{};
        for (FakeUnit& unit : host.units)
            unit.action = -7;
        ASSERT_EQ(host.request(), AUGUR_OK) << augur_last_message();
        ASSERT_EQ(host.collect(&result), expected) << augur_last_message();
        EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
        for (const FakeUnit& unit : host.units)
            EXPECT_EQ(unit.action, unit.health % 4);
    }
    FakeHost host;
};

TEST_F(LostGpu, AnswersWhileItIsThere) {
    augur_frame_result result{};
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    EXPECT_EQ(result.bytes_copied, 12u);
    const augur_counters counters = host.counters();
    EXPECT_EQ(counters.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    EXPECT_EQ(counters.device_bytes, 1000u);
    EXPECT_EQ(counters.host_bytes, 200u);
    EXPECT_EQ(host.backend.engines, 2) << "the CPU stands by from the start";
}

TEST_F(LostGpu, IsReplacedInTheFrameInWhichItGoes) {
    host.backend.hold = true;
    augur_frame_result result{};
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_NOT_READY);
    host.backend.lost = true;
    host.backend.hold = false;
    ASSERT_EQ(host.collect(&result), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(result.frame, 0u);
    for (const FakeUnit& unit : host.units)
        EXPECT_EQ(unit.action, unit.health % 4);
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_ERROR), 1u);
    EXPECT_EQ(host.log.messages()[0].code, AUGUR_ERROR_DEVICE_LOST);
    // From then on as if it had always been the CPU.
    for (int i = 0; i < 3; ++i)
        expect_cpu_frame(AUGUR_OK);
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_ERROR), 1u);
    const augur_counters counters = host.counters();
    EXPECT_EQ(counters.backend_switches, 1u);
    EXPECT_EQ(counters.frames, 4u);
    EXPECT_EQ(counters.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
}

TEST_F(LostGpu, IsReplacedByPollToo) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    host.backend.lost = true;
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_NOT_READY) << "the CPU works on it now";
    host.backend.hold = false;
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_FELL_BACK_TO_CPU);
}

TEST_F(LostGpu, IsReplacedWhereTheRequestFindsOut) {
    host.backend.lost_at_submit = 2;
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    expect_cpu_frame(AUGUR_FELL_BACK_TO_CPU);
    expect_cpu_frame(AUGUR_OK);
}

TEST_F(LostGpu, KeepsACancelThatCameBefore) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(host.planner), AUGUR_OK);
    host.backend.lost = true;
    EXPECT_EQ(host.collect(), AUGUR_CANCELLED);
}

TEST_F(LostGpu, TakesTheLastFramesDetailsWithIt) {
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    host.backend.lost = true;
    augur_agent_result agents[FakeHost::kAgents];
    EXPECT_EQ(augur_planner_results(host.planner, 0, FakeHost::kAgents, agents), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_NE(std::strstr(augur_last_message(), "augur_planner_results"), nullptr) << augur_last_message();
    EXPECT_EQ(host.collect(), AUGUR_OK) << "its actions stay where they are";
    expect_cpu_frame(AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(augur_planner_results(host.planner, 0, FakeHost::kAgents, agents), AUGUR_OK);
}

TEST_F(LostGpu, GivesNewPlannersTheCpu) {
    host.backend.lost = true;
    augur_planner_id planner{0};
    EXPECT_EQ(augur_planner_create(host.context, &host.planner_desc, &planner), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(host.backend.engines, 3);
    augur_capabilities capabilities{};
    capabilities.struct_size = sizeof capabilities;
    ASSERT_EQ(augur_context_capabilities(host.context, &capabilities), AUGUR_OK);
    EXPECT_EQ(capabilities.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    // A new context may be made, here on the CPU.
    augur_context_id second{0};
    host.backend.gpu = false;
    host.backend.make_gpu = AUGUR_ERROR_DEVICE_LOST;
    host.backend.probe.device_count = 1;
    EXPECT_EQ(create_context(DescTraits<augur_context_desc>::defaults(), fake::factory(), &second.value),
              AUGUR_ERROR_VERSION)
        << "defaults alone carry no version";
    augur_context_desc desc = augur_context_desc_default();
    EXPECT_EQ(create_context(desc, fake::factory(), &second.value), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(augur_context_destroy(second), AUGUR_OK);
}

TEST_F(LostGpu, CannotBeReplacedWhereMemoryOfTheGpuIsBound) {
    augur_buffer_desc desc = host.buffer_desc;
    desc.kind = AUGUR_BUFFER_CUDA;
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &host.buffer), AUGUR_OK);
    ASSERT_EQ(host.bind_field("health", AUGUR_FORMAT_I32, 8), AUGUR_OK);
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    EXPECT_EQ(augur_planner_record_start(host.planner, "/tmp/never"), AUGUR_ERROR_UNSUPPORTED);
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    host.backend.lost = true;
    EXPECT_EQ(host.collect(), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_EQ(host.collect(), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_EQ(host.request(), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_EQ(host.backend.submits, 3);
}

TEST_F(LostGpu, MemoryOfPlannersIsToldBeforehand) {
    augur_planner_memory_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_planner_memory(host.context, &host.planner_desc, &info), AUGUR_OK);
    EXPECT_EQ(info.device_bytes, 1000u);
    EXPECT_EQ(info.host_bytes, 200u);
    EXPECT_EQ(info.bytes_per_node, 16u);
    EXPECT_EQ(augur_planner_memory(host.context, &host.planner_desc, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(LostGpu, HostMemoryThatTheGpuRefusesIsAnInvalidBuffer) {
    host.backend.attach_gpu = AUGUR_ERROR_INVALID_BUFFER;
    augur_buffer_id buffer{0};
    EXPECT_EQ(augur_buffer_register(host.context, &host.buffer_desc, &buffer), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(buffer.value, 0u);
}

}  // namespace
}  // namespace augur
