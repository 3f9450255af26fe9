// The frame from request to collect: order of calls, budgets, answers, what is told afterwards.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;
using test::FakeUnit;

class FrameTest : public ::testing::Test {
  protected:
    void SetUp() override { host.set_up(); }

    augur_result request_with(std::uint32_t agents, std::uint32_t simulations, std::int64_t budget_us,
                              std::uint64_t frame = 0xffffffffffffffffull) {
        augur_frame_desc desc = augur_frame_desc_default();
        desc.agent_count = agents;
        desc.simulations = simulations;
        desc.budget_us = budget_us;
        desc.frame = frame;
        return augur_planner_request(host.planner, &desc);
    }
    static constexpr std::uint32_t kOwn = 0xffffffffu;

    FakeHost host;
};

TEST_F(FrameTest, FillsTheHostsOwnArray) {
    ASSERT_EQ(host.request(), AUGUR_OK);
    augur_frame_result result{};
    ASSERT_EQ(host.collect(&result), AUGUR_OK);
    for (const FakeUnit& unit : host.units)
        EXPECT_EQ(unit.action, unit.health % 4);
    EXPECT_EQ(result.agent_count, 4u);
    EXPECT_EQ(result.frame, 0u);
    EXPECT_EQ(result.simulations, 40u);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(result.search_ns, 200u);
    EXPECT_EQ(result.bytes_copied, 0u);
    EXPECT_NE(result.decision_hash, 0u);
}

TEST_F(FrameTest, CallsInTheWrongOrderNameTheOneThatIsMissing) {
    const auto expect_missing = [](augur_result result, const char* call) {
        EXPECT_EQ(result, AUGUR_ERROR_INVALID_STATE) << call;
        EXPECT_NE(std::strstr(augur_last_message(), call), nullptr) << augur_last_message();
    };
    augur_agent_result agent;
    std::uint32_t count = 0;
    expect_missing(host.collect(), "augur_planner_request");
    expect_missing(augur_planner_poll(host.planner), "augur_planner_request");
    expect_missing(augur_planner_results(host.planner, 0, 1, &agent), "augur_planner_request");
    expect_missing(augur_planner_tree(host.planner, 0, nullptr, &count), "augur_planner_request");
    expect_missing(augur_planner_root(host.planner, 0, nullptr, nullptr), "augur_planner_request");
    expect_missing(augur_planner_record_stop(host.planner), "augur_planner_record_start");
    const std::string path = ::testing::TempDir() + "augur_wrong_order.augur";
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
    expect_missing(augur_planner_record_start(host.planner, path.c_str()), "augur_planner_record_stop");
    expect_missing(host.bind_actions(), "augur_planner_record_stop");
    EXPECT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    std::remove(path.c_str());
    EXPECT_EQ(augur_planner_cancel(host.planner), AUGUR_OK) << "none runs";
}

TEST_F(FrameTest, NamesTheFieldThatIsNotBound) {
    augur_planner_id planner{0};
    ASSERT_EQ(augur_planner_create(host.context, &host.planner_desc, &planner), AUGUR_OK);
    const auto request = [&] {
        augur_frame_desc desc = augur_frame_desc_default();
        desc.agent_count = 1;
        return augur_planner_request(planner, &desc);
    };
    const auto bind = [&](const char* field, augur_format format, std::size_t offset) {
        const augur_binding binding = host.at(format, offset);
        ASSERT_EQ(augur_planner_bind(planner, field, &binding), AUGUR_OK) << augur_last_message();
    };
    bind("position.y", AUGUR_FORMAT_F32, 4);
    EXPECT_EQ(request(), AUGUR_ERROR_INVALID_STATE);
    EXPECT_NE(std::strstr(augur_last_message(), "\"position.x\""), nullptr) << augur_last_message();
    bind("position.x", AUGUR_FORMAT_F32, 0);
    EXPECT_EQ(request(), AUGUR_ERROR_INVALID_STATE);
    EXPECT_NE(std::strstr(augur_last_message(), "\"health\""), nullptr);
    bind("health", AUGUR_FORMAT_I32, 8);
    EXPECT_EQ(request(), AUGUR_ERROR_INVALID_STATE);
    EXPECT_NE(std::strstr(augur_last_message(), "augur_planner_bind_actions"), nullptr);
    const augur_binding actions = host.at(AUGUR_FORMAT_I32, 12);
    ASSERT_EQ(augur_planner_bind_actions(planner, &actions), AUGUR_OK);
    EXPECT_EQ(request(), AUGUR_OK) << "mask is optional";
    EXPECT_EQ(host.backend.last_work.source_count, 4u);
    EXPECT_EQ(host.backend.last_work.sources[3].buffer, nullptr);
}

TEST_F(FrameTest, BindingsAreChecked) {
    const struct {
        augur_result expected;
        const char* field;
        augur_format format;
        std::size_t offset;
    } cases[] = {
        {AUGUR_ERROR_NOT_FOUND, "armour", AUGUR_FORMAT_I32, 8},
        {AUGUR_ERROR_NOT_FOUND, "position.z", AUGUR_FORMAT_F32, 0},
        {AUGUR_ERROR_INVALID_BUFFER, "health", AUGUR_FORMAT_U64, 8},
        {AUGUR_ERROR_INVALID_BUFFER, "mask", AUGUR_FORMAT_I32, 8},
        {AUGUR_ERROR_INVALID_ARGUMENT, "health", static_cast<augur_format>(0), 8},
        {AUGUR_ERROR_INVALID_ARGUMENT, "health", static_cast<augur_format>(9), 8},
        {AUGUR_ERROR_INVALID_BUFFER, "health", AUGUR_FORMAT_I32, 9},
        {AUGUR_ERROR_INVALID_BUFFER, "health", AUGUR_FORMAT_I32, 16},
        {AUGUR_ERROR_INVALID_BUFFER, "health", AUGUR_FORMAT_I32, 12},  // where the actions are
    };
    for (const auto& row : cases)
        EXPECT_EQ(host.bind_field(row.field, row.format, row.offset), row.expected)
            << row.field << ": " << augur_last_message();
    augur_binding binding = host.at(AUGUR_FORMAT_I32, 8);
    binding.reserved = 1;
    EXPECT_EQ(augur_planner_bind(host.planner, "health", &binding), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_bind(host.planner, "health", nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_bind(host.planner, nullptr, &binding), AUGUR_ERROR_INVALID_ARGUMENT);
    binding = host.at(AUGUR_FORMAT_F32, 12);
    EXPECT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_ERROR_INVALID_ARGUMENT);
    binding = host.at(AUGUR_FORMAT_I32, 8);
    EXPECT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER) << "where health is";
    EXPECT_EQ(host.request(), AUGUR_OK) << "refused bindings changed nothing";
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(FrameTest, BindingsNeedTheRightAccess) {
    augur_buffer_desc desc = host.buffer_desc;
    augur_buffer_id readable{0}, writable{0};
    desc.access = AUGUR_ACCESS_READ;
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &readable), AUGUR_OK);
    desc.access = AUGUR_ACCESS_WRITE;
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &writable), AUGUR_OK);
    augur_binding binding = host.at(AUGUR_FORMAT_I32, 8);
    binding.buffer = writable;
    EXPECT_EQ(augur_planner_bind(host.planner, "health", &binding), AUGUR_ERROR_INVALID_BUFFER);
    binding = host.at(AUGUR_FORMAT_I32, 12);
    binding.buffer = readable;
    EXPECT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER);
}

TEST_F(FrameTest, CountOfAgentsMayChangeWithinTheCapacity) {
    for (const std::uint32_t agents : {1u, 4u, 2u}) {
        for (FakeUnit& unit : host.units)
            unit.action = -7;
        augur_frame_result result{};
        ASSERT_EQ(host.request(agents), AUGUR_OK);
        ASSERT_EQ(host.collect(&result), AUGUR_OK);
        EXPECT_EQ(result.agent_count, agents);
        for (std::uint32_t i = 0; i < FakeHost::kAgents; ++i)
            EXPECT_EQ(host.units[i].action == -7, i >= agents);
    }
    for (const std::uint32_t agents : {5u, 0x80000000u, 0xffffffffu}) {
        EXPECT_EQ(host.request(agents), AUGUR_ERROR_LIMIT);
        EXPECT_NE(std::strstr(augur_last_message(), "agent_capacity is 4"), nullptr);
    }
}

TEST_F(FrameTest, WithoutAgentsIsDoneAtOnce) {
    ASSERT_EQ(host.request(0), AUGUR_OK);
    EXPECT_EQ(host.backend.submits, 0);
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_OK);
    augur_frame_result result{};
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.agent_count, 0u);
    EXPECT_EQ(host.units[0].action, -7);
    augur_agent_result agent;
    EXPECT_EQ(augur_planner_results(host.planner, 0, 0, nullptr), AUGUR_OK);
    EXPECT_EQ(augur_planner_results(host.planner, 0, 1, &agent), AUGUR_ERROR_LIMIT);
}

TEST_F(FrameTest, BudgetsBecomeDeadlines) {
    const struct {
        std::int64_t budget_us;
        std::uint64_t expected_ns;
    } cases[] = {{INT64_MIN, 0}, {INT64_MAX, 0}, {1, 1000}, {3600000000ll, 3600000000000ull}};
    for (const auto& row : cases) {
        ASSERT_EQ(request_with(4, kOwn, row.budget_us), AUGUR_OK);
        const FrameWork& work = host.backend.last_work;
        EXPECT_EQ(work.deadline_ns == 0 ? 0 : work.deadline_ns - work.request_ns, row.expected_ns) << row.budget_us;
        EXPECT_EQ(work.simulations, 10u);
        ASSERT_GE(host.collect(), 0);
    }
    // More nanoseconds than there are: no deadline.
    ASSERT_EQ(request_with(4, kOwn, INT64_MAX - 1), AUGUR_OK);
    EXPECT_EQ(host.backend.last_work.deadline_ns, 0u);
    ASSERT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(FrameTest, ZeroBudgetOrSimulationsIsAnsweredAtOnceAndSaysSo) {
    for (const std::int64_t budget_us : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1000000}, INT64_MIN + 1}) {
        ASSERT_EQ(request_with(4, kOwn, budget_us), AUGUR_OK) << budget_us;
        EXPECT_EQ(host.backend.last_work.simulations, 0u) << budget_us;
        EXPECT_EQ(host.backend.last_work.deadline_ns, 0u) << "nothing can be late";
        EXPECT_EQ(host.collect(), AUGUR_BUDGET_ZERO) << budget_us;
        EXPECT_EQ(host.units[1].action, 11 % 4) << "the slot is written";
    }
    ASSERT_EQ(request_with(4, 0, INT64_MIN), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_BUDGET_ZERO);
    ASSERT_EQ(request_with(4, 3, INT64_MIN), AUGUR_OK);
    EXPECT_EQ(host.backend.last_work.simulations, 3u);
    EXPECT_EQ(host.collect(), AUGUR_OK);
    for (const std::uint32_t simulations : {11u, 0x80000000u}) {
        EXPECT_EQ(request_with(4, simulations, INT64_MIN), AUGUR_ERROR_LIMIT);
        EXPECT_NE(std::strstr(augur_last_message(), "room for 10"), nullptr) << augur_last_message();
    }
}

TEST_F(FrameTest, NumbersCountUpUnlessGiven) {
    augur_frame_result result{};
    const auto frame_of = [&] {
        EXPECT_EQ(host.collect(&result), AUGUR_OK);
        return result.frame;
    };
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(frame_of(), 0u);
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(frame_of(), 1u);
    ASSERT_EQ(request_with(4, kOwn, INT64_MIN, 5000000000ull), AUGUR_OK);
    EXPECT_EQ(frame_of(), 5000000000ull);
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(frame_of(), 5000000001ull);
}

TEST_F(FrameTest, IsNotReadyWhileItRuns) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    augur_frame_result result{};
    result.struct_size = sizeof result;
    result.agent_count = 77;
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_NOT_READY);
    EXPECT_EQ(augur_planner_collect(host.planner, 0, &result), AUGUR_NOT_READY);
    EXPECT_EQ(augur_planner_collect(host.planner, 2000, &result), AUGUR_NOT_READY);
    EXPECT_EQ(result.agent_count, 77u) << "nothing written";
    EXPECT_EQ(host.request(), AUGUR_ERROR_BUSY);
    EXPECT_EQ(host.bind_actions(), AUGUR_ERROR_BUSY);
    EXPECT_EQ(host.bind_field("health", AUGUR_FORMAT_I32, 8), AUGUR_ERROR_BUSY);
    augur_agent_result agent;
    EXPECT_EQ(augur_planner_results(host.planner, 0, 1, &agent), AUGUR_ERROR_BUSY);
    host.backend.hold = false;
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_OK);
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.agent_count, 4u);
}

TEST_F(FrameTest, GivesTheSameAnswerAgain) {
    ASSERT_EQ(host.request(), AUGUR_OK);
    augur_frame_result first{}, second{};
    ASSERT_EQ(host.collect(&first), AUGUR_OK);
    ASSERT_EQ(host.collect(&second), AUGUR_OK);
    EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_OK);
    EXPECT_EQ(host.counters().frames, 1u);
}

TEST_F(FrameTest, MayGoUncollected) {
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
    EXPECT_EQ(host.counters().frames, 5u);
}

TEST_F(FrameTest, CancelEndsIt) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(host.planner), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_CANCELLED);
    EXPECT_EQ(host.units[1].action, 11 % 4) << "the best found by then";
    EXPECT_EQ(host.counters().cancelled, 1u);
    // And not the next one.
    host.backend.hold = false;
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(FrameTest, AnswersTellWhatHappened) {
    ASSERT_EQ(host.request(), AUGUR_OK);
    host.backend.flags = AUGUR_AGENT_PROVEN | AUGUR_AGENT_EARLY_STOP | AUGUR_AGENT_ONLY_ACTION;
    EXPECT_EQ(host.collect(), AUGUR_OK) << "nothing wrong";
    const struct {
        std::uint32_t flags;
        augur_result expected;
    } cases[] = {{AUGUR_AGENT_BAD_STATE, AUGUR_OK_WITH_FLAGS},
                 {AUGUR_AGENT_NO_ACTION, AUGUR_OK_WITH_FLAGS},
                 {AUGUR_AGENT_POOL_EXHAUSTED | AUGUR_AGENT_DEAD_END, AUGUR_POOL_EXHAUSTED}};
    for (const auto& row : cases) {
        host.backend.flags = row.flags;
        ASSERT_EQ(host.request(), AUGUR_OK);
        augur_frame_result result{};
        EXPECT_EQ(host.collect(&result), row.expected);
        EXPECT_EQ(result.agents_flagged, 4u);
    }
    host.backend.deadline_hit = true;
    host.backend.flags = AUGUR_AGENT_DEADLINE | AUGUR_AGENT_POOL_EXHAUSTED;
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_DEADLINE_HIT);
}

TEST_F(FrameTest, LateActionsAreCountedAsMissed) {
    ASSERT_EQ(request_with(4, kOwn, 1000000), AUGUR_OK);
    augur_frame_result result{};
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.deadline_missed, 0u);
    host.backend.extra_ns = 2000000000;
    ASSERT_EQ(request_with(4, kOwn, 1000000), AUGUR_OK);
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.deadline_missed, 1u);
    EXPECT_GE(result.request_to_done_ns, 2000000000u);
    EXPECT_EQ(host.counters().deadline_misses, 1u);
}

TEST_F(FrameTest, CountersAddUp) {
    host.backend.flags = AUGUR_AGENT_FALLBACK | AUGUR_AGENT_BAD_STATE | AUGUR_AGENT_EARLY_STOP | AUGUR_AGENT_DEAD_END |
                         AUGUR_AGENT_VALUE_CLAMPED | AUGUR_AGENT_POOL_EXHAUSTED;
    for (const std::uint32_t agents : {4u, 3u}) {
        ASSERT_EQ(host.request(agents), AUGUR_OK);
        augur_frame_result result{};
        ASSERT_GE(host.collect(&result), 0);
        EXPECT_EQ(result.agents_fallback, agents);
    }
    const augur_counters counters = host.counters();
    EXPECT_EQ(counters.frames, 2u);
    EXPECT_EQ(counters.agents, 7u);
    EXPECT_EQ(counters.simulations, 70u);
    for (const std::uint64_t count : {counters.fallbacks, counters.bad_states, counters.early_stops, counters.dead_ends,
                                      counters.values_clamped, counters.pools_exhausted})
        EXPECT_EQ(count, 7u);
    EXPECT_EQ(counters.host_bytes, 100u);
    EXPECT_EQ(counters.device_bytes, 0u);
    EXPECT_EQ(counters.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
}

TEST_F(FrameTest, CountersGoOnPastThirtyTwoBits) {
    constexpr std::uint32_t kMost = 4194303;
    constexpr std::uint64_t kFrames = 300;
    ASSERT_EQ(augur_planner_destroy(host.planner), AUGUR_OK);
    host.planner_desc.search = AUGUR_SEARCH_TREE;
    host.planner_desc.simulations = kMost;
    ASSERT_EQ(host.create_planner(), AUGUR_OK) << augur_last_message();
    host.bind_all();
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        ASSERT_EQ(host.request(), AUGUR_OK);
        ASSERT_EQ(host.collect(), AUGUR_OK);
    }
    const std::uint64_t all = kFrames * FakeHost::kAgents * kMost;
    ASSERT_GT(all, std::uint64_t{UINT32_MAX});
    EXPECT_EQ(host.counters().simulations, all);
}

TEST_F(FrameTest, ResultsAndTreesAreOfTheFramesAgents) {
    ASSERT_EQ(host.request(3), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    augur_agent_result agents[4];
    ASSERT_EQ(augur_planner_results(host.planner, 1, 2, agents), AUGUR_OK);
    EXPECT_EQ(agents[0].action, 11 % 4);
    EXPECT_EQ(agents[1].action, 12 % 4);
    EXPECT_EQ(augur_planner_results(host.planner, 1, 3, agents), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_results(host.planner, 0xffffffffu, 2, agents), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_results(host.planner, 0, 0xffffffffu, agents), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_results(host.planner, 0, 1, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);

    std::uint32_t count = 0;
    EXPECT_EQ(augur_planner_tree(host.planner, 0, nullptr, &count), AUGUR_ERROR_SIZE);
    EXPECT_EQ(count, 3u);
    augur_tree_node nodes[3];
    EXPECT_EQ(augur_planner_tree(host.planner, 0, nodes, &count), AUGUR_OK);
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(augur_planner_tree(host.planner, 3, nodes, &count), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_tree(host.planner, 0, nullptr, &count), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_tree(host.planner, 0, nodes, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    std::uint32_t visits[4];
    float values[4];
    EXPECT_EQ(augur_planner_root(host.planner, 2, visits, values), AUGUR_OK);
    EXPECT_EQ(visits[3], 3u);
    EXPECT_EQ(augur_planner_root(host.planner, 2, nullptr, values), AUGUR_OK);
    EXPECT_EQ(augur_planner_root(host.planner, 3, visits, values), AUGUR_ERROR_LIMIT);
}

TEST_F(FrameTest, TimelineKeepsTheLastFrames) {
    for (int i = 0; i < AUGUR_TIMELINE_CAPACITY + 10; ++i) {
        ASSERT_EQ(host.request(), AUGUR_OK);
        ASSERT_EQ(host.collect(), AUGUR_OK);
    }
    static augur_timeline_frame frames[300];
    std::uint32_t count = 300;
    ASSERT_EQ(augur_planner_timeline(host.planner, frames, &count), AUGUR_OK);
    ASSERT_EQ(count, static_cast<std::uint32_t>(AUGUR_TIMELINE_CAPACITY));
    EXPECT_EQ(frames[0].frame, 10u);
    EXPECT_EQ(frames[255].frame, 265u);
    EXPECT_LE(frames[0].request_time_ns, frames[255].request_time_ns);
    EXPECT_EQ(frames[9].stages[AUGUR_STAGE_SEARCH].end_ns, 300u);
    EXPECT_GT(frames[9].stages[AUGUR_STAGE_SUBMIT].end_ns, 0u);
    const augur_stage_span collect = frames[9].stages[AUGUR_STAGE_COLLECT];
    EXPECT_GE(collect.begin_ns, frames[9].stages[AUGUR_STAGE_SUBMIT].end_ns) << "the calls of a host do not overlap";
    EXPECT_GT(collect.end_ns, collect.begin_ns);
    count = 3;
    ASSERT_EQ(augur_planner_timeline(host.planner, frames, &count), AUGUR_OK);
    ASSERT_EQ(count, 3u);
    EXPECT_EQ(frames[0].frame, 263u) << "the newest ones, oldest first";
    EXPECT_EQ(augur_planner_timeline(host.planner, nullptr, &count), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_timeline(host.planner, frames, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(FrameTest, LatencyCountsFrames) {
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(host.request(), AUGUR_OK);
        ASSERT_EQ(host.collect(), AUGUR_OK);
    }
    augur_latency latency{};
    latency.struct_size = sizeof latency;
    for (const auto kind : {AUGUR_LATENCY_REQUEST, AUGUR_LATENCY_SEARCH, AUGUR_LATENCY_FRAME, AUGUR_LATENCY_WAIT,
                            AUGUR_LATENCY_COLLECT}) {
        ASSERT_EQ(augur_planner_latency(host.planner, kind, &latency), AUGUR_OK);
        EXPECT_EQ(latency.sample_count, 10u);
    }
    ASSERT_EQ(augur_planner_latency(host.planner, AUGUR_LATENCY_SEARCH, &latency), AUGUR_OK);
    EXPECT_DOUBLE_EQ(latency.p50_us, 0.2);
    ASSERT_EQ(augur_planner_latency(host.planner, AUGUR_LATENCY_COLLECT, &latency), AUGUR_OK);
    EXPECT_GT(latency.max_us, 0.0);
    for (const int kind : {0, 6, -1})
        EXPECT_EQ(augur_planner_latency(host.planner, static_cast<augur_latency_kind>(kind), &latency),
                  AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(FrameTest, StageLatencyCountsFramesThatHadTheStage) {
    augur_latency latency{};
    latency.struct_size = sizeof latency;
    ASSERT_EQ(augur_planner_stage_latency(host.planner, AUGUR_STAGE_SEARCH, &latency), AUGUR_OK);
    EXPECT_EQ(latency.sample_count, 0u);
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(host.request(), AUGUR_OK);
        ASSERT_EQ(host.collect(), AUGUR_OK);
    }
    ASSERT_EQ(augur_planner_stage_latency(host.planner, AUGUR_STAGE_SEARCH, &latency), AUGUR_OK);
    EXPECT_EQ(latency.sample_count, 10u);
    EXPECT_DOUBLE_EQ(latency.p50_us, 0.2);
    EXPECT_DOUBLE_EQ(latency.mean_us, 0.2);
    EXPECT_EQ(latency.bins[0], 10u);
    ASSERT_EQ(augur_planner_stage_latency(host.planner, AUGUR_STAGE_CARRY, &latency), AUGUR_OK);
    EXPECT_EQ(latency.sample_count, 0u) << "no frame carried anything over";
    ASSERT_EQ(augur_planner_stage_latency(host.planner, AUGUR_STAGE_COLLECT, &latency), AUGUR_OK);
    EXPECT_EQ(latency.sample_count, 10u);
    for (const std::uint32_t stage : {static_cast<std::uint32_t>(AUGUR_STAGE_COUNT), 0xffffffffu})
        EXPECT_EQ(augur_planner_stage_latency(host.planner, stage, &latency), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_stage_latency(host.planner, 0, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(FrameTest, UnregisterWaitsForItAndUnbinds) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    std::thread release([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        host.backend.hold = false;
    });
    ASSERT_EQ(augur_buffer_unregister(host.buffer), AUGUR_OK);
    EXPECT_FALSE(host.backend.hold) << "it came back before the frame was done";
    release.join();
    EXPECT_EQ(host.collect(), AUGUR_OK);
    EXPECT_EQ(host.request(), AUGUR_ERROR_INVALID_STATE);
    EXPECT_EQ(augur_buffer_unregister(host.buffer), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_buffer_unregister({0}), AUGUR_OK);
    EXPECT_EQ(host.backend.views, 0);
    ASSERT_EQ(host.register_buffer(), AUGUR_OK);
    host.bind_all();
    EXPECT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(FrameTest, DestroyEndsARunningOne) {
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(augur_planner_destroy(host.planner), AUGUR_OK);
    EXPECT_EQ(host.backend.engines, 0);
    EXPECT_EQ(host.collect(), AUGUR_ERROR_STALE_ID);
}

TEST_F(FrameTest, FailureOfTheEngineIsToldAndTheNextFrameMayWork) {
    host.backend.finish = AUGUR_ERROR_INTERNAL;
    ASSERT_EQ(host.request(), AUGUR_OK);
    augur_frame_result result{};
    result.agent_count = 77;
    EXPECT_EQ(host.collect(&result), AUGUR_ERROR_INTERNAL);
    EXPECT_EQ(host.collect(&result), AUGUR_ERROR_INTERNAL);
    EXPECT_EQ(result.agent_count, 77u);
    host.backend.finish = AUGUR_OK;
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(&result), AUGUR_OK);
}

}  // namespace
}  // namespace augur
