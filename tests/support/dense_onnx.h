// Writes small ONNX files for tests: fully connected networks with as many outputs as wanted. The wire format is that
// of Protocol Buffers, field numbers those of onnx.proto3.
#ifndef AUGUR_TESTS_SUPPORT_DENSE_ONNX_H
#define AUGUR_TESTS_SUPPORT_DENSE_ONNX_H

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace augur::test {

class WireWriter {
  public:
    WireWriter& number(std::uint32_t field, std::uint64_t value) {
        varint(static_cast<std::uint64_t>(field) << 3);
        varint(value);
        return *this;
    }
    WireWriter& bytes(std::uint32_t field, const std::string& value) {
        varint((static_cast<std::uint64_t>(field) << 3) | 2);
        varint(value.size());
        out_ += value;
        return *this;
    }
    WireWriter& message(std::uint32_t field, const WireWriter& value) { return bytes(field, value.out_); }
    const std::string& text() const { return out_; }

  private:
    void varint(std::uint64_t value) {
        for (; value >= 128; value >>= 7)
            out_ += static_cast<char>((value & 127) | 128);
        out_ += static_cast<char>(value);
    }
    std::string out_;
};

// One head: a linear map of what the layers before it gave, and maybe an operator ("Tanh") on top.
struct DenseHead {
    std::string name;
    std::uint32_t size;
    std::string operation;
};

// input [batch, features] -> hidden layers with Relu -> heads. weight(layer, row, column): of layers in order, then
// heads; row == rows is the bias. With `second`, the last so many features are an input of their own, "action".
inline std::string write_dense_onnx(std::uint32_t features, const std::vector<std::uint32_t>& hidden,
                                    const std::vector<DenseHead>& heads,
                                    const std::function<float(std::uint32_t, std::uint32_t, std::uint32_t)>& weight,
                                    std::uint32_t second = 0) {
    WireWriter graph;
    const auto node = [&](const std::string& operation, const std::vector<std::string>& inputs,
                          const std::string& output) {
        WireWriter n;
        for (const std::string& name : inputs)
            n.bytes(1, name);
        n.bytes(2, output).bytes(3, "make_" + output).bytes(4, operation);
        graph.message(1, n);
    };
    const auto tensor = [&](const std::string& name, const std::vector<std::uint32_t>& dims,
                            const std::vector<float>& values) {
        WireWriter t;
        for (const std::uint32_t d : dims)
            t.number(1, d);
        t.number(2, 1).bytes(8, name);  // FLOAT
        t.bytes(9, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
        graph.message(5, t);
    };
    const auto port = [&](std::uint32_t field, const std::string& name, std::uint32_t size) {
        WireWriter batch, fixed, shape, type, value_type, info;
        batch.bytes(2, "batch");
        fixed.number(1, size);
        shape.message(1, batch).message(1, fixed);
        type.number(1, 1).message(2, shape);
        value_type.message(1, type);
        info.bytes(1, name).message(2, value_type);
        graph.message(field, info);
    };
    std::uint32_t layer = 0;
    const auto dense = [&](const std::string& input, std::uint32_t rows, std::uint32_t columns,
                           const std::string& output) {
        std::vector<float> w, b;
        for (std::uint32_t r = 0; r < rows; ++r)
            for (std::uint32_t c = 0; c < columns; ++c)
                w.push_back(weight(layer, r, c));
        for (std::uint32_t c = 0; c < columns; ++c)
            b.push_back(weight(layer, rows, c));
        tensor("w_" + output, {rows, columns}, w);
        tensor("b_" + output, {columns}, b);
        node("Gemm", {input, "w_" + output, "b_" + output}, output);
        ++layer;
    };
    graph.bytes(2, "dense");
    port(11, "state", features - second);
    std::string last = "state";
    if (second > 0) {
        port(11, "action", second);
        WireWriter concat, axis;
        axis.bytes(1, "axis").number(3, 1).number(20, 2);  // INT
        concat.bytes(1, "state").bytes(1, "action").bytes(2, "both").bytes(3, "make_both").bytes(4, "Concat");
        graph.message(1, concat.message(5, axis));
        last = "both";
    }
    std::uint32_t size = features;
    for (const std::uint32_t width : hidden) {
        const std::string name = "hidden" + std::to_string(layer);
        dense(last, size, width, name + "_sum");
        node("Relu", {name + "_sum"}, name);
        last = name;
        size = width;
    }
    for (const DenseHead& head : heads) {
        dense(last, size, head.size, head.operation.empty() ? head.name : head.name + "_sum");
        if (!head.operation.empty()) node(head.operation, {head.name + "_sum"}, head.name);
        port(12, head.name, head.size);
    }
    WireWriter opset, model;
    opset.bytes(1, "").number(2, 17);
    model.number(1, 8).bytes(2, "augur tests").message(7, graph).message(8, opset);
    return model.text();
}

}  // namespace augur::test

#endif
