#include <augur/model.h>

#include "api/barrier.h"
#include "runtime/desc.h"
#include "runtime/model.h"

using namespace augur;
using api::Access;

namespace {

augur_result create(Context& context, const augur_model_desc& desc, augur_model_id* out_model) {
    if (out_model == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_model is null");
    std::unique_ptr<Model> made;
    const augur_result result = Model::make(context, desc, &made);
    if (result < 0) return result;
    const std::uint64_t id = context.adopt(Kind::model, std::move(made));
    if (id == 0) return AUGUR_ERROR_LIMIT;
    out_model->value = id;
    return result;
}

// The buffers of an evaluation, kept for the length of the call.
struct Buffers {
    Use<Buffer> uses[AUGUR_MODEL_INPUT_MAX + AUGUR_MODEL_OUTPUT_MAX];
    Buffer* inputs[AUGUR_MODEL_INPUT_MAX]{};
    Buffer* outputs[AUGUR_MODEL_OUTPUT_MAX]{};

    augur_result find(const augur_rows& rows, const Context& context, const char* what, Use<Buffer>& use,
                      Buffer*& out) {
        if (rows.buffer.value == 0) return AUGUR_OK;
        if (const augur_result result = use.acquire(rows.buffer.value); result != AUGUR_OK) return result;
        out = use.get();
        return api::check_context(*use, context, what);
    }

    augur_result find_all(const augur_evaluation_desc& desc, const Context& context) {
        for (std::uint32_t i = 0; i < AUGUR_MODEL_INPUT_MAX; ++i) {
            const augur_result result = find(desc.inputs[i], context, "a buffer of inputs", uses[i], inputs[i]);
            if (result != AUGUR_OK) return result;
        }
        for (std::uint32_t i = 0; i < AUGUR_MODEL_OUTPUT_MAX; ++i) {
            const augur_result result =
                find(desc.outputs[i], context, "a buffer of outputs", uses[AUGUR_MODEL_INPUT_MAX + i], outputs[i]);
            if (result != AUGUR_OK) return result;
        }
        return AUGUR_OK;
    }
};

}  // namespace

AUGUR_API void AUGUR_CALL augur_model_desc_init_sized(augur_model_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API void AUGUR_CALL augur_evaluation_desc_init_sized(augur_evaluation_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_model_create(augur_context_id context, const augur_model_desc* desc,
                                                     augur_model_id* out_model) {
    return api::with<Context>("augur_model_create", context.value, Access::any_thread, [&](Use<Context>& use) {
        augur_model_desc taken;
        const augur_result result = take_desc(desc, &taken);
        return result == AUGUR_OK ? create(*use, taken, out_model) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_load(augur_context_id context, const char* path,
                                                   augur_model_id* out_model) {
    return api::with<Context>("augur_model_load", context.value, Access::any_thread, [&](Use<Context>& use) {
        if (path == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path is null");
        augur_model_desc desc = DescTraits<augur_model_desc>::defaults();
        desc.path = path;
        return create(*use, desc, out_model);
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_destroy(augur_model_id model) {
    if (model.value == 0) return AUGUR_OK;
    return api::with<Model>("augur_model_destroy", model.value, Access::one_per_object, destroy_model, api::Waits::yes);
}

AUGUR_API augur_result AUGUR_CALL augur_model_describe(augur_model_id model, augur_model_info* out_info) {
    return api::with<Model>("augur_model_describe", model.value, Access::any_thread, [&](Use<Model>& use) {
        const augur_result result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) put_out(out_info, use->describe());
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_input(augur_model_id model, uint32_t index, augur_tensor_info* out_info) {
    return api::with<Model>("augur_model_input", model.value, Access::any_thread, [&](Use<Model>& use) {
        augur_tensor_info info;
        augur_result result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) result = use->input(index, &info);
        if (result == AUGUR_OK) put_out(out_info, info);
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_output(augur_model_id model, uint32_t index,
                                                     augur_tensor_info* out_info) {
    return api::with<Model>("augur_model_output", model.value, Access::any_thread, [&](Use<Model>& use) {
        augur_tensor_info info;
        augur_result result = check_out(out_info, "out_info");
        if (result == AUGUR_OK) result = use->output(index, &info);
        if (result == AUGUR_OK) put_out(out_info, info);
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_evaluate(augur_model_id model, const augur_evaluation_desc* desc) {
    return api::with<Model>("augur_model_evaluate", model.value, Access::one_per_object, [&](Use<Model>& use) {
        augur_evaluation_desc taken;
        Buffers buffers;
        augur_result result = take_desc(desc, &taken);
        if (result == AUGUR_OK) result = buffers.find_all(taken, use->context());
        return result == AUGUR_OK ? use->evaluate(taken, buffers.inputs, buffers.outputs) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_model_wait(augur_model_id model, uint64_t timeout_us,
                                                   augur_evaluation_result* out_result) {
    return api::with<Model>("augur_model_wait", model.value, Access::one_per_object, [&](Use<Model>& use) {
        augur_evaluation_result taken{};
        augur_result result = out_result != nullptr ? check_out(out_result, "out_result") : AUGUR_OK;
        if (result == AUGUR_OK) result = use->wait(timeout_us, &taken);
        const bool done = result == AUGUR_OK || result == AUGUR_FELL_BACK_TO_CPU;
        if (done && out_result != nullptr) put_out(out_result, taken);
        return result;
    });
}
