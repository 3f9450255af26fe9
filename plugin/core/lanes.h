// Who works on one tree: a single thread, or a group of GPU lanes that share its K actions. Search code is written
// against this interface, so both give the same answers; the GPU's groups are in backend/cuda/lanes.cuh.
//
// sync, any, best and nearest are collective: all lanes of a warp make the call together, whatever their groups are
// doing. A group with nothing to do passes a neutral value. (Calls by single groups would be run one group after the
// other.)
#ifndef AUGUR_CORE_LANES_H
#define AUGUR_CORE_LANES_H

#include <augur/kit/team.h>

#include <cstring>

namespace augur::core {

// An action with its score; the higher score wins, the lower action among equals.
struct Scored {
    float score;
    std::int32_t action;
};

// A whole number that orders like a score: a higher score has a higher number. Scores are never NaN nor -0.
AUGUR_HD_INLINE std::int32_t ordered(float score) {
#if AUGUR_DEVICE_CODE
    const std::int32_t bits = __float_as_int(score);
#else
    std::int32_t bits;
    std::memcpy(&bits, &score, sizeof bits);
#endif
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

AUGUR_HD_INLINE float from_ordered(std::int32_t number) {
    const std::int32_t bits = number ^ ((number >> 31) & 0x7fffffff);
#if AUGUR_DEVICE_CODE
    return __int_as_float(bits);
#else
    float score;
    std::memcpy(&score, &bits, sizeof score);
    return score;
#endif
}

struct SerialLanes : kit::Alone {
    static constexpr int kWidth = 1;
    AUGUR_HD_INLINE int index() const { return 0; }
    AUGUR_HD_INLINE bool leader() const { return true; }
    AUGUR_HD_INLINE void sync() const {}                        // writes of one lane are seen by all after it
    AUGUR_HD_INLINE bool any(bool mine) const { return mine; }  // whether it holds for any lane of the warp
    AUGUR_HD_INLINE bool all(bool mine) const { return mine; }  // whether it holds for all lanes of the group
    // One bit for each lane of the group for which it holds; lane 0 is the lowest.
    AUGUR_HD_INLINE std::uint32_t ballot(bool mine) const { return mine ? 1u : 0u; }
    // The action of the best of the group's lanes, which hold K actions among them; K where no lane has one.
    template <int K>
    AUGUR_HD_INLINE std::int32_t best(Scored mine) const {
        return mine.action;
    }
    // Of the group's (distance, agent) pairs the agent of the lowest.
    AUGUR_HD_INLINE std::uint32_t nearest(std::uint64_t, std::uint32_t agent) const { return agent; }
};

}  // namespace augur::core

#endif  // AUGUR_CORE_LANES_H
