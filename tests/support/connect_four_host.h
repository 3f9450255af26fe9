// A host with a few boards of Connect Four, planned by the CPU backend through the C interface.
#ifndef AUGUR_TESTS_SUPPORT_CONNECT_FOUR_HOST_H
#define AUGUR_TESTS_SUPPORT_CONNECT_FOUR_HOST_H

#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace augur::test {

class ConnectFourHost {
  public:
    static constexpr std::uint32_t kAgents = 5;
    struct Board {
        std::uint64_t own;
        std::uint64_t other;
    };

    ConnectFourHost() {
        context_desc = augur_context_desc_default();
        context_desc.backend = AUGUR_BACKEND_CPU;
        planner_desc = augur_planner_desc_default();
        planner_desc.agent_capacity = kAgents;
        planner_desc.simulations = 40;
    }
    ~ConnectFourHost() { augur_context_destroy(context); }
    ConnectFourHost(const ConnectFourHost&) = delete;
    ConnectFourHost& operator=(const ConnectFourHost&) = delete;

    void create_context(std::uint32_t workers) {
        context_desc.worker_threads = workers;
        ASSERT_EQ(augur_context_create(&context_desc, &context), AUGUR_OK) << augur_last_message();
    }
    void create_planner() {
        ASSERT_EQ(augur_rules_builtin(context, "connect_four", &planner_desc.rules), AUGUR_OK);
        ASSERT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_OK) << augur_last_message();
    }
    void bind_all() {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = boards;
        desc.size_bytes = sizeof boards;
        ASSERT_EQ(augur_buffer_register(context, &desc, &buffer), AUGUR_OK);
        desc.pointer = actions;
        desc.size_bytes = sizeof actions;
        desc.access = AUGUR_ACCESS_WRITE;
        ASSERT_EQ(augur_buffer_register(context, &desc, &action_buffer), AUGUR_OK);
        augur_binding binding{buffer, AUGUR_FORMAT_U64, 0, 0, sizeof(Board)};
        ASSERT_EQ(augur_planner_bind(planner, "own", &binding), AUGUR_OK);
        binding.offset_bytes = 8;
        ASSERT_EQ(augur_planner_bind(planner, "other", &binding), AUGUR_OK);
        binding = {action_buffer, AUGUR_FORMAT_I32, 0, 0, 0};
        ASSERT_EQ(augur_planner_bind_actions(planner, &binding), AUGUR_OK);
    }
    void set_up(std::uint32_t workers) {
        create_context(workers);
        create_planner();
        bind_all();
    }
    augur_result plan(std::uint32_t agents = kAgents, augur_frame_result* result = nullptr) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = agents;
        const augur_result requested = augur_planner_request(planner, &frame);
        if (requested < 0) return requested;
        if (result != nullptr) result->struct_size = sizeof *result;
        return augur_planner_collect(planner, UINT64_MAX, result);
    }
    // Drops the chosen stones and gives every board to the other player.
    void play_actions() {
        for (std::uint32_t i = 0; i < kAgents; ++i) {
            if (actions[i] < 0 || actions[i] > 6) continue;
            const std::uint64_t all = boards[i].own | boards[i].other;
            const std::uint64_t column = 0x3full << (7 * actions[i]);
            const std::uint64_t stone = (all + (1ull << (7 * actions[i]))) & column & ~all;
            boards[i] = {boards[i].other, boards[i].own | stone};
        }
    }

    augur_context_desc context_desc;
    augur_planner_desc planner_desc;
    augur_context_id context{0};
    augur_planner_id planner{0};
    augur_buffer_id buffer{0};
    augur_buffer_id action_buffer{0};
    Board boards[kAgents] = {};
    std::int32_t actions[kAgents] = {};
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_CONNECT_FOUR_HOST_H
