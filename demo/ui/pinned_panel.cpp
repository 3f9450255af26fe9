// One frame held still: what the game's thread did, and what the machine behind the search did meanwhile, on one axis.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ui/overlay.h"
#include "ui/stage_colors.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

struct Lane {
    const char* name;
    float y;
};

void span(const Lane& lane, float from, float to, float height, ImU32 color, const std::string& name) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    to = std::max(to, from + theme::px(1.5f));
    list.AddRectFilled(ImVec2(from, lane.y), ImVec2(to, lane.y + height), theme::with_alpha(color, 0.92f),
                       theme::px(3.0f));
    const float width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name.c_str()).x;
    if (width + theme::px(8.0f) > to - from) return;
    // Dark on light, light on dark.
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    const bool light = 0.3f * c.x + 0.6f * c.y + 0.1f * c.z > 0.5f;
    list.AddText(font, font->FontSize, ImVec2(0.5f * (from + to - width), lane.y + 0.5f * (height - font->FontSize)),
                 light ? IM_COL32(10, 14, 20, 255) : theme::kText, name.c_str());
}

std::string labelled(const char* name, double ms) {
    return std::string(name) + " " + theme::milliseconds(ms);
}

// The whole frame as one bar of parts, and their numbers below it.
void parts_lane(const FrameRecord& record, ImVec2 at, float label, float width, float height) {
    const Lane lane = {"whole frame", at.y};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    list.AddText(font, font->FontSize, ImVec2(at.x, at.y + 0.5f * (height - font->FontSize)), theme::kTextSoft,
                 lane.name);
    const float low = at.x + label;
    const float scale = (width - label) / static_cast<float>(std::max(record.whole_ms, 1e-6));
    float x = low;
    for (std::uint32_t part = 0; part < kPartCount; ++part) {
        const float reach = record.part_ms[part] * scale;
        if (reach >= 1.0f)
            span(lane, x, x + reach, height, kPartColors[part],
                 labelled(kPartNames[part], static_cast<double>(record.part_ms[part])));
        x += reach;
    }
}

double milliseconds_of(std::uint64_t ns) {
    return static_cast<double>(ns) * 1e-6;
}

// What stands below an upright.
struct Name {
    std::string text;
    float left;
    float width;
    ImU32 color;
};

// Moves the names of uprights that stand close together apart, within `low` and `high`.
void side_by_side(std::vector<Name>& names, float low, float high) {
    std::sort(names.begin(), names.end(), [](const Name& one, const Name& other) {
        return one.left + 0.5f * one.width < other.left + 0.5f * other.width;
    });
    float right = high;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        name->left = std::min(name->left, right - name->width);
        right = name->left - theme::px(12.0f);
    }
    float left = low;
    for (Name& name : names) {
        name.left = std::max(name.left, left);
        left = name.left + name.width + theme::px(12.0f);
    }
}

void plan_lanes(const augur_timeline_frame& plan, bool guided, ImVec2 at, float label, float width, float height,
                float pitch) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const Lane host = {"calls", at.y};
    const Lane machine = {"search", at.y + pitch};
    for (const Lane& lane : {host, machine})
        list.AddText(font, font->FontSize, ImVec2(at.x, lane.y + 0.5f * (height - font->FontSize)), theme::kTextSoft,
                     lane.name);
    const std::uint64_t end_ns = std::max({plan.done_ns, plan.stages[AUGUR_STAGE_COLLECT].end_ns,
                                           plan.budget_ns + plan.budget_ns / 16, std::uint64_t{1}});
    const float low = at.x + label;
    const float scale = (width - label) / static_cast<float>(end_ns);
    const auto place = [&](std::uint64_t ns) { return low + static_cast<float>(ns) * scale; };
    for (std::uint32_t stage = 0; stage < AUGUR_STAGE_COUNT; ++stage) {
        const augur_stage_span& own = plan.stages[stage];
        if (own.end_ns <= own.begin_ns) continue;
        const bool call = stage == AUGUR_STAGE_SUBMIT || stage == AUGUR_STAGE_COPY || stage == AUGUR_STAGE_COLLECT;
        span(call ? host : machine, place(own.begin_ns), place(own.end_ns), height, stage_color(stage, guided),
             labelled(stage_label(stage, guided), stage_ms(plan, stage)));
    }
    const auto upright = [&](std::uint64_t ns, ImU32 color) {
        const float x = place(ns);
        list.AddLine(ImVec2(x, at.y - theme::px(3.0f)), ImVec2(x, at.y + pitch + height + theme::px(3.0f)), color,
                     theme::px(1.5f));
    };
    std::vector<Name> names;
    const auto named = [&](std::uint64_t ns, ImU32 color, const std::string& name) {
        upright(ns, color);
        const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name.c_str()).x;
        names.push_back({name, place(ns) - 0.5f * reach, reach, color});
    };
    named(plan.done_ns, theme::kText, labelled("actions ready", milliseconds_of(plan.done_ns)));
    if (plan.budget_ns > 0) {
        std::string name = labelled("budget", milliseconds_of(plan.budget_ns));
        if (plan.search_until_ns > 0) {
            upright(plan.search_until_ns, theme::with_alpha(theme::kWarning, 0.5f));
            name = labelled("search until", milliseconds_of(plan.search_until_ns)) + ", " + name;
        }
        named(plan.budget_ns, theme::kWarning, name);
    }
    side_by_side(names, low, low + width - label);
    for (const Name& name : names)
        list.AddText(font, font->FontSize, ImVec2(name.left, at.y + pitch + height + theme::px(3.0f)), name.color,
                     name.text.c_str());
}

// Where it ran, and whether the parts of its search are its own.
std::string about_the_search(const augur_timeline_frame& plan) {
    std::string words;
    if (plan.multiprocessors > 0) words += ", on " + std::to_string(plan.multiprocessors) + " multiprocessors";
    const bool divided = std::any_of(kSearchParts.begin(), kSearchParts.end(),
                                     [&](std::uint32_t part) { return stage_ms(plan, part) > 0.0; });
    if (divided) words += plan.parts_measured != 0 ? ", parts measured" : ", parts as last measured";
    return words;
}

}  // namespace

void pinned_panel(const FrameRecord& record, OverlayView& view, Vec2 low, Vec2 high) {
    theme::begin_panel("pinned", low, high);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string title = "FRAME " + std::to_string(record.number);
    theme::heading(title.c_str());
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    std::string words = theme::milliseconds(record.whole_ms) + " ms";
    if (record.has_plan) {
        words += ", plan " + theme::milliseconds(record.plan_ms()) + " ms for " +
                 std::to_string(record.plan.agent_count) + " agents, " +
                 theme::short_number(static_cast<double>(record.plan.simulations)) + " simulations" +
                 about_the_search(record.plan);
    }
    const bool missed = record.has_plan && record.plan.deadline_missed != 0;
    if (missed) words += ", past its budget";
    if (!record.ai_on) words += ", AI off";
    list.AddText(font, font->FontSize, ImVec2(top.x + theme::px(96.0f), top.y - theme::px(2.0f)),
                 missed ? theme::kWarning : theme::kText, words.c_str());
    ImGui::SetCursorScreenPos(ImVec2(top.x + width - theme::px(52.0f), top.y - theme::px(5.0f)));
    ImGui::PushFont(theme::fonts().small);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(theme::px(8.0f), theme::px(2.0f)));
    if (ImGui::Button("Close", ImVec2(theme::px(52.0f), 0.0f))) view.pinned = false;
    ImGui::PopStyleVar();
    ImGui::PopFont();

    const float label = theme::px(92.0f);
    const float height = theme::px(20.0f);
    const float pitch = theme::px(25.0f);
    const float y = top.y + theme::px(24.0f);
    parts_lane(record, ImVec2(top.x, y), label, width, height);
    if (record.has_plan) {
        plan_lanes(record.plan, record.guided, ImVec2(top.x, y + pitch + theme::px(6.0f)), label, width, height, pitch);
    } else {
        list.AddText(font, font->FontSize, ImVec2(top.x, y + pitch + theme::px(10.0f)), theme::kTextFaint,
                     "No plan arrived in this frame.");
    }
    theme::end_panel();
}

}  // namespace augur::demo
