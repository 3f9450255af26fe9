// An agent's root state out of the fetched words.
#ifndef AUGUR_CORE_GATHER_H
#define AUGUR_CORE_GATHER_H

#include "core/fetch.h"
#include "core/grid.h"

namespace augur::core {

// sources: [count], for the validity check.
template <class R>
AUGUR_HD_INLINE kit::Gathered gather_agent(typename R::State& state, const SourceView* sources, std::uint32_t count,
                                           const kit::Fields& fields, const Grid& grid, std::uint32_t agent) {
    if (has_invalid_word(sources, count, fields, agent)) return kit::Gathered::bad_state;
    std::uint32_t neighbours[R::kNeighbours > 0 ? R::kNeighbours : 1];
    const int found = find_neighbours<R>(grid, fields, agent, neighbours);
    return R::gather(state, fields, agent, neighbours, found);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GATHER_H
