// Which action to follow at a node of a guided tree.
#ifndef AUGUR_CORE_GUIDED_SELECT_H
#define AUGUR_CORE_GUIDED_SELECT_H

#include "core/gumbel.h"
#include "core/select.h"

namespace augur::core {

// The best action of `open` at a node; the lowest index wins a tie, K when open is empty. All lanes get the same
// answer.
//   PUCT: mean + exploration * prior * sqrt(N + 1) / (1 + n), an action never tried having mean 0 (Silver et al. 2017)
//   UCT: as without a network
//   Gumbel: core/gumbel.h
template <class R, class Lanes>
AUGUR_HD_INLINE int select_guided(const GuidedTree<R>& tree, std::uint32_t node, const Settings& settings,
                                  const typename NodeHeader<R>::Mask& open, Lanes lanes) {
    const NodeHeader<R>& header = tree.header(node);
    const Edge* edges = tree.node_edges(node);
    if (tree.selection == Selection::gumbel) {
        if (node == 0) return select_at_root(tree, settings, open, lanes);
        return select_below_root(tree, node, open, lanes);
    }
    if (tree.selection == Selection::uct)
        return select_action<R::kActions>(settings, edges, open, header.visits, header.legal[0].count(), lanes);
    const float weight = settings.exploration * square_root(static_cast<float>(header.visits + 1)) * (1.0f / 65535.0f);
    const Prior* priors = tree.node_priors(node);
    Scored best = {-2.0e30f, R::kActions};
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth) {
        if (!open.test(a)) continue;
        const Scored candidate = {
            action_score(true, edge_terms(settings, edges[a]), weight * static_cast<float>(priors[a])), a};
        if (candidate.score > best.score) best = candidate;
    }
    return lanes.best(best);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GUIDED_SELECT_H
