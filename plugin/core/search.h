// A whole forest search of one agent, one simulation after the other.
#ifndef AUGUR_CORE_SEARCH_H
#define AUGUR_CORE_SEARCH_H

#include "core/choose.h"
#include "core/simulate.h"

namespace augur::core {

// Runs simulations until the tree has `target` of them in all or wants no more; work.active tells which.
template <class R, class T>
AUGUR_HD_INLINE void search_until(const T& tree, AgentWork& work, const Settings& settings, const FrameKey& key,
                                  std::uint32_t agent, std::uint32_t target) {
    const SerialLanes lanes;
    while (work.active && work.simulations < target) {
        const std::uint32_t simulation = work.simulations;
        const Leaf leaf = descend<R>(tree, work, settings, key.random, agent, simulation, lanes);
        if (leaf.full) {
            work.flags |= kFlagPoolExhausted;
            work.active = 0;
            break;
        }
        const Return<R> result = evaluate_leaf<R>(tree, leaf, settings, key.random, agent, simulation, work.flags);
        back_up<R>(tree, leaf.node, result, settings, work.flags);
        ++work.simulations;
        if (!wants_more<R>(tree, work, settings)) work.active = 0;
    }
}

}  // namespace augur::core

#endif  // AUGUR_CORE_SEARCH_H
