#include "app/thoughts.h"

namespace augur::demo {
namespace {

constexpr std::size_t kLongestLine = 24;

/// The child of `parent` with the most visits, the lowest action on a tie; with `action` >= 0 only that child. 0: none.
std::uint32_t best_child(const std::vector<augur_tree_node>& tree, std::uint32_t parent, std::int32_t action) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
        const augur_tree_node& node = tree[i];
        if (node.parent != parent || (action >= 0 && node.action != action)) continue;
        const bool better = best == 0 || node.visits > tree[best].visits ||
                            (node.visits == tree[best].visits && node.action < tree[best].action);
        if (better) best = i;
    }
    return best;
}

void read_advice(PlannerSession& session, std::uint32_t agent, Thoughts& thoughts) {
    float value = 0.0f;
    if (!session.has_model() || !session.advice(agent, thoughts.priors, value)) {
        thoughts.priors.clear();
        return;
    }
    // Without a head of its own a policy is uniform, which nobody needs to see.
    if (session.model().policy_output == AUGUR_MODEL_NO_OUTPUT) thoughts.priors.clear();
    if (session.model().value_output != AUGUR_MODEL_NO_OUTPUT) thoughts.model_value = value;
}

}  // namespace

void read_thoughts(PlannerSession& session, std::uint32_t agent, Thoughts& thoughts) {
    thoughts.agent = agent;
    thoughts.best_line.clear();
    thoughts.priors.clear();
    thoughts.model_value.reset();
    thoughts.reward.clear();
    const bool read = session.result_of(agent, thoughts.result) &&
                      session.root(agent, thoughts.visits, thoughts.values) && session.tree(agent, thoughts.tree);
    const std::uint32_t unsearched =
        AUGUR_AGENT_NO_ACTION | AUGUR_AGENT_BAD_STATE | AUGUR_AGENT_FALLBACK | AUGUR_AGENT_ABSENT;
    thoughts.valid = read && thoughts.result.action >= 0 && (thoughts.result.flags & unsearched) == 0;
    if (!thoughts.valid) {
        thoughts.tree.clear();
        return;
    }
    read_advice(session, agent, thoughts);
    std::uint32_t node = 0;
    std::int32_t action = thoughts.result.action;
    while (thoughts.best_line.size() < kLongestLine) {
        node = best_child(thoughts.tree, node, action);
        if (node == 0 || thoughts.tree[node].visits == 0) break;
        thoughts.best_line.push_back(node);
        action = -1;
    }
}

}  // namespace augur::demo
