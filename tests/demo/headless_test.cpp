// The demo without a display: the pictures have in them what they should, the report is complete, and runs repeat.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "demo/picture.h"
#include "demo/program.h"

namespace augur::test {
namespace {

using Json = nlohmann::json;

constexpr Part kWholePicture = {0.0, 0.0, 1.0, 1.0};
// Where the panels stand in a 1920x1080 picture, with a margin.
constexpr Part kControls = {0.015, 0.02, 0.155, 0.98};
constexpr Part kWorld = {0.18, 0.08, 0.79, 0.78};
constexpr Part kCounters = {0.82, 0.02, 0.985, 0.25};
constexpr Part kInspector = {0.82, 0.28, 0.985, 0.80};
constexpr Part kTimeline = {0.18, 0.83, 0.60, 0.98};
constexpr Part kHistogram = {0.625, 0.85, 0.80, 0.97};

Json report_of(const std::string& path) {
    return Json::parse(read_file(path), nullptr, false);
}

void expect_panels(const Picture& picture) {
    ASSERT_EQ(picture.width, 1920);
    ASSERT_EQ(picture.height, 1080);
    EXPECT_GT(contrast(picture, kWholePicture), 8.0) << "the picture is blank";
    for (const Part& part : {kControls, kCounters, kInspector}) {
        EXPECT_GT(count(picture, part, is_text), 250) << "no text in the panel at " << part.left;
        // A panel is calm: most of it is its dark ground.
        const int pixels = count(picture, part, [](const Picture::Pixel&) { return true; });
        const int dark = count(picture, part, [](const Picture::Pixel& p) { return p.r < 48 && p.g < 52 && p.b < 60; });
        EXPECT_GT(dark, pixels / 2);
    }
    const auto is_bar = [](const Picture::Pixel& p) { return p.g > 130 && p.g - p.r > 40 && p.g >= p.b; };
    EXPECT_GT(count(picture, kTimeline, is_bar), 40) << "no search stage in the timeline";
    EXPECT_GT(count(picture, kHistogram, is_bar), 60) << "no bars in the histogram";
}

TEST(DemoHeadless, SkirmishPictureShowsBothArmiesAndEveryPanel) {
    const std::string picture_path = scratch_file("skirmish.png");
    const DemoRun run = run_demo({"--headless", "--scene", "skirmish", "--agents", "600", "--simulations", "8",
                                  "--frames", "24", "--backend", "cpu", "--screenshot", picture_path});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const Picture picture = Picture::read(picture_path);
    expect_panels(picture);
    EXPECT_GT(count(picture, kWorld, is_azure) + count(picture, kControls, is_azure), 300);
    EXPECT_GT(count(picture, kWorld, is_amber) + count(picture, kControls, is_amber), 300);
    EXPECT_GT(count(picture, kWorld, is_azure), 100) << "no azure unit in the world";
}

TEST(DemoHeadless, ConnectFourPictureShowsStonesOfBothPlayers) {
    const std::string picture_path = scratch_file("board.png");
    const DemoRun run = run_demo({"--headless", "--scene", "connect_four", "--simulations", "256", "--frames", "34",
                                  "--backend", "cpu", "--screenshot", picture_path});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const Picture picture = Picture::read(picture_path);
    expect_panels(picture);
    EXPECT_GT(count(picture, kWorld, is_azure), 4000);
    EXPECT_GT(count(picture, kWorld, is_amber), 4000);
}

TEST(DemoHeadless, ReportHoldsEveryFigure) {
    const std::string path = scratch_file("report.json");
    const std::string trace = scratch_file("trace.json");
    const DemoRun run = run_demo({"--headless", "--agents", "64", "--simulations", "16", "--frames", "10", "--backend",
                                  "cpu", "--size", "320x200", "--seed", "7", "--report", path, "--trace", trace});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const Json report = report_of(path);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report.value("scene", ""), "skirmish");
    EXPECT_EQ(report.value("agents", 0), 64);
    EXPECT_EQ(report.value("frames", 0), 10);
    EXPECT_EQ(report.value("plans", 0), 10);
    EXPECT_EQ(report.value("backend", ""), "cpu");
    EXPECT_FALSE(report.value("device", "").empty());
    EXPECT_GT(report.value("simulations_per_second", 0.0), 0.0);
    for (const char* name : {"request_ms", "search_ms", "frame_ms"}) {
        ASSERT_TRUE(report.contains(name)) << name;
        const Json& times = report[name];
        EXPECT_GT(times.value("p50", 0.0), 0.0) << name;
        EXPECT_LE(times.value("p50", 0.0), times.value("p95", 0.0)) << name;
        EXPECT_LE(times.value("p95", 0.0), times.value("p99", 0.0)) << name;
        EXPECT_LE(times.value("p99", 0.0), times.value("max", 0.0)) << name;
    }
    EXPECT_EQ(report.value("deadline_misses", -1), 0);
    EXPECT_EQ(report.value("fallbacks", -1), 0);
    EXPECT_GT(report.value("bytes_copied_per_frame", -1.0), 0.0)
        << "the CPU backend reads OpenGL buffers through a copy";
    EXPECT_EQ(report.value("decision_hash", "").size(), 18u);
    EXPECT_EQ(report.value("opengl_errors", -1), 0);
    // 64 agents, at most 16 simulations, 10 frames.
    EXPECT_LE(report.value("simulations", 0), 64 * 16 * 10);

    const Json events = Json::parse(read_file(trace), nullptr, false);
    ASSERT_TRUE(events.is_object());
    EXPECT_GE(events["traceEvents"].size(), 10u);
}

std::string hash_of(const std::vector<std::string>& more, const std::string& size = "64x64") {
    const std::string path = scratch_file("hash.json");
    std::vector<std::string> arguments = {"--headless", "--backend", "cpu", "--size", size, "--report", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const DemoRun run = run_demo(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return report_of(path).value("decision_hash", "");
}

TEST(DemoHeadless, SameSeedSameDecisionsAndAnotherSeedOthers) {
    const std::vector<std::string> skirmish = {"--agents", "500", "--simulations", "12",
                                               "--frames", "30",  "--seed",        "11"};
    const std::string first = hash_of(skirmish);
    EXPECT_EQ(first.size(), 18u);
    EXPECT_EQ(hash_of(skirmish), first);
    EXPECT_NE(hash_of({"--agents", "500", "--simulations", "12", "--frames", "30", "--seed", "12"}), first);

    const std::vector<std::string> boards = {"--scene",       "connect_four", "--agents", "9",
                                             "--simulations", "40",           "--frames", "50"};
    EXPECT_EQ(hash_of(boards), hash_of(boards));
}

TEST(DemoHeadless, DecisionsDoNotDependOnThePicture) {
    const std::vector<std::string> small = {"--agents", "200", "--simulations", "8", "--frames", "12"};
    EXPECT_EQ(hash_of(small), hash_of(small, "0x0"));
    EXPECT_EQ(hash_of(small), hash_of(small, "900x700"));
}

TEST(DemoHeadless, EveryAgentCountFromTheLeastOnDraws) {
    for (const char* agents : {"2", "3", "65", "1000"}) {
        const std::string path = scratch_file("few.png");
        const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--agents", agents, "--simulations", "4",
                                      "--frames", "3", "--screenshot", path});
        ASSERT_EQ(run.exit_code, 0) << agents << " agents: " << run.errors;
        EXPECT_GT(contrast(Picture::read(path), kWholePicture), 8.0) << agents;
    }
}

}  // namespace
}  // namespace augur::test
