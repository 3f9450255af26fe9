#include "runtime/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "model/onnx.h"
#include "runtime/binding.h"
#include "runtime/checksum.h"
#include "runtime/context.h"
#include "runtime/loaded_network.h"
#include "runtime/message.h"
#include "runtime/model_runner.h"
#include "runtime/network_port.h"
#include "runtime/system.h"

namespace augur {

namespace {

constexpr std::uint32_t kMostSamples = 65536;
constexpr std::uint32_t kMostRows = 1048576;
constexpr float kMostValueScale = 1000.0f;

augur_result fail_with(augur_result result, const std::string& message) {
    return fail(result, "%s", message.c_str());
}

augur_result check(const augur_model_desc& desc) {
    if ((desc.path == nullptr) == (desc.data == nullptr))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "path and data are %s, exactly one must be given",
                    desc.path == nullptr ? "both null" : "both given");
    if (desc.path != nullptr && desc.size_bytes != 0)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "size_bytes is %llu, must be 0 with path",
                    static_cast<unsigned long long>(desc.size_bytes));
    if (desc.path != nullptr && desc.folder != nullptr)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "folder must be null with path");
    if (desc.precision > AUGUR_PRECISION_INT8)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "precision is %u, allowed 0..3", desc.precision);
    if (desc.value_kind < AUGUR_VALUE_BOUNDED || desc.value_kind > AUGUR_VALUE_OUTCOMES)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "value_kind is %u, allowed 1..5", desc.value_kind);
    // Written so that a NaN fails.
    if (!(desc.value_scale > 0.0f && desc.value_scale <= kMostValueScale))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "value_scale is %g, allowed above 0..%g",
                    static_cast<double>(desc.value_scale), static_cast<double>(kMostValueScale));
    if (!(desc.precision_limit > 0.0f && desc.precision_limit <= 1.0f))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "precision_limit is %g, allowed above 0..1",
                    static_cast<double>(desc.precision_limit));
    if ((desc.samples == nullptr) != (desc.sample_count == 0))
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "sample_count is %u, and samples is %s", desc.sample_count,
                    desc.samples == nullptr ? "null" : "given");
    if (desc.sample_count > kMostSamples)
        return fail(AUGUR_ERROR_LIMIT, "sample_count is %u, allowed 0..%u", desc.sample_count, kMostSamples);
    if (desc.row_capacity > kMostRows)
        return fail(AUGUR_ERROR_LIMIT, "row_capacity is %u, allowed 0..%u", desc.row_capacity, kMostRows);
    return AUGUR_OK;
}

void copy_text(char* to, std::size_t room, const std::string& from) {
    std::snprintf(to, room, "%s", from.c_str());
}

augur_tensor_info tensor_info(const model::Port& port) {
    augur_tensor_info out{};
    out.element_count = static_cast<std::uint32_t>(port.count);
    out.rank = static_cast<std::uint32_t>(std::min<std::size_t>(port.dims.size(), AUGUR_MODEL_RANK_MAX));
    std::copy_n(port.dims.begin(), out.rank, out.dims);
    copy_text(out.name, sizeof out.name, port.name);
    return out;
}

float error_of(const model::Prepared& prepared, core::NetworkHead head) {
    const std::uint32_t index = prepared.network.heads[static_cast<std::uint32_t>(head)];
    return index < prepared.errors.size() ? prepared.errors[index].greatest : 0.0f;
}

// Equal for networks that give the same answers, different for others as far as a checksum can tell.
std::uint64_t identity_of(const LoadedNetwork& loaded) {
    const model::Network& network = loaded.network();
    const core::NetworkView view = network.view();
    std::uint64_t sum = checksum(view.weights, view.weight_count * sizeof(float));
    sum = checksum(view.maps, view.map_count * sizeof(std::int32_t), sum);
    for (const core::NetworkStep& step : network.steps) {
        const std::uint32_t words[] = {
            static_cast<std::uint32_t>(step.op),         step.inputs[0], step.inputs[1], step.output,
            static_cast<std::uint32_t>(step.activation), step.residual};
        sum = checksum(words, sizeof words, sum);
    }
    float scales[1] = {loaded.value_scale};
    const std::uint32_t choices[] = {static_cast<std::uint32_t>(loaded.prepared.precision),
                                     static_cast<std::uint32_t>(loaded.value_kind), view.heads[0], view.heads[1]};
    sum = checksum(choices, sizeof choices, checksum(scales, sizeof scales, sum));
    if (loaded.prepared.precision == core::Precision::int8) {  // its scales come from the samples
        const model::Quantised& quantised = loaded.prepared.quantised;
        sum = checksum(quantised.weights.data(), quantised.weights.size(), sum);
        for (const core::QuantisedTensor& tensor : quantised.tensors)
            sum = checksum(&tensor.scale, sizeof tensor.scale, sum);
    }
    return sum != 0 ? sum : 1;
}

// The desc has the inputs of a row side by side; one array for each input.
std::vector<std::vector<float>> split_samples(const model::Network& network, const augur_model_desc& desc) {
    std::vector<std::vector<float>> out(network.inputs.size());
    const float* next = desc.samples;
    for (std::uint32_t row = 0; row < desc.sample_count; ++row)
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].insert(out[i].end(), next, next + network.inputs[i].count);
            next += network.inputs[i].count;
        }
    return out;
}

// Where the value head's own numbers belong; anywhere where they are logits.
void set_value_range(const augur_model_desc& desc, model::PrepareOptions& options) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    options.value_least = -kInfinity;
    options.value_most = kInfinity;
    if (desc.value_kind == AUGUR_VALUE_PROBABILITY) {
        options.value_least = 0.0f;
        options.value_most = 1.0f;
    } else if (desc.value_kind == AUGUR_VALUE_BOUNDED) {
        options.value_least = -1.0f / desc.value_scale;
        options.value_most = 1.0f / desc.value_scale;
    }
}

}  // namespace

augur_result Model::load(const augur_model_desc& desc, model::Network* out) const {
    model::ImportOptions options;
    const char* const names[core::kNetworkHeads] = {desc.policy_output, desc.value_output, desc.reward_output};
    for (std::uint32_t h = 0; h < core::kNetworkHeads; ++h)
        if (names[h] != nullptr) options.head_outputs[h] = names[h];
    std::string message;
    augur_result result = AUGUR_OK;
    if (desc.path != nullptr) {
        result = model::load_onnx_file(desc.path, options, out, message);
    } else {
        const model::OnnxSource source{desc.data, desc.size_bytes, desc.folder != nullptr ? desc.folder : ""};
        result = model::load_onnx(source, options, out, message);
    }
    if (result < 0) return fail_with(result, message);
    if (out->inputs.size() > AUGUR_MODEL_INPUT_MAX || out->outputs.size() > AUGUR_MODEL_OUTPUT_MAX)
        return fail(AUGUR_ERROR_LIMIT, "the model has %zu inputs and %zu outputs, the most are %d and %d",
                    out->inputs.size(), out->outputs.size(), AUGUR_MODEL_INPUT_MAX, AUGUR_MODEL_OUTPUT_MAX);
    return AUGUR_OK;
}

augur_result Model::make(Context& context, const augur_model_desc& desc, std::unique_ptr<Model>* out) {
    if (const augur_result result = check(desc); result != AUGUR_OK) return result;
    std::unique_ptr<Model> made(new Model(context));
    model::Network network;
    if (const augur_result result = made->load(desc, &network); result != AUGUR_OK) return result;

    auto loaded = std::make_shared<LoadedNetwork>();
    loaded->value_kind = static_cast<core::ValueKind>(desc.value_kind);
    loaded->value_scale = desc.value_scale;
    std::vector<std::vector<float>> samples = split_samples(network, desc);
    std::vector<const float*> sample_inputs;
    sample_inputs.reserve(samples.size());
    for (const std::vector<float>& rows : samples)
        sample_inputs.push_back(rows.data());
    model::PrepareOptions options;
    options.precision = static_cast<model::PrecisionChoice>(desc.precision);
    options.sample_inputs = sample_inputs.data();
    options.sample_rows = desc.sample_count;
    options.error_limit = desc.precision_limit;
    Backend& backend = context.backend();
    options.for_gpu = backend.kind() == AUGUR_BACKEND_CUDA;
    options.run = runner_on(backend, context.cpu());
    set_value_range(desc, options);
    std::string message;
    augur_result result = model::prepare(std::move(network), options, &loaded->prepared, message);
    if (result < 0) return fail_with(result, message);
    loaded->note = std::exchange(message, {});
    message = "the network could not be made ready to run";
    result = context.cpu().make_network(loaded->prepared.program(), &loaded->on_cpu, message);
    if (result < 0) return fail_with(result, message);
    loaded->identity = identity_of(*loaded);
    if (desc.row_capacity > 0) {
        result = context.cpu().make_evaluator(*loaded->on_cpu, desc.row_capacity, &made->cpu_evaluator_, message);
        if (result < 0) return fail_with(result, message);
        made->row_capacity_ = desc.row_capacity;
    }
    std::string why_not = "the GPU is lost";
    if (backend.kind() == AUGUR_BACKEND_CUDA) made->bring_to_gpu(backend, *loaded, why_not);
    while (!loaded->note.empty() && loaded->note.back() == '\n')
        loaded->note.pop_back();
    if (!loaded->note.empty())
        context.log().write(AUGUR_SEVERITY_WARNING, AUGUR_OK, ("model: " + loaded->note).c_str());
    made->network_ = std::move(loaded);
    const bool fell_back = context.has_gpu() && made->backend_ != AUGUR_BACKEND_CUDA;
    *out = std::move(made);
    if (!fell_back) return AUGUR_OK;
    context.log().write(AUGUR_SEVERITY_WARNING, AUGUR_FELL_BACK_TO_CPU,
                        ("this model and its planners run on the CPU: " + why_not).c_str());
    return AUGUR_FELL_BACK_TO_CPU;
}

void Model::bring_to_gpu(Backend& gpu, LoadedNetwork& loaded, std::string& why_not) {
    why_not = "the GPU cannot run the network";
    if (gpu.make_network(loaded.prepared.program(), &loaded.on_gpu, why_not) < 0) {
        loaded.on_gpu = nullptr;
        return;
    }
    if (row_capacity_ > 0 && gpu.make_evaluator(*loaded.on_gpu, row_capacity_, &gpu_evaluator_, why_not) < 0) {
        gpu_evaluator_ = nullptr;
        loaded.on_gpu = nullptr;
        return;
    }
    backend_ = AUGUR_BACKEND_CUDA;
}

Model::Model(Context& context) : context_(context), frame_share_(context.frame_budget(), false) {}

Model::~Model() {
    finish();
    gpu_evaluator_ = nullptr;
    cpu_evaluator_ = nullptr;
}

augur_model_info Model::describe() const {
    const model::Network& network = network_->network();
    const model::Prepared& prepared = network_->prepared;
    augur_model_info out{};
    const augur_backend backend = backend_.load();
    const Evaluator* evaluator = backend == AUGUR_BACKEND_CUDA ? gpu_evaluator_.get() : cpu_evaluator_.get();
    out.backend = static_cast<std::uint32_t>(backend);
    out.precision = static_cast<std::uint32_t>(prepared.precision);
    out.exact = prepared.precision == core::Precision::int8 ? 1 : 0;
    out.input_count = static_cast<std::uint32_t>(network.inputs.size());
    out.output_count = static_cast<std::uint32_t>(network.outputs.size());
    out.policy_output = network.heads[0];
    out.value_output = network.heads[1];
    out.reward_output = network.heads[2];
    out.opset = network.opset;
    out.parameter_count = network.parameter_count;
    out.weight_bytes = network_->use(backend).network->memory_bytes();
    out.reserved_bytes = evaluator != nullptr ? evaluator->memory_bytes() : 0;
    out.policy_error = error_of(prepared, core::NetworkHead::policy);
    out.value_error = error_of(prepared, core::NetworkHead::value);
    out.reward_error = error_of(prepared, core::NetworkHead::reward);
    out.sample_count = prepared.sample_rows;
    copy_text(out.producer, sizeof out.producer, network.producer);
    copy_text(out.note, sizeof out.note, network_->note);
    return out;
}

augur_result Model::input(std::uint32_t index, augur_tensor_info* out) const {
    const auto& inputs = network_->network().inputs;
    if (index >= inputs.size())
        return fail(AUGUR_ERROR_LIMIT, "index is %u, the model has %zu inputs", index, inputs.size());
    *out = tensor_info(inputs[index]);
    return AUGUR_OK;
}

augur_result Model::output(std::uint32_t index, augur_tensor_info* out) const {
    const auto& outputs = network_->network().outputs;
    if (index >= outputs.size())
        return fail(AUGUR_ERROR_LIMIT, "index is %u, the model has %zu outputs", index, outputs.size());
    *out = tensor_info(outputs[index]);
    return AUGUR_OK;
}

augur_result check_fits(const LoadedNetwork& loaded, const core::RulesInfo& rules) {
    const model::Network& network = loaded.network();
    if (network.inputs.size() != 1)
        return fail(AUGUR_ERROR_INVALID_MODEL, "the model has %zu inputs, %s gives it one", network.inputs.size(),
                    rules.name);
    if (network.inputs[0].count != rules.feature_count)
        return fail(AUGUR_ERROR_INVALID_MODEL, "input \"%s\" is %s, which is %llu numbers a row; %s has %u features",
                    network.inputs[0].name.c_str(), shape_text(network.inputs[0]).c_str(),
                    static_cast<unsigned long long>(network.inputs[0].count), rules.name, rules.feature_count);
    const model::Port* policy = head_of(network, core::NetworkHead::policy);
    const model::Port* value = head_of(network, core::NetworkHead::value);
    if (policy == nullptr && value == nullptr)
        return fail(AUGUR_ERROR_INVALID_MODEL, "the model has neither a policy nor a value output");
    if (policy != nullptr && policy->count != rules.action_count)
        return fail(AUGUR_ERROR_INVALID_MODEL,
                    "policy output \"%s\" is %s, which is %llu numbers a row; %s has %u actions", policy->name.c_str(),
                    shape_text(*policy).c_str(), static_cast<unsigned long long>(policy->count), rules.name,
                    rules.action_count);
    const std::uint32_t wanted = core::value_outputs(loaded.value_kind);
    if (value != nullptr && value->count != wanted)
        return fail(AUGUR_ERROR_INVALID_MODEL,
                    "value output \"%s\" is %s, which is %llu numbers a row; value_kind %u needs %u",
                    value->name.c_str(), shape_text(*value).c_str(), static_cast<unsigned long long>(value->count),
                    static_cast<std::uint32_t>(loaded.value_kind), wanted);
    return AUGUR_OK;
}

augur_result destroy_model(Use<Model>& model) {
    Use<Context> context;
    if (const augur_result result = context.acquire(model->context().id()); result != AUGUR_OK) return result;
    const std::uint64_t id = model.id();
    delete model.take_down();
    context->remove_child(id);
    return AUGUR_OK;
}

}  // namespace augur
