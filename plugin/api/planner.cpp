#include <augur/planner.h>

#include "api/barrier.h"
#include "api/find_model.h"
#include "runtime/desc.h"
#include "runtime/planner.h"
#include "runtime/rules.h"

using namespace augur;
using api::Access;

namespace {

// The rules of a planner's desc, kept for the length of the call.
augur_result find_rules_of(const augur_planner_desc& desc, const Context& context, Use<Rules>* out) {
    if (desc.rules.value == 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "rules is the zero id, it is required");
    if (const augur_result result = out->acquire(desc.rules.value); result != AUGUR_OK) return result;
    return api::check_context(**out, context, "rules");
}

augur_result find_buffer_of(const augur_binding* binding, const Planner& planner, Use<Buffer>* out) {
    if (binding == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "binding is null");
    if (const augur_result result = out->acquire(binding->buffer.value); result != AUGUR_OK) return result;
    return api::check_context(**out, planner.context(), "the binding's buffer");
}

}  // namespace

AUGUR_API void AUGUR_CALL augur_planner_desc_init_sized(augur_planner_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API void AUGUR_CALL augur_frame_desc_init_sized(augur_frame_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_planner_memory(augur_context_id context, const augur_planner_desc* desc,
                                                       augur_planner_memory_info* out_info) {
    return api::with<Context>("augur_planner_memory", context.value, Access::any_thread, [&](Use<Context>& use) {
        augur_planner_desc taken;
        Use<Rules> rules;
        EngineMemory memory{};
        augur_result result = take_desc(desc, &taken);
        if (result == AUGUR_OK) result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) result = find_rules_of(taken, *use, &rules);
        Use<Model> model;
        if (result == AUGUR_OK) result = api::find_model(taken.model, *use, &model);
        if (result == AUGUR_OK) result = Planner::memory(*use, *rules, model.get(), taken, &memory);
        if (result == AUGUR_OK) put_out(out_info, {0, memory.bytes_per_node, memory.device_bytes, memory.host_bytes});
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_create(augur_context_id context, const augur_planner_desc* desc,
                                                       augur_planner_id* out_planner) {
    return api::with<Context>("augur_planner_create", context.value, Access::any_thread, [&](Use<Context>& use) {
        augur_planner_desc taken;
        Use<Rules> rules;
        augur_result result = take_desc(desc, &taken);
        if (result != AUGUR_OK) return result;
        if (out_planner == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_planner is null");
        if (result = find_rules_of(taken, *use, &rules); result != AUGUR_OK) return result;
        Use<Model> model;
        if (result = api::find_model(taken.model, *use, &model); result != AUGUR_OK) return result;
        std::unique_ptr<Planner> made;
        if (result = Planner::make(*use, *rules, model.get(), taken, &made); result < 0) return result;
        const std::uint64_t id = use->adopt(Kind::planner, std::move(made));
        if (id == 0) return AUGUR_ERROR_LIMIT;
        out_planner->value = id;
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_destroy(augur_planner_id planner) {
    if (planner.value == 0) return AUGUR_OK;
    return api::with<Planner>("augur_planner_destroy", planner.value, Access::one_per_object, destroy_planner,
                              api::Waits::yes);
}

AUGUR_API augur_result AUGUR_CALL augur_planner_set_model(augur_planner_id planner, augur_model_id model) {
    return api::with<Planner>("augur_planner_set_model", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        if (model.value == 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "model is the zero id, it is required");
        Use<Model> found;
        const augur_result result = api::find_model(model, use->context(), &found);
        return result == AUGUR_OK ? use->set_model(*found) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_bind(augur_planner_id planner, const char* field,
                                                     const augur_binding* binding) {
    return api::with<Planner>("augur_planner_bind", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        Use<Buffer> buffer;
        const augur_result result = find_buffer_of(binding, *use, &buffer);
        return result == AUGUR_OK ? use->bind(field, *binding, *buffer) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_bind_actions(augur_planner_id planner, const augur_binding* binding) {
    return api::with<Planner>("augur_planner_bind_actions", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) {
                                  Use<Buffer> buffer;
                                  const augur_result result = find_buffer_of(binding, *use, &buffer);
                                  return result == AUGUR_OK ? use->bind_actions(*binding, *buffer) : result;
                              });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_bind_urgency(augur_planner_id planner, const augur_binding* binding) {
    return api::with<Planner>("augur_planner_bind_urgency", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) {
                                  Use<Buffer> buffer;
                                  const augur_result result = find_buffer_of(binding, *use, &buffer);
                                  return result == AUGUR_OK ? use->bind_urgency(*binding, *buffer) : result;
                              });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_request(augur_planner_id planner, const augur_frame_desc* desc) {
    return api::with<Planner>("augur_planner_request", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        augur_frame_desc taken;
        const augur_result result = take_desc(desc, &taken);
        return result == AUGUR_OK ? use->request(taken) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_poll(augur_planner_id planner) {
    return api::with<Planner>("augur_planner_poll", planner.value, Access::one_per_object,
                              [](Use<Planner>& use) { return use->poll(); });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_collect(augur_planner_id planner, uint64_t timeout_us,
                                                        augur_frame_result* out_result) {
    return api::with<Planner>("augur_planner_collect", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        augur_result result = out_result != nullptr ? check_out(out_result, "out_result") : AUGUR_OK;
        return result == AUGUR_OK ? use->collect(timeout_us, out_result) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_cancel(augur_planner_id planner) {
    return api::with<Planner>("augur_planner_cancel", planner.value, Access::any_thread, [](Use<Planner>& use) {
        use->cancel();
        return AUGUR_OK;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_reset_trees(augur_planner_id planner, uint32_t first, uint32_t count) {
    return api::with<Planner>("augur_planner_reset_trees", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) { return use->reset_trees(first, count); });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_results(augur_planner_id planner, uint32_t first, uint32_t count,
                                                        augur_agent_result* out_results) {
    return api::with<Planner>("augur_planner_results", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) { return use->results(first, count, out_results); });
}
