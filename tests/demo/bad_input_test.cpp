// What goes wrong around a demo: strange window sizes, no display, no assets, extreme settings, paths that cannot be
// written.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "demo/picture.h"
#include "demo/program.h"

namespace augur::test {
namespace {

constexpr Part kWholePicture = {0.0, 0.0, 1.0, 1.0};

class DemoSize : public testing::TestWithParam<const char*> {};

TEST_P(DemoSize, RunsWithoutAnOpenGlError) {
    const std::string report_path = scratch_file("report.json");
    for (const char* scene : {"skirmish", "connect_four"}) {
        const DemoRun run =
            run_demo({"--headless", "--scene", scene, "--backend", "cpu", "--agents", "4", "--simulations", "8",
                      "--frames", "3", "--size", GetParam(), "--report", report_path});
        EXPECT_EQ(run.exit_code, 0) << scene << ": " << run.errors;
        EXPECT_EQ(run.errors.find("opengl"), std::string::npos) << run.errors;
        const auto report = nlohmann::json::parse(read_file(report_path), nullptr, false);
        EXPECT_EQ(report.value("plans", 0), 3) << "a picture of no size keeps planning";
        EXPECT_EQ(report.value("opengl_errors", -1), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, DemoSize,
                         testing::Values("0x0", "0x600", "1x1", "1x1080", "2x2", "16384x16", "200x150", "3000x400"),
                         [](const testing::TestParamInfo<const char*>& each) {
                             return std::string("Size") + each.param;
                         });

class DemoWindow : public testing::TestWithParam<const char*> {};

TEST_P(DemoWindow, OpensDrawsAndPlans) {
    if (!can_open_windows()) GTEST_SKIP() << "xvfb-run and xauth are not installed";
    const std::string report_path = scratch_file("report.json");
    const DemoRun run = run_demo_in_window({"--backend", "cpu", "--agents", "50", "--simulations", "4", "--frames",
                                            "12", "--size", GetParam(), "--report", report_path});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    const auto report = nlohmann::json::parse(read_file(report_path), nullptr, false);
    EXPECT_EQ(report.value("surface", ""), "window (GLFW)");
    EXPECT_EQ(report.value("opengl_errors", -1), 0) << run.errors;
    EXPECT_GT(report.value("plans", 0), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, DemoWindow, testing::Values("0x0", "1x1", "640x360", "16000x300"),
                         [](const testing::TestParamInfo<const char*>& each) {
                             return std::string("Size") + each.param;
                         });

TEST(DemoBadInput, AWindowWithoutADisplayIsAClearMessageThatOffersHeadless) {
    // None named, and one that nobody serves.
    for (const char* display : {"DISPLAY", "DISPLAY=:54321"}) {
        const DemoRun run = run_demo({"--frames", "1"}, {display, "WAYLAND_DISPLAY"});
        EXPECT_EQ(run.exit_code, 1) << display;
        EXPECT_NE(run.errors.find("no window"), std::string::npos) << run.errors;
        EXPECT_NE(run.errors.find("--headless"), std::string::npos) << run.errors;
    }
}

TEST(DemoBadInput, MissingAssetsAreSaidAndTheBuiltInFontIsUsed) {
    const std::string path = scratch_file("plain.png");
    const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--agents", "64", "--simulations", "4", "--frames",
                                  "3", "--screenshot", path},
                                 {"AUGUR_DEMO_ASSETS=/nowhere/at/all"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(run.errors.find("/nowhere/at/all/fonts"), std::string::npos) << run.errors;
    EXPECT_GT(count(Picture::read(path), kWholePicture, is_text), 500) << "the overlay has no text";
}

TEST(DemoBadInput, ADamagedFontIsSaidAndTheBuiltInFontIsUsed) {
    const std::filesystem::path folder = scratch_file("assets");
    std::filesystem::create_directories(folder / "fonts");
    std::ofstream(folder / "fonts" / "Roboto-Regular.ttf") << "this is not a font";
    std::ofstream(folder / "fonts" / "Roboto-Medium.ttf").flush();
    const std::string path = scratch_file("plain.png");
    const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--agents", "64", "--simulations", "4", "--frames",
                                  "3", "--screenshot", path},
                                 {"AUGUR_DEMO_ASSETS=" + folder.string()});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(run.errors.find("Roboto-Regular.ttf"), std::string::npos) << run.errors;
    EXPECT_GT(count(Picture::read(path), kWholePicture, is_text), 500) << "the overlay has no text";
}

TEST(DemoBadInput, FilesThatCannotBeWrittenAreNamedAndFailTheRun) {
    for (const char* argument : {"--screenshot", "--report", "--trace"}) {
        const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--agents", "16", "--simulations", "4",
                                      "--frames", "2", "--size", "64x64", argument, "/nowhere/at/all/file"});
        EXPECT_EQ(run.exit_code, 1) << argument;
        EXPECT_NE(run.errors.find("/nowhere/at/all/file"), std::string::npos) << argument << ": " << run.errors;
    }
}

TEST(DemoBadInput, APictureOfNoSizeCannotBeWrittenAndSaysSo) {
    const DemoRun run = run_demo({"--headless", "--backend", "cpu", "--agents", "16", "--simulations", "4", "--frames",
                                  "2", "--size", "0x0", "--screenshot", scratch_file("none.png")});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.errors.find("0x0"), std::string::npos) << run.errors;
}

TEST(DemoBadInput, ExtremeSettingsRun) {
    const std::vector<std::vector<std::string>> extremes = {
        {"--agents", "2", "--simulations", "1"},
        {"--agents", "2", "--simulations", "4096"},
        {"--agents", "32", "--simulations", "4096", "--budget-us", "1"},
        {"--agents", "32", "--budget-us", "1000000"},
        {"--agents", "16", "--seed", "18446744073709551615"},
        {"--scene", "connect_four", "--agents", "49", "--simulations", "1"},
        {"--scene", "connect_four", "--agents", "1", "--simulations", "4096", "--budget-us", "1"},
    };
    for (const std::vector<std::string>& extreme : extremes) {
        std::vector<std::string> arguments = {"--headless", "--backend", "cpu", "--frames", "3", "--size", "200x150"};
        arguments.insert(arguments.end(), extreme.begin(), extreme.end());
        const DemoRun run = run_demo(arguments);
        std::string named;
        for (const std::string& word : extreme)
            named += word + " ";
        EXPECT_EQ(run.exit_code, 0) << named << run.errors;
    }
}

TEST(DemoBadInput, ABackendThatIsNotThereIsAClearMessage) {
    const DemoRun run =
        run_demo({"--headless", "--backend", "cuda", "--agents", "16", "--frames", "2", "--size", "64x64"},
                 {"CUDA_VISIBLE_DEVICES="});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.errors.find("Augur could not start"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace augur::test
