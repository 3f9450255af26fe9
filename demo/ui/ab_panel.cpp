// What the AI costs a whole frame, by turning it on and off: the difference, how sure it is, and both sides.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

std::string signed_ms(double ms) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%+.2f", ms);
    return text.data();
}

// The interval of the difference on an axis with 0 on it.
void interval(const AbResult& found, float height) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const double low_ms = found.difference_ms - found.uncertainty_ms;
    const double high_ms = found.difference_ms + found.uncertainty_ms;
    const double least = std::min(low_ms, 0.0);
    const double most = std::max(high_ms, 0.0);
    const double margin = 0.12 * std::max(most - least, 1e-6);
    const auto place = [&](double ms) {
        return at.x + width * static_cast<float>((ms - least + margin) / (most - least + 2.0 * margin));
    };
    const float middle = at.y + 0.5f * height;
    list.AddLine(ImVec2(at.x, middle), ImVec2(at.x + width, middle), IM_COL32(255, 255, 255, 26));
    list.AddLine(ImVec2(place(0.0), at.y), ImVec2(place(0.0), at.y + height), theme::kTextFaint, theme::px(1.5f));
    const ImU32 color = found.significant() ? theme::kAccent : theme::kTextSoft;
    const float thick = theme::px(3.0f);
    list.AddRectFilled(ImVec2(place(low_ms), middle - thick),
                       ImVec2(std::max(place(high_ms), place(low_ms) + 1.0f), middle + thick),
                       theme::with_alpha(color, 0.45f), thick);
    list.AddCircleFilled(ImVec2(place(found.difference_ms), middle), theme::px(5.0f), color, 20);
    ImGui::Dummy(ImVec2(width, height));
}

void side(const char* name, const AbSide& figures, ImU32 color) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const auto right = [&](const std::string& text, float share, ImU32 tone) {
        const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize, ImVec2(at.x + share * width - reach, at.y), tone, text.c_str());
    };
    list.AddText(font, font->FontSize, at, color, name);
    const bool any = figures.frames > 0;
    right(any ? theme::milliseconds(figures.mean_ms) : "\xe2\x80\x93", 0.52f, theme::kText);
    right(any ? theme::milliseconds(figures.p99_ms) : "\xe2\x80\x93", 0.76f, theme::kText);
    right(std::to_string(figures.frames), 1.0f, theme::kTextSoft);
    ImGui::Dummy(ImVec2(width, font->FontSize + theme::px(3.0f)));
}

void columns() {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const auto right = [&](const char* text, float share) {
        const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text).x;
        list.AddText(font, font->FontSize, ImVec2(at.x + share * width - reach, at.y), theme::kTextFaint, text);
    };
    list.AddText(font, font->FontSize, at, theme::kTextFaint, "whole frame, ms");
    right("mean", 0.52f);
    right("p99", 0.76f);
    right("frames", 1.0f);
    ImGui::Dummy(ImVec2(width, font->FontSize + theme::px(3.0f)));
}

}  // namespace

void ab_panel(const OverlayFacts& facts, Vec2 low, Vec2 high) {
    theme::begin_panel("ab", low, high);
    const AbResult found = facts.ab.result();
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    theme::heading("A/B: WHAT THE AI COSTS A FRAME");
    // Which side runs, and how much of its turn is over.
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* small = theme::fonts().small;
    const bool on = facts.ab.ai_on();
    const char* state = on ? "AI on" : "AI off";
    const float reach = small->CalcTextSizeA(small->FontSize, 1e6f, 0.0f, state).x;
    list.AddText(small, small->FontSize, ImVec2(top.x + width - reach, top.y - theme::px(2.0f)),
                 on ? theme::kAccent : theme::kTextSoft, state);
    const float turn = static_cast<float>(facts.ab.progress(facts.seconds));
    const float line = top.y + theme::px(16.0f);
    list.AddRectFilled(ImVec2(top.x, line), ImVec2(top.x + width, line + theme::px(2.0f)), theme::kWell);
    list.AddRectFilled(ImVec2(top.x, line), ImVec2(top.x + width * turn, line + theme::px(2.0f)),
                       on ? theme::kAccent : theme::kTextFaint);
    theme::gap(6.0f);
    if (found.pairs == 0) {
        theme::figure("waiting for a turn of each", "\xe2\x80\x93", "ms", width, theme::kTextSoft);
    } else {
        std::array<char, 64> unit{};
        std::snprintf(unit.data(), unit.size(), found.known() ? "\xc2\xb1 %.2f ms" : "ms", found.uncertainty_ms);
        const std::string label = !found.known() ? "more turns are needed to say how sure that is"
                                  : found.significant()
                                      ? "95 % interval over " + std::to_string(found.pairs) + " pairs of turns"
                                      : "not told from 0 yet, " + std::to_string(found.pairs) + " pairs of turns";
        theme::figure(label.c_str(), signed_ms(found.difference_ms), unit.data(), width,
                      found.significant() ? theme::kAccent : theme::kText);
    }
    theme::gap(0.0f);
    if (found.known()) interval(found, theme::px(18.0f));
    columns();
    side("AI on", found.on, theme::kAccent);
    side("AI off", found.off, theme::kTextSoft);
    theme::end_panel();
}

}  // namespace augur::demo
