#include "app/model_load.h"

#include <random>

namespace augur::demo {

bool ModelLoad::register_rows(augur_context_id context, std::vector<float>& numbers, augur_access access,
                              augur_buffer_id& out) {
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.access = access;
    desc.pointer = numbers.data();
    desc.size_bytes = numbers.size() * sizeof(float);
    if (augur_buffer_register(context, &desc, &out) < AUGUR_OK) return false;
    buffers_.push_back(out);
    return true;
}

bool ModelLoad::open(const PlannerSession& session, const std::string& file, std::uint32_t rows, std::string& message) {
    close();
    if (rows == 0 || session.context().value == 0) return true;
    augur_model_desc model_desc = augur_model_desc_default();
    model_desc.path = file.c_str();
    model_desc.row_capacity = rows;
    model_desc.precision = session.settings().precision;
    augur_model_info info{};
    info.struct_size = sizeof info;
    bool good = augur_model_create(session.context(), &model_desc, &model_) >= AUGUR_OK &&
                augur_model_describe(model_, &info) >= AUGUR_OK;
    desc_ = augur_evaluation_desc_default();
    desc_.row_count = rows;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-1.0f, 1.0f);
    inputs_.resize(info.input_count);
    for (std::uint32_t i = 0; good && i < info.input_count; ++i) {
        augur_tensor_info input{};
        input.struct_size = sizeof input;
        good = augur_model_input(model_, i, &input) >= AUGUR_OK;
        if (!good) break;
        inputs_[i].resize(std::size_t{rows} * input.element_count);
        for (float& each : inputs_[i])
            each = number(random);
        desc_.inputs[i].format = AUGUR_FORMAT_F32;
        desc_.inputs[i].scale = 1.0f;
        good = register_rows(session.context(), inputs_[i], AUGUR_ACCESS_READ, desc_.inputs[i].buffer);
    }
    augur_tensor_info output{};
    output.struct_size = sizeof output;
    good = good && augur_model_output(model_, 0, &output) >= AUGUR_OK;
    if (good) {
        output_.assign(std::size_t{rows} * output.element_count, 0.0f);
        good = register_rows(session.context(), output_, AUGUR_ACCESS_WRITE, desc_.outputs[0].buffer);
    }
    if (!good) {
        message = "there is no model load: " + std::string(augur_last_message());
        close();
        return false;
    }
    rows_ = rows;
    return true;
}

void ModelLoad::close() {
    finish();
    augur_model_destroy(model_);
    model_ = {};
    for (const augur_buffer_id buffer : buffers_)
        augur_buffer_unregister(buffer);
    buffers_.clear();
    inputs_.clear();
    rows_ = 0;
}

bool ModelLoad::start() {
    if (!is_open() || running_) return running_;
    running_ = augur_model_evaluate(model_, &desc_) >= AUGUR_OK;
    return running_;
}

void ModelLoad::finish() {
    if (!running_) return;
    running_ = false;
    augur_evaluation_result result{};
    result.struct_size = sizeof result;
    if (augur_model_wait(model_, UINT64_MAX, &result) < AUGUR_OK) return;
    batch_ms_.add(static_cast<double>(result.request_to_done_ns) * 1e-6);
    queued_ms_.add(static_cast<double>(result.request_to_begin_ns) * 1e-6);
}

}  // namespace augur::demo
