// A small game over the fake backend: four agents with position, health and actions in one array of structs.
#ifndef AUGUR_TESTS_SUPPORT_FAKE_HOST_H
#define AUGUR_TESTS_SUPPORT_FAKE_HOST_H

#include <augur/augur.h>
#include <gtest/gtest.h>

#include "runtime/desc.h"
#include "support/captured_log.h"
#include "support/fake_backend.h"

namespace augur::test {

struct FakeUnit {
    float position[2];
    std::int32_t health;
    std::int32_t action;
};

// Made in steps, so that a test can change every desc before it is used.
class FakeHost {
  public:
    static constexpr std::uint32_t kAgents = 4;

    FakeHost() {
        context_desc = augur_context_desc_default();
        context_desc.worker_threads = 0;
        context_desc.logger = log.logger();
        buffer_desc = augur_buffer_desc_default();
        buffer_desc.pointer = units;
        buffer_desc.size_bytes = sizeof units;
        buffer_desc.access = AUGUR_ACCESS_READ_WRITE;
        planner_desc = augur_planner_desc_default();
        planner_desc.agent_capacity = kAgents;
        planner_desc.simulations = 10;
        for (std::uint32_t i = 0; i < kAgents; ++i)
            units[i] = {{static_cast<float>(i), 1.0f}, static_cast<std::int32_t>(10 + i), -7};
    }
    ~FakeHost() { augur_context_destroy(context); }
    FakeHost(const FakeHost&) = delete;
    FakeHost& operator=(const FakeHost&) = delete;

    augur_result create_context() {
        augur_context_desc taken;
        const augur_result result = take_desc(&context_desc, &taken);
        return result == AUGUR_OK ? augur::create_context(taken, fake::factory(), &context.value) : result;
    }
    augur_result create_planner() {
        const augur_result result = augur_rules_builtin(context, "fake", &planner_desc.rules);
        return result == AUGUR_OK ? augur_planner_create(context, &planner_desc, &planner) : result;
    }
    augur_result register_buffer() { return augur_buffer_register(context, &buffer_desc, &buffer); }

    augur_binding at(augur_format format, std::size_t offset) const {
        return {buffer, static_cast<std::uint32_t>(format), 0, offset, sizeof(FakeUnit)};
    }
    augur_result bind_field(const char* field, augur_format format, std::size_t offset) {
        const augur_binding binding = at(format, offset);
        return augur_planner_bind(planner, field, &binding);
    }
    augur_result bind_actions() {
        const augur_binding binding = at(AUGUR_FORMAT_I32, offsetof(FakeUnit, action));
        return augur_planner_bind_actions(planner, &binding);
    }
    void bind_all() {
        ASSERT_EQ(bind_field("position", AUGUR_FORMAT_F32, offsetof(FakeUnit, position)), AUGUR_OK);
        ASSERT_EQ(bind_field("health", AUGUR_FORMAT_I32, offsetof(FakeUnit, health)), AUGUR_OK);
        ASSERT_EQ(bind_actions(), AUGUR_OK);
    }
    // Everything up to the first request.
    void set_up() {
        ASSERT_GE(create_context(), 0) << augur_last_message();
        ASSERT_GE(create_planner(), 0) << augur_last_message();
        ASSERT_EQ(register_buffer(), AUGUR_OK) << augur_last_message();
        bind_all();
    }
    augur_result request(std::uint32_t agents = kAgents) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = agents;
        return augur_planner_request(planner, &frame);
    }
    augur_result collect(augur_frame_result* result = nullptr) {
        if (result != nullptr) result->struct_size = sizeof *result;
        return augur_planner_collect(planner, UINT64_MAX, result);
    }
    augur_counters counters() {
        augur_counters out{};
        out.struct_size = sizeof out;
        EXPECT_EQ(augur_planner_counters(planner, &out), AUGUR_OK);
        return out;
    }

    fake::Scope backend;
    CapturedLog log;
    augur_context_desc context_desc;
    augur_buffer_desc buffer_desc;
    augur_planner_desc planner_desc;
    augur_context_id context{0};
    augur_planner_id planner{0};
    augur_buffer_id buffer{0};
    FakeUnit units[kAgents];
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_FAKE_HOST_H
