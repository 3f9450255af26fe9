// Models evaluated directly, on the host's own arrays.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/connect_four_host.h"
#include "support/model_host.h"

namespace augur::test {
namespace {

class ApiEvaluation : public ApiModel {
  protected:
    static constexpr std::uint32_t kRows = 100;
    struct Unit {
        float before;
        float features[3];
        std::uint8_t pixels[4];
        float score[2];
    };

    void SetUp() override {
        ApiModel::SetUp();
        create_context(2);
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = units;
        desc.size_bytes = sizeof units;
        desc.access = AUGUR_ACCESS_READ_WRITE;
        ASSERT_EQ(augur_buffer_register(context, &desc, &memory), AUGUR_OK);
        for (std::uint32_t i = 0; i < kRows; ++i) {
            units[i].before = -5.0f;
            for (std::uint32_t n = 0; n < 3; ++n)
                units[i].features[n] = pattern(9, i, n);
            for (std::uint32_t n = 0; n < 4; ++n)
                units[i].pixels[n] = static_cast<std::uint8_t>(17 * i + 50 * n);
            units[i].score[0] = units[i].score[1] = -9.0f;
        }
    }
    augur_model_id evaluator_of(const std::string& bytes, std::uint32_t rows = kRows) {
        augur_model_desc desc = augur_model_desc_default();
        desc.row_capacity = rows;
        augur_model_id model{0};
        EXPECT_EQ(create(bytes, &model, desc), AUGUR_OK) << augur_last_message();
        return model;
    }
    augur_rows at(std::size_t offset, augur_format format) const {
        return {memory, static_cast<std::uint32_t>(format), 0, offset, sizeof(Unit), 1.0f, 0.0f};
    }
    augur_evaluation_desc on_features(std::uint32_t rows = kRows) const {
        augur_evaluation_desc desc = augur_evaluation_desc_default();
        desc.row_count = rows;
        desc.inputs[0] = at(offsetof(Unit, features), AUGUR_FORMAT_F32);
        desc.outputs[0] = at(offsetof(Unit, score), AUGUR_FORMAT_F32);
        return desc;
    }
    static std::string scorer(std::uint32_t features) {
        return write_dense_onnx(features, {5}, {{"score", 2, ""}}, pattern);
    }
    // The same by hand.
    static void expect_score(const float (&score)[2], const std::vector<double>& features) {
        const auto count = static_cast<std::uint32_t>(features.size());
        for (std::uint32_t out = 0; out < 2; ++out) {
            double sum = static_cast<double>(pattern(1, 5, out));
            for (std::uint32_t h = 0; h < 5; ++h) {
                double hidden = static_cast<double>(pattern(0, count, h));
                for (std::uint32_t f = 0; f < count; ++f)
                    hidden += features[f] * static_cast<double>(pattern(0, f, h));
                sum += std::max(hidden, 0.0) * static_cast<double>(pattern(1, h, out));
            }
            EXPECT_NEAR(static_cast<double>(score[out]), sum, 1e-5);
        }
    }

    Unit units[kRows];
    augur_buffer_id memory{0};
};

// They are not anytime: a frame's budget makes room for them, and is none of theirs.
TEST_F(ApiEvaluation, IsMadeWholeInAFrameWithoutTime) {
    const augur_model_id model = evaluator_of(scorer(3));
    const augur_evaluation_desc desc = on_features();
    augur_frame_budget_desc frame = augur_frame_budget_desc_default();
    for (const std::int64_t budget : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000000}, INT64_MAX}) {
        frame.budget_us = budget;
        ASSERT_EQ(augur_context_begin_frame(context, &frame), AUGUR_OK) << augur_last_message();
        for (int i = 0; i < 3; ++i) {
            units[0].score[0] = -9.0f;
            ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
            ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
            expect_score(units[0].score, {units[0].features, units[0].features + 3});
        }
    }
}

// What an evaluation usually takes is set aside for it: a planner that asks before it gets that much less.
TEST_F(ApiEvaluation, TakesItsLearnedTimeFromThePlannersOfItsFrame) {
    const augur_model_id model = evaluator_of(write_dense_onnx(3, {768, 768}, {{"score", 2, ""}}, pattern));
    const augur_evaluation_desc batch = on_features();
    ConnectFourHost host;
    augur_planner_desc desc = host.planner_desc;
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &desc.rules), AUGUR_OK);
    augur_planner_id asker{0};
    ASSERT_EQ(augur_planner_create(context, &desc, &asker), AUGUR_OK) << augur_last_message();
    augur_buffer_desc lent = augur_buffer_desc_default();
    lent.pointer = host.boards;
    lent.size_bytes = sizeof host.boards;
    lent.access = AUGUR_ACCESS_READ_WRITE;
    augur_binding binding{{0}, AUGUR_FORMAT_U64, 0, 0, 16};
    ASSERT_EQ(augur_buffer_register(context, &lent, &binding.buffer), AUGUR_OK);
    ASSERT_EQ(augur_planner_bind(asker, "own", &binding), AUGUR_OK);
    ASSERT_EQ(augur_planner_bind(asker, "other", &binding), AUGUR_OK);
    lent.pointer = host.actions;
    lent.size_bytes = sizeof host.actions;
    ASSERT_EQ(augur_buffer_register(context, &lent, &binding.buffer), AUGUR_OK);
    binding = {binding.buffer, AUGUR_FORMAT_I32, 0, 0, 0};
    ASSERT_EQ(augur_planner_bind_actions(asker, &binding), AUGUR_OK);

    constexpr std::int64_t kFrameUs = 10000000;  // no machine is that slow
    const auto plan = [&] {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        EXPECT_EQ(augur_planner_request(asker, &frame), AUGUR_OK) << augur_last_message();
        EXPECT_GE(augur_planner_collect(asker, UINT64_MAX, nullptr), AUGUR_OK);
        augur_timeline_frame line{};
        std::uint32_t count = 1;
        EXPECT_EQ(augur_planner_timeline(asker, &line, &count), AUGUR_OK);
        return line.budget_ns;
    };
    const auto begin = [&] {
        augur_frame_budget_desc frame = augur_frame_budget_desc_default();
        frame.budget_us = kFrameUs;
        ASSERT_EQ(augur_context_begin_frame(context, &frame), AUGUR_OK);
    };
    begin();
    EXPECT_GT(plan(), kFrameUs * 999) << "nobody else has ever asked";
    std::uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 9; ++i) {
        begin();
        augur_evaluation_result result{};
        result.struct_size = sizeof result;
        ASSERT_EQ(augur_model_evaluate(model, &batch), AUGUR_OK) << augur_last_message();
        ASSERT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK);
        shortest = std::min(shortest, result.request_to_done_ns);
    }
    begin();
    const std::uint64_t aside = static_cast<std::uint64_t>(kFrameUs) * 1000 - plan();
    EXPECT_GT(aside, shortest / 2) << "an evaluation has come in each of the last frames";
    // One that is refused has not come: its time stays set aside for the one that will.
    EXPECT_EQ(augur_model_evaluate(model, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_GT(static_cast<std::uint64_t>(kFrameUs) * 1000 - plan(), shortest / 2);
    for (int i = 0; i < 4; ++i)
        begin();
    EXPECT_GT(plan(), kFrameUs * 999) << "who stays away is not waited for";

    augur_latency latency{};
    latency.struct_size = sizeof latency;
    for (const auto kind : {AUGUR_LATENCY_REQUEST, AUGUR_LATENCY_WAIT, AUGUR_LATENCY_FRAME}) {
        ASSERT_EQ(augur_model_latency(model, kind, &latency), AUGUR_OK);
        EXPECT_EQ(latency.sample_count, 9u);
    }
    EXPECT_LE(latency.p50_us, latency.p99_us);
    EXPECT_GE(latency.p50_us * 1000.0, static_cast<double>(shortest));
    for (const auto kind : {AUGUR_LATENCY_SEARCH, AUGUR_LATENCY_COLLECT})
        EXPECT_EQ(augur_model_latency(model, kind, &latency), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_model_latency(model, AUGUR_LATENCY_FRAME, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_model_latency({4711}, AUGUR_LATENCY_FRAME, &latency), AUGUR_ERROR_STALE_ID);
}

// In one context, of which one thread begins the frames and others plan.
TEST_F(ApiEvaluation, GoesOnBesidePlannersOfOtherThreads) {
    const augur_model_id model = evaluator_of(scorer(3));
    const augur_evaluation_desc desc = on_features();
    std::atomic<bool> stop{false};
    std::atomic<int> planned{0};
    std::vector<std::thread> others;
    others.emplace_back([&] {
        constexpr std::int64_t kBudgets[] = {0, 50, 1000, 100000, INT64_MAX};
        augur_frame_budget_desc frame = augur_frame_budget_desc_default();
        for (std::size_t i = 0; !stop.load(); ++i) {
            frame.budget_us = kBudgets[i % std::size(kBudgets)];
            EXPECT_EQ(augur_context_begin_frame(context, &frame), AUGUR_OK);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    });
    for (std::uint32_t t = 0; t < 2; ++t) {
        others.emplace_back([&, t] {
            ConnectFourHost own;
            own.context = context;
            own.planner_desc.adaptive = t;
            own.create_planner();
            own.bind_all();
            while (!stop.load()) {
                EXPECT_GE(own.plan(), 0) << augur_last_message();
                ++planned;
                for (const std::int32_t action : own.actions)
                    EXPECT_TRUE(action >= 0 && action < 7) << action;
            }
            EXPECT_EQ(augur_planner_destroy(own.planner), AUGUR_OK);
            own.context = {0};
        });
    }
    for (int i = 0; i < 300 || planned < 200; ++i) {
        units[0].score[0] = -9.0f;
        EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
        expect_score(units[0].score, {units[0].features, units[0].features + 3});
    }
    stop = true;
    for (std::thread& other : others)
        other.join();
}

TEST_F(ApiEvaluation, ReadsAndWritesInPlace) {
    const augur_model_id model = evaluator_of(scorer(3));
    const augur_evaluation_desc desc = on_features();
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK);
    EXPECT_EQ(result.row_count, kRows);
    EXPECT_EQ(result.not_finite, 0u);
    EXPECT_GT(result.request_to_done_ns, 0u);
    for (const Unit& unit : units) {
        expect_score(unit.score, {unit.features, unit.features + 3});
        EXPECT_EQ(unit.before, -5.0f);
    }
    EXPECT_EQ(augur_model_wait(model, 0, nullptr), AUGUR_OK);  // again: the same answer
}

TEST_F(ApiEvaluation, ScalesWholeNumbers) {
    const augur_model_id model = evaluator_of(scorer(4));
    augur_evaluation_desc desc = on_features();
    desc.inputs[0] = at(offsetof(Unit, pixels), AUGUR_FORMAT_U8);
    desc.inputs[0].scale = 1.0f / 128.0f;
    desc.inputs[0].shift = -1.0f;
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
    for (const Unit& unit : units) {
        std::vector<double> features;
        for (const std::uint8_t pixel : unit.pixels)
            features.push_back(pixel / 128.0 - 1.0);
        expect_score(unit.score, features);
    }
}

TEST_F(ApiEvaluation, LeavesOutputsAloneThatNobodyWants) {
    const augur_model_id model = evaluator_of(scorer(3));
    augur_evaluation_desc desc = on_features(7);
    desc.outputs[0].buffer = {0};
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
    EXPECT_EQ(units[0].score[0], -9.0f);
    desc = on_features(7);
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
    EXPECT_NE(units[6].score[0], -9.0f);
    EXPECT_EQ(units[7].score[0], -9.0f);  // past the rows
}

TEST_F(ApiEvaluation, CountsNumbersThatAreNone) {
    const augur_model_id model = evaluator_of(scorer(3));
    units[3].features[1] = std::numeric_limits<float>::quiet_NaN();
    const augur_evaluation_desc desc = on_features();
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK);
    EXPECT_EQ(result.not_finite, 2u);
    EXPECT_TRUE(std::isnan(units[3].score[0]));
    EXPECT_FALSE(std::isnan(units[2].score[0]));
}

TEST_F(ApiEvaluation, RefusesWhatDoesNotFitAndNamesIt) {
    const augur_model_id model = evaluator_of(scorer(3), 50);
    const auto refused = [&](augur_result result, const char* name, auto change) {
        augur_evaluation_desc desc = on_features(50);
        change(desc);
        EXPECT_EQ(augur_model_evaluate(model, &desc), result) << name;
        EXPECT_TRUE(message_has(name)) << augur_last_message();
    };
    using Desc = augur_evaluation_desc;
    refused(AUGUR_ERROR_LIMIT, "row_count", [](Desc& d) { d.row_count = 51; });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[0]", [](Desc& d) { d.inputs[0].buffer = {0}; });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[1]", [](Desc& d) { d.inputs[1] = d.inputs[0]; });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "outputs[1]", [](Desc& d) { d.outputs[1] = d.outputs[0]; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "U64", [](Desc& d) { d.inputs[0].format = AUGUR_FORMAT_U64; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "F32", [](Desc& d) { d.outputs[0].format = AUGUR_FORMAT_I32; });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "format", [](Desc& d) { d.inputs[0].format = 99; });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "scale", [](Desc& d) { d.inputs[0].scale = std::nanf(""); });
    refused(AUGUR_ERROR_INVALID_ARGUMENT, "reserved", [](Desc& d) { d.inputs[0].reserved = 1; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "rows", [](Desc& d) { d.inputs[0].offset_bytes = sizeof(Unit) * 60; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "stride_bytes", [](Desc& d) { d.outputs[0].stride_bytes = 4; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "multiples", [](Desc& d) { d.inputs[0].offset_bytes = 2; });
    refused(AUGUR_ERROR_INVALID_BUFFER, "rows", [](Desc& d) { d.inputs[0].stride_bytes = UINT64_MAX - 3; });
    EXPECT_EQ(augur_model_wait(model, 0, nullptr), AUGUR_ERROR_INVALID_STATE);
    EXPECT_EQ(units[0].score[0], -9.0f);
    const augur_model_id roomless = model_of(scorer(3));
    const augur_evaluation_desc desc = on_features(1);
    EXPECT_EQ(augur_model_evaluate(roomless, &desc), AUGUR_ERROR_INVALID_STATE);
}

TEST_F(ApiEvaluation, NoRowsAreDoneAtOnce) {
    const augur_model_id model = evaluator_of(scorer(3));
    const augur_evaluation_desc desc = on_features(0);
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    EXPECT_EQ(augur_model_wait(model, 0, &result), AUGUR_OK);
    EXPECT_EQ(result.row_count, 0u);
}

TEST_F(ApiEvaluation, UnregisteringWaitsForItsRows) {
    const augur_model_id model = evaluator_of(write_dense_onnx(3, {256, 256}, {{"score", 2, ""}}, small_pattern));
    for (int round = 0; round < 20; ++round) {
        const augur_evaluation_desc desc = on_features();
        ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
        ASSERT_EQ(augur_buffer_unregister(memory), AUGUR_OK);
        const float before = units[kRows - 1].score[0];
        EXPECT_NE(before, -9.0f);
        units[kRows - 1].score[0] = -9.0f;
        EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_ERROR_STALE_ID);
        augur_buffer_desc again = augur_buffer_desc_default();
        again.pointer = units;
        again.size_bytes = sizeof units;
        again.access = AUGUR_ACCESS_READ_WRITE;
        ASSERT_EQ(augur_buffer_register(context, &again, &memory), AUGUR_OK);
    }
}

TEST_F(ApiEvaluation, IsWaitedForWhenEverythingIsTornDown) {
    const augur_model_id model = evaluator_of(write_dense_onnx(3, {256, 256}, {{"score", 2, ""}}, small_pattern));
    const augur_evaluation_desc desc = on_features();
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    EXPECT_EQ(augur_context_destroy(context), AUGUR_OK);
    for (const Unit& unit : units)
        EXPECT_NE(unit.score[0], -9.0f);
    EXPECT_EQ(augur_model_wait(model, 0, nullptr), AUGUR_ERROR_STALE_ID);
}

}  // namespace
}  // namespace augur::test
