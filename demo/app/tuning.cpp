#include "app/tuning.h"

#include <algorithm>

#include "scenes/scenes.h"

namespace augur::demo {
namespace {

constexpr std::uint32_t kDeepestHorizon = 65535;  // sdk/include/augur/profile.h

void on_log(void* user, augur_severity severity, augur_result, const char* text) {
    if (severity != AUGUR_SEVERITY_WARNING) return;
    std::string& message = *static_cast<std::string*>(user);
    if (!message.empty()) message.push_back('\n');
    message.append(text);
}

}  // namespace

augur_profile to_profile(const SearchSettings& settings) {
    augur_profile profile = augur_profile_default();
    profile.budget_us = settings.budget_us;
    profile.simulations = settings.simulations;
    profile.selection = settings.selection;
    profile.execution = settings.execution;
    profile.leaves_per_wave = settings.leaves_per_wave;
    profile.horizon = std::min(settings.horizon, kDeepestHorizon);
    profile.exploration = settings.exploration;
    profile.early_stop = settings.early_stop ? 1 : 0;
    profile.considered_actions = settings.considered_actions;
    profile.gumbel_scale = settings.gumbel_scale;
    profile.model = settings.model.empty() ? 0 : 1;
    profile.precision = settings.precision;
    profile.adaptive = settings.adaptive ? 1 : 0;
    profile.most_simulations = settings.most_simulations;
    profile.least_simulations = settings.least_simulations;
    profile.urgency_peak = settings.urgency.peak;
    profile.urgency_fall = settings.urgency.fall;
    profile.phase_weight = settings.phase_weight;
    profile.depth_weight = settings.depth_weight;
    profile.priority = settings.priority;
    profile.gpu_sharing = settings.gpu_sharing;
    profile.partition_multiprocessors = settings.partition_multiprocessors;
    profile.frame_budget_us = settings.frame_budget_us;
    profile.late_actions = settings.late_actions;
    profile.carry_over = settings.carry_over;
    profile.count_carried = settings.count_carried ? 1 : 0;
    return profile;
}

void take_profile(const augur_profile& profile, const std::string& model_file, SearchSettings& settings) {
    settings.budget_us = profile.budget_us;
    settings.simulations = std::clamp(profile.simulations, kFewestSimulations, kMostSimulations);
    settings.selection = profile.selection;
    settings.execution = profile.execution;
    settings.leaves_per_wave = profile.leaves_per_wave;
    settings.horizon = profile.horizon;
    settings.exploration = profile.exploration;
    settings.early_stop = profile.early_stop != 0;
    settings.considered_actions = profile.considered_actions;
    settings.gumbel_scale = profile.gumbel_scale;
    settings.model = profile.model != 0 ? model_file : std::string();
    settings.precision = profile.precision;
    settings.adaptive = profile.adaptive != 0;
    settings.most_simulations = profile.most_simulations;
    settings.least_simulations = profile.least_simulations;
    settings.urgency = {profile.urgency_peak, profile.urgency_fall};
    settings.phase_weight = profile.phase_weight;
    settings.depth_weight = profile.depth_weight;
    settings.priority = profile.priority;
    settings.gpu_sharing = profile.gpu_sharing;
    settings.partition_multiprocessors = profile.partition_multiprocessors;
    settings.frame_budget_us = profile.frame_budget_us;
    settings.late_actions = profile.late_actions;
    settings.carry_over = profile.carry_over;
    settings.count_carried = profile.count_carried != 0;
}

bool load_profile(const std::string& path, augur_profile& profile, std::string& message) {
    message.clear();
    profile = augur_profile_default();
    // What is left out of a profile is told to a context's logger: a small one, without threads, for this one call.
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 0;
    desc.logger = {on_log, &message};
    augur_context_id context{};
    if (augur_context_create(&desc, &context) < AUGUR_OK) context = {};
    const augur_result result = augur_profile_load(context, path.c_str(), &profile);
    if (result < AUGUR_OK) message = augur_last_message();
    augur_context_destroy(context);
    return result >= AUGUR_OK;
}

bool save_profile(const std::string& path, const SearchSettings& settings, std::string& message) {
    const augur_profile profile = to_profile(settings);
    if (augur_profile_save(path.c_str(), &profile) >= AUGUR_OK) return true;
    message = augur_last_message();
    return false;
}

}  // namespace augur::demo
