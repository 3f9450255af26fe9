// Planners that a model guides, through the C interface: searching, swapping models, replaying.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "support/model_host.h"

namespace augur::test {
namespace {

// A context of its own for a host whose planner, made afterwards, the small model guides.
void begin_guided(ConnectFourHost& host, std::uint32_t workers) {
    host.create_context(workers);
    const std::string bytes = connect_four_model();
    augur_model_desc desc = augur_model_desc_default();
    desc.data = bytes.data();
    desc.size_bytes = bytes.size();
    ASSERT_EQ(augur_model_create(host.context, &desc, &host.planner_desc.model), AUGUR_OK);
}

TEST_F(ApiModel, GuidesAPlannerTheSameWithAnyNumberOfWorkers) {
    std::vector<std::uint64_t> hashes[4];
    for (int i = 0; i < 4; ++i) {
        ConnectFourHost host;
        begin_guided(host, static_cast<std::uint32_t>(i));
        host.planner_desc.selection = i % 2 == 0 ? AUGUR_SELECTION_PUCT : AUGUR_SELECTION_GUMBEL;
        host.create_planner();
        host.bind_all();
        for (int turn = 0; turn < 12; ++turn) {
            augur_frame_result result{};
            ASSERT_GE(host.plan(kAgents, &result), 0) << augur_last_message();
            hashes[i].push_back(result.decision_hash);
            for (const std::int32_t action : host.actions)
                EXPECT_TRUE(action >= -1 && action < 7);
            host.play_actions();
        }
    }
    EXPECT_EQ(hashes[0], hashes[2]);
    EXPECT_EQ(hashes[1], hashes[3]);
    EXPECT_NE(hashes[0], hashes[1]);
}

TEST_F(ApiModel, HasAnExplorationConstantOfItsOwn) {
    std::uint64_t hashes[3];
    const float constants[3] = {0.0f, 1.5f, 2.5f};  // the rules' own: 1.5 with a model, 2.5 with rollouts
    for (int i = 0; i < 3; ++i) {
        ConnectFourHost host;
        begin_guided(host, 0);
        host.planner_desc.exploration = constants[i];
        host.create_planner();
        host.bind_all();
        augur_frame_result result{};
        ASSERT_GE(host.plan(kAgents, &result), 0);
        hashes[i] = result.decision_hash;
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_NE(hashes[0], hashes[2]);
}

TEST_F(ApiModel, AnswersWithThePriorWhenThereIsNoBudget) {
    set_up_guided(2, stubborn_model(5));
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = kAgents;
    frame.budget_us = 0;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), AUGUR_BUDGET_ZERO);
    for (const std::int32_t action : actions)
        EXPECT_EQ(action, 5);
}

TEST_F(ApiModel, KeepsItsDeadlineAndNeverLeavesASlotUnwritten) {
    set_up_guided(1, connect_four_model());
    for (const std::int64_t budget : {1, 20, 200, 2000}) {
        std::fill(std::begin(actions), std::end(actions), -7);
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kAgents;
        frame.budget_us = budget;
        ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
        EXPECT_GE(augur_planner_collect(planner, UINT64_MAX, nullptr), 0);
        for (const std::int32_t action : actions)
            EXPECT_TRUE(action >= 0 && action < 7) << action;
    }
}

TEST_F(ApiModel, RefusesAModelOfOtherShapesAndNamesBoth) {
    create_context(0);
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &planner_desc.rules), AUGUR_OK);
    const auto refused = [&](const std::string& bytes, const char* theirs, const char* ours) {
        planner_desc.model = model_of(bytes);
        augur_planner_id made{0};
        EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_INVALID_MODEL);
        EXPECT_TRUE(message_has(theirs)) << augur_last_message();
        EXPECT_TRUE(message_has(ours)) << augur_last_message();
    };
    refused(write_dense_onnx(41, {4}, {{"policy", 7, ""}, {"value", 1, ""}}, pattern), "41", "42");
    refused(write_dense_onnx(42, {4}, {{"policy", 8, ""}, {"value", 1, ""}}, pattern), "[batch, 8]", "7");
    refused(write_dense_onnx(42, {4}, {{"policy", 7, ""}, {"value", 3, ""}}, pattern), "[batch, 3]", "1");
    refused(write_dense_onnx(42, {4}, {{"policy", 1, ""}, {"value", 7, ""}}, pattern), "policy", "7");  // swapped
}

TEST_F(ApiModel, NeedsSettingsThatGoTogether) {
    create_context(0);
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &planner_desc.rules), AUGUR_OK);
    augur_planner_id made{0};
    planner_desc.selection = AUGUR_SELECTION_GUMBEL;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_INVALID_ARGUMENT);
    planner_desc.model = model_of(connect_four_model());
    planner_desc.search = AUGUR_SEARCH_TREE;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_INVALID_ARGUMENT);
    planner_desc.search = AUGUR_SEARCH_FOREST;
    planner_desc.considered_actions = 4097;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(message_has("considered_actions"));
    planner_desc.considered_actions = 2;
    planner_desc.gumbel_scale = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(message_has("gumbel_scale"));
    planner_desc.gumbel_scale = 0.0f;
    planner_desc.model.value += 1ull << 20;  // another generation
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &made), AUGUR_ERROR_STALE_ID);
}

TEST_F(ApiModel, CarryOverIsNotForGumbel) {
    create_context(0);
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &planner_desc.rules), AUGUR_OK);
    planner_desc.model = model_of(connect_four_model());
    planner_desc.selection = AUGUR_SELECTION_GUMBEL;
    planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_ERROR_UNSUPPORTED);
    EXPECT_TRUE(message_has("AUGUR_SELECTION_GUMBEL")) << augur_last_message();
    planner_desc.selection = AUGUR_SELECTION_UCT;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_OK) << augur_last_message();
}

TEST_F(ApiModel, CarryOverKeepsWhatTheModelSaid) {
    planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    planner_desc.early_stop = 0;
    set_up_guided(2, connect_four_model());
    float first[7], second[7], value = 0, value_now = 0;
    ASSERT_GE(plan(), 0);
    ASSERT_EQ(augur_planner_advice(planner, 1, first, &value), AUGUR_OK);
    ASSERT_GE(plan(), 0);
    ASSERT_EQ(augur_planner_advice(planner, 1, second, &value_now), AUGUR_OK);
    EXPECT_EQ(value_now, value);
    for (int a = 0; a < 7; ++a)
        EXPECT_EQ(second[a], first[a]);
    augur_agent_result agent{};
    ASSERT_EQ(augur_planner_results(planner, 1, 1, &agent), AUGUR_OK);
    EXPECT_EQ(agent.visits, 2 * planner_desc.simulations);
    // After a move and an answer the new root's priors are those that its leaf got.
    play_actions();
    play_actions();
    ASSERT_GE(plan(), 0);
    ASSERT_EQ(augur_planner_advice(planner, 1, second, &value_now), AUGUR_OK);
    ConnectFourHost fresh;
    begin_guided(fresh, 0);
    fresh.create_planner();
    fresh.bind_all();
    std::memcpy(fresh.boards, boards, sizeof boards);
    ASSERT_GE(fresh.plan(), 0);
    ASSERT_EQ(augur_planner_advice(fresh.planner, 1, first, &value), AUGUR_OK);
    EXPECT_EQ(value_now, value);
    for (int a = 0; a < 7; ++a)
        EXPECT_EQ(second[a], first[a]);
}

TEST_F(ApiModel, CarryOverForgetsWhatAnotherModelSaid) {
    planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    planner_desc.simulations = 3;
    set_up_guided(0, stubborn_model(2));
    ASSERT_GE(plan(), 0);
    ASSERT_GE(plan(), 0);
    EXPECT_EQ(actions[0], 2);
    EXPECT_EQ(augur_planner_set_model(planner, model_of(stubborn_model(6))), AUGUR_OK);
    ASSERT_GE(plan(), 0);
    EXPECT_EQ(actions[0], 6);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.trees_carried, std::uint64_t{kAgents}) << "those of the second frame";
}

TEST_F(ApiModel, SearchesOneLargeTreeToo) {
    planner_desc.search = AUGUR_SEARCH_TREE;
    planner_desc.simulations = 300;
    planner_desc.leaves_per_wave = 16;
    set_up_guided(2, connect_four_model());
    augur_frame_result result{};
    ASSERT_GE(plan(1, &result), 0) << augur_last_message();
    EXPECT_EQ(result.simulations, 300u);
}

TEST_F(ApiModel, TakesTheMemoryThatWasToldBefore) {
    for (const augur_search search : {AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE}) {
        ConnectFourHost host;
        begin_guided(host, 2);
        host.planner_desc.search = search;
        host.planner_desc.leaves_per_wave = 100;
        host.create_planner();
        augur_planner_memory_info told{};
        told.struct_size = sizeof told;
        ASSERT_EQ(augur_planner_memory(host.context, &host.planner_desc, &told), AUGUR_OK) << augur_last_message();
        augur_counters counters{};
        counters.struct_size = sizeof counters;
        ASSERT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
        EXPECT_EQ(counters.host_bytes, told.host_bytes);
        EXPECT_GT(told.host_bytes, 3u * 100 * 42 * sizeof(float));
    }
}

TEST_F(ApiModel, OutlivesItsIdInThePlannersThatUseIt) {
    set_up_guided(2, stubborn_model(2));
    EXPECT_EQ(augur_model_destroy(planner_desc.model), AUGUR_OK);
    planner_desc.simulations = 1;
    ASSERT_GE(plan(), 0);
    EXPECT_EQ(actions[0], 2);
}

TEST_F(ApiModel, IsSwappedFromTheNextRequestOn) {
    planner_desc.simulations = 3;
    set_up_guided(2, stubborn_model(2));
    const augur_model_id next = model_of(stubborn_model(6));
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = kAgents;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_set_model(planner, next), AUGUR_OK);  // while it runs
    EXPECT_EQ(augur_model_destroy(planner_desc.model), AUGUR_OK);
    EXPECT_EQ(augur_model_destroy(next), AUGUR_OK);
    ASSERT_GE(augur_planner_collect(planner, UINT64_MAX, nullptr), 0);
    EXPECT_EQ(actions[0], 2);
    ASSERT_GE(plan(), 0);
    EXPECT_EQ(actions[0], 6);
    // One that does not fit changes nothing.
    const augur_model_id wrong = model_of(write_dense_onnx(41, {4}, {{"policy", 7, ""}}, pattern));
    EXPECT_EQ(augur_planner_set_model(planner, wrong), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_EQ(augur_planner_set_model(planner, {0}), AUGUR_ERROR_INVALID_ARGUMENT);
    ASSERT_GE(plan(), 0);
    EXPECT_EQ(actions[0], 6);
}

TEST_F(ApiModel, CannotComeToAPlannerMadeWithoutOne) {
    set_up(0);
    EXPECT_EQ(augur_planner_set_model(planner, model_of(connect_four_model())), AUGUR_ERROR_INVALID_STATE);
}

TEST_F(ApiModel, ThatGivesNoNumbersIsFlaggedCountedAndReplaced) {
    // Finite weights, and sums that are not.
    set_up_guided(1, write_dense_onnx(42, {8, 8}, {{"policy", 7, ""}, {"value", 1, ""}},
                                      [](std::uint32_t, std::uint32_t, std::uint32_t c) {
                                          return c % 2 == 0 ? 3.0e38f : -3.0e38f;
                                      }));
    boards[0] = {0, 1};
    augur_frame_result result{};
    EXPECT_EQ(plan(1, &result), AUGUR_OK_WITH_FLAGS);
    augur_agent_result agent{};
    ASSERT_EQ(augur_planner_results(planner, 0, 1, &agent), AUGUR_OK);
    EXPECT_NE(agent.flags & AUGUR_AGENT_MODEL_FALLBACK, 0u);
    EXPECT_TRUE(actions[0] >= 0 && actions[0] < 7);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.model_fallbacks, 1u);
}

TEST_F(ApiModel, IsNeededAgainToReplayWhatItGuided) {
    planner_desc.selection = AUGUR_SELECTION_GUMBEL;
    set_up_guided(2, connect_four_model());
    const std::string path = ::testing::TempDir() + "augur_guided.augur";
    ASSERT_EQ(augur_planner_record_start(planner, path.c_str()), AUGUR_OK) << augur_last_message();
    for (int turn = 0; turn < 6; ++turn) {
        ASSERT_GE(plan(), 0);
        play_actions();
    }
    const augur_model_id other = model_of(stubborn_model(3));
    EXPECT_EQ(augur_planner_set_model(planner, other), AUGUR_ERROR_INVALID_STATE);
    ASSERT_EQ(augur_planner_record_stop(planner), AUGUR_OK);
    augur_replay_report report{};
    report.struct_size = sizeof report;
    // Loaded anew from the same bytes it is the same model.
    ASSERT_EQ(augur_replay_with_model(context, path.c_str(), model_of(connect_four_model()), &report), AUGUR_OK)
        << augur_last_message();
    EXPECT_EQ(report.frames, 6u);
    EXPECT_EQ(report.frames_equal, 6u);
    EXPECT_EQ(augur_replay_with_model(context, path.c_str(), other, &report), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_TRUE(message_has("another"));
    EXPECT_EQ(augur_replay(context, path.c_str(), &report), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_EQ(augur_replay_with_model(context, path.c_str(), {77}, &report), AUGUR_ERROR_STALE_ID);
    std::remove(path.c_str());
}

}  // namespace
}  // namespace augur::test
