// Profiles in the demo, and the loads that they are tuned against.
#include "app/tuning.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/model_load.h"
#include "app/surface.h"
#include "demo/program.h"
#include "draw/draw.h"
#include "draw/render_load.h"
#include "scenes/scenes.h"

namespace augur::demo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::DemoRun;
using test::read_file;
using test::run_demo;
using test::scratch_file;

const std::string kAssets = std::string(AUGUR_SOURCE_DIR) + "/assets/";

SearchSettings unusual() {
    SearchSettings settings;
    settings.simulations = 77;
    settings.budget_us = 1500;
    settings.horizon = 5;
    settings.exploration = 1.25f;
    settings.selection = AUGUR_SELECTION_GUMBEL;
    settings.execution = AUGUR_EXECUTION_WAVES;
    settings.leaves_per_wave = 3;
    settings.considered_actions = 6;
    settings.gumbel_scale = 0.5f;
    settings.precision = AUGUR_PRECISION_INT8;
    settings.early_stop = false;
    settings.urgency = {3.25f, 0.5f};
    settings.gpu_sharing = AUGUR_GPU_SHARING_PARTITION;
    settings.partition_multiprocessors = 24;
    settings.frame_budget_us = 2500;
    settings.phase_weight = 2.0f;
    settings.depth_weight = 0.5f;
    settings.priority = 3.0f;
    settings.late_actions = AUGUR_LATE_ACTIONS_DROP;
    settings.model = "some.onnx";
    return settings;
}

void expect_same(const SearchSettings& a, const SearchSettings& b) {
    const augur_profile one = to_profile(a), other = to_profile(b);
    EXPECT_EQ(std::memcmp(static_cast<const void*>(&one), static_cast<const void*>(&other), sizeof one), 0);
}

TEST(DemoProfile, ComesBackAsItWasSaved) {
    const std::string path = scratch_file("tuned.json");
    std::string message;
    ASSERT_TRUE(save_profile(path, unusual(), message)) << message;
    augur_profile profile = augur_profile_default();
    ASSERT_TRUE(load_profile(path, profile, message)) << message;
    EXPECT_TRUE(message.empty()) << message;
    SearchSettings settings;
    settings.seed = 5;
    settings.backend = BackendChoice::kCpu;
    take_profile(profile, "some.onnx", settings);
    expect_same(settings, unusual());
    EXPECT_EQ(settings.urgency.peak, 3.25f);
    EXPECT_EQ(settings.urgency.fall, 0.5f);
    EXPECT_EQ(settings.partition_multiprocessors, 24u);
    EXPECT_EQ(settings.frame_budget_us, 2500u);
    EXPECT_EQ(settings.priority, 3.0f);
    EXPECT_EQ(settings.late_actions, static_cast<std::uint32_t>(AUGUR_LATE_ACTIONS_DROP));
    EXPECT_EQ(settings.seed, 5u) << "not the profile's affair";
    EXPECT_EQ(settings.backend, BackendChoice::kCpu);
    take_profile(augur_profile_default(), "some.onnx", settings);
    EXPECT_EQ(settings.simulations, 64u);
    EXPECT_EQ(settings.urgency.peak, UrgencyCurve().peak) << "the library's default is the demo's";
    EXPECT_EQ(settings.urgency.fall, UrgencyCurve().fall);
}

TEST(DemoProfile, IsBroughtWithinWhatTheDemoOffers) {
    augur_profile profile = augur_profile_default();
    profile.simulations = 4000000;
    SearchSettings settings;
    take_profile(profile, "", settings);
    EXPECT_EQ(settings.simulations, kMostSimulations);
}

TEST(DemoProfile, SaysWhatItLeavesOutAndWhyItCannotBeUsed) {
    const std::string path = scratch_file("odd.json");
    std::ofstream(path) << R"({"augur_profile": 1, "simulations": 9, "colour": "blue"})";
    augur_profile profile = augur_profile_default();
    std::string message;
    EXPECT_TRUE(load_profile(path, profile, message));
    EXPECT_NE(message.find("colour"), std::string::npos) << message;
    EXPECT_EQ(profile.simulations, 9u);
    std::ofstream(path) << R"({"augur_profile": 1, "simulations": 0})";
    EXPECT_FALSE(load_profile(path, profile, message));
    EXPECT_NE(message.find("simulations is 0"), std::string::npos) << message;
    EXPECT_EQ(profile.simulations, 64u);
    EXPECT_FALSE(save_profile(fs::path(path).parent_path().string(), unusual(), message));
    EXPECT_NE(message.find("ordinary file"), std::string::npos) << message;
}

Json report_of(const std::vector<std::string>& arguments, DemoRun* run = nullptr) {
    const std::string path = scratch_file("report.json");
    std::vector<std::string> all = {"--headless", "--backend", "cpu", "--size", "320x200", "--report", path};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const DemoRun done = run_demo(all);
    if (run != nullptr) *run = done;
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return Json::parse(read_file(path), nullptr, false);
}

// The curve in the file is the one that the scene weighs its agents by, and the one that is saved again; a damaged file
// leaves the usual one. The profile that ships for it leaves something to divide.
TEST(DemoProfile, HasTheCurveOfUrgency) {
    const std::string path = scratch_file("curve.json"), saved = scratch_file("again.json");
    const Json shipped = Json::parse(read_file(kAssets + "profiles/skirmish_urgent.json"));
    const auto decisions = [&](const std::vector<std::pair<const char*, Json>>& changes) {
        Json profile = shipped;
        profile["budget_us"] = 0;  // no answer by the clock
        for (const auto& [field, value] : changes) {
            profile.erase(field);
            if (!value.is_null()) profile[field] = value;
        }
        std::ofstream(path) << profile;
        const Json report = report_of(
            {"--scene", "skirmish", "--agents", "200", "--frames", "8", "--profile", path, "--save-profile", saved});
        return report.at("decision_hash");
    };
    const Json usual = decisions({});
    EXPECT_EQ(decisions({{"urgency_peak", nullptr}, {"urgency_fall", nullptr}}), usual);
    EXPECT_NE(decisions({{"urgency_peak", 1}}), usual);
    EXPECT_NE(decisions({{"urgency_peak", 40}, {"urgency_fall", 0.3}}), usual);
    const Json again = Json::parse(read_file(saved));
    EXPECT_EQ(again.at("urgency_peak"), 40);
    EXPECT_EQ(again.at("urgency_fall").dump(), "0.3");

    augur_profile profile = augur_profile_default();
    profile.urgency_peak = 9.0f;
    std::string message;
    std::ofstream(path) << R"({"augur_profile": 1, "urgency_peak": 0.5})";
    EXPECT_FALSE(load_profile(path, profile, message));
    EXPECT_NE(message.find("urgency_peak is 0.5"), std::string::npos) << message;
    EXPECT_EQ(profile.urgency_peak, 6.0f);
}

TEST(DemoProfile, ThatShipsRunsItsScene) {
    for (const char* name : {"skirmish", "skirmish_guided", "skirmish_urgent", "connect_four"}) {
        const std::string path = kAssets + "profiles/" + name + ".json";
        const Json profile = Json::parse(read_file(path));
        const std::string scene = std::string(name).substr(0, std::string(name) == "connect_four" ? 12 : 8);
        const std::string saved = scratch_file("again.json");
        const Json report = report_of({"--scene", scene, "--agents", scene == "skirmish" ? "60" : "1", "--frames", "4",
                                       "--profile", path, "--save-profile", saved});
        EXPECT_EQ(report.value("profile", ""), path);
        EXPECT_EQ(report.value("simulations_per_agent", 0), profile.at("simulations"));
        EXPECT_EQ(report.value("budget_us", 0), profile.at("budget_us"));
        EXPECT_EQ(report.value("selection", ""), profile.at("selection"));
        EXPECT_EQ(report.at("model").is_null(), !profile.at("model").get<bool>());
        EXPECT_EQ(Json::parse(read_file(saved)), profile) << "what runs is what the profile says";
    }
}

TEST(DemoProfile, WithSettingsThatASceneCannotHaveRunsAllTheSame) {
    const std::string path = scratch_file("carried.json");
    std::ofstream(path)
        << R"({"augur_profile": 1, "carry_over": "warm_start", "adaptive": true, "gpu_sharing": "turns"})";
    for (const char* agents : {"1", "4"}) {
        const Json report = report_of(
            {"--scene", "connect_four", "--agents", agents, "--frames", "3", "--simulations", "50", "--profile", path});
        EXPECT_EQ(report.value("plans", 0), 3) << agents << " boards";
    }
    const Json battle = report_of({"--agents", "40", "--frames", "4", "--profile", path});
    EXPECT_EQ(battle.value("plans", 0), 4);
    EXPECT_EQ(battle.value("opengl_errors", -1), 0);
}

TEST(DemoProfile, GivesWayToArguments) {
    const std::string path = kAssets + "profiles/skirmish_guided.json";
    const Json report = report_of({"--agents", "20", "--frames", "2", "--profile", path, "--simulations", "7",
                                   "--budget-us", "0", "--selection", "puct", "--model", "none"});
    EXPECT_EQ(report.value("simulations_per_agent", 0), 7);
    EXPECT_EQ(report.value("budget_us", -1), 0);
    EXPECT_EQ(report.value("selection", ""), "puct");
    EXPECT_TRUE(report.at("model").is_null());
}

TEST(DemoProfile, ThatCannotBeUsedIsSaidAndTheRunGoesOnWithDefaults) {
    const std::string damaged = scratch_file("damaged.json");
    std::ofstream(damaged) << R"({"augur_profile": 1, "simulations": )";
    const std::string wrong = scratch_file("wrong.json");
    std::ofstream(wrong) << R"({"augur_profile": 1, "simulations": "many"})";
    for (const std::string& path : {damaged, wrong, std::string("/nowhere/at/all.json"), scratch_file("")}) {
        DemoRun run;
        const Json report = report_of({"--agents", "20", "--frames", "2", "--profile", path}, &run);
        EXPECT_FALSE(run.errors.empty()) << path;
        EXPECT_TRUE(report.at("profile").is_null()) << path;
        EXPECT_EQ(report.value("simulations_per_agent", 0), 32) << "the scene's own";
        EXPECT_EQ(report.value("plans", 0), 2);
    }
}

TEST(DemoProfile, ThatCannotBeSavedIsAFailure) {
    const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--size", "64x64", "--agents", "20", "--frames",
                                  "2", "--save-profile", "/nowhere/at/all.json"});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.errors.find("/nowhere/at/all.json"), std::string::npos) << run.errors;
}

TEST(DemoLoad, IsInTheReport) {
    const Json report = report_of(
        {"--agents", "40", "--simulations", "4", "--frames", "8", "--render-load", "0.5", "--model-load", "64"});
    EXPECT_EQ(report.at("render_load").value("ms", 0.0), 0.5);
    EXPECT_GE(report.at("render_load").value("steps", 0), 1);
    EXPECT_GT(report.at("render_load").value("ms_per_step", 0.0), 0.0);
    EXPECT_EQ(report.at("model_load").value("rows", 0), 64);
    EXPECT_GT(report.at("model_load").at("batch_ms").value("p50", 0.0), 0.0);
    EXPECT_TRUE(report.at("ab").is_null());
    EXPECT_EQ(report.value("opengl_errors", -1), 0);
    for (const char* name : {"wait_ms", "collect_ms"})
        EXPECT_GT(report.at(name).value("max", 0.0), 0.0) << name;
    const Json without = report_of({"--agents", "40", "--simulations", "4", "--frames", "8"});
    EXPECT_EQ(without.at("render_load").value("steps", -1), 0);
    EXPECT_EQ(without.at("model_load").value("rows", -1), 0);
    EXPECT_EQ(without.value("decision_hash", "a"), report.value("decision_hash", "b")) << "loads change no decision";
}

TEST(DemoLoad, NeedsTheScenesModelAndSaysSoWithout) {
    const fs::path folder = scratch_file("assets");
    fs::create_directories(folder);
    fs::create_directory_symlink(fs::path(kAssets) / "fonts", folder / "fonts");
    const DemoRun run = run_demo(
        {"--headless", "--backend", "cpu", "--size", "64x64", "--agents", "20", "--frames", "2", "--model-load", "64"},
        {"AUGUR_DEMO_ASSETS=" + folder.string()});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(run.errors.find("no model load"), std::string::npos) << run.errors;
    fs::remove_all(folder);
}

TEST(DemoComparison, RunsUntilItCanTellAndReportsBothSides) {
    const Json report = report_of({"--agents", "600", "--simulations", "48", "--ab", "0.1"});
    const Json& found = report.at("ab");
    ASSERT_TRUE(found.is_object());
    EXPECT_NEAR(found.value("period_seconds", 0.0), 0.1, 1e-6);
    EXPECT_GE(found.value("pairs", 0), 5);
    EXPECT_GT(found.at("uncertainty_ms").get<double>(), 0.0);
    for (const char* side : {"ai_on", "ai_off"}) {
        EXPECT_GT(found.at(side).value("frames", 0), 4) << side;
        EXPECT_GT(found.at(side).value("mean_ms", 0.0), 0.0) << side;
        EXPECT_GE(found.at(side).value("p99_ms", 0.0), found.at(side).value("mean_ms", 0.0)) << side;
    }
    EXPECT_GT(found.at("ai_on").value("mean_ms", 0.0), found.at("ai_off").value("mean_ms", 1e9))
        << "600 agents with 48 simulations cost more than such a picture on any processor";
    EXPECT_LT(report.value("plans", 1 << 30), report.value("frames", 0)) << "frames without the AI have no plan";
    EXPECT_EQ(report.value("ticks", 0), report.value("frames", -1)) << "the game goes on without it";
}

TEST(DemoRenderLoad, CostsWhatItIsAskedForAndIsSeen) {
    std::string error;
    const std::unique_ptr<Surface> surface = make_headless({64, 64}, error);
    if (!surface) GTEST_SKIP() << error;
    GlInfo info;
    ASSERT_TRUE(load_gl(surface->loader(), info, error)) << error;
    RenderLoad load;
    ASSERT_TRUE(load.start(error)) << error;
    Target picture{GL_RGBA8};
    picture.resize({64, 64});
    Draw draw;
    ASSERT_TRUE(draw.start(error)) << error;
    const auto brightness = [&] {
        picture.bind();
        const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f};
        glClearNamedFramebufferfv(picture.framebuffer(), GL_COLOR, 0, black);
        draw.begin({}, picture.extent(), 0.0f);
        load.draw(picture, 1.0f);
        long sum = 0;
        for (const std::uint8_t byte : picture.read_pixels())
            sum += byte;
        return sum;
    };
    EXPECT_EQ(load.steps(), 0);
    EXPECT_EQ(brightness(), 0) << "no load, no haze";
    load.set_ms(0.01f);
    EXPECT_GE(load.steps(), 1);
    EXPECT_GT(brightness(), 0);
    load.set_ms(10.0f);
    const int ten = load.steps();
    const long seen = brightness();
    load.set_ms(40.0f);
    EXPECT_NEAR(load.steps(), 4.0 * ten, 0.1 * load.steps() + 4.0);
    EXPECT_NEAR(static_cast<double>(brightness()), static_cast<double>(seen), 0.2 * static_cast<double>(seen))
        << "more work, much the same picture";
    load.set_ms(-5.0f);
    EXPECT_EQ(load.steps(), 0);
    load.set_ms(1e9f);
    EXPECT_EQ(load.ms(), kMostRenderLoadMs);
    EXPECT_EQ(gl_error_count(), 0u);
}

}  // namespace
}  // namespace augur::demo
