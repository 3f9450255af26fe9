// A host that plans on learned rules: agents with an observation and, if wanted, a mask of legal actions.
#ifndef AUGUR_TESTS_SUPPORT_LEARNED_HOST_H
#define AUGUR_TESTS_SUPPORT_LEARNED_HOST_H

#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/captured_log.h"
#include "support/learned_table.h"

namespace augur::test {

class LearnedHost {
  public:
    CapturedLog log;  // outlives the context
    augur_context_id context{0};
    augur_learned_rules_desc rules_desc = augur_learned_rules_desc_default();
    augur_planner_desc planner_desc = augur_planner_desc_default();
    augur_planner_id planner{0};
    std::vector<float> observations;    // [A][O]
    std::vector<std::uint64_t> legal;   // [A]
    std::vector<std::int32_t> actions;  // [A]

    LearnedHost() = default;
    LearnedHost(const LearnedHost&) = delete;
    LearnedHost& operator=(const LearnedHost&) = delete;
    ~LearnedHost() { augur_context_destroy(context); }

    void create_context(std::uint32_t workers, augur_backend backend = AUGUR_BACKEND_CPU) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = static_cast<std::uint32_t>(backend);
        desc.worker_threads = workers;
        desc.logger = log.logger();
        ASSERT_EQ(augur_context_create(&desc, &context), AUGUR_OK) << augur_last_message();
    }
    augur_model_id model_of(const std::string& bytes, augur_model_desc desc = augur_model_desc_default()) {
        augur_model_id model{0};
        desc.data = bytes.data();
        desc.size_bytes = bytes.size();
        EXPECT_EQ(augur_model_create(context, &desc, &model), AUGUR_OK) << augur_last_message();
        return model;
    }
    void take_models(const std::string& representation, const std::string& dynamics, const std::string& prediction,
                     const augur_model_desc& desc = augur_model_desc_default()) {
        rules_desc.representation = model_of(representation, desc);
        rules_desc.dynamics = model_of(dynamics, desc);
        rules_desc.prediction = model_of(prediction, desc);
    }
    void take_models(const LearnedTable& table, bool two_inputs = true) {
        take_models(table.representation(), table.dynamics(two_inputs), table.prediction());
    }
    void create_planner(std::uint32_t agents) {
        ASSERT_EQ(augur_rules_learned(context, &rules_desc, &planner_desc.rules), AUGUR_OK) << augur_last_message();
        planner_desc.agent_capacity = agents;
        ASSERT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_OK) << augur_last_message();
    }
    // Makes the arrays of planner_desc.agent_capacity agents and binds them.
    void bind_all(std::uint32_t numbers, bool masked) {
        const std::size_t agents = planner_desc.agent_capacity;
        observations.assign(agents * numbers, 0.0f);
        legal.assign(agents, ~0ull);
        actions.assign(agents, -7);
        bind("observation", observations.data(), observations.size() * sizeof(float), AUGUR_FORMAT_F32);
        if (masked) bind("legal", legal.data(), agents * sizeof(std::uint64_t), AUGUR_FORMAT_U64);
        augur_binding at{buffer_of(actions.data(), agents * sizeof(std::int32_t), AUGUR_ACCESS_WRITE), AUGUR_FORMAT_I32,
                         0, 0, 0};
        ASSERT_EQ(augur_planner_bind_actions(planner, &at), AUGUR_OK) << augur_last_message();
    }
    void see_state(std::uint32_t agent, std::uint32_t state, std::uint32_t states) {
        float* const row = observations.data() + std::size_t{agent} * states;
        std::memset(row, 0, states * sizeof(float));
        row[state] = 1.0f;
    }
    augur_result plan(augur_frame_result* out = nullptr) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = planner_desc.agent_capacity;
        frame.frame = 1;
        const augur_result result = augur_planner_request(planner, &frame);
        return result < 0 ? result : augur_planner_collect(planner, UINT64_MAX, out);
    }
    augur_agent_result result_of(std::uint32_t agent) {
        augur_agent_result result{};
        EXPECT_EQ(augur_planner_results(planner, agent, 1, &result), AUGUR_OK) << augur_last_message();
        return result;
    }

    augur_buffer_id buffer_of(void* memory, std::size_t size_bytes, augur_access access) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        augur_buffer_id buffer{0};
        desc.pointer = memory;
        desc.size_bytes = size_bytes;
        desc.access = access;
        EXPECT_EQ(augur_buffer_register(context, &desc, &buffer), AUGUR_OK) << augur_last_message();
        return buffer;
    }

  private:
    void bind(const char* field, void* memory, std::size_t size_bytes, augur_format format) {
        augur_binding at{buffer_of(memory, size_bytes, AUGUR_ACCESS_READ), static_cast<std::uint32_t>(format), 0, 0, 0};
        ASSERT_EQ(augur_planner_bind(planner, field, &at), AUGUR_OK) << augur_last_message();
    }
};

inline LearnedTable table() {
    return hash_table([](float x) { return std::log(x); });
}

// Two states and two actions: action 1 leads to state 1 and pays, action 0 to state 0 and does not. State 1 is worth
// more.
inline LearnedTable two_states() {
    return {2,
            2,
            [](std::uint32_t, std::uint32_t a) { return a; },
            [](std::uint32_t, std::uint32_t a) { return a == 1 ? 0.25f : 0.0f; },
            [](std::uint32_t s) { return s == 1 ? 0.5f : -0.25f; },
            [](std::uint32_t, std::uint32_t) { return 0.0f; }};
}

class ApiLearned : public ::testing::Test, public LearnedHost {
  protected:
    void set_up(const LearnedTable& rules, std::uint32_t agents, std::uint32_t workers = 0, bool masked = true) {
        create_context(workers);
        take_models(rules);
        create_planner(agents);
        bind_all(rules.states, masked);
        for (std::uint32_t i = 0; i < agents; ++i)
            see_state(i, i % rules.states, rules.states);
    }
    augur_result learn(augur_rules_id* out) { return augur_rules_learned(context, &rules_desc, out); }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_LEARNED_HOST_H
