// Where the arrays of a planner's search lie on the CPU.
#ifndef AUGUR_BACKEND_CPU_LAYOUT_H
#define AUGUR_BACKEND_CPU_LAYOUT_H

#include <atomic>

#include "backend/backend.h"
#include "backend/cpu/arena.h"
#include "core/allotment.h"
#include "core/choose.h"
#include "core/grid.h"
#include "core/wave.h"

namespace augur {

// Where an engine's arrays lie in its one block of memory.
template <class R>
struct CpuLayout {
    std::uint32_t agents, nodes, buckets, slots, waves, path;
    std::uint32_t latent_count;  // S; 0 where rules are compiled
    bool guided;
    bool adaptive;
    bool carries;
    core::TreePool<R> pool;
    core::GuidePool<R> guides;          // guided engines
    float* latents;                     // [A][N][S]
    core::AgentWork* work;              // [A]
    core::Decision* decisions;          // [A]
    std::int32_t* words;                // [W][A]
    std::uint32_t* grid_heads;          // [buckets]
    std::uint32_t* grid_next;           // [A]
    std::uint64_t* table_keys;          // [A][slots]
    std::uint32_t* table_nodes;         // [A][slots]
    core::WaveSlot* wave_slots;         // [A][W]
    core::PathStep* wave_path;          // [A][W][horizon]
    std::atomic<std::uint32_t>* turns;  // [A] rounds a tree has had
    // Adaptive engines.
    std::uint32_t* urgency;  // [A]
    std::uint16_t* ages;     // [A]
    core::AllotmentScratch* allotment;
    // Engines that carry trees over.
    typename R::State* roots;      // [A] what gather found, until the last tree has been looked at
    kit::Gathered* found;          // [A]
    std::uint32_t* carry_forward;  // [A][N]
    std::uint32_t* carry_source;   // [A][N]

    explicit CpuLayout(const EngineDesc& desc)
        : agents(desc.agent_capacity),
          nodes(desc.node_capacity),
          buckets(R::kNeighbours > 0 ? core::grid_buckets(desc.agent_capacity) : 0),
          slots(is_large(desc) && desc.transpositions && core::kCanTranspose<R>
                    ? core::transposition_slots(desc.node_capacity)
                    : 0),
          waves(is_large(desc) ? desc.leaves_per_wave : 0),
          path(is_large(desc) ? desc.horizon : 0),
          latent_count(desc.learned != nullptr ? desc.learned->state_count : 0),
          guided(desc.guided),
          adaptive(desc.adaptive),
          carries(desc.carry_over != AUGUR_CARRY_OVER_NONE) {}

    static bool is_large(const EngineDesc& desc) { return desc.search == AUGUR_SEARCH_TREE; }

    // Gives every array its place in a block that starts at base (null: only adds up sizes). Returns the bytes.
    std::size_t place(void* base) {
        Arena arena(base);
        const std::size_t all = static_cast<std::size_t>(agents) * nodes;
        using Tree = core::Tree<R>;
        pool.node_capacity = nodes;
        pool.base.headers = arena.take<core::NodeHeader<R>>(all);
        pool.base.edges = arena.take<core::Edge>(all * Tree::D * Tree::K);
        pool.base.children = arena.take<std::uint32_t>(all * Tree::K);
        pool.base.states = arena.take<typename R::State>(all);
        guides.priors = arena.take<core::Prior>(guided ? all * Tree::K : 0);
        guides.network_values = arena.take<std::int32_t>(guided ? all : 0);
        guides.root_scores = arena.take<float>(guided ? static_cast<std::size_t>(agents) * Tree::K : 0);
        latents = arena.take<float>(all * latent_count);
        work = arena.take<core::AgentWork>(agents);
        decisions = arena.take<core::Decision>(agents);
        words = arena.take<std::int32_t>(static_cast<std::size_t>(agents) * core::make_rules_info<R>().word_count);
        grid_heads = arena.take<std::uint32_t>(buckets);
        grid_next = arena.take<std::uint32_t>(buckets > 0 ? agents : 0);
        table_keys = arena.take<std::uint64_t>(static_cast<std::size_t>(agents) * slots);
        table_nodes = arena.take<std::uint32_t>(static_cast<std::size_t>(agents) * slots);
        wave_slots = arena.take<core::WaveSlot>(static_cast<std::size_t>(agents) * waves);
        wave_path = arena.take<core::PathStep>(static_cast<std::size_t>(agents) * waves * path);
        turns = arena.take<std::atomic<std::uint32_t>>(agents);
        urgency = arena.take<std::uint32_t>(adaptive ? agents : 0);
        ages = arena.take<std::uint16_t>(adaptive ? agents : 0);
        allotment = arena.take<core::AllotmentScratch>(adaptive ? 1 : 0);
        roots = arena.take<typename R::State>(carries ? agents : 0);
        found = arena.take<kit::Gathered>(carries ? agents : 0);
        carry_forward = arena.take<std::uint32_t>(carries ? all : 0);
        carry_source = arena.take<std::uint32_t>(carries ? all : 0);
        return arena.size_bytes();
    }
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_LAYOUT_H
