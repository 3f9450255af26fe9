#include "session.h"

#include <algorithm>
#include <stdexcept>

#include "bindings.h"

namespace augur::bench {
namespace {

constexpr std::uint64_t kSceneSeed = 20261130;

const char* rules_name(Game game) {
    return game == Game::connect_four ? "connect_four" : "skirmish";
}

sdk::Model load_model(const Case& c, const Machine& machine, const std::string& name) {
    const std::string path = std::string(AUGUR_SOURCE_DIR) + "/assets/models/" + name + ".onnx";
    augur_model_desc desc = augur_model_desc_default();
    desc.path = path.c_str();
    desc.precision = static_cast<std::uint32_t>(c.model);
    // What is measured is the time of that precision, whatever it loses; rewards of balance are all but a step.
    desc.precision_limit = c.game == Game::balance ? 0.5f : 0.2f;
    sdk::Model model = sdk::unwrap(machine.context.make_model(desc));
    if (sdk::unwrap(model.info()).precision != desc.precision)
        throw std::runtime_error("the model runs in another precision");
    return model;
}

// The rules keep what they need of the models.
sdk::Rules learn_balance(const Case& c, const Machine& machine) {
    const sdk::Model representation = load_model(c, machine, "balance_representation");
    const sdk::Model dynamics = load_model(c, machine, "balance_dynamics");
    const sdk::Model prediction = load_model(c, machine, "balance_prediction");
    augur_learned_rules_desc desc = augur_learned_rules_desc_default();
    desc.name = "balance";
    desc.representation = representation.id();
    desc.dynamics = dynamics.id();
    desc.prediction = prediction.id();
    desc.discount = 0.97f;
    return sdk::unwrap(machine.context.learned_rules(desc));
}

}  // namespace

const Machine& Machines::get(const MachineWish& wish) {
    std::unique_ptr<Machine>& machine = machines_[wish];
    if (!machine) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = static_cast<std::uint32_t>(wish.backend);
        desc.cuda_device = wish.cuda_device;
        desc.gpu_sharing = static_cast<std::uint32_t>(wish.sharing);
        if (wish.workers > 0) desc.worker_threads = wish.workers;
        if (wish.lent_context) desc.cuda_context = first_device_context();
        auto made = std::make_unique<Machine>();
        made->context = sdk::unwrap(sdk::Context::create(desc));
        made->capabilities = sdk::unwrap(made->context.capabilities());
        machine = std::move(made);
    }
    return *machine;
}

const Machine& machine_for(const Case& c, augur_backend backend, Machines& machines) {
    return machines.get({.backend = backend,
                         .workers = c.workers,
                         .cuda_device = c.device_memory ? 0 : -1,
                         .lent_context = c.lent_context && backend == AUGUR_BACKEND_CUDA,
                         .sharing = c.sharing});
}

std::unique_ptr<Knowledge> load_knowledge(const Case& c, const Machine& machine) {
    auto knowledge = std::make_unique<Knowledge>();
    if (c.game == Game::balance) {
        knowledge->rules = learn_balance(c, machine);
        return knowledge;
    }
    knowledge->rules = sdk::unwrap(machine.context.rules(rules_name(c.game)));
    if (c.model != AUGUR_PRECISION_AUTO) knowledge->model = load_model(c, machine, rules_name(c.game));
    return knowledge;
}

augur_planner_desc planner_desc(const Case& c, const Knowledge& knowledge) {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.rules = knowledge.rules.id();
    desc.agent_capacity = c.agents;
    desc.simulations = c.simulations;
    desc.horizon = c.horizon;
    desc.search = static_cast<std::uint32_t>(c.search);
    desc.execution = static_cast<std::uint32_t>(c.execution);
    desc.early_stop = c.early_stop ? 1 : 0;
    desc.budget_us = c.budget_us;
    desc.carry_over = static_cast<std::uint32_t>(c.carry_over);
    desc.model = knowledge.model.id();
    if (c.everything) {
        const augur_profile profile = profile_of(c);
        sdk::unwrap(sdk::Status(augur_profile_apply(&profile, &desc)));
    }
    return desc;
}

augur_profile profile_of(const Case& c) {
    augur_profile profile = augur_profile_default();
    profile.budget_us = c.budget_us;
    profile.simulations = c.simulations;
    profile.horizon = c.horizon;
    profile.early_stop = c.early_stop ? 1 : 0;
    profile.adaptive = 1;
    profile.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    profile.priority = 2.0f;
    profile.phase_weight = 1.5f;
    profile.depth_weight = 0.5f;
    return profile;
}

Session::Session(const Case& c, const Machine& machine, const Knowledge& knowledge)
    : actions_(c.agents, AUGUR_ACTION_NONE) {
    planner_ = sdk::unwrap(machine.context.make_planner(planner_desc(c, knowledge)));
    if (c.game == Game::connect_four) {
        boards_ = c.empty_boards ? std::vector<Board>(c.agents) : random_boards(c.agents, kSceneSeed);
        fields_buffer_ =
            share(machine, boards_.data(), boards_.size() * sizeof(Board), AUGUR_ACCESS_READ, c.device_memory);
        bind_boards(planner_, fields_buffer_);
    } else if (c.game == Game::balance) {
        poles_ = random_poles(c.agents, kSceneSeed);
        fields_buffer_ =
            share(machine, poles_.data(), poles_.size() * sizeof(Pole), AUGUR_ACCESS_READ, c.device_memory);
        sdk::unwrap(planner_.bind<float>("observation", fields_buffer_, 0, sizeof(Pole)));
    } else {
        units_ = random_battle(c.agents, kSceneSeed);
        fields_buffer_ =
            share(machine, units_.data(), units_.size() * sizeof(Unit), AUGUR_ACCESS_READ, c.device_memory);
        bind_units(planner_, fields_buffer_);
    }
    actions_buffer_ =
        share(machine, actions_.data(), actions_.size() * sizeof(std::int32_t), AUGUR_ACCESS_WRITE, c.device_memory);
    sdk::unwrap(planner_.bind_actions<std::int32_t>(actions_buffer_));
    if (!c.everything) return;
    for (std::uint32_t i = 0; i < c.agents; ++i)
        urgencies_.push_back(1.0f + static_cast<float>(i % 7));
    urgencies_buffer_ = share(machine, urgencies_.data(), urgencies_.size() * sizeof(float), AUGUR_ACCESS_READ, false);
    sdk::unwrap(planner_.bind_urgency<float>(urgencies_buffer_));
}

void Session::go_on(World world) {
    ++frame_;
    switch (world) {
        case World::played:
            for (std::size_t i = 0; i < boards_.size(); ++i)
                play_on(boards_[i], actions_[i], static_cast<std::uint32_t>(frame_ + i));
            break;
        case World::replaced:
            std::rotate(boards_.begin(), boards_.begin() + 1, boards_.end());
            std::rotate(units_.begin(), units_.begin() + (units_.empty() ? 0 : 1), units_.end());
            break;
        case World::moving:
            for (Unit& unit : units_)
                unit.position[0] += frame_ % 2 == 0 ? 0.02f : -0.02f;
            break;
        default:
            break;
    }
}

sdk::Buffer Session::share(const Machine& machine, void* pointer, std::size_t size_bytes, augur_access access,
                           bool in_device_memory) {
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.access = static_cast<std::uint32_t>(access);
    desc.pointer = pointer;
    desc.size_bytes = size_bytes;
    if (in_device_memory) {
        device_arrays_.push_back(std::make_unique<DeviceMemory>(pointer, size_bytes));
        desc.kind = AUGUR_BUFFER_CUDA;
        desc.pointer = device_arrays_.back()->pointer();
    }
    return sdk::unwrap(machine.context.register_buffer(desc));
}

}  // namespace augur::bench
