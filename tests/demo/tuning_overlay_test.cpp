// A person at the overlay's tuning: tabs, loads, A/B, profiles, a pinned frame.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/app.h"
#include "demo/clicking_surface.h"
#include "demo/picture.h"
#include "demo/program.h"

namespace augur::demo {
namespace {

using test::scratch_file;
using Json = nlohmann::json;

// Where things stand in a picture of 1920x1080.
constexpr Vec2 kLoadTab = {161.0f, 146.0f};
constexpr Vec2 kViewTab = {243.0f, 146.0f};
constexpr Vec2 kRowsSlider = {220.0f, 319.0f};
constexpr Vec2 kShadingSlider = {60.0f, 219.0f};
constexpr Vec2 kFramesChart = {404.0f, 892.0f};
constexpr Vec2 kNewestBars = {1140.0f, 1020.0f};
constexpr Vec2 kClose = {1503.0f, 720.0f};
constexpr test::Part kPinned = {0.18, 0.655, 0.80, 0.79};
constexpr test::Part kAbSides = {0.82, 0.40, 0.85, 0.50};
constexpr test::Part kChart = {0.20, 0.86, 0.60, 0.97};

class DemoTuning : public testing::Test {
  protected:
    void SetUp() override {
        options_.backend = BackendChoice::kCpu;
        options_.agents = 40;
        options_.simulations = 8;
        options_.report = scratch_file("report.json");
        options_.screenshot = scratch_file("picture.png");
    }
    Json click(const std::vector<Vec2>& places, std::uint64_t frames = 0) {
        std::string error;
        std::unique_ptr<Surface> inner = make_headless(kClickedPicture, error);
        if (!inner) return nullptr;
        options_.frames = std::max<std::uint64_t>(frames, (places.size() + 1) * ClickingSurface::kFramesPerClick);
        App app(options_, std::make_unique<ClickingSurface>(std::move(inner), places, nullptr));
        if (app.run() != 0) return nullptr;
        return Json::parse(test::read_file(options_.report), nullptr, false);
    }
    test::Picture picture() const { return test::Picture::read(options_.screenshot); }

    Options options_;
};

TEST_F(DemoTuning, AClickOnABarPinsItsStagesUntilTheyAreClosed) {
    const auto words = [&](const std::vector<Vec2>& places) {
        EXPECT_TRUE(click(places).is_object());
        return test::count(picture(), kPinned, test::is_text);
    };
    const int free = words({});
    EXPECT_GT(words({kNewestBars}), free + 150) << "no stages are told";
    EXPECT_LT(words({kNewestBars, kClose}), free + 150);
}

TEST_F(DemoTuning, WholeFramesAreShownByTheirParts) {
    const auto is_drawing = [](const test::Picture::Pixel& p) { return p.b > 150 && p.b > p.r + 60 && p.g < 140; };
    ASSERT_TRUE(click({kFramesChart}).is_object());
    EXPECT_GT(test::count(picture(), kChart, is_drawing), 200) << "software drawing takes most of a frame";
}

TEST_F(DemoTuning, LoadsAreMovedWithTheirSliders) {
    const Json before = click({kLoadTab});
    ASSERT_TRUE(before.is_object());
    EXPECT_EQ(before.at("model_load").at("rows"), 0);
    const Json after = click({kLoadTab, kRowsSlider, kShadingSlider});
    ASSERT_TRUE(after.is_object());
    EXPECT_GT(after.at("model_load").at("rows"), 0);
    EXPECT_GT(after.at("render_load").at("ms"), 0.0);
    EXPECT_EQ(after.at("opengl_errors"), 0);
}

TEST_F(DemoTuning, AComparisonHasAPanelOfItsOwn) {
    options_.ab_seconds = 0.3;
    const Json report = click({kViewTab}, 60);
    ASSERT_TRUE(report.is_object());
    EXPECT_GE(report.at("ab").at("pairs"), 2);
    // The name of the side with the AI, which has that colour whatever was measured.
    EXPECT_GT(test::count(picture(), kAbSides, test::is_accent), 20);
    options_.ab_seconds = 0;
    ASSERT_TRUE(click({kViewTab}).is_object());
    EXPECT_EQ(test::count(picture(), kAbSides, test::is_accent), 0) << "no panel without a comparison";
}

// Where the buttons of the profile stand with rollouts, PUCT, on the CPU.
constexpr Vec2 kLoadButton = {95.0f, 653.0f};
constexpr Vec2 kSaveButton = {225.0f, 653.0f};

TEST_F(DemoTuning, ProfilesAreSavedAndLoadedFromTheOverlay) {
    options_.save_profile = scratch_file("kept.json");
    options_.budget_us = 3000;
    ASSERT_TRUE(click({}).is_object());
    ASSERT_TRUE(std::filesystem::exists(options_.save_profile)) << "at the end of the run";
    std::filesystem::remove(options_.save_profile);

    Options asked = options_;
    options_.save_profile.clear();
    options_.profile = asked.save_profile;  // not there yet: said, and the path stays in the field
    ASSERT_TRUE(click({kSaveButton}).is_object());
    ASSERT_TRUE(std::filesystem::exists(asked.save_profile)) << "by the button";
    EXPECT_EQ(Json::parse(test::read_file(asked.save_profile)).at("budget_us"), 3000);

    options_.budget_us = 9000;
    const Json loaded = click({kLoadButton});
    ASSERT_TRUE(loaded.is_object());
    EXPECT_EQ(loaded.at("budget_us"), 3000) << "what was loaded is what runs";
    std::ofstream(asked.save_profile) << "damaged";
    options_.budget_us = 9000;
    const Json kept = click({kLoadButton});
    ASSERT_TRUE(kept.is_object()) << "it did not go on";
    EXPECT_EQ(kept.at("budget_us"), 9000) << "a damaged file changes nothing that runs";
}

// Where the shared controls stand on the CPU while the budget is shared.
constexpr Vec2 kShareBudget = {278.0f, 380.0f};
constexpr Vec2 kFrameBudgetSlider = {160.0f, 420.0f};
constexpr Vec2 kPhaseSlider = {74.0f, 483.0f};
constexpr Vec2 kDepthSlider = {178.0f, 483.0f};
constexpr Vec2 kPrioritySlider = {262.0f, 483.0f};
constexpr Vec2 kDropLate = {249.0f, 514.0f};

TEST_F(DemoTuning, WhatIsSharedIsSetOnTheCpuTooAndComesBackFromAProfile) {
    const std::string saved = scratch_file("shared.json");
    const std::string again = scratch_file("again.json");
    const auto settings = [&](const std::vector<Vec2>& places, const std::string& file) {
        options_.save_profile = file;
        const Json report = click(places);
        EXPECT_TRUE(report.is_object());
        EXPECT_GT(report.value("plans", 0), 0) << "a planner works with them";
        return Json::parse(test::read_file(file));
    };
    const Json first = settings({kLoadTab}, saved);
    EXPECT_EQ(first.at("frame_budget_us"), 0);
    EXPECT_EQ(first.at("late_actions"), "write");
    const Json set = settings(
        {kLoadTab, kShareBudget, kFrameBudgetSlider, kPhaseSlider, kDepthSlider, kPrioritySlider, kDropLate}, saved);
    EXPECT_GT(set.at("frame_budget_us"), 5000);
    EXPECT_LT(set.at("frame_budget_us"), 15000);
    for (const char* weight : {"phase_weight", "depth_weight", "priority"}) {
        EXPECT_GT(set.at(weight), 2.0) << weight;
        EXPECT_LE(set.at(weight), 10.0) << weight;
    }
    EXPECT_NE(set.at("phase_weight"), set.at("depth_weight"));
    EXPECT_NE(set.at("depth_weight"), set.at("priority"));
    EXPECT_EQ(set.at("late_actions"), "drop");
    EXPECT_EQ(set.at("budget_us"), first.at("budget_us"));

    options_.profile = saved;
    EXPECT_EQ(settings({}, again), set) << "sharing is on again, or the frame's budget would be away";
    EXPECT_EQ(settings({kLoadTab, kShareBudget}, again).at("frame_budget_us"), 0) << "nothing is shared";
}

}  // namespace
}  // namespace augur::demo
