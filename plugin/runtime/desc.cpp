#include "runtime/desc.h"

#include <climits>

namespace augur {

augur_context_desc DescTraits<augur_context_desc>::defaults() {
    augur_context_desc desc{};
    desc.backend = AUGUR_BACKEND_AUTO;
    desc.worker_threads = 0xffffffffu;
    desc.cuda_device = -1;
    desc.gpu_sharing = AUGUR_GPU_SHARING_PRIORITY;
    return desc;
}

augur_frame_budget_desc DescTraits<augur_frame_budget_desc>::defaults() {
    augur_frame_budget_desc desc{};
    desc.budget_us = INT64_MAX;
    return desc;
}

augur_buffer_desc DescTraits<augur_buffer_desc>::defaults() {
    augur_buffer_desc desc{};
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = AUGUR_ACCESS_READ;
    return desc;
}

augur_planner_desc DescTraits<augur_planner_desc>::defaults() {
    augur_planner_desc desc{};
    desc.agent_capacity = 256;
    desc.search = AUGUR_SEARCH_FOREST;
    desc.selection = AUGUR_SELECTION_PUCT;
    desc.execution = AUGUR_EXECUTION_AUTO;
    desc.simulations = 64;
    desc.discount = -1.0f;
    desc.early_stop = 1;
    desc.transpositions = 1;
    desc.seed = 1;
    desc.gumbel_scale = 1.0f;
    desc.priority = 1.0f;
    return desc;
}

augur_model_desc DescTraits<augur_model_desc>::defaults() {
    augur_model_desc desc{};
    desc.precision = AUGUR_PRECISION_AUTO;
    desc.value_kind = AUGUR_VALUE_BOUNDED;
    desc.value_scale = 1.0f;
    desc.precision_limit = 0.05f;
    return desc;
}

augur_learned_rules_desc DescTraits<augur_learned_rules_desc>::defaults() {
    augur_learned_rules_desc desc{};
    desc.player_count = 1;
    desc.max_depth = 64;
    desc.discount = 1.0f;
    desc.observation_scale = 1.0f;
    return desc;
}

augur_evaluation_desc DescTraits<augur_evaluation_desc>::defaults() {
    augur_evaluation_desc desc{};
    for (augur_rows& rows : desc.inputs)
        rows.scale = 1.0f;
    for (augur_rows& rows : desc.outputs) {
        rows.format = AUGUR_FORMAT_F32;
        rows.scale = 1.0f;
    }
    return desc;
}

augur_profile DescTraits<augur_profile>::defaults() {
    const augur_planner_desc planner = DescTraits<augur_planner_desc>::defaults();
    augur_profile profile{};
    profile.budget_us = planner.budget_us;
    profile.simulations = planner.simulations;
    profile.selection = planner.selection;
    profile.execution = planner.execution;
    profile.leaves_per_wave = planner.leaves_per_wave;
    profile.horizon = planner.horizon;
    profile.exploration = planner.exploration;
    profile.early_stop = planner.early_stop;
    profile.considered_actions = planner.considered_actions;
    profile.gumbel_scale = planner.gumbel_scale;
    profile.model = 1;
    profile.precision = AUGUR_PRECISION_AUTO;
    profile.phase_weight = 1.0f;
    profile.depth_weight = 1.0f;
    profile.priority = planner.priority;
    profile.adaptive = planner.adaptive;
    profile.carry_over = planner.carry_over;
    profile.count_carried = planner.count_carried;
    const augur_context_desc context = DescTraits<augur_context_desc>::defaults();
    profile.gpu_sharing = context.gpu_sharing;
    profile.partition_multiprocessors = context.partition_multiprocessors;
    profile.frame_budget_us = 0;
    profile.late_actions = planner.late_actions;
    profile.urgency_peak = 6.0f;
    profile.urgency_fall = 1.5f;
    return profile;
}

augur_frame_desc DescTraits<augur_frame_desc>::defaults() {
    augur_frame_desc desc{};
    desc.simulations = 0xffffffffu;
    desc.budget_us = INT64_MIN;
    desc.frame = 0xffffffffffffffffull;
    desc.phase_weight = 1.0f;
    desc.depth_weight = 1.0f;
    return desc;
}

}  // namespace augur
