// The part of the CPU search that is worth a version for each level of the instruction set.
#ifndef AUGUR_BACKEND_CPU_CLONES_H
#define AUGUR_BACKEND_CPU_CLONES_H

#include <cstdint>

#include "backend/cpu/part_meter.h"
#include "core/search.h"

namespace augur {

// The compiler makes this function once for every x86-64 level named and picks the best at load time; everything it
// calls is inlined.
// Not under a sanitizer, whose run time does not live yet when the best one is picked.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define AUGUR_CPU_CLONES __attribute__((target_clones("default", "arch=x86-64-v3"), flatten))
#else
#define AUGUR_CPU_CLONES
#endif

// Runs agent's search up to `target` simulations.
template <class R>
AUGUR_CPU_CLONES void cpu_search(const core::Tree<R>& tree, core::AgentWork& work, const core::Settings& settings,
                                 const core::FrameKey& key, std::uint32_t agent, std::uint32_t target) {
    core::search_until<R>(tree, work, settings, key, agent, target);
}

// One of its simulations, measured. By itself: beside the loop above it would cost that a third of its pace.
template <class R>
[[gnu::noinline]] void cpu_measured_simulation(const core::Tree<R>& tree, core::AgentWork& work,
                                               const core::Settings& settings, const core::FrameKey& key,
                                               std::uint32_t agent, PartMeter& meter) {
    core::simulate<R>(tree, work, settings, key, agent, meter);
}

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_CLONES_H
