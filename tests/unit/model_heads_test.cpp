// Which output is policy, value and reward.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/onnx.h"
#include "support/onnx_writer.h"

namespace augur {
namespace {

using core::kNoHead;
using test::onnx_node;
using test::OnnxGraph;

struct Found {
    augur_result result = AUGUR_OK;
    std::vector<std::uint32_t> heads;
    std::string said;
};

Found heads_of(const std::vector<std::string>& outputs, const std::vector<std::string>& wanted = {"", "", ""}) {
    OnnxGraph graph;
    graph.input("x", {3});
    for (const std::string& output : outputs)
        graph.node(onnx_node("Relu", {"x"}, {output})).output(output);
    const std::string bytes = graph.model();
    model::ImportOptions options;
    for (std::size_t head = 0; head < 3; ++head)
        options.head_outputs[head] = wanted[head];
    model::Network network;
    Found found;
    found.result = model::load_onnx({bytes.data(), bytes.size(), ""}, options, &network, found.said);
    found.heads.assign(network.heads, network.heads + core::kNetworkHeads);
    return found;
}

using Heads = std::vector<std::uint32_t>;

TEST(ModelHeads, AreFoundByTheirNames) {
    EXPECT_EQ(heads_of({"value", "reward", "policy"}).heads, (Heads{2, 0, 1}));
    EXPECT_EQ(heads_of({"Reward", "VALUE"}).heads, (Heads{kNoHead, 1, 0}));
}

TEST(ModelHeads, AreFoundByNamesThatHoldTheWord) {
    EXPECT_EQ(heads_of({"state_value", "policy_logits", "other"}).heads, (Heads{1, 0, kNoHead}));
    EXPECT_EQ(heads_of({"value_hidden", "value"}).heads, (Heads{kNoHead, 1, kNoHead}));
    EXPECT_EQ(heads_of({"policy_value", "value_policy"}).heads, (Heads{0, 1, kNoHead}));
}

TEST(ModelHeads, AreTakenInOrderWhereNoNameSaysAnything) {
    EXPECT_EQ(heads_of({"a", "b", "c", "d"}).heads, (Heads{0, 1, 2}));
    EXPECT_EQ(heads_of({"output"}).heads, (Heads{0, kNoHead, kNoHead}));
    EXPECT_EQ(heads_of({"a", "value"}).heads, (Heads{kNoHead, 1, kNoHead}));
}

TEST(ModelHeads, AreTakenByWhatTheHostSays) {
    EXPECT_EQ(heads_of({"policy", "value"}, {"value", "policy", ""}).heads, (Heads{1, 0, kNoHead}));
    EXPECT_EQ(heads_of({"a", "b", "c"}, {"", "", "a"}).heads, (Heads{kNoHead, kNoHead, 0}));
    EXPECT_EQ(heads_of({"a", "b", "value"}, {"b", "", ""}).heads, (Heads{1, 2, kNoHead}));
}

TEST(ModelHeads, ThatAreNotThereAreNamed) {
    const Found found = heads_of({"a", "b"}, {"c", "", ""});
    EXPECT_EQ(found.result, AUGUR_ERROR_NOT_FOUND);
    EXPECT_NE(found.said.find("'c'"), std::string::npos) << found.said;
    EXPECT_NE(found.said.find("policy"), std::string::npos) << found.said;
    EXPECT_EQ(heads_of({"a", "b"}, {"a", "a", ""}).result, AUGUR_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace augur
