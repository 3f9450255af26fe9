#include <augur/inspect.h>

#include <algorithm>
#include <cstring>

#include "api/barrier.h"
#include "api/find_model.h"
#include "runtime/desc.h"
#include "runtime/planner.h"
#include "runtime/replay.h"
#include "runtime/rules.h"
#include "runtime/stage_name.h"
#include "runtime/trace.h"

using namespace augur;
using api::Access;

namespace {

augur_result check_path(const char* path) {
    if (path == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path is null");
    if (path[0] == '\0') return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path is empty");
    return AUGUR_OK;
}

// A host may pass any number, and C++ may not load an enum that has none of its values.
std::uint32_t number_of(const augur_latency_kind& kind) {
    std::uint32_t number = 0;
    static_assert(sizeof number == sizeof kind);
    std::memcpy(&number, &kind, sizeof number);
    return number;
}

}  // namespace

AUGUR_API augur_result AUGUR_CALL augur_planner_counters(augur_planner_id planner, augur_counters* out_counters) {
    return api::with<Planner>("augur_planner_counters", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        const augur_result result = check_out(out_counters, "out_counters");
        if (result == AUGUR_OK) put_out(out_counters, use->counters());
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_latency(augur_planner_id planner, augur_latency_kind kind,
                                                        augur_latency* out_latency) {
    return api::with<Planner>("augur_planner_latency", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        const augur_result result = check_out(out_latency, "out_latency");
        if (result != AUGUR_OK) return result;
        const std::uint32_t number = number_of(kind);
        if (number < AUGUR_LATENCY_REQUEST || number > AUGUR_LATENCY_COLLECT)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "kind is %u, allowed 1..5", number);
        put_out(out_latency, use->latency(static_cast<augur_latency_kind>(number)).summary());
        return AUGUR_OK;
    });
}

AUGUR_API const char* AUGUR_CALL augur_stage_name(uint32_t stage) {
    return stage_name(stage);
}

AUGUR_API augur_result AUGUR_CALL augur_planner_timeline(augur_planner_id planner, augur_timeline_frame* out_frames,
                                                         uint32_t* count) {
    return api::with<Planner>("augur_planner_timeline", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
        if (count == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "count is null");
        if (out_frames == nullptr && *count != 0)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_frames is null and *count is %u", *count);
        const Timeline& timeline = use->timeline();
        const uint32_t written = std::min(*count, timeline.count());
        for (uint32_t i = 0; i < written; ++i)
            out_frames[i] = timeline.at(timeline.count() - written + i);
        *count = written;
        return AUGUR_OK;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_stage_latency(augur_planner_id planner, uint32_t stage,
                                                              augur_latency* out_latency) {
    return api::with<Planner>(
        "augur_planner_stage_latency", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
            const augur_result result = check_out(out_latency, "out_latency");
            if (result != AUGUR_OK) return result;
            if (stage >= AUGUR_STAGE_COUNT)
                return fail(AUGUR_ERROR_INVALID_ARGUMENT, "stage is %u, allowed 0..%d", stage, AUGUR_STAGE_COUNT - 1);
            put_out(out_latency, use->stage_latency(stage));
            return AUGUR_OK;
        });
}

AUGUR_API augur_result AUGUR_CALL augur_model_latency(augur_model_id model, augur_latency_kind kind,
                                                      augur_latency* out_latency) {
    return api::with<Model>("augur_model_latency", model.value, Access::one_per_object, [&](Use<Model>& use) {
        const augur_result result = check_out(out_latency, "out_latency");
        if (result != AUGUR_OK) return result;
        const std::uint32_t number = number_of(kind);
        if (number != AUGUR_LATENCY_REQUEST && number != AUGUR_LATENCY_WAIT && number != AUGUR_LATENCY_FRAME)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "kind is %u, allowed %d, %d and %d", number,
                        AUGUR_LATENCY_REQUEST, AUGUR_LATENCY_FRAME, AUGUR_LATENCY_WAIT);
        put_out(out_latency, use->latency(static_cast<augur_latency_kind>(number)));
        return AUGUR_OK;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_tree(augur_planner_id planner, uint32_t agent,
                                                     augur_tree_node* out_nodes, uint32_t* count) {
    return api::with<Planner>("augur_planner_tree", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) { return use->tree(agent, out_nodes, count); });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_advice(augur_planner_id planner, uint32_t agent, float* out_priors,
                                                       float* out_value) {
    return api::with<Planner>("augur_planner_advice", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) { return use->advice(agent, out_priors, out_value); });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_root(augur_planner_id planner, uint32_t agent, uint32_t* out_visits,
                                                     float* out_values) {
    return api::with<Planner>("augur_planner_root", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) { return use->root(agent, out_visits, out_values); });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_write_trace(augur_planner_id planner, const char* path) {
    return api::with<Planner>(
        "augur_planner_write_trace", planner.value, Access::one_per_object, [&](Use<Planner>& use) {
            const augur_result result = check_path(path);
            if (result != AUGUR_OK) return result;
            Trace trace;
            trace.add_planner(use->rules().name, use->answers_on() == AUGUR_BACKEND_CUDA ? "GPU" : "CPU",
                              use->timeline());
            return trace.write(path);
        });
}

AUGUR_API augur_result AUGUR_CALL augur_context_write_trace(augur_context_id context, const char* path) {
    return api::with<Context>("augur_context_write_trace", context.value, Access::any_thread, [&](Use<Context>& use) {
        const augur_result result = check_path(path);
        return result == AUGUR_OK ? write_trace(*use, path) : result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_context_memory(augur_context_id context, augur_memory_usage* out_usage) {
    return api::with<Context>("augur_context_memory", context.value, Access::any_thread, [&](Use<Context>& use) {
        const augur_result result = check_out(out_usage, "out_usage");
        if (result == AUGUR_OK) put_out(out_usage, use->memory_usage());
        return result;
    });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_record_start(augur_planner_id planner, const char* path) {
    return api::with<Planner>("augur_planner_record_start", planner.value, Access::one_per_object,
                              [&](Use<Planner>& use) {
                                  const augur_result result = check_path(path);
                                  return result == AUGUR_OK ? use->record_start(path) : result;
                              });
}

AUGUR_API augur_result AUGUR_CALL augur_planner_record_stop(augur_planner_id planner) {
    return api::with<Planner>("augur_planner_record_stop", planner.value, Access::one_per_object,
                              [](Use<Planner>& use) { return use->record_stop(); });
}

namespace {

augur_result replay_file(Context& context, const char* path, augur_model_id model, const Rules* learned,
                         augur_replay_report* out_report) {
    augur_replay_report report;
    augur_result result = check_path(path);
    if (result == AUGUR_OK) result = check_out(out_report, "out_report");
    Use<Model> use;
    if (result == AUGUR_OK) result = api::find_model(model, context, &use);
    if (result == AUGUR_OK) result = replay(context, path, use.get(), model, learned, &report);
    if (result == AUGUR_OK) put_out(out_report, report);
    return result;
}

}  // namespace

AUGUR_API augur_result AUGUR_CALL augur_replay(augur_context_id context, const char* path,
                                               augur_replay_report* out_report) {
    return api::with<Context>("augur_replay", context.value, Access::one_per_object,
                              [&](Use<Context>& use) { return replay_file(*use, path, {0}, nullptr, out_report); });
}

AUGUR_API augur_result AUGUR_CALL augur_replay_with_model(augur_context_id context, const char* path,
                                                          augur_model_id model, augur_replay_report* out_report) {
    return api::with<Context>("augur_replay_with_model", context.value, Access::one_per_object,
                              [&](Use<Context>& use) { return replay_file(*use, path, model, nullptr, out_report); });
}

AUGUR_API augur_result AUGUR_CALL augur_replay_with_rules(augur_context_id context, const char* path,
                                                          augur_rules_id rules, augur_replay_report* out_report) {
    const auto replay_on = [&](Use<Context>& use) {
        Use<Rules> found;
        augur_result result = found.acquire(rules.value);
        if (result == AUGUR_OK) result = api::check_context(*found, *use, "rules");
        if (result != AUGUR_OK) return result;
        if (found->learned() == nullptr)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "rules %s are compiled; augur_replay finds them by itself",
                        found->info()->name);
        return replay_file(*use, path, {0}, found.get(), out_report);
    };
    return api::with<Context>("augur_replay_with_rules", context.value, Access::one_per_object, replay_on);
}
