// Several threads that play one simulation together. A game whose plies are long (many units, say) can share the work
// of a ply: its step and rollout_action take a team, and every thread of the team calls them with the same state and
// gets the same answer. On the CPU a team is one thread; on the GPU it is a group of lanes. Games with short plies do
// without.
//
//   each<N>(f)          calls f(i) for every i below N, each i on one thread of the team
//   spread<N>(out, f)   out[i] = f(i) on every thread, each f(i) computed once
//   sum, unite, lowest  combine what the threads hold: sum, bitwise or, minimum
//
// All threads of the team make the same calls in the same order.
#ifndef AUGUR_KIT_TEAM_H
#define AUGUR_KIT_TEAM_H

#include <augur/kit/platform.h>

namespace augur::kit {

// A team of one.
struct Alone {
    template <std::uint32_t N, class F>
    AUGUR_HD_INLINE void each(const F& f) const {
        AUGUR_LANES
        for (std::uint32_t i = 0; i < N; ++i)
            f(i);
    }
    template <std::uint32_t N, class F>
    AUGUR_HD_INLINE void spread(std::uint32_t (&out)[N], const F& f) const {
        AUGUR_LANES
        for (std::uint32_t i = 0; i < N; ++i)
            out[i] = f(i);
    }
    AUGUR_HD_INLINE std::int32_t sum(std::int32_t mine) const { return mine; }
    AUGUR_HD_INLINE std::uint64_t sum(std::uint64_t mine) const { return mine; }
    AUGUR_HD_INLINE std::uint32_t unite(std::uint32_t mine) const { return mine; }
    AUGUR_HD_INLINE std::uint32_t lowest(std::uint32_t mine) const { return mine; }
};

}  // namespace augur::kit

#endif  // AUGUR_KIT_TEAM_H
