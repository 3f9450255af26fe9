// Stored cases of the ONNX importer: models with what they compute, or how they are refused. The format is described in
// tests/tools/make_onnx_cases.py, which makes them.
#ifndef AUGUR_TESTS_SUPPORT_ONNX_CASES_H
#define AUGUR_TESTS_SUPPORT_ONNX_CASES_H

#include <cstdint>
#include <string>
#include <vector>

namespace augur::test {

struct OnnxCase {
    std::string family, name;  // "windows", "Conv/11/pads"
    bool computes = false;
    std::string code, said;  // refused
    float tolerance = 0.0f;
    std::uint32_t rows = 0;
    std::string model;
    std::vector<std::vector<float>> inputs, outputs;
};

// Every case of every *.cases file in a folder, in the order of names. Throws std::runtime_error where a file is
// damaged.
std::vector<OnnxCase> read_onnx_cases(const std::string& folder);

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_ONNX_CASES_H
