#include "runtime/profile.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <iterator>

#include "runtime/message.h"

namespace augur {

namespace {

constexpr const char* kSelections[] = {"puct", "uct", "gumbel"};
constexpr const char* kExecutions[] = {"auto", "resident", "waves"};
constexpr const char* kSharings[] = {"auto", "plain", "priority", "partition", "adaptive", "turns"};
constexpr const char* kCarryOvers[] = {"none", "subtree", "warm_start"};
constexpr const char* kLateActions[] = {"write", "drop"};
constexpr const char* kPrecisions[] = {"auto", "fp32", "fp16", "int8"};

#define AUGUR_IN(field) static_cast<std::uint32_t>(offsetof(augur_profile, field))
constexpr ProfileField kFields[] = {
    {"budget_us", ProfileKind::count, AUGUR_IN(budget_us), 0, 60000000, {}},
    {"simulations", ProfileKind::count, AUGUR_IN(simulations), 1, 4194303, {}},
    {"selection", ProfileKind::choice, AUGUR_IN(selection), AUGUR_SELECTION_PUCT, AUGUR_SELECTION_GUMBEL, kSelections},
    {"execution", ProfileKind::choice, AUGUR_IN(execution), AUGUR_EXECUTION_AUTO, AUGUR_EXECUTION_WAVES, kExecutions},
    {"leaves_per_wave", ProfileKind::count, AUGUR_IN(leaves_per_wave), 0, 256, {}},
    {"horizon", ProfileKind::count, AUGUR_IN(horizon), 0, 65535, {}},
    {"exploration", ProfileKind::number, AUGUR_IN(exploration), 0, 100, {}},
    {"early_stop", ProfileKind::flag, AUGUR_IN(early_stop), 0, 1, {}},
    {"considered_actions", ProfileKind::count, AUGUR_IN(considered_actions), 0, 4096, {}},
    {"gumbel_scale", ProfileKind::number, AUGUR_IN(gumbel_scale), 0, 10, {}},
    {"model", ProfileKind::flag, AUGUR_IN(model), 0, 1, {}},
    {"precision", ProfileKind::choice, AUGUR_IN(precision), AUGUR_PRECISION_AUTO, AUGUR_PRECISION_INT8, kPrecisions},
    {"phase_weight", ProfileKind::number, AUGUR_IN(phase_weight), 0.001, 1000, {}},
    {"depth_weight", ProfileKind::number, AUGUR_IN(depth_weight), 0.001, 1000, {}},
    {"priority", ProfileKind::number, AUGUR_IN(priority), 0.001, 1000, {}},
    {"adaptive", ProfileKind::flag, AUGUR_IN(adaptive), 0, 1, {}},
    {"most_simulations", ProfileKind::count, AUGUR_IN(most_simulations), 0, 65535, {}},
    {"gpu_sharing", ProfileKind::choice, AUGUR_IN(gpu_sharing), AUGUR_GPU_SHARING_AUTO, AUGUR_GPU_SHARING_TURNS,
     kSharings},
    {"least_simulations", ProfileKind::count, AUGUR_IN(least_simulations), 0, 65535, {}},
    {"carry_over", ProfileKind::choice, AUGUR_IN(carry_over), AUGUR_CARRY_OVER_NONE, AUGUR_CARRY_OVER_WARM_START,
     kCarryOvers},
    {"count_carried", ProfileKind::flag, AUGUR_IN(count_carried), 0, 1, {}},
    {"urgency_peak", ProfileKind::number, AUGUR_IN(urgency_peak), 1, 1000, {}},
    {"urgency_fall", ProfileKind::number, AUGUR_IN(urgency_fall), 0.01, 100, {}},
    {"partition_multiprocessors", ProfileKind::count, AUGUR_IN(partition_multiprocessors), 0, 65535, {}},
    {"frame_budget_us", ProfileKind::count, AUGUR_IN(frame_budget_us), 0, 60000000, {}},
    {"late_actions", ProfileKind::choice, AUGUR_IN(late_actions), AUGUR_LATE_ACTIONS_WRITE, AUGUR_LATE_ACTIONS_DROP,
     kLateActions},
};
#undef AUGUR_IN

// A field of the struct without a row here would be neither checked nor kept in the file.
static_assert(8 + 4 * std::size(kFields) == sizeof(augur_profile));

// A budget of the file, where 0 is no limit.
std::int64_t budget_of(std::uint32_t us) {
    return us != 0 ? static_cast<std::int64_t>(us) : INT64_MAX;
}

// What an adaptive planner is made for.
std::uint32_t most_of_one(const augur_profile& profile) {
    constexpr std::uint32_t kMost = 65535;
    if (profile.most_simulations != 0) return std::max(profile.most_simulations, profile.simulations);
    return profile.simulations > kMost / 4 ? std::max(kMost, profile.simulations) : 4 * profile.simulations;
}

}  // namespace

std::span<const ProfileField> profile_fields() {
    return kFields;
}

augur_result check_profile(const augur_profile& profile) {
    for (const ProfileField& field : kFields) {
        // In floats, as the caller has the ends of the range. Written so that a NaN fails.
        const bool number = field.kind == ProfileKind::number;
        const double value = number ? static_cast<double>(field.number_in(profile)) : field.count_in(profile);
        const bool good = number ? static_cast<float>(value) >= static_cast<float>(field.low) &&
                                       static_cast<float>(value) <= static_cast<float>(field.high)
                                 : value >= field.low && value <= field.high;
        if (!good)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "%s of the profile is %.10g, allowed %.10g..%.10g", field.name,
                        value, field.low, field.high);
    }
    return AUGUR_OK;
}

void apply_profile(const augur_profile& profile, augur_planner_desc* desc) {
    desc->budget_us = profile.budget_us;
    desc->simulations = profile.adaptive != 0 ? most_of_one(profile) : profile.simulations;
    desc->selection = profile.selection;
    desc->execution = profile.execution;
    desc->leaves_per_wave = profile.leaves_per_wave;
    desc->horizon = profile.horizon;
    desc->exploration = profile.exploration;
    desc->early_stop = profile.early_stop;
    desc->considered_actions = profile.considered_actions;
    desc->gumbel_scale = profile.gumbel_scale;
    desc->adaptive = profile.adaptive;
    desc->least_simulations = profile.least_simulations;
    desc->priority = profile.priority;
    desc->late_actions = profile.late_actions;
    desc->carry_over = profile.carry_over;
    desc->count_carried = profile.count_carried;
    if (profile.model == 0) desc->model = {0};
}

void apply_profile(const augur_profile& profile, augur_frame_desc* desc) {
    desc->simulations = profile.simulations;
    desc->budget_us = budget_of(profile.budget_us);
    desc->phase_weight = profile.phase_weight;
    desc->depth_weight = profile.depth_weight;
}

void apply_profile(const augur_profile& profile, augur_model_desc* desc) {
    desc->precision = profile.precision;
}

void apply_profile(const augur_profile& profile, augur_context_desc* desc) {
    desc->gpu_sharing = profile.gpu_sharing;
    desc->partition_multiprocessors = profile.partition_multiprocessors;
}

void apply_profile(const augur_profile& profile, augur_frame_budget_desc* desc) {
    desc->budget_us = budget_of(profile.frame_budget_us);
}

}  // namespace augur
