// Where the time of the last frames went: one stacked bar per frame, a colour per stage, against the budget.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr std::size_t kShownFrames = 120;

// Stages that make up a plan, one after the other; the call that collects it goes beside them.
constexpr std::size_t kShownStages = AUGUR_STAGE_COLLECT;

// Muted for what surrounds the search, the accent for the search itself.
constexpr std::array<ImU32, kShownStages> kStageColors = {
    IM_COL32(126, 134, 150, 255),  // submit
    IM_COL32(66, 74, 90, 255),     // wait
    IM_COL32(92, 122, 196, 255),   // fetch
    IM_COL32(96, 148, 206, 255),   // grid
    IM_COL32(128, 172, 212, 255),  // gather
    IM_COL32(120, 214, 200, 255),  // search
    theme::kModel,                 // evaluate, drawn over the search
    IM_COL32(238, 206, 120, 255),  // finalise
    IM_COL32(222, 132, 112, 255),  // copy
};

// The name in the legend.
const char* stage_label(std::uint32_t stage) {
    return stage == AUGUR_STAGE_EVALUATE ? "model" : augur_stage_name(stage);
}

// A round number of milliseconds at or above `value`.
double round_up(double value) {
    double step = 0.05;
    for (int i = 0; step < value && i < 40; ++i)
        step *= i % 3 == 1 ? 2.5 : 2.0;
    return step;
}

// The line that holds all but the very slowest frames, so that one hiccup does not flatten the rest.
double ceiling_ms(const std::vector<augur_timeline_frame>& frames, std::size_t first) {
    std::vector<double> lengths;
    lengths.reserve(frames.size());
    double budget = 0.0;
    for (std::size_t i = first; i < frames.size(); ++i) {
        lengths.push_back(static_cast<double>(frames[i].done_ns) * 1e-6);
        budget = std::max(budget, static_cast<double>(frames[i].budget_ns) * 1e-6);
    }
    if (lengths.empty()) return 1.0;
    const auto rank = static_cast<std::ptrdiff_t>(0.97 * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), lengths.begin() + rank, lengths.end());
    return round_up(std::max(lengths[static_cast<std::size_t>(rank)] * 1.12, budget * 1.12));
}

// Stages from the right to the left, as many as fit right of `left`.
void legend(const std::array<double, kShownStages>& mean_ms, ImVec2 right_top, float left) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    float x = right_top.x;
    double whole = 1e-6;
    for (const double ms : mean_ms)
        whole += ms;
    for (std::uint32_t stage = kShownStages; stage-- > 0;) {
        if (mean_ms[stage] < 0.002 * whole) continue;
        const std::string text = std::string(stage_label(stage)) + " " + theme::milliseconds(mean_ms[stage]);
        const float width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        x -= width;
        if (x - theme::px(12.0f) < left) break;
        list.AddText(font, font->FontSize, ImVec2(x, right_top.y), theme::kTextSoft, text.c_str());
        x -= theme::px(12.0f);
        list.AddRectFilled(ImVec2(x, right_top.y + theme::px(4.0f)),
                           ImVec2(x + theme::px(8.0f), right_top.y + theme::px(12.0f)), kStageColors[stage],
                           theme::px(2.0f));
        x -= theme::px(12.0f);
    }
}

}  // namespace

void timeline_panel(const OverlayFacts& facts, Vec2 low, Vec2 high) {
    theme::begin_panel("timeline", low, high);
    const std::vector<augur_timeline_frame>& frames = facts.session.timeline();
    const std::size_t first = frames.size() > kShownFrames ? frames.size() - kShownFrames : 0;
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    theme::heading("STAGES OF EACH PLAN, MS");

    std::array<double, kShownStages> mean_ms{};
    for (std::size_t i = first; i < frames.size(); ++i) {
        for (std::size_t stage = 0; stage < kShownStages; ++stage) {
            const augur_stage_span& span = frames[i].stages[stage];
            mean_ms[stage] +=
                static_cast<double>(span.end_ns - span.begin_ns) * 1e-6 / static_cast<double>(frames.size() - first);
        }
    }
    mean_ms[AUGUR_STAGE_SEARCH] -= mean_ms[AUGUR_STAGE_EVALUATE];  // a part of it
    legend(mean_ms, ImVec2(top.x + width, top.y - theme::px(2.0f)), top.x + theme::px(160.0f));

    const float axis = theme::px(40.0f);
    const ImVec2 chart_low(top.x + axis, top.y + theme::px(26.0f));
    const ImVec2 chart_high(top.x + width, top.y + ImGui::GetContentRegionAvail().y + theme::px(18.0f));
    const float chart_height = chart_high.y - chart_low.y;
    if (chart_height < theme::px(16.0f) || frames.empty()) {
        theme::end_panel();
        return;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const double ceiling = ceiling_ms(frames, first);
    const auto height_of = [&](double ms) { return static_cast<float>(std::min(ms / ceiling, 1.0)) * chart_height; };

    for (int line = 0; line <= 2; ++line) {
        const double ms = ceiling * 0.5 * line;
        const float y = chart_high.y - height_of(ms);
        list.AddLine(ImVec2(chart_low.x, y), ImVec2(chart_high.x, y), IM_COL32(255, 255, 255, line == 0 ? 30 : 14));
        const std::string text = line == 0 ? "0" : theme::milliseconds(ms);
        const float text_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize,
                     ImVec2(chart_low.x - text_width - theme::px(8.0f), y - 0.5f * font->FontSize), theme::kTextFaint,
                     text.c_str());
    }

    const float pitch = (chart_high.x - chart_low.x) / static_cast<float>(kShownFrames);
    for (std::size_t i = first; i < frames.size(); ++i) {
        const augur_timeline_frame& frame = frames[i];
        const float x = chart_high.x - pitch * static_cast<float>(frames.size() - i);
        const float bar = std::max(pitch - theme::px(1.5f), 1.0f);
        for (std::size_t stage = 0; stage < kShownStages; ++stage) {
            const augur_stage_span& span = frame.stages[stage];
            if (span.end_ns <= span.begin_ns) continue;
            const float from = height_of(static_cast<double>(span.begin_ns) * 1e-6);
            const float to = height_of(static_cast<double>(span.end_ns) * 1e-6);
            list.AddRectFilled(ImVec2(x, chart_high.y - std::max(to, from + 0.5f)),
                               ImVec2(x + bar, chart_high.y - from), theme::with_alpha(kStageColors[stage], 0.92f));
        }
        if (frame.deadline_missed != 0) {
            list.AddRectFilled(ImVec2(x, chart_low.y - theme::px(5.0f)), ImVec2(x + bar, chart_low.y - theme::px(2.0f)),
                               theme::kAlarm);
        }
    }

    const double budget = static_cast<double>(frames.back().budget_ns) * 1e-6;
    if (budget > 0.0) {
        const float y = chart_high.y - height_of(budget);
        for (float x = chart_low.x; x < chart_high.x; x += theme::px(10.0f)) {
            list.AddLine(ImVec2(x, y), ImVec2(std::min(x + theme::px(6.0f), chart_high.x), y), theme::kWarning,
                         theme::px(1.5f));
        }
        const std::string text = "budget " + theme::milliseconds(budget);
        const float text_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize, ImVec2(chart_high.x - text_width, y - font->FontSize - theme::px(2.0f)),
                     theme::kWarning, text.c_str());
    }
    theme::end_panel();
}

}  // namespace augur::demo
