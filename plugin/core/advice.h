// What a network's numbers become in a tree: priors over the legal actions, and a value in [-1, 1]. Exact: the same
// numbers give the same priors and values on every machine.
#ifndef AUGUR_CORE_ADVICE_H
#define AUGUR_CORE_ADVICE_H

#include "core/guided_tree.h"
#include "core/lanes.h"
#include "core/math.h"

namespace augur::core {

// What a network's value head means; equal to augur_value_kind.
enum class ValueKind : std::uint32_t {
    bounded = 1,      // a value in [-1, 1]
    tanh = 2,         // its hyperbolic tangent is
    probability = 3,  // of winning, [0, 1]
    logit = 4,        // its logistic function is the probability of winning
    outcomes = 5,     // three logits: win, draw, loss
};

AUGUR_HD_INLINE std::uint32_t value_outputs(ValueKind kind) {
    return kind == ValueKind::outcomes ? 3 : 1;
}

// Not NaN, not infinite; without library calls, so that it survives any compiler option.
AUGUR_HD_INLINE bool finite(float x) {
    return x - x == 0.0f;
}

// exp(logit - highest) in Q18; 0 for -infinity.
AUGUR_HD_INLINE std::int32_t prior_share(float logit, float highest) {
    return finite(logit) ? static_cast<std::int32_t>(exponential(logit - highest) * 262144.0f) : 0;
}

// a / b with a relative error below 2^-20, which need not be the same everywhere.
AUGUR_HD_INLINE float rough_quotient(float a, float b) {
#if AUGUR_DEVICE_CODE
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

// share / all in units of 1 / kWholePrior, rounded to the nearest, halves up; share <= all, 1 <= all < 2^31. The rough
// quotient is off by less than one, and the remainder says which way: cheaper than dividing 64-bit numbers on a GPU.
AUGUR_HD_INLINE std::uint32_t whole_prior_share(std::uint32_t share, std::uint32_t all) {
    const std::uint64_t dividend = static_cast<std::uint64_t>(share) * kWholePrior + all / 2;
    const auto guess = static_cast<std::uint32_t>(rough_quotient(
        static_cast<float>(static_cast<std::int64_t>(dividend)), static_cast<float>(static_cast<std::int32_t>(all))));
    const std::int64_t left = static_cast<std::int64_t>(dividend) - static_cast<std::int64_t>(guess) * all;
    return guess + (left >= static_cast<std::int64_t>(all) ? 1u : 0u) - (left < 0 ? 1u : 0u);
}

// Writes the priors of a node: softmax of its legal logits [K], rounded to 1 / 65535, the illegal ones 0. A logit of
// -infinity is the smallest prior there is. With a NaN or +infinity among the legal ones, or nothing but -infinity, the
// priors are uniform; false then. All lanes get the same answer; with wanted = false nothing is read or written. Cost:
// K exponentials.
template <int K, class Lanes>
AUGUR_HD_INLINE bool write_priors(Prior* priors, const float* logits, const kit::ActionMask<K>& legal, Lanes lanes,
                                  bool wanted = true) {
    constexpr float kLow = -3.0e38f;
    constexpr int kPerLane = (K + Lanes::kWidth - 1) / Lanes::kWidth;
    float highest = kLow;
    bool sound = true;
    const auto mine = [&](int i) { return i * Lanes::kWidth + lanes.index(); };
    const auto counts = [&](int i) { return wanted && mine(i) < K && legal.test(mine(i) < K ? mine(i) : 0); };
    for (int i = 0; i < kPerLane; ++i) {
        if (!counts(i)) continue;
        const float x = logits[mine(i)];
        if (finite(x))
            highest = x > highest ? x : highest;
        else
            sound = sound && x < 0.0f;
    }
    // As whole numbers that order like the floats, so that lanes can combine them.
    const std::uint32_t top = ~lanes.lowest(~(static_cast<std::uint32_t>(ordered(highest)) ^ 0x80000000u));
    sound = lanes.all(sound) && top != (static_cast<std::uint32_t>(ordered(kLow)) ^ 0x80000000u);
    highest = from_ordered(static_cast<std::int32_t>(top ^ 0x80000000u));
    // Shares of the highest in Q18, so that a sum of 4,096 of them fits and does not depend on its order.
    std::int32_t shares[kPerLane];
    std::int32_t sum = 0;
    for (int i = 0; i < kPerLane; ++i) {
        shares[i] = !counts(i) ? 0 : sound ? prior_share(logits[mine(i)], highest) : 1;
        sum += shares[i];
    }
    sum = lanes.sum(sum);
    for (int i = 0; i < kPerLane; ++i) {
        if (!wanted || mine(i) >= K) continue;
        std::uint32_t prior = 0;
        if (counts(i)) {
            prior = whole_prior_share(static_cast<std::uint32_t>(shares[i]), static_cast<std::uint32_t>(sum));
            if (prior == 0) prior = 1;
        }
        priors[mine(i)] = static_cast<Prior>(prior);
    }
    return sound;
}

// Equal priors for all legal actions, until the network has spoken.
template <int K, class Lanes>
AUGUR_HD_INLINE void write_uniform_priors(Prior* priors, const kit::ActionMask<K>& legal, Lanes lanes) {
    const int count = legal.count();
    const std::uint32_t each = count > 0 ? kWholePrior / static_cast<std::uint32_t>(count) : 0;
    for (int a = lanes.index(); a < K; a += Lanes::kWidth)
        priors[a] = static_cast<Prior>(legal.test(a) ? each : 0);
}

// The value of a node, Q16 in [-1, 1], from the value head's numbers [value_outputs(kind)] times `scale`. 0 and false
// where they are not finite.
AUGUR_HD_INLINE bool read_value(std::int32_t& value_q16, const float* head, ValueKind kind, float scale) {
    float v = 0.0f;
    if (kind == ValueKind::outcomes) {
        const float top =
            head[0] > head[1] ? (head[0] > head[2] ? head[0] : head[2]) : (head[1] > head[2] ? head[1] : head[2]);
        const float win = exponential(head[0] - top), draw = exponential(head[1] - top),
                    loss = exponential(head[2] - top);
        v = (win - loss) / (win + draw + loss);
    } else {
        const float x = head[0];
        switch (kind) {
            case ValueKind::tanh:
                v = finite(x) ? hyperbolic_tangent(x) : x;
                break;
            case ValueKind::probability:
                v = 2.0f * x - 1.0f;
                break;
            case ValueKind::logit:  // 2 / (1 + exp(-x)) - 1
                v = finite(x) ? hyperbolic_tangent(0.5f * x) : x;
                break;
            default:
                v = x;
                break;
        }
    }
    v = v * scale;
    value_q16 = 0;
    if (!finite(v)) return false;
    v = v < -1.0f ? -1.0f : (v > 1.0f ? 1.0f : v);
    value_q16 = static_cast<std::int32_t>(v * 65536.0f);
    return true;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_ADVICE_H
