// One large tree, searched wave by wave on the calling thread with the core's own functions.

#ifndef AUGUR_TESTS_SUPPORT_LARGE_TREE_H
#define AUGUR_TESTS_SUPPORT_LARGE_TREE_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/choose.h"
#include "core/wave.h"
#include "support/forest_tree.h"

namespace augur::test {

template <class R>
class LargeTree {
  public:
    explicit LargeTree(std::uint32_t node_capacity)
        : nodes_(node_capacity),
          keys_(core::transposition_slots(node_capacity)),
          key_nodes_(keys_.size()),
          slots_(core::kMaxLeavesPerWave),
          capacity_(node_capacity) {}

    core::Decision search(const typename R::State& root, core::Settings settings, std::uint32_t simulations,
                          std::uint64_t seed = 1, std::uint32_t agent = 0, std::uint64_t frame = 0) {
        settings.node_capacity = capacity_;
        path_.resize(std::size_t{settings.horizon} * core::kMaxLeavesPerWave);
        std::fill(keys_.begin(), keys_.end(), 0);
        std::fill(key_nodes_.begin(), key_nodes_.end(), core::kNoNode);
        const auto slots = static_cast<std::uint32_t>(settings.transpositions != 0 ? keys_.size() : 0);
        const core::TranspositionTable table = {keys_.data(), key_nodes_.data(), slots};
        const core::WaveScratch scratch = {slots_.data(), path_.data(), settings.horizon};
        const core::FrameKey key{{seed, frame}, 1, simulations};
        work_ = core::begin_tree<R>(tree(), root, kit::Gathered::ready, simulations, core::SerialLanes{});
        while (work_.active)
            core::run_wave<R>(tree(), table, scratch, work_, settings, key, agent);
        return core::choose<R>(tree(), work_);
    }

    core::Tree<R> tree() const { return nodes_.tree(); }
    const core::AgentWork& work() const { return work_; }
    const core::NodeHeader<R>& header(std::uint32_t node) const { return nodes_.header(node); }
    const typename R::State& state(std::uint32_t node) const { return nodes_.state(node); }
    bool in_use(std::uint32_t node) const { return node == 0 || header(node).parent != core::kNoNode; }
    std::uint32_t visits(std::uint32_t node, int action) const { return nodes_.visits(node, action); }
    double mean(std::uint32_t node, int action) const { return nodes_.mean(node, action); }

  private:
    ForestTree<R> nodes_;  // only its memory is used
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> key_nodes_;
    std::vector<core::WaveSlot> slots_;
    std::vector<core::PathStep> path_;
    std::uint32_t capacity_;
    core::AgentWork work_{};
};

}  // namespace augur::test

#endif
