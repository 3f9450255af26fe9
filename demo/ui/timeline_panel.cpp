// Where the time of the last frames went: one stacked bar per frame, against the budget. Plans by their stages, or
// whole frames by their parts. Frames that stand out are marked; a click pins one.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ui/overlay.h"
#include "ui/stage_colors.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr std::size_t kShownFrames = 150;
constexpr double kSixtyHertzMs = 1000.0 / 60.0;

// A round number of milliseconds at or above `value`.
double round_up(double value) {
    double step = 0.05;
    for (int i = 0; step < value && i < 40; ++i)
        step *= i % 3 == 1 ? 2.5 : 2.0;
    return step;
}

double length_ms(const FrameRecord& record, int chart) {
    return chart == OverlayView::kFrames ? record.whole_ms : record.plan_ms();
}

// The shown part of the history: record(0) is the leftmost.
struct Shown {
    const FrameHistory& history;
    std::size_t newest;  // age of the rightmost
    std::size_t count;
    const FrameRecord& record(std::size_t i) const { return history.recent(newest + count - 1 - i); }
};

// The line that holds all but the very slowest frames, so that one hiccup does not flatten the rest.
double ceiling_ms(const Shown& shown, int chart, double line_ms) {
    std::vector<double> lengths;
    lengths.reserve(shown.count);
    for (std::size_t i = 0; i < shown.count; ++i) {
        const double ms = length_ms(shown.record(i), chart);
        if (ms > 0.0) lengths.push_back(ms);
    }
    if (lengths.empty()) return round_up(std::max(line_ms * 1.12, 1.0));
    const auto rank = static_cast<std::ptrdiff_t>(0.97 * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), lengths.begin() + rank, lengths.end());
    return round_up(std::max(lengths[static_cast<std::size_t>(rank)] * 1.12, line_ms * 1.12));
}

struct Share {
    const char* name;
    double ms;
    ImU32 color;
};

// Mean of each part over what is shown.
std::vector<Share> shares_of_frames(const Shown& shown) {
    std::vector<Share> found;
    for (std::uint32_t part = 0; part < kPartCount; ++part) {
        double sum = 0.0;
        for (std::size_t i = 0; i < shown.count; ++i)
            sum += static_cast<double>(shown.record(i).part_ms[part]);
        found.push_back(
            {kPartNames[part], sum / static_cast<double>(std::max<std::size_t>(shown.count, 1)), kPartColors[part]});
    }
    return found;
}

// Mean of each stage over the plans that are shown, with and without a model.
std::vector<Share> shares_of_plans(const Shown& shown) {
    std::size_t plans = 0;
    for (std::size_t i = 0; i < shown.count; ++i)
        plans += shown.record(i).has_plan ? 1 : 0;
    std::vector<Share> found;
    for (const std::uint32_t stage : kPlanStages) {
        double sums[2] = {};  // without, with a model
        for (std::size_t i = 0; i < shown.count; ++i) {
            const FrameRecord& record = shown.record(i);
            if (!record.has_plan) continue;
            double& sum = sums[stage == AUGUR_STAGE_EVALUATE && record.guided ? 1 : 0];
            sum += stage_ms(record.plan, stage);
            if (stage != AUGUR_STAGE_SEARCH) continue;
            for (const std::uint32_t part : kSearchParts)
                sum -= stage_ms(record.plan, part);
        }
        const auto mean = [&](double sum) { return sum / static_cast<double>(std::max<std::size_t>(plans, 1)); };
        found.push_back({stage_label(stage, false), mean(sums[0]), stage_color(stage, false)});
        if (stage == AUGUR_STAGE_EVALUATE)
            found.push_back({stage_label(stage, true), mean(sums[1]), stage_color(stage, true)});
    }
    return found;
}

// In one line that ends at `right_top`; where not all have room right of `left`, those that take the longest.
void legend(const std::vector<Share>& all, ImVec2 right_top, float left) {
    struct Entry {
        std::string text;
        double ms;
        ImU32 color;
        float width;
    };
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    double whole = 1e-6;
    for (const Share& share : all)
        whole += share.ms;
    std::vector<Entry> entries;
    float width = 0.0f;
    for (const Share& share : all) {
        if (share.ms < 0.002 * whole) continue;
        std::string text = std::string(share.name) + " " + theme::milliseconds(share.ms);
        const float of_text = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        entries.push_back({std::move(text), share.ms, share.color, of_text + theme::px(24.0f)});
        width += entries.back().width;
    }
    while (!entries.empty() && width > right_top.x - left) {
        const auto least = std::min_element(entries.begin(), entries.end(),
                                            [](const Entry& one, const Entry& other) { return one.ms < other.ms; });
        width -= least->width;
        entries.erase(least);
    }
    float x = right_top.x - width;
    for (const Entry& entry : entries) {
        list.AddRectFilled(ImVec2(x + theme::px(12.0f), right_top.y + theme::px(4.0f)),
                           ImVec2(x + theme::px(20.0f), right_top.y + theme::px(12.0f)), entry.color, theme::px(2.0f));
        list.AddText(font, font->FontSize, ImVec2(x + theme::px(24.0f), right_top.y), theme::kTextSoft,
                     entry.text.c_str());
        x += entry.width;
    }
}

// Where the bars stand.
struct Chart {
    ImVec2 low;
    ImVec2 high;
    double ceiling;
    float pitch;

    float height_of(double ms) const { return static_cast<float>(std::min(ms / ceiling, 1.0)) * (high.y - low.y); }
    float left_of(const Shown& shown, std::size_t i) const {
        return high.x - pitch * static_cast<float>(shown.count - i);
    }
    float bar() const { return std::max(pitch - theme::px(1.5f), 1.0f); }
};

void axis(const Chart& chart) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    for (int line = 0; line <= 2; ++line) {
        const double ms = chart.ceiling * 0.5 * line;
        const float y = chart.high.y - chart.height_of(ms);
        list.AddLine(ImVec2(chart.low.x, y), ImVec2(chart.high.x, y), IM_COL32(255, 255, 255, line == 0 ? 30 : 14));
        const std::string text = line == 0 ? "0" : theme::milliseconds(ms);
        const float text_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize,
                     ImVec2(chart.low.x - text_width - theme::px(8.0f), y - 0.5f * font->FontSize), theme::kTextFaint,
                     text.c_str());
    }
}

// Dashes from `from` to `to`, whose pattern goes on from one piece of a line to the next.
void dashes(const Chart& chart, double ms, float from, float to) {
    const float pitch = theme::px(10.0f);
    const float y = chart.high.y - chart.height_of(ms);
    for (float x = chart.low.x; x < to; x += pitch) {
        const float begin = std::max(x, from);
        const float end = std::min(x + theme::px(6.0f), to);
        if (begin < end)
            ImGui::GetWindowDrawList()->AddLine(ImVec2(begin, y), ImVec2(end, y), theme::kWarning, theme::px(1.5f));
    }
}

// The name of a line, on it from `left` on.
void line_name(const Chart& chart, double ms, float left, const std::string& name) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    const float y = chart.high.y - chart.height_of(ms);
    const float text_width = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name.c_str()).x;
    const ImVec2 at(left + theme::px(6.0f), y - font->FontSize - theme::px(3.0f));
    list.AddRectFilled(ImVec2(at.x - theme::px(4.0f), at.y),
                       ImVec2(at.x + text_width + theme::px(4.0f), y - theme::px(1.0f)),
                       theme::with_alpha(theme::kPanel, 0.8f), theme::px(3.0f));
    list.AddText(font, font->FontSize, at, theme::kWarning, name.c_str());
}

// Frames next to each other whose plans had the same budget; frames without a plan go with the one before them.
struct BudgetRun {
    std::size_t begin;
    std::size_t end;
    std::uint64_t ns;  // 0: none
};

std::vector<BudgetRun> budgets_of(const Shown& shown) {
    std::vector<BudgetRun> found;
    for (std::size_t i = 0; i < shown.count; ++i) {
        const FrameRecord& record = shown.record(i);
        if (found.empty() || (record.has_plan && record.plan.budget_ns != found.back().ns))
            found.push_back({i, i, record.has_plan ? record.plan.budget_ns : 0});
        found.back().end = i + 1;
    }
    return found;
}

// What each plan was given when it was made, whatever the setting is now. A share of a frame's budget is another one
// each frame: the newest run has its name at any rate, the others where there is room.
void budget_lines(const Chart& chart, const Shown& shown, const std::vector<BudgetRun>& runs) {
    const ImFont* font = theme::fonts().small;
    float free = chart.high.x;  // left of the names that stand there already
    for (std::size_t i = runs.size(); i-- > 0;) {
        const BudgetRun& run = runs[i];
        if (run.ns == 0) continue;
        const double ms = static_cast<double>(run.ns) * 1e-6;
        const float from = chart.left_of(shown, run.begin);
        const float to = from + chart.pitch * static_cast<float>(run.end - run.begin);
        dashes(chart, ms, from, to);
        const std::string name = "budget " + theme::milliseconds(ms);
        const float reach = font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, name.c_str()).x + theme::px(12.0f);
        const bool newest = run.end == shown.count;
        if (!newest && from + reach > std::min(to, free)) continue;
        free = newest ? std::min(from, to - reach) : from;
        line_name(chart, ms, free, name);
    }
}

void bar(const Chart& chart, const FrameRecord& record, int kind, float x) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto piece = [&](double from_ms, double to_ms, ImU32 color) {
        const float from = chart.height_of(from_ms);
        const float to = chart.height_of(to_ms);
        list.AddRectFilled(ImVec2(x, chart.high.y - std::max(to, from + 0.5f)),
                           ImVec2(x + chart.bar(), chart.high.y - from), theme::with_alpha(color, 0.92f));
    };
    if (kind == OverlayView::kFrames) {
        double from = 0.0;
        for (std::uint32_t part = 0; part < kPartCount; ++part) {
            const double ms = static_cast<double>(record.part_ms[part]);
            if (ms > 0.0) piece(from, from + ms, kPartColors[part]);
            from += ms;
        }
        return;
    }
    if (!record.has_plan) return;
    const double searched = static_cast<double>(record.plan.stages[AUGUR_STAGE_FINALISE].end_ns) * 1e-6;
    for (const std::uint32_t stage : kPlanStages) {
        const augur_stage_span& span = record.plan.stages[stage];
        if (span.end_ns <= span.begin_ns) continue;
        const double begin = static_cast<double>(span.begin_ns) * 1e-6;
        // The copy of the actions waits for the game to come; here it stands on what came before it.
        const double from = stage == AUGUR_STAGE_COPY ? std::min(begin, searched) : begin;
        piece(from, from + stage_ms(record.plan, stage), stage_color(stage, record.guided));
    }
}

// What stands above a bar: a red line where the budget was missed, a triangle where the frame stands out.
void marks(const Chart& chart, const FrameRecord& record, int kind, float x) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (record.has_plan && record.plan.deadline_missed != 0) {
        list.AddRectFilled(ImVec2(x, chart.low.y - theme::px(3.0f)),
                           ImVec2(x + chart.bar(), chart.low.y - theme::px(1.0f)), theme::kAlarm);
    }
    if (!(kind == OverlayView::kFrames ? record.frame_spike : record.plan_spike)) return;
    const float middle = x + 0.5f * chart.bar();
    const float half = theme::px(4.5f);
    const float y = chart.low.y - theme::px(5.0f);
    list.AddTriangleFilled(ImVec2(middle - half, y - 1.5f * half), ImVec2(middle + half, y - 1.5f * half),
                           ImVec2(middle, y), theme::kWarning);
}

// Scrolls with the wheel, pins with a click.
void interact(const Shown& shown, const Chart& chart, OverlayView& view, std::size_t furthest) {
    const ImVec2 low(chart.low.x, chart.low.y - theme::px(14.0f));
    ImGui::SetCursorScreenPos(low);
    const ImVec2 size(std::max(chart.high.x - low.x, 1.0f), std::max(chart.high.y - low.y, 1.0f));
    const bool clicked = ImGui::InvisibleButton("frames", size);
    if (!ImGui::IsItemHovered() && !clicked) return;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheel != 0.0f) {
        const auto moved = static_cast<std::ptrdiff_t>(std::lround(12.0f * io.MouseWheel));
        const auto wanted = static_cast<std::ptrdiff_t>(view.scrolled) + moved;
        view.scrolled =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, static_cast<std::ptrdiff_t>(furthest)));
    }
    const float from_right = (chart.high.x - io.MousePos.x) / chart.pitch;
    if (from_right < 0.0f) return;
    auto place = static_cast<std::size_t>(from_right);
    if (place >= shown.count) return;
    std::size_t i = shown.count - 1 - place;
    if (clicked) {
        // A spike is thin: one next to the pointer is what was meant.
        for (const std::size_t near : {i, i + 1, i > 0 ? i - 1 : i, i + 2, i > 1 ? i - 2 : i}) {
            if (near < shown.count && (shown.record(near).frame_spike || shown.record(near).plan_spike)) {
                i = near;
                break;
            }
        }
        view.pinned = !view.pinned || view.pinned_frame != shown.record(i).number;
        view.pinned_frame = shown.record(i).number;
        return;
    }
    const FrameRecord& record = shown.record(i);
    const float x = chart.left_of(shown, i);
    ImGui::GetWindowDrawList()->AddRect(ImVec2(x - 1.0f, low.y), ImVec2(x + chart.bar() + 1.0f, chart.high.y),
                                        IM_COL32(255, 255, 255, 90));
    const std::string plan = record.has_plan ? theme::milliseconds(record.plan_ms()) + " ms" : "none";
    ImGui::SetTooltip("frame %llu: %s ms, plan %s\nclick to pin its stages",
                      static_cast<unsigned long long>(record.number), theme::milliseconds(record.whole_ms).c_str(),
                      plan.c_str());
}

}  // namespace

void timeline_panel(const OverlayFacts& facts, OverlayView& view, Vec2 low, Vec2 high) {
    theme::begin_panel("timeline", low, high);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float bottom = top.y + ImGui::GetContentRegionAvail().y;
    static const char* const kCharts[] = {"Plans", "Frames"};
    theme::small_choice("chart", &view.chart, kCharts, 2);
    const float after_choice = ImGui::GetItemRectMax().x;

    const FrameHistory& history = facts.history;
    const std::size_t furthest = history.size() > kShownFrames ? history.size() - kShownFrames : 0;
    view.scrolled = std::min(view.scrolled, furthest);
    const Shown shown = {history, view.scrolled, std::min(history.size() - view.scrolled, kShownFrames)};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImFont* font = theme::fonts().small;
    std::string title = view.chart == OverlayView::kFrames ? "ms of each frame" : "ms of each plan";
    if (view.scrolled > 0) title += ", " + std::to_string(view.scrolled) + " frames ago";
    list.AddText(font, font->FontSize, ImVec2(after_choice + theme::px(10.0f), top.y + theme::px(3.0f)),
                 view.scrolled > 0 ? theme::kWarning : theme::kTextFaint, title.c_str());
    const float title_end =
        after_choice + theme::px(22.0f) + font->CalcTextSizeA(font->FontSize, 1e6f, 0.0f, title.c_str()).x;
    legend(view.chart == OverlayView::kFrames ? shares_of_frames(shown) : shares_of_plans(shown),
           ImVec2(top.x + width, top.y + theme::px(3.0f)), title_end);

    Chart chart{};
    chart.low = ImVec2(top.x + theme::px(40.0f), top.y + theme::px(42.0f));
    chart.high = ImVec2(top.x + width, bottom - theme::px(2.0f));
    if (chart.high.y - chart.low.y < theme::px(16.0f) || shown.count == 0) {
        theme::end_panel();
        return;
    }
    const bool frames = view.chart == OverlayView::kFrames;
    const std::vector<BudgetRun> budgets = budgets_of(shown);
    double limit = frames ? kSixtyHertzMs : 0.0;
    for (const BudgetRun& run : budgets)
        if (!frames) limit = std::max(limit, static_cast<double>(run.ns) * 1e-6);
    chart.ceiling = ceiling_ms(shown, view.chart, limit);
    chart.pitch = (chart.high.x - chart.low.x) / static_cast<float>(kShownFrames);
    axis(chart);
    for (std::size_t i = 0; i < shown.count; ++i) {
        const FrameRecord& record = shown.record(i);
        const float x = chart.left_of(shown, i);
        if (!record.ai_on) {
            list.AddRectFilled(ImVec2(x, chart.low.y), ImVec2(x + chart.pitch, chart.high.y),
                               IM_COL32(255, 255, 255, 10));
        }
        if (view.pinned && record.number == view.pinned_frame) {
            list.AddRectFilled(ImVec2(x - theme::px(2.0f), chart.low.y - theme::px(14.0f)),
                               ImVec2(x + chart.bar() + theme::px(2.0f), chart.high.y), IM_COL32(255, 255, 255, 46),
                               theme::px(2.0f));
        }
        bar(chart, record, view.chart, x);
        marks(chart, record, view.chart, x);
    }
    if (frames) {
        dashes(chart, kSixtyHertzMs, chart.low.x, chart.high.x);
        line_name(chart, kSixtyHertzMs, chart.low.x, "60 Hz: 16.7");
    } else {
        budget_lines(chart, shown, budgets);
    }
    interact(shown, chart, view, furthest);
    theme::end_panel();
}

}  // namespace augur::demo
