// What is searched to see whether every machine comes to the same: one visible table of cases.

#ifndef AUGUR_TESTS_PARITY_PARITY_CASE_H
#define AUGUR_TESTS_PARITY_PARITY_CASE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "support/arrays.h"
#include "support/machine.h"

namespace augur::test {

// How a frame's simulations are divided among the agents.
enum class Divided {
    kEqually,    // every agent has the same
    kByUrgency,  // an adaptive planner, with urgencies of all kinds; half of the simulations on average
    kInTurns,    // so few of them that agents take turns
};

// A learned game with drawn networks, in place of a compiled one. Some agents see numbers that are none.
struct LearnedShape {
    std::uint32_t actions;
    std::uint32_t states;
    std::uint32_t observations;
    std::uint32_t players = 1;
    bool joined = false;  // the dynamics has one input
    bool rewards = true;  // it gives rewards
    bool breaks = false;  // some roots, states and rewards are not finite
    bool bytes = false;   // observations are eight bits, and lie in structures
    core::ValueKind value_kind = core::ValueKind::bounded;
};

struct ParityCase {
    const char* name;
    const char* game;
    std::uint32_t agents;
    augur_search search;
    augur_selection selection;
    std::uint32_t simulations;
    std::uint32_t leaves_per_wave = 0;  // TREE only
    bool transpositions = false;        // TREE only
    bool early_stop = true;
    std::uint32_t horizon = 0;        // 0: the rules' own
    std::uint32_t node_capacity = 0;  // 0: simulations + 1
    Layout layout = Layout::kArrays;
    std::optional<core::Precision> model = std::nullopt;  // of the model that guides; its weights are drawn
    Divided divided = Divided::kEqually;
    augur_carry_over carry_over = AUGUR_CARRY_OVER_NONE;
    bool count_carried = false;
    std::optional<LearnedShape> learned = std::nullopt;  // its networks run as `model` says
    bool budget = false;         // time that is never up: with many trees, a few simulations in turn
    bool usual_network = false;  // two hidden layers of 128, with weights so coarse that sums in floats are exact
};

const std::vector<ParityCase>& all_parity_cases();

// Everything a frame tells, as text that can be compared and read: hash, counts, each agent's result and the actions
// written, the root's visits and values, and whole trees of some agents.
struct FrameAnswer {
    std::uint64_t decision_hash = 0;
    std::uint64_t simulations = 0;
    std::vector<augur_stage_span> stages;
    core::AllotmentReport allotted{};
    std::vector<std::uint32_t> flag_counts;
    std::vector<std::uint64_t> carried;  // trees carried, warmed, reset, and nodes carried
    std::vector<augur_agent_result> results;
    std::vector<std::int32_t> actions;
    std::vector<std::uint32_t> root_visits;
    std::vector<float> root_values;
    std::vector<std::vector<augur_tree_node>> trees;  // of every kTreeStep-th agent
    static constexpr std::uint32_t kTreeStep = 37;
};

// The rules of that name on a machine; null when its backend has not got them.
const core::RulesInfo* find_game(Machine& machine, const char* name);

std::uint32_t action_count_of(Machine& machine, const ParityCase& parity_case);

// Words of all agents' fields for a case: positions, battles, or the states of a test game.
std::vector<std::int32_t> words_of(const ParityCase& parity_case);

// Runs three frames: all agents, then half of them with fewer simulations, then all of them again under another frame
// number. Where trees are carried over, five frames, between which the world moves on, the fourth with half of the
// agents and the fifth after the trees of some were reset. An empty vector, with the reason, when an engine refuses.
std::vector<FrameAnswer> run_case(Machine& machine, const ParityCase& parity_case, std::string& error);

}  // namespace augur::test

#endif
