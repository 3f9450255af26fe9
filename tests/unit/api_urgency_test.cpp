// Adaptive planners through the C interface: urgency, turns, plans by time, and what is told of them.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;

// Many boards of Connect Four on the CPU backend, each with an urgency.
class UrgencyHost {
  public:
    explicit UrgencyHost(std::uint32_t agents) : boards(2 * agents), urgency(agents, 1.0f), actions(agents, -7) {
        desc = augur_planner_desc_default();
        desc.agent_capacity = agents;
        desc.simulations = 128;
        desc.adaptive = 1;
        // A few stones on each board, other ones everywhere.
        for (std::uint32_t i = 0; i < agents; ++i) {
            boards[2 * i] = 1ull << (7 * (i % 7));
            boards[2 * i + 1] = 1ull << (7 * ((i / 7 + 1 + i) % 7) + ((i / 7 + 1) % 7 == 0 ? 1 : 0));
        }
    }
    ~UrgencyHost() { augur_context_destroy(context); }

    void set_up(std::uint32_t workers = 0) {
        augur_context_desc made = augur_context_desc_default();
        made.backend = AUGUR_BACKEND_CPU;
        made.worker_threads = workers;
        ASSERT_EQ(augur_context_create(&made, &context), AUGUR_OK);
        ASSERT_EQ(augur_rules_builtin(context, "connect_four", &desc.rules), AUGUR_OK);
        ASSERT_EQ(augur_planner_create(context, &desc, &planner), AUGUR_OK) << augur_last_message();
        augur_binding binding{buffer(boards.data(), boards.size() * 8), AUGUR_FORMAT_U64, 0, 0, 16};
        ASSERT_EQ(augur_planner_bind(planner, "own", &binding), AUGUR_OK);
        binding.offset_bytes = 8;
        ASSERT_EQ(augur_planner_bind(planner, "other", &binding), AUGUR_OK);
        binding = {buffer(actions.data(), actions.size() * 4), AUGUR_FORMAT_I32, 0, 0, 0};
        ASSERT_EQ(augur_planner_bind_actions(planner, &binding), AUGUR_OK);
    }
    augur_buffer_id buffer(void* memory, std::size_t size_bytes) {
        augur_buffer_desc made = augur_buffer_desc_default();
        made.pointer = memory;
        made.size_bytes = size_bytes;
        made.access = AUGUR_ACCESS_READ_WRITE;
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(context, &made, &id), AUGUR_OK) << augur_last_message();
        return id;
    }
    void bind_urgency() {
        const augur_binding binding{buffer(urgency.data(), urgency.size() * 4), AUGUR_FORMAT_F32, 0, 0, 0};
        ASSERT_EQ(augur_planner_bind_urgency(planner, &binding), AUGUR_OK) << augur_last_message();
    }
    augur_result plan(std::uint32_t mean, std::int64_t budget_us = INT64_MIN) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = desc.agent_capacity;
        frame.simulations = mean;
        frame.budget_us = budget_us;
        frame.frame = 5;
        const augur_result requested = augur_planner_request(planner, &frame);
        if (requested < 0) return requested;
        result.struct_size = sizeof result;
        const augur_result answer = augur_planner_collect(planner, UINT64_MAX, &result);
        results.resize(desc.agent_capacity);
        EXPECT_EQ(augur_planner_results(planner, 0, desc.agent_capacity, results.data()), AUGUR_OK);
        for (std::uint32_t i = 0; i < desc.agent_capacity; ++i) {
            EXPECT_TRUE(actions[i] >= 0 && actions[i] < 7) << i << ": " << actions[i];
            EXPECT_EQ(actions[i], results[i].action);
        }
        return answer;
    }
    augur_counters counters() const {
        augur_counters out{};
        out.struct_size = sizeof out;
        EXPECT_EQ(augur_planner_counters(planner, &out), AUGUR_OK);
        return out;
    }

    augur_planner_desc desc;
    augur_context_id context{0};
    augur_planner_id planner{0};
    std::vector<std::uint64_t> boards;
    std::vector<float> urgency;
    std::vector<std::int32_t> actions;
    std::vector<augur_agent_result> results;
    augur_frame_result result{};
};

TEST(Adaptive, WithEqualUrgencyIsWhatItIsWithout) {
    for (const std::uint32_t search : {AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE}) {
        UrgencyHost equal(30), unbound(30), plain(30);
        plain.desc.adaptive = 0;
        plain.desc.simulations = 48;
        for (UrgencyHost* host : {&equal, &unbound, &plain}) {
            host->desc.search = search;
            host->desc.leaves_per_wave = search == AUGUR_SEARCH_TREE ? 8 : 0;
            host->set_up(2);
        }
        std::fill(equal.urgency.begin(), equal.urgency.end(), 0.125f);
        equal.bind_urgency();
        EXPECT_EQ(plain.plan(48), AUGUR_OK);
        EXPECT_EQ(equal.plan(48), AUGUR_OK);
        EXPECT_EQ(unbound.plan(48), AUGUR_OK);
        EXPECT_EQ(equal.result.decision_hash, plain.result.decision_hash);
        EXPECT_EQ(unbound.result.decision_hash, plain.result.decision_hash);
        EXPECT_EQ(equal.counters().frames_reduced, 0u);
        EXPECT_EQ(equal.counters().simulations_allotted, 30u * 48u);
    }
}

TEST(Adaptive, SimulationsGoWhereUrgencyIs) {
    UrgencyHost host(20);
    host.desc.early_stop = 0;
    host.set_up();
    for (std::uint32_t i = 0; i < 20; ++i)
        host.urgency[i] = i < 5 ? 8.0f : 1.0f;
    host.bind_urgency();
    EXPECT_EQ(host.plan(40), AUGUR_OK);
    for (std::uint32_t i = 0; i < 20; ++i) {
        const std::uint32_t most = i < 5 ? 118u : 14u;  // 800 in the ratio 8 to 1, in whole simulations
        EXPECT_LE(host.results[i].visits, most) << i;
        if ((host.results[i].flags & AUGUR_AGENT_EARLY_STOP) == 0) {
            EXPECT_EQ(host.results[i].visits, most) << i;
        }
    }
    EXPECT_EQ(host.result.agents_fallback, 0u);
    EXPECT_LE(host.result.simulations, 800u);
}

TEST(Adaptive, AgentsWithoutUrgencyGetTheGuaranteedAnswer) {
    UrgencyHost host(6);
    host.set_up();
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    host.urgency = {0.0f, 1.0f, nan, -1.0f, inf, 1.0f};
    host.bind_urgency();
    EXPECT_EQ(host.plan(32), AUGUR_OK_WITH_FLAGS);
    for (std::uint32_t i = 0; i < 6; ++i) {
        const bool searched = i == 1 || i == 5, bad = i >= 2 && i <= 4;
        EXPECT_EQ((host.results[i].flags & AUGUR_AGENT_FALLBACK) != 0, !searched) << i;
        EXPECT_EQ((host.results[i].flags & AUGUR_AGENT_BAD_URGENCY) != 0, bad) << i;
        EXPECT_EQ(host.results[i].visits > 0, searched) << i;
    }
    EXPECT_EQ(host.result.agents_fallback, 4u);
    EXPECT_EQ(host.counters().bad_urgencies, 3u);
    EXPECT_EQ(host.counters().fallbacks, 4u);
    EXPECT_EQ(host.counters().agents_put_off, 0u) << "they do not wait for anything";
}

TEST(Adaptive, EveryFormatOfUrgencyIsTaken) {
    UrgencyHost host(4);
    host.set_up();
    std::int32_t words[4] = {1, 2, 4, 1};
    std::int16_t shorts[4] = {1, 2, 4, 1};
    std::uint8_t bytes[4] = {1, 2, 4, 1};
    const auto hash = [&](void* memory, std::size_t size, augur_format format) {
        const augur_binding binding{host.buffer(memory, size), static_cast<std::uint32_t>(format), 0, 0, 0};
        EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_OK) << augur_last_message();
        host.plan(40);
        return host.result.decision_hash;
    };
    const std::uint64_t expected = hash(words, sizeof words, AUGUR_FORMAT_I32);
    EXPECT_EQ(hash(words, sizeof words, AUGUR_FORMAT_U32), expected);
    EXPECT_EQ(hash(shorts, sizeof shorts, AUGUR_FORMAT_I16), expected);
    EXPECT_EQ(hash(shorts, sizeof shorts, AUGUR_FORMAT_U16), expected);
    EXPECT_EQ(hash(bytes, sizeof bytes, AUGUR_FORMAT_I8), expected);
    EXPECT_EQ(hash(bytes, sizeof bytes, AUGUR_FORMAT_U8), expected);
    host.urgency = {10.0f, 20.0f, 40.0f, 10.0f};
    host.bind_urgency();
    host.plan(40);
    EXPECT_EQ(host.result.decision_hash, expected) << "only ratios matter";
}

TEST(Adaptive, RefusesUrgencyByName) {
    UrgencyHost host(4);
    host.set_up();
    const augur_buffer_id whole = host.buffer(host.urgency.data(), 16);
    augur_binding binding{whole, AUGUR_FORMAT_U64, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_NE(std::strstr(augur_last_message(), "U64"), nullptr) << augur_last_message();
    binding = {whole, AUGUR_FORMAT_F32, 0, 4, 0};
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER) << "past the end";
    binding = {whole, 99, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_ERROR_INVALID_ARGUMENT);
    binding = {{0}, AUGUR_FORMAT_F32, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    binding = {host.buffer(host.actions.data(), 16), AUGUR_FORMAT_I32, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER)
        << "where the actions are";
    EXPECT_NE(std::strstr(augur_last_message(), "urgency"), nullptr) << augur_last_message();
    EXPECT_EQ(host.plan(16), AUGUR_OK) << "bound as it was";
    UrgencyHost plain(4);
    plain.desc.adaptive = 0;
    plain.set_up();
    binding = {plain.buffer(plain.urgency.data(), 16), AUGUR_FORMAT_F32, 0, 0, 0};
    EXPECT_EQ(augur_planner_bind_urgency(plain.planner, &binding), AUGUR_ERROR_INVALID_STATE);
    EXPECT_NE(std::strstr(augur_last_message(), "adaptive"), nullptr) << augur_last_message();
}

TEST(Adaptive, UnregisteringUrgencyMakesAllEqual) {
    UrgencyHost host(4);
    host.set_up();
    host.urgency = {1.0f, 0.0f, 0.0f, 0.0f};
    const augur_buffer_id buffer = host.buffer(host.urgency.data(), 16);
    const augur_binding binding{buffer, AUGUR_FORMAT_F32, 0, 0, 0};
    ASSERT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_OK);
    host.plan(16);
    EXPECT_EQ(host.result.agents_fallback, 3u);
    ASSERT_EQ(augur_buffer_unregister(buffer), AUGUR_OK);
    EXPECT_EQ(host.plan(16), AUGUR_OK);
    EXPECT_EQ(host.result.agents_fallback, 0u);
}

TEST(Adaptive, IsNotRecorded) {
    UrgencyHost host(4);
    host.set_up();
    const std::string path = ::testing::TempDir() + "augur_adaptive.augur";
    EXPECT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_ERROR_UNSUPPORTED);
    EXPECT_NE(std::strstr(augur_last_message(), "adaptive"), nullptr) << augur_last_message();
    std::FILE* file = std::fopen(path.c_str(), "rb");
    EXPECT_EQ(file, nullptr) << "nothing was written";
    if (file != nullptr) std::fclose(file);
}

// Real time, so nothing exact: a budget that pays for a part of the work is planned for, the deadline hardly ever has
// to end it, and in a few hundred frames everybody has been searched.
TEST(Adaptive, ABudgetIsPlannedAheadAndEverybodyComesToItsTurn) {
    constexpr std::uint32_t kAgents = 400;
    UrgencyHost host(kAgents);
    host.desc.simulations = 400;
    host.set_up();
    std::vector<int> searched(kAgents, 0);
    for (int i = 0; i < 8; ++i)
        EXPECT_GE(host.plan(400, 3000), 0);
    ASSERT_GT(host.counters().simulation_cost_ps, 0u);
    // As much as pays for some forty agents, whatever the machine.
    const auto budget_us = static_cast<std::int64_t>(1000 + 40 * 8 * host.counters().simulation_cost_ps / 1000000);
    for (int i = 0; i < 400; ++i) {
        EXPECT_GE(host.plan(400, budget_us), 0);
        for (std::uint32_t a = 0; a < kAgents; ++a)
            searched[a] += host.results[a].visits > 0 ? 1 : 0;
    }
    const augur_counters counters = host.counters();
    EXPECT_GT(counters.frames_reduced + counters.frames_unsearched, 380u);
    EXPECT_GT(counters.simulations_allotted, 0u);
    EXPECT_EQ(std::count(searched.begin(), searched.end(), 0), 0);
}

TEST(Adaptive, ABudgetOfNothingIsAnsweredByPriorsAlone) {
    UrgencyHost host(10);
    host.set_up();
    for (int i = 0; i < 4; ++i)
        host.plan(64, 100000);
    EXPECT_EQ(host.plan(64, 0), AUGUR_BUDGET_ZERO);
    EXPECT_EQ(host.result.agents_fallback, 10u);
    EXPECT_EQ(host.result.deadline_missed, 0u);
    EXPECT_GE(host.plan(64, 1), 0);
    EXPECT_GE(host.plan(64, 100000), 0);
    EXPECT_EQ(host.plan(64, INT64_MAX), AUGUR_OK);
    EXPECT_EQ(host.plan(0), AUGUR_BUDGET_ZERO);
}

TEST(AdaptiveDesc, FieldsOutOfRangeAreRefusedByName) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    ASSERT_EQ(augur_rules_builtin(host.context, "fake", &host.planner_desc.rules), AUGUR_OK);
    const auto refused = [&](const char* field, const augur_planner_desc& desc) {
        augur_planner_id planner{0};
        EXPECT_EQ(augur_planner_create(host.context, &desc, &planner), AUGUR_ERROR_INVALID_ARGUMENT) << field;
        EXPECT_NE(std::strstr(augur_last_message(), field), nullptr) << augur_last_message();
    };
    augur_planner_desc desc = host.planner_desc;
    desc.adaptive = 2;
    refused("adaptive", desc);
    desc = host.planner_desc;
    desc.least_simulations = desc.simulations + 1;
    refused("least_simulations", desc);
    desc = host.planner_desc;
    desc.late_actions = 2;
    refused("late_actions", desc);
    for (const float priority : {0.0f, -1.0f, 1001.0f, std::nanf(""), HUGE_VALF}) {
        desc = host.planner_desc;
        desc.priority = priority;
        refused("priority", desc);
    }
    desc = host.planner_desc;
    desc.adaptive = 1;
    desc.least_simulations = desc.simulations;
    desc.priority = 1000.0f;
    ASSERT_EQ(augur_planner_create(host.context, &desc, &host.planner), AUGUR_OK) << augur_last_message();
    EXPECT_TRUE(host.backend.last_desc.adaptive);
    EXPECT_EQ(host.backend.last_desc.least_simulations, desc.simulations);
    desc.least_simulations = 0;
    desc.simulations = 64;
    augur_planner_id another{0};
    ASSERT_EQ(augur_planner_create(host.context, &desc, &another), AUGUR_OK);
    EXPECT_EQ(host.backend.last_desc.least_simulations, 8u) << "four actions";
}

}  // namespace
}  // namespace augur
