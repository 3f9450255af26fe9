// Writes ONNX files by hand, byte by byte: enough to say things that no exporter would.
#ifndef AUGUR_TESTS_SUPPORT_ONNX_WRITER_H
#define AUGUR_TESTS_SUPPORT_ONNX_WRITER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace augur::test {

// A protobuf message under construction. Field numbers are those of onnx.proto.
class Message {
  public:
    Message& number(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(value);
        return *this;
    }
    Message& text(std::uint32_t field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        bytes_.append(value);
        return *this;
    }
    // The head of a field whose size_bytes bytes are put behind it by the caller.
    Message& head(std::uint32_t field, std::uint64_t size_bytes) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(size_bytes);
        return *this;
    }
    Message& real(std::uint32_t field, float value) {
        varint(std::uint64_t{field} << 3 | 5);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Message& add(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
    const std::string& bytes() const { return bytes_; }

  private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

// "x12"
inline std::string numbered(std::string_view prefix, int number) {
    std::string text(prefix);
    return text.append(std::to_string(number));
}

inline Message onnx_tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::int32_t type,
                           std::string_view raw) {
    Message tensor;
    for (const std::uint64_t dim : dims)
        tensor.number(1, dim);
    return tensor.number(2, static_cast<std::uint64_t>(type)).text(8, name).text(9, raw);
}

inline Message onnx_floats(std::string_view name, const std::vector<std::uint64_t>& dims,
                           const std::vector<float>& values) {
    return onnx_tensor(name, dims, 1, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

inline Message onnx_integers(std::string_view name, const std::vector<std::int64_t>& values) {
    return onnx_tensor(name, {values.size()}, 7,
                       {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)});
}

inline Message onnx_node(std::string_view op, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {}) {
    Message node;
    for (const std::string& input : inputs)
        node.text(1, input);
    for (const std::string& output : outputs)
        node.text(2, output);
    node.text(4, op);
    for (const Message& attribute : attributes)
        node.add(5, attribute);
    return node;
}

inline Message onnx_integer(std::string_view name, std::int64_t value) {
    return Message().text(1, name).number(3, static_cast<std::uint64_t>(value)).number(20, 2);
}

// An input or output: [batch][row...] of floats.
inline Message onnx_port(std::string_view name, const std::vector<std::uint64_t>& row) {
    Message shape;
    shape.add(1, Message().text(2, "N"));
    for (const std::uint64_t dim : row)
        shape.add(1, Message().number(1, dim));
    return Message().text(1, name).add(2, Message().add(1, Message().number(1, 1).add(2, shape)));
}

struct OnnxGraph {
    Message graph;
    OnnxGraph& node(const Message& node) {
        graph.add(1, node);
        return *this;
    }
    OnnxGraph& weight(const Message& tensor) {
        graph.add(5, tensor);
        return *this;
    }
    OnnxGraph& input(std::string_view name, const std::vector<std::uint64_t>& row) {
        graph.add(11, onnx_port(name, row));
        return *this;
    }
    OnnxGraph& output(std::string_view name) {
        graph.add(12, Message().text(1, name));
        return *this;
    }
    std::string model(std::uint64_t opset = 17) const {
        return Message().number(1, 8).add(7, graph).add(8, Message().text(1, "").number(2, opset)).bytes();
    }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_ONNX_WRITER_H
