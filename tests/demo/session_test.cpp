// The demo's one planner: settings changed while the game runs, sliders at their ends, backends that are not there.
#include "app/planner_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "app/surface.h"
#include "app/thoughts.h"
#include "demo/egl_context.h"
#include "scenes/skirmish.h"

namespace augur::demo {
namespace {

constexpr std::uint32_t kAgents = 60;

class DemoSession : public testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        surface_ = make_headless({64, 64}, error);
        if (!surface_) GTEST_SKIP() << error;
        GlInfo info;
        ASSERT_TRUE(load_gl(surface_->loader(), info, error)) << error;
        scene_ = std::make_unique<SkirmishScene>(SceneSetup{kAgents, 1, false});
        ASSERT_TRUE(scene_->start(error)) << error;
        scene_->reset(kAgents, 1);
        session_ = std::make_unique<PlannerSession>(surface_->loader());
        settings_.backend = BackendChoice::kCpu;
        settings_.simulations = 16;
    }
    void TearDown() override {
        session_.reset();
        scene_.reset();
        surface_.reset();
    }

    bool open() { return session_->open(scene_->needs(), settings_) && scene_->bind(*session_); }

    // One frame from request to the world's tick.
    PlanState play() {
        if (!session_->request(kAgents, moment_++)) return PlanState::kFailed;
        const PlanState state = session_->collect(UINT64_MAX);
        if (state == PlanState::kDone) {
            scene_->planned();
            scene_->tick();
        }
        return state;
    }

    std::unique_ptr<Surface> surface_;
    std::unique_ptr<SkirmishScene> scene_;
    std::unique_ptr<PlannerSession> session_;
    SearchSettings settings_;
    std::uint64_t moment_ = 0;
};

TEST_F(DemoSession, GoesOnWithTheSameWorldAfterEverySettingWasChanged) {
    std::vector<SearchSettings> changes(8, settings_);
    changes[1].simulations = 1;
    changes[2].simulations = 4096;
    changes[2].budget_us = 1;
    changes[3].horizon = 1;
    changes[4].horizon = 100000;  // more than the rules allow: the most they do
    changes[5].exploration = 4.0f;
    changes[5].selection = AUGUR_SELECTION_UCT;
    changes[6].early_stop = false;
    changes[6].seed = UINT64_MAX;
    changes[7].budget_us = 1000000;
    for (const SearchSettings& change : changes) {
        settings_ = change;
        ASSERT_TRUE(open()) << session_->message();
        for (int frame = 0; frame < 3; ++frame)
            ASSERT_EQ(play(), PlanState::kDone) << session_->message();
        EXPECT_TRUE(session_->message().empty()) << session_->message();
    }
    EXPECT_EQ(session_->figures().frames, 3u * changes.size());
}

TEST_F(DemoSession, AMissingBackendLeavesASentenceAndTheNextOpenWorks) {
    settings_.backend = BackendChoice::kCuda;
    if (open()) GTEST_SKIP() << "this machine has the CUDA backend";
    EXPECT_FALSE(session_->is_open());
    EXPECT_NE(session_->message().find("Augur could not start"), std::string::npos) << session_->message();
    EXPECT_FALSE(session_->request(kAgents, 0)) << "nothing is open";
    settings_.backend = BackendChoice::kAuto;
    ASSERT_TRUE(open()) << session_->message();
    EXPECT_EQ(play(), PlanState::kDone);
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

TEST_F(DemoSession, PlansNobodyAndThenSomebody) {
    ASSERT_TRUE(open()) << session_->message();
    ASSERT_TRUE(session_->request(0, moment_++)) << session_->message();
    EXPECT_EQ(session_->collect(UINT64_MAX), PlanState::kDone);
    EXPECT_EQ(session_->last_frame().agent_count, 0u);
    EXPECT_EQ(play(), PlanState::kDone);
    EXPECT_EQ(session_->last_frame().agent_count, kAgents);
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

// A context that is lost, or not current when a window comes back: its buffers are not there.
TEST_F(DemoSession, AContextThatIsNotCurrentLeavesASentenceAndTheNextPlanWorks) {
    ASSERT_TRUE(open()) << session_->message();
    ASSERT_EQ(play(), PlanState::kDone);
    EglContext context;
    // Away before a request.
    context.leave();
    EXPECT_EQ(play(), PlanState::kFailed);
    EXPECT_NE(session_->message().find("gl_buffer"), std::string::npos) << session_->message();
    context.come_back();
    session_->dismiss_message();
    EXPECT_EQ(play(), PlanState::kDone) << session_->message();
    // Away before the plan's actions can be written.
    ASSERT_TRUE(session_->request(kAgents, moment_++));
    context.leave();
    EXPECT_EQ(session_->collect(UINT64_MAX), PlanState::kFailed);
    EXPECT_NE(session_->message().find("a plan could not be collected"), std::string::npos) << session_->message();
    context.come_back();
    session_->dismiss_message();
    for (int frame = 0; frame < 3; ++frame)
        EXPECT_EQ(play(), PlanState::kDone) << session_->message();
    EXPECT_TRUE(session_->message().empty()) << session_->message();
}

TEST_F(DemoSession, AFrameHasItsOwnBudgetOrTheSearchsWhileItIsShared) {
    const auto budget_us = [&](bool shared) {
        augur_timeline_frame newest{};
        EXPECT_TRUE(session_->begin_frame(shared)) << session_->message();
        EXPECT_EQ(play(), PlanState::kDone) << session_->message();
        EXPECT_TRUE(session_->newest(newest));
        return newest.budget_ns / 1000;
    };
    ASSERT_TRUE(open()) << session_->message();
    EXPECT_EQ(budget_us(true), 0u) << "neither has one";
    settings_.frame_budget_us = 500000;
    session_->set_frame(settings_);
    EXPECT_EQ(budget_us(false), 0u);
    std::uint64_t found = budget_us(true);
    EXPECT_GT(found, 0u);
    EXPECT_LE(found, 500000u);
    settings_.budget_us = 300000;
    session_->set_frame(settings_);
    EXPECT_EQ(budget_us(false), 300000u);
    settings_.frame_budget_us = 100000;
    session_->set_frame(settings_);
    found = budget_us(true);
    EXPECT_GT(found, 0u);
    EXPECT_LE(found, 100000u);
    settings_.frame_budget_us = 0;
    session_->set_frame(settings_);
    found = budget_us(true);
    EXPECT_GT(found, 100000u);
    EXPECT_LE(found, 300000u);
}

// The budget is over before the fields are read, so whatever is chosen is late.
TEST_F(DemoSession, LateActionsAreWrittenOrDroppedAsTheSettingsSay) {
    settings_.budget_us = 1;
    for (const std::uint32_t late : {AUGUR_LATE_ACTIONS_WRITE, AUGUR_LATE_ACTIONS_DROP}) {
        settings_.late_actions = late;
        ASSERT_TRUE(open()) << session_->message();
        for (int frame = 0; frame < 5; ++frame) {
            ASSERT_EQ(play(), PlanState::kDone) << session_->message();
            EXPECT_EQ(session_->last_frame().deadline_missed, 1u);
            EXPECT_EQ(session_->last_frame().actions_dropped, late == AUGUR_LATE_ACTIONS_DROP ? 1u : 0u);
        }
    }
}

TEST_F(DemoSession, ClosesWhileAPlanRuns) {
    settings_.simulations = 4096;
    ASSERT_TRUE(open()) << session_->message();
    ASSERT_TRUE(session_->request(kAgents, 0)) << session_->message();
    session_->close();
    EXPECT_TRUE(session_->message().empty()) << session_->message();
    settings_.simulations = 8;
    ASSERT_TRUE(open()) << session_->message();
    EXPECT_EQ(play(), PlanState::kDone);
}

TEST_F(DemoSession, TheSameMomentGivesTheSameThoughts) {
    ASSERT_TRUE(open()) << session_->message();
    Thoughts first;
    Thoughts second;
    for (Thoughts* thoughts : {&first, &second}) {
        ASSERT_TRUE(session_->request(kAgents, 5)) << session_->message();
        ASSERT_EQ(session_->collect(UINT64_MAX), PlanState::kDone);
        read_thoughts(*session_, scene_->selected(), *thoughts);
        ASSERT_TRUE(thoughts->valid);
    }
    EXPECT_EQ(first.visits, second.visits);
    EXPECT_EQ(first.values, second.values);
    EXPECT_EQ(first.result.action, second.result.action);
    ASSERT_FALSE(first.best_line.empty());
    EXPECT_EQ(first.tree[first.best_line.front()].action, first.result.action) << "the line begins with the decision";
    for (std::size_t i = 1; i < first.best_line.size(); ++i) {
        EXPECT_EQ(first.tree[first.best_line[i]].parent, first.best_line[i - 1]) << "the line is a path of the tree";
    }
}

TEST_F(DemoSession, ThereAreNoThoughtsBeforeTheFirstPlan) {
    ASSERT_TRUE(open()) << session_->message();
    Thoughts thoughts;
    read_thoughts(*session_, 0, thoughts);
    EXPECT_FALSE(thoughts.valid) << "nothing was planned yet";
    EXPECT_TRUE(thoughts.tree.empty());
    EXPECT_TRUE(thoughts.best_line.empty());
}

}  // namespace
}  // namespace augur::demo
