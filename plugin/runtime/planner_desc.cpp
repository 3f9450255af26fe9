#include "runtime/planner_desc.h"

#include <algorithm>
#include <cmath>

#include "runtime/binding.h"
#include "runtime/message.h"

namespace augur {

namespace {

constexpr std::uint32_t kMostAgents = 1048576;
constexpr std::uint32_t kMostForestSimulations = 65535;
constexpr std::uint32_t kMostTreeSimulations = 4194303;
constexpr std::uint32_t kMostLeavesPerWave = 256;
// An eighth of the simulations: as strong as one after the other within noise, and fast on a GPU
// (docs/benchmarks/strength.md has both).
std::uint32_t default_leaves_per_wave(std::uint32_t simulations) {
    return std::clamp<std::uint32_t>(simulations / 8, 1, kMostLeavesPerWave);
}
constexpr std::uint32_t kMostComponents = 32;
constexpr float kMostExploration = 100.0f;
constexpr std::uint32_t kMostActions = 4096;
constexpr std::uint32_t kDefaultConsideredActions = 16;
constexpr float kMostGumbelScale = 10.0f;
constexpr float kLeastPriority = 0.001f, kMostPriority = 1000.0f;
// An action is as a rule tried once before any is tried twice.
std::uint32_t default_least_simulations(std::uint32_t simulations, std::uint32_t actions) {
    return std::min(simulations, (actions + 7) / 8 * 8);
}
constexpr std::uint32_t kMostCarriedNodes = (1u << 20) - 1;
constexpr std::uint64_t kMostCarriedEdges = 1ull << 31;  // of one tree

augur_result check_enum(const char* field, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    if (value >= low && value <= high) return AUGUR_OK;
    return fail(AUGUR_ERROR_INVALID_ARGUMENT, "%s is %u, allowed %u..%u", field, value, low, high);
}

// Sizes: below the least is a mistake, above the most is a limit.
augur_result check_size(const char* field, std::uint32_t value, std::uint32_t most) {
    if (value >= 1 && value <= most) return AUGUR_OK;
    return fail(value == 0 ? AUGUR_ERROR_INVALID_ARGUMENT : AUGUR_ERROR_LIMIT, "%s is %u, allowed 1..%u", field, value,
                most);
}

augur_result check_carry_over(const augur_planner_desc& desc, const core::RulesInfo& rules) {
    augur_result result = check_enum("carry_over", desc.carry_over, AUGUR_CARRY_OVER_NONE, AUGUR_CARRY_OVER_WARM_START);
    if (result == AUGUR_OK) result = check_enum("count_carried", desc.count_carried, 0, 1);
    if (result != AUGUR_OK || desc.carry_over == AUGUR_CARRY_OVER_NONE) return result;
    const char* why = nullptr;
    if (desc.search == AUGUR_SEARCH_TREE) why = "search is AUGUR_SEARCH_TREE";
    if (desc.selection == AUGUR_SELECTION_GUMBEL) why = "selection is AUGUR_SELECTION_GUMBEL";
    if (rules.learned) why = "the rules are learned";
    if (why != nullptr)
        return fail(AUGUR_ERROR_UNSUPPORTED, "carry_over is %u, and %s, allowed AUGUR_CARRY_OVER_NONE", desc.carry_over,
                    why);
    if (desc.carry_over == AUGUR_CARRY_OVER_WARM_START && rules.provable)
        return fail(AUGUR_ERROR_UNSUPPORTED,
                    "carry_over is AUGUR_CARRY_OVER_WARM_START, and %s is decided by proof, where one position says "
                    "nothing of another; allowed AUGUR_CARRY_OVER_NONE and _SUBTREE",
                    rules.name);
    return AUGUR_OK;
}

std::uint32_t node_capacity_of(const augur_planner_desc& desc, const core::RulesInfo& rules) {
    const std::uint32_t frame = desc.simulations + 1;
    if (desc.carry_over == AUGUR_CARRY_OVER_NONE)
        return desc.node_capacity != 0 ? std::min(desc.node_capacity, frame) : frame;
    const std::uint32_t own = desc.count_carried != 0 ? frame : frame + desc.simulations;
    const std::uint64_t deciders = rules.turn == kit::Turn::simultaneous ? rules.player_count : 1;
    const std::uint64_t most =
        std::min<std::uint64_t>(kMostCarriedNodes, kMostCarriedEdges / rules.action_count / deciders);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(desc.node_capacity != 0 ? desc.node_capacity : own, most));
}

}  // namespace

augur_result resolve_planner_desc(const augur_planner_desc& desc, const core::RulesInfo& rules, EngineDesc* out) {
    const auto check = [](augur_result result) { return result != AUGUR_OK; };
    augur_result result = AUGUR_OK;
    if (check(result = check_size("agent_capacity", desc.agent_capacity, kMostAgents))) return result;
    if (check(result = check_enum("search", desc.search, AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE))) return result;
    if (check(result = check_enum("selection", desc.selection, AUGUR_SELECTION_PUCT, AUGUR_SELECTION_GUMBEL)))
        return result;
    if (check(result = check_enum("execution", desc.execution, AUGUR_EXECUTION_AUTO, AUGUR_EXECUTION_WAVES)))
        return result;
    const bool tree = desc.search == AUGUR_SEARCH_TREE;
    if (check(result =
                  check_size("simulations", desc.simulations, tree ? kMostTreeSimulations : kMostForestSimulations)))
        return result;
    if (desc.horizon > rules.max_depth)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "horizon is %u, allowed 1..%u or 0 for the rules' own", desc.horizon,
                    rules.max_depth);
    // Written so that a NaN fails.
    if (!(desc.exploration >= 0.0f && desc.exploration <= kMostExploration))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "exploration is %g, allowed 0..%g",
                    static_cast<double>(desc.exploration), static_cast<double>(kMostExploration));
    const bool own_discount = desc.discount == -1.0f;
    if (!own_discount && !(desc.discount >= 0.0f && desc.discount <= 1.0f))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "discount is %g, allowed 0..1 or -1 for the rules' own",
                    static_cast<double>(desc.discount));
    if (desc.node_capacity == 1)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "node_capacity is 1, allowed 2 or more, or 0 for simulations + 1");
    if (check(result = check_enum("leaves_per_wave", desc.leaves_per_wave, 0, kMostLeavesPerWave))) return result;
    if (check(result = check_enum("early_stop", desc.early_stop, 0, 1))) return result;
    if (check(result = check_enum("transpositions", desc.transpositions, 0, 1))) return result;
    if (check(result = check_enum("reserved", desc.reserved, 0, 0))) return result;
    const bool modelled = desc.model.value != 0, guided = modelled || rules.learned,
               gumbel = desc.selection == AUGUR_SELECTION_GUMBEL;
    if (modelled && rules.learned)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT,
                    "model is given, and rules %s are learned, with a prediction of their own", rules.name);
    if (modelled && (rules.feature_count == 0 || rules.turn == kit::Turn::simultaneous))
        return fail(AUGUR_ERROR_UNSUPPORTED, "model is given, and %s %s", rules.name,
                    rules.feature_count == 0 ? "has no features for one" : "has players who act at once");
    if (gumbel && !guided)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "selection is AUGUR_SELECTION_GUMBEL, and model is none");
    if (gumbel && tree)
        return fail(
            AUGUR_ERROR_INVALID_ARGUMENT,
            "selection is AUGUR_SELECTION_GUMBEL, and search is AUGUR_SEARCH_TREE, allowed AUGUR_SEARCH_FOREST");
    if (check(result = check_enum("considered_actions", desc.considered_actions, 0, kMostActions))) return result;
    if (!(desc.gumbel_scale >= 0.0f && desc.gumbel_scale <= kMostGumbelScale))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "gumbel_scale is %g, allowed 0..%g",
                    static_cast<double>(desc.gumbel_scale), static_cast<double>(kMostGumbelScale));
    if (check(result = check_enum("adaptive", desc.adaptive, 0, 1))) return result;
    if (check(result = check_enum("least_simulations", desc.least_simulations, 0, desc.simulations))) return result;
    if (!(desc.priority >= kLeastPriority && desc.priority <= kMostPriority))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "priority is %g, allowed 0.001..1000",
                    static_cast<double>(desc.priority));
    if (check(result =
                  check_enum("late_actions", desc.late_actions, AUGUR_LATE_ACTIONS_WRITE, AUGUR_LATE_ACTIONS_DROP)))
        return result;
    if (check(result = check_carry_over(desc, rules))) return result;
    if (component_count(rules) > kMostComponents)
        return fail(AUGUR_ERROR_LIMIT, "%s has %u numbers per agent, the limit is %u", rules.name,
                    component_count(rules), kMostComponents);

    const bool uct = desc.selection == AUGUR_SELECTION_UCT;
    *out = {};
    out->rules = &rules;
    out->agent_capacity = desc.agent_capacity;
    out->search = static_cast<augur_search>(desc.search);
    out->selection = static_cast<augur_selection>(desc.selection);
    out->execution = static_cast<augur_execution>(desc.execution);
    out->simulations = desc.simulations;
    out->horizon = desc.horizon != 0 ? desc.horizon : rules.default_horizon;
    const float own_puct = guided ? rules.default_guided_puct : rules.default_puct;
    out->exploration = desc.exploration > 0.0f ? desc.exploration : uct ? rules.default_uct : own_puct;
    out->discount =
        own_discount ? rules.default_discount : static_cast<std::int32_t>(std::lround(desc.discount * 65536.0f));
    out->node_capacity = node_capacity_of(desc, rules);
    out->leaves_per_wave = desc.leaves_per_wave != 0 ? desc.leaves_per_wave : default_leaves_per_wave(out->simulations);
    out->early_stop = desc.early_stop != 0 && !gumbel;  // sequential halving spends every simulation it was promised
    out->transpositions = tree && desc.transpositions != 0;
    out->seed = desc.seed;
    out->guided = guided;
    out->considered_actions = desc.considered_actions != 0 ? desc.considered_actions : kDefaultConsideredActions;
    out->gumbel_scale = desc.gumbel_scale;
    out->adaptive = desc.adaptive != 0;
    out->least_simulations = desc.least_simulations != 0
                                 ? desc.least_simulations
                                 : default_least_simulations(desc.simulations, rules.action_count);
    out->carry_over = static_cast<augur_carry_over>(desc.carry_over);
    out->count_carried = desc.count_carried != 0;
    out->drop_late = desc.late_actions == AUGUR_LATE_ACTIONS_DROP;
    return AUGUR_OK;
}

}  // namespace augur
