// Panels of the overlay on their own, with frames that were made up: what they draw, and what a person does to them.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "app/assets.h"
#include "app/surface.h"
#include "demo/picture.h"
#include "draw/target.h"
#include "scenes/scenes.h"
#include "ui/overlay.h"

namespace augur::demo {
namespace {

using test::Picture;

constexpr Extent kPicture = {1920, 1080};  // a pixel is a unit of the layout
constexpr Vec2 kLow = {20.0f, 160.0f};
constexpr Vec2 kHigh = {1220.0f, 380.0f};
constexpr std::size_t kShownFrames = 150;

bool is_warning(const Picture::Pixel& p) {
    return p.r > 130 && p.r - p.b > 65 && p.r - p.g < 75;
}
bool is_alarm(const Picture::Pixel& p) {
    return p.r > 130 && p.r - p.g > 65 && p.r - p.b > 65;
}
bool is_bar(const Picture::Pixel& p) {
    return p.g > 130 && p.g - p.r > 40;
}

struct Band {
    int begin;
    int end;
    float middle() const { return 0.5f * static_cast<float>(begin + end - 1); }
};

// Columns next to each other that have such a pixel in these rows.
template <class Test>
std::vector<Band> columns(const Picture& picture, int top, int bottom, Test test) {
    std::vector<Band> found;
    for (int x = 0; x < picture.width; ++x) {
        bool has = false;
        for (int y = top; y < bottom; ++y)
            has = has || test(picture.at(x, y));
        if (!has) continue;
        if (found.empty() || found.back().end != x) found.push_back({x, x});
        found.back().end = x + 1;
    }
    return found;
}

// The row that has most of such pixels between two columns; -1 where there are fewer than `least`.
template <class Test>
int fullest_row(const Picture& picture, float left, float right, int least, Test test) {
    int best = -1;
    int most = least - 1;
    for (int y = 0; y < picture.height; ++y) {
        int here = 0;
        for (int x = static_cast<int>(left); x < static_cast<int>(right); ++x)
            here += test(picture.at(x, y)) ? 1 : 0;
        if (here <= most) continue;
        most = here;
        best = y;
    }
    return best;
}

// Likewise of columns.
template <class Test>
int fullest_column(const Picture& picture, int top, int bottom, Test test) {
    int best = -1;
    int most = 0;
    for (int x = 0; x < picture.width; ++x) {
        int here = 0;
        for (int y = top; y < bottom; ++y)
            here += test(picture.at(x, y)) ? 1 : 0;
        if (here <= most) continue;
        most = here;
        best = x;
    }
    return best;
}

FrameRecord frame_of(std::uint64_t number, double plan_ms, double budget_ms = 0.0) {
    FrameRecord record;
    record.number = number;
    record.whole_ms = 10.0;
    record.has_plan = true;
    const auto end = static_cast<std::uint64_t>(plan_ms * 1e6);
    record.plan.budget_ns = static_cast<std::uint64_t>(budget_ms * 1e6);
    record.plan.stages[AUGUR_STAGE_SEARCH] = {0, end};
    record.plan.stages[AUGUR_STAGE_FINALISE] = {end, end};  // not to be seen: its colour is near that of a budget
    record.plan.done_ns = end;
    return record;
}

class DemoPanel : public testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        surface_ = make_headless(kPicture, error);
        if (!surface_) GTEST_SKIP() << error;
        ASSERT_TRUE(load_gl(surface_->loader(), gl_, error)) << error;
        overlay_ = std::make_unique<Overlay>();
        ASSERT_TRUE(overlay_->start(*surface_, asset_folder(), error)) << error;
        target_ = std::make_unique<Target>(GL_RGBA8);
        target_->resize(kPicture);
        session_ = std::make_unique<PlannerSession>(surface_->loader());
        scene_ = scenes()[0].make(SceneSetup{2, 1, false});
    }
    void TearDown() override {
        scene_.reset();
        session_.reset();
        target_.reset();
        overlay_.reset();
        surface_.reset();
    }

    using Panel = std::function<void(const OverlayFacts&)>;

    // One frame of the overlay with this panel alone.
    void show(const Panel& panel, Vec2 mouse = {-1e6f, -1e6f}, bool down = false, float wheel = 0.0f) {
        surface_->begin_frame(1.0 / 60.0);
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = ImVec2(mouse.x, mouse.y);
        io.MouseDown[0] = down;
        io.MouseWheel = wheel;
        overlay_->begin();
        panel({*session_, *scene_, scenes()[0], thoughts_, samples_, gl_, 2, history_, ab_, render_load_, model_load_,
               0.0});
        target_->bind();
        const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f};
        glClearNamedFramebufferfv(target_->framebuffer(), GL_COLOR, 0, black);
        overlay_->draw();
    }
    void click(const Panel& panel, Vec2 at) {
        for (const bool down : {false, false, true, true, false, false})
            show(panel, at, down);
    }
    Picture picture(const Panel& panel) {
        show(panel);
        show(panel);
        Picture found;
        found.width = kPicture.width;
        found.height = kPicture.height;
        found.rgb = target_->read_pixels();
        return found;
    }
    Panel timeline() {
        return [this](const OverlayFacts& facts) { timeline_panel(facts, view_, kLow, kHigh); };
    }

    GlInfo gl_;
    std::unique_ptr<Surface> surface_;
    std::unique_ptr<Overlay> overlay_;
    std::unique_ptr<Target> target_;
    std::unique_ptr<PlannerSession> session_;
    std::unique_ptr<Scene> scene_;
    Thoughts thoughts_;
    Samples samples_{16};
    FrameHistory history_;
    AbTest ab_;
    RenderLoad render_load_;
    ModelLoad model_load_;
    OverlayView view_;
};

// Where the timeline's bars stand.
constexpr float kChartLeft = kLow.x + (18.0f + 40.0f);
constexpr float kChartRight = kHigh.x - 18.0f;
constexpr float kChartTop = kLow.y + (16.0f + 42.0f);
constexpr float kChartBottom = kHigh.y - (16.0f + 2.0f);
constexpr float kPitch = (kChartRight - kChartLeft) / static_cast<float>(kShownFrames);

// The middle of the bar that is `age` frames older than the newest that is shown.
Vec2 bar_at(std::size_t age) {
    return {kChartRight - (static_cast<float>(age) + 0.5f) * kPitch, 0.5f * (kChartTop + kChartBottom)};
}

TEST_F(DemoPanel, AClickOnAMarkedSpikePinsThatVeryFrame) {
    constexpr std::uint64_t kSpikes[] = {57, 101, 102, 138};
    for (std::uint64_t i = 0; i < 140; ++i)
        history_.add(
            frame_of(i, std::find(std::begin(kSpikes), std::end(kSpikes), i) != std::end(kSpikes) ? 5.0 : 1.0));
    ASSERT_EQ(history_.spikes(), std::size(kSpikes));
    const std::vector<Band> marks =
        columns(picture(timeline()), static_cast<int>(kChartTop - 12.0f), static_cast<int>(kChartTop) - 2, is_warning);
    // Those of 101 and 102 touch.
    ASSERT_EQ(marks.size(), 3u);
    for (const auto& [mark, frame] : {std::pair{marks[0], kSpikes[0]}, std::pair{marks[2], kSpikes[3]}}) {
        view_.pinned = false;
        click(timeline(), {mark.middle(), kChartTop - 6.0f});
        EXPECT_TRUE(view_.pinned) << frame;
        EXPECT_EQ(view_.pinned_frame, frame);
        // Its bar is thin: one beside it will do.
        view_.pinned = false;
        click(timeline(), {mark.middle() + kPitch, bar_at(0).y});
        EXPECT_TRUE(view_.pinned) << frame;
        EXPECT_EQ(view_.pinned_frame, frame);
    }
    // Two of them side by side: the one that is pointed at.
    for (const std::uint64_t frame : {kSpikes[1], kSpikes[2]}) {
        view_.pinned = false;
        click(timeline(), bar_at(139 - frame));
        EXPECT_EQ(view_.pinned_frame, frame);
    }
}

TEST_F(DemoPanel, TheWheelScrollsTheHistoryAndAClickPinsAnOldFrame) {
    for (std::uint64_t i = 0; i < 600; ++i)
        history_.add(frame_of(i, 1.0));
    const Vec2 over = bar_at(40);
    show(timeline(), over);
    show(timeline(), over);
    EXPECT_EQ(view_.scrolled, 0u);
    show(timeline(), over, false, -1.0f);
    EXPECT_EQ(view_.scrolled, 0u) << "nothing is newer than the newest";
    for (int turn = 0; turn < 20; ++turn)
        show(timeline(), over, false, 1.0f);
    const std::size_t scrolled = view_.scrolled;
    ASSERT_GT(scrolled, 100u);
    ASSERT_LE(scrolled, 600 - kShownFrames);
    for (const std::size_t age : {std::size_t{0}, std::size_t{75}, kShownFrames - 1}) {
        view_.pinned = false;
        click(timeline(), bar_at(age));
        EXPECT_TRUE(view_.pinned);
        EXPECT_EQ(view_.pinned_frame, 599 - scrolled - age);
        ASSERT_NE(history_.find(view_.pinned_frame), nullptr);
    }
    for (int turn = 0; turn < 200; ++turn)
        show(timeline(), over, false, 1.0f);
    EXPECT_EQ(view_.scrolled, 600 - kShownFrames) << "the oldest stands at the left";
    click(timeline(), bar_at(kShownFrames - 1));
    EXPECT_EQ(view_.pinned_frame, 0u);
    // Beside the panel it does nothing.
    show(timeline(), {200.0f, 50.0f}, false, -1.0f);
    EXPECT_EQ(view_.scrolled, 600 - kShownFrames);
}

TEST_F(DemoPanel, TheBudgetLineStandsAtEachFramesOwnBudget) {
    std::uint64_t number = 0;
    const auto add = [&](int frames, double budget_ms) {
        for (int i = 0; i < frames; ++i)
            history_.add(frame_of(number++, 0.5, budget_ms));
    };
    add(60, 4.0);
    add(50, 2.0);
    add(40, 0.0);  // and then none
    SearchSettings present;
    present.budget_us = 3000;  // of frames to come
    session_->set_frame(present);
    const Picture shown = picture(timeline());
    const auto line = [&](std::size_t oldest, std::size_t newest) {
        return fullest_row(shown, bar_at(oldest).x, bar_at(newest).x, 100, is_warning);
    };
    const int of_four = line(149, 91);
    const int of_two = line(89, 41);
    ASSERT_GT(of_four, 0);
    ASSERT_GT(of_two, 0);
    EXPECT_EQ(line(38, 1), -1) << "no budget, no line";
    EXPECT_NEAR((kChartBottom - static_cast<float>(of_four)) / (kChartBottom - static_cast<float>(of_two)), 2.0f,
                0.06f);
    EXPECT_NEAR(kChartBottom - static_cast<float>(of_four), 4.0f / 5.0f * (kChartBottom - kChartTop), 2.0f)
        << "the chart ends at the next round number";
    // A frame into which no plan came is no end of the line, and makes none.
    FrameRecord without;
    for (int i = 0; i < 40; ++i) {
        without.number = number++;
        history_.add(without);
        add(1, 2.0);
    }
    const Picture later = picture(timeline());
    EXPECT_EQ(fullest_row(later, bar_at(78).x, bar_at(1).x, 200, is_warning), of_four)
        << "two of two and a half stand where four of five stood";
}

TEST_F(DemoPanel, TheHistogramsMarkersStandAtTheBinsOfThePercentiles) {
    view_.histogram = OverlayView::kFrames;
    FrameRecord record;
    for (int i = 0; i < 1000; ++i) {
        record.number = static_cast<std::uint64_t>(i);
        record.whole_ms = i % 1000 < 935 ? 2.05 + 0.1 * (i % 19) : i < 985 ? 5.05 : 6.05;
        history_.add(record);
    }
    const Picture shown = picture([this](const OverlayFacts& facts) { histogram_panel(facts, view_, kLow, kHigh); });
    const int bottom = static_cast<int>(kHigh.y - (16.0f + 13.0f + 4.0f)) - 1;
    const std::vector<Band> bars = columns(shown, bottom - 4, bottom - 2, is_bar);
    ASSERT_GE(bars.size(), 3u);
    const int top = static_cast<int>(kLow.y + (16.0f + 32.0f)) + 2;
    // 15 of 1,000 are in the last bin, 50 in the one before it.
    const auto p99 = static_cast<float>(fullest_column(shown, top, bottom - 20, is_alarm));
    const auto p95 = static_cast<float>(fullest_column(shown, top, bottom - 20, is_warning));
    const auto stands_in = [](float x, const Band& bin) {
        return x >= static_cast<float>(bin.begin) - 1.0f && x <= static_cast<float>(bin.end);
    };
    // The marker parts the bar that it stands in.
    const auto stands_among = [&](float x, float low, float high) {
        return std::any_of(bars.begin(), bars.end(), [&](const Band& bar) {
            return stands_in(x, bar) && bar.middle() > low && bar.middle() < high;
        });
    };
    EXPECT_TRUE(stands_among(p99, p95 + 20.0f, 1e6f)) << p99;
    EXPECT_TRUE(stands_among(p95, p95 - 20.0f, p99 - 20.0f)) << p95;
    EXPECT_NEAR(p99, bars.back().middle(), static_cast<float>(bars.back().end - bars.back().begin) + 2.0f);
}

TEST_F(DemoPanel, APinnedFrameSaysWhenItsSearchWasToEndAndWhereItRan) {
    FrameRecord record = frame_of(7, 5.0, 4.0);
    const Panel panel = [&](const OverlayFacts&) { pinned_panel(record, view_, kLow, kHigh); };
    // From the second lane down to the names below the last.
    constexpr int kTop = static_cast<int>(kLow.y + 80.0f);
    constexpr int kBottom = static_cast<int>(kLow.y + 122.0f);
    const auto is_until = [](const Picture::Pixel& p) { return p.r > 90 && p.r - p.b > 30; };
    const Picture without = picture(panel);
    const int budget = fullest_column(without, kTop, kBottom, is_warning);
    ASSERT_GT(budget, 0);
    record.plan.search_until_ns = 3000000;
    const Picture with = picture(panel);
    EXPECT_EQ(fullest_column(with, kTop, kBottom, is_warning), budget);
    const float low = kLow.x + (18.0f + 92.0f);
    const float wanted = low + 0.75f * (static_cast<float>(budget) - low);
    const std::vector<Band> before = columns(without, kTop, kBottom, is_until);
    const std::vector<Band> found = columns(with, kTop, kBottom, is_until);
    const auto near = [&](const std::vector<Band>& runs) {
        return std::any_of(runs.begin(), runs.end(),
                           [&](const Band& run) { return std::abs(run.middle() - wanted) < 2.5f; });
    };
    EXPECT_FALSE(near(before));
    EXPECT_TRUE(near(found)) << "three quarters of the budget";

    // Only what is known is said, in the line at the top.
    const auto words = [&] {
        const Picture shown = picture(panel);
        int pixels = 0;
        for (int y = static_cast<int>(kLow.y); y < static_cast<int>(kLow.y + 34.0f); ++y)
            for (int x = static_cast<int>(low); x < static_cast<int>(kHigh.x) - 80; ++x)
                pixels += shown.at(x, y).r > 100 ? 1 : 0;
        return pixels;
    };
    const int plain = words();
    record.plan.multiprocessors = 16;
    const int on_gpu = words();
    EXPECT_GT(on_gpu, plain + 60);
    record.plan.stages[AUGUR_STAGE_SELECT] = {0, 2000000};
    const int taken_over = words();
    EXPECT_GT(taken_over, on_gpu + 60);
    record.plan.parts_measured = 1;
    EXPECT_LT(words(), taken_over) << "fewer words";
    EXPECT_GT(words(), on_gpu + 30);
}

TEST_F(DemoPanel, TheCountersHaveRowsForWhatTheBudgetControllerDid) {
    std::string error;
    ASSERT_TRUE(scene_->start(error)) << error;
    scene_->reset(2, 1);
    SearchSettings settings;
    settings.backend = BackendChoice::kCpu;
    const auto height = [&] {
        EXPECT_TRUE(session_->open(scene_->needs(), settings)) << session_->message();
        float found = 0.0f;
        show([&](const OverlayFacts& facts) { found = counters_panel(facts, kLow, kHigh); });
        show([&](const OverlayFacts& facts) { EXPECT_EQ(counters_panel(facts, kLow, kHigh), found); });
        return found;
    };
    const float plain = height();
    settings.adaptive = true;
    const float adaptive = height();
    EXPECT_GT(adaptive, plain + 2.5f * 19.0f) << "three rows";
    EXPECT_LT(adaptive, plain + 3.5f * 19.0f);
    // One that is not adaptive has them as soon as there is something to say.
    settings.adaptive = false;
    EXPECT_EQ(height(), plain);
    settings.budget_us = 1;
    settings.late_actions = AUGUR_LATE_ACTIONS_DROP;
    ASSERT_TRUE(session_->open(scene_->needs(), settings) && scene_->bind(*session_)) << session_->message();
    ASSERT_TRUE(session_->request(2, 0)) << session_->message();
    ASSERT_EQ(session_->collect(UINT64_MAX), PlanState::kDone) << session_->message();
    float dropped = 0.0f;
    show([&](const OverlayFacts& facts) { dropped = counters_panel(facts, kLow, kHigh); });
    EXPECT_GT(dropped, plain + 10.0f) << "the frames that were dropped";
}

}  // namespace
}  // namespace augur::demo
