// The demo's planner with a model: on and off while a game runs, what the model says of a state, models that do not
// fit.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>
#include <vector>

#include "app/planner_session.h"
#include "app/surface.h"
#include "app/thoughts.h"
#include "demo/program.h"
#include "scenes/connect_four.h"
#include "support/dense_onnx.h"

namespace augur::demo {
namespace {

using test::scratch_file;
using test::write_dense_onnx;

constexpr std::uint32_t kCells = 42;
constexpr std::uint32_t kColumnCount = 7;

float weight(std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
    return 0.2f * std::sin(static_cast<float>(17 * layer + 5 * row + 3 * column + 1));
}

// What a head without hidden layers says of a state.
float head(std::uint32_t layer, std::uint32_t column, const std::vector<float>& features) {
    float sum = weight(layer, kCells, column);
    for (std::uint32_t row = 0; row < kCells; ++row)
        sum += weight(layer, row, column) * features[row];
    return sum;
}

class DemoModelSession : public testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        surface_ = make_headless({64, 64}, error);
        if (!surface_) GTEST_SKIP() << error;
        GlInfo info;
        ASSERT_TRUE(load_gl(surface_->loader(), info, error)) << error;
        session_ = std::make_unique<PlannerSession>(surface_->loader());
        settings_.backend = BackendChoice::kCpu;
        settings_.simulations = 32;
        begin(1);
        model_ = write("guide.onnx", kCells, 1);
    }
    void TearDown() override {
        session_.reset();
        scene_.reset();
        surface_.reset();
    }

    void begin(std::uint32_t boards) {
        scene_ = std::make_unique<ConnectFourScene>(SceneSetup{boards, 1, false});
        std::string error;
        ASSERT_TRUE(scene_->start(error)) << error;
        scene_->reset(boards, 1);
    }
    // A policy, a value and a reward, straight from the features.
    static std::string write(const std::string& name, std::uint32_t features, std::uint32_t rewards) {
        std::string path = scratch_file(name);
        std::ofstream(path, std::ios::binary) << write_dense_onnx(
            features, {}, {{"policy", 7, ""}, {"value", 1, "Tanh"}, {"reward", rewards, ""}}, weight);
        return path;
    }
    bool open() { return session_->open(scene_->needs(), settings_) && scene_->bind(*session_); }
    // Plans the moment and reads what the first board thinks.
    Thoughts plan() {
        Thoughts thoughts;
        EXPECT_TRUE(session_->request(scene_->needs().agents, moment_++)) << session_->message();
        EXPECT_EQ(session_->collect(UINT64_MAX), PlanState::kDone) << session_->message();
        read_thoughts(*session_, 0, thoughts);
        return thoughts;
    }
    std::vector<float> features() const {
        std::vector<float> numbers;
        EXPECT_TRUE(scene_->features(numbers));
        return numbers;
    }

    std::unique_ptr<Surface> surface_;
    std::unique_ptr<ConnectFourScene> scene_;
    std::unique_ptr<PlannerSession> session_;
    SearchSettings settings_;
    std::string model_;
    std::uint64_t moment_ = 0;
};

TEST_F(DemoModelSession, TellsWhatTheModelSaysOfTheSelectedAgent) {
    settings_.model = model_;
    ASSERT_TRUE(open()) << session_->message();
    for (int ply = 0; ply < 4; ++ply) {
        const Thoughts thoughts = plan();
        ASSERT_TRUE(thoughts.valid);
        const std::vector<float> state = features();
        ASSERT_EQ(state.size(), kCells);
        std::vector<float> priors(kColumnCount);
        for (std::uint32_t column = 0; column < kColumnCount; ++column)
            priors[column] = std::exp(head(0, column, state));
        const float sum = std::accumulate(priors.begin(), priors.end(), 0.0f);
        ASSERT_EQ(thoughts.priors.size(), kColumnCount);
        for (std::uint32_t column = 0; column < kColumnCount; ++column)
            EXPECT_NEAR(thoughts.priors[column], priors[column] / sum, 1e-3f) << "column " << column;
        ASSERT_TRUE(thoughts.model_value.has_value());
        EXPECT_NEAR(*thoughts.model_value, std::tanh(head(1, 0, state)), 1e-3f);
        std::vector<float> reward;
        ASSERT_TRUE(session_->reward(state, reward)) << session_->message();
        ASSERT_EQ(reward.size(), 1u);
        EXPECT_NEAR(reward[0], head(2, 0, state), 1e-4f);
        scene_->tick();
    }
    EXPECT_EQ(session_->evaluate_ms().size(), 4u);
    EXPECT_GT(session_->model().weight_bytes, 0u);
    EXPECT_STREQ(session_->precision_name(), "fp32");
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

TEST_F(DemoModelSession, GoesOnAndOffAndThroughEverySelectionInOneGame) {
    for (const std::uint32_t boards : {1u, 5u}) {
        begin(boards);
        std::vector<SearchSettings> changes(5, settings_);
        changes[1].model = model_;
        changes[2].model = model_;
        changes[2].selection = AUGUR_SELECTION_GUMBEL;
        changes[3].model = model_;
        changes[3].selection = AUGUR_SELECTION_UCT;
        for (const SearchSettings& change : changes) {
            settings_ = change;
            ASSERT_TRUE(open()) << session_->message();
            const Thoughts thoughts = plan();
            EXPECT_TRUE(thoughts.valid);
            EXPECT_EQ(thoughts.priors.empty(), change.model.empty());
            EXPECT_EQ(session_->has_model(), !change.model.empty());
            EXPECT_EQ(session_->backend(), static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
            EXPECT_FALSE(session_->answers_elsewhere());
            scene_->tick();
        }
    }
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

TEST_F(DemoModelSession, SaysWhichModelItRefusedAndOpensWithAnother) {
    settings_.model = scratch_file("nothing.onnx");
    EXPECT_FALSE(open());
    EXPECT_TRUE(session_->model_refused());
    EXPECT_NE(session_->message().find(settings_.model), std::string::npos) << session_->message();
    settings_.model = write("wide.onnx", 93, 1);
    EXPECT_FALSE(open());
    EXPECT_TRUE(session_->model_refused());
    EXPECT_NE(session_->message().find("does not fit connect_four"), std::string::npos) << session_->message();
    EXPECT_FALSE(session_->is_open());
    EXPECT_FALSE(session_->has_model());
    settings_.model = model_;
    ASSERT_TRUE(open()) << session_->message();
    EXPECT_FALSE(session_->model_refused());
    EXPECT_TRUE(plan().valid);
}

TEST_F(DemoModelSession, ShowsOnlyTheHeadsThatThereAre) {
    const auto thoughts_with = [&](const std::vector<test::DenseHead>& heads) {
        settings_.model = scratch_file("one_head.onnx");
        std::ofstream(settings_.model, std::ios::binary) << write_dense_onnx(kCells, {}, heads, weight);
        EXPECT_TRUE(open()) << session_->message();
        return plan();
    };
    const Thoughts policy = thoughts_with({{"policy", 7, ""}});
    EXPECT_EQ(policy.priors.size(), kColumnCount);
    EXPECT_FALSE(policy.model_value.has_value());
    const Thoughts value = thoughts_with({{"value", 1, "Tanh"}});
    EXPECT_TRUE(value.priors.empty());
    EXPECT_TRUE(value.model_value.has_value());
}

TEST_F(DemoModelSession, GivesARewardForEachActionAndNoneWithoutTheHead) {
    settings_.model = write("wide_reward.onnx", kCells, kColumnCount);
    ASSERT_TRUE(open()) << session_->message();
    std::vector<float> reward;
    ASSERT_TRUE(session_->reward(features(), reward)) << session_->message();
    ASSERT_EQ(reward.size(), kColumnCount);
    for (std::uint32_t column = 0; column < kColumnCount; ++column)
        EXPECT_NEAR(reward[column], head(2, column, features()), 1e-4f);
    EXPECT_FALSE(session_->reward({1.0f}, reward)) << "one number is no state";

    settings_.model = scratch_file("no_reward.onnx");
    std::ofstream(settings_.model, std::ios::binary)
        << write_dense_onnx(kCells, {}, {{"policy", 7, ""}, {"value", 1, "Tanh"}}, weight);
    ASSERT_TRUE(open()) << session_->message();
    EXPECT_FALSE(session_->reward(features(), reward));
    EXPECT_TRUE(reward.empty());
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

}  // namespace
}  // namespace augur::demo
