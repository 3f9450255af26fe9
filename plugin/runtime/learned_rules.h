// Rules that three networks stand for.
#ifndef AUGUR_RUNTIME_LEARNED_RULES_H
#define AUGUR_RUNTIME_LEARNED_RULES_H

#include <augur/rules.h>

#include <memory>
#include <string>

#include "backend/backend.h"
#include "runtime/model.h"

namespace augur {

struct LoadedNetwork;

// Kept by the rules and by every planner on them, whatever becomes of the models and of the rules' id. Points into
// itself, so it stays where it is.
struct LearnedRules {
    std::string name;
    kit::FieldInfo fields[2]{};
    core::RulesInfo info{};
    LearnedGame on_cpu{}, on_gpu{};
    bool runs_on_gpu = false;    // all three networks are there too
    std::uint64_t identity = 0;  // of everything that the answers depend on; never 0
    std::shared_ptr<const LoadedNetwork> representation, dynamics, prediction;

    // Null: not on that backend.
    const LearnedGame* on(augur_backend backend) const {
        return backend != AUGUR_BACKEND_CUDA ? &on_cpu : runs_on_gpu ? &on_gpu : nullptr;
    }

    LearnedRules() = default;
    LearnedRules(const LearnedRules&) = delete;
    LearnedRules& operator=(const LearnedRules&) = delete;
};

// The models of a learned desc; null where the id is zero.
struct LearnedModels {
    const Model* representation;
    const Model* dynamics;
    const Model* prediction;
};

// Checks that the models fit together and to the desc.
augur_result make_learned_rules(const augur_learned_rules_desc& desc, const LearnedModels& models,
                                std::shared_ptr<const LearnedRules>* out);

}  // namespace augur

#endif  // AUGUR_RUNTIME_LEARNED_RULES_H
