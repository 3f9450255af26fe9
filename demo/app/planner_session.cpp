#include "app/planner_session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/tuning.h"

namespace augur::demo {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::uint32_t backend_of(BackendChoice choice) {
    switch (choice) {
        case BackendChoice::kCpu:
            return AUGUR_BACKEND_CPU;
        case BackendChoice::kCuda:
            return AUGUR_BACKEND_CUDA;
        case BackendChoice::kAuto:
            break;
    }
    return AUGUR_BACKEND_AUTO;
}

std::uint64_t fold(std::uint64_t hash, std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
        hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3ull;
    }
    return hash;
}

}  // namespace

PlannerSession::PlannerSession(GlLoader loader) : loader_(loader) {
    timeline_.reserve(AUGUR_TIMELINE_CAPACITY);
}

void PlannerSession::on_log(void*, augur_severity severity, augur_result code, const char* text) {
    if (severity == AUGUR_SEVERITY_INFO) return;
    std::fprintf(stderr, "augur: %s (%s)\n", text, augur_result_name(code));
}

bool PlannerSession::check(augur_result result, const std::string& what) {
    if (result >= AUGUR_OK) return true;
    const char* detail = augur_last_message();
    message_ = what + ": " + (detail[0] != '\0' ? detail : augur_result_text(result));
    // A failure that comes back every frame is said once.
    if (message_ != printed_)
        std::fprintf(stderr, "augur_demo: %s (%s)\n", message_.c_str(), augur_result_name(result));
    printed_ = message_;
    return false;
}

bool PlannerSession::open(const PlannerNeeds& needs, const SearchSettings& settings) {
    close();
    message_.clear();
    settings_ = settings;
    model_refused_ = false;

    augur_context_desc context_desc = augur_context_desc_default();
    const augur_profile profile = to_profile(settings);
    if (!check(augur_profile_apply_context(&profile, &context_desc), "the settings cannot be used")) return false;
    context_desc.backend = backend_of(settings.backend);
    context_desc.logger.log = on_log;
    context_desc.gl_get_proc_address = reinterpret_cast<augur_gl_proc_fn>(loader_);
    if (!check(augur_context_create(&context_desc, &context_), "Augur could not start")) return false;
    capabilities_.struct_size = sizeof capabilities_;
    rules_info_.struct_size = sizeof rules_info_;
    memory_.struct_size = sizeof memory_;

    const bool opened =
        check(augur_context_capabilities(context_, &capabilities_), "the backend could not be described") &&
        check(augur_rules_builtin(context_, needs.rules, &rules_), "the rules could not be found") &&
        check(augur_rules_describe(rules_, &rules_info_), "the rules could not be described") && open_model() &&
        open_planner(needs);
    if (!opened) {
        const std::string reason = message_;
        close();
        message_ = reason;
    }
    return opened;
}

bool PlannerSession::open_model() {
    if (settings_.model.empty()) return true;
    augur_model_desc desc = augur_model_desc_default();
    desc.path = settings_.model.c_str();
    desc.row_capacity = 1;  // for reward(): one state at a time
    desc.precision = settings_.precision;
    model_info_.struct_size = sizeof model_info_;
    if (!check(augur_model_create(context_, &desc, &model_), "the model cannot be used: " + settings_.model)) {
        model_refused_ = true;
        return false;
    }
    return check(augur_model_describe(model_, &model_info_), "the model could not be described") && open_reward();
}

bool PlannerSession::open_reward() {
    if (model_info_.reward_output == AUGUR_MODEL_NO_OUTPUT || model_info_.input_count != 1) return true;
    augur_tensor_info head{};
    head.struct_size = sizeof head;
    if (!check(augur_model_output(model_, model_info_.reward_output, &head), "the reward could not be described")) {
        return false;
    }
    reward_input_.assign(rules_info_.feature_count, 0.0f);
    reward_output_.assign(head.element_count, 0.0f);
    reward_desc_ = augur_evaluation_desc_default();
    reward_desc_.row_count = 1;
    reward_desc_.inputs[0].format = AUGUR_FORMAT_F32;
    reward_desc_.inputs[0].scale = 1.0f;
    augur_rows& out = reward_desc_.outputs[model_info_.reward_output];
    out.format = AUGUR_FORMAT_F32;
    out.scale = 1.0f;
    return register_host(reward_input_.data(), reward_input_.size() * sizeof(float), AUGUR_ACCESS_READ,
                         reward_desc_.inputs[0].buffer) &&
           register_host(reward_output_.data(), reward_output_.size() * sizeof(float), AUGUR_ACCESS_WRITE, out.buffer);
}

bool PlannerSession::open_planner(const PlannerNeeds& needs) {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.rules = rules_;
    desc.agent_capacity = needs.agents;
    // Gumbel selection plans by halving the simulations of a tree's root among few actions: a forest, be it of one
    // tree.
    desc.search = needs.search;
    if (settings_.selection == AUGUR_SELECTION_GUMBEL) desc.search = AUGUR_SEARCH_FOREST;
    desc.seed = settings_.seed;
    desc.model = model_;
    augur_profile profile = to_profile(settings_);
    profile.budget_us = 0;  // comes with each frame, so that it can change while the planner lives
    profile.horizon = settings_.horizon < rules_info_.max_depth ? settings_.horizon : rules_info_.max_depth;
    // Large trees and Gumbel selection begin each frame anew.
    if (desc.search == AUGUR_SEARCH_TREE || settings_.selection == AUGUR_SELECTION_GUMBEL)
        profile.carry_over = AUGUR_CARRY_OVER_NONE;
    profile.carry_over = std::min(profile.carry_over, needs.most_carried);
    if (!check(augur_profile_apply(&profile, &desc), "the settings cannot be used")) return false;
    augur_result result = augur_planner_memory(context_, &desc, &memory_);
    if (result >= AUGUR_OK) result = augur_planner_create(context_, &desc, &planner_);
    model_refused_ = result == AUGUR_ERROR_INVALID_MODEL;
    const std::string what = model_refused_
                                 ? "the model does not fit " + std::string(needs.rules) + ": " + settings_.model
                                 : "the planner could not be made";
    augur_counters fresh{};
    if (!check(result, what) || !counters(fresh)) return false;
    backend_ = fresh.backend;
    return true;
}

void PlannerSession::close() {
    finish();
    check(augur_planner_destroy(planner_), "the planner could not be destroyed");
    planner_ = {};
    check(augur_model_destroy(model_), "the model could not be destroyed");
    model_ = {};
    model_info_ = {};
    reward_output_.clear();
    fallbacks_seen_ = 0;
    for (const augur_buffer_id buffer : buffers_) {
        check(augur_buffer_unregister(buffer), "a buffer could not be unregistered");
    }
    buffers_.clear();
    check(augur_context_destroy(context_), "the context could not be destroyed");
    context_ = {};
    rules_ = {};
}

bool PlannerSession::register_gl(const GlBuffer& buffer, augur_access access, augur_buffer_id& out) {
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.kind = AUGUR_BUFFER_OPENGL;
    desc.access = access;
    desc.size_bytes = static_cast<std::uint64_t>(buffer.size_bytes());
    desc.gl_buffer = buffer.name();
    if (!check(augur_buffer_register(context_, &desc, &out), "an OpenGL buffer could not be registered")) return false;
    buffers_.push_back(out);
    return true;
}

bool PlannerSession::register_host(void* pointer, std::size_t size_bytes, augur_access access, augur_buffer_id& out) {
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = access;
    desc.pointer = pointer;
    desc.size_bytes = size_bytes;
    if (!check(augur_buffer_register(context_, &desc, &out), "an array could not be registered")) return false;
    buffers_.push_back(out);
    return true;
}

bool PlannerSession::bind(const char* field, augur_buffer_id buffer, augur_format format, std::size_t offset,
                          std::size_t stride) {
    const augur_binding binding = {buffer, static_cast<std::uint32_t>(format), 0, offset, stride};
    return check(augur_planner_bind(planner_, field, &binding), "a field could not be bound");
}

bool PlannerSession::bind_actions(augur_buffer_id buffer, augur_format format, std::size_t offset, std::size_t stride) {
    const augur_binding binding = {buffer, static_cast<std::uint32_t>(format), 0, offset, stride};
    return check(augur_planner_bind_actions(planner_, &binding), "the actions could not be bound");
}

bool PlannerSession::bind_urgency(augur_buffer_id buffer, augur_format format, std::size_t offset, std::size_t stride) {
    const augur_binding binding = {buffer, static_cast<std::uint32_t>(format), 0, offset, stride};
    return check(augur_planner_bind_urgency(planner_, &binding), "the urgencies could not be bound");
}

bool PlannerSession::begin_frame(bool shared) {
    if (!is_open()) return false;
    augur_frame_budget_desc desc = augur_frame_budget_desc_default();
    augur_profile profile = to_profile(settings_);
    if (profile.frame_budget_us == 0) profile.frame_budget_us = profile.budget_us;
    if (shared && !check(augur_profile_apply_frame_budget(&profile, &desc), "the settings cannot be used"))
        return false;
    return check(augur_context_begin_frame(context_, &desc), "a frame could not be begun");
}

bool PlannerSession::request(std::uint32_t agent_count, std::uint64_t moment) {
    if (!is_open() || running_) return false;
    augur_frame_desc desc = augur_frame_desc_default();
    desc.agent_count = agent_count;
    desc.frame = moment;
    const augur_profile profile = to_profile(settings_);
    if (!check(augur_profile_apply_frame(&profile, &desc), "the settings cannot be used")) return false;
    const auto start = std::chrono::steady_clock::now();
    running_ = check(augur_planner_request(planner_, &desc), "a plan could not be requested");
    if (running_) request_ms_.add(milliseconds_since(start));
    return running_;
}

PlanState PlannerSession::collect(std::uint64_t timeout_us) {
    if (!running_) return PlanState::kNone;
    augur_frame_result frame{};
    frame.struct_size = sizeof frame;
    const augur_result result = augur_planner_collect(planner_, timeout_us, &frame);
    if (result == AUGUR_NOT_READY) return PlanState::kRunning;
    running_ = false;
    if (!check(result, "a plan could not be collected")) return PlanState::kFailed;
    last_frame_ = frame;
    backend_ = frame.backend;
    search_ms_.add(static_cast<double>(frame.search_ns) * 1e-6);
    plan_ms_.add(static_cast<double>(frame.request_to_done_ns) * 1e-6);
    ++figures_.frames;
    figures_.simulations += frame.simulations;
    figures_.plan_ns += frame.request_to_done_ns;
    figures_.deadline_misses += frame.deadline_missed;
    figures_.fallbacks += frame.agents_fallback;
    figures_.bytes_copied += frame.bytes_copied;
    figures_.decision_hash = fold(figures_.decision_hash, frame.decision_hash);
    note_stages();
    if (has_model()) note_fallbacks();
    return PlanState::kDone;
}

void PlannerSession::note_stages() {
    augur_timeline_frame frame{};
    if (!newest(frame)) return;
    const auto length = [&frame](augur_stage stage) {
        return static_cast<double>(frame.stages[stage].end_ns - frame.stages[stage].begin_ns) * 1e-6;
    };
    wait_ms_.add(length(AUGUR_STAGE_WAIT));
    collect_ms_.add(length(AUGUR_STAGE_COLLECT));
    if (has_model()) evaluate_ms_.add(length(AUGUR_STAGE_EVALUATE));
}

void PlannerSession::note_fallbacks() {
    augur_counters now{};
    if (!counters(now)) return;
    figures_.model_fallbacks += now.model_fallbacks - fallbacks_seen_;
    fallbacks_seen_ = now.model_fallbacks;
}

void PlannerSession::finish() {
    if (!running_) return;
    check(augur_planner_cancel(planner_), "a plan could not be cancelled");
    check(augur_planner_collect(planner_, UINT64_MAX, nullptr), "a plan could not be collected");
    running_ = false;
}

bool PlannerSession::counters(augur_counters& out) {
    out.struct_size = sizeof out;
    return is_open() && check(augur_planner_counters(planner_, &out), "the counters could not be read");
}

bool PlannerSession::latency(augur_latency_kind kind, augur_latency& out) {
    out.struct_size = sizeof out;
    return is_open() && check(augur_planner_latency(planner_, kind, &out), "the latencies could not be read");
}

bool PlannerSession::newest(augur_timeline_frame& out) {
    std::uint32_t count = 1;
    return is_open() && check(augur_planner_timeline(planner_, &out, &count), "the timeline could not be read") &&
           count == 1;
}

bool PlannerSession::memory_usage(augur_memory_usage& out) {
    out.struct_size = sizeof out;
    return is_open() && check(augur_context_memory(context_, &out), "the memory in use could not be read");
}

const std::vector<augur_timeline_frame>& PlannerSession::timeline() {
    timeline_.resize(AUGUR_TIMELINE_CAPACITY);
    std::uint32_t count = AUGUR_TIMELINE_CAPACITY;
    const bool read = is_open() && check(augur_planner_timeline(planner_, timeline_.data(), &count),
                                         "the timeline could not be read");
    timeline_.resize(read ? count : 0);
    return timeline_;
}

bool PlannerSession::tree(std::uint32_t agent, std::vector<augur_tree_node>& out) {
    out.clear();
    if (!is_open() || running_ || figures_.frames == 0) return false;
    std::uint32_t count = settings_.simulations + 1;
    out.resize(count);
    augur_result result = augur_planner_tree(planner_, agent, out.data(), &count);
    if (result == AUGUR_ERROR_SIZE) {
        out.resize(count);
        result = augur_planner_tree(planner_, agent, out.data(), &count);
    }
    const bool read = check(result, "a tree could not be read");
    out.resize(read ? count : 0);
    return read;
}

bool PlannerSession::root(std::uint32_t agent, std::vector<std::uint32_t>& visits, std::vector<float>& values) {
    visits.assign(rules_info_.action_count, 0);
    values.assign(rules_info_.action_count, 0.0f);
    if (!is_open() || running_ || figures_.frames == 0) return false;
    return check(augur_planner_root(planner_, agent, visits.data(), values.data()), "a root could not be read");
}

bool PlannerSession::advice(std::uint32_t agent, std::vector<float>& priors, float& value) {
    priors.assign(rules_info_.action_count, 0.0f);
    if (!has_model() || running_ || figures_.frames == 0) return false;
    return check(augur_planner_advice(planner_, agent, priors.data(), &value), "a model's advice could not be read");
}

bool PlannerSession::reward(const std::vector<float>& features, std::vector<float>& out) {
    out.clear();
    if (!has_reward() || features.size() != reward_input_.size()) return false;
    std::copy(features.begin(), features.end(), reward_input_.begin());
    if (!check(augur_model_evaluate(model_, &reward_desc_), "the reward could not be evaluated") ||
        !check(augur_model_wait(model_, UINT64_MAX, nullptr), "the reward could not be evaluated")) {
        return false;
    }
    out = reward_output_;
    return true;
}

const char* PlannerSession::precision_name() const {
    switch (model_info_.precision) {
        case AUGUR_PRECISION_FP32:
            return "fp32";
        case AUGUR_PRECISION_FP16:
            return "fp16";
        case AUGUR_PRECISION_INT8:
            return "int8";
        default:
            return "none";
    }
}

std::string PlannerSession::device() const {
    return answers_elsewhere() ? std::string("CPU, not ") + capabilities_.device_name : capabilities_.device_name;
}

bool PlannerSession::result_of(std::uint32_t agent, augur_agent_result& out) {
    if (!is_open() || running_ || figures_.frames == 0) return false;
    return check(augur_planner_results(planner_, agent, 1, &out), "a result could not be read");
}

const char* PlannerSession::action_name(std::int32_t action) const {
    const char* name = nullptr;
    if (action < 0 || rules_.value == 0) return "none";
    if (augur_rules_action_name(rules_, static_cast<std::uint32_t>(action), &name) < AUGUR_OK || name == nullptr) {
        return "unknown";
    }
    return name;
}

bool PlannerSession::write_trace(const std::string& path) {
    if (!is_open()) {
        message_ = "there is no planner whose trace could be written";
        return false;
    }
    return check(augur_context_write_trace(context_, path.c_str()), "the trace could not be written");
}

}  // namespace augur::demo
