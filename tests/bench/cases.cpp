// The table of all cases. Figures of others were measured on one NVIDIA H200 (CUDA 13.0) and, for OpenSpiel's C++
// search, on one core of a two-core machine; "articles" are figures published for CPU and GPU searches of one Connect
// Four tree. The mctx figures use a small network where Augur plays random rollouts: context, not a like-for-like race.
#include <utility>

#include "case.h"

namespace augur::bench {
namespace {

// Budgets are kept when p99 is at most 5 % and 50 us late.
constexpr double allowed_overrun_us(std::uint32_t budget_us) {
    return 0.05 * budget_us + 50.0;
}

constexpr Baseline kOpenSpielRate = {"OpenSpiel 1 core, M sim/s", Metric::simulations_per_s, 0.33, Where::cpu};

Baseline target_ms(double ms) {
    return {"target, ms", Metric::median_ms, ms, Where::cuda};
}

Baseline gumbel_ms(double ms) {
    return {"mctx gumbel + network, ms", Metric::median_ms, ms, Where::cuda};
}

Baseline muzero_ms(double ms) {
    return {"mctx muzero + network, ms", Metric::median_ms, ms, Where::cuda};
}

Case forest(const char* name, Game game, std::uint32_t agents, std::vector<Baseline> baselines) {
    return {.name = name,
            .game = game,
            .agents = agents,
            .simulations = 32,
            .horizon = game == Game::skirmish ? 12u : 0u,
            .baselines = std::move(baselines)};
}

// A forest that a network of 42-128-128-8 guides; on Connect Four what mctx and the throwaway kernel of the first days
// were measured with.
Case guided(const char* name, std::uint32_t agents, std::uint32_t simulations, augur_precision precision, Where where,
            std::vector<Baseline> baselines) {
    return {.name = name,
            .agents = agents,
            .simulations = simulations,
            .model = precision,
            .where = where,
            .baselines = std::move(baselines)};
}

Baseline target_search_ms(double ms) {
    return {"target, search, ms", Metric::search_ms, ms, Where::cuda};
}

Baseline throwaway_ms(double ms) {
    return {"throwaway kernel, search, ms", Metric::search_ms, ms, Where::cuda};
}

Baseline target_rate(double millions) {
    return {"target, M sim/s of search", Metric::searched_per_s, millions, Where::cuda};
}

Case changed(Case c, void (*change)(Case&)) {
    change(c);
    return c;
}

Baseline target_carry_us(double us) {
    return {"target, carrying over, us", Metric::carry_us, us, Where::cuda};
}

// Where no tree ends early, so that all of them are full in every frame of a world that stands still.
Case carrying(Case c) {
    c.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    c.empty_boards = true;
    return c;
}

Case carrying_in(World world, Case c) {
    c = carrying(c);
    c.world = world;
    c.empty_boards = world == World::played;
    if (world == World::moving) c.carry_over = AUGUR_CARRY_OVER_WARM_START;
    return c;
}

Case tree(const char* name, std::uint32_t simulations, std::vector<Baseline> baselines) {
    return {.name = name,
            .agents = 1,
            .simulations = simulations,
            .search = AUGUR_SEARCH_TREE,
            .empty_boards = true,
            .baselines = std::move(baselines)};
}

Case budget(const char* name, Game game, std::uint32_t budget_us) {
    return {.name = name,
            .kind = Kind::budget,
            .game = game,
            .agents = 4096,
            .simulations = 1024,
            .horizon = game == Game::skirmish ? 12u : 0u,
            .budget_us = budget_us,
            .baselines = {{"target, us late", Metric::overrun_us, allowed_overrun_us(budget_us), Where::both}}};
}

Case host_cost(const char* name, Game game) {
    return {.name = name,
            .kind = Kind::host_cost,
            .game = game,
            .agents = 4096,
            .simulations = 1,  // what the call costs does not depend on it
            .baselines = {{"target, us of CPU", Metric::host_us, 20.0, Where::both}}};
}

// With all that a frame can have. The budget is one that the frame keeps: what is put off would cost the caller less.
Case everything(const char* name, Game game) {
    Case c = host_cost(name, game);
    c.simulations = 4;
    c.horizon = game == Game::skirmish ? 12u : 0u;
    c.budget_us = 1'000'000;
    c.everything = true;
    c.baselines.push_back({"target, us of CPU at p99", Metric::host_p99_us, 20.0, Where::both});
    return c;
}

Case shared(Case c, augur_gpu_sharing sharing) {
    c.sharing = sharing;
    c.where = Where::cuda;
    return c;
}

Case telemetry(const char* name, Game game, std::uint32_t agents) {
    return {.name = name,
            .kind = Kind::telemetry,
            .game = game,
            .agents = agents,
            .simulations = 32,
            .horizon = game == Game::skirmish ? 12u : 0u,
            .baselines = {{"target, % of the frame", Metric::telemetry_percent, 2.0, Where::both}}};
}

Case per_core(const char* name, std::uint32_t workers) {
    return {.name = name,
            .agents = 4096,
            .simulations = 32,
            .workers = workers,
            .where = Where::cpu,
            .baselines = {{"target, M sim/s per core", Metric::per_worker, 1.5, Where::cpu},
                          {"OpenSpiel, M sim/s per core", Metric::per_worker, 0.33, Where::cpu}}};
}

Case crossover(const char* name, Game game, std::uint32_t agents) {
    return {.name = name, .kind = Kind::crossover, .game = game, .agents = agents, .simulations = 32};
}

// Rules of three networks, 5-64-16, 19-64-64-17 and 16-64-4.
Case learned(const char* name, augur_precision precision, Where where) {
    return {.name = name, .game = Game::balance, .agents = 4096, .simulations = 32, .model = precision, .where = where};
}

std::vector<Case> make_cases() {
    constexpr Game four = Game::connect_four, battle = Game::skirmish;
    return {
        {.name = "smoke/connect_four/64x8", .agents = 64, .simulations = 8},
        {.name = "smoke/skirmish/64x8", .game = battle, .agents = 64, .simulations = 8},

        // Forest, Connect Four, random rollouts, no early stop.
        forest("forest/connect_four/1x32", four, 1, {gumbel_ms(7.0), muzero_ms(13.0), kOpenSpielRate}),
        forest("forest/connect_four/64x32", four, 64, {kOpenSpielRate}),
        forest("forest/connect_four/1024x32", four, 1024, {gumbel_ms(11.2), muzero_ms(22.5), kOpenSpielRate}),
        forest("forest/connect_four/4096x32", four, 4096,
               {target_ms(0.5), gumbel_ms(13.5), muzero_ms(27.6), kOpenSpielRate}),
        forest("forest/connect_four/16384x32", four, 16384, {gumbel_ms(22.1), muzero_ms(48.2), kOpenSpielRate}),
        forest("forest/connect_four/65536x32", four, 65536, {kOpenSpielRate}),
        changed(forest("forest/connect_four/4096x32/empty_boards", four, 4096,
                       {target_ms(0.5), gumbel_ms(13.5), muzero_ms(27.6), kOpenSpielRate}),
                [](Case& c) { c.empty_boards = true; }),
        changed(forest("forest/connect_four/4096x32/early_stop", four, 4096, {target_ms(0.5)}),
                [](Case& c) { c.early_stop = true; }),
        changed(forest("forest/connect_four/4096x32/waves", four, 4096, {gumbel_ms(13.5), muzero_ms(27.6)}),
                [](Case& c) {
                    c.execution = AUGUR_EXECUTION_WAVES;
                    c.where = Where::cuda;
                }),
        changed(forest("forest/connect_four/4096x32/device_memory", four, 4096, {target_ms(0.5)}),
                [](Case& c) {
                    c.device_memory = true;
                    c.where = Where::cuda;
                }),
        changed(
            forest("forest/connect_four/4096x128", four, 4096, {gumbel_ms(133.2), muzero_ms(272.6), kOpenSpielRate}),
            [](Case& c) { c.simulations = 128; }),

        // Forest, skirmish, horizon 12.
        forest("forest/skirmish/1024x32", battle, 1024, {}),
        forest("forest/skirmish/4096x32", battle, 4096, {target_ms(2.0)}),
        forest("forest/skirmish/16384x32", battle, 16384, {}),
        forest("forest/skirmish/65536x32", battle, 65536, {}),
        changed(forest("forest/skirmish/4096x32/early_stop", battle, 4096, {target_ms(2.0)}),
                [](Case& c) { c.early_stop = true; }),
        changed(forest("forest/skirmish/4096x32/device_memory", battle, 4096, {target_ms(2.0)}),
                [](Case& c) {
                    c.device_memory = true;
                    c.where = Where::cuda;
                }),

        // Trees carried over.
        carrying(forest("carry/connect_four/4096x32", four, 4096, {target_carry_us(50.0)})),
        carrying(changed(forest("carry/connect_four/4096x64", four, 4096, {target_carry_us(50.0)}),
                         [](Case& c) { c.simulations = 64; })),
        carrying_in(World::played, forest("carry/connect_four/4096x32/played", four, 4096, {target_carry_us(50.0)})),
        carrying_in(World::replaced, forest("carry/connect_four/4096x32/reset", four, 4096, {target_carry_us(50.0)})),
        carrying(forest("carry/skirmish/4096x32", battle, 4096, {target_carry_us(50.0)})),
        carrying_in(World::moving, forest("carry/skirmish/4096x32/warm", battle, 4096, {target_carry_us(50.0)})),
        carrying(guided("carry/model/connect_four/4096x32/int8", 4096, 32, AUGUR_PRECISION_INT8, Where::cuda,
                        {target_carry_us(50.0)})),

        // One large tree, from the empty board.
        tree("tree/connect_four/1000", 1000,
             {target_ms(0.5),
              {"OpenSpiel 1 core, ms", Metric::median_ms, 3.06, Where::both},
              {"articles GPU, ms", Metric::median_ms, 5.2, Where::cuda},
              {"articles CPU, ms", Metric::median_ms, 42.3, Where::cpu}}),
        tree("tree/connect_four/4000", 4000,
             {{"OpenSpiel 1 core, M sim/s", Metric::simulations_per_s, 0.33, Where::both}}),

        // Guided by a network.
        guided("model/connect_four/4096x32/fp16", 4096, 32, AUGUR_PRECISION_FP16, Where::cuda,
               {target_search_ms(0.2), throwaway_ms(0.145), gumbel_ms(13.5), muzero_ms(27.6)}),
        guided("model/connect_four/4096x32/int8", 4096, 32, AUGUR_PRECISION_INT8, Where::both,
               {target_search_ms(0.4), gumbel_ms(13.5), muzero_ms(27.6)}),
        changed(guided("model/connect_four/4096x32/fp16/47_kb", 4096, 32, AUGUR_PRECISION_FP16, Where::cuda,
                       {target_search_ms(0.4), gumbel_ms(13.5), muzero_ms(27.6)}),
                [](Case& c) { c.lent_context = true; }),
        changed(guided("model/connect_four/4096x32/fp16/waves", 4096, 32, AUGUR_PRECISION_FP16, Where::cuda,
                       {target_search_ms(2.0), gumbel_ms(13.5), muzero_ms(27.6)}),
                [](Case& c) { c.execution = AUGUR_EXECUTION_WAVES; }),
        changed(guided("model/connect_four/4096x32/int8/waves", 4096, 32, AUGUR_PRECISION_INT8, Where::cuda,
                       {target_search_ms(2.0)}),
                [](Case& c) { c.execution = AUGUR_EXECUTION_WAVES; }),
        guided("model/connect_four/16384x64/fp16", 16384, 64, AUGUR_PRECISION_FP16, Where::cuda,
               {target_rate(500.0), {"throwaway kernel, M sim/s", Metric::searched_per_s, 587.0, Where::cuda}}),
        guided("model/connect_four/16384x64/int8", 16384, 64, AUGUR_PRECISION_INT8, Where::cuda, {target_rate(250.0)}),
        changed(guided("model/connect_four/16384x64/fp16/47_kb", 16384, 64, AUGUR_PRECISION_FP16, Where::cuda,
                       {target_rate(250.0)}),
                [](Case& c) { c.lent_context = true; }),
        guided("model/connect_four/65536x32/fp16", 65536, 32, AUGUR_PRECISION_FP16, Where::cuda,
               {target_rate(800.0), {"throwaway kernel, M sim/s", Metric::searched_per_s, 1013.0, Where::cuda}}),
        guided("model/connect_four/65536x32/int8", 65536, 32, AUGUR_PRECISION_INT8, Where::cuda, {target_rate(400.0)}),
        changed(guided("model/connect_four/65536x32/fp16/47_kb", 65536, 32, AUGUR_PRECISION_FP16, Where::cuda,
                       {target_rate(400.0)}),
                [](Case& c) { c.lent_context = true; }),
        changed(guided("model/skirmish/4096x32/fp16", 4096, 32, AUGUR_PRECISION_FP16, Where::cuda, {}),
                [](Case& c) {
                    c.game = Game::skirmish;
                    c.horizon = 12;
                }),
        changed(guided("model/connect_four/1x128/tree", 1, 128, AUGUR_PRECISION_FP16, Where::both,
                       {target_ms(1.0), gumbel_ms(27.0), muzero_ms(36.0)}),
                [](Case& c) {
                    c.search = AUGUR_SEARCH_TREE;
                    c.empty_boards = true;
                }),
        changed(guided("model/connect_four/1x1000/tree", 1, 1000, AUGUR_PRECISION_FP16, Where::both, {target_ms(2.0)}),
                [](Case& c) {
                    c.search = AUGUR_SEARCH_TREE;
                    c.empty_boards = true;
                }),
        changed(guided("model/connect_four/1x128/forest", 1, 128, AUGUR_PRECISION_FP16, Where::cuda, {target_ms(1.0)}),
                [](Case& c) { c.empty_boards = true; }),

        // On learned rules.
        learned("learned/balance/4096x32/int8", AUGUR_PRECISION_INT8, Where::both),
        learned("learned/balance/4096x32/fp16", AUGUR_PRECISION_FP16, Where::cuda),
        changed(learned("learned/balance/4096x32/fp16/device_memory", AUGUR_PRECISION_FP16, Where::cuda),
                [](Case& c) { c.device_memory = true; }),

        // Budgets in microseconds, with more simulations allowed than fit.
        budget("budget/connect_four/500us", four, 500),
        budget("budget/connect_four/1000us", four, 1000),
        budget("budget/connect_four/2000us", four, 2000),
        budget("budget/connect_four/4000us", four, 4000),
        changed(budget("budget/connect_four/1000us/model", four, 1000),
                [](Case& c) { c.model = AUGUR_PRECISION_FP16; }),
        changed(budget("budget/connect_four/1000us/waves", four, 1000),
                [](Case& c) {
                    c.execution = AUGUR_EXECUTION_WAVES;
                    c.where = Where::cuda;
                }),
        changed(budget("budget/connect_four/1000us/model/waves", four, 1000),
                [](Case& c) {
                    c.model = AUGUR_PRECISION_FP16;
                    c.execution = AUGUR_EXECUTION_WAVES;
                    c.where = Where::cuda;
                }),
        budget("budget/skirmish/500us", battle, 500),
        budget("budget/skirmish/1000us", battle, 1000),
        budget("budget/skirmish/2000us", battle, 2000),
        budget("budget/skirmish/4000us", battle, 4000),

        host_cost("host/connect_four/4096", four),
        host_cost("host/skirmish/4096", battle),
        everything("host/connect_four/4096/everything", four),
        everything("host/skirmish/4096/everything", battle),
        shared(everything("host/connect_four/4096/everything/partition", four), AUGUR_GPU_SHARING_PARTITION),
        shared(everything("host/connect_four/4096/everything/adaptive", four), AUGUR_GPU_SHARING_ADAPTIVE),

        // What it costs to be watched.
        telemetry("telemetry/connect_four/256x32", four, 256),
        telemetry("telemetry/connect_four/4096x32", four, 4096),
        telemetry("telemetry/skirmish/4096x32", battle, 4096),

        {.name = "memory/connect_four/4096x64", .kind = Kind::memory, .agents = 4096, .simulations = 64},
        {.name = "memory/skirmish/4096x64",
         .kind = Kind::memory,
         .game = battle,
         .agents = 4096,
         .simulations = 64,
         .baselines = {{"target, MB", Metric::memory_mb, 128.0, Where::both}}},

        // The CPU backend, worker by worker; counts above the machine's cores are left out.
        per_core("workers/connect_four/1", 1),
        per_core("workers/connect_four/2", 2),
        per_core("workers/connect_four/4", 4),
        per_core("workers/connect_four/8", 8),
        per_core("workers/connect_four/16", 16),

        // From how many agents on the GPU answers sooner than all cores of the CPU.
        crossover("crossover/connect_four/1", four, 1),
        crossover("crossover/connect_four/4", four, 4),
        crossover("crossover/connect_four/16", four, 16),
        crossover("crossover/connect_four/64", four, 64),
        crossover("crossover/connect_four/256", four, 256),
        crossover("crossover/connect_four/1024", four, 1024),
        crossover("crossover/skirmish/1", battle, 1),
        crossover("crossover/skirmish/4", battle, 4),
        crossover("crossover/skirmish/16", battle, 16),
        crossover("crossover/skirmish/64", battle, 64),
        crossover("crossover/skirmish/256", battle, 256),
        crossover("crossover/skirmish/1024", battle, 1024),
    };
}

}  // namespace

const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = make_cases();
    return cases;
}

}  // namespace augur::bench
