#include "ui/theme.h"

#include <array>
#include <cstdio>

#include "ui/font_file.h"

namespace augur::demo::theme {
namespace {

Fonts loaded_fonts;
float loaded_scale = 1.0f;

// Latin-1 and the few symbols the panels use.
constexpr ImWchar kGlyphs[] = {0x20,   0xff,   0x394,  0x394,  0x3bc,  0x3bc, 0x2013,
                               0x2026, 0x2190, 0x2193, 0x2248, 0x2265, 0};

ImFont* load(const std::string& folder, const char* file, float size, std::string& message) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    const std::string path = folder + "/fonts/" + file;
    if (is_usable_font(path)) {
        ImFontConfig config;
        config.OversampleH = 3;
        config.OversampleV = 2;
        if (ImFont* font = atlas.AddFontFromFileTTF(path.c_str(), size, &config, kGlyphs)) return font;
    }
    const std::string said = "font file " + path + " is missing or damaged: using the built-in font";
    if (message.find(said) == std::string::npos) message += (message.empty() ? "" : "\n") + said;
    ImFontConfig config;
    config.SizePixels = size;
    return atlas.AddFontDefault(&config);
}

std::string formatted(const char* format, double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

ImVec4 to_vec(ImU32 color) {
    return ImGui::ColorConvertU32ToFloat4(color);
}

void push_well_colors() {
    ImGui::PushStyleColor(ImGuiCol_FrameBg, kWell);
    ImGui::PushStyleColor(ImGuiCol_FrameBgHovered, kWellHover);
    ImGui::PushStyleColor(ImGuiCol_FrameBgActive, kWellHover);
}

// The label and the value above a slider; the slider itself then carries no text.
void slider_caption(const char* label, const char* value) {
    ImGui::PushFont(fonts().small);
    ImGui::PushStyleColor(ImGuiCol_Text, kTextSoft);
    ImGui::TextUnformatted(label);
    ImGui::PopStyleColor();
    // In a cell of a table SameLine(x) would count from the cell on.
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    ImGui::SameLine(0.0f, 0.0f);
    ImGui::SetCursorPosX(right - ImGui::CalcTextSize(value).x);
    ImGui::TextUnformatted(value);
    ImGui::PopFont();
}

}  // namespace

ImU32 packed(Color color) {
    return ImGui::ColorConvertFloat4ToU32(ImVec4(color.r, color.g, color.b, color.a));
}

ImU32 with_alpha(ImU32 color, float alpha) {
    const auto value =
        static_cast<ImU32>(std::clamp(alpha, 0.0f, 1.0f) * static_cast<float>(color >> IM_COL32_A_SHIFT));
    return (color & ~IM_COL32_A_MASK) | (value << IM_COL32_A_SHIFT);
}

ImU32 team(int index, float alpha) {
    return packed(kTeam[index & 1].with_alpha(alpha));
}

const Fonts& fonts() {
    return loaded_fonts;
}
float scale() {
    return loaded_scale;
}

void apply(const std::string& asset_folder, float wanted_scale, std::string& message) {
    loaded_scale = wanted_scale;
    ImGui::GetIO().Fonts->Clear();
    const char* regular = "Roboto-Regular.ttf";
    const char* medium = "Roboto-Medium.ttf";
    loaded_fonts.body = load(asset_folder, regular, px(15.0f), message);
    loaded_fonts.strong = load(asset_folder, medium, px(15.0f), message);
    loaded_fonts.small = load(asset_folder, regular, px(13.0f), message);
    loaded_fonts.heading = load(asset_folder, medium, px(11.5f), message);
    loaded_fonts.figure = load(asset_folder, medium, px(23.0f), message);
    loaded_fonts.mark = load(asset_folder, medium, px(22.0f), message);

    ImGuiStyle style;
    style.WindowRounding = 12.0f;
    style.FrameRounding = 6.0f;
    style.GrabRounding = 6.0f;
    style.PopupRounding = 8.0f;
    style.ScrollbarRounding = 6.0f;
    style.WindowBorderSize = 1.0f;
    style.PopupBorderSize = 1.0f;
    style.FrameBorderSize = 0.0f;
    style.WindowPadding = ImVec2(18.0f, 16.0f);
    style.FramePadding = ImVec2(10.0f, 6.0f);
    style.ItemSpacing = ImVec2(8.0f, 6.0f);
    style.GrabMinSize = 12.0f;
    style.ScrollbarSize = 8.0f;
    style.AntiAliasedLinesUseTex = false;
    style.ScaleAllSizes(wanted_scale);
    auto set = [&style](ImGuiCol slot, ImU32 color) { style.Colors[slot] = to_vec(color); };
    set(ImGuiCol_Text, kText);
    set(ImGuiCol_TextDisabled, kTextFaint);
    set(ImGuiCol_WindowBg, kPanel);
    set(ImGuiCol_PopupBg, IM_COL32(20, 25, 34, 250));
    set(ImGuiCol_Border, kPanelLine);
    set(ImGuiCol_FrameBg, kWell);
    set(ImGuiCol_FrameBgHovered, kWellHover);
    set(ImGuiCol_FrameBgActive, kWellHover);
    set(ImGuiCol_Button, kWell);
    set(ImGuiCol_ButtonHovered, kWellHover);
    set(ImGuiCol_ButtonActive, IM_COL32(255, 255, 255, 34));
    set(ImGuiCol_Header, kWellHover);
    set(ImGuiCol_HeaderHovered, kWellHover);
    set(ImGuiCol_HeaderActive, IM_COL32(255, 255, 255, 34));
    set(ImGuiCol_SliderGrab, kAccent);
    set(ImGuiCol_SliderGrabActive, IM_COL32(160, 236, 224, 255));
    set(ImGuiCol_CheckMark, kAccent);
    set(ImGuiCol_ScrollbarBg, IM_COL32(0, 0, 0, 0));
    set(ImGuiCol_ScrollbarGrab, IM_COL32(255, 255, 255, 24));
    ImGui::GetStyle() = style;
}

void begin_panel(const char* name, Vec2 low, Vec2 high) {
    ImGui::SetNextWindowPos(ImVec2(low.x, low.y));
    ImGui::SetNextWindowSize(ImVec2(std::max(high.x - low.x, 32.0f), std::max(high.y - low.y, 32.0f)));
    ImGui::Begin(name, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
}

void end_panel() {
    ImGui::End();
}

void heading(const char* text) {
    ImGui::PushFont(fonts().heading);
    ImGui::PushStyleColor(ImGuiCol_Text, kTextFaint);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void gap(float units) {
    ImGui::Dummy(ImVec2(0.0f, px(units)));
}

void row(const char* label, const std::string& value, ImU32 color) {
    ImGui::PushFont(fonts().small);
    ImGui::PushStyleColor(ImGuiCol_Text, kTextSoft);
    ImGui::TextUnformatted(label);
    ImGui::PopStyleColor();
    ImGui::SameLine(ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(value.c_str()).x + ImGui::GetCursorPosX());
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(value.c_str());
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

bool slider_int(const char* label, int* value, int low, int high, const char* format, bool logarithmic) {
    slider_caption(label, formatted(format, static_cast<double>(*value)).c_str());
    push_well_colors();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0f, px(1.0f)));
    ImGui::SetNextItemWidth(-1.0f);
    const std::string id = std::string("##") + label;
    const ImGuiSliderFlags flags =
        ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    const bool moved = ImGui::SliderInt(id.c_str(), value, low, high, "", flags);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(3);
    return moved;
}

bool slider_float(const char* label, float* value, float low, float high, const char* format) {
    slider_caption(label, formatted(format, static_cast<double>(*value)).c_str());
    push_well_colors();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0f, px(1.0f)));
    ImGui::SetNextItemWidth(-1.0f);
    const std::string id = std::string("##") + label;
    const bool moved = ImGui::SliderFloat(id.c_str(), value, low, high, "", ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(3);
    return moved;
}

bool segmented(const char* id, int* chosen, const char* const* names, int count) {
    const float spacing = px(3.0f);
    const float width = (ImGui::GetContentRegionAvail().x - spacing * static_cast<float>(count - 1)) /
                        static_cast<float>(std::max(count, 1));
    bool changed = false;
    ImGui::PushID(id);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing, 0.0f));
    ImGui::PushFont(fonts().small);
    for (int i = 0; i < count; ++i) {
        if (i > 0) ImGui::SameLine();
        const bool on = *chosen == i;
        ImGui::PushStyleColor(ImGuiCol_Button, on ? IM_COL32(120, 214, 200, 46) : kWell);
        ImGui::PushStyleColor(ImGuiCol_Text, on ? IM_COL32(190, 244, 234, 255) : kTextSoft);
        if (ImGui::Button(names[i], ImVec2(std::max(width, 8.0f), 0.0f)) && !on) {
            *chosen = i;
            changed = true;
        }
        ImGui::PopStyleColor(2);
    }
    ImGui::PopFont();
    ImGui::PopStyleVar();
    ImGui::PopID();
    return changed;
}

bool small_choice(const char* id, int* chosen, const char* const* names, int count) {
    bool changed = false;
    ImGui::PushID(id);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(2.0f), 0.0f));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(7.0f), px(1.5f)));
    ImGui::PushFont(fonts().small);
    for (int i = 0; i < count; ++i) {
        if (i > 0) ImGui::SameLine();
        const bool on = *chosen == i;
        ImGui::PushStyleColor(ImGuiCol_Button, on ? IM_COL32(120, 214, 200, 46) : kWell);
        ImGui::PushStyleColor(ImGuiCol_Text, on ? IM_COL32(190, 244, 234, 255) : kTextSoft);
        if (ImGui::Button(names[i]) && !on) {
            *chosen = i;
            changed = true;
        }
        ImGui::PopStyleColor(2);
    }
    ImGui::PopFont();
    ImGui::PopStyleVar(2);
    ImGui::PopID();
    return changed;
}

bool tabs(const char* id, int* chosen, const char* const* names, int count) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float each = width / static_cast<float>(std::max(count, 1));
    const ImFont* font = fonts().strong;
    const float height = font->FontSize + px(12.0f);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    bool changed = false;
    ImGui::PushID(id);
    list.AddLine(ImVec2(at.x, at.y + height), ImVec2(at.x + width, at.y + height), IM_COL32(255, 255, 255, 22));
    for (int i = 0; i < count; ++i) {
        const ImVec2 low(at.x + each * static_cast<float>(i), at.y);
        ImGui::SetCursorScreenPos(low);
        ImGui::PushID(i);
        const bool pressed = ImGui::InvisibleButton("tab", ImVec2(std::max(each, 8.0f), height));
        const bool hovered = ImGui::IsItemHovered();
        ImGui::PopID();
        const bool on = *chosen == i;
        const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, names[i]).x;
        list.AddText(font, font->FontSize, ImVec2(low.x + 0.5f * (each - reach), low.y + px(5.0f)),
                     on || hovered ? kText : kTextSoft, names[i]);
        if (on) {
            list.AddRectFilled(ImVec2(low.x, at.y + height - px(1.0f)), ImVec2(low.x + each, at.y + height + px(1.0f)),
                               kAccent, px(1.0f));
        }
        if (pressed && !on) {
            *chosen = i;
            changed = true;
        }
    }
    ImGui::PopID();
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + px(6.0f)));
    return changed;
}

bool toggle(const char* label, bool* on) {
    ImGui::PushFont(fonts().small);
    const float height = ImGui::GetTextLineHeight();
    const ImVec2 knob(height * 1.75f, height);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool pressed = ImGui::InvisibleButton(label, ImVec2(std::max(width, 8.0f), height));
    if (pressed) *on = !*on;
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText(at, hovered ? kText : kTextSoft, label);
    const ImVec2 low(at.x + width - knob.x, at.y);
    const ImVec2 high(at.x + width, at.y + knob.y);
    list.AddRectFilled(low, high, *on ? with_alpha(kAccent, 0.55f) : IM_COL32(255, 255, 255, 26), knob.y * 0.5f);
    const float radius = knob.y * 0.5f - px(2.0f);
    const float x = *on ? high.x - knob.y * 0.5f : low.x + knob.y * 0.5f;
    list.AddCircleFilled(ImVec2(x, at.y + knob.y * 0.5f), radius, *on ? kText : kTextSoft, 20);
    ImGui::PopFont();
    return pressed;
}

void hint(const char* text) {
    gap(2.0f);
    ImGui::PushFont(fonts().small);
    ImGui::PushStyleColor(ImGuiCol_Text, kTextFaint);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void figure(const char* label, const std::string& value, const char* unit, float width, ImU32 color) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* number = fonts().figure;
    const ImFont* text = fonts().small;
    list.AddText(number, number->FontSize, at, color, value.c_str());
    const float reach = number->CalcTextSizeA(number->FontSize, 1e6f, 0.0f, value.c_str()).x;
    list.AddText(text, text->FontSize,
                 ImVec2(at.x + reach + px(4.0f), at.y + number->FontSize - text->FontSize - px(2.5f)), kTextSoft, unit);
    list.AddText(text, text->FontSize, ImVec2(at.x, at.y + number->FontSize + px(2.0f)), kTextSoft, label);
    ImGui::Dummy(ImVec2(width, number->FontSize + text->FontSize + px(6.0f)));
}

std::string short_number(double value) {
    if (value >= 1e9) return formatted("%.2f G", value * 1e-9);
    if (value >= 1e6) return formatted("%.2f M", value * 1e-6);
    if (value >= 1e4) return formatted("%.1f k", value * 1e-3);
    return formatted("%.0f", value);
}

std::string short_bytes(double value) {
    if (value >= 1024.0 * 1024.0 * 1024.0) return formatted("%.2f GB", value / (1024.0 * 1024.0 * 1024.0));
    if (value >= 1024.0 * 1024.0) return formatted("%.1f MB", value / (1024.0 * 1024.0));
    if (value >= 1024.0) return formatted("%.1f KB", value / 1024.0);
    return formatted("%.0f B", value);
}

std::string percent(double share) {
    return formatted("%.0f %%", 100.0 * share);
}

std::string milliseconds(double value) {
    return value >= 100.0  ? formatted("%.0f", value)
           : value >= 10.0 ? formatted("%.1f", value)
                           : formatted("%.2f", value);
}

}  // namespace augur::demo::theme
