#include <augur/profile.h>

#include "api/barrier.h"
#include "runtime/desc.h"
#include "runtime/profile.h"
#include "runtime/profile_file.h"

using namespace augur;
using api::Access;

namespace {

augur_result check_path(const char* path) {
    if (path == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path is null");
    if (path[0] == '\0') return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path is empty");
    return AUGUR_OK;
}

// Gives a struct that its caller made the values of ours, as far as the caller knows the fields.
template <class Desc>
void give_back(const Desc& value, Desc* given) {
    std::uint32_t head[2];
    std::memcpy(head, static_cast<const void*>(given), sizeof head);
    Desc known = value;
    known.struct_size = head[0];
    known.struct_cookie = head[1];
    std::memcpy(static_cast<void*>(given), &known, head[0] < sizeof known ? head[0] : sizeof known);
}

augur_result load(const char* path, Log* log, augur_profile* out_profile) {
    augur_profile taken;
    augur_result result = take_desc(out_profile, &taken);
    if (result == AUGUR_OK) result = check_path(path);
    if (result != AUGUR_OK) return result;
    taken = DescTraits<augur_profile>::defaults();
    result = load_profile(path, log, &taken);
    give_back(taken, out_profile);
    return result;
}

template <class Desc>
augur_result apply(const char* function, const augur_profile* profile, Desc* desc) {
    return api::guarded(function, [&] {
        augur_profile taken;
        Desc full;
        augur_result result = take_desc(profile, &taken);
        if (result == AUGUR_OK) result = check_profile(taken);
        if (result == AUGUR_OK) result = take_desc(desc, &full);
        if (result != AUGUR_OK) return result;
        apply_profile(taken, &full);
        give_back(full, desc);
        return AUGUR_OK;
    });
}

}  // namespace

AUGUR_API void AUGUR_CALL augur_profile_init_sized(augur_profile* profile, uint32_t struct_size) {
    init_desc(profile, struct_size);
}

AUGUR_API augur_result AUGUR_CALL augur_profile_load(augur_context_id context, const char* path,
                                                     augur_profile* out_profile) {
    const char* function = "augur_profile_load";
    if (context.value == 0) return api::guarded(function, [&] { return load(path, nullptr, out_profile); });
    return api::with<Context>(function, context.value, Access::any_thread,
                              [&](Use<Context>& use) { return load(path, &use->log(), out_profile); });
}

AUGUR_API augur_result AUGUR_CALL augur_profile_save(const char* path, const augur_profile* profile) {
    return api::guarded("augur_profile_save", [&] {
        augur_profile taken;
        augur_result result = take_desc(profile, &taken);
        if (result == AUGUR_OK) result = check_path(path);
        return result == AUGUR_OK ? save_profile(path, taken) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_profile_apply(const augur_profile* profile, augur_planner_desc* desc) {
    return apply("augur_profile_apply", profile, desc);
}

AUGUR_API augur_result AUGUR_CALL augur_profile_apply_frame(const augur_profile* profile, augur_frame_desc* desc) {
    return apply("augur_profile_apply_frame", profile, desc);
}

AUGUR_API augur_result AUGUR_CALL augur_profile_apply_model(const augur_profile* profile, augur_model_desc* desc) {
    return apply("augur_profile_apply_model", profile, desc);
}

AUGUR_API augur_result AUGUR_CALL augur_profile_apply_context(const augur_profile* profile, augur_context_desc* desc) {
    return apply("augur_profile_apply_context", profile, desc);
}

AUGUR_API augur_result AUGUR_CALL augur_profile_apply_frame_budget(const augur_profile* profile,
                                                                   augur_frame_budget_desc* desc) {
    return apply("augur_profile_apply_frame_budget", profile, desc);
}
