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
    const auto attach = [&](const float* rows_of, std::uint64_t row_bytes, augur_access access) -> BackendBuffer* {
        augur_buffer_desc desc{};
        desc.kind = AUGUR_BUFFER_HOST;
        desc.access = static_cast<std::uint32_t>(access);
        desc.size_bytes = rows * row_bytes;
        desc.pointer = const_cast<float*>(rows_of);  // inputs are only read
        std::unique_ptr<BackendBuffer> buffer;
        if (backend.attach(desc, &buffer, why) < 0) return nullptr;
        buffers.push_back(std::move(buffer));
        return buffers.back().get();
    };
    EvaluationWork work{};
    work.rows = rows;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        const std::uint64_t row_bytes = net.tensors[net.inputs[i]].count * sizeof(float);
        work.inputs[i] = {attach(inputs[i], row_bytes, AUGUR_ACCESS_READ), 0, row_bytes, AUGUR_FORMAT_F32, 1.0f, 0.0f};
        if (work.inputs[i].buffer == nullptr) return false;
    }
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        const std::uint64_t row_bytes = net.tensors[net.outputs[o]].count * sizeof(float);
        work.outputs[o] = {attach(outputs[o], row_bytes, AUGUR_ACCESS_READ_WRITE), 0, row_bytes};
        if (work.outputs[o].buffer == nullptr) return false;
    }
    return evaluator->submit(work) == AUGUR_OK && evaluator->wait(UINT64_MAX) == AUGUR_OK;
}

}  // namespace

model::ProgramRunner runner_on(Backend& backend, Backend& cpu) {
    return [&backend, &cpu](const core::NetworkProgram& program, const float* const* inputs, float* const* outputs,
                            std::uint32_t rows) {
        if (run_on(backend, program, inputs, outputs, rows)) return true;
        return &backend != &cpu && run_on(cpu, program, inputs, outputs, rows);
    };
}

}  // namespace augur
