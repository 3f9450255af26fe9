// Which action to follow at a node.
#ifndef AUGUR_CORE_SELECT_H
#define AUGUR_CORE_SELECT_H

#include "core/lanes.h"
#include "core/math.h"
#include "core/settings.h"
#include "core/value.h"

#include <augur/kit/mask.h>

namespace augur::core {

// The part of the score that is the same for all actions of a node.
//   PUCT: exploration * prior * sqrt(N), prior uniform over the legal actions (Silver et al. 2017, "Mastering the game
//   of Go
//         without human knowledge", Methods, "Select"; sqrt(N + 1) so that the first choice follows the prior)
//   UCT:  exploration^2 * ln N (Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning", UCB1)
AUGUR_HD_INLINE float exploration_weight(const Settings& settings, std::uint32_t node_visits, int legal_count) {
    if (settings.selection == Selection::puct)
        return settings.exploration / static_cast<float>(legal_count) *
               square_root(static_cast<float>(node_visits + 1));
    return settings.exploration * settings.exploration * natural_log(node_visits < 1 ? 1 : node_visits);
}

inline constexpr float kUntriedScore = 1.0e30f;

// PUCT: mean + weight / (1 + n); an action never tried has mean 0.
// UCT:  mean + sqrt(weight / n); an action never tried comes first.
AUGUR_HD_INLINE float action_score(const Settings& settings, Edge edge, float weight) {
    const std::uint32_t visits = edge_visits(edge);
    if (settings.selection == Selection::puct) {
        const float mean = visits > 0 ? edge_mean(edge) : 0.0f;
        return mean + weight / static_cast<float>(visits + 1);
    }
    if (visits == 0) return kUntriedScore;
    return edge_mean(edge) + square_root(weight / static_cast<float>(visits));
}

// How an action's exploration is scaled. One decider at a node: not at all.
struct NoJitter {
    static constexpr bool kOn = false;
    AUGUR_HD_INLINE float factor(int) const { return 1.0f; }
};

// Several deciders who choose at once: each action of each decider gets a factor of its own in [0, 2), new at every
// visit. Without it all deciders count alike and choose in step, only the diagonal of the joint actions is ever tried,
// and two prisoners learn to cooperate (Shafiei, Sturtevant and Schaeffer 2009, "Comparing UCT versus CFR in
// simultaneous games"). bits: a random number; the mix is the finaliser of MurmurHash3 (A. Appleby).
struct ActionJitter {
    static constexpr bool kOn = true;
    std::uint32_t bits;
    AUGUR_HD_INLINE float factor(int action) const {
        std::uint32_t h = bits ^ (static_cast<std::uint32_t>(action) * 0x9E3779B9u);
        h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
        h = (h ^ (h >> 13)) * 0xC2B2AE35u;
        return static_cast<float>(h >> 16) * (2.0f / 65536.0f);
    }
};

// The best action of `open` at a node: edges [K], node_visits of the node, legal_count for the prior. The lowest index
// wins a tie. K when open is empty. All lanes get the same answer.
template <int K, class Lanes, class Jitter = NoJitter>
AUGUR_HD_INLINE int select_action(const Settings& settings, const Edge* edges, const kit::ActionMask<K>& open,
                                  std::uint32_t node_visits, int legal_count, Lanes lanes, Jitter jitter = {}) {
    const float weight = exploration_weight(settings, node_visits, legal_count);
    Scored best = {-2.0e30f, K};
    for (int a = lanes.index(); a < K; a += Lanes::kWidth) {
        if (!open.test(a)) continue;
        Scored candidate = {0.0f, a};
        if constexpr (Jitter::kOn) {
            const float factor = jitter.factor(a);
            candidate.score = action_score(settings, edges[a], weight * factor);
            if (candidate.score >= kUntriedScore) candidate.score += kUntriedScore * factor;
        } else {
            candidate.score = action_score(settings, edges[a], weight);
        }
        if (candidate.score > best.score) best = candidate;
    }
    return lanes.best(best).action;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_SELECT_H
