// What the selected agent thinks: its root's actions by visits and value, and the line it expects.
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

std::string signed_value(float value) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%+.2f", static_cast<double>(value));
    return text.data();
}

// One action of the root: name, a bar for its share of the visits, its value.
void action_row(const char* name, std::uint32_t visits, std::uint32_t most, float value, bool chosen) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float name_width = theme::px(112.0f);
    const float value_width = theme::px(44.0f);
    const float count_width = theme::px(40.0f);
    const float line = font->FontSize + theme::px(5.0f);
    list.AddText(font, font->FontSize, at, chosen ? theme::kText : theme::kTextSoft, name);
    const float from = at.x + name_width;
    const float to = at.x + width - value_width - count_width;
    const float middle = at.y + 0.5f * font->FontSize + theme::px(1.0f);
    const float half = theme::px(3.5f);
    list.AddRectFilled(ImVec2(from, middle - half), ImVec2(to, middle + half), theme::kWell, half);
    const float share = most > 0 ? static_cast<float>(visits) / static_cast<float>(most) : 0.0f;
    if (visits > 0) {
        list.AddRectFilled(ImVec2(from, middle - half),
                           ImVec2(from + std::max((to - from) * share, 2.0f * half), middle + half),
                           chosen ? theme::kAccent : theme::with_alpha(theme::kAccent, 0.40f), half);
    }
    const std::string count = std::to_string(visits);
    const float count_reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, count.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(to + count_width - count_reach, at.y), theme::kTextFaint, count.c_str());
    const std::string number = visits > 0 ? signed_value(value) : "\xe2\x80\x93";
    const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, number.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(at.x + width - reach, at.y), chosen ? theme::kText : theme::kTextSoft,
                 number.c_str());
    ImGui::Dummy(ImVec2(width, line));
}

void principal_line(const OverlayFacts& facts) {
    theme::heading("LINE IT EXPECTS");
    theme::gap(1.0f);
    const Thoughts& thoughts = facts.thoughts;
    if (thoughts.best_line.empty()) {
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme::kTextFaint), "too few simulations for a line");
        return;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float room = ImGui::GetContentRegionAvail().y;
    const float line = font->FontSize + theme::px(12.0f);
    float x = start.x;
    float y = start.y;
    for (const std::uint32_t index : thoughts.best_line) {
        const augur_tree_node& node = thoughts.tree[index];
        const char* name = facts.session.action_name(node.action);
        const float chip = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name).x + theme::px(14.0f);
        if (x > start.x && x + chip > start.x + width) {
            x = start.x;
            y += line;
        }
        if (y + line > start.y + room) break;
        const float strength = std::clamp(1.0f - 0.12f * static_cast<float>(node.depth - 1), 0.35f, 1.0f);
        list.AddRectFilled(ImVec2(x, y), ImVec2(x + chip, y + font->FontSize + theme::px(7.0f)), theme::kWellHover,
                           theme::px(5.0f));
        list.AddText(font, font->FontSize, ImVec2(x + theme::px(7.0f), y + theme::px(3.0f)),
                     theme::with_alpha(theme::kText, strength), name);
        x += chip + theme::px(5.0f);
    }
    ImGui::Dummy(ImVec2(width, y + line - start.y));
}

}  // namespace

void inspector_panel(const OverlayFacts& facts, Vec2 low, Vec2 high) {
    theme::begin_panel("inspector", low, high);
    const Thoughts& thoughts = facts.thoughts;
    std::vector<std::pair<std::string, std::string>> rows;
    facts.scene.describe_selected(rows);
    theme::heading("SELECTED AGENT");
    theme::gap(2.0f);
    if (!rows.empty()) {
        ImGui::PushFont(theme::fonts().figure);
        ImGui::TextUnformatted(rows.front().second.c_str());
        ImGui::PopFont();
        for (std::size_t i = 1; i < rows.size(); ++i)
            theme::row(rows[i].first.c_str(), rows[i].second);
    }
    if (!thoughts.valid) {
        theme::gap(6.0f);
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme::kTextFaint),
                           "No plan for this agent in the last frame.");
        ImGui::PopTextWrapPos();
        theme::end_panel();
        return;
    }
    theme::row("Decision", facts.session.action_name(thoughts.result.action), theme::kAccent);
    theme::row("Expected return", signed_value(thoughts.result.value));
    theme::row("Simulations", std::to_string(thoughts.result.visits) +
                                  ((thoughts.result.flags & AUGUR_AGENT_PROVEN) != 0       ? ", proven"
                                   : (thoughts.result.flags & AUGUR_AGENT_EARLY_STOP) != 0 ? ", settled early"
                                                                                           : ""));
    std::uint32_t deepest = 0;
    for (const augur_tree_node& node : thoughts.tree)
        deepest = std::max(deepest, node.depth);
    theme::row("Tree", std::to_string(thoughts.tree.size()) + " nodes, " + std::to_string(deepest) + " deep");
    theme::gap(10.0f);

    theme::heading("ACTIONS AT THE ROOT: VISITS AND VALUE");
    theme::gap(1.0f);
    const std::uint32_t most =
        thoughts.visits.empty() ? 0 : *std::max_element(thoughts.visits.begin(), thoughts.visits.end());
    for (std::size_t action = 0; action < thoughts.visits.size() && action < 20; ++action) {
        action_row(facts.session.action_name(static_cast<std::int32_t>(action)), thoughts.visits[action], most,
                   thoughts.values[action], static_cast<std::int32_t>(action) == thoughts.result.action);
    }
    theme::gap(10.0f);
    principal_line(facts);
    theme::end_panel();
}

}  // namespace augur::demo
