// Keeping what was tuned: a path, and the buttons that load and save a profile there.
#include <algorithm>
#include <array>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {

void profile_controls(OverlayWishes& wishes) {
    theme::heading("PROFILE");
    ImGui::PushFont(theme::fonts().small);
    std::array<char, 1024> path{};
    const std::size_t length = std::min(wishes.profile_path.size(), path.size() - 1);
    std::copy_n(wishes.profile_path.begin(), length, path.begin());
    ImGui::SetNextItemWidth(-1.0f);
    if (ImGui::InputText("##profile", path.data(), path.size())) {
        wishes.profile_path = path.data();
        wishes.profile_message.clear();
    }
    const float spacing = theme::px(3.0f);
    const float half = std::max(0.5f * (ImGui::GetContentRegionAvail().x - spacing), 8.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing, theme::px(6.0f)));
    if (ImGui::Button("Load", ImVec2(half, 0.0f))) wishes.load_profile = true;
    ImGui::SameLine();
    if (ImGui::Button("Save", ImVec2(half, 0.0f))) wishes.save_profile = true;
    ImGui::PopStyleVar();
    if (!wishes.profile_message.empty()) {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(wishes.profile_good ? theme::kTextSoft : theme::kWarning),
                           "%s", wishes.profile_message.c_str());
        ImGui::PopTextWrapPos();
    }
    ImGui::PopFont();
}

}  // namespace augur::demo
