// Every operator, opset and attribute, against ONNX's reference evaluator and ONNX Runtime: stored by
// tests/tools/make_onnx_cases.py, and for networks that PyTorch itself exported by make_pytorch_cases.py. One test an
// operator, or an area of refusals.

#include <augur/base.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/onnx.h"
#include "model/reference.h"
#include "support/network_check.h"
#include "support/onnx_cases.h"

namespace augur {
namespace {

using test::OnnxCase;

const std::map<std::string, std::vector<OnnxCase>>& groups() {
    static const auto all = [] {
        std::map<std::string, std::vector<OnnxCase>> by_group;
        for (OnnxCase& each : test::read_onnx_cases(AUGUR_SOURCE_DIR "/tests/data/onnx_ops")) {
            const std::string group = each.family + "_" + each.name.substr(0, each.name.find('/'));
            by_group[group].push_back(std::move(each));
        }
        return by_group;
    }();
    return all;
}

std::vector<std::string> group_names() {
    std::vector<std::string> names;
    for (const auto& [name, cases] : groups())
        names.push_back(name);
    return names;
}

class OnnxCases : public testing::TestWithParam<std::string> {};

const char* name_of(augur_result result) {
#define AUGUR_TEST_NAME(name, value, text) \
    if (result == (name)) return #name;
    AUGUR_RESULT_LIST(AUGUR_TEST_NAME)
#undef AUGUR_TEST_NAME
    return "?";
}

void expect_computes(const OnnxCase& each, const model::Network& network) {
    ASSERT_EQ(test::broken_promise(network), "");
    ASSERT_EQ(network.inputs.size(), each.inputs.size());
    ASSERT_EQ(network.outputs.size(), each.outputs.size());
    std::vector<const float*> inputs;
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
        ASSERT_EQ(network.inputs[i].count * each.rows, each.inputs[i].size());
        inputs.push_back(each.inputs[i].data());
    }
    std::vector<std::vector<float>> results;
    std::vector<float*> outputs;
    for (std::size_t o = 0; o < each.outputs.size(); ++o) {
        ASSERT_EQ(network.outputs[o].count * each.rows, each.outputs[o].size());
        results.emplace_back(each.outputs[o].size());
        outputs.push_back(results.back().data());
    }
    model::run_reference(network.view(), inputs.data(), outputs.data(), each.rows);
    for (std::size_t o = 0; o < results.size(); ++o) {
        double scale = 1.0;
        for (const float x : each.outputs[o])
            scale = std::max(scale, std::abs(double{x}));
        for (std::size_t i = 0; i < results[o].size(); ++i)
            ASSERT_NEAR(results[o][i], each.outputs[o][i], double{each.tolerance} * scale)
                << "output " << o << ", element " << i;
    }
}

TEST_P(OnnxCases, AgreeWithTheReferenceEvaluators) {
    for (const OnnxCase& each : groups().at(GetParam())) {
        SCOPED_TRACE(each.family + ": " + each.name);
        model::Network network;
        std::string message;
        const augur_result result = model::load_onnx({each.model.data(), each.model.size(), ""}, {}, &network, message);
        if (each.computes) {
            EXPECT_EQ(result, AUGUR_OK) << message;
            if (result == AUGUR_OK) expect_computes(each, network);
        } else {
            EXPECT_STREQ(name_of(result), each.code.c_str()) << message;
            EXPECT_NE(message.find(each.said), std::string::npos) << message << "\nhas not: " << each.said;
            EXPECT_TRUE(network.tensors.empty());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Stored, OnnxCases, testing::ValuesIn(group_names()),
                         [](const auto& each) { return each.param; });

// A file of cases that is not found, or is cut short, would otherwise look like success.
TEST(OnnxCasesStored, AreNotFewerThanTheyWere) {
    std::size_t computing = 0, refused = 0;
    for (const auto& [name, cases] : groups())
        for (const OnnxCase& each : cases)
            ++(each.computes ? computing : refused);
    EXPECT_GE(computing, 1493U);
    EXPECT_GE(refused, 673U);
}

}  // namespace
}  // namespace augur
