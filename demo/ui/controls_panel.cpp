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
    static const char* const kTabs[] = {"Search", "Load", "View"};
    theme::tabs("tabs", &wishes.view.tab, kTabs, 3);
    theme::gap(2.0f);
    switch (wishes.view.tab) {
        case OverlayView::kSearch:
            search_controls(facts, wishes);
            break;
        case OverlayView::kLoad:
            load_controls(facts, wishes);
            break;
        default:
            scene_controls(facts, wishes);
            break;
    }
    theme::gap(6.0f);
    time_settings(wishes);

    // The map and where it all runs, at the foot of the panel when there is room.
    const Target* map = facts.scene.map();
    const float width = ImGui::GetContentRegionAvail().x;
    const float map_height =
        map != nullptr ? width * static_cast<float>(map->extent().height) / static_cast<float>(map->extent().width)
                       : 0.0f;
    const float lines = theme::px(48.0f);
    const float room = ImGui::GetContentRegionAvail().y;
    const bool map_fits = map != nullptr && room >= lines + map_height + theme::px(38.0f);
    const float left = room - lines - (map_fits ? map_height + theme::px(38.0f) : 0.0f);
    if (left > 0.0f) ImGui::Dummy(ImVec2(0.0f, left));
    if (map_fits) {
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
