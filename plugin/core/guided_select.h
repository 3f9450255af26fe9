// Which action to follow at a node of a guided tree.
#ifndef AUGUR_CORE_GUIDED_SELECT_H
#define AUGUR_CORE_GUIDED_SELECT_H

#include "core/gumbel.h"
#include "core/select.h"

namespace augur::core {

// The part of PUCT's score that is the same for all actions of a node: exploration * sqrt(N + 1), to be multiplied by a
// prior. Where no network guides, or by UCT, the whole weight.
template <class R, class T, bool Puct>
AUGUR_HD_INLINE float guided_weight(const Settings& settings, std::uint32_t node_visits, int legal_count) {
    if constexpr (Guided<T> && Puct)
        return settings.exploration * square_root_of_count(node_visits + 1) * (1.0f / 65535.0f);
    else
        return exploration_weight(settings, node_visits, legal_count);
}

// By Gumbel.
template <class R, class T, class Lanes>
AUGUR_HD_RARE int select_by_gumbel(T tree, std::uint32_t node, Settings settings, typename NodeHeader<R>::Mask open,
                                   Lanes lanes) {
    // The groups of a warp may stand at different nodes; all make both calls where any needs them.
    const bool at_root = node == 0;
    int action = R::kActions;
    if (lanes.any(at_root)) action = select_at_root<R>(tree, settings, open, lanes);
    if (lanes.any(!at_root)) {
        const int below = select_below_root<R>(tree, node, open, lanes);
        action = at_root ? action : below;
    }
    return action;
}

// By UCT: as without a network.
template <class R, class T, class Lanes>
AUGUR_HD_RARE int select_by_uct(T tree, std::uint32_t node, Settings settings, typename NodeHeader<R>::Mask open,
                                Lanes lanes) {
    const NodeHeader<R>& header = tree.header(node);
    return select_action<R::kActions>(settings, tree.node_edges(node), open, header.visits, header.legal[0].count(),
                                      lanes);
}

// The best action of `open` at a node; the lowest index wins a tie, K when open is empty. All lanes get the same
// answer.
//   PUCT: mean + exploration * prior * sqrt(N + 1) / (1 + n), an action never tried having mean 0 (Silver et al. 2017)
//   UCT: as without a network
//   Gumbel: core/gumbel.h
template <class R, class T, class Lanes>
AUGUR_HD_INLINE int select_guided(const T& tree, std::uint32_t node, const Settings& settings,
                                  const typename NodeHeader<R>::Mask& open, Lanes lanes) {
    const NodeHeader<R>& header = tree.header(node);
    const Edge* edges = tree.node_edges(node);
    if (tree.selection == Selection::gumbel) return select_by_gumbel<R>(tree, node, settings, open, lanes);
    if (tree.selection == Selection::uct) return select_by_uct<R>(tree, node, settings, open, lanes);
    const Prior* priors = tree.node_priors(node);
    Scored best = {-2.0e30f, R::kActions};
    if constexpr (Lanes::kWidth == 1) {
        const float weight = guided_weight<R, T, true>(settings, header.visits, 0);
        for (int a = 0; a < R::kActions; ++a) {
            if (!open.test(a)) continue;
            const float score =
                action_score(true, edge_terms(settings, edges[a]), weight * static_cast<float>(priors[a]));
            if (score > best.score) best = {score, a};
        }
    } else {
        // Lanes read before they know whether they need it: all that a level reads is then under way at once.
        constexpr int kPerLane = (R::kActions + Lanes::kWidth - 1) / Lanes::kWidth;
        const std::uint32_t visits = header.visits;
        Edge edge[kPerLane];
        Prior prior[kPerLane];
        AUGUR_UNROLL
        for (int i = 0; i < kPerLane; ++i) {
            const int a = i * Lanes::kWidth + lanes.index();
            edge[i] = edges[a < R::kActions ? a : 0];
            prior[i] = priors[a < R::kActions ? a : 0];
        }
        const float weight = guided_weight<R, T, true>(settings, visits, 0);
        AUGUR_UNROLL
        for (int i = 0; i < kPerLane; ++i) {
            const int a = i * Lanes::kWidth + lanes.index();
            const float score = action_score(true, puct_terms(edge[i]), weight * static_cast<float>(prior[i]));
            if (a < R::kActions && open.test(a < R::kActions ? a : 0) && score > best.score) best = {score, a};
        }
    }
    return lanes.template best<R::kActions>(best);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GUIDED_SELECT_H
