// Networks that between them use every operator in every way that backends tell apart.

#ifndef AUGUR_TESTS_SUPPORT_NETWORK_ZOO_H
#define AUGUR_TESTS_SUPPORT_NETWORK_ZOO_H

#include <algorithm>
#include <numeric>
#include <string>

#include "support/network_builder.h"

namespace augur::test {

struct ZooNetwork {
    std::string name;
    NetworkBuilder network;
};

// 42-128-128-8 with a value beside the policy: what a board game uses.
inline NetworkBuilder board_mlp(core::Activation activation, std::uint32_t in = 42, std::uint32_t hidden = 128) {
    SplitMix64 random(1);
    NetworkBuilder b;
    const auto x = b.input({in});
    const auto h1 = b.tensor({hidden});
    const auto h2 = b.tensor({hidden});
    const auto policy = b.tensor({7});
    const auto value = b.tensor({1});
    b.dense(x, h1, in, hidden, layer_weights(random, in * hidden, in), random_floats(random, hidden, -0.1f, 0.1f))
        .activation = activation;
    b.dense(h1, h2, hidden, hidden, layer_weights(random, hidden * hidden, hidden),
            random_floats(random, hidden, -0.1f, 0.1f))
        .activation = activation;
    b.dense(h2, policy, hidden, 7, layer_weights(random, hidden * 7, hidden), random_floats(random, 7));
    b.dense(h2, value, hidden, 1, layer_weights(random, hidden, hidden), random_floats(random, 1)).activation =
        core::Activation::tanh;
    for (std::uint32_t s = 0; s < 2; ++s) {
        b.step_at(s).alpha = activation == core::Activation::clip ? -0.25f : 0.2f;
        b.step_at(s).beta = 0.5f;
    }
    b.output(policy, core::NetworkHead::policy);
    b.output(value, core::NetworkHead::value);
    return b;
}

// Two residual blocks over a board, policy by a 1 x 1 convolution, value by pooling.
inline NetworkBuilder board_resnet(std::uint32_t channels = 24, std::uint32_t height = 6, std::uint32_t width = 7) {
    SplitMix64 random(2);
    NetworkBuilder b;
    const auto window = [&](std::uint32_t from, std::uint32_t to, std::uint32_t kernel) {
        return NetworkBuilder::window(from, height, width, to, kernel, 1, static_cast<std::int32_t>(kernel / 2));
    };
    const auto add = [&](std::uint32_t a, std::uint32_t to, std::uint32_t c_in, std::uint32_t c_out,
                         std::uint32_t kernel) -> core::NetworkStep& {
        const std::uint32_t k = c_in * kernel * kernel;
        return b.conv(a, to, window(c_in, c_out, kernel), layer_weights(random, c_out * k, k),
                      random_floats(random, c_out, -0.1f, 0.1f));
    };
    const auto x = b.input({3, height, width});
    auto trunk = b.tensor({channels, height, width});
    add(x, trunk, 3, channels, 3).activation = core::Activation::relu;
    for (int block = 0; block < 2; ++block) {
        const auto inner = b.tensor({channels, height, width});
        const auto sum = b.tensor({channels, height, width});
        add(trunk, inner, channels, channels, 3).activation = core::Activation::relu;
        core::NetworkStep& second = add(inner, sum, channels, channels, 3);
        second.residual = trunk;
        second.activation = core::Activation::relu;
        trunk = sum;
    }
    const auto planes = b.tensor({2, height, width});
    add(trunk, planes, channels, 2, 1).activation = core::Activation::relu;
    const auto policy = b.tensor({width});
    b.dense(planes, policy, 2 * height * width, width,
            layer_weights(random, 2 * height * width * width, 2 * height * width), random_floats(random, width));
    const auto pooled = b.tensor({channels});
    b.step(core::NetworkOp::reduce_mean, trunk, pooled).axis = {channels, height * width, 1};
    const auto value = b.tensor({1});
    b.dense(pooled, value, channels, 1, layer_weights(random, channels, channels), {0.1f}).activation =
        core::Activation::tanh;
    b.output(policy, core::NetworkHead::policy);
    b.output(value, core::NetworkHead::value);
    return b;
}

// One convolution with the given window, weights of its size.
inline NetworkBuilder one_conv(core::NetworkWindow w, core::Activation activation, bool residual) {
    SplitMix64 random(w.channels * 7 + w.kernel_h);
    NetworkBuilder::size(w);
    NetworkBuilder b;
    const std::uint32_t k = w.channels / w.groups * w.kernel_h * w.kernel_w;
    const auto x = b.input({w.channels, w.height, w.width});
    const auto y = b.tensor({w.out_channels, w.out_height, w.out_width});
    const auto r = residual ? b.input({w.out_channels, w.out_height, w.out_width}) : core::kNoTensor;
    core::NetworkStep& s = b.conv(x, y, w, layer_weights(random, static_cast<std::size_t>(w.out_channels) * k, k),
                                  random_floats(random, w.out_channels));
    s.activation = activation;
    s.alpha = 0.1f;
    s.residual = r;
    b.output(y);
    return b;
}

inline NetworkBuilder one_pool(core::NetworkOp op, core::NetworkWindow w, bool rounded_up = false) {
    NetworkBuilder::size(w);
    if (rounded_up) {
        ++w.out_height;
        ++w.out_width;
    }
    NetworkBuilder b;
    const auto x = b.input({w.channels, w.height, w.width});
    const auto y = b.tensor({w.channels, w.out_height, w.out_width});
    b.step(op, x, y).window = w;
    b.output(y);
    return b;
}

// Attention over 5 tokens of 8, layer norms, softmax: what transformers are made of.
inline NetworkBuilder attention() {
    SplitMix64 random(3);
    NetworkBuilder b;
    const std::uint32_t tokens = 5, width = 8;
    const auto x = b.input({tokens, width});
    const auto normal = b.tensor({tokens, width});
    core::NetworkStep& norm = b.step(core::NetworkOp::layer_norm, x, normal);
    norm.axis = {tokens, width, 1};
    norm.epsilon = 1e-5f;
    const auto norm_w = b.add_weights(random_floats(random, width, 0.5f, 1.5f));
    const auto norm_b = b.add_weights(random_floats(random, width));
    b.step_at(0).weights = norm_w;
    b.step_at(0).bias = norm_b;
    std::uint32_t parts[3];
    for (auto& part : parts) {
        part = b.tensor({tokens, width});
        b.dense(normal, part, width, width, layer_weights(random, width * width, width), random_floats(random, width));
    }
    const auto keys = b.tensor({width, tokens});
    std::vector<std::int32_t> transpose;
    for (std::uint32_t i = 0; i < width; ++i)
        for (std::uint32_t t = 0; t < tokens; ++t)
            transpose.push_back(static_cast<std::int32_t>(t * width + i));
    b.rearrange(parts[1], keys, transpose);
    const auto scores = b.tensor({tokens, tokens});
    core::NetworkStep& score = b.step(core::NetworkOp::matmul, parts[0], scores);
    score.inputs[1] = keys;
    score.groups = 1;
    score.m = score.n = tokens;
    score.k = width;
    const auto root = b.constant({1}, {0.35355338f});
    const auto scaled = b.tensor({tokens, tokens});
    b.binary(core::BinaryOp::multiply, scores, root, scaled);
    const auto weights = b.tensor({tokens, tokens});
    b.step(core::NetworkOp::softmax, scaled, weights).axis = {tokens, tokens, 1};
    const auto mixed = b.tensor({tokens, width});
    core::NetworkStep& mix = b.step(core::NetworkOp::matmul, weights, mixed);
    mix.inputs[1] = parts[2];
    mix.groups = 1;
    mix.m = tokens;
    mix.k = tokens;
    mix.n = width;
    const auto sum = b.tensor({tokens, width});
    b.binary(core::BinaryOp::add, mixed, x, sum);
    const auto soft = b.tensor({tokens, width});
    b.step(core::NetworkOp::log_softmax, sum, soft).axis = {1, tokens, width};  // across tokens
    b.output(soft);
    b.output(weights);
    return b;
}

// Every binary operator with every way of broadcasting, some in place.
inline NetworkBuilder binaries() {
    SplitMix64 random(4);
    NetworkBuilder b;
    const auto x = b.input({3, 4, 5});
    const auto y = b.input({4, 1});
    const auto row = b.constant({5}, random_floats(random, 5, 0.5f, 2.0f));
    const auto channel = b.constant({3, 1, 1}, random_floats(random, 3, 0.5f, 2.0f));
    const auto two = b.constant({1}, {2.0f});
    const auto sum = b.tensor({3, 4, 5});
    b.binary(core::BinaryOp::add, x, y, sum).activation = core::Activation::softplus;
    b.binary(core::BinaryOp::multiply, sum, row, sum);
    b.binary(core::BinaryOp::subtract, sum, channel, sum);
    const auto square = b.tensor({3, 4, 5});
    b.binary(core::BinaryOp::power, sum, two, square);
    const auto ratio = b.tensor({3, 4, 5});
    b.binary(core::BinaryOp::divide, row, square, ratio).activation = core::Activation::tanh;
    const auto least = b.tensor({3, 4, 5});
    b.binary(core::BinaryOp::minimum, ratio, x, least);
    b.binary(core::BinaryOp::maximum, least, y, least);
    b.output(least);
    b.output(sum);
    return b;
}

// Concatenation, padding and slicing as maps, with an activation on one part.
inline NetworkBuilder rearrangements() {
    NetworkBuilder b;
    const auto x = b.input({2, 3});
    const auto y = b.input({4});
    const auto joined = b.tensor({12});
    core::NetworkStep& padded = b.rearrange(x, joined, {-1, 0, 1, 2, -1, 3, 4, 5});
    padded.fill = 0.5f;
    padded.activation = core::Activation::elu;
    padded.alpha = 1.0f;
    b.rearrange(y, joined, {3, 2, 1, 0}, 8);
    const auto every_other = b.tensor({6});
    b.rearrange(joined, every_other, {0, 2, 4, 6, 8, 10});
    b.output(every_other);
    b.output(joined);
    return b;
}

// Everything between weights that integers can do: tables, broadcast sums, products, quotients by constants, the lesser
// and greater, means, parts of different scales side by side, some in place.
inline NetworkBuilder between_weights() {
    SplitMix64 random(7);
    NetworkBuilder b;
    const auto x = b.input({3, 8});
    const auto h = b.tensor({3, 8});
    b.dense(x, h, 8, 8, layer_weights(random, 64, 8), random_floats(random, 8)).activation = core::Activation::gelu;
    const auto t = b.tensor({3, 8});
    b.step(core::NetworkOp::unary, h, t).activation = core::Activation::tanh;
    const auto u = b.tensor({3, 8});
    b.binary(core::BinaryOp::add, h, t, u).activation = core::Activation::relu;
    const auto row = b.constant({8}, random_floats(random, 8, 0.5f, 2.0f));
    const auto divisor = b.constant({3, 1}, {2.0f, -4.0f, 8.0f});
    b.binary(core::BinaryOp::multiply, u, row, u);
    const auto v = b.tensor({3, 8});
    b.binary(core::BinaryOp::divide, u, divisor, v).activation = core::Activation::sigmoid;
    const auto mean = b.tensor({8});
    b.step(core::NetworkOp::reduce_mean, h, mean).axis = {1, 3, 8};
    const auto w = b.tensor({3, 8});
    b.binary(core::BinaryOp::subtract, mean, v, w);
    b.binary(core::BinaryOp::minimum, w, t, w);
    core::NetworkStep& greatest = b.binary(core::BinaryOp::maximum, w, mean, w);
    greatest.activation = core::Activation::clip;
    greatest.alpha = -0.25f;
    greatest.beta = 0.75f;
    const auto joined = b.tensor({36});
    std::vector<std::int32_t> all(24);
    std::iota(all.begin(), all.end(), 0);
    b.rearrange(w, joined, all).activation = core::Activation::exp;
    core::NetworkStep& padded = b.rearrange(h, joined, {0, 5, -1, 7, -1, 9, 23, 22, 21, 20, 19, 18}, 24);
    padded.fill = 0.3f;
    padded.activation = core::Activation::negate;
    b.output(joined);
    b.output(v);
    return b;
}

inline NetworkBuilder every_activation() {
    SplitMix64 random(5);
    NetworkBuilder b;
    const auto x = b.input({37});
    for (const auto activation :
         {core::Activation::gelu, core::Activation::gelu_tanh, core::Activation::sigmoid, core::Activation::elu,
          core::Activation::hard_swish, core::Activation::softplus, core::Activation::square_root}) {
        const auto y = b.tensor({37});
        core::NetworkStep& s = b.dense(x, y, 37, 37, layer_weights(random, 37 * 37, 37), random_floats(random, 37));
        s.activation = activation;
        s.alpha = activation == core::Activation::square_root ? 0.0f : 0.7f;
        b.output(y);
    }
    const auto z = b.tensor({37});
    b.step(core::NetworkOp::unary, x, z).activation = core::Activation::erf;
    b.step(core::NetworkOp::unary, z, z).activation = core::Activation::exp;  // in place
    b.output(z);
    return b;
}

// A dense layer over 6 rows of one batch row, with a residual, of sizes that are multiples of nothing.
inline NetworkBuilder wide_dense(std::uint32_t k, std::uint32_t n, std::uint32_t m) {
    SplitMix64 random(k * 100 + n);
    NetworkBuilder b;
    const auto x = b.input({m, k});
    const auto r = b.input({m, n});
    const auto y = b.tensor({m, n});
    core::NetworkStep& s = b.dense(x, y, k, n, layer_weights(random, static_cast<std::size_t>(k) * n, k));
    s.residual = r;
    s.activation = core::Activation::clip;
    s.alpha = -0.5f;
    s.beta = 1.0f;
    b.output(y);
    return b;
}

// What the network gives, as numbers in the middle of a larger one: a dense layer makes five outputs of it.
inline NetworkBuilder then_dense(NetworkBuilder b) {
    SplitMix64 random(6);
    const auto x = b.take_outputs().front();
    const auto y = b.tensor({5});
    const std::uint32_t k = b.at(x).count;
    b.dense(x, y, k, 5, layer_weights(random, static_cast<std::size_t>(k) * 5, k), random_floats(random, 5));
    b.output(y);
    return b;
}

inline std::vector<ZooNetwork> network_zoo() {
    using core::Activation;
    using core::NetworkOp;
    std::vector<ZooNetwork> zoo;
    const auto add = [&](std::string name, NetworkBuilder network) {
        zoo.push_back({std::move(name), std::move(network)});
    };
    add("mlp relu", board_mlp(Activation::relu));
    add("mlp tanh", board_mlp(Activation::tanh));
    add("mlp clip, odd sizes", board_mlp(Activation::clip, 43, 77));
    add("mlp leaky, small", board_mlp(Activation::leaky_relu, 3, 5));
    add("board resnet", board_resnet());
    add("wide board resnet", board_resnet(33, 3, 3));
    for (const std::uint32_t n : {1u, 8u, 15u, 16u, 17u, 33u, 49u, 64u, 130u})
        add("dense to " + std::to_string(n), wide_dense(29, n, 6));
    const auto window = [](auto... sizes) { return NetworkBuilder::window(sizes...); };
    add("conv 7x7 stride 2", one_conv(window(3, 31, 29, 16, 7, 2, 3), Activation::relu, false));
    add("conv 3x3 stride 2, residual", one_conv(window(5, 9, 9, 11, 3, 2, 1), Activation::leaky_relu, true));
    add("conv 1x1 stride 3", one_conv(window(6, 10, 10, 20, 1, 3), Activation::none, false));
    add("conv of 150 channels", one_conv(window(150, 5, 4, 19, 3, 1, 1), Activation::relu, true));
    add("conv on 40 columns", one_conv(window(2, 3, 40, 9, 3, 1, 1), Activation::sigmoid, true));
    {
        core::NetworkWindow w = window(6, 8, 9, 12, 3, 1, 2);
        w.groups = 3;
        w.dilation_h = w.dilation_w = 2;
        add("conv groups, dilation", one_conv(w, Activation::relu, false));
        w.pad_top = 0;
        w.pad_left = 3;
        w.kernel_w = 5;
        w.stride_w = 2;
        add("conv uneven", one_conv(w, Activation::none, true));
        w.groups = 6;
        add("depthwise conv", one_conv(w, Activation::relu, true));
        core::NetworkWindow plain = window(6, 8, 9, 6, 3, 1, 1);
        plain.groups = 6;
        add("plain depthwise conv", one_conv(plain, Activation::gelu, false));
    }
    add("max pool", one_pool(NetworkOp::max_pool, window(3, 9, 8, 3, 3, 2, 1)));
    add("max pool stride 1", one_pool(NetworkOp::max_pool, window(3, 9, 8, 3, 2)));
    add("max pool stride 3", one_pool(NetworkOp::max_pool, window(2, 10, 11, 2, 3, 3, 1)));
    add("average pool", one_pool(NetworkOp::average_pool, window(3, 9, 8, 3, 3, 2, 1)));
    {
        core::NetworkWindow w = window(3, 9, 8, 3, 3, 2, 1);
        w.count_pad = 1;
        add("average pool counting padding", one_pool(NetworkOp::average_pool, w));
        w = window(2, 7, 7, 2, 2, 2);
        w.count_pad = 1;
        add("average pool rounded up", one_pool(NetworkOp::average_pool, w, true));
        w = window(4, 6, 7, 4, 6);
        w.kernel_w = 7;
        add("global average pool", one_pool(NetworkOp::average_pool, w));
    }
    add("attention", attention());
    add("binaries", binaries());
    add("rearrangements", rearrangements());
    add("between weights", between_weights());
    add("every activation", every_activation());
    return zoo;
}

// Inputs and outputs of a batch.
struct Batch {
    std::vector<Floats> inputs, outputs;
    std::uint32_t rows;

    Batch(const core::NetworkView& net, std::uint32_t row_count, std::uint64_t seed) : rows(row_count) {
        SplitMix64 random(seed);
        for (std::uint32_t i = 0; i < net.input_count; ++i)
            inputs.push_back(random_floats(random, static_cast<std::size_t>(rows) * net.tensors[net.inputs[i]].count));
        for (std::uint32_t o = 0; o < net.output_count; ++o)
            outputs.emplace_back(static_cast<std::size_t>(rows) * net.tensors[net.outputs[o]].count, -777.0f);
    }
    std::vector<const float*> in(const core::NetworkView& net, std::uint32_t first = 0) const {
        std::vector<const float*> pointers;
        for (std::uint32_t i = 0; i < net.input_count; ++i)
            pointers.push_back(inputs[i].data() + static_cast<std::size_t>(first) * net.tensors[net.inputs[i]].count);
        return pointers;
    }
    std::vector<float*> out(const core::NetworkView& net, std::uint32_t first = 0) {
        std::vector<float*> pointers;
        for (std::uint32_t o = 0; o < net.output_count; ++o)
            pointers.push_back(outputs[o].data() + static_cast<std::size_t>(first) * net.tensors[net.outputs[o]].count);
        return pointers;
    }
};

}  // namespace augur::test

#endif
