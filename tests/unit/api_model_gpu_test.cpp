// Models where there is a GPU: which backend runs them, and what becomes of them when it cannot or is lost.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/dense_onnx.h"
#include "support/fake_host.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kRows = 5;

class ApiModelOnGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        control.gpu = true;
        bytes = write_dense_onnx(3, {4}, {{"policy", 2, ""}},
                                 [](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
                                     return 0.125f * static_cast<float>(row) - 0.25f * static_cast<float>(column) +
                                            0.5f * static_cast<float>(layer);
                                 });
        for (std::size_t i = 0; i < std::size(in); ++i)
            in[i] = 0.25f * static_cast<float>(i % 7) - 0.75f;
    }

    augur_result create() {
        augur_model_desc desc = augur_model_desc_default();
        desc.data = bytes.data();
        desc.size_bytes = bytes.size();
        desc.row_capacity = kRows;
        return augur_model_create(host.context, &desc, &model);
    }

    augur_buffer_id buffer_of(float* data, std::size_t size, augur_access access,
                              augur_buffer_kind kind = AUGUR_BUFFER_HOST) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.kind = kind;
        desc.access = access;
        desc.pointer = data;
        desc.size_bytes = size;
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(host.context, &desc, &id), AUGUR_OK) << augur_last_message();
        return id;
    }

    augur_evaluation_desc evaluation(augur_buffer_kind kind = AUGUR_BUFFER_HOST) {
        augur_evaluation_desc desc = augur_evaluation_desc_default();
        desc.row_count = kRows;
        desc.inputs[0].buffer = buffer_of(in, sizeof in, AUGUR_ACCESS_READ);
        desc.inputs[0].format = AUGUR_FORMAT_F32;
        desc.outputs[0].buffer = buffer_of(out, sizeof out, AUGUR_ACCESS_WRITE, kind);
        desc.outputs[0].format = AUGUR_FORMAT_F32;
        return desc;
    }

    augur_model_info info() {
        augur_model_info out_info{};
        out_info.struct_size = sizeof out_info;
        EXPECT_EQ(augur_model_describe(model, &out_info), AUGUR_OK);
        return out_info;
    }
    std::uint32_t backend() { return info().backend; }

    // The outputs of a context without a GPU, in half precision as well.
    std::vector<float> expected() {
        FakeHost cpu;  // with a control of its own
        EXPECT_EQ(cpu.create_context(), AUGUR_OK);
        augur_model_desc desc = augur_model_desc_default();
        desc.data = bytes.data();
        desc.size_bytes = bytes.size();
        desc.row_capacity = kRows;
        desc.precision = AUGUR_PRECISION_FP16;
        augur_model_id id{0};
        EXPECT_EQ(augur_model_create(cpu.context, &desc, &id), AUGUR_OK) << augur_last_message();
        std::vector<float> result(std::size(out));
        augur_evaluation_desc work = augur_evaluation_desc_default();
        work.row_count = kRows;
        augur_buffer_desc buffer = augur_buffer_desc_default();
        buffer.access = AUGUR_ACCESS_READ;
        buffer.pointer = in;
        buffer.size_bytes = sizeof in;
        work.inputs[0].format = work.outputs[0].format = AUGUR_FORMAT_F32;
        EXPECT_EQ(augur_buffer_register(cpu.context, &buffer, &work.inputs[0].buffer), AUGUR_OK);
        buffer.access = AUGUR_ACCESS_WRITE;
        buffer.pointer = result.data();
        buffer.size_bytes = sizeof out;
        EXPECT_EQ(augur_buffer_register(cpu.context, &buffer, &work.outputs[0].buffer), AUGUR_OK);
        EXPECT_EQ(augur_model_evaluate(id, &work), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_model_wait(id, UINT64_MAX, nullptr), AUGUR_OK);
        return result;
    }
    std::vector<float> given() const { return {std::begin(out), std::end(out)}; }
    bool log_has(augur_result code, const char* text) {
        for (const auto& message : host.log.messages())
            if (message.code == code && message.text.find(text) != std::string::npos) return true;
        return false;
    }

    FakeHost host;
    fake::Control& control = host.backend;
    std::string bytes;
    augur_model_id model{0};
    float in[kRows * 3];
    float out[kRows * 2] = {};
};

TEST_F(ApiModelOnGpu, RunsThereInHalfPrecisionUnlessToldOtherwise) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    ASSERT_EQ(create(), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(info().backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    EXPECT_EQ(info().precision, static_cast<std::uint32_t>(AUGUR_PRECISION_FP16));
    EXPECT_GT(info().weight_bytes, fake::kGpuNetworkBytes);
    EXPECT_GT(info().reserved_bytes, fake::kGpuNetworkBytes);
    const augur_evaluation_desc desc = evaluation(AUGUR_BUFFER_CUDA);  // memory that only the GPU sees
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK);
    EXPECT_EQ(result.row_count, kRows);
    EXPECT_EQ(given(), expected());
    EXPECT_EQ(augur_model_destroy(model), AUGUR_OK);
    EXPECT_EQ(control.networks, 0);
}

TEST_F(ApiModelOnGpu, RunsOnTheCpuWhereTheGpuCannotAndSaysWhy) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    for (augur_result* refused : {&control.make_network, &control.make_evaluator}) {
        *refused = AUGUR_ERROR_OUT_OF_MEMORY;
        ASSERT_EQ(create(), AUGUR_FELL_BACK_TO_CPU);
        *refused = AUGUR_OK;
        EXPECT_TRUE(log_has(AUGUR_FELL_BACK_TO_CPU, "the test said so"));
        EXPECT_EQ(backend(), static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
        EXPECT_LT(info().weight_bytes, fake::kGpuNetworkBytes);
        EXPECT_EQ(control.networks, 0);
        augur_evaluation_desc desc = evaluation();
        ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
        EXPECT_EQ(given(), expected());
        desc = evaluation(AUGUR_BUFFER_CUDA);
        EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_ERROR_UNSUPPORTED);
        EXPECT_NE(std::string(augur_last_message()).find("output 0"), std::string::npos) << augur_last_message();
    }
}

TEST_F(ApiModelOnGpu, GoesOnWithTheCpuWhenTheGpuIsLostBeforeItsRows) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    ASSERT_EQ(create(), AUGUR_OK);
    control.lost = true;
    const augur_evaluation_desc desc = evaluation();
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK) << augur_last_message();
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(result.row_count, kRows);
    EXPECT_EQ(given(), expected());
    EXPECT_EQ(backend(), static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_TRUE(log_has(AUGUR_ERROR_DEVICE_LOST, "this model goes on with the CPU"));
    // From then on as if there had never been one.
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
    ASSERT_EQ(create(), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_TRUE(log_has(AUGUR_FELL_BACK_TO_CPU, "the GPU is lost"));
}

TEST_F(ApiModelOnGpu, GoesOnWithTheCpuWhenTheGpuIsLostAmidItsRows) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    ASSERT_EQ(create(), AUGUR_OK);
    control.hold = true;
    const augur_evaluation_desc desc = evaluation();
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    EXPECT_EQ(augur_model_wait(model, 0, nullptr), AUGUR_NOT_READY);
    EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_ERROR_BUSY);
    control.lost = true;
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(given(), expected());
}

TEST_F(ApiModelOnGpu, SaysThatTheGpuIsLostWhereNobodyElseSeesTheRows) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    ASSERT_EQ(create(), AUGUR_OK);
    control.hold = true;
    augur_evaluation_desc desc = evaluation(AUGUR_BUFFER_CUDA);
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    control.lost = true;
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_ERROR_DEVICE_LOST);
    EXPECT_EQ(augur_model_evaluate(model, &desc), AUGUR_ERROR_UNSUPPORTED);
    EXPECT_EQ(augur_buffer_unregister(desc.outputs[0].buffer), AUGUR_OK);
    control.lost = false;
    ASSERT_EQ(create(), AUGUR_OK);
    control.lost = true;
    desc = evaluation(AUGUR_BUFFER_HOST);
    ASSERT_EQ(augur_model_evaluate(model, &desc), AUGUR_OK);
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_FELL_BACK_TO_CPU);
}

}  // namespace
}  // namespace augur::test
