// OpenGL buffers that are copied: what moves, what stays as it was, and what is noticed in time.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "support/dense_onnx.h"
#include "support/fake_gl.h"
#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeGl;
using test::FakeHost;
using test::FakeUnit;

class OpenGlCopy : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kName = 5;

    void SetUp() override {
        gl.bound = 3;
        gl.buffers[3].bytes.resize(16);
        gl.buffers[kName].bytes.resize(sizeof host.units);
        write_units();
        host.context_desc.gl_get_proc_address = &FakeGl::get_proc_address;
        host.buffer_desc.kind = AUGUR_BUFFER_OPENGL;
        host.buffer_desc.pointer = nullptr;
        host.buffer_desc.gl_buffer = kName;
    }
    void TearDown() override {
        EXPECT_EQ(gl.bound, 3u) << "the host's binding is as it was";
        EXPECT_EQ(gl.errors, 0) << "the host's error flag is its own";
    }
    void write_units() { std::memcpy(gl.buffers[kName].bytes.data(), host.units, sizeof host.units); }
    void read_units() { std::memcpy(host.units, gl.buffers[kName].bytes.data(), sizeof host.units); }

    FakeGl gl;
    FakeHost host;
};

TEST_F(OpenGlCopy, ReadsAtTheRequestAndWritesAtTheEnd) {
    host.set_up();
    host.units[2].health = 23;
    write_units();
    ASSERT_EQ(host.request(), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(gl.downloads, 1) << "one for the whole buffer, not one a field";
    EXPECT_EQ(gl.uploads, 0);
    // What the game changes meanwhile, beside the actions, stays.
    host.units[1].position[0] = 99.0f;
    write_units();
    augur_frame_result result{};
    ASSERT_EQ(host.collect(&result), AUGUR_OK) << augur_last_message();
    read_units();
    for (const FakeUnit& unit : host.units)
        EXPECT_EQ(unit.action, unit.health % 4);
    EXPECT_EQ(host.units[1].position[0], 99.0f);
    // Fields: from the first byte of unit 0 to the health of unit 3. Actions: there and back.
    EXPECT_EQ(result.bytes_copied, 60u + 2 * 52u);
    EXPECT_EQ(host.counters().bytes_copied, result.bytes_copied);
}

TEST_F(OpenGlCopy, WritesPackedActionsInOnePiece) {
    host.set_up();
    gl.buffers[9].bytes.assign(4 * sizeof(std::int32_t), 0xff);
    augur_buffer_desc desc = host.buffer_desc;
    desc.gl_buffer = 9;
    desc.size_bytes = 16;
    desc.access = AUGUR_ACCESS_WRITE;
    augur_buffer_id actions{0};
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &actions), AUGUR_OK) << augur_last_message();
    const augur_binding binding{actions, AUGUR_FORMAT_I32, 0, 0, 0};
    ASSERT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_OK);
    ASSERT_EQ(host.request(3), AUGUR_OK);
    augur_frame_result result{};
    ASSERT_EQ(host.collect(&result), AUGUR_OK);
    std::int32_t written[4];
    std::memcpy(written, gl.buffers[9].bytes.data(), sizeof written);
    EXPECT_EQ(written[0], 10 % 4);
    EXPECT_EQ(written[2], 12 % 4);
    EXPECT_EQ(written[3], -1) << "no agent, nothing written";
    EXPECT_EQ(result.bytes_copied, 44u + 12u);
}

TEST_F(OpenGlCopy, BringsUrgencyAlong) {
    host.planner_desc.adaptive = 1;
    host.set_up();
    const augur_binding binding = host.at(AUGUR_FORMAT_F32, offsetof(FakeUnit, position));
    ASSERT_EQ(augur_planner_bind_urgency(host.planner, &binding), AUGUR_OK) << augur_last_message();
    host.units[3].position[0] = 7.5f;
    write_units();
    ASSERT_EQ(host.request(), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(gl.downloads, 1);
    const Source& urgency = host.backend.last_work.urgency;
    ASSERT_NE(urgency.buffer, nullptr);
    float seen = 0.0f;
    std::memcpy(&seen,
                static_cast<fake::View*>(urgency.buffer)->data() + urgency.offset_bytes + 3 * urgency.stride_bytes,
                sizeof seen);
    EXPECT_EQ(seen, 7.5f);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(OpenGlCopy, TimelineShowsTheCopies) {
    host.set_up();
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    augur_timeline_frame frame;
    std::uint32_t count = 1;
    ASSERT_EQ(augur_planner_timeline(host.planner, &frame, &count), AUGUR_OK);
    EXPECT_GT(frame.stages[AUGUR_STAGE_COPY].end_ns, frame.stages[AUGUR_STAGE_COPY].begin_ns);
}

TEST_F(OpenGlCopy, NoticesABufferThatWasDeletedResizedOrMapped) {
    host.set_up();
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    const FakeGl::Buffer good = gl.buffers[kName];
    gl.buffers.erase(kName);
    EXPECT_EQ(host.request(), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_NE(std::strstr(augur_last_message(), "deleted"), nullptr);
    gl.buffers[kName] = good;
    gl.buffers[kName].bytes.resize(sizeof host.units - 4);
    EXPECT_EQ(host.request(), AUGUR_ERROR_INVALID_BUFFER);
    gl.buffers[kName].bytes.clear();
    EXPECT_EQ(host.request(), AUGUR_ERROR_INVALID_BUFFER) << "a buffer of size 0";
    EXPECT_NE(std::strstr(augur_last_message(), "has 0 bytes now"), nullptr) << augur_last_message();
    gl.buffers[kName] = good;
    gl.buffers[kName].mapped = true;
    EXPECT_EQ(host.request(), AUGUR_ERROR_INVALID_BUFFER);
    gl.buffers[kName].persistent = true;
    EXPECT_EQ(host.request(), AUGUR_OK) << "a persistent mapping may stay";
    gl.buffers.erase(kName);
    EXPECT_EQ(host.collect(), AUGUR_ERROR_INVALID_BUFFER) << "deleted in the frame";
    gl.buffers[kName] = good;
    EXPECT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(OpenGlCopy, RefusesAtRegistrationWhatCopiesCannotReach) {
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    const auto expect_refused = [&](const char* why) {
        EXPECT_EQ(host.register_buffer(), AUGUR_ERROR_INVALID_BUFFER) << why;
    };
    host.buffer_desc.gl_buffer = 77;
    expect_refused("no such buffer");
    host.buffer_desc.gl_buffer = 3;
    gl.buffers[3].bytes.clear();
    expect_refused("a buffer of size 0");
    host.buffer_desc.gl_buffer = kName;
    host.buffer_desc.size_bytes += 4;
    expect_refused("larger than it is");
    host.buffer_desc.size_bytes -= 4;
    gl.buffers[kName].immutable = true;
    gl.buffers[kName].dynamic = false;
    expect_refused("immutable");
    host.buffer_desc.access = AUGUR_ACCESS_READ;
    EXPECT_EQ(host.register_buffer(), AUGUR_OK) << "but it can be read";
}

TEST_F(OpenGlCopy, WorksWithOpenGlThatKnowsNoStorageFlags) {
    gl.major = 3;
    gl.minor = 3;
    host.set_up();
    EXPECT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST_F(OpenGlCopy, NamesTheFunctionThatIsMissing) {
    gl.missing = "glGetBufferSubData";
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    EXPECT_EQ(host.register_buffer(), AUGUR_ERROR_UNSUPPORTED);
    EXPECT_NE(std::strstr(augur_last_message(), "glGetBufferSubData"), nullptr);
}

TEST_F(OpenGlCopy, StandsInWhereTheGpuCannotShareBuffers) {
    host.backend.gpu = true;
    host.backend.attach_gl = AUGUR_ERROR_UNSUPPORTED;
    host.set_up();
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
    augur_frame_result result{};
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(&result), AUGUR_OK);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    read_units();
    EXPECT_EQ(host.units[3].action, 13 % 4);
    // And the CPU can take over, because the staging copy is host memory.
    host.backend.lost = true;
    ASSERT_EQ(host.request(), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(host.collect(&result), AUGUR_FELL_BACK_TO_CPU);
    read_units();
    EXPECT_EQ(host.units[2].action, 12 % 4);
}

TEST_F(OpenGlCopy, StandsInForAnyNumberOfBuffersWithOneMessage) {
    host.backend.gpu = true;
    host.backend.attach_gl = AUGUR_ERROR_UNSUPPORTED;
    host.backend.attach_gl_names_the_buffer = true;
    host.set_up();
    augur_buffer_desc desc = host.buffer_desc;
    for (std::uint32_t name = 10; name < 20; ++name) {
        gl.buffers[name].bytes.resize(sizeof host.units);
        desc.gl_buffer = name;
        augur_buffer_id buffer{0};
        EXPECT_EQ(augur_buffer_register(host.context, &desc, &buffer), AUGUR_OK) << augur_last_message();
    }
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
    desc.gl_buffer = 77;
    augur_buffer_id missing{0};
    EXPECT_EQ(augur_buffer_register(host.context, &desc, &missing), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(host.log.count(AUGUR_SEVERITY_WARNING), 1u);
}

TEST_F(OpenGlCopy, TwoNamesNeverTouch) {
    host.set_up();
    gl.buffers[9].bytes.resize(sizeof host.units);
    augur_buffer_desc desc = host.buffer_desc;
    desc.gl_buffer = 9;
    augur_buffer_id other{0};
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &other), AUGUR_OK);
    augur_binding binding = host.at(AUGUR_FORMAT_I32, 8);
    EXPECT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_ERROR_INVALID_BUFFER) << "where health is";
    binding.buffer = other;
    EXPECT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_OK);
}

// A model over buffers of OpenGL that are copied, in a context of the CPU.
class OpenGlEvaluation : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kRows = 3, kFeatures = 2, kOutputs = 2;
    static constexpr std::uint32_t kIn = 5, kOut = 6;
    // y0 = x0 + 2 x1 + 10, y1 = x1
    static float weight(std::uint32_t, std::uint32_t row, std::uint32_t column) {
        constexpr float kWeights[3][2] = {{1, 0}, {2, 1}, {10, 0}};
        return kWeights[row][column];
    }

    void SetUp() override {
        gl.bound = 3;
        gl.buffers[3].bytes.resize(16);
        const std::array<float, kRows* kFeatures> rows = {1, 2, 3, 4, 5, 6};
        gl.buffers[kIn].bytes.resize(sizeof rows);
        std::memcpy(gl.buffers[kIn].bytes.data(), rows.data(), sizeof rows);
        gl.buffers[kOut].bytes.assign(64, 0xff);
        augur_context_desc context_desc = augur_context_desc_default();
        context_desc.backend = AUGUR_BACKEND_CPU;
        context_desc.worker_threads = 0;
        context_desc.gl_get_proc_address = &FakeGl::get_proc_address;
        ASSERT_EQ(augur_context_create(&context_desc, &context), AUGUR_OK) << augur_last_message();
        const std::string file = test::write_dense_onnx(kFeatures, {}, {{"policy", kOutputs, ""}}, &weight);
        augur_model_desc model_desc = augur_model_desc_default();
        model_desc.data = file.data();
        model_desc.size_bytes = file.size();
        model_desc.row_capacity = kRows;
        ASSERT_EQ(augur_model_create(context, &model_desc, &model), AUGUR_OK) << augur_last_message();
        evaluation = augur_evaluation_desc_default();
        evaluation.row_count = kRows;
        evaluation.inputs[0].buffer = registered(kIn, sizeof rows, AUGUR_ACCESS_READ);
        evaluation.inputs[0].format = AUGUR_FORMAT_F32;
        evaluation.outputs[0].buffer = registered(kOut, 64, AUGUR_ACCESS_WRITE);
    }
    void TearDown() override {
        augur_context_destroy(context);
        EXPECT_EQ(gl.bound, 3u) << "the host's binding is as it was";
        EXPECT_EQ(gl.errors, 0) << "the host's error flag is its own";
    }
    augur_buffer_id registered(std::uint32_t name, std::uint64_t size_bytes, augur_access access) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.kind = AUGUR_BUFFER_OPENGL;
        desc.gl_buffer = name;
        desc.size_bytes = size_bytes;
        desc.access = static_cast<std::uint32_t>(access);
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(context, &desc, &id), AUGUR_OK) << augur_last_message();
        return id;
    }
    float written(std::size_t place) {
        float x;
        std::memcpy(&x, gl.buffers[kOut].bytes.data() + place * sizeof x, sizeof x);
        return x;
    }

    FakeGl gl;
    augur_context_id context{0};
    augur_model_id model{0};
    augur_evaluation_desc evaluation;
};

TEST_F(OpenGlEvaluation, ReadsAtTheCallAndWritesAtTheEnd) {
    ASSERT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(gl.uploads, 0);
    std::memset(gl.buffers[kIn].bytes.data(), 0, gl.buffers[kIn].bytes.size());  // has been read
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(gl.uploads, 1) << "packed rows in one piece";
    const float expected[] = {15, 2, 21, 4, 27, 6};
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(written(i), expected[i]) << i;
    EXPECT_NE(written(6), written(6)) << "past the rows all is as it was";
}

TEST_F(OpenGlEvaluation, LeavesWhatLiesBetweenRows) {
    evaluation.outputs[0].stride_bytes = 16;
    evaluation.outputs[0].offset_bytes = 4;
    ASSERT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << augur_last_message();
    const float meanwhile = 77.0f;
    std::memcpy(gl.buffers[kOut].bytes.data() + 12, &meanwhile, sizeof meanwhile);  // the host's own, after row 0
    ASSERT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(written(1), 15.0f);
    EXPECT_EQ(written(2), 2.0f);
    EXPECT_EQ(written(3), 77.0f);
    EXPECT_EQ(written(5), 21.0f);
    EXPECT_EQ(written(10), 6.0f);
}

TEST_F(OpenGlEvaluation, NoticesABufferThatWasDeleted) {
    const FakeGl::Buffer good = gl.buffers[kIn];
    gl.buffers.erase(kIn);
    EXPECT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_NE(std::strstr(augur_last_message(), "deleted"), nullptr) << augur_last_message();
    gl.buffers[kIn] = good;
    ASSERT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << augur_last_message();
    const FakeGl::Buffer out = gl.buffers[kOut];
    gl.buffers.erase(kOut);
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_ERROR_INVALID_BUFFER) << "deleted meanwhile";
    gl.buffers[kOut] = out;
    ASSERT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << "and the next goes on";
    EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
    EXPECT_EQ(written(0), 15.0f);
}

TEST_F(OpenGlEvaluation, CopiesNothingWhenTheModelGoes) {
    ASSERT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(augur_model_destroy(model), AUGUR_OK);
    EXPECT_EQ(gl.uploads, 0) << "nobody knows what context is current";
}

}  // namespace
}  // namespace augur
