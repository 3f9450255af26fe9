#include "runtime/model_runner.h"

#include <memory>
#include <string>
#include <vector>

namespace augur {
namespace {

bool run_on(Backend& backend, const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
            std::uint32_t rows) {
    const core::NetworkView& net = program.network;
    std::unique_ptr<BackendNetwork> network;
    std::unique_ptr<Evaluator> evaluator;
    std::string why;
    if (backend.make_network(program, &network, why) < 0) return false;
    if (backend.make_evaluator(*network, rows, &evaluator, why) < 0) return false;
    std::vector<std::unique_ptr<BackendBuffer>> buffers;
    EvaluationWork work{};
    work.rows = rows;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        const std::uint64_t row_bytes = net.tensors[net.inputs[i]].count * sizeof(float);
        buffers.push_back(make_host_view(const_cast<float*>(inputs[i])));  // only read
        work.inputs[i] = {buffers.back().get(), 0, row_bytes, AUGUR_FORMAT_F32, 1.0f, 0.0f};
    }
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        const std::uint64_t row_bytes = net.tensors[net.outputs[o]].count * sizeof(float);
        buffers.push_back(make_host_view(outputs[o]));
        work.outputs[o] = {buffers.back().get(), 0, row_bytes};
    }
    return evaluator->submit(work) == AUGUR_OK && evaluator->wait(UINT64_MAX) == AUGUR_OK;
}

}  // namespace

model::ProgramRunner runner_on(Backend& backend) {
    return [&backend](const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                      std::uint32_t rows) { return run_on(backend, program, inputs, outputs, rows); };
}

}  // namespace augur
