// A search tree that a network guides: beside the statistics, what the network said of every node.
#ifndef AUGUR_CORE_GUIDED_TREE_H
#define AUGUR_CORE_GUIDED_TREE_H

#include "core/settings.h"
#include "core/tree.h"

namespace augur::core {

// A game whose states a network can see, for the one player to act.
template <class R>
concept Featured = kit::HasFeatures<R> && kit::kDeciders<R>
== 1;

// A share of one, in units of 1 / 65535. An action that is legal never has less than one unit.
using Prior = std::uint16_t;
inline constexpr std::uint32_t kWholePrior = 65535;

// One tree's slice. Search functions find out by `Guided` that a tree has more to offer than Tree.
template <class R>
struct GuidedTree : Tree<R> {
    static_assert(kit::kDeciders<R> == 1, "a network speaks for one player");

    Prior* priors;                 // [N][K] the network's policy, over the legal actions; 0 where illegal
    std::int32_t* network_values;  // [N] Q16, for the player to act there
    float* root_scores;            // [K] Gumbel: noise + ln prior of the root's actions
    std::uint32_t simulations;     // it is to have in this frame, while it is searched
    Selection selection;

    AUGUR_HD_INLINE Prior* node_priors(std::uint32_t node) const {
        return priors + static_cast<std::size_t>(node) * R::kActions;
    }
    AUGUR_HD_INLINE std::int32_t& network_value(std::uint32_t node) const { return network_values[node]; }
    AUGUR_HD_INLINE float& root_score(int action) const { return root_scores[action]; }
};

template <class T>
concept Guided = requires(const T& tree) {
    tree.node_priors(0u);
    tree.network_value(0u);
};

// What all guided trees of a planner have beside their TreePool. Arrays are [A][N], root_scores [A][K].
template <class R>
struct GuidePool {
    Prior* priors;
    std::int32_t* network_values;
    float* root_scores;

    AUGUR_HD_INLINE GuidedTree<R> tree(const TreePool<R>& pool, std::uint32_t agent, std::uint32_t simulations,
                                       Selection selection) const {
        const std::size_t first = static_cast<std::size_t>(agent) * pool.node_capacity;
        return {pool.tree(agent),
                priors + first * R::kActions,
                network_values + first,
                root_scores + static_cast<std::size_t>(agent) * R::kActions,
                simulations,
                selection};
    }

    static constexpr std::size_t bytes_per_node() { return sizeof(Prior) * R::kActions + sizeof(std::int32_t); }
};

}  // namespace augur::core

#endif  // AUGUR_CORE_GUIDED_TREE_H
