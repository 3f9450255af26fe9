#include "model/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace augur::model {

core::NetworkStep blank_step(core::NetworkOp op) {
    core::NetworkStep step{};
    step.op = op;
    step.inputs[0] = step.inputs[1] = core::kNoTensor;
    step.output = core::kNoTensor;
    step.activation = core::Activation::none;
    step.residual = core::kNoTensor;
    step.weights = step.bias = core::kNoWeights;
    step.binary = core::BinaryOp::add;
    return step;
}

void Graph::charge(std::uint64_t elements) {
    const std::uint64_t most = limits.made_elements + 2 * (decoder.file_size_bytes() + external.size_bytes());
    if (elements > most || made_ > most - elements)
        refuse(AUGUR_ERROR_LIMIT,
               "the model makes more than %llu numbers out of its weights: constants, copies and index tables",
               static_cast<unsigned long long>(most));
    made_ += elements;
}

std::uint32_t Graph::new_tensor(const Dims& row, const std::string& name) {
    DraftTensor draft_tensor;
    if (row.size() > core::kNetworkRank)
        refuse(AUGUR_ERROR_LIMIT, "%s has %zu dimensions besides the batch, at most %u are supported", name.c_str(),
               row.size(), core::kNetworkRank);
    if (draft.tensors.size() >= limits.tensors)
        refuse(AUGUR_ERROR_LIMIT, "the model has more than %llu tensors",
               static_cast<unsigned long long>(limits.tensors));
    const std::uint64_t count =
        checked_count(row, std::min(limits.tensor_elements, limits.scratch_elements), "a row of " + name);
    if (count == 0) refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s has no elements", name.c_str());
    draft_tensor.tensor.rank = static_cast<std::uint32_t>(row.size());
    std::copy(row.begin(), row.end(), draft_tensor.tensor.dims);
    draft_tensor.tensor.count = static_cast<std::uint32_t>(count);
    draft_tensor.name = name;
    draft.tensors.push_back(std::move(draft_tensor));
    return static_cast<std::uint32_t>(draft.tensors.size() - 1);
}

std::uint32_t Graph::tensor_of(const Value& value) {
    if (value.constant == nullptr) return value.tensor;
    const ConstantPointer& constant = value.constant;
    auto [known, fresh] = constant_tensors_.try_emplace(constant.get(), constant, core::kNoTensor);
    if (!fresh) return known->second.second;
    for (const float x : constant->reals)
        if (!std::isfinite(x))
            refuse(AUGUR_ERROR_INVALID_MODEL, "the tensor %s has the value %g", shown(constant->name).c_str(),
                   static_cast<double>(x));
    const std::uint32_t tensor = new_tensor(constant->dims, "the constant " + shown(constant->name));
    draft.tensors[tensor].tensor.constant = 1;
    draft.tensors[tensor].values = Floats(constant, &constant->reals);
    known->second.second = tensor;
    return tensor;
}

Node::Node(Graph& graph, const NodeProto& proto) : graph_(graph), proto_(proto) {
    const std::string_view first_output = proto.outputs.empty() ? std::string_view() : proto.outputs[0];
    name_ = shown(proto.name.empty() ? first_output : proto.name);
    for (const std::string_view bytes : proto.attributes) {
        const AttributeProto attribute = graph.decoder.attribute(bytes);
        if (attribute.is_reference) invalid("an attribute refers to a function's, outside of any function");
        for (const Attribute& other : attributes_)
            if (other.name == attribute.name) invalid("it has the attribute " + shown(attribute.name) + " twice");
        attributes_.push_back({bytes, attribute.name, attribute.type, false});
    }
}

std::string Node::text_before() const {
    const std::string domain = proto_.domain.empty() ? "ai.onnx" : shown(proto_.domain);
    return "node " + name_ + " (" + shown(proto_.op_type) + ", " + domain + " opset " + std::to_string(graph_.opset) +
           "): ";
}

void Node::invalid(const std::string& what) const {
    throw Refusal(AUGUR_ERROR_INVALID_MODEL, text_before() + what);
}
void Node::unsupported(const std::string& what) const {
    throw Refusal(AUGUR_ERROR_UNSUPPORTED_OPERATOR, text_before() + what);
}
void Node::mixes(const std::string& what) const {
    unsupported(what + "; that would mix rows of the batch");
}

const Node::Attribute* Node::find(std::string_view name, AttributeType type) {
    for (Attribute& attribute : attributes_) {
        if (attribute.name != name) continue;
        attribute.known = true;
        if (type != AttributeType::undefined && attribute.type != type)
            invalid("its attribute " + shown(name) + " is of another type");
        return &attribute;
    }
    return nullptr;
}

AttributeProto Node::decode(const Attribute& attribute) const {
    return graph_.decoder.attribute(attribute.bytes);
}

std::int64_t Node::integer(std::string_view name, std::int64_t otherwise) {
    const Attribute* attribute = find(name, AttributeType::integer);
    return attribute != nullptr ? decode(*attribute).integer : otherwise;
}

float Node::real(std::string_view name, float otherwise) {
    const Attribute* attribute = find(name, AttributeType::real);
    if (attribute == nullptr) return otherwise;
    const float value = decode(*attribute).real;
    if (!std::isfinite(value)) invalid("its attribute " + shown(name) + " is not finite");
    return value;
}

std::string_view Node::text(std::string_view name, std::string_view otherwise) {
    const Attribute* attribute = find(name, AttributeType::text);
    return attribute != nullptr ? decode(*attribute).text : otherwise;
}

std::optional<std::vector<std::int64_t>> Node::integers(std::string_view name) {
    const Attribute* attribute = find(name, AttributeType::integers);
    if (attribute == nullptr) return std::nullopt;
    return decode(*attribute).integers;
}

std::optional<std::vector<float>> Node::reals(std::string_view name) {
    const Attribute* attribute = find(name, AttributeType::reals);
    if (attribute == nullptr) return std::nullopt;
    return decode(*attribute).reals;
}

ConstantPointer Node::tensor(std::string_view name) {
    const Attribute* attribute = find(name, AttributeType::tensor);
    if (attribute == nullptr) return nullptr;
    return decode_constant(graph_.decoder.tensor(decode(*attribute).tensor), graph_.external,
                           graph_.decoder.file_size_bytes(), graph_.limits.tensor_elements);
}

bool Node::has_attribute(std::string_view name) const {
    return std::any_of(attributes_.begin(), attributes_.end(), [&](const Attribute& a) { return a.name == name; });
}

bool Node::flag(std::string_view name, bool otherwise) {
    const std::int64_t value = integer(name, otherwise ? 1 : 0);
    if (value != 0 && value != 1) invalid("its attribute " + shown(name) + " is neither 0 nor 1");
    return value == 1;
}

void Node::refuse_unknown() const {
    for (const Attribute& attribute : attributes_)
        if (!attribute.known) unsupported("it has the attribute " + shown(attribute.name) + ", which is not known");
}

const Value& Node::input(std::size_t index) const {
    if (!has_input(index)) invalid("it has no input " + std::to_string(index));
    const std::string_view name = proto_.inputs[index];
    if (const auto found = graph_.values.find(name); found != graph_.values.end()) return found->second;
    if (const auto found = graph_.missing.find(name); found != graph_.missing.end()) unsupported(found->second);
    invalid("its input " + shown(name) + " is made by no earlier node (missing, out of order, or in a circle)");
}

void Node::expect(std::size_t least, std::size_t most, std::size_t most_outputs) const {
    if (input_count() < least || input_count() > most)
        invalid("it has " + std::to_string(input_count()) + " inputs, allowed are " + std::to_string(least) + " .. " +
                std::to_string(most));
    for (std::size_t i = 0; i < least; ++i)
        if (!has_input(i)) invalid("it has no input " + std::to_string(i));
    if (output_count() < 1 || !has_output(0) || output_count() > most_outputs)
        invalid("it has " + std::to_string(output_count()) + " outputs, allowed are 1 .. " +
                std::to_string(most_outputs));
}

const Constant& Node::known(std::size_t index, const char* what) const {
    const Value& value = input(index);
    if (!value.is_known()) unsupported(std::string("its ") + what + " is computed from the network's input");
    return *value.constant;
}

std::vector<std::int64_t> Node::known_integers(std::size_t index, const char* what) const {
    const Constant& constant = known(index, what);
    if (constant.kind != ElementKind::integer) invalid(std::string("its ") + what + " is not of whole numbers");
    if (constant.has_batch()) mixes(std::string("its ") + what + " depends on the size of the batch");
    if (constant.dims.size() > 1) invalid(std::string("its ") + what + " is no list");
    return constant.integers;
}

float Node::known_number(std::size_t index, const char* what) const {
    const Constant& constant = known(index, what);
    if (constant.kind != ElementKind::real || constant.count() != 1)
        invalid(std::string("its ") + what + " is not one number");
    return constant.reals[0];
}

const Constant& Node::weights(std::size_t index, const char* what) const {
    const Constant& constant = known(index, what);
    if (constant.kind != ElementKind::real) invalid(std::string("its ") + what + " is not of floats");
    if (!graph_.finite_.insert(&constant).second) return constant;
    for (std::size_t i = 0; i < constant.reals.size(); ++i)
        if (!std::isfinite(constant.reals[i]))
            invalid("its " + std::string(what) + " " + shown(constant.name) + " is not finite in element " +
                    std::to_string(i));
    return constant;
}

std::optional<std::vector<std::int64_t>> Node::axes(std::int64_t input_since, std::size_t input_index) {
    if (opset() < input_since) return integers("axes");
    if (!has_input(input_index)) return std::nullopt;
    return known_integers(input_index, "list of axes");
}

void Node::output(std::size_t index, Value value) {
    const std::string_view name = proto_.outputs[index];
    if (graph_.values.size() + graph_.missing.size() >= graph_.limits.tensors)
        refuse(AUGUR_ERROR_LIMIT, "the model has more than %llu named values",
               static_cast<unsigned long long>(graph_.limits.tensors));
    if (graph_.missing.count(name) != 0 || !graph_.values.emplace(name, std::move(value)).second)
        invalid("its output " + shown(name) + " has the name of something else");
}

void Node::no_output(std::size_t index, const char* why) {
    if (!has_output(index)) return;
    const std::string_view name = proto_.outputs[index];
    if (graph_.values.count(name) != 0 || !graph_.missing.emplace(name, text_before() + why).second)
        invalid("its output " + shown(name) + " has the name of something else");
}

std::size_t Node::axis_of(std::int64_t axis, std::size_t rank) const {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank)
        invalid("axis " + std::to_string(axis) + " is not one of " + std::to_string(rank) + " dimensions");
    return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::size_t Node::row_axis(const Value& value, std::int64_t axis) const {
    const std::size_t at = axis_of(axis, value.rank());
    if (!value.batched) return at;
    if (at == 0) mixes("it works along axis 0, the batch");
    return at - 1;
}

void Node::expect_real(const Value& value) const {
    if (value.constant != nullptr && value.constant->kind != ElementKind::real)
        unsupported("it works on whole numbers or truth values that are not constant");
}

void Node::expect_rows(const Value& value) const {
    if (!value.batched) unsupported("it works on constants alone, which is not computed here");
    expect_real(value);
}

std::uint32_t Node::tensor_of(const Value& value) {
    expect_real(value);
    return graph_.tensor_of(value);
}

DraftStep& Node::add(core::NetworkOp op, const Dims& row) {
    return add_part(op, row, core::kNoTensor);
}

DraftStep& Node::add_part(core::NetworkOp op, const Dims& row, std::uint32_t output) {
    DraftStep step;
    step.step = blank_step(op);
    step.step.output = output != core::kNoTensor ? output : graph_.new_tensor(row, "the result of node " + name_);
    step.name = std::string(proto_.name.empty() ? proto_.outputs[0] : proto_.name).substr(0, 64);
    graph_.draft.steps.push_back(std::move(step));
    return graph_.draft.steps.back();
}

Value Node::result() const {
    const std::uint32_t output = graph_.draft.steps.back().step.output;
    const core::NetworkTensor& tensor = graph_.draft.tensor(output);
    Value value;
    value.batched = true;
    value.row.assign(tensor.dims, tensor.dims + tensor.rank);
    value.tensor = output;
    return value;
}

Value Node::constant(std::shared_ptr<Constant> constant) const {
    constant->name = std::string(proto_.outputs.empty() ? proto_.name : proto_.outputs[0]).substr(0, 64);
    Value value;
    value.row = constant->dims;
    value.constant = std::move(constant);
    return value;
}

Value Node::rearranged(const Value& in, const Dims& row, std::vector<std::int32_t> map, float fill) {
    bool same = map.size() == product(in.row);
    for (std::size_t i = 0; same && i < map.size(); ++i)
        same = map[i] == static_cast<std::int32_t>(i);
    if (same && in.constant == nullptr) {
        Value out = in;
        out.row = row;
        return out;
    }
    if (in.constant != nullptr) {
        const Constant& from = *in.constant;
        auto to = std::make_shared<Constant>();
        to->kind = from.kind;
        to->dims = row;
        if (from.kind == ElementKind::real) {
            to->reals.reserve(map.size());
            for (const std::int32_t at : map)
                to->reals.push_back(at < 0 ? fill : from.reals[static_cast<std::size_t>(at)]);
        } else {
            to->integers.reserve(map.size());
            for (const std::int32_t at : map)
                to->integers.push_back(at < 0 ? static_cast<std::int64_t>(fill)
                                              : from.integers[static_cast<std::size_t>(at)]);
            for (std::size_t i = 0; from.has_batch() && i < map.size(); ++i)
                to->is_batch.push_back(map[i] < 0 ? 0 : from.is_batch[static_cast<std::size_t>(map[i])]);
            if (std::count(to->is_batch.begin(), to->is_batch.end(), 1) == 0) to->is_batch.clear();
        }
        Value out = constant(std::move(to));
        out.batched = in.batched;
        return out;
    }
    if (!std::isfinite(fill)) unsupported("it fills up with a number that is not finite");
    DraftStep& step = add(core::NetworkOp::rearrange, row);
    step.step.inputs[0] = in.tensor;
    step.step.fill = fill;
    step.map = std::make_shared<const std::vector<std::int32_t>>(std::move(map));
    return result();
}

}  // namespace augur::model
