// ResNet-18 at 224 x 224 as an ONNX file (He et al.: Deep Residual Learning for Image Recognition, 2015, table 1),
// batch norm folded into the convolutions, with made-up weights.
#ifndef AUGUR_TESTS_BENCH_RESNET_ONNX_H
#define AUGUR_TESTS_BENCH_RESNET_ONNX_H

#include <string>
#include <vector>

#include "support/onnx_writer.h"

namespace augur::bench {

inline std::string resnet18_onnx() {
    using test::Message;
    test::OnnxGraph net;
    std::uint64_t seed = 1;
    const auto random = [&seed](std::size_t count, float scale) {
        std::vector<float> values(count);
        for (float& v : values) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            v = (static_cast<float>(seed >> 40) / 8388608.0f - 1.0f) * scale;
        }
        return values;
    };
    const auto integers = [](std::string_view name, const std::vector<std::int64_t>& values) {
        Message attribute = Message().text(1, name).number(20, 7);
        for (const std::int64_t v : values)
            attribute.number(8, static_cast<std::uint64_t>(v));
        return attribute;
    };
    int count = 0;
    const auto conv = [&](const std::string& from, std::uint64_t in, std::uint64_t out, std::int64_t kernel,
                          std::int64_t stride) {
        const std::string w = test::numbered("w", count), b = test::numbered("b", count);
        const std::string y = test::numbered("conv", count++);
        const auto k = static_cast<std::uint64_t>(kernel);
        const float scale = 1.7f / static_cast<float>(std::max<std::uint64_t>(1, in * k * k / 16));
        net.weight(test::onnx_floats(w, {out, in, k, k}, random(out * in * k * k, scale)))
            .weight(test::onnx_floats(b, {out}, random(out, 0.1f)));
        const std::int64_t pad = kernel / 2;
        net.node(test::onnx_node("Conv", {from, w, b}, {y},
                                 {integers("strides", {stride, stride}), integers("pads", {pad, pad, pad, pad})}));
        return y;
    };
    const auto apply = [&](const char* op, const std::vector<std::string>& from,
                           const std::vector<Message>& with = {}) {
        const std::string y = test::numbered("t", count++);
        net.node(test::onnx_node(op, from, {y}, with));
        return y;
    };
    net.input("image", {3, 224, 224}).output("classes");
    std::string trunk = apply("Relu", {conv("image", 3, 64, 7, 2)});
    trunk = apply("MaxPool", {trunk},
                  {integers("kernel_shape", {3, 3}), integers("strides", {2, 2}), integers("pads", {1, 1, 1, 1})});
    std::uint64_t channels = 64;
    for (const std::uint64_t out : {64u, 128u, 256u, 512u}) {
        for (int block = 0; block < 2; ++block) {
            const std::int64_t stride = block == 0 && out != channels ? 2 : 1;
            const std::string shortcut = stride == 2 ? conv(trunk, channels, out, 1, 2) : trunk;
            const std::string inner = apply("Relu", {conv(trunk, channels, out, 3, stride)});
            trunk = apply("Relu", {apply("Add", {conv(inner, out, out, 3, 1), shortcut})});
            channels = out;
        }
    }
    trunk = apply("Flatten", {apply("GlobalAveragePool", {trunk})});
    net.weight(test::onnx_floats("last_w", {1000, 512}, random(512000, 0.05f)))
        .weight(test::onnx_floats("last_b", {1000}, random(1000, 0.1f)));
    net.node(test::onnx_node("Gemm", {trunk, "last_w", "last_b"}, {"classes"}, {test::onnx_integer("transB", 1)}));
    return net.model();
}

}  // namespace augur::bench

#endif
