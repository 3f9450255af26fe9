// The rules of a game, as one context knows them.
#ifndef AUGUR_RUNTIME_RULES_H
#define AUGUR_RUNTIME_RULES_H

#include <augur/rules.h>

#include <memory>

#include "backend/backend.h"
#include "runtime/handles.h"

namespace augur {

class Context;
struct LearnedRules;

class Rules final : public Object {
  public:
    static constexpr Kind kKind = Kind::rules;

    Rules(Context& context, const core::RulesInfo* on_cpu, const core::RulesInfo* on_gpu)
        : context_(context), on_cpu_(on_cpu), on_gpu_(on_gpu) {}
    // Of networks.
    Rules(Context& context, std::shared_ptr<const LearnedRules> learned);

    Context& context() const { return context_; }
    const core::RulesInfo* info() const { return on_cpu_; }
    // As the given backend knows them; null where it cannot play this game.
    const core::RulesInfo* on(augur_backend backend) const { return backend == AUGUR_BACKEND_CUDA ? on_gpu_ : on_cpu_; }
    // Null where the rules are compiled. Planners keep it.
    const std::shared_ptr<const LearnedRules>& learned() const { return learned_; }
    std::uint64_t id() const { return id_; }
    void set_id(std::uint64_t id) { id_ = id; }

    augur_rules_info describe() const;
    augur_result field(std::uint32_t index, augur_field_info* out) const;
    augur_result action_name(std::uint32_t action, const char** out) const;

  private:
    Context& context_;
    std::shared_ptr<const LearnedRules> learned_;
    const core::RulesInfo* on_cpu_;
    const core::RulesInfo* on_gpu_;
    std::uint64_t id_ = 0;
};

// Destroys learned rules that the caller has alone; compiled ones stay.
augur_result destroy_rules(Use<Rules>& rules);

// A game of a backend by its name, or null.
const core::RulesInfo* find_game(const Backend& backend, const char* name);

}  // namespace augur

#endif  // AUGUR_RUNTIME_RULES_H
