// How long plans or whole frames take: the distribution over the last 1,024, with the percentiles marked. While A/B
// runs, frames without the AI stand behind those with it.
#include <algorithm>
#include <array>
#include <vector>

#include "app/histogram.h"
#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr std::size_t kFrames = 1024;

struct Mark {
    const char* name;
    double us;
    ImU32 color;
};

std::vector<double> whole_frames_us(const FrameHistory& history, bool ai_on) {
    std::vector<double> found;
    for (std::size_t age = 0; age < std::min(history.size(), kFrames); ++age) {
        const FrameRecord& record = history.recent(age);
        if (record.ai_on == ai_on) found.push_back(1e3 * record.whole_ms);
    }
    return found;
}

// The bins that hold anything, with a margin, so that a narrow distribution fills the panel.
struct Window {
    std::uint32_t begin = AUGUR_LATENCY_BIN_COUNT;
    std::uint32_t end = 0;
    std::uint32_t tallest = 1;

    void take(const Histogram& histogram) {
        for (std::uint32_t i = 0; i < histogram.bins.size(); ++i) {
            if (histogram.bins[i] == 0) continue;
            begin = std::min(begin, i);
            end = std::max(end, i + 1);
            tallest = std::max(tallest, histogram.bins[i]);
        }
    }
    void widen() {
        begin = begin > 2 ? begin - 2 : 0;
        end = std::min<std::uint32_t>(std::max(end + 2, begin + 12), AUGUR_LATENCY_BIN_COUNT);
    }
};

struct Chart {
    ImVec2 low;
    ImVec2 high;
    Window window;
    float pitch() const { return (high.x - low.x) / static_cast<float>(window.end - window.begin); }
};

void bars(const Chart& chart, const Histogram& histogram, ImU32 color, float inset) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (std::uint32_t i = chart.window.begin; i < chart.window.end; ++i) {
        if (histogram.bins[i] == 0) continue;
        const float share = static_cast<float>(histogram.bins[i]) / static_cast<float>(chart.window.tallest);
        const float left = chart.low.x + chart.pitch() * static_cast<float>(i - chart.window.begin);
        const float tall = std::max(share * (chart.high.y - chart.low.y), theme::px(1.5f));
        list.AddRectFilled(ImVec2(left + theme::px(inset), chart.high.y - tall),
                           ImVec2(left + std::max(chart.pitch() - theme::px(inset), 1.0f), chart.high.y), color,
                           theme::px(2.0f), ImDrawFlags_RoundCornersTop);
    }
}

void scale(const Chart& chart, const Histogram& histogram, const std::array<Mark, 3>& marks) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    for (const Mark& mark : marks) {
        const double bins = mark.us / histogram.bin_us - static_cast<double>(chart.window.begin);
        const float at = std::clamp(chart.low.x + chart.pitch() * static_cast<float>(bins), chart.low.x, chart.high.x);
        list.AddLine(ImVec2(at, chart.low.y), ImVec2(at, chart.high.y), theme::with_alpha(mark.color, 0.9f),
                     theme::px(1.5f));
    }
    const std::string from = theme::milliseconds(static_cast<double>(chart.window.begin) * histogram.bin_us * 1e-3);
    const std::string to = theme::milliseconds(static_cast<double>(chart.window.end) * histogram.bin_us * 1e-3);
    const float y = chart.high.y + theme::px(3.0f);
    list.AddText(font, font->FontSize, ImVec2(chart.low.x, y), theme::kTextFaint, from.c_str());
    const float to_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, to.c_str()).x;
    list.AddText(font, font->FontSize, ImVec2(chart.high.x - to_width, y), theme::kTextFaint, to.c_str());
}

}  // namespace

void histogram_panel(const OverlayFacts& facts, OverlayView& view, Vec2 low, Vec2 high) {
    theme::begin_panel("histogram", low, high);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float bottom = top.y + ImGui::GetContentRegionAvail().y;
    static const char* const kCharts[] = {"Plans", "Frames"};
    theme::small_choice("chart", &view.histogram, kCharts, 2);

    Histogram shown;
    Histogram without_ai;
    if (view.histogram == OverlayView::kFrames) {
        const std::vector<double> on = whole_frames_us(facts.history, true);
        const std::vector<double> off = whole_frames_us(facts.history, false);
        double longest = 0.0;
        for (const std::vector<double>* side : {&on, &off})
            for (const double us : *side)
                longest = std::max(longest, us);
        shown = histogram_of(on, bin_width_us(longest));
        without_ai = histogram_of(off, bin_width_us(longest));
    } else {
        augur_latency latency{};
        if (facts.session.latency(AUGUR_LATENCY_FRAME, latency)) shown = histogram_of(latency);
    }
    if (shown.count == 0) {
        theme::end_panel();
        return;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const std::array<Mark, 3> marks = {{{"p50", shown.us.p50, theme::kText},
                                        {"p95", shown.us.p95, theme::kWarning},
                                        {"p99", shown.us.p99, theme::kAlarm}}};
    float x = top.x + width;
    for (std::size_t i = marks.size(); i-- > 0;) {
        const std::string text = std::string(marks[i].name) + " " + theme::milliseconds(marks[i].us * 1e-3);
        x -= font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize, ImVec2(x, top.y + theme::px(3.0f)), marks[i].color, text.c_str());
        x -= theme::px(12.0f);
    }
    Chart chart{};
    chart.low = ImVec2(top.x, top.y + theme::px(32.0f));
    chart.high = ImVec2(top.x + width, bottom - font->FontSize - theme::px(4.0f));
    chart.window.take(shown);
    chart.window.take(without_ai);
    chart.window.widen();
    if (chart.high.y - chart.low.y < theme::px(16.0f) || chart.window.end <= chart.window.begin) {
        theme::end_panel();
        return;
    }
    list.AddLine(ImVec2(chart.low.x, chart.high.y), chart.high, IM_COL32(255, 255, 255, 30));
    if (without_ai.count > 0) bars(chart, without_ai, IM_COL32(150, 160, 178, 110), 0.5f);
    bars(chart, shown, theme::with_alpha(theme::kAccent, without_ai.count > 0 ? 0.62f : 0.75f),
         without_ai.count > 0 ? 2.0f : 1.0f);
    scale(chart, shown, marks);
    theme::end_panel();
}

}  // namespace augur::demo
