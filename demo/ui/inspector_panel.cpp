// What the selected agent thinks: its root's actions by visits and value, and the line it expects.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr float kAroundAnAction = 5.0f;  // beside the text of its row
constexpr float kRoomForALine = 64.0f;   // heading and one row of the line that is expected

std::string signed_value(float value, int digits = 2) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%+.*f", digits, static_cast<double>(value));
    return text.data();
}

// What there is to say of one action of the root.
struct RootAction {
    const char* name;
    std::uint32_t visits;
    float visit_share;  // of the most visited action's
    float value;
    float prior;        // share that the model's policy gives it, below 0 without a model
    float prior_share;  // of the likeliest action's
    bool chosen;
};

// Name, a bar for the visits, below it a thin one for the model's policy, visits and value as numbers.
void action_row(const RootAction& action) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float name_width = theme::px(112.0f);
    const float value_width = theme::px(44.0f);
    const float count_width = theme::px(40.0f);
    const float line = font->FontSize + theme::px(kAroundAnAction);
    list.AddText(font, font->FontSize, at, action.chosen ? theme::kText : theme::kTextSoft, action.name);
    const float from = at.x + name_width;
    const float to = at.x + width - value_width - count_width;
    const bool guided = action.prior >= 0.0f;
    const float middle = at.y + 0.5f * font->FontSize + theme::px(guided ? -1.0f : 1.0f);
    const float half = theme::px(guided ? 3.0f : 3.5f);
    list.AddRectFilled(ImVec2(from, middle - half), ImVec2(to, middle + half), theme::kWell, half);
    if (action.visits > 0) {
        list.AddRectFilled(ImVec2(from, middle - half),
                           ImVec2(from + std::max((to - from) * action.visit_share, 2.0f * half), middle + half),
                           action.chosen ? theme::kAccent : theme::with_alpha(theme::kAccent, 0.40f), half);
    }
    if (guided && action.prior > 0.0f) {
        // On whole pixels: so thin a bar blurs between them.
        const float top = std::floor(middle + half + theme::px(1.5f));
        const float bottom = top + std::max(std::floor(theme::px(2.0f)), 1.0f);
        const float reach = std::max((to - from) * action.prior_share, theme::px(2.0f));
        list.AddRectFilled(ImVec2(from, top), ImVec2(std::floor(from + reach), bottom),
                           action.chosen ? theme::kModel : theme::with_alpha(theme::kModel, 0.70f));
    }
    const std::string count = std::to_string(action.visits);
    const float count_reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, count.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(to + count_width - count_reach, at.y), theme::kTextFaint, count.c_str());
    const std::string number = action.visits > 0 ? signed_value(action.value) : "\xe2\x80\x93";
    const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, number.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(at.x + width - reach, at.y),
                 action.chosen ? theme::kText : theme::kTextSoft, number.c_str());
    ImGui::Dummy(ImVec2(width, line));
}

void root_actions(const OverlayFacts& facts) {
    const Thoughts& thoughts = facts.thoughts;
    const bool guided = !thoughts.priors.empty() && thoughts.priors.size() == thoughts.visits.size();
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 top = ImGui::GetCursorScreenPos();
    theme::heading(guided ? "ACTIONS AT THE ROOT" : "ACTIONS AT THE ROOT: VISITS AND VALUE");
    if (guided) {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImFont* font = theme::fonts().small;
        float x = top.x + width;
        const auto key = [&](const char* name, ImU32 color) {
            x -= font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name).x;
            list.AddText(font, font->FontSize, ImVec2(x, top.y - theme::px(2.0f)), theme::kTextSoft, name);
            x -= theme::px(13.0f);
            list.AddRectFilled(ImVec2(x, top.y + theme::px(2.0f)),
                               ImVec2(x + theme::px(8.0f), top.y + theme::px(10.0f)), color, theme::px(2.0f));
            x -= theme::px(12.0f);
        };
        key("policy", theme::kModel);
        key("visits, value", theme::kAccent);
    }
    theme::gap(1.0f);
    const std::uint32_t most =
        std::max(thoughts.visits.empty() ? 0 : *std::max_element(thoughts.visits.begin(), thoughts.visits.end()), 1u);
    const float likeliest =
        guided ? std::max(*std::max_element(thoughts.priors.begin(), thoughts.priors.end()), 1e-6f) : 1.0f;
    // Closer together where the line below them would have no room.
    const std::size_t shown = std::min<std::size_t>(thoughts.visits.size(), 20);
    const float room = ImGui::GetContentRegionAvail().y - theme::px(kRoomForALine);
    const float loose = ImGui::GetStyle().ItemSpacing.y;
    const float fits = room / static_cast<float>(std::max<std::size_t>(shown, 1)) -
                       (theme::fonts().small->FontSize + theme::px(kAroundAnAction));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        ImVec2(ImGui::GetStyle().ItemSpacing.x, std::clamp(fits, theme::px(1.0f), loose)));
    for (std::size_t i = 0; i < shown; ++i) {
        RootAction action{};
        action.name = facts.session.action_name(static_cast<std::int32_t>(i));
        action.visits = thoughts.visits[i];
        action.visit_share = static_cast<float>(action.visits) / static_cast<float>(most);
        action.value = thoughts.values[i];
        action.prior = guided ? thoughts.priors[i] : -1.0f;
        action.prior_share = action.prior / likeliest;
        action.chosen = static_cast<std::int32_t>(i) == thoughts.result.action;
        action_row(action);
    }
    ImGui::PopStyleVar();
}

void model_rows(const Thoughts& thoughts) {
    if (thoughts.model_value) theme::row("Model's value", signed_value(*thoughts.model_value), theme::kModel);
    if (thoughts.reward.empty()) return;
    // A number for each action, or one for the state. Rewards of a ply are small beside a return.
    const bool per_action = thoughts.reward.size() == thoughts.visits.size();
    const std::size_t slot = per_action ? static_cast<std::size_t>(thoughts.result.action) : 0;
    theme::row(per_action ? "Model's reward of the decision" : "Model's reward", signed_value(thoughts.reward[slot], 3),
               theme::kModel);
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
    model_rows(thoughts);
    theme::row("Simulations", std::to_string(thoughts.result.visits) +
                                  ((thoughts.result.flags & AUGUR_AGENT_PROVEN) != 0       ? ", proven"
                                   : (thoughts.result.flags & AUGUR_AGENT_EARLY_STOP) != 0 ? ", settled early"
                                                                                           : ""));
    std::uint32_t deepest = 0;
    for (const augur_tree_node& node : thoughts.tree)
        deepest = std::max(deepest, node.depth);
    theme::row("Tree", std::to_string(thoughts.tree.size()) + " nodes, " + std::to_string(deepest) + " deep");
    theme::gap(10.0f);

    root_actions(facts);
    theme::gap(6.0f);
    principal_line(facts);
    theme::end_panel();
}

}  // namespace augur::demo
