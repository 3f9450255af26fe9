// The rules of a game, as one context knows them.
#ifndef AUGUR_RUNTIME_RULES_H
#define AUGUR_RUNTIME_RULES_H

#include <augur/rules.h>

#include "backend/backend.h"
#include "runtime/handles.h"

namespace augur {

class Context;

class Rules final : public Object {
  public:
    static constexpr Kind kKind = Kind::rules;

    Rules(Context& context, const core::RulesInfo* on_cpu, const core::RulesInfo* on_gpu)
        : context_(context), on_cpu_(on_cpu), on_gpu_(on_gpu) {}

    Context& context() const { return context_; }
    const core::RulesInfo* info() const { return on_cpu_; }
    // As the given backend knows them; null where it cannot play this game.
    const core::RulesInfo* on(augur_backend backend) const { return backend == AUGUR_BACKEND_CUDA ? on_gpu_ : on_cpu_; }
    std::uint64_t id() const { return id_; }
    void set_id(std::uint64_t id) { id_ = id; }

    augur_rules_info describe() const;
    augur_result field(std::uint32_t index, augur_field_info* out) const;
    augur_result action_name(std::uint32_t action, const char** out) const;

  private:
    Context& context_;
    const core::RulesInfo* on_cpu_;
    const core::RulesInfo* on_gpu_;
    std::uint64_t id_ = 0;
};

// A game of a backend by its name, or null.
const core::RulesInfo* find_game(const Backend& backend, const char* name);

}  // namespace augur

#endif  // AUGUR_RUNTIME_RULES_H
