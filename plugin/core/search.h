// A whole forest search of one agent, one simulation after the other.
#ifndef AUGUR_CORE_SEARCH_H
#define AUGUR_CORE_SEARCH_H

#include "core/choose.h"
#include "core/simulate.h"

namespace augur::core {

// One simulation of an active tree.
template <class R, class T, class Meter>
AUGUR_HD_INLINE void simulate(const T& tree, AgentWork& work, const Settings& settings, const FrameKey& key,
                              std::uint32_t agent, Meter&& meter) {
    const SerialLanes lanes;
    const std::uint32_t simulation = work.simulations;
    meter.begin();
    const Leaf leaf = descend<R>(tree, work, settings, key.random, agent, simulation, lanes, true, meter);
    if (leaf.full) {
        meter.end(SearchPart::expand);
        work.flags |= kFlagPoolExhausted;
        work.active = 0;
        return;
    }
    meter.pass(SearchPart::expand, SearchPart::evaluate);
    const Return<R> result = evaluate_leaf<R>(tree, leaf, settings, key.random, agent, simulation, work.flags);
    meter.pass(SearchPart::evaluate, SearchPart::back_up);
    back_up<R>(tree, leaf.node, result, settings, work.flags);
    meter.end(SearchPart::back_up);
    ++work.simulations;
    if (!wants_more<R>(tree, work, settings)) work.active = 0;
}

// Runs simulations until the tree has `target` of them in all or wants no more; work.active tells which.
template <class R, class T>
AUGUR_HD_INLINE void search_until(const T& tree, AgentWork& work, const Settings& settings, const FrameKey& key,
                                  std::uint32_t agent, std::uint32_t target) {
    while (work.active && work.simulations < target)
        simulate<R>(tree, work, settings, key, agent, NoMeter{});
}

}  // namespace augur::core

#endif  // AUGUR_CORE_SEARCH_H
