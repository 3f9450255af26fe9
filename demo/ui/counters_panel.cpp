#include <filesystem>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {

namespace {

constexpr std::size_t kLongestName = 24;

void model_rows(PlannerSession& session) {
    const augur_model_info& model = session.model();
    Samples evaluate_ms(AUGUR_TIMELINE_CAPACITY);
    for (const augur_timeline_frame& frame : session.timeline()) {
        const augur_stage_span& span = frame.stages[AUGUR_STAGE_EVALUATE];
        evaluate_ms.add(static_cast<double>(span.end_ns - span.begin_ns) * 1e-6);
    }
    const Percentiles found = evaluate_ms.percentiles();
    std::string name = std::filesystem::path(session.settings().model).filename().string();
    if (name.size() > kLongestName) name = name.substr(0, kLongestName - 1) + "\xe2\x80\xa6";
    theme::row("Model", name + ", " + session.precision_name() + ", " +
                            theme::short_bytes(static_cast<double>(model.weight_bytes + model.reserved_bytes)));
    theme::row("Model in a plan, p50 and p99",
               theme::milliseconds(found.p50) + ", " + theme::milliseconds(found.p99) + " ms", theme::kModel);
}

// What the budget controller did about budgets; nothing where it had nothing to do.
void budget_rows(const PlannerSession& session, const augur_counters& counters) {
    const bool adaptive = session.settings().adaptive;
    const auto count = [](std::uint64_t value) { return theme::short_number(static_cast<double>(value)); };
    if (adaptive || counters.frames_reduced + counters.frames_in_turns > 0)
        theme::row("Frames reduced, in turns", count(counters.frames_reduced) + ", " + count(counters.frames_in_turns));
    if (adaptive || counters.agents_put_off > 0) theme::row("Agents put off", count(counters.agents_put_off));
    if (counters.frames_unsearched + counters.frames_dropped > 0)
        theme::row("Frames not searched, dropped",
                   count(counters.frames_unsearched) + ", " + count(counters.frames_dropped));
    if (counters.simulation_cost_ps > 0) {
        theme::row("Cost of a simulation", std::to_string((counters.simulation_cost_ps + 500) / 1000) + " ns");
    } else if (adaptive) {
        theme::row("Cost of a simulation", "not known yet");
    }
}

}  // namespace

float counters_panel(const OverlayFacts& facts, Vec2 low, Vec2 high) {
    theme::begin_panel("counters", low, high);
    PlannerSession& session = facts.session;
    const augur_frame_result& frame = session.last_frame();
    augur_counters counters{};
    augur_latency plan{};
    const bool counted = session.counters(counters) && session.latency(AUGUR_LATENCY_FRAME, plan);

    const double plan_seconds = static_cast<double>(frame.request_to_done_ns) * 1e-9;
    const double per_second = plan_seconds > 0.0 ? static_cast<double>(frame.simulations) / plan_seconds : 0.0;
    const float half = 0.5f * (ImGui::GetContentRegionAvail().x - theme::px(8.0f));

    theme::heading("THIS FRAME");
    theme::gap(2.0f);
    theme::figure("agents planned", theme::short_number(facts.agents), "", half);
    ImGui::SameLine();
    theme::figure("simulations / s", theme::short_number(per_second), "", half, theme::kAccent);
    theme::gap(4.0f);
    theme::figure("plan, median", theme::milliseconds(plan.p50_us * 1e-3), "ms", half);
    ImGui::SameLine();
    theme::figure("plan, 99th percentile", theme::milliseconds(plan.p99_us * 1e-3), "ms", half);
    theme::gap(4.0f);

    const bool on_gpu = session.backend() == AUGUR_BACKEND_CUDA;
    const bool elsewhere = session.answers_elsewhere();
    const bool model_is_elsewhere = session.has_model() && session.model().backend == AUGUR_BACKEND_CPU;
    const bool in_waves = counters.execution == AUGUR_EXECUTION_WAVES;
    theme::row("Backend",
               !session.is_open()   ? "none"
               : on_gpu             ? (in_waves ? "CUDA, in waves" : "CUDA, resident")
               : !elsewhere         ? "CPU"
               : model_is_elsewhere ? "CPU \xe2\x80\x93 this model runs there"
                                    : "CPU \xe2\x80\x93 the GPU is lost",
               elsewhere ? theme::kWarning : theme::kText);
    theme::row("Deadline misses", std::to_string(counters.deadline_misses),
               counters.deadline_misses > 0 ? theme::kWarning : theme::kText);
    const bool nonsense = counters.model_fallbacks > 0;
    theme::row("Agents on fallback",
               std::to_string(counters.fallbacks) +
                   (nonsense ? ", in the model " + std::to_string(counters.model_fallbacks) : ""),
               counters.fallbacks > 0 || nonsense ? theme::kWarning : theme::kText);
    const bool in_place = counted && frame.bytes_copied == 0 && counters.frames > 0;
    theme::row(
        "Copied this frame",
        in_place ? "0 B \xe2\x80\x93 read in place" : theme::short_bytes(static_cast<double>(frame.bytes_copied)),
        in_place ? theme::kAccent : theme::kText);
    augur_latency waiting{};
    augur_latency collecting{};
    if (session.latency(AUGUR_LATENCY_WAIT, waiting) && session.latency(AUGUR_LATENCY_COLLECT, collecting)) {
        theme::row("Queued, collecting, p99", theme::milliseconds(waiting.p99_us * 1e-3) + ", " +
                                                  theme::milliseconds(collecting.p99_us * 1e-3) + " ms");
    }
    if (counted && counters.agents > 0 && counters.trees_carried + counters.trees_warmed + counters.trees_reset > 0) {
        const double agents = static_cast<double>(counters.agents);
        theme::row("Trees carried, warmed", theme::percent(static_cast<double>(counters.trees_carried) / agents) +
                                                ", " +
                                                theme::percent(static_cast<double>(counters.trees_warmed) / agents));
    }
    if (counted) budget_rows(session, counters);
    const bool has_gpu = session.capabilities().backend == AUGUR_BACKEND_CUDA;
    augur_timeline_frame newest{};
    if (has_gpu && session.newest(newest)) {
        theme::row("Multiprocessors of the search", std::to_string(newest.multiprocessors) + " of " +
                                                        std::to_string(session.capabilities().multiprocessors));
    }
    augur_memory_usage usage{};
    if (has_gpu && session.memory_usage(usage)) {
        theme::row("GPU memory held, free", theme::short_bytes(static_cast<double>(usage.device_bytes)) + ", " +
                                                theme::short_bytes(static_cast<double>(usage.device_free_bytes)));
    }
    theme::row("Planner memory", theme::short_bytes(static_cast<double>(counters.device_bytes + counters.host_bytes)));
    if (session.has_model()) model_rows(session);
    const ImGuiStyle& style = ImGui::GetStyle();
    const float height = ImGui::GetCursorPosY() + ImGui::GetScrollY() - style.ItemSpacing.y + style.WindowPadding.y;
    theme::end_panel();
    return height;
}

}  // namespace augur::demo
