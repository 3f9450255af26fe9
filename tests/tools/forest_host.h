// A host of many agents: an array of the game's own structs, planned by one forest planner on the CPU.

#ifndef AUGUR_TESTS_TOOLS_FOREST_HOST_H
#define AUGUR_TESTS_TOOLS_FOREST_HOST_H

#include <augur/augur.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace augur::test {

// Agent is one agent's numbers, as the host keeps them. Everything that fails throws augur::sdk::Error.
template <class Agent>
class ForestHost {
  public:
    // desc: how to search; rules, capacity and model are filled in here. model: an ONNX file, or empty for rollouts.
    ForestHost(const char* game, augur_planner_desc desc, std::uint32_t agent_count, const std::string& model = {})
        : agents(agent_count), actions_(agent_count), results_(agent_count) {
        using namespace augur::sdk;
        augur_context_desc context = augur_context_desc_default();
        context.backend = AUGUR_BACKEND_CPU;
        context_ = unwrap(Context::create(context));
        desc.rules = unwrap(context_.rules(game)).id();
        desc.agent_capacity = agent_count;
        if (!model.empty()) {
            model_ = unwrap(context_.load_model(model.c_str()));
            desc.model = model_.id();
        }
        planner_ = unwrap(context_.make_planner(desc));
        fields_ = unwrap(context_.register_memory(std::span<Agent>(agents), AUGUR_ACCESS_READ));
        action_buffer_ = unwrap(context_.register_memory(std::span<std::int32_t>(actions_), AUGUR_ACCESS_WRITE));
        unwrap(planner_.template bind_actions<std::int32_t>(action_buffer_));
    }

    // Number is the type of one number of the field.
    template <class Number>
    void bind(const char* field, std::size_t offset_bytes) {
        augur::sdk::unwrap(planner_.template bind<Number>(field, fields_, offset_bytes, sizeof(Agent)));
    }

    // For adaptive planners: one number per agent, which stay the caller's.
    void bind_urgency(std::span<float> urgency) {
        using namespace augur::sdk;
        urgency_buffer_ = unwrap(context_.register_memory(urgency, AUGUR_ACCESS_READ));
        unwrap(planner_.template bind_urgency<float>(urgency_buffer_));
    }

    // Searches for all agents, or the first `count`; the answer is valid until the next call.
    const std::vector<augur_agent_result>& plan() { return plan(static_cast<std::uint32_t>(agents.size())); }
    const std::vector<augur_agent_result>& plan(std::uint32_t count) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = count;
        return plan(frame);
    }
    const std::vector<augur_agent_result>& plan(const augur_frame_desc& frame) {
        augur::sdk::unwrap(planner_.request(frame));
        simulations_ += augur::sdk::unwrap(planner_.collect()).simulations;
        augur::sdk::unwrap(planner_.results(0, std::span(results_).first(frame.agent_count)));
        return results_;
    }
    // Done in all calls of plan.
    std::uint64_t simulations() const { return simulations_; }
    augur::sdk::Planner& planner() { return planner_; }

    std::vector<Agent> agents;

  private:
    // In this order, so that what was made last goes first.
    std::vector<std::int32_t> actions_;
    std::vector<augur_agent_result> results_;
    std::uint64_t simulations_ = 0;
    augur::sdk::Context context_;
    augur::sdk::Model model_;
    augur::sdk::Buffer fields_, action_buffer_, urgency_buffer_;
    augur::sdk::Planner planner_;
};

}  // namespace augur::test

#endif
