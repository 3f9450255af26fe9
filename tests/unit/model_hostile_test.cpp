// Files that mean no good: cut, flipped, random, endless, nested, or small files that ask for much. Whatever comes in,
// the importer answers with a result and a message, in little time and memory, and what it loads keeps every promise.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "model/onnx.h"
#include "model/reference.h"
#include "support/network_check.h"
#include "support/onnx_cases.h"
#include "support/onnx_writer.h"
#include "support/split_mix.h"

namespace augur {
namespace {

using test::Message;
using test::numbered;
using test::onnx_floats;
using test::onnx_integer;
using test::onnx_integers;
using test::onnx_node;
using test::OnnxGraph;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

augur_result load(const std::string& bytes, model::Network* network, std::string& message,
                  const model::ImportOptions& options = {}) {
    return model::load_onnx({bytes.data(), bytes.size(), ""}, options, network, message);
}

// Loads and checks what must hold of any answer.
augur_result answer(const std::string& bytes, std::string* said = nullptr, const model::ImportOptions& options = {}) {
    model::Network network;
    std::string message;
    const augur_result result = load(bytes, &network, message, options);
    if (result == AUGUR_OK) {
        EXPECT_EQ(test::broken_promise(network), "");
    } else {
        EXPECT_LT(result, 0);
        EXPECT_NE(result, AUGUR_ERROR_INTERNAL) << message;
        EXPECT_FALSE(message.empty());
        EXPECT_TRUE(network.tensors.empty() && network.weights.empty() && network.inputs.empty());
    }
    if (said != nullptr) *said = message;
    return result;
}

std::string stored(const std::string& family, const std::string& name) {
    for (const auto& each : test::read_onnx_cases(AUGUR_SOURCE_DIR "/tests/data/onnx_ops"))
        if (each.family == family && each.name == name) return each.model;
    ADD_FAILURE() << "no case " << name;
    return "";
}

TEST(HostileModel, CutAtAnyByteIsRefusedAsDamaged) {
    for (const char* name : {"mlp_fixed_batch/13", "board/14"}) {
        const std::string whole = stored("models", name);
        ASSERT_EQ(answer(whole), AUGUR_OK);
        // Every byte of the small one, every seventh of the large one.
        for (std::size_t size = 0; size<whole.size(); size += whole.size()> 4000 ? 7 : 1) {
            std::string said;
            ASSERT_EQ(answer(whole.substr(0, size), &said), AUGUR_ERROR_INVALID_MODEL) << size << ": " << said;
        }
    }
}

TEST(HostileModel, EveryFlippedBitGetsAnAnswer) {
    std::string bytes = stored("files", "graph/scale_and_shift");
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const char before = bytes[bit / 8];
        bytes[bit / 8] = static_cast<char>(before ^ (1 << (bit % 8)));
        refused += answer(bytes) != AUGUR_OK ? 1 : 0;
        bytes[bit / 8] = before;
        if (HasFailure()) FAIL() << "bit " << bit;
    }
    // Most of what is flipped are weights and texts, which may be anything.
    EXPECT_GT(refused, bytes.size());
}

TEST(HostileModel, EveryByteReplacedGetsAnAnswer) {
    for (const char* name : {"graph/gelu_gate_halved", "output/in_between"}) {
        std::string bytes = stored("files", name);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
                const char before = bytes[i];
                bytes[i] = static_cast<char>(value);
                answer(bytes);
                bytes[i] = before;
                if (HasFailure()) FAIL() << name << ", byte " << i << " = " << value;
            }
    }
}

TEST(HostileModel, RandomBytesAreRefused) {
    test::SplitMix64 random(3);
    for (int i = 0; i < 20000; ++i) {
        std::string bytes(1 + random.next() % 300, '\0');
        for (char& c : bytes)
            c = static_cast<char>(random.next());
        ASSERT_NE(answer(bytes), AUGUR_OK);
    }
}

TEST(HostileModel, OtherKindsOfFilesAreNamed) {
    using namespace std::string_literals;
    const std::pair<std::string, const char*> files[] = {
        {"PK\3\4\x14\0\0\0"s + std::string(500, 'x'), "zip"},
        {"\x80\2}q\0."s + std::string(500, 'x'), "pickle"},
        {"\x80\4\x95"s + std::string(500, 'x'), "pickle"},
        {"\x1f\x8b\x08"s + std::string(500, 'x'), "gzip"},
        {"\x89HDF\r\n\x1a\n"s, "HDF5"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"s, "Git LFS"},
        {"<!DOCTYPE html><html></html>"s, ""},
        {std::string(1000, '\0'), ""},
        {std::string(1000, '\xff'), ""},
        {"\x89PNG\r\n\x1a\n"s, ""},
        {"a"s, ""},
    };
    for (const auto& [bytes, word] : files) {
        std::string said;
        EXPECT_EQ(answer(bytes, &said), AUGUR_ERROR_INVALID_MODEL) << said;
        EXPECT_NE(said.find(word), std::string::npos) << said;
    }
    EXPECT_EQ(answer(""), AUGUR_ERROR_INVALID_MODEL);
}

// What was once found by the fuzzer in tests/fuzz/onnx_fuzz.cpp, or is like it.
TEST(HostileModel, WhatTheFuzzerFoundStaysFixed) {
    for (const auto& entry : std::filesystem::directory_iterator(AUGUR_SOURCE_DIR "/tests/fuzz/onnx_regressions")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        answer(bytes);
        EXPECT_FALSE(HasFailure()) << entry.path();
    }
}

// Runs in a process of its own, so that its time and memory can be told.
struct Cost {
    augur_result result;
    double seconds;
    double megabytes;  // at most, beyond what the process had before
};

struct Usage {
    int status;
    rusage usage;
};

Usage in_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    Usage usage{};
    wait4(child, &usage.status, 0, &usage.usage);
    return usage;
}

Cost cost_of(const std::string& bytes, const model::ImportOptions& options = {}) {
    const Usage nothing = in_child([] { return 0; });
    const Usage used = in_child([&] {
        model::Network network;
        std::string message;
        return -load(bytes, &network, message, options);
    });
    EXPECT_TRUE(WIFEXITED(used.status));
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {static_cast<augur_result>(-WEXITSTATUS(used.status)),
            seconds(used.usage.ru_utime) + seconds(used.usage.ru_stime),
            static_cast<double>(used.usage.ru_maxrss - nothing.usage.ru_maxrss) / 1024.0};
}

// A second of work at most, and no more memory than a small multiple of the file beside what any file may make.
void expect_cheap(const std::string& bytes, augur_result result, const model::ImportOptions& options = {}) {
    const Cost cost = cost_of(bytes, options);
    EXPECT_EQ(cost.result, result);
    if (kSanitized) return;
    EXPECT_LT(cost.seconds, 1.0);
    const double file = static_cast<double>(bytes.size()) / 1e6;
    EXPECT_LT(cost.megabytes, 16.0 * file + 200.0);
}

OnnxGraph begin(const std::vector<std::uint64_t>& row) {
    OnnxGraph graph;
    graph.input("x", row);
    return graph;
}

TEST(HostileModel, AMillionNodesAreBeyondTheLimit) {
    OnnxGraph graph = begin({3});
    for (int i = 0; i < 1000000; ++i)
        graph.node(onnx_node("Relu", {i == 0 ? "x" : numbered("r", i - 1)}, {numbered("r", i)}));
    expect_cheap(graph.output("r999999").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, AMillionInitializersAreBeyondTheLimit) {
    OnnxGraph graph = begin({3});
    for (int i = 0; i < 1000000; ++i)
        graph.weight(onnx_floats(numbered("w", i), {}, {1.0f}));
    expect_cheap(graph.node(onnx_node("Relu", {"x"}, {"y"})).output("y").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, AsManyNodesAsAllowedLoadInASecond) {
    OnnxGraph graph = begin({3});
    for (int i = 0; i < 65536; ++i)
        graph.node(onnx_node(i % 2 == 0 ? "Exp" : "Neg", {i == 0 ? "x" : numbered("r", i - 1)}, {numbered("r", i)}));
    expect_cheap(graph.output("r65535").model(), AUGUR_OK);
}

TEST(HostileModel, EmptyMessagesCostLittle) {
    // Two bytes each: nodes, initializers, inputs, outputs, attributes without anything inside.
    for (const int field : {1, 5, 11, 12}) {
        Message graph;
        for (int i = 0; i < 2000000; ++i)
            graph.text(static_cast<std::uint32_t>(field), "");
        const std::string bytes = Message().number(1, 8).add(7, graph).add(8, Message().number(2, 17)).bytes();
        expect_cheap(bytes, AUGUR_ERROR_LIMIT);
    }
    Message node = onnx_node("Relu", {"x"}, {"y"});
    for (int i = 0; i < 2000000; ++i)
        node.text(5, "");
    expect_cheap(begin({3}).node(node).output("y").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, NumbersOneByOneCostLittle) {
    // Repeated fields that are not packed, as old writers made them.
    Message dims;
    for (int i = 0; i < 4000000; ++i)
        dims.number(1, 1);
    expect_cheap(
        begin({3}).weight(dims.number(2, 1).text(8, "w")).node(onnx_node("Relu", {"x"}, {"y"})).output("y").model(),
        AUGUR_ERROR_INVALID_MODEL);
    Message values;
    for (int i = 0; i < 2000000; ++i)
        values.number(7, 1);
    values.number(1, 2000000).number(2, 7).text(8, "w");
    expect_cheap(begin({3}).weight(values).node(onnx_node("Relu", {"x"}, {"y"})).output("y").model(), AUGUR_OK);
}

// Messages one inside the other: heads are made from the inside out, each knowing the size of what it holds.
std::string nested(int levels, std::string inside, const std::function<std::string(std::uint64_t)>& head_of) {
    std::vector<std::string> heads;
    std::uint64_t size = inside.size();
    for (int i = 0; i < levels; ++i) {
        heads.push_back(head_of(size));
        size += heads.back().size();
    }
    std::string all;
    for (auto head = heads.rbegin(); head != heads.rend(); ++head)
        all += *head;
    return all + inside;
}

TEST(HostileModel, NestedGraphsAreNotEntered) {
    const std::string body =
        nested(10000, Message().add(1, onnx_node("Relu", {"x"}, {"y"})).bytes(), [](std::uint64_t size) {
            const std::string attribute = Message().text(1, "body").number(20, 5).head(6, size).bytes();
            const std::string node = onnx_node("Loop", {"c"}, {"y"}).head(5, attribute.size() + size).bytes();
            return Message().head(1, node.size() + attribute.size() + size).bytes() + node + attribute;
        });
    OnnxGraph graph = begin({3});
    graph.node(onnx_node("Loop", {"x"}, {"y"}, {Message().text(1, "body").text(6, body).number(20, 5)})).output("y");
    std::string said;
    EXPECT_EQ(answer(graph.model(), &said), AUGUR_ERROR_UNSUPPORTED_OPERATOR) << said;
    EXPECT_NE(said.find("'Loop'"), std::string::npos) << said;
    expect_cheap(graph.model(), AUGUR_ERROR_UNSUPPORTED_OPERATOR);
}

TEST(HostileModel, NestedTypesAreNotEntered) {
    // A sequence of sequences of sequences.
    const std::string type = nested(10000, Message().add(1, Message().number(1, 1)).bytes(), [](std::uint64_t size) {
        const std::string element = Message().head(1, size).bytes();
        return Message().head(4, element.size() + size).bytes() + element;
    });
    OnnxGraph graph;
    graph.graph.add(11, Message().text(1, "x").text(2, type));
    const std::string bytes = graph.node(onnx_node("Relu", {"x"}, {"y"})).output("y").model();
    std::string said;
    EXPECT_EQ(answer(bytes, &said), AUGUR_ERROR_UNSUPPORTED_OPERATOR) << said;
}

TEST(HostileModel, NamesMayBeAnythingAndMessagesStayClean) {
    using namespace std::string_literals;
    const std::string names[] = {"\xff\xfe\0\n%s%n%1000000d"s, std::string(4096, 'n'), "日本語"s, " "s};
    for (const std::string& each : names) {
        std::string said;
        EXPECT_EQ(answer(begin({3}).node(onnx_node("Relu", {"x"}, {each})).output(each).model(), &said), AUGUR_OK)
            << said;
        EXPECT_EQ(answer(begin({3}).node(onnx_node(each, {"x"}, {"y"})).output("y").model(), &said),
                  AUGUR_ERROR_UNSUPPORTED_OPERATOR);
        EXPECT_LT(said.size(), 400U);
        for (const char c : said)
            EXPECT_TRUE(c >= ' ' && c <= '~') << said;
    }
    std::string said;
    const std::string longer(4097, 'n');
    EXPECT_EQ(answer(begin({3}).node(onnx_node("Relu", {"x"}, {longer})).output(longer).model(), &said),
              AUGUR_ERROR_LIMIT);
    expect_cheap(begin({3}).node(onnx_node("Relu", {"x"}, {std::string(50000000, 'n')})).output("y").model(),
                 AUGUR_ERROR_LIMIT);
}

// Small files that ask for much.

TEST(HostileModel, DoublingAConstantEnds) {
    OnnxGraph graph = begin({3});
    graph.weight(onnx_floats("c0", {4}, {1, 2, 3, 4}));
    for (int i = 0; i < 40; ++i)
        graph.node(onnx_node("Concat", {numbered("c", i), numbered("c", i)}, {numbered("c", i + 1)},
                             {onnx_integer("axis", 0)}));
    expect_cheap(graph.node(onnx_node("Relu", {"x"}, {"y"})).output("y").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, DoublingARowEnds) {
    OnnxGraph graph = begin({4});
    graph.node(onnx_node("Relu", {"x"}, {"c0"}));
    for (int i = 0; i < 40; ++i)
        graph.node(onnx_node("Concat", {numbered("c", i), numbered("c", i)}, {numbered("c", i + 1)},
                             {onnx_integer("axis", 1)}));
    expect_cheap(graph.output("c40").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, ManyLargeConstantsEnd) {
    OnnxGraph graph = begin({3});
    graph.weight(onnx_integers("shape", {1 << 22}));
    for (int i = 0; i < 1000; ++i)
        graph.node(onnx_node("ConstantOfShape", {"shape"}, {numbered("c", i)}));
    expect_cheap(graph.node(onnx_node("Relu", {"x"}, {"y"})).output("y").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, ManyTransposedCopiesOfOneWeightEnd) {
    OnnxGraph graph = begin({512});
    graph.weight(onnx_floats("w", {512, 512}, std::vector<float>(512 * 512, 0.01f)));
    for (int i = 0; i < 1000; ++i)
        graph.node(onnx_node("Gemm", {i == 0 ? "x" : numbered("y", i - 1), "w"}, {numbered("y", i)},
                             {onnx_integer("transB", 1)}));
    expect_cheap(graph.output("y999").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, ManyUsesOfOneWeightShareIt) {
    OnnxGraph graph = begin({512});
    graph.weight(onnx_floats("w", {512, 512}, std::vector<float>(512 * 512, 0.01f)));
    for (int i = 0; i < 1000; ++i)
        graph.node(onnx_node("MatMul", {i == 0 ? "x" : numbered("y", i - 1), "w"}, {numbered("y", i)}));
    const std::string bytes = graph.output("y999").model();
    expect_cheap(bytes, AUGUR_OK);
    model::Network network;
    std::string message;
    ASSERT_EQ(load(bytes, &network, message), AUGUR_OK) << message;
    EXPECT_EQ(network.parameter_count, 512U * 512U);
}

TEST(HostileModel, ManyScalesBehindOneLayerEnd) {
    OnnxGraph graph = begin({512});
    graph.weight(onnx_floats("w", {512, 4096}, std::vector<float>(512 * 4096, 0.01f)));
    graph.weight(onnx_floats("s", {}, {1.0001f}));
    graph.node(onnx_node("MatMul", {"x", "w"}, {"y0"}));
    for (int i = 0; i < 20000; ++i)
        graph.node(onnx_node("Mul", {numbered("y", i), "s"}, {numbered("y", i + 1)}));
    expect_cheap(graph.output("y20000").model(), AUGUR_OK);
}

TEST(HostileModel, WorkWithoutEndIsBeyondTheLimit) {
    // 2^36 multiplications each.
    OnnxGraph graph = begin({4096, 4096});
    for (int i = 0; i < 5; ++i)
        graph.node(onnx_node("MatMul", {i == 0 ? "x" : numbered("y", i - 1), "x"}, {numbered("y", i)}));
    expect_cheap(graph.output("y4").model(), AUGUR_ERROR_LIMIT);
}

TEST(HostileModel, EveryLimitIsALimit) {
    const std::string bytes = stored("models", "board/14");
    const auto refused = [&](auto change) {
        model::ImportOptions options;
        change(options.limits);
        std::string said;
        EXPECT_EQ(answer(bytes, &said, options), AUGUR_ERROR_LIMIT) << said;
    };
    using Limits = model::ImportLimits;
    refused([&](Limits& limits) { limits.size_bytes = bytes.size() - 1; });
    refused([](Limits& limits) { limits.nodes = 20; });
    refused([](Limits& limits) { limits.tensors = 30; });
    refused([](Limits& limits) { limits.tensor_elements = 100; });
    refused([](Limits& limits) { limits.scratch_elements = 300; });
    refused([](Limits& limits) { limits.multiply_adds = 1000; });
    model::ImportOptions exact;
    exact.limits.size_bytes = bytes.size();
    EXPECT_EQ(answer(bytes, nullptr, exact), AUGUR_OK);
}

}  // namespace
}  // namespace augur
