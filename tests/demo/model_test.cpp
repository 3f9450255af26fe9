// The demo with a model: both scenes guided by one, what the report says of it, and models that cannot be used.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "demo/picture.h"
#include "demo/program.h"
#include "support/dense_onnx.h"

namespace augur::test {
namespace {

using Json = nlohmann::json;

constexpr Part kInspector = {0.82, 0.28, 0.985, 0.80};
constexpr Part kTimeline = {0.18, 0.815, 0.60, 0.98};

struct SceneShapes {
    const char* name;
    const char* agents;
    std::uint32_t features;
    std::uint32_t actions;
};
constexpr SceneShapes kConnectFour = {"connect_four", "49", 42, 7};
constexpr SceneShapes kSkirmish = {"skirmish", "64", 93, 13};

// What the panels draw in the colour of the model.
bool is_violet(const Picture::Pixel& p) {
    return p.b > 140 && p.b - p.g > 40 && p.r - p.g > 8 && p.b > p.r;
}

// Writes a network for the scene: policy and value, weights that only look random, all of them times `scale`; and more
// heads.
void write_model(const std::string& path, const SceneShapes& scene, float scale = 0.3f,
                 const std::vector<DenseHead>& more = {}) {
    std::vector<DenseHead> heads = {{"policy", scene.actions, ""}, {"value", 1, "Tanh"}};
    heads.insert(heads.end(), more.begin(), more.end());
    std::ofstream(path, std::ios::binary) << write_dense_onnx(
        scene.features, {96}, heads, [scale](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
            return scale * std::sin(static_cast<float>(7 * layer + 13 * row + 29 * column + 1));
        });
}

DemoRun run_scene(const SceneShapes& scene, const std::vector<std::string>& more,
                  const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments = {"--headless", "--backend", "cpu", "--scene",       scene.name, "--agents",
                                          scene.agents, "--frames",  "6",   "--simulations", "64"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_demo(arguments, environment);
}

Json report_of(const SceneShapes& scene, std::vector<std::string> more,
               const std::vector<std::string>& environment = {}) {
    const std::string path = scratch_file("report.json");
    more.insert(more.end(), {"--report", path});
    const DemoRun run = run_scene(scene, more, environment);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return Json::parse(read_file(path), nullptr, false);
}

class DemoModel : public testing::TestWithParam<SceneShapes> {
  protected:
    void SetUp() override {
        model_ = scratch_file("guide.onnx");
        write_model(model_, GetParam());
    }
    std::string model_;
};

INSTANTIATE_TEST_SUITE_P(Of, DemoModel, testing::Values(kConnectFour, kSkirmish),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(DemoModel, GuidesTheSceneAndIsInTheReport) {
    const std::string picture_path = scratch_file("picture.png");
    const Json report = report_of(GetParam(), {"--model", model_, "--screenshot", picture_path});
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report.value("model", ""), "guide.onnx");
    EXPECT_EQ(report.value("model_precision", ""), "fp32");
    EXPECT_EQ(report.value("selection", ""), "puct");
    EXPECT_EQ(report.value("model_fallbacks", -1), 0);
    EXPECT_EQ(report.value("backend", ""), "cpu");
    EXPECT_EQ(report.value("plans", 0), 6);
    EXPECT_EQ(report.value("opengl_errors", -1), 0);
    const Json& times = report["evaluate_ms"];
    EXPECT_GT(times.value("p50", 0.0), 0.0);
    EXPECT_LE(times.value("p50", 0.0), times.value("p95", 0.0));
    EXPECT_LE(times.value("p95", 0.0), times.value("p99", 0.0));
    EXPECT_LE(times.value("p99", 0.0), report["search_ms"].value("max", 0.0)) << "it is a part of the search";

    const Picture picture = Picture::read(picture_path);
    ASSERT_EQ(picture.width, 1920);
    EXPECT_GT(count(picture, kInspector, is_violet), 300) << "no policy beside the visits";
    EXPECT_GT(count(picture, kTimeline, is_violet), 40) << "no model in the timeline";
}

TEST_P(DemoModel, ChangesTheDecisionsTheSameWayEachTime) {
    const std::vector<std::string> small = {"--size", "64x64"};
    const std::vector<std::string> guided = {"--size", "64x64", "--model", model_};
    const std::string first = report_of(GetParam(), guided).value("decision_hash", "");
    EXPECT_EQ(first.size(), 18u);
    EXPECT_EQ(report_of(GetParam(), guided).value("decision_hash", ""), first);
    EXPECT_NE(report_of(GetParam(), small).value("decision_hash", ""), first);
}

TEST_P(DemoModel, TakesEverySelection) {
    for (const char* selection : {"puct", "uct", "gumbel"}) {
        const Json report = report_of(GetParam(), {"--size", "320x200", "--model", model_, "--selection", selection});
        EXPECT_EQ(report.value("selection", ""), selection);
        EXPECT_EQ(report.value("plans", 0), 6) << selection;
        EXPECT_GT(report.value("simulations", 0), 0) << selection;
    }
}

TEST_P(DemoModel, IsFoundByNameInTheAssetFolder) {
    const std::filesystem::path folder = scratch_file("assets");
    std::filesystem::create_directories(folder / "models");
    write_model((folder / "models" / "mine.onnx").string(), GetParam());
    write_model((folder / "models" / (std::string(GetParam().name) + ".onnx")).string(), GetParam());
    const std::vector<std::string> environment = {"AUGUR_DEMO_ASSETS=" + folder.string()};
    const Json named = report_of(GetParam(), {"--size", "64x64", "--model", "mine"}, environment);
    EXPECT_EQ(named.value("model", ""), "mine.onnx");
    const Json own = report_of(GetParam(), {"--size", "64x64", "--model", "default"}, environment);
    EXPECT_EQ(own.value("model", ""), std::string(GetParam().name) + ".onnx");
    EXPECT_EQ(own.value("decision_hash", "own"), named.value("decision_hash", "named"));
}

TEST_P(DemoModel, ThatShipsFitsItsScene) {
    const Json report = report_of(GetParam(), {"--size", "64x64", "--model", "default"});
    EXPECT_EQ(report.at("model"), std::string(GetParam().name) + ".onnx");
    EXPECT_EQ(report.at("model_fallbacks"), 0);
    EXPECT_EQ(report.at("fallbacks"), 0);
}

TEST_P(DemoModel, TellsItsRewardOfTheSelectedAgentAndDecidesAsWithoutOne) {
    const std::string with = scratch_file("with.png"), without = scratch_file("without.png");
    const Json plain = report_of(GetParam(), {"--model", model_, "--screenshot", without});
    write_model(model_, GetParam(), 0.3f, {{"reward", GetParam().actions, ""}});
    const Json told = report_of(GetParam(), {"--model", model_, "--screenshot", with});
    EXPECT_EQ(told.at("decision_hash"), plain.at("decision_hash"));
    EXPECT_TRUE(plain.at("selected").at("model_reward").empty());
    EXPECT_EQ(told.at("selected").at("model_reward").size(), GetParam().actions);
    for (const char* same : {"agent", "action", "expected_return", "model_value", "model_policy"})
        EXPECT_EQ(told.at("selected").at(same), plain.at("selected").at(same)) << same;
    // A row of the panel that was not there, in the colour of the model.
    EXPECT_GT(count(Picture::read(with), kInspector, is_violet),
              count(Picture::read(without), kInspector, is_violet) + 40);
}

TEST(DemoModelThatShips, TellsValuePolicyAndRewardOfTheSelectedUnit) {
    const Json report = report_of(kSkirmish, {"--size", "64x64", "--model", "default"});
    const Json& selected = report.at("selected");
    EXPECT_GE(selected.at("model_value").get<double>(), -1.0);
    EXPECT_LE(selected.at("model_value").get<double>(), 1.0);
    double policy = 0;
    for (const Json& share : selected.at("model_policy"))
        policy += share.get<double>();
    EXPECT_NEAR(policy, 1.0, 1e-3);
    ASSERT_EQ(selected.at("model_reward").size(), kSkirmish.actions);
    // Every ply costs upkeep, and no blow moves a reward by more than a unit's whole health: numbers near 0, not all
    // the same.
    const auto [least, most] =
        std::minmax_element(selected.at("model_reward").begin(), selected.at("model_reward").end());
    EXPECT_GT(least->get<double>(), -0.7);
    EXPECT_LT(most->get<double>(), 0.7);
    EXPECT_GT(most->get<double>() - least->get<double>(), 0.001);
}

TEST_P(DemoModel, ThatGivesNoNumbersIsCountedAndTheSceneGoesOn) {
    write_model(model_, GetParam(), 1e30f);
    const Json report = report_of(GetParam(), {"--size", "320x200", "--model", model_});
    EXPECT_GT(report.value("model_fallbacks", 0), 0);
    EXPECT_EQ(report.value("plans", 0), 6);
}

TEST_P(DemoModel, OfTheSceneThatIsNotThereIsSaidAndTheSceneGoesOnWithout) {
    const std::string folder = scratch_file("none");
    const std::string path = scratch_file("report.json");
    const DemoRun run = run_scene(GetParam(), {"--size", "64x64", "--model", "default", "--report", path},
                                  {"AUGUR_DEMO_ASSETS=" + folder});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(run.errors.find(folder + "/models/" + GetParam().name + ".onnx is not there"), std::string::npos)
        << run.errors;
    const Json report = Json::parse(read_file(path), nullptr, false);
    EXPECT_TRUE(report.at("model").is_null());
    EXPECT_TRUE(report.at("model_precision").is_null());
    EXPECT_EQ(report.at("evaluate_ms").value("max", -1.0), 0.0);
    EXPECT_EQ(report.value("plans", 0), 6);
}

// Each is said, and the exit code is 2.
void expect_refused(const SceneShapes& scene, const std::string& model, const std::vector<std::string>& said) {
    const DemoRun run = run_scene(scene, {"--size", "64x64", "--model", model});
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    for (const std::string& part : said)
        EXPECT_NE(run.errors.find(part), std::string::npos) << "\"" << part << "\" is not in: " << run.errors;
    EXPECT_TRUE(run.output.empty()) << run.output;
}

TEST(DemoWrongModel, ThatIsMissing) {
    expect_refused(kSkirmish, "/nowhere/at/all/a.onnx", {"/nowhere/at/all/a.onnx"});
    expect_refused(kSkirmish, "b.onnx", {"b.onnx"});
    expect_refused(kConnectFour, "nobody", {"--model is \"nobody\"", "/models/nobody.onnx", "a name: "});
}

TEST(DemoWrongModel, ThatIsDamagedOrNoModel) {
    const std::string path = scratch_file("damaged.onnx");
    for (const std::string& text :
         {std::string(), std::string("this is no model"), std::string("\x08\x08\x3a\xff\xff")}) {
        std::ofstream(path, std::ios::binary) << text;
        expect_refused(kSkirmish, path, {"the model cannot be used", path});
    }
    write_model(path, kSkirmish);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    expect_refused(kSkirmish, path, {"the model cannot be used", path});
    expect_refused(kSkirmish, std::filesystem::path(path).parent_path().string() + "/", {"the model cannot be used"});
}

TEST(DemoWrongModel, ThatIsOfAnotherGame) {
    const std::string path = scratch_file("skirmish.onnx");
    write_model(path, kSkirmish);
    expect_refused(kConnectFour, path, {"the model does not fit connect_four", path, "[batch, 93]", "42 features"});
    write_model(path, kConnectFour);
    expect_refused(kSkirmish, path, {"the model does not fit skirmish", path, "[batch, 42]", "93 features"});
    write_model(path, {"", "", 42, 9});
    expect_refused(kConnectFour, path, {"the model does not fit connect_four", "[batch, 9]", "7 actions"});
}

TEST(DemoWrongModel, ThatIsNotThereForGumbel) {
    const DemoRun run = run_scene(kConnectFour, {"--size", "64x64", "--model", "default", "--selection", "gumbel"},
                                  {"AUGUR_DEMO_ASSETS=" + scratch_file("none")});
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_NE(run.errors.find("Gumbel selection needs a model"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace augur::test
