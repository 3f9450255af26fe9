// A host that plans Connect Four, with its boards wherever a test wants them.
#ifndef AUGUR_TESTS_GPU_BOARDS_H
#define AUGUR_TESTS_GPU_BOARDS_H

#include <augur/augur.h>
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace augur::test {

inline bool has_gpu() {
    augur_self_test_report report{};
    report.struct_size = sizeof report;
    return augur_self_test(&report) == AUGUR_OK && report.cuda == AUGUR_OK;
}

#define AUGUR_NEEDS_GPU() \
    if (!::augur::test::has_gpu()) GTEST_SKIP() << "no usable GPU here"

// Positions after a few moves, no two alike for long: agent i has one stone each in columns that depend on i.
struct Boards {
    std::vector<std::uint64_t> own, other;
    explicit Boards(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            own.push_back(1ull << (7 * (i % 7)));
            other.push_back(1ull << (7 * ((i + 1 + i / 7 % 6) % 7)));
        }
    }
    std::uint64_t bytes() const { return own.size() * sizeof(std::uint64_t); }
};

// A context with one planner bound to given memory; everything is destroyed with it.
class Host {
  public:
    explicit Host(augur_backend backend, const augur_context_desc* base = nullptr) {
        augur_context_desc desc = base != nullptr ? *base : augur_context_desc_default();
        desc.backend = backend;
        EXPECT_GE(augur_context_create(&desc, &context_), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_rules_builtin(context_, "connect_four", &rules_), AUGUR_OK);
    }
    ~Host() { augur_context_destroy(context_); }

    augur_result make_planner(std::uint32_t agents, std::uint32_t simulations,
                              augur_carry_over carry_over = AUGUR_CARRY_OVER_NONE) {
        augur_planner_desc desc = augur_planner_desc_default();
        desc.rules = rules_;
        desc.agent_capacity = agents;
        desc.simulations = simulations;
        desc.carry_over = static_cast<std::uint32_t>(carry_over);
        return augur_planner_create(context_, &desc, &planner_);
    }

    augur_result register_memory(void* pointer, std::uint64_t bytes, augur_buffer_kind kind, augur_access access,
                                 augur_buffer_id* out) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.kind = static_cast<std::uint32_t>(kind);
        desc.access = static_cast<std::uint32_t>(access);
        desc.pointer = pointer;
        desc.size_bytes = bytes;
        return augur_buffer_register(context_, &desc, out);
    }

    void bind(void* own, void* other, void* actions, std::uint32_t agents, augur_buffer_kind kind) {
        augur_buffer_id ids[3];
        ASSERT_EQ(register_memory(own, agents * 8ull, kind, AUGUR_ACCESS_READ, &ids[0]), AUGUR_OK)
            << augur_last_message();
        ASSERT_EQ(register_memory(other, agents * 8ull, kind, AUGUR_ACCESS_READ, &ids[1]), AUGUR_OK);
        ASSERT_EQ(register_memory(actions, agents * 4ull, kind, AUGUR_ACCESS_WRITE, &ids[2]), AUGUR_OK);
        augur_binding binding{ids[0], AUGUR_FORMAT_U64, 0, 0, 0};
        ASSERT_EQ(augur_planner_bind(planner_, "own", &binding), AUGUR_OK) << augur_last_message();
        binding.buffer = ids[1];
        ASSERT_EQ(augur_planner_bind(planner_, "other", &binding), AUGUR_OK);
        binding = {ids[2], AUGUR_FORMAT_I32, 0, 0, 0};
        ASSERT_EQ(augur_planner_bind_actions(planner_, &binding), AUGUR_OK);
    }

    augur_result request(std::uint32_t agents, std::int64_t budget_us = INT64_MIN) {
        augur_frame_desc desc = augur_frame_desc_default();
        desc.agent_count = agents;
        desc.frame = 1;
        desc.budget_us = budget_us;
        return augur_planner_request(planner_, &desc);
    }
    augur_result collect(augur_frame_result* out = nullptr) {
        if (out != nullptr) out->struct_size = sizeof *out;
        return augur_planner_collect(planner_, UINT64_MAX, out);
    }

    augur_context_id context() const { return context_; }
    augur_planner_id planner() const { return planner_; }

  private:
    augur_context_id context_{};
    augur_rules_id rules_{};
    augur_planner_id planner_{};
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_GPU_BOARDS_H
