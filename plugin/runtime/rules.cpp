#include "runtime/rules.h"

#include <cstdio>
#include <cstring>

#include "runtime/context.h"
#include "runtime/learned_rules.h"
#include "runtime/message.h"

namespace augur {

Rules::Rules(Context& context, std::shared_ptr<const LearnedRules> learned)
    : context_(context),
      learned_(std::move(learned)),
      on_cpu_(&learned_->info),
      on_gpu_(learned_->runs_on_gpu ? &learned_->info : nullptr) {}

augur_rules_info Rules::describe() const {
    augur_rules_info out{};
    out.action_count = on_cpu_->action_count;
    out.player_count = on_cpu_->player_count;
    out.turn = static_cast<std::uint32_t>(on_cpu_->turn);
    out.has_chance = on_cpu_->has_chance ? 1 : 0;
    out.state_bytes = on_cpu_->state_bytes;
    out.field_count = on_cpu_->field_count;
    out.max_depth = on_cpu_->max_depth;
    out.feature_count = on_cpu_->feature_count;
    std::snprintf(out.name, sizeof out.name, "%s", on_cpu_->name);
    return out;
}

augur_result Rules::field(std::uint32_t index, augur_field_info* out) const {
    if (index >= on_cpu_->field_count)
        return fail(AUGUR_ERROR_LIMIT, "index is %u, %s has %u fields", index, on_cpu_->name, on_cpu_->field_count);
    const kit::FieldInfo& field = on_cpu_->fields[index];
    *out = {};
    out->kind = static_cast<std::uint32_t>(field.kind);
    out->component_count = field.components;
    out->scale = field.scale;
    out->minimum = field.minimum;
    out->maximum = field.maximum;
    out->optional = field.optional ? 1 : 0;
    out->default_value = field.default_value;
    std::snprintf(out->name, sizeof out->name, "%s", field.name);
    std::snprintf(out->text, sizeof out->text, "%s", field.text);
    return AUGUR_OK;
}

augur_result Rules::action_name(std::uint32_t action, const char** out) const {
    if (action >= on_cpu_->action_count)
        return fail(AUGUR_ERROR_LIMIT, "action is %u, %s has %u actions", action, on_cpu_->name, on_cpu_->action_count);
    *out = on_cpu_->action_names[action];
    return AUGUR_OK;
}

augur_result destroy_rules(Use<Rules>& rules) {
    if (rules->learned() == nullptr) return AUGUR_OK;
    Use<Context> context;
    if (const augur_result result = context.acquire(rules->context().id()); result != AUGUR_OK) return result;
    const std::uint64_t id = rules.id();
    delete rules.take_down();
    context->remove_child(id);
    return AUGUR_OK;
}

const core::RulesInfo* find_game(const Backend& backend, const char* name) {
    for (std::uint32_t i = 0; backend.game(i) != nullptr; ++i) {
        if (std::strncmp(backend.game(i)->name, name, 64) == 0) return backend.game(i);
    }
    return nullptr;
}

}  // namespace augur
