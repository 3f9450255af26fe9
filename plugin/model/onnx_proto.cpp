#include "model/onnx_proto.h"

#include <cstring>
#include <protozero/pbf_reader.hpp>

#include "model/refusal.h"

namespace augur::model {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

std::string_view view_of(protozero::data_view data) {
    return {data.data(), data.size()};
}

// The fields of one message, one after the other, each checked for its wire type before it is read.
class Fields {
  public:
    Fields(std::string_view file, std::string_view message, const char* what)
        : file_(file), what_(what), reader_(protozero::data_view(message.data(), message.size())) {}

    // Calls visit(field number) for every field. What visit does not read is skipped.
    template <class Visit>
    void each(Visit visit) {
        try {
            while (true) {
                position_ = offset();
                if (!reader_.next()) return;
                taken_ = false;
                visit(reader_.tag());
                if (!taken_) reader_.skip();
            }
        } catch (const protozero::exception& error) {
            refuse(AUGUR_ERROR_INVALID_MODEL, "the %s is damaged at offset %llu: %s", what_, where(), error.what());
        }
    }

    std::string_view bytes() {
        expect(pbf_wire_type::length_delimited);
        return view_of(reader_.get_view());
    }
    std::string_view name() {
        const std::string_view text = bytes();
        if (text.size() > kMostNameBytes)
            refuse(AUGUR_ERROR_LIMIT, "the %s has a name of %zu bytes at offset %llu, at most %zu are read", what_,
                   text.size(), where(), kMostNameBytes);
        return text;
    }
    std::int64_t integer() {
        expect(pbf_wire_type::varint);
        return reader_.get_int64();
    }
    std::int32_t enumeration() {
        const std::int64_t value = integer();
        if (value < 0 || value > 0x7fffffff)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the %s is damaged at offset %llu: no such kind", what_, where());
        return static_cast<std::int32_t>(value);
    }
    float real() {
        expect(pbf_wire_type::fixed32);
        return reader_.get_float();
    }
    // One more piece of a repeated number: packed, or a single one.
    void packed(PackedProto& out, pbf_wire_type single) {
        if (reader_.has_wire_type(pbf_wire_type::length_delimited)) {
            out.pieces.push_back(bytes());
            return;
        }
        expect(single);
        const char* begin = reader_.data().data();
        reader_.skip();
        out.pieces.emplace_back(begin, static_cast<std::size_t>(reader_.data().data() - begin));
    }
    // Whether the list has room for one more.
    void count(std::size_t size, std::uint64_t most, const char* of) const {
        if (size < most) return;
        refuse(AUGUR_ERROR_LIMIT, "the %s has more than %llu %s (offset %llu)", what_,
               static_cast<unsigned long long>(most), of, where());
    }
    void only_once(bool had) const {
        if (had)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the %s is damaged at offset %llu: a field is there twice", what_,
                   where());
    }
    unsigned long long where() const { return position_; }

  private:
    unsigned long long offset() const { return static_cast<unsigned long long>(reader_.data().data() - file_.data()); }
    void expect(pbf_wire_type type) {
        if (!reader_.has_wire_type(type))
            refuse(AUGUR_ERROR_INVALID_MODEL, "the %s is damaged at offset %llu: field %u has the wrong wire type",
                   what_, where(), reader_.tag());
        taken_ = true;
    }

    std::string_view file_;
    const char* what_;
    pbf_reader reader_;
    unsigned long long position_ = 0;
    bool taken_ = false;
};

// Whether a piece of a repeated float or int64 can be cut into whole numbers; their count.
std::size_t count_varints(std::string_view bytes) {
    std::size_t count = 0;
    for (const char c : bytes)
        count += (static_cast<unsigned char>(c) & 0x80u) == 0 ? 1 : 0;
    return count;
}

// One varint from the front of bytes, or false where none ends within ten bytes.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7fu) << (7 * i);
        if ((byte & 0x80u) == 0) {
            bytes.remove_prefix(i + 1);
            return true;
        }
    }
    return false;
}

OperatorSetProto operator_set(std::string_view file, std::string_view bytes) {
    OperatorSetProto out;
    Fields fields(file, bytes, "operator set");
    fields.each([&](std::uint32_t field) {
        if (field == 1) out.domain = fields.name();
        if (field == 2) out.version = fields.integer();
    });
    return out;
}

DimensionProto dimension(std::string_view file, std::string_view bytes) {
    DimensionProto out;
    Fields fields(file, bytes, "dimension");
    fields.each([&](std::uint32_t field) {
        if (field == 1) {
            out.has_value = true;
            out.value = fields.integer();
        }
        if (field == 2) out.symbol = fields.name();
    });
    return out;
}

void tensor_shape(std::string_view file, std::string_view bytes, ValueInfoProto& out) {
    Fields fields(file, bytes, "shape");
    fields.each([&](std::uint32_t field) {
        if (field != 1) return;
        if (out.dims.size() == kMostRank)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the shape at offset %llu has more than %zu dimensions", fields.where(),
                   kMostRank);
        out.dims.push_back(dimension(file, fields.bytes()));
    });
}

void tensor_type(std::string_view file, std::string_view bytes, ValueInfoProto& out) {
    Fields fields(file, bytes, "type");
    fields.each([&](std::uint32_t field) {
        if (field == 1) out.type = static_cast<DataType>(fields.enumeration());
        if (field == 2) {
            fields.only_once(out.has_shape);
            out.has_shape = true;
            tensor_shape(file, fields.bytes(), out);
        }
    });
}

void external_entry(std::string_view file, std::string_view bytes, TensorProto& out) {
    std::string_view key, value;
    Fields fields(file, bytes, "external data entry");
    fields.each([&](std::uint32_t field) {
        if (field == 1) key = fields.name();
        if (field == 2) value = fields.name();
    });
    if (key == "location") out.location = value;
    if (key == "offset") out.external_offset = value;
    if (key == "length") out.external_length = value;
}

}  // namespace

const char* name_of(DataType type) {
    switch (type) {
        case DataType::undefined:
            return "undefined";
        case DataType::float32:
            return "float";
        case DataType::uint8:
            return "uint8";
        case DataType::int8:
            return "int8";
        case DataType::uint16:
            return "uint16";
        case DataType::int16:
            return "int16";
        case DataType::int32:
            return "int32";
        case DataType::int64:
            return "int64";
        case DataType::string:
            return "string";
        case DataType::boolean:
            return "bool";
        case DataType::float16:
            return "float16";
        case DataType::float64:
            return "double";
        case DataType::uint32:
            return "uint32";
        case DataType::uint64:
            return "uint64";
        case DataType::bfloat16:
            return "bfloat16";
    }
    return "another type";
}

ModelProto OnnxDecoder::model() const {
    ModelProto out;
    Fields fields(file_, file_, "model");
    fields.each([&](std::uint32_t field) {
        switch (field) {
            case 1:
                out.ir_version = fields.integer();
                break;
            case 2:
                out.producer_name = fields.name();
                break;
            case 3:
                out.producer_version = fields.name();
                break;
            case 7:
                fields.only_once(out.has_graph);
                out.has_graph = true;
                out.graph = fields.bytes();
                break;
            case 8:
                fields.count(out.operator_sets.size(), kMostOperatorSets, "operator sets");
                out.operator_sets.push_back(operator_set(file_, fields.bytes()));
                break;
            case 25: {
                const std::string_view function = fields.bytes();
                if (out.has_functions) break;
                out.has_functions = true;
                Fields inside(file_, function, "local function");
                inside.each([&](std::uint32_t inner) {
                    if (inner == 1) out.first_function = inside.name();
                });
                break;
            }
            default:
                break;
        }
    });
    return out;
}

GraphProto OnnxDecoder::graph(std::string_view bytes) const {
    GraphProto out;
    Fields fields(file_, bytes, "graph");
    fields.each([&](std::uint32_t field) {
        switch (field) {
            case 1:
                fields.count(out.nodes.size(), most_nodes_, "nodes");
                out.nodes.push_back(fields.bytes());
                break;
            case 5:
                fields.count(out.initializers.size(), most_tensors_, "initializers");
                out.initializers.push_back(fields.bytes());
                break;
            case 11:
                fields.count(out.inputs.size(), kMostPorts, "inputs");
                out.inputs.push_back(fields.bytes());
                break;
            case 12:
                fields.count(out.outputs.size(), kMostPorts, "outputs");
                out.outputs.push_back(fields.bytes());
                break;
            case 15:
                out.has_sparse_initializer = true;
                out.sparse_initializer = fields.bytes();
                break;
            default:
                break;
        }
    });
    return out;
}

ValueInfoProto OnnxDecoder::value_info(std::string_view bytes) const {
    ValueInfoProto out;
    bool has_type = false;
    Fields fields(file_, bytes, "input or output");
    fields.each([&](std::uint32_t field) {
        if (field == 1) out.name = fields.name();
        if (field != 2) return;
        fields.only_once(has_type);
        has_type = true;
        Fields type(file_, fields.bytes(), "type");
        type.each([&](std::uint32_t kind) {
            if (kind != 1) return;  // sequences, maps, optionals and sparse tensors are no tensor
            type.only_once(out.is_tensor);
            out.is_tensor = true;
            tensor_type(file_, type.bytes(), out);
        });
    });
    return out;
}

NodeProto OnnxDecoder::node(std::string_view bytes) const {
    NodeProto out;
    Fields fields(file_, bytes, "node");
    fields.each([&](std::uint32_t field) {
        switch (field) {
            case 1:
                fields.count(out.inputs.size(), kMostNodeValues, "inputs");
                out.inputs.push_back(fields.name());
                break;
            case 2:
                fields.count(out.outputs.size(), kMostNodeValues, "outputs");
                out.outputs.push_back(fields.name());
                break;
            case 3:
                out.name = fields.name();
                break;
            case 4:
                out.op_type = fields.name();
                break;
            case 5:
                fields.count(out.attributes.size(), kMostAttributes, "attributes");
                out.attributes.push_back(fields.bytes());
                break;
            case 7:
                out.domain = fields.name();
                break;
            default:
                break;
        }
    });
    return out;
}

AttributeProto OnnxDecoder::attribute(std::string_view bytes) const {
    AttributeProto out;
    PackedProto reals, integers;
    Fields fields(file_, bytes, "attribute");
    fields.each([&](std::uint32_t field) {
        switch (field) {
            case 1:
                out.name = fields.name();
                break;
            case 2:
                out.real = fields.real();
                break;
            case 3:
                out.integer = fields.integer();
                break;
            case 4:
                out.text = fields.bytes();
                break;
            case 5:
                fields.only_once(out.tensor.data() != nullptr);
                out.tensor = fields.bytes();
                break;
            case 7:
                fields.packed(reals, pbf_wire_type::fixed32);
                break;
            case 8:
                fields.packed(integers, pbf_wire_type::varint);
                break;
            case 20:
                out.type = static_cast<AttributeType>(fields.enumeration());
                break;
            case 21:
                out.is_reference = !fields.name().empty();
                break;
            default:
                break;
        }
    });
    for (const std::string_view piece : reals.pieces) {
        if (piece.size() % sizeof(float) != 0)
            refuse(AUGUR_ERROR_INVALID_MODEL, "the attribute %s is damaged at offset %llu: half a number",
                   shown(out.name).c_str(), static_cast<unsigned long long>(offset_of(piece)));
        fields.count(out.reals.size() + piece.size() / sizeof(float), kMostListElements + 1, "numbers");
        const std::size_t first = out.reals.size();
        out.reals.resize(first + piece.size() / sizeof(float));
        if (!piece.empty()) std::memcpy(out.reals.data() + first, piece.data(), piece.size());
    }
    std::uint64_t count = 0;
    for (const std::string_view piece : integers.pieces)
        count += count_varints(piece);
    fields.count(count, kMostListElements + 1, "numbers");
    if (!read_varints(integers, count, out.integers))
        refuse(AUGUR_ERROR_INVALID_MODEL, "the attribute %s at offset %llu is damaged: a number does not end",
               shown(out.name).c_str(), static_cast<unsigned long long>(offset_of(bytes)));
    return out;
}

TensorProto OnnxDecoder::tensor(std::string_view bytes) const {
    TensorProto out;
    out.offset = offset_of(bytes);
    PackedProto dims;
    Fields fields(file_, bytes, "tensor");
    fields.each([&](std::uint32_t field) {
        switch (field) {
            case 1:
                fields.packed(dims, pbf_wire_type::varint);
                break;
            case 2:
                out.type = static_cast<DataType>(fields.enumeration());
                break;
            case 3:
                out.has_segment = true;
                break;
            case 4:
                fields.packed(out.floats, pbf_wire_type::fixed32);
                break;
            case 5:
                fields.packed(out.int32s, pbf_wire_type::varint);
                break;
            case 6:
                out.has_strings = true;
                break;
            case 7:
                fields.packed(out.int64s, pbf_wire_type::varint);
                break;
            case 8:
                out.name = fields.name();
                break;
            case 9:
                fields.only_once(out.has_raw);
                out.has_raw = true;
                out.raw = fields.bytes();
                break;
            case 10:
                fields.packed(out.doubles, pbf_wire_type::fixed64);
                break;
            case 11:
                fields.packed(out.uint64s, pbf_wire_type::varint);
                break;
            case 13:
                external_entry(file_, fields.bytes(), out);
                break;
            case 14:
                out.external = fields.enumeration() == 1;
                break;
            default:
                break;
        }
    });
    std::uint64_t rank = 0;
    for (const std::string_view piece : dims.pieces)
        rank += count_varints(piece);
    if (rank > kMostRank)
        refuse(AUGUR_ERROR_INVALID_MODEL, "the tensor %s at offset %llu has %llu dimensions, at most %zu are read",
               shown(out.name).c_str(), static_cast<unsigned long long>(out.offset),
               static_cast<unsigned long long>(rank), kMostRank);
    if (!read_varints(dims, rank, out.dims))
        refuse(AUGUR_ERROR_INVALID_MODEL, "the tensor %s at offset %llu is damaged: a dimension does not end",
               shown(out.name).c_str(), static_cast<unsigned long long>(out.offset));
    return out;
}

bool OnnxDecoder::read_varints(const PackedProto& packed, std::uint64_t count, std::vector<std::int64_t>& out) {
    std::uint64_t found = 0;
    for (const std::string_view piece : packed.pieces)
        found += count_varints(piece);
    if (found != count) return false;
    out.reserve(count);
    for (std::string_view piece : packed.pieces) {
        while (!piece.empty()) {
            std::uint64_t value = 0;
            if (!take_varint(piece, value)) return false;
            out.push_back(static_cast<std::int64_t>(value));
        }
    }
    return true;
}

}  // namespace augur::model
