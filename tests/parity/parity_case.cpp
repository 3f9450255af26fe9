#include "parity/parity_case.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "core/settings.h"
#include "model/onnx.h"
#include "model/prepare.h"
#include "parity/learned_setting.h"
#include "support/dense_onnx.h"
#include "support/play_words.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

constexpr augur_search kForest = AUGUR_SEARCH_FOREST;
constexpr augur_search kTree = AUGUR_SEARCH_TREE;
constexpr augur_selection kPuct = AUGUR_SELECTION_PUCT;
constexpr augur_selection kUct = AUGUR_SELECTION_UCT;
constexpr augur_selection kGumbel = AUGUR_SELECTION_GUMBEL;
constexpr Layout kArrays = Layout::kArrays;
constexpr core::Precision kInt8 = core::Precision::int8;
constexpr auto kNoModel = std::nullopt;
constexpr Divided kByUrgency = Divided::kByUrgency, kInTurns = Divided::kInTurns;

// A model with drawn weights for a game, and what an engine needs to be guided by it.
struct Guide {
    model::Prepared prepared;
    std::unique_ptr<BackendNetwork> network;  // made of prepared
    std::unique_ptr<NetworkSeat> seat;        // of network

    ~Guide() {
        seat = nullptr;
        network = nullptr;
    }

    augur_result make(Backend& backend, Engine& engine, const core::RulesInfo& rules, const ParityCase& c,
                      std::string& error) {
        SplitMix64 random(4711);
        const core::Precision precision = *c.model;
        const std::vector<std::uint32_t> hidden =
            c.usual_network ? std::vector<std::uint32_t>{128, 128} : std::vector<std::uint32_t>{48, 32};
        const std::string bytes =
            write_dense_onnx(rules.feature_count, hidden, {{"policy", rules.action_count, ""}, {"value", 1, "Tanh"}},
                             [&](std::uint32_t, std::uint32_t, std::uint32_t) {
                                 if (c.usual_network) return static_cast<float>(random.below(9) - 4) * 0.0625f;
                                 return static_cast<float>(random.below(2001) - 1000) * 0.0003f;
                             });
        model::Network read;
        augur_result result = model::load_onnx({bytes.data(), bytes.size(), ""}, {}, &read, error);
        if (result < 0) return result;
        model::PrepareOptions options;
        options.precision = static_cast<model::PrecisionChoice>(precision);
        result = model::prepare(std::move(read), options, &prepared, error);
        if (result < 0) return result;
        if (prepared.precision != precision) {
            error = "the model runs in another precision: " + error;
            return AUGUR_ERROR_INTERNAL;
        }
        error.clear();
        result = backend.make_network(prepared.program(), &network, error);
        if (result < 0) return result;
        return engine.make_seat({network.get(), core::ValueKind::bounded, 1.0f}, &seat, error);
    }
};

FrameWork frame_work(const std::vector<Source>& sources, BackendBuffer* actions, std::uint64_t frame,
                     std::uint32_t agents, std::uint32_t simulations) {
    FrameWork work{};
    work.frame = frame;
    work.agent_count = agents;
    work.simulations = simulations;
    work.sources = sources.data();
    work.source_count = static_cast<std::uint32_t>(sources.size());
    work.actions = {actions, 0, sizeof(std::int32_t), AUGUR_FORMAT_I32};
    return work;
}

// One number per agent: nothing, next to nothing, one, many, and some that are none.
std::vector<float> urgencies_of(const ParityCase& c) {
    SplitMix64 random(96);
    constexpr float kNumbers[] = {0.0f, 0.001f, 0.25f, 0.5f, 1.0f, 1.0f, 1.5f, 4.0f, 30.0f, -1.0f, __builtin_nanf("")};
    std::vector<float> urgencies(c.agents);
    for (float& urgency : urgencies)
        urgency = kNumbers[random.below(std::size(kNumbers))];
    return urgencies;
}

// Divides the simulations that `work` has for an agent at most.
void divide(FrameWork& work, const ParityCase& c, BackendBuffer* urgencies) {
    constexpr std::uint32_t kLeast = 4;
    const std::uint32_t mean = (work.simulations + 1) / 2;
    const std::uint32_t least = std::min(kLeast, mean);
    const std::uint64_t granted = c.divided == kInTurns ? std::uint64_t{work.agent_count} * least / 5 : UINT64_MAX;
    work.allotment = {granted, mean, work.simulations, least, 1};
    work.urgency = {urgencies, 0, sizeof(float), AUGUR_FORMAT_F32};
}

FrameAnswer read_answer(Engine& engine, const HostArrays& arrays, std::uint32_t agents, std::uint32_t action_count,
                        std::string& error) {
    FrameAnswer answer;
    const FrameOutput& output = engine.output();
    answer.decision_hash = output.decision_hash;
    answer.simulations = output.simulations;
    answer.stages.assign(std::begin(output.stages), std::end(output.stages));
    answer.allotted = output.allotted;
    answer.flag_counts.assign(output.flag_counts, output.flag_counts + core::kFlagBits);
    answer.carried = {output.trees_carried, output.trees_warmed, output.trees_reset, output.nodes_carried};
    answer.results.resize(agents);
    if (engine.results(0, agents, answer.results.data()) < 0) error = "results failed";
    answer.actions.assign(arrays.actions().begin(), arrays.actions().end());
    answer.root_visits.resize(std::size_t{agents} * action_count);
    answer.root_values.resize(answer.root_visits.size());
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
        const std::size_t first = std::size_t{agent} * action_count;
        if (engine.root(agent, &answer.root_visits[first], &answer.root_values[first]) < 0) error = "root failed";
        if (agent % FrameAnswer::kTreeStep != 0) continue;
        std::uint32_t needed = 0;
        engine.tree(agent, nullptr, 0, &needed);
        std::vector<augur_tree_node> nodes(needed);
        if (needed > 0 && engine.tree(agent, nodes.data(), needed, &needed) < 0) error = "tree failed";
        answer.trees.push_back(std::move(nodes));
    }
    return answer;
}

EngineDesc engine_desc(const core::RulesInfo& rules, const ParityCase& c, augur_execution execution) {
    EngineDesc desc{};
    desc.rules = &rules;
    desc.agent_capacity = c.agents;
    desc.search = c.search;
    desc.selection = c.selection;
    desc.execution = execution;
    desc.simulations = c.simulations;
    desc.horizon = c.horizon != 0 ? c.horizon : rules.default_horizon;
    desc.exploration = c.selection == AUGUR_SELECTION_UCT ? rules.default_uct : rules.default_puct;
    desc.discount = rules.default_discount;
    const bool adds = c.carry_over != AUGUR_CARRY_OVER_NONE && !c.count_carried;
    desc.node_capacity = c.node_capacity != 0 ? c.node_capacity : c.simulations * (adds ? 2 : 1) + 1;
    desc.leaves_per_wave = c.leaves_per_wave;
    desc.early_stop = c.early_stop;
    desc.transpositions = c.transpositions;
    desc.seed = 0x1234567890ULL;
    desc.guided = c.model.has_value();
    desc.considered_actions = 4;
    desc.gumbel_scale = 1.0f;
    desc.adaptive = c.divided != Divided::kEqually;
    desc.carry_over = c.carry_over;
    desc.count_carried = c.count_carried;
    return desc;
}

constexpr augur_carry_over kSubtree = AUGUR_CARRY_OVER_SUBTREE;
constexpr augur_carry_over kWarmStart = AUGUR_CARRY_OVER_WARM_START;

// Some shapes. A room for actions is 4, 8, 16, 32 or 64.
constexpr LearnedShape kPlain = {5, 12, 7}, kTwoPlayers = {3, 16, 9, 2, true}, kNoRewards = {9, 10, 5, 2, false, false};
constexpr LearnedShape kBreaks = {4, 14, 6, 1, false, true, true}, kBreaksJoined = {6, 14, 6, 2, true, true, true};
constexpr LearnedShape kBytes = {7, 12, 21, 1, true, true, false, true};
constexpr LearnedShape kWide = {20, 70, 33, 2, false, true, false, false, core::ValueKind::outcomes};
constexpr LearnedShape kWidest = {64, 33, 12, 1, true};
constexpr LearnedShape kOneAction = {1, 8, 4};

ParityCase learned(ParityCase c, const LearnedShape& shape) {
    c.learned = shape;
    if (!c.model) c.model = kInt8;
    return c;
}

ParityCase carrying(ParityCase c, augur_carry_over how, bool counted = false) {
    c.carry_over = how;
    c.count_carried = counted;
    return c;
}

// Time that is never up.
ParityCase with_budget(ParityCase c) {
    c.budget = true;
    return c;
}

// Guided, in half precision or int8, by the network that the GPU has kernels of its own for.
ParityCase usual(ParityCase c) {
    if (!c.model) c.model = core::Precision::fp16;
    c.usual_network = true;
    return c;
}

}  // namespace

const std::vector<ParityCase>& all_parity_cases() {
    static const std::vector<ParityCase> cases = {
        {"connect_four_puct", "connect_four", 300, kForest, kPuct, 48},
        {"connect_four_uct", "connect_four", 300, kForest, kUct, 48},
        {"connect_four_whole_search", "connect_four", 60, kForest, kPuct, 100, 0, false, false},
        {"connect_four_deep", "connect_four", 5, kForest, kUct, 2000},
        {"connect_four_one_simulation", "connect_four", 100, kForest, kPuct, 1},
        {"connect_four_short_horizon", "connect_four", 64, kForest, kPuct, 40, 0, false, true, 3},
        {"connect_four_pool_exhausted", "connect_four", 64, kForest, kPuct, 64, 0, false, true, 0, 20},
        {"connect_four_structs", "connect_four", 129, kForest, kPuct, 32, 0, false, true, 0, 0, Layout::kStructs},
        {"skirmish_puct", "skirmish", 300, kForest, kPuct, 32},
        {"skirmish_uct", "skirmish", 300, kForest, kUct, 40},
        {"skirmish_structs", "skirmish", 200, kForest, kPuct, 24, 0, false, true, 0, 0, Layout::kStructs},
        {"skirmish_crowd", "skirmish", 2000, kForest, kPuct, 4},
        {"tree_one_leaf", "connect_four", 12, kTree, kPuct, 400, 1, true},
        {"tree_waves_puct", "connect_four", 12, kTree, kPuct, 1000, 32, true},
        {"tree_waves_uct", "connect_four", 12, kTree, kUct, 1000, 64, true},
        {"tree_widest_wave", "connect_four", 12, kTree, kPuct, 1000, 256, true},
        {"tree_many_visits", "connect_four", 4, kTree, kPuct, 1500, 250, true},
        {"tree_odd_wave", "connect_four", 12, kTree, kUct, 999, 7, true},
        {"tree_no_transpositions", "connect_four", 12, kTree, kPuct, 600, 32, false},
        {"tree_pool_exhausted", "connect_four", 12, kTree, kPuct, 600, 32, true, true, 0, 200},
        {"tree_skirmish", "skirmish", 3, kTree, kPuct, 500, 32, false},
        {"nim", "test_nim", 100, kForest, kPuct, 60},
        {"misere_tic_tac_toe", "test_misere_tic_tac_toe", 40, kForest, kUct, 200},
        {"dice_race", "test_dice_race", 100, kForest, kPuct, 64},
        {"rock_paper_scissors", "test_rock_paper_scissors", 40, kForest, kUct, 100},
        {"dead_end", "test_dead_end", 20, kForest, kPuct, 50},
        {"endless", "test_endless", 20, kForest, kUct, 50},
        {"huge_rewards", "test_huge_rewards", 20, kForest, kPuct, 50},
        {"many_actions", "test_many_actions", 10, kForest, kUct, 120},
        {"hash_maze", "test_hash_maze", 200, kForest, kPuct, 64},
        {"tree_nim", "test_nim", 20, kTree, kPuct, 200, 16, true},
        {"tree_hash_maze", "test_hash_maze", 20, kTree, kUct, 200, 16, false},
        {"guided_connect_four_puct", "connect_four", 150, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kInt8},
        {"guided_connect_four_uct", "connect_four", 70, kForest, kUct, 40, 0, false, true, 0, 0, kArrays, kInt8},
        {"guided_connect_four_gumbel", "connect_four", 150, kForest, kGumbel, 32, 0, false, true, 0, 0, kArrays, kInt8},
        {"guided_connect_four_full", "connect_four", 40, kForest, kPuct, 64, 0, false, true, 0, 20, kArrays, kInt8},
        {"guided_connect_four_fp32", "connect_four", 90, kForest, kPuct, 40, 0, false, true, 0, 0, kArrays,
         core::Precision::fp32},
        {"guided_connect_four_fp16", "connect_four", 90, kForest, kGumbel, 40, 0, false, true, 0, 0, kArrays,
         core::Precision::fp16},
        {"guided_skirmish_puct", "skirmish", 150, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays, kInt8},
        {"guided_skirmish_gumbel", "skirmish", 150, kForest, kGumbel, 24, 0, false, true, 4, 0, kArrays, kInt8},
        {"guided_connect_four_many", "connect_four", 6000, kForest, kPuct, 12, 0, false, true, 0, 0, kArrays, kInt8},
        usual({"usual_network_puct", "connect_four", 150, kForest, kPuct, 48}),
        usual({"usual_network_uct", "connect_four", 70, kForest, kUct, 40}),
        usual({"usual_network_gumbel", "connect_four", 150, kForest, kGumbel, 32}),
        usual({"usual_network_one", "connect_four", 1, kForest, kPuct, 128, 0, false, false}),
        usual({"usual_network_full", "connect_four", 40, kForest, kPuct, 64, 0, false, true, 0, 20}),
        usual({"usual_network_deep", "connect_four", 40, kForest, kPuct, 400}),
        usual({"usual_network_many", "connect_four", 6000, kForest, kPuct, 12, 0, false, false}),
        usual({"usual_network_more", "connect_four", 7000, kForest, kPuct, 24}),
        usual({"usual_network_more_nodes", "connect_four", 7000, kForest, kPuct, 24, 0, false, true, 0, 64}),
        usual({"usual_network_most_nodes", "connect_four", 7000, kForest, kPuct, 24, 0, false, true, 0, 100}),
        with_budget(usual({"usual_network_budget", "connect_four", 7000, kForest, kGumbel, 20})),
        with_budget(
            usual({"usual_network_budget_nodes", "connect_four", 7000, kForest, kPuct, 20, 0, false, true, 0, 64})),
        usual({"usual_network_int8", "connect_four", 150, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kInt8}),
        usual({"usual_network_int8_gumbel", "connect_four", 150, kForest, kGumbel, 32, 0, false, true, 0, 0, kArrays,
               kInt8}),
        usual(
            {"usual_network_int8_deep", "connect_four", 40, kForest, kPuct, 400, 0, false, true, 0, 0, kArrays, kInt8}),
        usual({"usual_network_int8_more", "connect_four", 7000, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays,
               kInt8}),
        {"guided_tree_waves", "connect_four", 8, kTree, kPuct, 500, 32, true, true, 0, 0, kArrays, kInt8},
        {"guided_tree_widest_wave", "connect_four", 4, kTree, kPuct, 600, 256, true, true, 0, 0, kArrays, kInt8},
        {"guided_tree_uct", "connect_four", 8, kTree, kUct, 300, 64, true, true, 0, 0, kArrays, kInt8},
        {"guided_tree_gumbel", "connect_four", 8, kTree, kGumbel, 300, 24, false, true, 0, 0, kArrays, kInt8},
        {"guided_tree_pool_exhausted", "connect_four", 8, kTree, kPuct, 300, 32, true, true, 0, 100, kArrays, kInt8},
        {"guided_tree_skirmish", "skirmish", 3, kTree, kPuct, 300, 16, false, true, 0, 0, kArrays, kInt8},
        {"urgency_connect_four", "connect_four", 300, kForest, kPuct, 64, 0, false, true, 0, 0, kArrays, kNoModel,
         kByUrgency},
        {"urgency_connect_four_full", "connect_four", 64, kForest, kUct, 64, 0, false, true, 0, 20, kArrays, kNoModel,
         kByUrgency},
        {"urgency_skirmish", "skirmish", 300, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kNoModel, kByUrgency},
        {"urgency_skirmish_crowd", "skirmish", 3000, kForest, kPuct, 8, 0, false, true, 0, 0, kArrays, kNoModel,
         kByUrgency},
        {"urgency_dice_race", "test_dice_race", 100, kForest, kPuct, 64, 0, false, true, 0, 0, kArrays, kNoModel,
         kByUrgency},
        {"urgency_tree", "connect_four", 12, kTree, kPuct, 1000, 32, true, true, 0, 0, kArrays, kNoModel, kByUrgency},
        {"urgency_guided_puct", "connect_four", 150, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kInt8,
         kByUrgency},
        {"urgency_guided_gumbel", "connect_four", 150, kForest, kGumbel, 32, 0, false, true, 0, 0, kArrays, kInt8,
         kByUrgency},
        {"urgency_guided_many", "connect_four", 6000, kForest, kPuct, 12, 0, false, true, 0, 0, kArrays, kInt8,
         kByUrgency},
        {"urgency_guided_tree", "connect_four", 8, kTree, kPuct, 500, 32, true, true, 0, 0, kArrays, kInt8, kByUrgency},
        {"turns_connect_four", "connect_four", 300, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kNoModel,
         kInTurns},
        {"turns_skirmish_crowd", "skirmish", 3000, kForest, kUct, 16, 0, false, true, 0, 0, kArrays, kNoModel,
         kInTurns},
        {"turns_tree", "connect_four", 40, kTree, kUct, 200, 16, true, true, 0, 0, kArrays, kNoModel, kInTurns},
        usual({"turns_usual_network", "connect_four", 300, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kNoModel,
               kInTurns}),
        {"turns_guided_skirmish", "skirmish", 150, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays, kInt8, kInTurns},
        carrying({"carry_connect_four_puct", "connect_four", 300, kForest, kPuct, 48}, kSubtree),
        carrying({"carry_connect_four_uct", "connect_four", 300, kForest, kUct, 48}, kSubtree),
        carrying({"carry_connect_four_counted", "connect_four", 200, kForest, kPuct, 60}, kSubtree, true),
        carrying({"carry_connect_four_whole_search", "connect_four", 60, kForest, kPuct, 100, 0, false, false},
                 kSubtree),
        carrying({"carry_connect_four_deep", "connect_four", 12, kForest, kPuct, 2000}, kSubtree),
        carrying({"carry_connect_four_full", "connect_four", 200, kForest, kPuct, 48, 0, false, true, 0, 60}, kSubtree),
        carrying({"carry_urgency", "connect_four", 200, kForest, kPuct, 64, 0, false, true, 0, 0, kArrays, kNoModel,
                  kByUrgency},
                 kSubtree, true),
        carrying(
            {"carry_turns", "connect_four", 200, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kNoModel, kInTurns},
            kSubtree),
        carrying({"carry_skirmish", "skirmish", 200, kForest, kPuct, 32}, kSubtree),
        carrying({"carry_skirmish_warm", "skirmish", 200, kForest, kPuct, 32}, kWarmStart),
        carrying({"carry_skirmish_warm_uct", "skirmish", 100, kForest, kUct, 40, 0, false, true, 0, 50}, kWarmStart),
        carrying({"carry_dice_race", "test_dice_race", 100, kForest, kPuct, 64}, kSubtree),
        carrying({"carry_dice_race_full", "test_dice_race", 100, kForest, kPuct, 64, 0, false, true, 0, 90},
                 kWarmStart),
        carrying({"carry_duel", "test_duel", 100, kForest, kUct, 80}, kSubtree),
        carrying({"carry_duel_full", "test_duel", 100, kForest, kPuct, 80, 0, false, true, 0, 110}, kWarmStart),
        carrying({"carry_nim", "test_nim", 100, kForest, kPuct, 60}, kSubtree),
        carrying({"carry_guided_puct", "connect_four", 150, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kInt8},
                 kSubtree),
        carrying({"carry_guided_uct", "connect_four", 70, kForest, kUct, 40, 0, false, true, 0, 0, kArrays, kInt8},
                 kSubtree, true),
        carrying({"carry_guided_full", "connect_four", 90, kForest, kPuct, 40, 0, false, true, 0, 55, kArrays, kInt8},
                 kSubtree),
        carrying(usual({"carry_usual_network", "connect_four", 150, kForest, kPuct, 48}), kSubtree),
        carrying(usual({"carry_usual_network_int8", "connect_four", 7000, kForest, kPuct, 16, 0, false, true, 0, 0,
                        kArrays, kInt8}),
                 kSubtree),
        carrying({"carry_guided_fp32", "connect_four", 90, kForest, kPuct, 40, 0, false, true, 0, 0, kArrays,
                  core::Precision::fp32},
                 kSubtree),
        carrying(
            {"carry_guided_skirmish_warm", "skirmish", 150, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays, kInt8},
            kWarmStart),
        learned({"learned_puct", "learned", 150, kForest, kPuct, 48}, kPlain),
        learned({"learned_uct", "learned", 70, kForest, kUct, 40}, kNoRewards),
        learned({"learned_gumbel", "learned", 150, kForest, kGumbel, 32}, kTwoPlayers),
        learned({"learned_whole_search", "learned", 60, kForest, kPuct, 100, 0, false, false}, kTwoPlayers),
        learned({"learned_one_simulation", "learned", 100, kForest, kPuct, 1}, kPlain),
        learned({"learned_short_horizon", "learned", 64, kForest, kGumbel, 40, 0, false, true, 3}, kPlain),
        learned({"learned_full", "learned", 64, kForest, kPuct, 64, 0, false, true, 0, 20}, kNoRewards),
        learned({"learned_breaks", "learned", 150, kForest, kPuct, 40}, kBreaks),
        learned({"learned_breaks_gumbel", "learned", 150, kForest, kGumbel, 32}, kBreaksJoined),
        learned({"learned_bytes", "learned", 129, kForest, kPuct, 32}, kBytes),
        learned({"learned_wide", "learned", 90, kForest, kGumbel, 48}, kWide),
        learned({"learned_widest", "learned", 40, kForest, kPuct, 130}, kWidest),
        learned({"learned_one_action", "learned", 20, kForest, kPuct, 16}, kOneAction),
        learned({"learned_many", "learned", 6000, kForest, kPuct, 12}, kBreaks),
        learned(
            {"learned_fp32", "learned", 90, kForest, kPuct, 40, 0, false, true, 0, 0, kArrays, core::Precision::fp32},
            kPlain),
        learned(
            {"learned_fp16", "learned", 90, kForest, kGumbel, 40, 0, false, true, 0, 0, kArrays, core::Precision::fp16},
            kTwoPlayers),
        learned({"learned_breaks_fp32", "learned", 90, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays,
                 core::Precision::fp32},
                kBreaks),
        learned(
            {"learned_urgency", "learned", 150, kForest, kPuct, 48, 0, false, true, 0, 0, kArrays, kInt8, kByUrgency},
            kBreaks),
        learned({"learned_urgency_many", "learned", 6000, kForest, kGumbel, 12, 0, false, true, 0, 0, kArrays, kInt8,
                 kByUrgency},
                kTwoPlayers),
        learned({"learned_turns", "learned", 150, kForest, kPuct, 24, 0, false, true, 0, 0, kArrays, kInt8, kInTurns},
                kBreaksJoined),
        learned({"learned_tree", "learned", 8, kTree, kPuct, 500, 32}, kTwoPlayers),
        learned({"learned_tree_breaks", "learned", 16, kTree, kPuct, 300, 24}, kBreaks),
        learned({"learned_tree_uct", "learned", 8, kTree, kUct, 300, 64}, kNoRewards),
        learned({"learned_tree_widest_wave", "learned", 8, kTree, kPuct, 600, 256}, kPlain),
        learned({"learned_tree_wide", "learned", 8, kTree, kPuct, 300, 48}, kWide),
        learned({"learned_tree_widest", "learned", 8, kTree, kUct, 400, 32}, kWidest),
        learned({"learned_tree_full", "learned", 8, kTree, kPuct, 300, 32, false, true, 0, 100}, kBreaksJoined),
        learned({"learned_tree_urgency", "learned", 8, kTree, kPuct, 300, 32, false, true, 0, 0, kArrays, kInt8,
                 kByUrgency},
                kPlain),
    };
    return cases;
}

std::uint32_t action_count_of(Machine& machine, const ParityCase& c) {
    return c.learned ? c.learned->actions : find_game(machine, c.game)->action_count;
}

const core::RulesInfo* find_game(Machine& machine, const char* name) {
    for (std::uint32_t i = 0;; ++i) {
        const core::RulesInfo* rules = machine.backend().game(i);
        if (rules == nullptr || std::strcmp(rules->name, name) == 0) return rules;
    }
}

std::vector<std::int32_t> words_of(const ParityCase& c) {
    const std::string game = c.game;
    if (game == "connect_four") return connect_four_words(c.agents, 99, 17);
    if (game == "skirmish") return skirmish_words(c.agents, 98);
    SplitMix64 random(97);
    const auto fill = [&](std::size_t word_count, const auto& word) {
        std::vector<std::int32_t> words(word_count * c.agents);
        for (std::uint32_t agent = 0; agent < c.agents; ++agent) {
            for (std::size_t w = 0; w < word_count; ++w)
                words[w * c.agents + agent] = word(w);
        }
        return words;
    };
    if (game == "test_nim") return fill(4, [&](std::size_t w) { return w < 3 ? random.below(6) : random.below(2); });
    if (game == "test_duel") return fill(2, [&](std::size_t w) { return w == 0 ? random.below(50) : 0; });
    if (game == "test_dice_race") {
        return fill(4, [&](std::size_t w) { return w < 2 ? random.below(6) : w == 2 ? random.below(2) : 20; });
    }
    if (game == "test_misere_tic_tac_toe")
        return fill(2, [&](std::size_t w) { return w == 0 ? 0 : 1 << random.below(9); });
    if (game == "test_hash_maze") return fill(2, [&](std::size_t) { return static_cast<std::int32_t>(random.next()); });
    if (game == "test_dead_end") return fill(1, [&](std::size_t) { return random.below(6); });
    return fill(1, [&](std::size_t) { return random.below(2); });
}

std::vector<FrameAnswer> run_case(Machine& machine, const ParityCase& c, std::string& error) {
    error.clear();
    std::unique_ptr<LearnedSetting> setting;  // outlives the engine
    if (c.learned) {
        setting = LearnedSetting::make(machine.backend(), c, error);
        if (setting == nullptr) return {};
    }
    const core::RulesInfo* rules = setting != nullptr ? &setting->rules() : find_game(machine, c.game);
    if (rules == nullptr) {
        error = std::string("no game ") + c.game;
        return {};
    }
    std::vector<std::int32_t> words;
    if (!c.learned) words = words_of(c);
    HostArrays arrays(c.learned ? core::RulesInfo{} : *rules, words, c.agents, c.layout);
    EngineDesc desc = engine_desc(*rules, c, machine.spec().execution);
    if (c.learned) desc.learned = &setting->game();
    std::unique_ptr<BackendBuffer> fields;
    std::unique_ptr<BackendBuffer> actions;
    std::unique_ptr<BackendBuffer> urgencies;
    std::vector<float> urgency = urgencies_of(c);
    augur_buffer_desc urgency_desc{};
    urgency_desc.kind = AUGUR_BUFFER_HOST;
    urgency_desc.access = AUGUR_ACCESS_READ;
    urgency_desc.pointer = urgency.data();
    urgency_desc.size_bytes = urgency.size() * sizeof(float);
    Guide guide;
    std::unique_ptr<Engine> engine;  // ends its frame before the guide goes
    const auto refused = [&error](augur_result result, const char* what) {
        if (result >= 0) return false;
        error = std::string(what) + ": " + error + " (" + std::to_string(result) + ")";
        return true;
    };
    const augur_buffer_desc fields_desc = setting != nullptr ? setting->desc() : arrays.fields_desc();
    if (refused(machine.backend().attach(fields_desc, &fields, error), "attach") ||
        refused(machine.backend().attach(arrays.actions_desc(), &actions, error), "attach") ||
        refused(machine.backend().attach(urgency_desc, &urgencies, error), "attach") ||
        refused(machine.backend().make_engine(desc, &engine, error), "make_engine")) {
        return {};
    }
    if (c.model && !c.learned && refused(guide.make(machine.backend(), *engine, *rules, c, error), "guide")) return {};
    const std::vector<Source> sources =
        setting != nullptr ? setting->sources(fields.get()) : arrays.sources(fields.get());
    std::vector<FrameAnswer> answers;
    struct Frame {
        std::uint64_t number;
        std::uint32_t agents;
        std::uint32_t simulations;
    };
    const std::uint32_t half = (c.agents + 1) / 2;
    const std::vector<Frame> plain = {{5, c.agents, c.simulations},
                                      {6, half, (c.simulations + 1) / 2},
                                      {std::uint64_t{1} << 40, c.agents, c.simulations}};
    const std::vector<Frame> carried = {{5, c.agents, c.simulations},
                                        {6, c.agents, c.simulations},
                                        {7, c.agents, (c.simulations + 1) / 2},
                                        {8, half, c.simulations},
                                        {9, c.agents, c.simulations}};
    const bool carries = c.carry_over != AUGUR_CARRY_OVER_NONE;
    for (const Frame& frame : carries ? carried : plain) {
        if (carries && frame.number > 5) {
            play_words(c.game, words, answers.back().actions, frame.number);
            arrays.set_words(*rules, words);
        }
        if (frame.number == 9 && refused(engine->reset_trees(half / 2, half / 4), "reset_trees")) return {};
        for (std::int32_t& action : arrays.actions())
            action = -77;
        FrameWork work = frame_work(sources, actions.get(), frame.number, frame.agents, frame.simulations);
        work.seat = guide.seat.get();
        if (c.budget) {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            work.request_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
            work.deadline_ns = work.request_ns + 3'600'000'000'000;
        }
        if (c.divided != Divided::kEqually) divide(work, c, urgencies.get());
        if (refused(engine->submit(work), "submit") || refused(engine->wait(UINT64_MAX), "wait")) return {};
        answers.push_back(read_answer(*engine, arrays, frame.agents, rules->action_count, error));
        if (!error.empty()) return {};
    }
    return answers;
}

}  // namespace augur::test
