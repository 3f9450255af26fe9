// Who works on one tree: a single thread, or a group of GPU lanes that share its K actions. Search code is written
// against this interface, so both give the same answers; the GPU's groups are in backend/cuda/lanes.cuh.
#ifndef AUGUR_CORE_LANES_H
#define AUGUR_CORE_LANES_H

#include <augur/kit/platform.h>

namespace augur::core {

// An action with its score; the higher score wins, the lower action among equals.
struct Scored {
    float score;
    std::int32_t action;
};

AUGUR_HD_INLINE bool better(const Scored& a, const Scored& b) {
    return a.score > b.score || (a.score == b.score && a.action < b.action);
}

struct SerialLanes {
    static constexpr int kWidth = 1;
    AUGUR_HD_INLINE int index() const { return 0; }
    AUGUR_HD_INLINE bool leader() const { return true; }
    AUGUR_HD_INLINE void sync() const {}                             // writes of one lane are seen by all after it
    AUGUR_HD_INLINE Scored best(Scored mine) const { return mine; }  // the best of all lanes
};

}  // namespace augur::core

#endif  // AUGUR_CORE_LANES_H
