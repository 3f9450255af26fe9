// Choosing by Gumbel and sequential halving: policy improvement with few simulations. Danihelka, Guez, Schrittwieser
// and Silver 2022, "Policy improvement by planning with Gumbel" (ICLR). Sums are of integers, so lanes can share them.
#ifndef AUGUR_CORE_GUMBEL_H
#define AUGUR_CORE_GUMBEL_H

#include "core/guided_tree.h"
#include "core/lanes.h"
#include "core/math.h"
#include "core/settings.h"

namespace augur::core {

// sigma(q) = (kVisitOffset + most visits) * kValueScale * q, q rescaled to [0, 1] among the node's actions (section 3.4
// and appendix B; the constants of its experiments).
inline constexpr float kVisitOffset = 50.0f;
inline constexpr float kValueScale = 0.1f;

// How many visits an action must have to be considered in simulation `index` of `simulations`, when `actions` are
// considered at first: in each of ceil(log2 actions) phases the actions left get equal visits, then the worse half is
// dropped (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits"). Cost: one step a phase.
AUGUR_HD_INLINE std::uint32_t considered_visits(std::uint32_t actions, std::uint32_t simulations, std::uint32_t index) {
    if (actions <= 1) return index;
    std::uint32_t phases = 0;
    while ((1u << phases) < actions)
        ++phases;
    std::uint32_t visits = 0, left = actions;
    for (;;) {
        const std::uint32_t each = kit::maximum(1u, simulations / (phases * left));
        if (index < each * left) return visits + index / left;
        index -= each * left;
        visits += each;
        left = kit::maximum(2u, left / 2);
    }
}

// A number with the standard Gumbel distribution, -ln(-ln u), from 32 random bits.
AUGUR_HD_INLINE float gumbel_noise(std::uint32_t bits) {
    const float u = (static_cast<float>(bits >> 9) + 0.5f) * (1.0f / 8388608.0f);
    return -natural_log(-natural_log(u));
}

// An edge's mean in Q16; the edge has visits.
AUGUR_HD_INLINE std::int32_t edge_mean_q16(Edge edge) {
    return static_cast<std::int32_t>(edge_mean(edge_sum(edge), reciprocal(edge_visits(edge))) * 65536.0f);
}

// The values of a node's actions, completed: an action never tried counts as `missing`, the network's value mixed with
// the means of the tried ones by their priors (appendix D, equation 33).
struct CompletedValues {
    std::int32_t lowest, missing;  // Q16
    std::uint32_t visits;          // of all actions together
    std::uint32_t most_visits;     // of one
    float scale;                   // sigma(q) = (q - lowest) * scale
    float highest_sigma;

    AUGUR_HD_INLINE float sigma(Edge edge) const {
        const std::int32_t q = edge_visits(edge) > 0 ? edge_mean_q16(edge) : missing;
        return static_cast<float>(q - lowest) * scale;
    }
};

// All lanes get the same answer. Cost: two passes over K edges.
template <int K, class Lanes>
AUGUR_HD_INLINE CompletedValues complete_values(const Edge* edges, const Prior* priors, const kit::ActionMask<K>& legal,
                                                std::int32_t network_value, Lanes lanes) {
    constexpr std::uint32_t kOffset = 0x80000000u;  // so that Q16 orders as an unsigned number
    std::uint64_t weighted = 0;
    std::int32_t visits = 0, tried = 0;
    std::uint32_t most = 0, low = 0xffffffffu, high = 0;
    bool complete = true;
    for (int a = lanes.index(); a < K; a += Lanes::kWidth) {
        if (!legal.test(a)) continue;
        const std::uint32_t n = edge_visits(edges[a]);
        if (n == 0) {
            complete = false;
            continue;
        }
        const std::int32_t q = edge_mean_q16(edges[a]);
        visits += static_cast<std::int32_t>(n);
        most = kit::maximum(most, n);
        tried += priors[a];
        weighted += static_cast<std::uint64_t>(priors[a]) * static_cast<std::uint32_t>(q + kit::kOne);
        low = kit::minimum(low, static_cast<std::uint32_t>(q) + kOffset);
        high = kit::maximum(high, static_cast<std::uint32_t>(q) + kOffset);
    }
    CompletedValues out;
    out.visits = static_cast<std::uint32_t>(lanes.sum(visits));
    out.most_visits = ~lanes.lowest(~most);
    tried = lanes.sum(tried);
    weighted = lanes.sum(weighted);
    low = lanes.lowest(low);
    high = ~lanes.lowest(~high);
    complete = lanes.all(complete);
    out.missing = network_value;
    if (out.visits > 0) {
        const float mean = static_cast<float>(weighted) / static_cast<float>(tried) - 65536.0f;
        const float mixed = (static_cast<float>(network_value) + static_cast<float>(out.visits) * mean) /
                            static_cast<float>(out.visits + 1);
        out.missing = static_cast<std::int32_t>(mixed);
    }
    if (!complete) {
        low = kit::minimum(low, static_cast<std::uint32_t>(out.missing) + kOffset);
        high = kit::maximum(high, static_cast<std::uint32_t>(out.missing) + kOffset);
    }
    out.lowest = static_cast<std::int32_t>(low - kOffset);
    const float range = static_cast<float>(high > low ? high - low : 1u);
    out.scale = (kVisitOffset + static_cast<float>(out.most_visits)) * kValueScale / range;
    out.highest_sigma = high > low ? static_cast<float>(high - low) * out.scale : 0.0f;
    return out;
}

// Noise and ln prior of the root's actions, once a frame. All lanes of the group call it.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE void write_root_scores(const T& tree, const Settings& settings, const kit::RandomKey& key,
                                       std::uint32_t agent, Lanes lanes) {
    const Prior* priors = tree.node_priors(0);
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth) {
        if (priors[a] == 0) continue;
        kit::Random random(key, agent, static_cast<std::uint32_t>(a), kit::Purpose::gumbel);
        tree.root_score(a) = settings.gumbel_scale * gumbel_noise(random.bits32()) +
                             natural_log(static_cast<float>(priors[a]) * (1.0f / 65535.0f));
    }
}

// The best of `open` at the root among those with `visits` visits; K where there is none.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE int best_considered(const T& tree, const typename NodeHeader<R>::Mask& open,
                                    const CompletedValues& values, std::uint32_t visits, Lanes lanes) {
    const Edge* edges = tree.node_edges(0);
    Scored best = {-2.0e30f, R::kActions};
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth) {
        if (!open.test(a) || edge_visits(edges[a]) != visits) continue;
        const Scored candidate = {tree.root_score(a) + values.sigma(edges[a]), a};
        if (candidate.score > best.score) best = candidate;
    }
    return lanes.template best<R::kActions>(best);
}

// Which action a simulation follows at the root. Where every action with the visits that sequential halving asks for
// is proven to lose, the least visited of the others.
template <class R, class T, class Lanes>
AUGUR_HD_INLINE int select_at_root(const T& tree, const Settings& settings, const typename NodeHeader<R>::Mask& open,
                                   Lanes lanes) {
    const NodeHeader<R>& root = tree.header(0);
    const Edge* edges = tree.node_edges(0);
    const CompletedValues values =
        complete_values<R::kActions>(edges, tree.node_priors(0), root.legal[0], tree.network_value(0), lanes);
    const auto actions = kit::minimum(settings.considered_actions, static_cast<std::uint32_t>(root.legal[0].count()));
    const int action =
        best_considered<R>(tree, open, values, considered_visits(actions, tree.simulations, root.visits), lanes);
    std::uint32_t fewest = 0xffffffffu;
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth)
        if (open.test(a)) fewest = kit::minimum(fewest, edge_visits(edges[a]));
    const int spare = best_considered<R>(tree, open, values, lanes.lowest(fewest), lanes);
    return action != R::kActions ? action : spare;
}

// Which action a simulation follows below the root: the one whose share of the visits is furthest below its share of
// the improved policy, softmax(ln prior + sigma(q)) (section 5, equation 14).
template <class R, class T, class Lanes>
AUGUR_HD_INLINE int select_below_root(const T& tree, std::uint32_t node, const typename NodeHeader<R>::Mask& open,
                                      Lanes lanes) {
    const Edge* edges = tree.node_edges(node);
    const Prior* priors = tree.node_priors(node);
    const typename NodeHeader<R>::Mask& legal = tree.header(node).legal[0];
    const CompletedValues values = complete_values<R::kActions>(edges, priors, legal, tree.network_value(node), lanes);
    const auto weight = [&](int a) {  // prior * exp(sigma), the best at most 2^22
        return static_cast<std::int32_t>(static_cast<float>(priors[a]) * 64.0f *
                                         exponential(values.sigma(edges[a]) - values.highest_sigma));
    };
    std::int32_t sum = 0;
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth)
        if (legal.test(a)) sum += weight(a);
    sum = lanes.sum(sum);
    const float whole = 1.0f / static_cast<float>(kit::maximum(sum, 1));
    const float per_visit = reciprocal(values.visits + 1);
    Scored best = {-2.0e30f, R::kActions};
    for (int a = lanes.index(); a < R::kActions; a += Lanes::kWidth) {
        if (!open.test(a)) continue;
        const Scored candidate = {
            static_cast<float>(weight(a)) * whole - static_cast<float>(edge_visits(edges[a])) * per_visit + 0.0f, a};
        if (candidate.score > best.score) best = candidate;
    }
    return lanes.template best<R::kActions>(best);
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GUMBEL_H
