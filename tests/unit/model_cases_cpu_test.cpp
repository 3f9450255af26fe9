// The stored cases once more, on the CPU backend at every level of the instruction set: tensors share a row's scratch
// there, which the reference does not do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/onnx.h"
#include "support/network_cpu.h"
#include "support/onnx_cases.h"

namespace augur {
namespace {

using test::OnnxCase;

void expect_computes(const OnnxCase& each, const CpuNetwork& network) {
    std::vector<const float*> inputs;
    for (const std::vector<float>& input : each.inputs)
        inputs.push_back(input.data());
    std::vector<std::vector<float>> results;
    for (const std::vector<float>& output : each.outputs)
        results.emplace_back(output.size());
    std::vector<float*> outputs;
    for (std::vector<float>& result : results)
        outputs.push_back(result.data());
    std::vector<unsigned char> scratch(network.scratch_bytes(each.rows), 0xff);
    network.run(inputs.data(), outputs.data(), each.rows, scratch.data());
    for (std::size_t o = 0; o < results.size(); ++o) {
        double scale = 1.0;
        for (const float x : each.outputs[o])
            scale = std::max(scale, std::abs(double{x}));
        // Sums are in float here.
        for (std::size_t i = 0; i < results[o].size(); ++i)
            ASSERT_NEAR(results[o][i], each.outputs[o][i], 2.0 * double{each.tolerance} * scale)
                << "output " << o << ", element " << i;
    }
}

TEST(OnnxCasesOnCpu, AgreeWithTheReferenceEvaluators) {
    test::CountedMemory memory;
    std::size_t computed = 0;
    for (const OnnxCase& each : test::read_onnx_cases(AUGUR_SOURCE_DIR "/tests/data/onnx_ops")) {
        if (!each.computes) continue;
        SCOPED_TRACE(each.family + ": " + each.name);
        model::Network network;
        std::string message;
        ASSERT_EQ(model::load_onnx({each.model.data(), each.model.size(), ""}, {}, &network, message), AUGUR_OK)
            << message;
        for (const CpuLevel level : test::levels()) {
            const auto on_cpu = test::make(test::fp32(network.view()), memory, level);
            ASSERT_NE(on_cpu, nullptr);
            expect_computes(each, *on_cpu);
        }
        ++computed;
        if (HasFailure()) return;
    }
    EXPECT_GE(computed, 1493U);
}

}  // namespace
}  // namespace augur
