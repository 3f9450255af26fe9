#include <augur/rules.h>

#include "api/barrier.h"
#include "runtime/desc.h"
#include "runtime/rules.h"

using namespace augur;

AUGUR_API augur_result AUGUR_CALL augur_rules_builtin(augur_context_id context, const char* name,
                                                      augur_rules_id* out_rules) {
    return api::with<Context>("augur_rules_builtin", context.value, api::Access::any_thread, [&](Use<Context>& use) {
        if (out_rules == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_rules is null");
        return use->find_rules(name, &out_rules->value);
    });
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
