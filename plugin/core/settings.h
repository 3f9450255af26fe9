// What a search is told: settings of the planner, and the frame's own numbers.
#ifndef AUGUR_CORE_SETTINGS_H
#define AUGUR_CORE_SETTINGS_H

#include <augur/kit/random.h>

namespace augur::core {

enum class Selection : std::uint32_t { puct = 1, uct = 2, gumbel = 3 };

// What becomes of the trees of the last frame; equal to augur_carry_over.
enum class CarryOver : std::uint32_t { none = 0, subtree = 1, warm_start = 2 };

// Fixed when the planner is made.
struct Settings {
    Selection selection;
    float exploration;
    std::int32_t discount;             // Q16 per ply
    std::uint32_t horizon;             // plies from the root
    std::uint32_t node_capacity;       // N, nodes per tree
    std::uint32_t leaves_per_wave;     // W; 1 in a forest
    std::uint32_t early_stop;          // 0 or 1
    std::uint32_t transpositions;      // 0 or 1; large tree only
    std::uint32_t considered_actions;  // gumbel: at the root at first
    float gumbel_scale;                // gumbel: of the noise at the root
    CarryOver carry_over;
    std::uint32_t count_carried;  // 0 or 1: visits carried over are simulations of this frame that are done
};

// New every frame.
struct FrameKey {
    kit::RandomKey random;
    std::uint32_t agent_count;  // A
    std::uint32_t simulations;  // S, most of one agent
};

// Bits of a tree's flags, equal to augur_agent_flag.
enum AgentFlag : std::uint32_t {
    kFlagDeadline = 1u << 0,
    kFlagEarlyStop = 1u << 1,
    kFlagProven = 1u << 2,
    kFlagOnlyAction = 1u << 3,
    kFlagNoAction = 1u << 4,
    kFlagBadState = 1u << 5,
    kFlagFallback = 1u << 6,
    kFlagPoolExhausted = 1u << 7,
    kFlagDeadEnd = 1u << 8,
    kFlagValueClamped = 1u << 9,
    kFlagAbsent = 1u << 10,
    kFlagModelFallback = 1u << 11,
    kFlagBadUrgency = 1u << 12,
};
inline constexpr std::uint32_t kFlagBits = 13;
// Flags that tell of nothing wrong.
inline constexpr std::uint32_t kHarmlessFlags = kFlagEarlyStop | kFlagProven | kFlagOnlyAction;

}  // namespace augur::core

#endif  // AUGUR_CORE_SETTINGS_H
