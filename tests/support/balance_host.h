// Plays many games of the pole on a cart at once, each an agent of one planner on the learned rules that ship.
#ifndef AUGUR_TESTS_SUPPORT_BALANCE_HOST_H
#define AUGUR_TESTS_SUPPORT_BALANCE_HOST_H

#include <augur/augur.h>

#include <string>
#include <vector>

#include "support/balance_game.h"
#include "support/balance_samples.h"
#include "support/split_mix.h"

namespace augur::test {

struct BalanceSettings {
    augur_selection selection = AUGUR_SELECTION_GUMBEL;
    augur_precision precision = AUGUR_PRECISION_FP32;
    std::uint32_t simulations = 32;  // 0: the prior alone
    float exploration = 0.0f;        // the rules' own
    std::uint32_t games = 64;
    std::uint32_t plies = 300;  // at most
    std::uint64_t seed = 1;
    std::uint32_t workers = 1;
    augur_backend backend = AUGUR_BACKEND_CPU;
};

struct BalanceOutcome {
    bool played = false;           // false: augur_last_message says why not
    double mean_plies = 0.0;       // that the pole stood
    std::uint32_t to_the_end = 0;  // games in which it never fell
    bool exact = false;            // every model runs in INT8
    std::uint32_t backend = 0;     // that searched
    std::uint64_t hash = 0;        // of all decisions
    double search_seconds = 0.0;
    std::uint64_t simulations = 0;
};

// Games from near the middle, all the same for the same seed.
inline std::vector<BalanceGame> balance_games(std::uint32_t count, std::uint64_t seed) {
    SplitMix64 random(seed);
    const auto within = [&random](double most) {
        return most * (static_cast<double>(random.next() >> 11) / 4503599627370496.0 - 1.0);
    };
    std::vector<BalanceGame> games(count);
    for (BalanceGame& game : games)
        game = {within(0.5), within(0.5), within(0.1), within(0.5)};
    return games;
}

// By chance alone, for comparison.
inline BalanceOutcome play_balance_at_random(const BalanceSettings& settings) {
    BalanceOutcome outcome;
    SplitMix64 random(settings.seed + 77);
    for (BalanceGame& game : balance_games(settings.games, settings.seed)) {
        std::uint32_t ply = 0;
        while (ply < settings.plies && !game.fallen()) {
            game.push(static_cast<int>(random.next() % BalanceGame::kActions));
            ++ply;
        }
        outcome.mean_plies += static_cast<double>(ply) / settings.games;
        outcome.to_the_end += game.fallen() ? 0 : 1;
    }
    outcome.played = true;
    return outcome;
}

// models: beginning of the three files' names, "assets/models/balance".
inline BalanceOutcome play_balance(const std::string& models, const BalanceSettings& settings) {
    BalanceOutcome outcome;
    augur_context_desc context_desc = augur_context_desc_default();
    context_desc.backend = AUGUR_BACKEND_CPU;
    context_desc.worker_threads = settings.workers;
    augur_context_id context{0}, sampling{0};
    const auto end = [&] {
        augur_context_destroy(context);
        augur_context_destroy(sampling);
        return outcome;
    };
    augur_learned_rules_desc rules_desc = augur_learned_rules_desc_default();
    // Always by the CPU: scales rest on them, which have to be the same on every machine.
    BalanceSamples samples;
    if (augur_context_create(&context_desc, &sampling) < 0) return end();
    if (settings.precision == AUGUR_PRECISION_INT8 && !samples.make(sampling, models + "_representation.onnx"))
        return end();
    context_desc.backend = settings.backend;
    if (augur_context_create(&context_desc, &context) < 0) return end();
    outcome.exact = true;
    const auto load = [&](const char* part, const std::vector<float>& rows, augur_model_id* out) {
        const std::string path = models + "_" + part + ".onnx";
        augur_model_desc desc = augur_model_desc_default();
        desc.path = path.c_str();
        desc.precision = settings.precision;
        desc.precision_limit = 0.25f;  // the reward is all but a step, so INT8 is off by much in a few rows
        desc.samples = rows.empty() ? nullptr : rows.data();
        desc.sample_count = rows.empty() ? 0 : BalanceSamples::kRows;
        augur_model_info info{};
        info.struct_size = sizeof info;
        if (augur_model_create(context, &desc, out) < 0 || augur_model_describe(*out, &info) < 0) return false;
        outcome.exact = outcome.exact && info.exact != 0;
        return true;
    };
    augur_planner_desc desc = augur_planner_desc_default();
    rules_desc.name = "balance";
    rules_desc.discount = 0.97f;
    if (!load("representation", samples.observations, &rules_desc.representation) ||
        !load("dynamics", samples.plies, &rules_desc.dynamics) ||
        !load("prediction", samples.states, &rules_desc.prediction) ||
        augur_rules_learned(context, &rules_desc, &desc.rules) < 0)
        return end();
    desc.agent_capacity = settings.games;
    desc.selection = settings.selection;
    desc.exploration = settings.exploration;
    desc.simulations = settings.simulations > 0 ? settings.simulations : 1;
    desc.gumbel_scale = 0.0f;
    desc.seed = settings.seed;
    augur_planner_id planner{0};
    if (augur_planner_create(context, &desc, &planner) < 0) return end();

    std::vector<BalanceGame> games = balance_games(settings.games, settings.seed);
    std::vector<float> seen(settings.games * BalanceGame::kObservation);
    std::vector<std::int32_t> actions(settings.games);
    const auto bind = [&](void* memory, std::size_t size_bytes, augur_access access, augur_format format,
                          const char* field) {
        augur_buffer_desc buffer = augur_buffer_desc_default();
        buffer.pointer = memory;
        buffer.size_bytes = size_bytes;
        buffer.access = access;
        augur_binding at{{0}, static_cast<std::uint32_t>(format), 0, 0, 0};
        if (augur_buffer_register(context, &buffer, &at.buffer) < 0) return false;
        return (field != nullptr ? augur_planner_bind(planner, field, &at)
                                 : augur_planner_bind_actions(planner, &at)) >= 0;
    };
    if (!bind(seen.data(), seen.size() * sizeof(float), AUGUR_ACCESS_READ, AUGUR_FORMAT_F32, "observation") ||
        !bind(actions.data(), actions.size() * sizeof(std::int32_t), AUGUR_ACCESS_WRITE, AUGUR_FORMAT_I32, nullptr))
        return end();

    // Games that are over go on being planned, from where they ended; their actions are not taken.
    std::vector<bool> over(settings.games, false);
    std::uint64_t stood = 0;
    for (std::uint32_t ply = 0; ply < settings.plies; ++ply) {
        for (std::uint32_t i = 0; i < settings.games; ++i)
            games[i].observe(seen.data() + i * BalanceGame::kObservation);
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = settings.games;
        frame.simulations = settings.simulations;
        augur_frame_result result{};
        result.struct_size = sizeof result;
        if (augur_planner_request(planner, &frame) < 0 || augur_planner_collect(planner, UINT64_MAX, &result) < 0)
            return end();
        outcome.hash = outcome.hash * 31 + result.decision_hash;
        outcome.search_seconds += static_cast<double>(result.search_ns) * 1e-9;
        outcome.simulations += result.simulations;
        outcome.backend = result.backend;
        for (std::uint32_t i = 0; i < settings.games; ++i) {
            if (over[i]) continue;
            games[i].push(actions[i]);
            over[i] = games[i].fallen();
            stood += over[i] ? 0 : 1;
        }
    }
    outcome.mean_plies = static_cast<double>(stood) / settings.games;
    for (const bool fell : over)
        outcome.to_the_end += fell ? 0 : 1;
    outcome.played = true;
    return end();
}

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_BALANCE_HOST_H
