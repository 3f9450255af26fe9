// A learned game whose networks are tables: states and actions are one-hot, so every number is exact in floats.
#ifndef AUGUR_TESTS_SUPPORT_LEARNED_TABLE_H
#define AUGUR_TESTS_SUPPORT_LEARNED_TABLE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/dense_onnx.h"

namespace augur::test {

struct LearnedTable {
    std::uint32_t states, actions;                                    // M, K
    std::function<std::uint32_t(std::uint32_t, std::uint32_t)> next;  // of a state and an action
    std::function<float(std::uint32_t, std::uint32_t)> reward;
    std::function<float(std::uint32_t)> value;
    std::function<float(std::uint32_t, std::uint32_t)> logit;

    // One-hot in, the same out.
    std::string representation() const {
        return write_dense_onnx(
            states, {}, {{"first_state", states, ""}},
            [](std::uint32_t, std::uint32_t row, std::uint32_t c) { return row == c ? 1.0f : 0.0f; });
    }
    // A hidden unit for each state and action: 1 where both are there, so it hands on what the table says.
    std::string dynamics(bool two_inputs) const {
        const auto weight = [this](std::uint32_t layer, std::uint32_t row, std::uint32_t c) {
            if (layer == 0) {
                if (row == states + actions) return -1.0f;
                const bool here = row < states ? c / actions == row : c % actions == row - states;
                return here ? 1.0f : 0.0f;
            }
            if (row == states * actions) return 0.0f;
            const std::uint32_t state = row / actions, action = row % actions;
            if (layer == 2) return reward(state, action);
            return next(state, action) == c ? 1.0f : 0.0f;
        };
        return write_dense_onnx(states + actions, {states * actions}, {{"next_state", states, ""}, {"reward", 1, ""}},
                                weight, two_inputs ? actions : 0);
    }
    std::string prediction() const {
        const auto weight = [this](std::uint32_t layer, std::uint32_t row, std::uint32_t c) {
            if (row == states) return 0.0f;
            return layer == 0 ? logit(row, c) : value(row);
        };
        return write_dense_onnx(states, {}, {{"policy", actions, ""}, {"value", 1, ""}}, weight);
    }
};

// The finaliser of MurmurHash3 (A. Appleby).
inline std::uint32_t mix(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
}

// The tables of tests/tools/make_mctx_learned_cases.py. logit(part): ln(part / 65535).
inline LearnedTable hash_table(const std::function<float(float)>& logarithm) {
    constexpr std::uint32_t kStates = 40, kActions = 5;
    const auto edge = [](std::uint32_t s, std::uint32_t a) { return s * kActions + a + 1; };
    return {kStates,
            kActions,
            [edge](std::uint32_t s, std::uint32_t a) { return mix(edge(s, a)) % kStates; },
            [edge](std::uint32_t s, std::uint32_t a) {
                return (static_cast<float>(mix(edge(s, a) ^ 0x01234567u) % 9) - 4.0f) / 128.0f;
            },
            [](std::uint32_t s) { return (static_cast<float>(mix(s ^ 0x89ABCDEFu) % 65) - 32.0f) / 128.0f; },
            [logarithm](std::uint32_t s, std::uint32_t a) {
                constexpr float kParts[] = {30000, 17000, 9535, 6000, 3000};
                return logarithm(kParts[(a + mix(s ^ 0x5BD1E995u) % kActions) % kActions] / 65535.0f);
            }};
}
inline std::uint64_t hash_table_legal(std::uint32_t s) {
    return (mix(s ^ 0x2545F491u) | 1u << s % 5 | 1u << (s + 2) % 5) & 31u;
}

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_LEARNED_TABLE_H
