// How long plans take: the distribution over the last 1,024 frames, with the percentiles marked.
#include <algorithm>
#include <array>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

struct Mark {
    const char* name;
    double us;
    ImU32 color;
};

}  // namespace

void histogram_panel(const OverlayFacts& facts, Vec2 low, Vec2 high) {
    theme::begin_panel("histogram", low, high);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float bottom = top.y + ImGui::GetContentRegionAvail().y;
    theme::heading("PLAN LATENCY, MS");
    augur_latency latency{};
    if (!facts.session.latency(AUGUR_LATENCY_FRAME, latency) || latency.sample_count == 0) {
        theme::end_panel();
        return;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;

    const std::array<Mark, 3> marks = {{{"p50", latency.p50_us, theme::kText},
                                        {"p95", latency.p95_us, theme::kWarning},
                                        {"p99", latency.p99_us, theme::kAlarm}}};
    float x = top.x + width;
    for (std::size_t i = marks.size(); i-- > 0;) {
        const std::string text = std::string(marks[i].name) + " " + theme::milliseconds(marks[i].us * 1e-3);
        x -= font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize, ImVec2(x, top.y - theme::px(2.0f)), marks[i].color, text.c_str());
        x -= theme::px(12.0f);
    }

    // The bins that hold anything, with a margin, so that a narrow distribution fills the panel.
    std::uint32_t begin = AUGUR_LATENCY_BIN_COUNT;
    std::uint32_t end = 0;
    std::uint32_t tallest = 1;
    for (std::uint32_t i = 0; i < AUGUR_LATENCY_BIN_COUNT; ++i) {
        if (latency.bins[i] == 0) continue;
        begin = std::min(begin, i);
        end = i + 1;
        tallest = std::max(tallest, latency.bins[i]);
    }
    begin = begin > 2 ? begin - 2 : 0;
    end = std::min<std::uint32_t>(std::max(end + 2, begin + 12), AUGUR_LATENCY_BIN_COUNT);

    const ImVec2 chart_low(top.x, top.y + theme::px(26.0f));
    const ImVec2 chart_high(top.x + width, bottom - font->FontSize - theme::px(4.0f));
    const float chart_height = chart_high.y - chart_low.y;
    if (chart_height < theme::px(16.0f) || end <= begin) {
        theme::end_panel();
        return;
    }
    const float pitch = width / static_cast<float>(end - begin);
    list.AddLine(ImVec2(chart_low.x, chart_high.y), chart_high, IM_COL32(255, 255, 255, 30));
    for (std::uint32_t i = begin; i < end; ++i) {
        if (latency.bins[i] == 0) continue;
        const float share = static_cast<float>(latency.bins[i]) / static_cast<float>(tallest);
        const float left = chart_low.x + pitch * static_cast<float>(i - begin);
        list.AddRectFilled(
            ImVec2(left + theme::px(1.0f), chart_high.y - std::max(share * chart_height, theme::px(1.5f))),
            ImVec2(left + pitch - theme::px(1.0f), chart_high.y), theme::with_alpha(theme::kAccent, 0.75f),
            theme::px(2.0f), ImDrawFlags_RoundCornersTop);
    }
    const auto place = [&](double us) {
        const double bins = us / std::max(latency.bin_us, 1e-9) - static_cast<double>(begin);
        return std::clamp(chart_low.x + pitch * static_cast<float>(bins), chart_low.x, chart_high.x);
    };
    for (const Mark& mark : marks) {
        const float at = place(mark.us);
        list.AddLine(ImVec2(at, chart_low.y), ImVec2(at, chart_high.y), theme::with_alpha(mark.color, 0.9f),
                     theme::px(1.5f));
    }
    const std::string from = theme::milliseconds(static_cast<double>(begin) * latency.bin_us * 1e-3);
    const std::string to = theme::milliseconds(static_cast<double>(end) * latency.bin_us * 1e-3);
    const float y = chart_high.y + theme::px(3.0f);
    list.AddText(font, font->FontSize, ImVec2(chart_low.x, y), theme::kTextFaint, from.c_str());
    const float to_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, to.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(chart_high.x - to_width, y), theme::kTextFaint, to.c_str());
    theme::end_panel();
}

}  // namespace augur::demo
