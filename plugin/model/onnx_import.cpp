#include "model/onnx_import.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "model/graph.h"
#include "model/operators.h"

namespace augur::model {
namespace {

// What is often handed in by mistake, told apart by its first bytes.
void refuse_other_files(const OnnxDecoder& decoder, std::string_view bytes) {
    static constexpr struct {
        std::string_view begins, what;
    } kOthers[] = {
        {std::string_view("PK\3\4", 4), "a zip archive; a PyTorch checkpoint is one, export it to ONNX first"},
        {std::string_view("\x80\2", 2), "a pickle; export the network to ONNX first"},
        {std::string_view("\x80\4", 2), "a pickle; export the network to ONNX first"},
        {std::string_view("\x1f\x8b", 2), "compressed with gzip"},
        {std::string_view("\x89HDF", 4), "an HDF5 file"},
        {std::string_view("version https://git-lfs", 23), "a pointer of Git LFS; fetch the file itself"},
    };
    for (const auto& other : kOthers)
        if (bytes.substr(0, other.begins.size()) == other.begins)
            refuse(AUGUR_ERROR_INVALID_MODEL, "this is no ONNX model but %.*s (%llu bytes)",
                   static_cast<int>(other.what.size()), other.what.data(),
                   static_cast<unsigned long long>(decoder.file_size_bytes()));
}

bool is_onnx_domain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

std::int64_t opset_of(const ModelProto& model) {
    std::int64_t opset = 0;
    for (const OperatorSetProto& set : model.operator_sets) {
        if (!is_onnx_domain(set.domain)) continue;
        if (opset != 0 && set.version != opset)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the model asks for the opsets %lld and %lld of ai.onnx at once",
                   static_cast<long long>(opset), static_cast<long long>(set.version));
        opset = set.version;
    }
    if (opset == 0) refuse(AUGUR_ERROR_INVALID_MODEL, "the model does not say which opset of ai.onnx it uses");
    return opset;
}

void check_model(const ModelProto& model) {
    if (model.ir_version == 0 && !model.has_graph)
        refuse(AUGUR_ERROR_INVALID_MODEL, "this is no ONNX model: it has neither an IR version nor a graph");
    if (model.ir_version < 3)
        refuse(AUGUR_ERROR_INVALID_MODEL, "the model has the IR version %lld; 3 is the oldest that is read",
               static_cast<long long>(model.ir_version));
    if (model.ir_version > kNewestIrVersion)
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "the model has the IR version %lld; %u is the newest that is read",
               static_cast<long long>(model.ir_version), kNewestIrVersion);
    if (!model.has_graph) refuse(AUGUR_ERROR_INVALID_MODEL, "the model has no graph");
    if (model.has_functions)
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR,
               "the model has functions of its own, such as %s; export it with them inlined",
               shown(model.first_function).c_str());
}

void import_initializers(Graph& graph, const GraphProto& proto) {
    if (proto.has_sparse_initializer)
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "the model has a sparse initializer at offset %llu",
               static_cast<unsigned long long>(graph.decoder.offset_of(proto.sparse_initializer)));
    for (const std::string_view bytes : proto.initializers) {
        const TensorProto tensor = graph.decoder.tensor(bytes);
        if (tensor.name.empty())
            refuse(AUGUR_ERROR_INVALID_MODEL, "the initializer at offset %llu has no name",
                   static_cast<unsigned long long>(tensor.offset));
        Value value;
        value.constant =
            decode_constant(tensor, graph.external, graph.decoder.file_size_bytes(), graph.limits.tensor_elements);
        // Many tensors may be the same part of a file.
        if (tensor.external) graph.charge(value.constant->count());
        value.row = value.constant->dims;
        if (!graph.values.emplace(tensor.name, std::move(value)).second)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the initializer %s at offset %llu is there twice",
                   shown(tensor.name).c_str(), static_cast<unsigned long long>(tensor.offset));
    }
}

// Checks what an input says of its shape, and gives its row.
Dims input_row(const ValueInfoProto& info, std::size_t& ones, std::size_t index) {
    const std::string what = "input " + std::to_string(index) + " " + shown(info.name);
    if (!info.is_tensor) refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s is no tensor", what.c_str());
    if (kind_of(info.type, what) != ElementKind::real)
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s is of type %s, only floats are read", what.c_str(),
               name_of(info.type));
    if (!info.has_shape || info.dims.empty())
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s has no shape; its first dimension must be the batch",
               what.c_str());
    std::string said = "[";
    for (std::size_t i = 0; i < info.dims.size(); ++i) {
        const DimensionProto& dim = info.dims[i];
        said += i > 0 ? ", " : "";
        said += dim.has_value ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : shown(dim.symbol);
    }
    said += "]";
    Dims row;
    for (std::size_t i = 0; i < info.dims.size(); ++i) {
        const DimensionProto& dim = info.dims[i];
        if (dim.has_value && (dim.value < 0 || dim.value > 0x7fffffff))
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s has the shape %s", what.c_str(), said.c_str());
        if (i == 0) {
            if (!dim.has_value) continue;
            if (dim.value != 1)
                refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR,
                       "%s has the shape %s; its batch must be symbolic or 1, so that rows can be evaluated in any "
                       "number",
                       what.c_str(), said.c_str());
            ++ones;
            continue;
        }
        if (!dim.has_value || dim.value == 0)
            refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s has the shape %s; every dimension but the batch must be fixed",
                   what.c_str(), said.c_str());
        row.push_back(static_cast<std::uint32_t>(dim.value));
    }
    return row;
}

void import_inputs(Graph& graph, const GraphProto& proto) {
    std::size_t ones = 0;
    std::set<std::string_view> names;
    for (const std::string_view bytes : proto.inputs) {
        const ValueInfoProto info = graph.decoder.value_info(bytes);
        if (info.name.empty() || !names.insert(info.name).second)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the input %s at offset %llu has no name, or another's",
                   shown(info.name).c_str(), static_cast<unsigned long long>(graph.decoder.offset_of(bytes)));
        // Older files list their weights among the inputs.
        if (graph.values.count(info.name) != 0) continue;
        if (graph.draft.inputs.size() == core::kNetworkInputs)
            refuse(AUGUR_ERROR_LIMIT, "the model has more than %u inputs", core::kNetworkInputs);
        Value value;
        value.batched = true;
        value.row = input_row(info, ones, graph.draft.inputs.size());
        value.tensor = graph.new_tensor(value.row, "the input " + shown(info.name));
        graph.draft.inputs.push_back({std::string(info.name), value.tensor, value.row});
        graph.values.emplace(info.name, std::move(value));
    }
    if (graph.draft.inputs.empty()) refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "the model has no input");
    if (ones != 0 && ones != graph.draft.inputs.size())
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "the batch is fixed to 1 in some inputs and open in others");
    graph.batch_is_one = ones != 0;
}

void import_node(Graph& graph, std::string_view bytes) {
    const NodeProto proto = graph.decoder.node(bytes);
    Node node(graph, proto);
    if (!is_onnx_domain(proto.domain)) node.unsupported("its domain is not supported");
    const Operator* known = find_operator(proto.op_type);
    if (known == nullptr) node.unsupported("this operator is not supported");
    if (graph.opset < known->first_opset || graph.opset > known->last_opset)
        node.unsupported("this operator is supported from opset " + std::to_string(known->first_opset) + " to " +
                         std::to_string(known->last_opset));
    known->import(node);
    node.refuse_unknown();
}

// A tensor of its own for every output: one that is an input, constant or listed before is copied.
void import_outputs(Graph& graph, const GraphProto& proto) {
    std::set<std::string_view> names;
    std::set<std::uint32_t> taken;
    for (const DraftPort& input : graph.draft.inputs)
        taken.insert(input.tensor);
    for (const std::string_view bytes : proto.outputs) {
        const ValueInfoProto info = graph.decoder.value_info(bytes);
        const std::string what = "the output " + shown(info.name);
        const auto offset = static_cast<unsigned long long>(graph.decoder.offset_of(bytes));
        if (info.name.empty() || !names.insert(info.name).second)
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu has no name, or another's", what.c_str(), offset);
        if (graph.draft.outputs.size() == core::kNetworkOutputs)
            refuse(AUGUR_ERROR_LIMIT, "the model has more than %u outputs", core::kNetworkOutputs);
        if (const auto missing = graph.missing.find(info.name); missing != graph.missing.end())
            refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s", missing->second.c_str());
        const auto found = graph.values.find(info.name);
        if (found == graph.values.end())
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu is made by no node", what.c_str(), offset);
        const Value& value = found->second;
        if (!value.batched)
            refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s, of shape %s, does not depend on the model's input",
                   what.c_str(), shown_dims(value.row).c_str());
        if (value.constant != nullptr && value.constant->kind != ElementKind::real)
            refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s is not of floats", what.c_str());
        std::uint32_t tensor = graph.tensor_of(value);
        if (value.constant != nullptr || !taken.insert(tensor).second) {
            DraftStep copy;
            copy.step = blank_step(core::NetworkOp::unary);
            copy.step.inputs[0] = tensor;
            copy.step.output = tensor = graph.new_tensor(value.row, what);
            copy.name = std::string(info.name.substr(0, 64));
            graph.draft.steps.push_back(std::move(copy));
        }
        graph.draft.outputs.push_back({std::string(info.name), tensor, value.row});
    }
    if (graph.draft.outputs.empty()) refuse(AUGUR_ERROR_INVALID_MODEL, "the model has no output");
}

// Printable, for people.
std::string producer_of(const ModelProto& model) {
    std::string text(model.producer_name.substr(0, 64));
    if (!model.producer_version.empty()) text.append(" ").append(model.producer_version.substr(0, 64));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

}  // namespace

Imported import_onnx(const OnnxDecoder& decoder, ExternalData& external, const ImportLimits& limits) {
    refuse_other_files(decoder, decoder.file());
    const ModelProto model = decoder.model();
    check_model(model);
    const GraphProto proto = decoder.graph(model.graph);
    Graph graph(decoder, external, limits);
    graph.opset = opset_of(model);
    if (graph.opset < kOldestOpset || graph.opset > kNewestOpset) {
        // Named after its first node, as every other refusal is.
        const NodeProto first = proto.nodes.empty() ? NodeProto() : decoder.node(proto.nodes[0]);
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR,
               "the model uses opset %lld of ai.onnx (first in node %s, %s); %u .. %u are read",
               static_cast<long long>(graph.opset), shown(first.name).c_str(), shown(first.op_type).c_str(),
               kOldestOpset, kNewestOpset);
    }
    import_initializers(graph, proto);
    import_inputs(graph, proto);
    for (const std::string_view node : proto.nodes)
        import_node(graph, node);
    import_outputs(graph, proto);
    Imported out;
    out.draft = std::move(graph.draft);
    out.opset = static_cast<std::uint32_t>(graph.opset);
    out.ir_version = static_cast<std::uint32_t>(model.ir_version);
    out.batch_is_one = graph.batch_is_one;
    out.producer = producer_of(model);
    return out;
}

}  // namespace augur::model
