#include <augur/context.h>

#include "api/barrier.h"
#include "runtime/desc.h"
#include "runtime/self_test.h"

using namespace augur;

AUGUR_API void AUGUR_CALL augur_context_desc_init_sized(augur_context_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_context_create(const augur_context_desc* desc, augur_context_id* out_context) {
    return api::guarded("augur_context_create", [&] {
        augur_context_desc taken;
        if (const augur_result result = take_desc(desc, &taken); result != AUGUR_OK) return result;
        if (out_context == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_context is null");
        return create_context(taken, BackendFactory{}, &out_context->value);
    });
}

AUGUR_API augur_result AUGUR_CALL augur_context_destroy(augur_context_id context) {
    if (context.value == 0) return AUGUR_OK;
    const auto destroy = [](Use<Context>& use) {
        destroy_context(use);
        return AUGUR_OK;
    };
    return api::with<Context>("augur_context_destroy", context.value, api::Access::one_per_object, destroy,
                              api::Waits::yes);
}

AUGUR_API void AUGUR_CALL augur_frame_budget_desc_init_sized(augur_frame_budget_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_context_begin_frame(augur_context_id context,
                                                            const augur_frame_budget_desc* desc) {
    const auto begin = [&](Use<Context>& use) {
        augur_frame_budget_desc taken;
        const augur_result result = take_desc(desc, &taken);
        if (result == AUGUR_OK) use->begin_frame(taken);
        return result;
    };
    return api::with<Context>("augur_context_begin_frame", context.value, api::Access::any_thread, begin);
}

AUGUR_API augur_result AUGUR_CALL augur_context_capabilities(augur_context_id context,
                                                             augur_capabilities* out_capabilities) {
    return api::with<Context>("augur_context_capabilities", context.value, api::Access::any_thread,
                              [&](Use<Context>& use) {
                                  const augur_result result = check_out(out_capabilities, "out_capabilities");
                                  if (result == AUGUR_OK) put_out(out_capabilities, use->capabilities());
                                  return result;
                              });
}

AUGUR_API augur_result AUGUR_CALL augur_self_test(augur_self_test_report* out_report) {
    return api::guarded("augur_self_test", [&] {
        const augur_result result = check_out(out_report, "out_report");
        if (result == AUGUR_OK) put_out(out_report, run_self_test(BackendFactory{}));
        return result;
    });
}
