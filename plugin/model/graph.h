// What the operators' importers work with: the values known so far, and the node being imported.
#ifndef AUGUR_MODEL_GRAPH_H
#define AUGUR_MODEL_GRAPH_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/constant.h"
#include "model/draft.h"
#include "model/onnx.h"
#include "model/onnx_proto.h"
#include "model/refusal.h"
#include "model/shapes.h"

namespace augur::model {

// A named value of the file: constant, or computed in every row.
//
// A batched value's ONNX shape is [batch][row...]; one that is not (a weight, a shape) has the ONNX shape [row...]. A
// constant may be batched: the same for every row, as ConstantOfShape([batch, 3]) is.
struct Value {
    bool batched = false;
    Dims row;
    ConstantPointer constant;                // null where computed
    std::uint32_t tensor = core::kNoTensor;  // where computed

    std::size_t rank() const { return row.size() + (batched ? 1 : 0); }
    bool is_known() const { return constant != nullptr && !batched; }
};

class Graph {
  public:
    Graph(const OnnxDecoder& of_file, ExternalData& beside_file, const ImportLimits& limits_given)
        : decoder(of_file), external(beside_file), limits(limits_given) {}

    // Counts what importing makes besides the file's own numbers, and refuses what is too much.
    void charge(std::uint64_t elements);

    // The tensor of a value; a constant becomes one. Floats only.
    std::uint32_t tensor_of(const Value& value);
    std::uint32_t new_tensor(const Dims& row, const std::string& name);

    const OnnxDecoder& decoder;
    ExternalData& external;
    const ImportLimits& limits;
    std::int64_t opset = 0;
    bool batch_is_one = false;  // the file fixes the batch to 1
    Draft draft;
    std::map<std::string_view, Value> values;
    // Second outputs that are not computed (a Dropout's mask): why, for whoever asks.
    std::map<std::string_view, std::string> missing;

  private:
    std::uint64_t made_ = 0;
    std::map<const Constant*, std::pair<ConstantPointer, std::uint32_t>> constant_tensors_;
    std::set<const Constant*> finite_;  // those in values that were looked through
    friend class Node;
};

// One node while it is imported.
class Node {
  public:
    Node(Graph& graph, const NodeProto& proto);

    Graph& graph() { return graph_; }
    std::int64_t opset() const { return graph_.opset; }
    const std::string& name() const { return name_; }

    // "node 'a' (Conv, ai.onnx opset 17): " and what is said.
    [[noreturn]] void invalid(const std::string& what) const;
    [[noreturn]] void unsupported(const std::string& what) const;
    [[noreturn]] void mixes(const std::string& what) const;  // "...: this would mix rows of the batch"

    // Attributes. Each is marked as known when it is asked for; refuse_unknown() then finds the others.
    std::int64_t integer(std::string_view name, std::int64_t otherwise);
    float real(std::string_view name, float otherwise);
    std::string_view text(std::string_view name, std::string_view otherwise);
    std::optional<std::vector<std::int64_t>> integers(std::string_view name);
    std::optional<std::vector<float>> reals(std::string_view name);
    ConstantPointer tensor(std::string_view name);  // null where there is none
    bool has_attribute(std::string_view name) const;
    bool flag(std::string_view name, bool otherwise);
    void ignore(std::string_view name) { find(name, AttributeType::undefined); }
    void refuse_unknown() const;

    // Inputs.
    std::size_t input_count() const { return proto_.inputs.size(); }
    bool has_input(std::size_t index) const { return index < proto_.inputs.size() && !proto_.inputs[index].empty(); }
    const Value& input(std::size_t index) const;
    // Fewer than least or more than most given inputs or outputs are refused.
    void expect(std::size_t least, std::size_t most, std::size_t most_outputs = 1) const;
    // An input that must be known: constant and the same for all batches.
    const Constant& known(std::size_t index, const char* what) const;
    std::vector<std::int64_t> known_integers(std::size_t index, const char* what) const;  // no batch among them
    float known_number(std::size_t index, const char* what) const;                        // of one element
    // Floats of a known input, each finite.
    const Constant& weights(std::size_t index, const char* what) const;
    // axes as an attribute before opset since, as input 1 from then on; nothing where not given.
    std::optional<std::vector<std::int64_t>> axes(std::int64_t input_since, std::size_t input_index = 1);

    std::size_t output_count() const { return proto_.outputs.size(); }
    bool has_output(std::size_t index) const { return index < proto_.outputs.size() && !proto_.outputs[index].empty(); }
    void output(std::size_t index, Value value);
    void no_output(std::size_t index, const char* why);

    // axis in [-rank, rank) -> [0, rank); refused otherwise.
    std::size_t axis_of(std::int64_t axis, std::size_t rank) const;
    // Of a value's row: refuses the batch axis.
    std::size_t row_axis(const Value& value, std::int64_t axis) const;
    // A value that a step can read: floats, of rows.
    void expect_rows(const Value& value) const;
    void expect_real(const Value& value) const;

    // Adds a step whose output is a new tensor of shape row, and returns it for what is still to be filled in.
    DraftStep& add(core::NetworkOp op, const Dims& row);
    // The same for a step that writes a part of its output; output: kNoTensor for the first part.
    DraftStep& add_part(core::NetworkOp op, const Dims& row, std::uint32_t output);
    // The value of the last step added.
    Value result() const;
    std::uint32_t tensor_of(const Value& value);

    // out[i] = in[map[i]], or fill where map[i] is negative. Constants are moved at once.
    Value rearranged(const Value& in, const Dims& row, std::vector<std::int32_t> map, float fill = 0.0f);
    Value constant(std::shared_ptr<Constant> constant) const;  // row = its dims

  private:
    struct Attribute {
        std::string_view bytes;
        std::string_view name;
        AttributeType type;
        bool known = false;
    };
    // Null where there is none.
    const Attribute* find(std::string_view name, AttributeType type);
    AttributeProto decode(const Attribute& attribute) const;
    std::string text_before() const;

    Graph& graph_;
    const NodeProto& proto_;
    std::string name_;
    std::vector<Attribute> attributes_;
};

}  // namespace augur::model

#endif  // AUGUR_MODEL_GRAPH_H
