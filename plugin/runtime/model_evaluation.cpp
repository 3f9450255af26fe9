// Evaluating a model on registered buffers, outside of any search.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "backend/profiler.h"
#include "runtime/binding.h"
#include "runtime/context.h"
#include "runtime/loaded_network.h"
#include "runtime/message.h"
#include "runtime/model.h"
#include "runtime/result_text.h"
#include "runtime/system.h"

namespace augur {

augur_result Model::check_inputs(const augur_evaluation_desc& desc, Buffer* const (&inputs)[AUGUR_MODEL_INPUT_MAX],
                                 EvaluationWork* work) const {
    const auto& ports = network_->network().inputs;
    for (std::uint32_t i = 0; i < AUGUR_MODEL_INPUT_MAX; ++i) {
        const augur_rows& rows = desc.inputs[i];
        if (i >= ports.size()) {
            if (inputs[i] != nullptr)
                return fail(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[%u] is given, the model has %zu inputs", i,
                            ports.size());
            continue;
        }
        if (inputs[i] == nullptr)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[%u].buffer is the zero id, input \"%s\" needs one", i,
                        ports[i].name.c_str());
        if (rows.reserved != 0)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[%u].reserved is %u, must be 0", i, rows.reserved);
        if (rows.format == AUGUR_FORMAT_U64)
            return fail(AUGUR_ERROR_INVALID_BUFFER, "inputs[%u].format is U64, allowed is every other format", i);
        if (!std::isfinite(rows.scale) || !std::isfinite(rows.shift))
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "inputs[%u]: scale is %g and shift is %g, they must be finite", i,
                        static_cast<double>(rows.scale), static_cast<double>(rows.shift));
        if (!inputs[i]->readable())
            return fail(AUGUR_ERROR_INVALID_BUFFER, "access of the buffer of inputs[%u] is WRITE, it needs READ", i);
        RowSource& source = work->inputs[i];
        source = {nullptr, rows.offset_bytes, 0, static_cast<augur_format>(rows.format), rows.scale, rows.shift};
        const augur_result result =
            check_extent(*inputs[i], rows.format, rows.offset_bytes, rows.stride_bytes,
                         static_cast<std::uint32_t>(ports[i].count), desc.row_count, "rows", &source.stride_bytes);
        if (result != AUGUR_OK) return result;
    }
    return AUGUR_OK;
}

augur_result Model::check_outputs(const augur_evaluation_desc& desc, Buffer* const (&outputs)[AUGUR_MODEL_OUTPUT_MAX],
                                  EvaluationWork* work) const {
    const auto& ports = network_->network().outputs;
    for (std::uint32_t i = 0; i < AUGUR_MODEL_OUTPUT_MAX; ++i) {
        const augur_rows& rows = desc.outputs[i];
        if (outputs[i] == nullptr) continue;
        if (i >= ports.size())
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "outputs[%u] is given, the model has %zu outputs", i,
                        ports.size());
        if (rows.format != AUGUR_FORMAT_F32)
            return fail(AUGUR_ERROR_INVALID_BUFFER, "outputs[%u].format is %u, allowed is F32", i, rows.format);
        if (rows.reserved != 0 || rows.scale != 1.0f || rows.shift != 0.0f)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "outputs[%u]: reserved, scale and shift must be 0, 1 and 0", i);
        if (!outputs[i]->writable())
            return fail(AUGUR_ERROR_INVALID_BUFFER, "access of the buffer of outputs[%u] is READ, it needs WRITE", i);
        RowSink& sink = work->outputs[i];
        sink = {nullptr, rows.offset_bytes, 0};
        const augur_result result =
            check_extent(*outputs[i], rows.format, rows.offset_bytes, rows.stride_bytes,
                         static_cast<std::uint32_t>(ports[i].count), desc.row_count, "rows", &sink.stride_bytes);
        if (result != AUGUR_OK) return result;
    }
    return AUGUR_OK;
}

augur_result Model::wire(augur_backend backend) {
    const char* name = backend == AUGUR_BACKEND_CUDA ? "GPU" : "CPU";
    const auto seen = [&](Buffer* buffer, const char* what, std::size_t index, BackendBuffer** out) {
        if (buffer == nullptr) return AUGUR_OK;
        *out = buffer->on(backend);
        if (*out != nullptr) return AUGUR_OK;
        return fail(AUGUR_ERROR_UNSUPPORTED, "%s %zu lies where the %s, which runs this model, cannot see it", what,
                    index, name);
    };
    for (std::size_t i = 0; i < std::size(inputs_); ++i)
        if (const augur_result result = seen(inputs_[i], "input", i, &work_.inputs[i].buffer); result != AUGUR_OK)
            return result;
    for (std::size_t o = 0; o < std::size(outputs_); ++o)
        if (const augur_result result = seen(outputs_[o], "output", o, &work_.outputs[o].buffer); result != AUGUR_OK)
            return result;
    return AUGUR_OK;
}

augur_result Model::check_gl() const {
    for (const Buffer* input : inputs_) {
        if (input == nullptr || input->staged_gl() == nullptr) continue;
        const augur_result result = input->staged_gl()->check(input->desc().gl_buffer, input->size_bytes(), false);
        if (result != AUGUR_OK) return result;
    }
    for (const Buffer* output : outputs_) {
        if (output == nullptr || output->staged_gl() == nullptr) continue;
        const augur_result result = output->staged_gl()->check(output->desc().gl_buffer, output->size_bytes(), true);
        if (result != AUGUR_OK) return result;
    }
    return AUGUR_OK;
}

void Model::fetch_gl() {
    const auto& ports = network_->network().inputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const Buffer* buffer = inputs_[i];
        if (buffer == nullptr || buffer->staged_gl() == nullptr) continue;
        const RowSource& rows = work_.inputs[i];
        const std::uint64_t row_bytes = ports[i].count * format_bytes(rows.format);
        buffer->staged_gl()->download(buffer->desc().gl_buffer, rows.offset_bytes,
                                      (work_.rows - 1) * rows.stride_bytes + row_bytes,
                                      buffer->host_bytes() + rows.offset_bytes);
    }
}

void Model::store_gl() {
    const auto& ports = network_->network().outputs;
    for (std::size_t o = 0; o < ports.size(); ++o) {
        const Buffer* buffer = outputs_[o];
        if (buffer == nullptr || buffer->staged_gl() == nullptr) continue;
        const RowSink& rows = work_.outputs[o];
        const std::uint64_t row_bytes = ports[o].count * sizeof(float);
        // Between rows that are not packed lie numbers of the host: those go one by one.
        const bool packed = rows.stride_bytes == row_bytes;
        const std::uint64_t pieces = packed ? 1 : work_.rows;
        const std::uint64_t piece_bytes = packed ? work_.rows * row_bytes : row_bytes;
        for (std::uint64_t p = 0; p < pieces; ++p) {
            const std::uint64_t first = rows.offset_bytes + p * rows.stride_bytes;
            buffer->staged_gl()->upload(buffer->desc().gl_buffer, first, piece_bytes, buffer->host_bytes() + first);
        }
    }
}

augur_result Model::submit() {
    for (;;) {
        const augur_backend backend = backend_.load();
        augur_result result = AUGUR_ERROR_DEVICE_LOST;
        // Somebody else may have seen it go: buffers that came since are the CPU's alone.
        if (backend == AUGUR_BACKEND_CPU || context_.backend().kind() == AUGUR_BACKEND_CUDA) {
            if (const augur_result wired = wire(backend); wired != AUGUR_OK) return wired;
            result = evaluator(backend)->submit(work_);
        }
        if (result >= 0) return AUGUR_OK;
        if (!fall_back(result)) return fail(result, "the evaluation could not be started: %s", result_text(result));
    }
}

bool Model::fall_back(augur_result result) {
    if (result != AUGUR_ERROR_DEVICE_LOST || backend_.load() != AUGUR_BACKEND_CUDA) return false;
    backend_ = AUGUR_BACKEND_CPU;
    fell_back_ = true;
    context_.log().write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_DEVICE_LOST,
                         "the GPU reported an error: this model goes on with the CPU; CUDA is unusable in this "
                         "process until it is restarted, for the game's own CUDA work too");
    // What only the GPU could see went with it.
    return wire(AUGUR_BACKEND_CPU) == AUGUR_OK;
}

augur_result Model::evaluate(const augur_evaluation_desc& desc, Buffer* const (&inputs)[AUGUR_MODEL_INPUT_MAX],
                             Buffer* const (&outputs)[AUGUR_MODEL_OUTPUT_MAX]) {
    const ProfilerRange range("evaluate");
    const std::uint64_t began = system::now_ns();
    if (row_capacity_ == 0)
        return fail(AUGUR_ERROR_INVALID_STATE, "row_capacity of the model is 0: it was made without room for rows");
    if (desc.reserved != 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "reserved is %u, must be 0", desc.reserved);
    if (desc.row_count > row_capacity_)
        return fail(AUGUR_ERROR_LIMIT, "row_count is %u, row_capacity is %u", desc.row_count, row_capacity_);
    if (advance(0) == AUGUR_NOT_READY)
        return fail(AUGUR_ERROR_BUSY, "the last evaluation still runs; augur_model_wait comes first");
    if (desc.row_count == 0) {
        state_ = State::done;
        answer_ = AUGUR_OK;
        result_ = {};
        return AUGUR_OK;
    }
    EvaluationWork work{};
    work.rows = desc.row_count;
    work.request_ns = began;
    if (const augur_result result = check_inputs(desc, inputs, &work); result != AUGUR_OK) return result;
    if (const augur_result result = check_outputs(desc, outputs, &work); result != AUGUR_OK) return result;
    work_ = work;
    std::copy(inputs, inputs + AUGUR_MODEL_INPUT_MAX, inputs_);
    std::copy(outputs, outputs + AUGUR_MODEL_OUTPUT_MAX, outputs_);
    fell_back_ = false;
    augur_result started = check_gl();
    if (started == AUGUR_OK) {
        const std::uint64_t needed = costs_.expected_ns(desc.row_count);
        frame_share_.request({1.0, needed, needed, true}, began);
        fetch_gl();
        started = submit();
    }
    if (started != AUGUR_OK) {
        frame_share_.done();
        release_buffers();
        return started;
    }
    result_ = {};
    result_.row_count = desc.row_count;
    submitted_ns_ = system::now_ns();
    state_ = State::running;
    return AUGUR_OK;
}

void Model::release_buffers() {
    std::fill(std::begin(inputs_), std::end(inputs_), nullptr);
    std::fill(std::begin(outputs_), std::end(outputs_), nullptr);
}

augur_result Model::advance(std::uint64_t timeout_ns, bool stores) {
    if (state_ != State::running) return AUGUR_OK;
    const ProfilerRange range("wait for a batch");
    augur_result result = evaluator(backend_.load())->wait(timeout_ns);
    while (result < 0 && fall_back(result)) {
        result = submit();
        if (result == AUGUR_OK) result = evaluator(backend_.load())->wait(timeout_ns);
    }
    if (result == AUGUR_NOT_READY) return AUGUR_NOT_READY;
    if (result == AUGUR_OK && stores) {
        result = check_gl();  // the host may have deleted one meanwhile
        if (result == AUGUR_OK) store_gl();
    }
    frame_share_.done();
    release_buffers();
    state_ = State::done;
    answer_ = result == AUGUR_OK && fell_back_ ? AUGUR_FELL_BACK_TO_CPU : result;
    if (result < 0) return AUGUR_OK;
    const EvaluationOutput& output = evaluator(backend_.load())->output();
    // Clocks of two machines are matched within some error: times of one batch stay in order all the same.
    const std::uint64_t done_ns = std::max(output.done_ns, work_.request_ns);
    const std::uint64_t began_ns = std::clamp(output.began_ns, work_.request_ns, done_ns);
    result_.request_to_done_ns = done_ns - work_.request_ns;
    result_.request_to_begin_ns = began_ns - work_.request_ns;
    timeline_.add({work_.request_ns, submitted_ns_, began_ns, done_ns, work_.rows});
    result_.not_finite = output.not_finite;
    costs_.learn(result_.request_to_done_ns, result_.request_to_done_ns, result_.row_count, false);
    return AUGUR_OK;
}

augur_result Model::wait(std::uint64_t timeout_us, augur_evaluation_result* out) {
    if (state_ == State::idle)
        return fail(AUGUR_ERROR_INVALID_STATE, "nothing was started; augur_model_evaluate comes first");
    if (advance(timeout_us > UINT64_MAX / 1000 ? UINT64_MAX : timeout_us * 1000) == AUGUR_NOT_READY)
        return AUGUR_NOT_READY;
    if (answer_ < 0) return fail(answer_, "the evaluation failed: %s", result_text(answer_));
    if (out != nullptr) *out = result_;
    return answer_;
}

bool Model::uses(const Buffer& buffer) const {
    return std::find(std::begin(inputs_), std::end(inputs_), &buffer) != std::end(inputs_) ||
           std::find(std::begin(outputs_), std::end(outputs_), &buffer) != std::end(outputs_);
}

void Model::finish() {
    advance(UINT64_MAX, false);
}

augur_latency Model::latency(augur_latency_kind kind) const {
    return distribution_over(timeline_, [kind](const EvaluationSpan& batch) {
        const std::uint64_t end = kind == AUGUR_LATENCY_REQUEST ? batch.submitted_ns
                                  : kind == AUGUR_LATENCY_WAIT  ? batch.began_ns
                                                                : batch.done_ns;
        return end > batch.request_ns ? end - batch.request_ns : 0;
    });
}

}  // namespace augur
