// What holds of every frame of Connect Four, however busy the machine is. For hosts: uses the public interface alone.
#ifndef AUGUR_TESTS_SUPPORT_FRAME_CHECK_H
#define AUGUR_TESTS_SUPPORT_FRAME_CHECK_H

#include <augur/augur.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace augur::test {

// In every slot before a request: a frame writes those of its agents and no other.
constexpr std::int32_t kUnwritten = -77;

// own, other of each agent: one column is full, two have a stone, and nobody can have won.
inline std::vector<std::uint64_t> half_full_boards(std::uint32_t count) {
    std::vector<std::uint64_t> boards;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto column = [&](std::uint32_t offset) { return 7 * ((i + offset) % 7); };
        boards.push_back(0b010101ull << column(0) | 1ull << column(1));
        boards.push_back(0b101010ull << column(0) | 1ull << column(2 + i / 7 % 4));
    }
    return boards;
}

struct CheckedFrame {
    augur_planner_id planner;
    const augur_frame_desc& asked;
    bool adaptive;
    bool drops;                                // actions that come too late
    bool cancelled;                            // somebody called cancel meanwhile
    const std::vector<std::uint64_t>& boards;  // as above, of all that there is room for
    const std::vector<std::int32_t>& actions;
};

// The stages of the frame that was collected last lie one behind the other between its request and now, on one clock.
inline void expect_ordered(augur_planner_id planner, const augur_frame_result& result) {
    augur_timeline_frame line{};
    std::uint32_t count = 1;
    ASSERT_EQ(augur_planner_timeline(planner, &line, &count), AUGUR_OK);
    ASSERT_EQ(count, 1u);
    ASSERT_EQ(line.frame, result.frame);
    ASSERT_EQ(line.backend, result.backend);
    ASSERT_EQ(line.multiprocessors != 0, line.backend == AUGUR_BACKEND_CUDA);
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    ASSERT_LE(line.request_time_ns + line.done_ns,
              static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
    constexpr augur_stage kOrder[] = {AUGUR_STAGE_WAIT,  AUGUR_STAGE_FETCH,  AUGUR_STAGE_GRID,    AUGUR_STAGE_GATHER,
                                      AUGUR_STAGE_CARRY, AUGUR_STAGE_SEARCH, AUGUR_STAGE_FINALISE};
    std::uint64_t at = 0;
    for (const augur_stage stage : kOrder) {
        const augur_stage_span& span = line.stages[stage];
        if (span.end_ns == span.begin_ns) continue;
        ASSERT_GE(span.begin_ns, at) << augur_stage_name(stage);
        ASSERT_GT(span.end_ns, span.begin_ns) << augur_stage_name(stage);
        at = span.end_ns;
    }
    ASSERT_LE(at, line.done_ns);
    const augur_stage_span& search = line.stages[AUGUR_STAGE_SEARCH];
    at = search.begin_ns;
    for (const augur_stage part : {AUGUR_STAGE_SELECT, AUGUR_STAGE_EXPAND, AUGUR_STAGE_EVALUATE, AUGUR_STAGE_BACK_UP}) {
        const augur_stage_span& span = line.stages[part];
        if (span.end_ns == span.begin_ns) continue;
        ASSERT_GE(span.begin_ns, at) << augur_stage_name(part);
        ASSERT_LE(span.end_ns, search.end_ns) << augur_stage_name(part);
        at = span.end_ns;
    }
    if (line.budget_ns != 0) {
        ASSERT_LE(line.search_until_ns, line.budget_ns);
    }
}

// result: what collect wrote, with code.
inline void expect_sound(const CheckedFrame& frame, augur_result code, const augur_frame_result& result) {
    const augur_frame_desc& asked = frame.asked;
    const std::uint32_t count = asked.agent_count;
    ASSERT_GE(code, AUGUR_OK) << augur_last_message();
    ASSERT_NE(code, AUGUR_NOT_READY);
    ASSERT_EQ(result.agent_count, count);

    std::vector<augur_agent_result> agents(count);
    ASSERT_EQ(augur_planner_results(frame.planner, 0, count, agents.data()), AUGUR_OK) << augur_last_message();
    constexpr std::uint32_t kNoted = AUGUR_AGENT_EARLY_STOP | AUGUR_AGENT_PROVEN | AUGUR_AGENT_ONLY_ACTION;
    const bool dropped = result.actions_dropped != 0;
    if (dropped) {
        ASSERT_TRUE(frame.drops);
        ASSERT_EQ(result.deadline_missed, 1u);
    }
    std::uint32_t fallbacks = 0, flagged = 0, late = 0;
    for (std::uint32_t i = 0; i < frame.actions.size(); ++i) {
        const std::int32_t action = frame.actions[i];
        if (i >= count) {
            ASSERT_EQ(action, kUnwritten) << "agent " << i << " is none of the frame's";
            continue;
        }
        if (dropped) {
            ASSERT_EQ(action, kUnwritten) << i << ": it came too late";
        }
        const std::uint64_t stones = frame.boards[2 * i] | frame.boards[2 * i + 1];
        const std::int32_t chosen = agents[i].action;
        ASSERT_TRUE(chosen >= 0 && chosen < 7 && (stones >> (7 * chosen + 5) & 1) == 0) << i << ": " << chosen;
        ASSERT_TRUE(dropped || action == chosen) << i;
        ASSERT_TRUE(agents[i].value >= -1.0f && agents[i].value <= 1.0f) << i;
        const std::uint32_t flags = agents[i].flags;
        if ((flags & AUGUR_AGENT_FALLBACK) != 0) {
            ASSERT_EQ(agents[i].visits, 0u) << i;
        }
        fallbacks += (flags & AUGUR_AGENT_FALLBACK) != 0 ? 1 : 0;
        late += (flags & AUGUR_AGENT_DEADLINE) != 0 ? 1 : 0;
        flagged += (flags & ~kNoted) != 0 ? 1 : 0;
    }
    ASSERT_EQ(result.agents_fallback, fallbacks);
    ASSERT_EQ(result.agents_flagged, flagged);

    const bool nothing_asked = asked.simulations == 0 || (asked.budget_us <= 0 && asked.budget_us != INT64_MIN);
    const bool limited = asked.budget_us > 0 && asked.budget_us != INT64_MAX && !nothing_asked;
    if (code == AUGUR_CANCELLED) {
        ASSERT_TRUE(frame.cancelled);
        return;
    }
    if (nothing_asked) {
        ASSERT_EQ(code, AUGUR_BUDGET_ZERO);
    }
    if (code == AUGUR_BUDGET_ZERO) {
        ASSERT_TRUE(nothing_asked || (frame.adaptive && limited));
        ASSERT_EQ(result.simulations, 0u);
        ASSERT_EQ(result.deadline_missed, 0u);
        return;
    }
    const bool over = result.request_to_done_ns > static_cast<std::uint64_t>(asked.budget_us) * 1000;
    ASSERT_EQ(result.deadline_missed, limited && over ? 1u : 0u);
    if (code == AUGUR_DEADLINE_HIT) {
        ASSERT_TRUE(limited);
        ASSERT_GT(late + fallbacks + result.actions_dropped, 0u);
    } else {
        ASSERT_EQ(late, 0u) << "a deadline that nobody is told of";
    }
    if (!limited) {
        ASSERT_EQ(code, AUGUR_OK);
        ASSERT_EQ(fallbacks, 0u) << "there was time without end";
    }
}

// A planner of a context that others may have too, with its boards and, where it is adaptive, an urgency for each.
class CheckedSeat {
  public:
    CheckedSeat(augur_context_id context, const augur_planner_desc& base)
        : context_(context),
          desc_(base),
          boards_(half_full_boards(base.agent_capacity)),
          urgency_(base.agent_capacity, 1.0f),
          actions_(base.agent_capacity, kUnwritten) {
        EXPECT_EQ(augur_rules_builtin(context, "connect_four", &desc_.rules), AUGUR_OK);
        EXPECT_EQ(augur_planner_create(context, &desc_, &planner_), AUGUR_OK) << augur_last_message();
        augur_binding binding{share(boards_.data(), boards_.size() * 8), AUGUR_FORMAT_U64, 0, 0, 16};
        EXPECT_EQ(augur_planner_bind(planner_, "own", &binding), AUGUR_OK);
        binding.offset_bytes = 8;
        EXPECT_EQ(augur_planner_bind(planner_, "other", &binding), AUGUR_OK);
        binding = {share(actions_.data(), actions_.size() * 4), AUGUR_FORMAT_I32, 0, 0, 0};
        EXPECT_EQ(augur_planner_bind_actions(planner_, &binding), AUGUR_OK);
        if (desc_.adaptive == 0) return;
        binding = {share(urgency_.data(), urgency_.size() * 4), AUGUR_FORMAT_F32, 0, 0, 0};
        EXPECT_EQ(augur_planner_bind_urgency(planner_, &binding), AUGUR_OK);
    }
    ~CheckedSeat() {
        EXPECT_EQ(augur_planner_destroy(planner_), AUGUR_OK);
        for (const augur_buffer_id id : buffers_)
            EXPECT_EQ(augur_buffer_unregister(id), AUGUR_OK);
    }
    CheckedSeat(const CheckedSeat&) = delete;
    CheckedSeat& operator=(const CheckedSeat&) = delete;

    augur_planner_id planner() const { return planner_; }
    std::vector<float>& urgency() { return urgency_; }

    augur_result request(const augur_frame_desc& frame) {
        std::fill(actions_.begin(), actions_.end(), kUnwritten);
        return augur_planner_request(planner_, &frame);
    }
    // Waits as long as it takes; the frame must be sound.
    augur_result collect(const augur_frame_desc& asked, augur_frame_result* result, bool cancelled = false) {
        *result = {};
        result->struct_size = sizeof *result;
        const augur_result code = augur_planner_collect(planner_, UINT64_MAX, result);
        expect_sound({planner_, asked, desc_.adaptive != 0, desc_.late_actions == AUGUR_LATE_ACTIONS_DROP, cancelled,
                      boards_, actions_},
                     code, *result);
        if (code >= AUGUR_OK && asked.agent_count > 0) expect_ordered(planner_, *result);
        return code;
    }

  private:
    augur_buffer_id share(void* memory, std::size_t size_bytes) {
        augur_buffer_desc made = augur_buffer_desc_default();
        made.pointer = memory;
        made.size_bytes = size_bytes;
        made.access = AUGUR_ACCESS_READ_WRITE;
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(context_, &made, &id), AUGUR_OK) << augur_last_message();
        buffers_.push_back(id);
        return id;
    }

    augur_context_id context_;
    augur_planner_desc desc_;
    augur_planner_id planner_{0};
    std::vector<std::uint64_t> boards_;
    std::vector<float> urgency_;
    std::vector<std::int32_t> actions_;
    std::vector<augur_buffer_id> buffers_;
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_FRAME_CHECK_H
