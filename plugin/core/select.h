// Which action to follow at a node.
#ifndef AUGUR_CORE_SELECT_H
#define AUGUR_CORE_SELECT_H

#include "core/lanes.h"
#include "core/math.h"
#include "core/settings.h"
#include "core/value.h"

#include <augur/kit/mask.h>

namespace augur::core {

// exploration * prior, the prior uniform over the legal actions.
AUGUR_HD_INLINE float prior_weight(const Settings& settings, int legal_count) {
    return settings.exploration / static_cast<float>(legal_count);
}

// The part of the score that is the same for all actions of a node.
//   PUCT: exploration * prior * sqrt(N), prior uniform over the legal actions (Silver et al. 2017, "Mastering the game
//   of
//         Go without human knowledge", Methods, "Select"; sqrt(N + 1) so that the first choice follows the prior)
//   UCT:  exploration^2 * ln N (Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning", UCB1), N at least 3: a
//         wave counts its visits after it has chosen, and with ln 1 = 0 all of it would follow one action of a new node
AUGUR_HD_INLINE float exploration_weight(const Settings& settings, std::uint32_t node_visits, int legal_count) {
    if (settings.selection == Selection::puct)
        return prior_weight(settings, legal_count) * square_root_of_count(node_visits + 1);
    return settings.exploration * settings.exploration * natural_log(node_visits < 3 ? 3 : node_visits);
}

inline constexpr float kUntriedScore = 1.0e30f;

// The part of the score that changes only with the action's own visits.
struct EdgeTerms {
    float mean;
    float share;  // PUCT: 1 / (1 + n); UCT: 1 / n
};

// PUCT: an action never tried has mean 0. UCT: it comes first.
// sum: edge_sum; reciprocals(n): 1 / n, by division or from a table of the same numbers.
template <class Reciprocals>
AUGUR_HD_INLINE EdgeTerms edge_terms(bool puct, float sum, std::uint32_t visits, const Reciprocals& reciprocals) {
    if (visits == 0) return {puct ? 0.0f : kUntriedScore, puct ? 1.0f : 0.0f};
    const float per_visit = reciprocals(visits);
    return {edge_mean(sum, per_visit), puct ? reciprocals(visits + 1) : per_visit};
}

// The same by PUCT without a branch: where lanes share the actions, one that waits for its visits holds up the others.
AUGUR_HD_INLINE EdgeTerms puct_terms(Edge edge) {
    const std::uint32_t visits = edge_visits(edge);
    const float mean = edge_mean(edge_sum(edge), reciprocal(visits + (visits == 0 ? 1 : 0)));
    return {visits == 0 ? 0.0f : mean, reciprocal(visits + 1)};
}

struct Reciprocal {
    AUGUR_HD_INLINE float operator()(std::uint32_t n) const { return reciprocal(n); }
};

AUGUR_HD_INLINE EdgeTerms edge_terms(const Settings& settings, Edge edge) {
    return edge_terms(settings.selection == Selection::puct, edge_sum(edge), edge_visits(edge), Reciprocal{});
}

// PUCT: mean + weight / (1 + n). UCT: mean + sqrt(weight / n).
AUGUR_HD_INLINE float action_score(bool puct, const EdgeTerms& terms, float weight) {
    const float explored = weight * terms.share;
    return terms.mean + (puct ? explored : square_root(explored));
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
    const bool puct = settings.selection == Selection::puct;
    Scored best = {-2.0e30f, K};
    for (int a = lanes.index(); a < K; a += Lanes::kWidth) {
        if (!open.test(a)) continue;
        Scored candidate = {0.0f, a};
        if constexpr (Jitter::kOn) {
            const float factor = jitter.factor(a);
            candidate.score = action_score(puct, edge_terms(settings, edges[a]), weight * factor);
            if (candidate.score >= kUntriedScore) candidate.score += kUntriedScore * factor;
        } else {
            candidate.score = action_score(puct, edge_terms(settings, edges[a]), weight);
        }
        if (candidate.score > best.score) best = candidate;
    }
    return lanes.template best<K>(best);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_SELECT_H
