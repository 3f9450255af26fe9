// The tab in which the search is tuned.
#include <algorithm>
#include <cmath>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

// What judges the positions at the ends of simulations.
void model_choice(OverlayWishes& wishes) {
    static const char* const kJudges[] = {"Rollouts", "Model"};
    int judge = wishes.search.model.empty() ? 0 : 1;
    if (!theme::segmented("model", &judge, kJudges, 2)) return;
    wishes.search.model = judge == 1 ? wishes.model_file : "";
    wishes.apply_search = true;
}

void selection_choice(OverlayWishes& wishes) {
    static constexpr std::uint32_t kChoices[] = {AUGUR_SELECTION_PUCT, AUGUR_SELECTION_UCT, AUGUR_SELECTION_GUMBEL};
    static const char* const kSelections[] = {"PUCT", "UCT", "Gumbel"};
    int selection = 0;
    while (selection < 2 && kChoices[selection] != wishes.search.selection)
        ++selection;
    if (!theme::segmented("selection", &selection, kSelections, wishes.search.model.empty() ? 2 : 3)) return;
    wishes.search.selection = kChoices[selection];
    wishes.apply_search = true;
}

// Segments for a choice whose values count up from 0.
void choice(const char* id, std::uint32_t& value, const char* const* names, int count, OverlayWishes& wishes) {
    int chosen = static_cast<int>(value);
    if (!theme::segmented(id, &chosen, names, count)) return;
    value = static_cast<std::uint32_t>(chosen);
    wishes.apply_search = true;
}

void number(const char* label, std::uint32_t& value, int high, const char* format, OverlayWishes& wishes) {
    int moved = static_cast<int>(value);
    theme::slider_int(label, &moved, 0, high, format, false);
    value = static_cast<std::uint32_t>(std::max(moved, 0));
    wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();
}

void form_of_the_search(const OverlayFacts& facts, OverlayWishes& wishes) {
    static const char* const kPrecisions[] = {"Auto", "FP32", "FP16", "INT8"};
    static const char* const kExecutions[] = {"Auto", "Resident", "Waves"};
    SearchSettings& search = wishes.search;
    if (!search.model.empty()) {
        choice("precision", search.precision, kPrecisions, 4, wishes);
        theme::gap(0.0f);
    }
    if (facts.session.capabilities().backend == AUGUR_BACKEND_CUDA) {
        choice("execution", search.execution, kExecutions, 3, wishes);
        theme::gap(0.0f);
    }
    const PlannerNeeds needs = facts.scene.needs();
    if (search.selection != AUGUR_SELECTION_GUMBEL && needs.search == AUGUR_SEARCH_FOREST) {
        static const char* const kTrees[] = {"Anew", "Subtree", "Warm start"};
        choice("trees", search.carry_over, kTrees, static_cast<int>(needs.most_carried) + 1, wishes);
        theme::gap(0.0f);
        if (search.carry_over != AUGUR_CARRY_OVER_NONE && theme::toggle("Carried visits count", &search.count_carried))
            wishes.apply_search = true;
    }
    if (search.selection == AUGUR_SELECTION_GUMBEL) {
        number("Actions considered", search.considered_actions, 64, search.considered_actions > 0 ? "%.0f" : "16",
               wishes);
    } else if (needs.search == AUGUR_SEARCH_TREE) {
        number("Leaves per wave", search.leaves_per_wave, 256, search.leaves_per_wave > 0 ? "%.0f" : "an eighth",
               wishes);
    }
}

// The curve itself, so that its two numbers need no words.
void curve_picture(const UrgencyCurve& curve) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, theme::px(38.0f));
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), theme::kWell, theme::px(6.0f));
    constexpr int kPoints = 48;
    const float inset = theme::px(5.0f);
    for (int i = 0; i <= kPoints; ++i) {
        const float away = static_cast<float>(i) / kPoints;
        const float height = curve.at(1.0f - away) / std::max(curve.peak, 1.0f);
        list.PathLineTo(ImVec2(at.x + inset + away * (size.x - 2.0f * inset),
                               at.y + size.y - inset - height * (size.y - 2.0f * inset)));
    }
    list.PathStroke(theme::kAccent, 0, theme::px(2.0f));
    ImGui::Dummy(size);
}

void urgency_controls(OverlayWishes& wishes) {
    UrgencyCurve& curve = wishes.search.urgency;
    if (theme::toggle("Simulations by urgency", &wishes.search.adaptive)) wishes.apply_search = true;
    if (!wishes.search.adaptive) return;
    theme::slider_float("Urgency beside an enemy", &curve.peak, 1.0f, 16.0f, "%.1f\xc3\x97");
    theme::slider_float("Falls off with distance", &curve.fall, 0.25f, 4.0f, "%.2f");
    curve_picture(curve);
    // As many as the mean, and there is nothing to divide.
    SearchSettings& search = wishes.search;
    number("Fewest for a unit", search.least_simulations, static_cast<int>(search.simulations),
           search.least_simulations > 0 ? "%.0f" : "as many as actions", wishes);
}

}  // namespace

void search_controls(const OverlayFacts& facts, OverlayWishes& wishes) {
    static const char* const kBackends[] = {"Auto", "CPU", "CUDA"};
    int backend = static_cast<int>(wishes.search.backend);
    if (theme::segmented("backend", &backend, kBackends, 3)) {
        wishes.search.backend = static_cast<BackendChoice>(backend);
        wishes.apply_search = true;
    }
    theme::gap(0.0f);
    model_choice(wishes);
    theme::gap(0.0f);

    theme::slider_int("Agents", &wishes.agents, static_cast<int>(facts.scene_info.min_agents),
                      static_cast<int>(facts.scene_info.max_agents), "%.0f", true);
    wishes.restart = wishes.restart || ImGui::IsItemDeactivatedAfterEdit();

    int simulations = static_cast<int>(wishes.search.simulations);
    theme::slider_int("Simulations per agent", &simulations, static_cast<int>(kFewestSimulations),
                      static_cast<int>(kMostSimulations), "%.0f", true);
    wishes.search.simulations = static_cast<std::uint32_t>(simulations);
    wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();

    int budget = static_cast<int>(wishes.search.budget_us);
    theme::slider_int("Time budget", &budget, 0, 20000, budget > 0 ? "%.0f \xc2\xb5s" : "none", false);
    wishes.search.budget_us = static_cast<std::uint32_t>(std::max(budget, 0));

    const int deepest = static_cast<int>(std::max(facts.session.rules().max_depth, 1u));
    number("Horizon", wishes.search.horizon, deepest, wishes.search.horizon > 0 ? "%.0f moves" : "of the rules",
           wishes);

    theme::slider_float("Exploration", &wishes.search.exploration, 0.0f, 4.0f,
                        wishes.search.exploration > 0.0f ? "%.2f" : "of the rules");
    wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();

    theme::gap(0.0f);
    selection_choice(wishes);
    theme::gap(0.0f);
    form_of_the_search(facts, wishes);
    if (facts.scene.has_urgency()) urgency_controls(wishes);
    // Gumbel selection spends every simulation.
    if (wishes.search.selection != AUGUR_SELECTION_GUMBEL &&
        theme::toggle("Stop early when settled", &wishes.search.early_stop)) {
        wishes.apply_search = true;
    }

    ImGui::PushFont(theme::fonts().small);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme::kTextSoft), "Seed");
    ImGui::SameLine(theme::px(96.0f));
    ImGui::SetNextItemWidth(-1.0f);
    ImGui::InputScalar("##seed", ImGuiDataType_U64, &wishes.search.seed);
    if (ImGui::IsItemDeactivatedAfterEdit()) {
        wishes.apply_search = true;
        wishes.restart = true;
    }
    ImGui::PopFont();
    theme::gap(2.0f);
    profile_controls(wishes);
}

}  // namespace augur::demo
