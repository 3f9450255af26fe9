#include "app/report.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace augur::demo {
namespace {

nlohmann::ordered_json percentiles_of(const Samples& samples) {
    const Percentiles found = samples.percentiles();
    return {{"p50", found.p50}, {"p95", found.p95}, {"p99", found.p99}, {"max", found.max}};
}

nlohmann::ordered_json side_of(const AbSide& side) {
    return {{"frames", side.frames}, {"mean_ms", side.mean_ms}, {"p99_ms", side.p99_ms}};
}

nlohmann::ordered_json comparison_of(const AbTest& ab) {
    if (!ab.running()) return nullptr;
    const AbResult found = ab.result();
    nlohmann::ordered_json json;
    json["period_seconds"] = ab.period_seconds();
    json["ai_on"] = side_of(found.on);
    json["ai_off"] = side_of(found.off);
    json["pairs"] = found.pairs;
    json["difference_ms"] = found.difference_ms;
    json["uncertainty_ms"] =
        found.known() ? nlohmann::ordered_json(found.uncertainty_ms) : nlohmann::ordered_json(nullptr);
    return json;
}

const char* selection_name(std::uint32_t selection) {
    switch (selection) {
        case AUGUR_SELECTION_UCT:
            return "uct";
        case AUGUR_SELECTION_GUMBEL:
            return "gumbel";
        default:
            return "puct";
    }
}

// What the inspector panel shows of the selected agent: the decision, its return, and what the model says of it.
nlohmann::ordered_json selected_of(const ReportFacts& facts) {
    const Thoughts& thoughts = facts.thoughts;
    if (!thoughts.valid) return nullptr;
    nlohmann::ordered_json json;
    json["agent"] = thoughts.agent;
    json["action"] = facts.session.action_name(thoughts.result.action);
    json["expected_return"] = thoughts.result.value;
    json["model_value"] = nullptr;
    if (thoughts.model_value) json["model_value"] = *thoughts.model_value;
    json["model_policy"] = thoughts.priors;
    json["model_reward"] = thoughts.reward;
    return json;
}

}  // namespace

bool write_report(const std::string& path, const ReportFacts& facts, std::string& error) {
    const RunFigures& figures = facts.session.figures();
    const double seconds = static_cast<double>(figures.plan_ns) * 1e-9;
    const double planned_frames = static_cast<double>(figures.frames > 0 ? figures.frames : 1);
    std::array<char, 24> hash{};
    std::snprintf(hash.data(), hash.size(), "0x%016llx", static_cast<unsigned long long>(figures.decision_hash));

    nlohmann::ordered_json report;
    report["scene"] = facts.scene;
    report["agents"] = facts.agents;
    report["frames"] = facts.frames;
    report["plans"] = figures.frames;
    report["ticks"] = facts.ticks;
    report["backend"] = facts.session.backend() == AUGUR_BACKEND_CUDA ? "cuda" : "cpu";
    report["device"] = facts.session.device();
    report["simulations_per_agent"] = facts.session.settings().simulations;
    report["budget_us"] = facts.session.settings().budget_us;
    report["seed"] = facts.session.settings().seed;
    report["selection"] = selection_name(facts.session.settings().selection);
    const bool guided = facts.session.has_model();
    const std::string model = std::filesystem::path(facts.session.settings().model).filename().string();
    report["model"] = guided ? nlohmann::ordered_json(model) : nlohmann::ordered_json(nullptr);
    report["model_precision"] =
        guided ? nlohmann::ordered_json(facts.session.precision_name()) : nlohmann::ordered_json(nullptr);
    report["model_fallbacks"] = figures.model_fallbacks;
    report["simulations"] = figures.simulations;
    report["simulations_per_second"] = seconds > 0.0 ? static_cast<double>(figures.simulations) / seconds : 0.0;
    report["request_ms"] = percentiles_of(facts.session.request_ms());
    report["search_ms"] = percentiles_of(facts.session.search_ms());
    report["evaluate_ms"] = percentiles_of(facts.session.evaluate_ms());
    report["plan_ms"] = percentiles_of(facts.session.plan_ms());
    report["frame_ms"] = percentiles_of(facts.frame_ms);
    report["deadline_misses"] = figures.deadline_misses;
    report["fallbacks"] = figures.fallbacks;
    report["bytes_copied_per_frame"] = static_cast<double>(figures.bytes_copied) / planned_frames;
    report["wait_ms"] = percentiles_of(facts.session.wait_ms());
    report["collect_ms"] = percentiles_of(facts.session.collect_ms());
    report["spikes"] = facts.history.spikes();
    report["profile"] = facts.profile.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(facts.profile);
    report["render_load"] = {{"ms", facts.render_load.ms()},
                             {"steps", facts.render_load.steps()},
                             {"ms_per_step", facts.render_load.ms_per_step()}};
    report["model_load"] = {{"rows", facts.model_load.rows()},
                            {"batch_ms", percentiles_of(facts.model_load.batch_ms())},
                            {"queued_ms", percentiles_of(facts.model_load.queued_ms())}};
    report["ab"] = comparison_of(facts.ab);
    report["selected"] = selected_of(facts);
    report["decision_hash"] = hash.data();
    report["renderer"] = facts.gl.renderer;
    report["opengl"] = facts.gl.version;
    report["opengl_errors"] = gl_error_count();
    report["surface"] = facts.surface;
    report["picture"] = {facts.picture.width, facts.picture.height};

    // Device names come from drivers: bytes that are not UTF-8 are replaced rather than thrown at.
    const std::string text = report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << '\n';
    file.close();
    if (file.fail()) {
        error = "cannot write " + path + ": " + (errno != 0 ? std::strerror(errno) : "the file could not be completed");
        return false;
    }
    return true;
}

}  // namespace augur::demo
