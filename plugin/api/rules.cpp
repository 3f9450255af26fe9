#include <augur/rules.h>

#include "api/barrier.h"
#include "api/find_model.h"
#include "runtime/desc.h"
#include "runtime/learned_rules.h"
#include "runtime/rules.h"

using namespace augur;

namespace {

augur_result learn(Context& context, const augur_learned_rules_desc& desc, augur_rules_id* out_rules) {
    // The models are kept for the length of the call.
    Use<Model> representation, dynamics, prediction;
    augur_result result = api::find_model(desc.representation, context, &representation);
    if (result == AUGUR_OK) result = api::find_model(desc.dynamics, context, &dynamics);
    if (result == AUGUR_OK) result = api::find_model(desc.prediction, context, &prediction);
    if (result != AUGUR_OK) return result;
    std::shared_ptr<const LearnedRules> made;
    result = make_learned_rules(desc, {representation.get(), dynamics.get(), prediction.get()}, &made);
    if (result != AUGUR_OK) return result;
    const std::uint64_t id = context.adopt(Kind::rules, std::make_unique<Rules>(context, std::move(made)));
    if (id == 0) return AUGUR_ERROR_LIMIT;
    out_rules->value = id;
    return AUGUR_OK;
}

}  // namespace

AUGUR_API void AUGUR_CALL augur_learned_rules_desc_init_sized(augur_learned_rules_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_rules_builtin(augur_context_id context, const char* name,
                                                      augur_rules_id* out_rules) {
    return api::with<Context>("augur_rules_builtin", context.value, api::Access::any_thread, [&](Use<Context>& use) {
        if (out_rules == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_rules is null");
        return use->find_rules(name, &out_rules->value);
    });
}

AUGUR_API augur_result AUGUR_CALL augur_rules_learned(augur_context_id context, const augur_learned_rules_desc* desc,
                                                      augur_rules_id* out_rules) {
    return api::with<Context>("augur_rules_learned", context.value, api::Access::any_thread, [&](Use<Context>& use) {
        augur_learned_rules_desc taken;
        const augur_result result = take_desc(desc, &taken);
        if (result != AUGUR_OK) return result;
        if (out_rules == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_rules is null");
        return learn(*use, taken, out_rules);
    });
}

AUGUR_API augur_result AUGUR_CALL augur_rules_destroy(augur_rules_id rules) {
    if (rules.value == 0) return AUGUR_OK;
    return api::with<Rules>("augur_rules_destroy", rules.value, api::Access::one_per_object, destroy_rules,
                            api::Waits::yes);
}

AUGUR_API augur_result AUGUR_CALL augur_rules_describe(augur_rules_id rules, augur_rules_info* out_info) {
    return api::with<Rules>("augur_rules_describe", rules.value, api::Access::any_thread, [&](Use<Rules>& use) {
        const augur_result result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) put_out(out_info, use->describe());
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_rules_field(augur_rules_id rules, uint32_t index, augur_field_info* out_info) {
    return api::with<Rules>("augur_rules_field", rules.value, api::Access::any_thread, [&](Use<Rules>& use) {
        augur_field_info info;
        augur_result result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) result = use->field(index, &info);
        if (result == AUGUR_OK) put_out(out_info, info);
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_rules_action_name(augur_rules_id rules, uint32_t action,
                                                          const char** out_name) {
    return api::with<Rules>("augur_rules_action_name", rules.value, api::Access::any_thread, [&](Use<Rules>& use) {
        if (out_name == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_name is null");
        return use->action_name(action, out_name);
    });
}
