// The messages of an ONNX file that the importer reads, as plain structs over the file's bytes.
//
// One message is decoded at a time, and no message is decoded inside another: a struct holds views of the messages
// within. So memory stays in proportion to the file, whatever it says, and nothing can nest deeply. Subgraphs, sparse
// tensors and local functions are noticed and never entered. Field numbers are those of onnx.proto.
#ifndef AUGUR_MODEL_ONNX_PROTO_H
#define AUGUR_MODEL_ONNX_PROTO_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace augur::model {

// Most of what one message may hold; more is AUGUR_ERROR_LIMIT (a tensor's rank: AUGUR_ERROR_INVALID_MODEL).
inline constexpr std::size_t kMostNameBytes = 4096;
inline constexpr std::size_t kMostRank = 8;
inline constexpr std::size_t kMostAttributes = 64;       // of a node
inline constexpr std::size_t kMostNodeValues = 1024;     // inputs of a node, and outputs
inline constexpr std::size_t kMostListElements = 65536;  // numbers of one attribute
inline constexpr std::size_t kMostOperatorSets = 64;
inline constexpr std::size_t kMostPorts = 1u << 18;  // graph inputs; initializers may be listed among them

// TensorProto.DataType
enum class DataType : std::int32_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    bfloat16 = 16,
};

const char* name_of(DataType type);

struct OperatorSetProto {
    std::string_view domain;
    std::int64_t version = 0;
};

struct ModelProto {
    std::int64_t ir_version = 0;
    std::string_view producer_name, producer_version;
    std::vector<OperatorSetProto> operator_sets;
    bool has_graph = false;
    std::string_view graph;
    bool has_functions = false;
    std::string_view first_function;
};

struct GraphProto {
    std::vector<std::string_view> nodes, initializers, inputs, outputs;
    bool has_sparse_initializer = false;
    std::string_view sparse_initializer;
};

struct DimensionProto {
    bool has_value = false;
    std::int64_t value = 0;
    std::string_view symbol;
};

struct ValueInfoProto {
    std::string_view name;
    bool is_tensor = false;
    DataType type = DataType::undefined;
    bool has_shape = false;
    std::vector<DimensionProto> dims;
};

struct NodeProto {
    std::string_view name, op_type, domain;
    std::vector<std::string_view> inputs, outputs;
    std::vector<std::string_view> attributes;
};

// A repeated number, as it lies in the file: pieces of packed encoding.
struct PackedProto {
    std::vector<std::string_view> pieces;
};

struct TensorProto {
    std::uint64_t offset = 0;  // of the message in the file
    std::string_view name;
    std::vector<std::int64_t> dims;
    DataType type = DataType::undefined;
    bool has_raw = false;
    std::string_view raw;
    PackedProto floats, doubles;          // little-endian, 4 and 8 bytes each
    PackedProto int32s, int64s, uint64s;  // varints
    bool has_strings = false;
    bool has_segment = false;
    bool external = false;
    std::string_view location, external_offset, external_length;  // as text
};

// AttributeProto.AttributeType
enum class AttributeType : std::int32_t {
    undefined = 0,
    real = 1,
    integer = 2,
    text = 3,
    tensor = 4,
    graph = 5,
    reals = 6,
    integers = 7,
    texts = 8,
    tensors = 9,
    graphs = 10,
    sparse_tensor = 11,
    sparse_tensors = 12,
    type_proto = 13,
    type_protos = 14,
};

struct AttributeProto {
    std::string_view name;
    AttributeType type = AttributeType::undefined;
    bool is_reference = false;  // to an attribute of a function
    float real = 0.0f;
    std::int64_t integer = 0;
    std::string_view text;
    std::string_view tensor;
    std::vector<float> reals;
    std::vector<std::int64_t> integers;
};

class OnnxDecoder {
  public:
    OnnxDecoder(const void* bytes, std::uint64_t size_bytes, std::uint64_t most_nodes, std::uint64_t most_tensors)
        : file_(static_cast<const char*>(bytes), size_bytes), most_nodes_(most_nodes), most_tensors_(most_tensors) {}

    // Each refuses damaged bytes as AUGUR_ERROR_INVALID_MODEL with their offset.
    ModelProto model() const;
    GraphProto graph(std::string_view bytes) const;
    ValueInfoProto value_info(std::string_view bytes) const;
    NodeProto node(std::string_view bytes) const;
    AttributeProto attribute(std::string_view bytes) const;
    TensorProto tensor(std::string_view bytes) const;

    // Reads the numbers of a packed field. At most count of them; false if there are fewer or more.
    static bool read_varints(const PackedProto& packed, std::uint64_t count, std::vector<std::int64_t>& out);

    std::uint64_t offset_of(std::string_view bytes) const {
        return static_cast<std::uint64_t>(bytes.data() - file_.data());
    }
    std::string_view file() const { return file_; }
    std::uint64_t file_size_bytes() const { return file_.size(); }

  private:
    std::string_view file_;
    std::uint64_t most_nodes_, most_tensors_;
};

}  // namespace augur::model

#endif  // AUGUR_MODEL_ONNX_PROTO_H
