#include "model/onnx.h"

#include <cmath>
#include <map>
#include <new>
#include <utility>

#include "model/external_data.h"
#include "model/fold.h"
#include "model/heads.h"
#include "model/memory.h"
#include "model/onnx_import.h"
#include "model/refusal.h"

namespace augur::model {
namespace {

// Lays the draft's arrays one behind the other. Arrays that steps share are stored once.
class Assembler {
  public:
    Assembler(Draft& draft, Network& network) : draft_(draft), network_(network) {}

    void run(const ImportLimits& limits) {
        reserve();
        for (DraftTensor& tensor : draft_.tensors) {
            if (tensor.values) tensor.tensor.offset = place(tensor.values, tensor.name);
            network_.tensors.push_back(tensor.tensor);
        }
        for (DraftStep& step : draft_.steps) {
            if (step.weights) step.step.weights = place(step.weights, step.name);
            if (step.bias) step.step.bias = place(step.bias, step.name);
            if (step.map) step.step.map = place_map(step.map);
            network_.multiply_adds += multiply_adds(step.step, limits.multiply_adds - network_.multiply_adds);
            network_.steps.push_back(step.step);
            network_.step_names.push_back(std::move(step.name));
        }
        for (DraftPort& port : draft_.inputs)
            network_.inputs.push_back(assembled(port));
        for (DraftPort& port : draft_.outputs)
            network_.outputs.push_back(assembled(port));
    }

  private:
    static std::uint64_t rounded(std::uint64_t count) {
        return (count + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
    }

    void reserve() {
        std::map<const void*, std::uint64_t> sizes;
        for (const DraftTensor& tensor : draft_.tensors)
            if (tensor.values) sizes.emplace(tensor.values.get(), tensor.values->size());
        for (const DraftStep& step : draft_.steps) {
            if (step.weights) sizes.emplace(step.weights.get(), step.weights->size());
            if (step.bias) sizes.emplace(step.bias.get(), step.bias->size());
        }
        std::uint64_t sum = 0;
        for (const auto& [array, size] : sizes)
            sum += rounded(size);
        network_.weights.reserve(sum);
    }

    std::uint64_t place(const Floats& floats, const std::string& name) {
        const auto [known, fresh] = placed_.try_emplace(floats.get(), network_.weights.size());
        if (!fresh) return known->second;
        for (const float x : *floats)
            if (!std::isfinite(x))
                refuse(AUGUR_ERROR_INVALID_MODEL, "the weights of %s are beyond the range of float after folding",
                       shown(name).c_str());
        network_.parameter_count += floats->size();
        network_.weights.insert(network_.weights.end(), floats->begin(), floats->end());
        network_.weights.resize(rounded(network_.weights.size()), 0.0f);
        return known->second;
    }

    std::uint64_t place_map(const Map& map) {
        const auto [known, fresh] = placed_.try_emplace(map.get(), network_.maps.size());
        if (fresh) network_.maps.insert(network_.maps.end(), map->begin(), map->end());
        return known->second;
    }

    // Of one row; refuses more than most. Counts the taps of pools too, which take about as long.
    std::uint64_t multiply_adds(const core::NetworkStep& step, std::uint64_t most) const {
        const core::NetworkWindow& w = step.window;
        std::uint64_t count = 0, each = 0;
        switch (step.op) {
            case core::NetworkOp::dense:
            case core::NetworkOp::matmul:
                count = draft_.tensor(step.output).count;
                each = step.k;
                break;
            case core::NetworkOp::conv:
            case core::NetworkOp::max_pool:
            case core::NetworkOp::average_pool:
                count = draft_.tensor(step.output).count;
                each = static_cast<std::uint64_t>(w.kernel_h) * w.kernel_w;
                if (each <= most) each *= w.channels / w.groups;
                break;
            default:
                return 0;
        }
        if (each > most / count) {
            const unsigned long long limit = network_.multiply_adds + most;
            refuse(AUGUR_ERROR_LIMIT, "a row of the model takes more than %llu multiplications", limit);
        }
        return count * each;
    }

    static Port assembled(DraftPort& port) {
        Port out;
        out.name = std::move(port.name);
        out.tensor = port.tensor;
        out.count = 1;
        for (const std::uint32_t dim : port.dims)
            out.count *= dim;
        out.dims = std::move(port.dims);
        return out;
    }

    Draft& draft_;
    Network& network_;
    std::map<const void*, std::uint64_t> placed_;
};

Network load(const OnnxSource& source, const ImportOptions& options) {
    const ImportLimits& limits = options.limits;
    if (source.bytes == nullptr || source.size_bytes == 0)
        refuse(AUGUR_ERROR_INVALID_MODEL, "the model is empty: it has no bytes");
    if (source.size_bytes > limits.size_bytes)
        refuse(AUGUR_ERROR_LIMIT, "the model has %llu bytes, the limit is %llu",
               static_cast<unsigned long long>(source.size_bytes), static_cast<unsigned long long>(limits.size_bytes));
    ExternalData external(source.folder, limits.size_bytes - source.size_bytes);
    const OnnxDecoder decoder(source.bytes, source.size_bytes, limits.nodes, limits.tensors);
    Imported imported = import_onnx(decoder, external, limits);
    fold(imported.draft, limits.made_elements + 2 * (source.size_bytes + external.size_bytes()));
    Network network;
    network.scratch_count = place_tensors(imported.draft);
    if (network.scratch_count > limits.scratch_elements)
        refuse(AUGUR_ERROR_LIMIT, "a row of the model needs %llu elements of scratch, the limit is %llu",
               static_cast<unsigned long long>(network.scratch_count),
               static_cast<unsigned long long>(limits.scratch_elements));
    Assembler(imported.draft, network).run(limits);
    network.opset = imported.opset;
    network.ir_version = imported.ir_version;
    network.batch_is_fixed_to_one = imported.batch_is_one;
    network.producer = std::move(imported.producer);
    find_heads(options, network);
    return network;
}

// Where exceptions end: everything below here throws, nothing above does.
template <class Body>
augur_result guarded(std::string& message, Body body) {
    try {
        try {
            body();
            return AUGUR_OK;
        } catch (const Refusal& refusal) {
            message = refusal.what();
            return refusal.code();
        } catch (const std::bad_alloc&) {
            message = "there is not enough memory to load the model";
            return AUGUR_ERROR_OUT_OF_MEMORY;
        } catch (const std::exception& error) {
            message = std::string("loading the model failed: ") + error.what();
            return AUGUR_ERROR_INTERNAL;
        }
    } catch (...) {
        return AUGUR_ERROR_OUT_OF_MEMORY;  // not even the message could be kept
    }
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

augur_result load_onnx(const OnnxSource& source, const ImportOptions& options, Network* out, std::string& message) {
    return guarded(message, [&] { *out = load(source, options); });
}

augur_result load_onnx_file(const std::string& path, const ImportOptions& options, Network* out, std::string& message) {
    return guarded(message, [&] {
        const std::vector<char> bytes = read_file(path, options.limits.size_bytes, "the model " + shown(path));
        *out = load({bytes.data(), bytes.size(), folder_of(path)}, options);
    });
}

}  // namespace augur::model
