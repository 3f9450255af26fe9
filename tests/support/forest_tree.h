// One tree of a forest, searched on the calling thread with the core's own functions: what the CPU backend does for an
// agent, without a planner around it, so that a test can write the root and read every node.

#ifndef AUGUR_TESTS_SUPPORT_FOREST_TREE_H
#define AUGUR_TESTS_SUPPORT_FOREST_TREE_H

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/carry_over.h"
#include "core/search.h"

namespace augur::test {

// Settings as a planner would resolve them for game R; a test changes what it is about. node_capacity is set by
// ForestTree.
template <class R>
core::Settings default_settings() {
    core::Settings settings{};
    settings.selection = core::Selection::puct;
    settings.exploration = R::kPuct;
    settings.discount = R::kDiscount;
    settings.horizon = R::kHorizon;
    settings.leaves_per_wave = 1;
    return settings;
}

template <class R>
class ForestTree {
  public:
    // Memory for `node_capacity` nodes, filled with a pattern so that a read of what was never written shows.
    explicit ForestTree(std::uint32_t node_capacity, int pattern = 0xA5)
        : capacity_(node_capacity),
          headers_(new core::NodeHeader<R>[node_capacity]),
          edges_(new core::Edge[std::size_t{node_capacity} * Tree::D * Tree::K]),
          children_(new std::uint32_t[std::size_t{node_capacity} * Tree::K]),
          states_(new typename R::State[node_capacity]) {
        std::memset(static_cast<void*>(headers_.get()), pattern, sizeof(core::NodeHeader<R>) * node_capacity);
        std::memset(static_cast<void*>(edges_.get()), pattern, sizeof(core::Edge) * node_capacity * Tree::D * Tree::K);
        std::memset(static_cast<void*>(children_.get()), pattern, sizeof(std::uint32_t) * node_capacity * Tree::K);
        std::memset(static_cast<void*>(states_.get()), pattern, sizeof(typename R::State) * node_capacity);
    }

    // Searches from `root` and returns what an agent would be told. agent and frame are parts of the random key.
    core::Decision search(const typename R::State& root, core::Settings settings, std::uint32_t simulations,
                          std::uint64_t seed = 1, std::uint32_t agent = 0, std::uint64_t frame = 0) {
        settings.node_capacity = capacity_;
        const core::FrameKey key{{seed, frame}, 1, simulations};
        const core::SerialLanes lanes;
        work_ = core::begin_tree<R>(tree(), root, kit::Gathered::ready, simulations, lanes);
        core::search_until<R>(tree(), work_, settings, key, agent, simulations);
        return core::choose<R>(tree(), work_);
    }

    // Begins the next frame with what there is of the last one, without searching. Returns what became of the tree.
    core::CarryOutcome carry(const typename R::State& root, core::Settings settings, std::uint32_t simulations) {
        settings.node_capacity = capacity_;
        std::vector<std::uint32_t> forward(capacity_), source(capacity_);
        const core::Carried carried =
            core::carry_tree<R>(tree(), work_, root, kit::Gathered::ready, settings, simulations,
                                core::CarryScratch{forward.data(), source.data()}, core::SerialLanes{});
        work_ = carried.work;
        return carried.outcome;
    }
    // The same with a search.
    core::Decision search_on(const typename R::State& root, core::Settings settings, std::uint32_t simulations,
                             std::uint64_t frame, std::uint64_t seed = 1, std::uint32_t agent = 0) {
        carry(root, settings, simulations);
        settings.node_capacity = capacity_;
        const core::FrameKey key{{seed, frame}, 1, simulations};
        core::search_until<R>(tree(), work_, settings, key, agent, simulations);
        return core::choose<R>(tree(), work_);
    }

    using Tree = core::Tree<R>;
    Tree tree() const { return {headers_.get(), edges_.get(), children_.get(), states_.get()}; }
    const core::AgentWork& work() const { return work_; }
    const core::NodeHeader<R>& header(std::uint32_t node) const { return headers_[node]; }
    const typename R::State& state(std::uint32_t node) const { return states_[node]; }

    std::uint32_t visits(std::uint32_t node, int action, int decider = 0) const {
        return core::edge_visits(tree().node_edges(node, decider)[action]);
    }
    // Mean value of an action in [-1, 1]; it must have a visit.
    double mean(std::uint32_t node, int action, int decider = 0) const {
        const core::Edge edge = tree().node_edges(node, decider)[action];
        return static_cast<double>(edge & core::kSumMask) / (core::edge_visits(edge) * 32768.0) - 1.0;
    }

  private:
    std::uint32_t capacity_;
    std::unique_ptr<core::NodeHeader<R>[]> headers_;
    std::unique_ptr<core::Edge[]> edges_;
    std::unique_ptr<std::uint32_t[]> children_;
    std::unique_ptr<typename R::State[]> states_;
    core::AgentWork work_{};
};

}  // namespace augur::test

#endif
