// Models through the C interface: loading, and what is said of them.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "support/model_host.h"

namespace augur::test {
namespace {

TEST_F(ApiModel, DescribesWhatItRead) {
    create_context(0);
    const augur_model_id model = model_of(connect_four_model());
    augur_model_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_model_describe(model, &info), AUGUR_OK);
    EXPECT_EQ(info.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(info.precision, static_cast<std::uint32_t>(AUGUR_PRECISION_FP32));
    EXPECT_EQ(info.exact, 0u);
    EXPECT_EQ(info.input_count, 1u);
    EXPECT_EQ(info.output_count, 2u);
    EXPECT_EQ(info.policy_output, 0u);
    EXPECT_EQ(info.value_output, 1u);
    EXPECT_EQ(info.reward_output, AUGUR_MODEL_NO_OUTPUT);
    EXPECT_EQ(info.opset, 17u);
    EXPECT_EQ(info.parameter_count, 42u * 32 + 32 + 32 * 16 + 16 + 16 * 7 + 7 + 16 + 1);
    EXPECT_GE(info.weight_bytes, info.parameter_count * 4);
    EXPECT_EQ(info.reserved_bytes, 0u);
    EXPECT_STREQ(info.producer, "augur tests");
    augur_tensor_info tensor{};
    tensor.struct_size = sizeof tensor;
    ASSERT_EQ(augur_model_input(model, 0, &tensor), AUGUR_OK);
    EXPECT_STREQ(tensor.name, "state");
    EXPECT_EQ(tensor.element_count, 42u);
    EXPECT_EQ(tensor.rank, 1u);
    EXPECT_EQ(tensor.dims[0], 42u);
    ASSERT_EQ(augur_model_output(model, 1, &tensor), AUGUR_OK);
    EXPECT_STREQ(tensor.name, "value");
    EXPECT_EQ(augur_model_input(model, 1, &tensor), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_model_output(model, 2, &tensor), AUGUR_ERROR_LIMIT);
}

TEST_F(ApiModel, LoadsFromAFileAndSaysWhatIsWrongWithOne) {
    create_context(0);
    const std::string path = ::testing::TempDir() + "augur_model_test.onnx";
    const std::string bytes = connect_four_model();
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    augur_model_id model{0};
    EXPECT_EQ(augur_model_load(context, path.c_str(), &model), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(augur_model_destroy(model), AUGUR_OK);
    EXPECT_EQ(augur_model_destroy(model), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_model_destroy({0}), AUGUR_OK);
    std::remove(path.c_str());
    EXPECT_EQ(augur_model_load(context, path.c_str(), &model), AUGUR_ERROR_NOT_FOUND);
    EXPECT_EQ(augur_model_load(context, ::testing::TempDir().c_str(), &model), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_model_load(context, nullptr, &model), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(create("PK\x03\x04 a zip", &model), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_EQ(create(bytes.substr(0, bytes.size() / 2), &model), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_GT(log.count(AUGUR_SEVERITY_ERROR), 0u);
}

TEST_F(ApiModel, RefusesEachFieldOutOfRangeByName) {
    create_context(0);
    const std::string bytes = connect_four_model();
    const auto refused = [&](const char* field, auto change, augur_result result = AUGUR_ERROR_INVALID_ARGUMENT) {
        augur_model_desc desc = augur_model_desc_default();
        desc.data = bytes.data();
        desc.size_bytes = bytes.size();
        change(desc);
        augur_model_id model{77};
        EXPECT_EQ(augur_model_create(context, &desc, &model), result) << field;
        EXPECT_TRUE(message_has(field)) << augur_last_message();
        EXPECT_EQ(model.value, 77u);
    };
    using Desc = augur_model_desc;
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    refused("path", [](Desc& d) { d.data = nullptr; });
    refused("path", [](Desc& d) { d.path = "x.onnx"; });
    refused("size_bytes", [](Desc& d) { d.path = "x.onnx", d.data = nullptr; });
    refused("precision", [](Desc& d) { d.precision = 4; });
    refused("value_kind", [](Desc& d) { d.value_kind = 0; });
    refused("value_kind", [](Desc& d) { d.value_kind = 6; });
    refused("value_scale", [](Desc& d) { d.value_scale = 0.0f; });
    refused("value_scale", [](Desc& d) { d.value_scale = kNaN; });
    refused("precision_limit", [](Desc& d) { d.precision_limit = 0.0f; });
    refused("precision_limit", [](Desc& d) { d.precision_limit = kNaN; });
    refused("sample_count", [](Desc& d) { d.sample_count = 1; });
    refused(
        "row_capacity", [](Desc& d) { d.row_capacity = 1048577; }, AUGUR_ERROR_LIMIT);
    refused(
        "nowhere", [](Desc& d) { d.value_output = "nowhere"; }, AUGUR_ERROR_NOT_FOUND);
    refused("struct_cookie", [](Desc& d) { d.struct_cookie = 1; });
}

TEST_F(ApiModel, OfIntegersIsExactAndSaysHowFarItIsOff) {
    create_context(2);
    augur_model_desc desc = augur_model_desc_default();
    desc.precision = AUGUR_PRECISION_INT8;
    augur_model_id model{0};
    ASSERT_EQ(create(connect_four_model(), &model, desc), AUGUR_OK) << augur_last_message();
    augur_model_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_model_describe(model, &info), AUGUR_OK);
    EXPECT_EQ(info.precision, static_cast<std::uint32_t>(AUGUR_PRECISION_INT8)) << info.note;
    EXPECT_EQ(info.exact, 1u);
    EXPECT_GT(info.policy_error, 0.0f);
    EXPECT_LT(info.policy_error, 0.05f);
    EXPECT_GT(info.sample_count, 0u);
}

}  // namespace
}  // namespace augur::test
