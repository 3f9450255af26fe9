#include <augur/buffer.h>

#include "api/barrier.h"
#include "runtime/buffer.h"
#include "runtime/desc.h"
#include "runtime/planner.h"

using namespace augur;

AUGUR_API void AUGUR_CALL augur_buffer_desc_init_sized(augur_buffer_desc* desc, uint32_t struct_size) {
    init_desc(desc, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_buffer_register(augur_context_id context, const augur_buffer_desc* desc,
                                                        augur_buffer_id* out_buffer) {
    return api::with<Context>("augur_buffer_register", context.value, api::Access::any_thread, [&](Use<Context>& use) {
        augur_buffer_desc taken;
        if (const augur_result result = take_desc(desc, &taken); result != AUGUR_OK) return result;
        if (out_buffer == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_buffer is null");
        std::unique_ptr<Buffer> made;
        if (const augur_result result = Buffer::make(*use, taken, &made); result != AUGUR_OK) return result;
        const std::uint64_t id = use->adopt(Kind::buffer, std::move(made));
        if (id == 0) return AUGUR_ERROR_LIMIT;
        out_buffer->value = id;
        return AUGUR_OK;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_buffer_unregister(augur_buffer_id buffer) {
    if (buffer.value == 0) return AUGUR_OK;
    return api::with<Buffer>("augur_buffer_unregister", buffer.value, api::Access::one_per_object, unregister_buffer,
                             api::Waits::yes);
}
