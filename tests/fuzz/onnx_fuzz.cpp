// Feeds the ONNX importer with damaged files. Whatever comes in: no crash, no finding of a sanitizer, and what is
// loaded keeps every promise of plugin/model/network.h and runs.
//
//   cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DAUGUR_CUDA=OFF \
//         -DAUGUR_BUILD_FUZZERS=ON -DAUGUR_BUILD_TESTS=OFF -DAUGUR_BUILD_DEMO=OFF -DAUGUR_BUILD_BENCH=OFF
//   ninja -C build/fuzz onnx_fuzz onnx_fuzz_seeds
//   build/fuzz/bin/onnx_fuzz_seeds tests/data/onnx_ops build/fuzz/corpus     # the stored cases, a file each
//   build/fuzz/bin/onnx_fuzz -max_len=4096 -timeout=5 -rss_limit_mb=1024 build/fuzz/corpus tests/fuzz/onnx_regressions
//
// What it finds goes to tests/fuzz/onnx_regressions, where the suite reads it at every run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/onnx.h"
#include "model/reference.h"
#include "support/network_check.h"

namespace {

[[noreturn]] void broken(const std::string& what) {
    std::fprintf(stderr, "broken promise: %s\n", what.c_str());
    std::abort();
}

void run(const augur::model::Network& network) {
    std::vector<std::vector<float>> inputs, outputs;
    std::vector<const float*> in;
    std::vector<float*> out;
    for (const auto& port : network.inputs) {
        inputs.emplace_back(port.count);
        for (std::size_t i = 0; i < port.count; ++i)
            inputs.back()[i] = static_cast<float>(i % 7) - 3.0f;
        in.push_back(inputs.back().data());
    }
    for (const auto& port : network.outputs) {
        outputs.emplace_back(port.count);
        out.push_back(outputs.back().data());
    }
    augur::model::run_reference(network.view(), in.data(), out.data(), 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Small limits, so that a run takes no time whatever the file asks for; they are checked in the same places.
    augur::model::ImportOptions options;
    options.limits.tensor_elements = 1u << 12;
    options.limits.scratch_elements = 1u << 13;
    options.limits.made_elements = 1u << 13;
    options.limits.multiply_adds = 1u << 16;
    options.limits.nodes = 256;
    options.limits.tensors = 1024;
    augur::model::Network network;
    std::string message;
    const augur_result result = augur::model::load_onnx({data, size, ""}, options, &network, message);
    if (result != AUGUR_OK) {
        if (message.empty()) broken("a refusal without a message");
        if (result == AUGUR_ERROR_INTERNAL) broken(message);
        if (!network.tensors.empty() || !network.weights.empty()) broken("a refusal that writes");
        return 0;
    }
    if (const std::string text = augur::test::broken_promise(network); !text.empty()) broken(text);
    run(network);
    return 0;
}
