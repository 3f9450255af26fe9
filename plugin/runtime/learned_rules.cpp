#include "runtime/learned_rules.h"

#include <cmath>
#include <cstring>

#include "core/latent_game.h"
#include "runtime/checksum.h"
#include "runtime/loaded_network.h"
#include "runtime/message.h"
#include "runtime/network_port.h"

namespace augur {

namespace {

constexpr std::uint64_t kMostNumbers = 65536;  // of an observation, and of a state
constexpr std::uint32_t kMostDepth = 4096;
constexpr std::size_t kLongestName = 63;

// Names of actions live as long as the library.
const char* const* action_names() {
    struct Names {
        char text[core::kMostLatentActions][12];
        const char* all[core::kMostLatentActions];
        Names() : text{} {
            for (std::uint32_t a = 0; a < core::kMostLatentActions; ++a) {
                std::snprintf(text[a], sizeof text[a], "action %u", a);
                all[a] = text[a];
            }
        }
    };
    static const auto& names = *new Names;
    return names.all;
}

augur_result check(const augur_learned_rules_desc& desc, const LearnedModels& models) {
    if (desc.name != nullptr) {
        const std::size_t length = strnlen(desc.name, kLongestName + 1);
        if (length == 0 || length > kLongestName)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "name has %s bytes, allowed 1..%zu",
                        length == 0 ? "0" : "64 or more", kLongestName);
    }
    const struct {
        const char* field;
        const Model* model;
    } given[] = {
        {"representation", models.representation}, {"dynamics", models.dynamics}, {"prediction", models.prediction}};
    for (const auto& [field, model] : given)
        if (model == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "%s is the zero id, it is required", field);
    if (desc.player_count < 1 || desc.player_count > 2)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "player_count is %u, allowed 1..2", desc.player_count);
    if (desc.max_depth < 1 || desc.max_depth > kMostDepth)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "max_depth is %u, allowed 1..%u", desc.max_depth, kMostDepth);
    if (!(desc.discount >= 0.0f && desc.discount <= 1.0f))  // written so that a NaN fails
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "discount is %g, allowed 0..1", static_cast<double>(desc.discount));
    if (!std::isfinite(desc.observation_scale) || !std::isfinite(desc.observation_shift))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT,
                    "observation_scale is %g and observation_shift is %g, they must be finite",
                    static_cast<double>(desc.observation_scale), static_cast<double>(desc.observation_shift));
    if (desc.reserved != 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "reserved is %u, must be 0", desc.reserved);
    return AUGUR_OK;
}

// `"state" is [batch, 42]`, for messages.
std::string text_of(const model::Port& port) {
    return quoted(port.name.c_str()) + " is " + shape_text(port);
}

augur_result check_counts(const char* role, const model::Network& network, std::size_t most_inputs,
                          std::size_t most_outputs) {
    if (network.inputs.size() > most_inputs)
        return fail(AUGUR_ERROR_INVALID_MODEL, "the %s has %zu inputs, allowed 1..%zu", role, network.inputs.size(),
                    most_inputs);
    if (network.outputs.size() > most_outputs)
        return fail(AUGUR_ERROR_INVALID_MODEL, "the %s has %zu outputs, allowed 1..%zu", role, network.outputs.size(),
                    most_outputs);
    return AUGUR_OK;
}

augur_result check_numbers(const char* what, const model::Port& port, std::uint64_t most) {
    if (port.count <= most) return AUGUR_OK;
    return fail(AUGUR_ERROR_LIMIT, "%s %s, which is %llu numbers, allowed 1..%llu", what, text_of(port).c_str(),
                static_cast<unsigned long long>(port.count), static_cast<unsigned long long>(most));
}

// That a tensor of one network has as many numbers a row as one of another.
augur_result check_equal(const char* what, const model::Port& port, const char* other_what, const model::Port& other) {
    if (port.count == other.count) return AUGUR_OK;
    return fail(AUGUR_ERROR_INVALID_MODEL, "%s %s, %s %s: they must have the same number of elements", what,
                text_of(port).c_str(), other_what, text_of(other).c_str());
}

// That a value or reward has the numbers that its kind needs.
augur_result check_kind(const char* what, const model::Port& port, const LoadedNetwork& loaded) {
    const std::uint32_t wanted = core::value_outputs(loaded.value_kind);
    if (port.count == wanted) return AUGUR_OK;
    return fail(AUGUR_ERROR_INVALID_MODEL, "%s %s, and value_kind %u needs %u numbers", what, text_of(port).c_str(),
                static_cast<std::uint32_t>(loaded.value_kind), wanted);
}

augur_result check_prediction(const LearnedRules& rules, const model::Port& state) {
    const model::Network& network = rules.prediction->network();
    if (const augur_result result = check_counts("prediction", network, 1, core::kNetworkOutputs); result != AUGUR_OK)
        return result;
    augur_result result =
        check_equal("the input of the prediction", network.inputs[0], "the state of the representation", state);
    if (result != AUGUR_OK) return result;
    const model::Port* const policy = head_of(network, core::NetworkHead::policy);
    const model::Port* const value = head_of(network, core::NetworkHead::value);
    for (const auto& [head, name] : {std::pair(policy, "policy"), std::pair(value, "value")}) {
        if (head != nullptr) continue;
        std::string known;
        for (const model::Port& port : network.outputs)
            known += (known.empty() ? "" : ", ") + text_of(port);
        return fail(AUGUR_ERROR_INVALID_MODEL, "the prediction has no %s output; its outputs: %s", name, known.c_str());
    }
    if (result = check_numbers("the policy of the prediction", *policy, core::kMostLatentActions); result != AUGUR_OK)
        return result;
    return check_kind("the value of the prediction", *value, *rules.prediction);
}

// Which output of dynamics is the state and which the reward, and that both have the right shape.
augur_result check_dynamics(LearnedRules& rules, const model::Port& state, const model::Port& policy) {
    const model::Network& network = rules.dynamics->network();
    augur_result result = check_counts("dynamics", network, 2, 2);
    if (result != AUGUR_OK) return result;
    const auto& inputs = network.inputs;
    const char* const kState = "the state of the representation";
    const char* const kPolicy = "the policy of the prediction";
    if (inputs.size() == 2) {
        if (result = check_equal("the first input of the dynamics", inputs[0], kState, state); result != AUGUR_OK)
            return result;
        if (result = check_equal("the second input of the dynamics", inputs[1], kPolicy, policy); result != AUGUR_OK)
            return result;
    } else if (inputs[0].count != state.count + policy.count) {
        return fail(
            AUGUR_ERROR_INVALID_MODEL,
            "the input of the dynamics %s; it must take %s %s and behind it an action, as many numbers as %s %s",
            text_of(inputs[0]).c_str(), kState, text_of(state).c_str(), kPolicy, text_of(policy).c_str());
    }
    std::uint32_t reward = network.heads[static_cast<std::uint32_t>(core::NetworkHead::reward)];
    if (network.outputs.size() == 1)
        reward = core::kNoHead;
    else if (reward == core::kNoHead)
        reward = 1;
    rules.on_cpu.reward_output = reward;
    rules.on_cpu.state_output = reward == 0 ? 1 : 0;
    result = check_equal("the next state of the dynamics", network.outputs[rules.on_cpu.state_output], kState, state);
    if (result != AUGUR_OK || reward == core::kNoHead) return result;
    return check_kind("the reward of the dynamics", network.outputs[reward], *rules.dynamics);
}

void fill_info(const augur_learned_rules_desc& desc, LearnedRules& rules) {
    const LearnedGame& game = rules.on_cpu;
    std::copy_n(core::LatentGame<4>::kFields, 2, rules.fields);
    rules.fields[0].components = game.observation_count;
    core::RulesInfo& info = rules.info;
    info.name = rules.name.c_str();
    info.action_names = action_names();
    info.fields = rules.fields;
    info.field_count = 2;
    info.word_count = rules.fields[1].words();
    info.action_count = game.action_count;
    info.player_count = game.player_count;
    info.turn = game.player_count == 2 ? kit::Turn::alternating : kit::Turn::single;
    info.state_bytes = static_cast<std::uint32_t>(game.state_count * sizeof(float));
    info.max_depth = desc.max_depth;
    info.default_horizon = desc.max_depth;
    info.default_discount = static_cast<std::int32_t>(std::lround(desc.discount * 65536.0f));
    info.default_puct = core::LatentGame<4>::kPuct;
    info.default_uct = core::LatentGame<4>::kUct;
    info.default_guided_puct = core::LatentGame<4>::kPuct;
    info.learned = true;
}

// The same game of the networks on the GPU, where all of them are there.
void bring_to_gpu(LearnedRules& rules) {
    rules.on_gpu = rules.on_cpu;
    rules.on_gpu.representation = rules.representation->use(AUGUR_BACKEND_CUDA);
    rules.on_gpu.dynamics = rules.dynamics->use(AUGUR_BACKEND_CUDA);
    rules.on_gpu.prediction = rules.prediction->use(AUGUR_BACKEND_CUDA);
    rules.runs_on_gpu = rules.on_gpu.representation.network != nullptr && rules.on_gpu.dynamics.network != nullptr &&
                        rules.on_gpu.prediction.network != nullptr;
}

std::uint64_t identity_of(const LearnedRules& rules) {
    const std::uint64_t networks[] = {rules.representation->identity, rules.dynamics->identity,
                                      rules.prediction->identity};
    const std::uint32_t choices[] = {rules.on_cpu.player_count, rules.on_cpu.state_output, rules.on_cpu.reward_output,
                                     0};
    const float scales[] = {rules.on_cpu.observation_scale, rules.on_cpu.observation_shift};
    std::uint64_t sum = checksum(networks, sizeof networks);
    sum = checksum(choices, sizeof choices, sum);
    sum = checksum(scales, sizeof scales, sum);
    return sum != 0 ? sum : 1;
}

}  // namespace

augur_result make_learned_rules(const augur_learned_rules_desc& desc, const LearnedModels& models,
                                std::shared_ptr<const LearnedRules>* out) {
    if (const augur_result result = check(desc, models); result != AUGUR_OK) return result;
    const auto rules = std::make_shared<LearnedRules>();
    rules->name = desc.name != nullptr ? desc.name : "learned";
    rules->representation = models.representation->network();
    rules->dynamics = models.dynamics->network();
    rules->prediction = models.prediction->network();

    const model::Network& representation = rules->representation->network();
    augur_result result = check_counts("representation", representation, 1, 1);
    if (result != AUGUR_OK) return result;
    const model::Port& observation = representation.inputs[0];
    const model::Port& state = representation.outputs[0];
    result = check_numbers("the input of the representation", observation, kMostNumbers);
    if (result != AUGUR_OK) return result;
    result = check_numbers("the state of the representation", state, kMostNumbers);
    if (result != AUGUR_OK) return result;
    if (result = check_prediction(*rules, state); result != AUGUR_OK) return result;
    const model::Port& policy = *head_of(rules->prediction->network(), core::NetworkHead::policy);
    if (result = check_dynamics(*rules, state, policy); result != AUGUR_OK) return result;

    LearnedGame& game = rules->on_cpu;
    game.representation = rules->representation->use();
    game.dynamics = rules->dynamics->use();
    game.prediction = rules->prediction->use();
    game.observation_count = static_cast<std::uint32_t>(observation.count);
    game.state_count = static_cast<std::uint32_t>(state.count);
    game.action_count = static_cast<std::uint32_t>(policy.count);
    game.player_count = desc.player_count;
    game.observation_scale = desc.observation_scale;
    game.observation_shift = desc.observation_shift;
    bring_to_gpu(*rules);
    fill_info(desc, *rules);
    rules->identity = identity_of(*rules);
    *out = rules;
    return AUGUR_OK;
}

}  // namespace augur
