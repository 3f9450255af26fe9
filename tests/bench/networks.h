// The networks that are measured, with made-up weights.
#ifndef AUGUR_TESTS_BENCH_NETWORKS_H
#define AUGUR_TESTS_BENCH_NETWORKS_H

#include <vector>

#include "support/network_zoo.h"

namespace augur::bench {

using test::NetworkBuilder;

// Dense layers of the given widths, relu between them.
inline NetworkBuilder dense_network(const std::vector<std::uint32_t>& widths) {
    test::SplitMix64 random(1);
    NetworkBuilder b;
    std::uint32_t from = b.input({widths[0]});
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const std::uint32_t k = widths[i - 1], n = widths[i];
        const auto to = b.tensor({n});
        core::NetworkStep& s = b.dense(from, to, k, n, test::layer_weights(random, static_cast<std::size_t>(k) * n, k),
                                       test::random_floats(random, n, -0.1f, 0.1f));
        if (i + 1 < widths.size()) s.activation = core::Activation::relu;
        from = to;
    }
    b.output(from);
    return b;
}

// ResNet-18 at 224 x 224 (He et al.: Deep Residual Learning for Image Recognition, 2015, table 1), batch norm folded.
inline NetworkBuilder resnet18() {
    test::SplitMix64 random(2);
    NetworkBuilder b;
    const auto conv = [&](std::uint32_t from, std::uint32_t channels, std::uint32_t out, std::uint32_t size,
                          std::uint32_t kernel, std::uint32_t stride, bool relu, std::uint32_t residual) {
        const core::NetworkWindow w =
            NetworkBuilder::window(channels, size, size, out, kernel, stride, static_cast<std::int32_t>(kernel / 2));
        const auto to = b.tensor({out, w.out_height, w.out_width});
        const std::size_t k = static_cast<std::size_t>(channels) * kernel * kernel;
        core::NetworkStep& s =
            b.conv(from, to, w, test::layer_weights(random, out * k, k), test::random_floats(random, out, -0.1f, 0.1f));
        s.residual = residual;
        if (relu) s.activation = core::Activation::relu;
        return to;
    };
    const auto x = b.input({3, 224, 224});
    auto trunk = conv(x, 3, 64, 224, 7, 2, true, core::kNoTensor);
    const auto pooled = b.tensor({64, 56, 56});
    b.step(core::NetworkOp::max_pool, trunk, pooled).window = NetworkBuilder::window(64, 112, 112, 64, 3, 2, 1);
    trunk = pooled;
    std::uint32_t channels = 64;
    std::uint32_t size = 56;
    for (const std::uint32_t out : {64u, 128u, 256u, 512u}) {
        for (std::uint32_t block = 0; block < 2; ++block) {
            const std::uint32_t stride = block == 0 && out != channels ? 2 : 1;
            const auto residual = stride == 2 ? conv(trunk, channels, out, size, 1, 2, false, core::kNoTensor) : trunk;
            const auto inner = conv(trunk, channels, out, size, 3, stride, true, core::kNoTensor);
            size /= stride;
            trunk = conv(inner, out, out, size, 3, 1, true, residual);
            channels = out;
        }
    }
    const auto means = b.tensor({512});
    b.step(core::NetworkOp::reduce_mean, trunk, means).axis = {512, 49, 1};
    const auto y = b.tensor({1000});
    b.dense(means, y, 512, 1000, test::layer_weights(random, 512000, 512), test::random_floats(random, 1000));
    b.output(y);
    return b;
}

}  // namespace augur::bench

#endif
