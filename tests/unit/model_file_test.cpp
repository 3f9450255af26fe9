// Models from paths, and weights in files beside them.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "model/onnx.h"
#include "model/reference.h"
#include "support/onnx_writer.h"

namespace augur {
namespace {

namespace fs = std::filesystem;

using test::Message;
using test::onnx_floats;
using test::onnx_node;
using test::OnnxGraph;

class ModelFile : public testing::Test {
  protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / test::numbered("augur-model-", ::getpid());
        fs::remove_all(root_);
        fs::create_directories(root_ / "inside" / "deeper");
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string write(const std::string& name, const std::string& bytes) const {
        const fs::path path = root_ / name;
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }

    augur_result load(const std::string& path, const model::ImportOptions& options = {}) {
        said_.clear();
        return model::load_onnx_file(path, options, &network_, said_);
    }

    static std::string relu() {
        return OnnxGraph().input("x", {3}).node(onnx_node("Relu", {"x"}, {"y"})).output("y").model();
    }

    // y = x w with w [3][2] in another file.
    static std::string external(const std::string& location, const std::string& offset = "",
                                const std::string& length = "") {
        Message tensor = Message().number(1, 3).number(1, 2).number(2, 1).text(8, "w").number(14, 1);
        tensor.add(13, Message().text(1, "location").text(2, location));
        if (!offset.empty()) tensor.add(13, Message().text(1, "offset").text(2, offset));
        if (!length.empty()) tensor.add(13, Message().text(1, "length").text(2, length));
        return OnnxGraph()
            .input("x", {3})
            .weight(tensor)
            .node(onnx_node("MatMul", {"x", "w"}, {"y"}))
            .output("y")
            .model();
    }

    // Six weights 1 .. 6 behind two other numbers.
    static std::string weights() {
        const std::vector<float> values = {-1, -2, 1, 2, 3, 4, 5, 6};
        return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
    }

    fs::path root_;
    model::Network network_;
    std::string said_;
};

TEST_F(ModelFile, IsRead) {
    EXPECT_EQ(load(write("a model.onnx", relu())), AUGUR_OK) << said_;
    EXPECT_EQ(network_.inputs.at(0).name, "x");
    EXPECT_EQ(network_.opset, 17U);
    EXPECT_EQ(network_.ir_version, 8U);
}

TEST_F(ModelFile, EveryReasonNotToReadHasItsOwnWords) {
    std::set<std::string> reasons;
    const auto refused = [&](const std::string& path, augur_result expected) {
        EXPECT_EQ(load(path), expected) << said_;
        EXPECT_TRUE(reasons.insert(said_.substr(said_.rfind('\'') + 1)).second) << said_;
    };
    refused((root_ / "missing").string(), AUGUR_ERROR_NOT_FOUND);
    refused((root_ / "inside").string(), AUGUR_ERROR_IO);
    refused(write("empty", ""), AUGUR_ERROR_IO);
    refused("/dev/zero", AUGUR_ERROR_IO);
    const std::string pipe = (root_ / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    refused(pipe, AUGUR_ERROR_IO);  // and does not wait for somebody to write
    if (::geteuid() != 0) {
        const std::string closed = write("closed", relu());
        ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
        refused(closed, AUGUR_ERROR_IO);
    }
    EXPECT_EQ(load(write("model.onnx", relu()) + "/below"), AUGUR_ERROR_NOT_FOUND) << said_;
    EXPECT_EQ(load(""), AUGUR_ERROR_NOT_FOUND) << said_;
    EXPECT_EQ(load("/dev/null"), AUGUR_ERROR_IO) << said_;
    fs::create_symlink("loop", root_ / "loop");
    EXPECT_EQ(load((root_ / "loop").string()), AUGUR_ERROR_IO) << said_;
}

TEST_F(ModelFile, AboveTheLimitIsRefusedBeforeItIsRead) {
    const std::string path = write("large", relu());
    fs::resize_file(path, 5ull << 30);  // takes no space
    EXPECT_EQ(load(path), AUGUR_ERROR_LIMIT) << said_;
    model::ImportOptions options;
    options.limits.size_bytes = relu().size();
    EXPECT_EQ(load(write("fits", relu()), options), AUGUR_OK) << said_;
    options.limits.size_bytes -= 1;
    EXPECT_EQ(load(write("does not", relu()), options), AUGUR_ERROR_LIMIT) << said_;
}

TEST_F(ModelFile, MayChangeOnceItIsLoaded) {
    const std::string path = write("model.onnx", external("inside/w.bin", "8"));
    write("inside/w.bin", weights());
    ASSERT_EQ(load(path), AUGUR_OK) << said_;
    write("inside/w.bin", "gone");
    write("model.onnx", "gone");
    const float x[3] = {1, 10, 100};
    const float* inputs[1] = {x};
    float y[2];
    float* outputs[1] = {y};
    model::run_reference(network_.view(), inputs, outputs, 1);
    EXPECT_EQ(y[0], 1 + 30 + 500);
    EXPECT_EQ(y[1], 2 + 40 + 600);
}

TEST_F(ModelFile, AFailureLeavesTheOldNetwork) {
    ASSERT_EQ(load(write("model.onnx", relu())), AUGUR_OK);
    EXPECT_EQ(load(write("bad.onnx", "bad")), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_EQ(network_.inputs.at(0).name, "x");
    EXPECT_EQ(network_.steps.size(), 1U);
}

TEST_F(ModelFile, ExternalDataIsReadInsideTheFolder) {
    write("inside/w.bin", weights());
    write("inside/deeper/w.bin", weights());
    EXPECT_EQ(load(write("inside/a.onnx", external("w.bin", "8", "24"))), AUGUR_OK) << said_;
    EXPECT_EQ(load(write("inside/a.onnx", external("./w.bin", "8"))), AUGUR_OK) << said_;
    EXPECT_EQ(load(write("inside/a.onnx", external("deeper/w.bin", "8"))), AUGUR_OK) << said_;
    EXPECT_EQ(load(write("inside/a.onnx", external("w.bin", "", "24"))), AUGUR_OK) << said_;
    fs::create_symlink("w.bin", root_ / "inside" / "link.bin");
    EXPECT_EQ(load(write("inside/a.onnx", external("link.bin", "8"))), AUGUR_OK) << said_;
    // By the folder of the model, not the current one.
    const fs::path before = fs::current_path();
    fs::current_path(root_ / "inside");
    EXPECT_EQ(load("a.onnx"), AUGUR_OK) << said_;
    fs::current_path(before);
}

TEST_F(ModelFile, ExternalDataOutsideTheFolderIsRefused) {
    write("w.bin", weights());
    fs::create_symlink("../w.bin", root_ / "inside" / "leaves.bin");
    fs::create_symlink("..", root_ / "inside" / "up");
    fs::create_symlink("/", root_ / "inside" / "root");
    for (const std::string& location : {std::string("../w.bin"), std::string("deeper/../../w.bin"),
                                        (root_ / "w.bin").string(), std::string("leaves.bin"), std::string("up/w.bin"),
                                        std::string("root/etc/passwd"), std::string("/etc/passwd"), std::string(""),
                                        std::string("w.bin\0x", 7), std::string("."), std::string("..")}) {
        EXPECT_EQ(load(write("inside/a.onnx", external(location, "8"))), AUGUR_ERROR_INVALID_MODEL)
            << location << said_;
        EXPECT_NE(said_.find("'w'"), std::string::npos) << said_;
    }
}

TEST_F(ModelFile, ExternalDataIsCheckedAgainstItsFile) {
    write("w.bin", weights());
    const auto refused = [&](const std::string& offset, const std::string& length) {
        EXPECT_EQ(load(write("a.onnx", external("w.bin", offset, length))), AUGUR_ERROR_INVALID_MODEL)
            << offset << " " << length << ": " << said_;
    };
    refused("12", "24");  // beyond the end
    refused("33", "");
    refused("8", "20");  // too few
    write("w.bin", weights() + "more");
    refused("8", "");  // too many
}

TEST_F(ModelFile, ExternalNumbersThatAreNoneAreRefused) {
    write("w.bin", weights());
    for (const char* number : {"-1", "1e3", "0x10", "18446744073709551615", "18446744073709551616",
                               "99999999999999999999999", "eight", " 8", "8 "}) {
        EXPECT_EQ(load(write("a.onnx", external("w.bin", number, "24"))), AUGUR_ERROR_INVALID_MODEL) << number << said_;
        EXPECT_EQ(load(write("a.onnx", external("w.bin", "8", number))), AUGUR_ERROR_INVALID_MODEL) << number << said_;
    }
}

TEST_F(ModelFile, ExternalFilesThatAreNoFilesAreRefused) {
    EXPECT_EQ(load(write("a.onnx", external("missing.bin"))), AUGUR_ERROR_NOT_FOUND) << said_;
    EXPECT_EQ(load(write("a.onnx", external("inside"))), AUGUR_ERROR_IO) << said_;
    ASSERT_EQ(::mkfifo((root_ / "pipe.bin").c_str(), 0600), 0);
    EXPECT_EQ(load(write("a.onnx", external("pipe.bin"))), AUGUR_ERROR_IO) << said_;
    write("empty.bin", "");
    EXPECT_EQ(load(write("a.onnx", external("empty.bin"))), AUGUR_ERROR_IO) << said_;
    fs::resize_file(write("large.bin", "x"), 3ull << 30);
    EXPECT_EQ(load(write("a.onnx", external("large.bin"))), AUGUR_ERROR_LIMIT) << said_;
}

TEST_F(ModelFile, ManyTensorsOfOneExternalFileReadItOnce) {
    // Each claims the whole file; together they would be a thousand times as large.
    write("w.bin", std::string(4 << 20, '\0'));
    OnnxGraph graph;
    graph.input("x", {3});
    for (int i = 0; i < 1000; ++i) {
        Message tensor = Message().number(1, 1 << 20).number(2, 1).text(8, test::numbered("w", i)).number(14, 1);
        graph.weight(tensor.add(13, Message().text(1, "location").text(2, "w.bin")));
    }
    EXPECT_EQ(load(write("a.onnx", graph.node(onnx_node("Relu", {"x"}, {"y"})).output("y").model())), AUGUR_ERROR_LIMIT)
        << said_;
}

TEST_F(ModelFile, FromMemoryHasNoFolderUnlessOneIsGiven) {
    write("w.bin", weights());
    const std::string bytes = external("w.bin", "8");
    EXPECT_EQ(model::load_onnx({bytes.data(), bytes.size(), ""}, {}, &network_, said_), AUGUR_ERROR_INVALID_MODEL);
    EXPECT_EQ(model::load_onnx({bytes.data(), bytes.size(), root_.string()}, {}, &network_, said_), AUGUR_OK) << said_;
    EXPECT_EQ(model::load_onnx({nullptr, 0, ""}, {}, &network_, said_), AUGUR_ERROR_INVALID_MODEL);
}

}  // namespace
}  // namespace augur
