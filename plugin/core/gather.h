// An agent's root state out of the fetched words.
#ifndef AUGUR_CORE_GATHER_H
#define AUGUR_CORE_GATHER_H

#include "core/fetch.h"
#include "core/grid.h"

namespace augur::core {

// sources: [count], for the validity check. All lanes of a group get the same answer.
template <class R, class Lanes>
AUGUR_HD_INLINE kit::Gathered gather_agent(typename R::State& state, const SourceView* sources, std::uint32_t count,
                                           const kit::Fields& fields, const Grid& grid, std::uint32_t agent,
                                           Lanes lanes) {
    const bool invalid = has_invalid_word(sources, count, fields, agent);
    std::uint32_t neighbours[R::kNeighbours > 0 ? R::kNeighbours : 1];
    const int found = find_neighbours<R>(grid, fields, agent, !invalid, neighbours, lanes);
    return invalid ? kit::Gathered::bad_state : R::gather(state, fields, agent, neighbours, found);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GATHER_H
