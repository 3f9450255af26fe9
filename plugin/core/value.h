// Values and edge statistics in fixed point: sums of integers do not depend on the order in which they are added.
#ifndef AUGUR_CORE_VALUE_H
#define AUGUR_CORE_VALUE_H

#include <augur/kit/fixed.h>

namespace augur::core {

// An edge is one 64-bit word, so one add (atomic where it must be) counts a visit and its value:
//   bits 40..63  visits (at most 2^22 are ever made)
//   bits  0..39  sum over the visits of (value + 1) in Q15, each 0 .. 65536, never negative
// A visit counted before its value is known reads as a value of -1: that is the virtual loss.
using Edge = std::uint64_t;

inline constexpr int kVisitShift = 40;
inline constexpr Edge kOneVisit = Edge(1) << kVisitShift;
inline constexpr Edge kSumMask = kOneVisit - 1;
inline constexpr std::uint32_t kMaxSimulations = (1u << 22) - 1;

AUGUR_HD_INLINE std::uint32_t edge_visits(Edge edge) {
    return static_cast<std::uint32_t>(edge >> kVisitShift);
}

// A return in Q16 within [-1, 1], as it is added to an edge's sum.
AUGUR_HD_INLINE Edge edge_value(std::int32_t value_q16) {
    return static_cast<Edge>(kit::clamp(value_q16, -kit::kOne, kit::kOne) + kit::kOne) >> 1;
}

// 1 / n, n >= 1. Correctly rounded, so a table of it holds the same numbers. On a GPU by the steps that a division
// takes for normal numbers, without its test for others, which would part what the compiler may overlap.
AUGUR_HD_INLINE float reciprocal(std::uint32_t n) {
#if AUGUR_DEVICE_CODE
    const float x = static_cast<float>(n);
    float guess;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
    return __fmaf_rn(guess, -__fmaf_rn(x, guess, -1.0f), guess);
#else
    return 1.0f / static_cast<float>(n);
#endif
}

// The sum of an edge's values as a float; virtual losses do not change it.
AUGUR_HD_INLINE float edge_sum(Edge edge) {
    return static_cast<float>(static_cast<std::int64_t>(edge & kSumMask));
}

// Mean value of an edge with visits, for comparing actions: within 2^-22 of [-1, 1]. per_visit is
// reciprocal(edge_visits(edge)).
AUGUR_HD_INLINE float edge_mean(float sum, float per_visit) {
    return sum * (per_visit * (1.0f / 32768.0f)) - 1.0f;
}

// The same for people and hosts: one division, so it never leaves [-1, 1] and is exact where the mean has few bits.
AUGUR_HD_INLINE float edge_mean(Edge edge) {
    return edge_sum(edge) / (static_cast<float>(edge_visits(edge)) * 32768.0f) - 1.0f;
}

// Rewards and returns are kept within +-256.0 so that nothing overflows, whatever the rules say.
inline constexpr std::int32_t kReturnLimit = 256 * kit::kOne;

AUGUR_HD_INLINE std::int32_t clamp_return(std::int64_t value_q16) {
    return static_cast<std::int32_t>(
        kit::clamp(value_q16, -static_cast<std::int64_t>(kReturnLimit), static_cast<std::int64_t>(kReturnLimit)));
}

AUGUR_HD_INLINE std::int32_t clamp_reward(std::int32_t reward_q16) {
    return kit::clamp(reward_q16, -kReturnLimit, kReturnLimit);
}

// reward + discount * later, all Q16. Sutton and Barto, "Reinforcement Learning", eq. 3.9.
AUGUR_HD_INLINE std::int32_t discounted(std::int32_t reward, std::int32_t discount, std::int32_t later) {
    if (discount == kit::kOne) return kit::clamp(clamp_reward(reward) + later, -kReturnLimit, kReturnLimit);
    return clamp_return(static_cast<std::int64_t>(clamp_reward(reward)) +
                        ((static_cast<std::int64_t>(discount) * later) >> 16));
}

}  // namespace augur::core

#endif  // AUGUR_CORE_VALUE_H
