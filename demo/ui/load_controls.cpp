// The tab that makes the machine busy, and tells what the AI costs then.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

std::string pair_of(const Percentiles& found) {
    return theme::milliseconds(found.p50) + ", " + theme::milliseconds(found.p99) + " ms";
}

// How searches and evaluations share the GPU; what this machine cannot do is answered by what it can.
void sharing_choice(const OverlayFacts& facts, OverlayWishes& wishes) {
    static const char* const kFirst[] = {"Auto", "Plain", "Priority"};
    static const char* const kSecond[] = {"Part", "Adaptive", "Turns"};
    static const char* const kNames[] = {"auto", "plain", "by priority", "a part each", "a part by need", "in turns"};
    const auto chosen = static_cast<int>(wishes.search.gpu_sharing);
    int first = chosen < 3 ? chosen : -1;
    int second = chosen - 3;
    theme::gap(0.0f);
    if (theme::segmented("sharing", &first, kFirst, 3)) {
        wishes.search.gpu_sharing = static_cast<std::uint32_t>(first);
        wishes.apply_search = true;
    }
    if (theme::segmented("more sharing", &second, kSecond, 3)) {
        wishes.search.gpu_sharing = static_cast<std::uint32_t>(second + 3);
        wishes.apply_search = true;
    }
    theme::gap(0.0f);
    const augur_capabilities& machine = facts.session.capabilities();
    if (wishes.search.gpu_sharing == AUGUR_GPU_SHARING_PARTITION) {
        auto part = static_cast<int>(wishes.search.partition_multiprocessors);
        theme::slider_int("Multiprocessors of the search", &part, 0, static_cast<int>(machine.multiprocessors),
                          part > 0 ? "%.0f" : "an eighth", false);
        wishes.search.partition_multiprocessors = static_cast<std::uint32_t>(std::max(part, 0));
        wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();
    }
    const std::uint32_t used = machine.gpu_sharing;
    theme::row("The GPU is shared", used < std::size(kNames) ? kNames[used] : "in another way");
}

// What the search is worth beside others, and what becomes of actions that come too late.
void search_among_others(OverlayWishes& wishes) {
    SearchSettings& search = wishes.search;
    std::array<char, 32> product{};
    const float weight = search.phase_weight * search.depth_weight * search.priority;
    std::snprintf(product.data(), product.size(), "%.2f", static_cast<double>(weight));
    theme::row("Weight of the search", product.data());
    if (ImGui::BeginTable("weights", 3)) {
        ImGui::TableNextColumn();
        // Cells take over the baseline of those before them, and that of a slider is lower than that of text.
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0f, theme::px(1.0f)));
        ImGui::AlignTextToFramePadding();
        ImGui::PopStyleVar();
        theme::slider_float("Phase", &search.phase_weight, 0.1f, 10.0f, "%.1f");
        ImGui::TableNextColumn();
        theme::slider_float("Depth", &search.depth_weight, 0.1f, 10.0f, "%.1f");
        ImGui::TableNextColumn();
        theme::slider_float("Priority", &search.priority, 0.1f, 10.0f, "%.1f");
        wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();
        ImGui::EndTable();
    }
    static const char* const kLate[] = {"Write", "Drop"};
    auto late = static_cast<int>(search.late_actions);
    ImGui::PushFont(theme::fonts().small);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme::kTextSoft), "Late actions");
    ImGui::PopFont();
    ImGui::SameLine(theme::px(112.0f));
    if (!theme::segmented("late", &late, kLate, 2)) return;
    search.late_actions = static_cast<std::uint32_t>(late);
    wishes.apply_search = true;
}

}  // namespace

void load_controls(const OverlayFacts& facts, OverlayWishes& wishes) {
    theme::heading("RENDERING");
    theme::slider_float("Shading added to each frame", &wishes.render_load_ms, 0.0f, kMostRenderLoadMs,
                        wishes.render_load_ms > 0.0f ? "%.1f ms" : "none");
    theme::hint("As long as that when nothing else runs.");
    theme::gap(8.0f);

    theme::heading("REWARD MODEL");
    theme::slider_int("Rows through the model each frame", &wishes.model_load_rows, 0, static_cast<int>(kMostLoadRows),
                      wishes.model_load_rows > 0 ? "%.0f" : "none", true);
    wishes.apply_load = wishes.apply_load || ImGui::IsItemDeactivatedAfterEdit();
    if (facts.model_load.is_open()) {
        theme::row("Batch, p50 and p99", pair_of(facts.model_load.batch_ms().percentiles()), theme::kModel);
        theme::row("of it in the queue", pair_of(facts.model_load.queued_ms().percentiles()));
    } else {
        theme::hint("A batch of the scene's network beside the search, as a game's own reward model would be.");
    }
    theme::toggle("Search and model share the budget", &wishes.share_budget);
    if (wishes.share_budget) {
        auto budget = static_cast<int>(wishes.search.frame_budget_us);
        theme::slider_int("Budget of the frame", &budget, 0, 20000, budget > 0 ? "%.0f \xc2\xb5s" : "the search's own",
                          false);
        wishes.search.frame_budget_us = static_cast<std::uint32_t>(std::max(budget, 0));
    }
    if (facts.session.capabilities().backend == AUGUR_BACKEND_CUDA) sharing_choice(facts, wishes);
    search_among_others(wishes);
    theme::gap(8.0f);

    theme::heading("A/B");
    theme::toggle("AI on and off in turns", &wishes.compare);
    theme::slider_float("Length of a turn", &wishes.compare_seconds, 0.5f, 10.0f, "%.1f s");
    theme::hint("Whole frames by the clock on the wall, without waiting for the screen.");
    theme::gap(8.0f);

    theme::heading("WHOLE FRAMES");
    theme::row("Frame, p50 and p99", pair_of(facts.frame_ms.percentiles()));
    theme::row("Until a search begins", pair_of(facts.session.wait_ms().percentiles()));
    theme::row("Held up by collecting", pair_of(facts.session.collect_ms().percentiles()));
    theme::row("Frames that stood out", std::to_string(facts.history.spikes()));
}

}  // namespace augur::demo
