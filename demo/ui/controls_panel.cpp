#include <cmath>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

void word_mark() {
    // An eye that looks ahead: the ring of a horizon around a point.
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float r = theme::px(10.0f);
    const ImVec2 middle(at.x + r, at.y + theme::px(13.0f));
    list.PathArcTo(middle, r, 0.6f, 5.68f, 32);
    list.PathStroke(theme::kAccent, 0, theme::px(2.2f));
    list.AddCircleFilled(middle, theme::px(3.4f), theme::kText, 20);
    list.AddLine(ImVec2(middle.x + theme::px(5.5f), middle.y), ImVec2(middle.x + r + theme::px(5.0f), middle.y),
                 theme::kAccent, theme::px(2.2f));
    ImGui::SetCursorScreenPos(ImVec2(at.x + 2.0f * r + theme::px(14.0f), at.y));
    ImGui::PushFont(theme::fonts().mark);
    ImGui::TextUnformatted("A U G U R");
    ImGui::PopFont();
}

void scene_choice(const OverlayFacts& facts, OverlayWishes& wishes) {
    theme::heading("SCENE");
    ImGui::SetNextItemWidth(-1.0f);
    if (ImGui::BeginCombo("##scene", facts.scene_info.title)) {
        for (const SceneInfo& info : scenes()) {
            const bool chosen = &info == &facts.scene_info;
            if (ImGui::Selectable(info.title, chosen) && !chosen) wishes.scene = info.name;
        }
        ImGui::EndCombo();
    }
}

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

void search_settings(const OverlayFacts& facts, OverlayWishes& wishes) {
    theme::heading("SEARCH");
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

    int horizon = static_cast<int>(wishes.search.horizon);
    const int deepest = static_cast<int>(std::max(facts.session.rules().max_depth, 1u));
    theme::slider_int("Horizon", &horizon, 0, deepest, horizon > 0 ? "%.0f moves" : "of the rules", false);
    wishes.search.horizon = static_cast<std::uint32_t>(std::max(horizon, 0));
    wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();

    theme::slider_float("Exploration", &wishes.search.exploration, 0.0f, 4.0f,
                        wishes.search.exploration > 0.0f ? "%.2f" : "of the rules");
    wishes.apply_search = wishes.apply_search || ImGui::IsItemDeactivatedAfterEdit();

    theme::gap(0.0f);
    selection_choice(wishes);
    theme::gap(0.0f);
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
}

void time_settings(OverlayWishes& wishes) {
    theme::heading("TIME");
    FrameClock& clock = *wishes.clock;
    const float spacing = theme::px(3.0f);
    const float third = (ImGui::GetContentRegionAvail().x - 2.0f * spacing) / 3.0f;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing, theme::px(6.0f)));
    ImGui::PushFont(theme::fonts().small);
    if (ImGui::Button(clock.paused ? "Play" : "Pause", ImVec2(std::max(third, 8.0f), 0.0f)))
        clock.paused = !clock.paused;
    ImGui::SameLine();
    if (ImGui::Button("Step", ImVec2(std::max(third, 8.0f), 0.0f))) {
        clock.paused = true;
        clock.request_step();
    }
    ImGui::SameLine();
    if (ImGui::Button("Restart", ImVec2(std::max(third, 8.0f), 0.0f))) wishes.restart = true;
    ImGui::PopFont();
    ImGui::PopStyleVar();
    auto speed = static_cast<float>(clock.speed);
    theme::slider_float("Speed", &speed, 0.1f, 4.0f, "%.1f\xc3\x97");
    clock.speed = static_cast<double>(speed);
}

}  // namespace

void controls_panel(const OverlayFacts& facts, OverlayWishes& wishes, Vec2 low, Vec2 high) {
    theme::begin_panel("controls", low, high);
    word_mark();
    theme::gap(6.0f);
    scene_choice(facts, wishes);
    theme::gap(6.0f);
    search_settings(facts, wishes);
    theme::gap(6.0f);
    time_settings(wishes);
    theme::gap(6.0f);
    theme::heading("VIEW");
    facts.scene.controls();

    // The map and where it all runs, at the foot of the panel when there is room.
    const Target* map = facts.scene.map();
    const float width = ImGui::GetContentRegionAvail().x;
    const float map_height =
        map != nullptr ? width * static_cast<float>(map->extent().height) / static_cast<float>(map->extent().width)
                       : 0.0f;
    const float foot = theme::px(48.0f) + (map != nullptr ? map_height + theme::px(38.0f) : 0.0f);
    const float left = ImGui::GetContentRegionAvail().y - foot;
    if (left > 0.0f) ImGui::Dummy(ImVec2(0.0f, left));
    if (map != nullptr) {
        theme::heading("FIELD");
        const ImVec2 at = ImGui::GetCursorScreenPos();
        // OpenGL's first row is the bottom one.
        ImGui::Image(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(map->texture())),
                     ImVec2(width, map_height), ImVec2(0.0f, 1.0f), ImVec2(1.0f, 0.0f), ImVec4(1.0f, 1.0f, 1.0f, 1.0f),
                     ImVec4(1.0f, 1.0f, 1.0f, 0.10f));
        if (ImGui::IsItemHovered() && ImGui::IsMouseDown(0)) {
            const ImVec2 mouse = ImGui::GetMousePos();
            facts.scene.map_clicked({(mouse.x - at.x) / width, (mouse.y - at.y) / std::max(map_height, 1.0f)});
        }
        theme::gap(6.0f);
    }
    ImGui::PushFont(theme::fonts().small);
    ImGui::PushStyleColor(ImGuiCol_Text, theme::kTextFaint);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::Text("Search   %s", facts.session.is_open() ? facts.session.device().c_str() : "not running");
    ImGui::Text("Picture  %s", facts.gl.renderer.substr(0, facts.gl.renderer.find(" (")).c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
    theme::end_panel();
}

}  // namespace augur::demo
