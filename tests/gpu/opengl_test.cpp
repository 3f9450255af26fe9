// OpenGL buffers that a GPU shares with CUDA: planned from, written to and evaluated where they lie, without a copy.
#include "boards.h"

#include <GL/glcorearb.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/dense_onnx.h"
#include "support/headless_gl.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 500, kInputs = 42, kOutputs = 7;

void* gl_entry(const char* name) {
    return reinterpret_cast<void*>(eglGetProcAddress(name));
}

class OpenGlOnGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        AUGUR_NEEDS_GPU();
        if (!gl.open()) GTEST_SKIP() << "no OpenGL 4.5 without a window";
        const auto find = []<class F>(F& out, const char* name) { out = reinterpret_cast<F>(gl_entry(name)); };
        find(gen_, "glGenBuffers");
        find(bind_, "glBindBuffer");
        find(data_, "glBufferData");
        find(read_, "glGetBufferSubData");
        find(write_, "glBufferSubData");
        find(string_, "glGetString");
        const std::string vendor = reinterpret_cast<const char*>(string_(GL_VENDOR));
        if (vendor.find("NVIDIA") == std::string::npos) GTEST_SKIP() << "OpenGL is " << vendor << "'s, not the GPU's";
        context_desc.backend = AUGUR_BACKEND_CUDA;
        context_desc.gl_get_proc_address = &gl_entry;
        context_desc.logger.log = [](void* user, augur_severity, augur_result, const char* message) {
            static_cast<std::string*>(user)->append(message).push_back('\n');
        };
        context_desc.logger.user = &log;
    }

    std::uint32_t buffer(const void* bytes, std::size_t size) const {
        GLuint name = 0;
        gen_(1, &name);
        bind_(GL_ARRAY_BUFFER, name);
        data_(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(size), bytes, GL_DYNAMIC_DRAW);
        bind_(GL_ARRAY_BUFFER, 0);
        return name;
    }
    void write(std::uint32_t name, const void* bytes, std::size_t size) const {
        bind_(GL_ARRAY_BUFFER, name);
        write_(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(size), bytes);
    }
    template <class T>
    std::vector<T> read(std::uint32_t name, std::size_t count) const {
        std::vector<T> out(count);
        bind_(GL_ARRAY_BUFFER, name);
        read_(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(count * sizeof(T)), out.data());
        return out;
    }
    static augur_buffer_id register_gl(augur_context_id context, std::uint32_t name, std::size_t size,
                                       augur_access access) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.kind = AUGUR_BUFFER_OPENGL;
        desc.access = static_cast<std::uint32_t>(access);
        desc.gl_buffer = name;
        desc.size_bytes = size;
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(context, &desc, &id), AUGUR_OK) << augur_last_message();
        return id;
    }

    HeadlessGl gl;
    augur_context_desc context_desc = augur_context_desc_default();
    std::string log;

  private:
    PFNGLGENBUFFERSPROC gen_ = nullptr;
    PFNGLBINDBUFFERPROC bind_ = nullptr;
    PFNGLBUFFERDATAPROC data_ = nullptr;
    PFNGLGETBUFFERSUBDATAPROC read_ = nullptr;
    PFNGLBUFFERSUBDATAPROC write_ = nullptr;
    PFNGLGETSTRINGPROC string_ = nullptr;
};

TEST_F(OpenGlOnGpu, PlansFromBuffersThatTheGameDrawsFrom) {
    Boards boards(kAgents);
    std::vector<std::int32_t> expected(kAgents, -7);
    Host cpu(AUGUR_BACKEND_CPU);
    ASSERT_EQ(cpu.make_planner(kAgents, 64), AUGUR_OK);
    cpu.bind(boards.own.data(), boards.other.data(), expected.data(), kAgents, AUGUR_BUFFER_HOST);

    const std::uint32_t own = buffer(boards.own.data(), boards.bytes());
    const std::uint32_t other = buffer(boards.other.data(), boards.bytes());
    const std::uint32_t chosen = buffer(expected.data(), expected.size() * 4);
    Host gpu(AUGUR_BACKEND_CUDA, &context_desc);
    ASSERT_EQ(gpu.make_planner(kAgents, 64), AUGUR_OK);
    augur_binding binding{register_gl(gpu.context(), own, boards.bytes(), AUGUR_ACCESS_READ), AUGUR_FORMAT_U64, 0, 0,
                          0};
    ASSERT_EQ(augur_planner_bind(gpu.planner(), "own", &binding), AUGUR_OK) << augur_last_message();
    binding.buffer = register_gl(gpu.context(), other, boards.bytes(), AUGUR_ACCESS_READ);
    ASSERT_EQ(augur_planner_bind(gpu.planner(), "other", &binding), AUGUR_OK) << augur_last_message();
    binding = {register_gl(gpu.context(), chosen, kAgents * 4ull, AUGUR_ACCESS_WRITE), AUGUR_FORMAT_I32, 0, 0, 0};
    ASSERT_EQ(augur_planner_bind_actions(gpu.planner(), &binding), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(log.find("copied"), std::string::npos) << log;

    // The game changes its buffers with OpenGL between frames, and reads the actions with OpenGL.
    for (int frame = 0; frame < 3; ++frame) {
        augur_frame_result from_cpu{}, from_gpu{};
        ASSERT_EQ(cpu.request(kAgents), AUGUR_OK);
        ASSERT_EQ(cpu.collect(&from_cpu), AUGUR_OK);
        ASSERT_EQ(gpu.request(kAgents), AUGUR_OK) << augur_last_message();
        ASSERT_EQ(gpu.collect(&from_gpu), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(from_gpu.decision_hash, from_cpu.decision_hash) << frame;
        EXPECT_EQ(from_gpu.bytes_copied, 0u);
        EXPECT_EQ(read<std::int32_t>(chosen, kAgents), expected) << frame;
        EXPECT_EQ(read<std::uint64_t>(own, kAgents), boards.own) << "what is only read stays";
        std::rotate(boards.own.begin(), boards.own.begin() + 1, boards.own.end());
        std::rotate(boards.other.begin(), boards.other.begin() + 1, boards.other.end());
        write(own, boards.own.data(), boards.bytes());
        write(other, boards.other.data(), boards.bytes());
    }
}

TEST_F(OpenGlOnGpu, EvaluatesAModelOnThem) {
    const std::string bytes = write_dense_onnx(
        kInputs, {64, 32}, {{"value", kOutputs, ""}}, [](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
            const std::uint32_t h = (layer * 7919u + row * 104729u + column * 1299709u) * 2654435761u;
            return (static_cast<float>(h >> 16) / 32768.0f - 1.0f) * 0.2f;
        });
    std::vector<float> rows(std::size_t{kAgents} * kInputs), expected(std::size_t{kAgents} * kOutputs, -7.0f);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<float>((i * 2654435761u) >> 16 & 0xffffu) / 32768.0f - 1.0f;
    const std::uint32_t in = buffer(rows.data(), rows.size() * 4), out = buffer(expected.data(), expected.size() * 4);
    const auto evaluate = [&](const augur_context_desc& desc, bool shared) {
        augur_context_id context{0};
        ASSERT_EQ(augur_context_create(&desc, &context), AUGUR_OK) << augur_last_message();
        augur_model_desc model_desc = augur_model_desc_default();
        model_desc.data = bytes.data();
        model_desc.size_bytes = bytes.size();
        model_desc.precision = AUGUR_PRECISION_FP32;
        model_desc.row_capacity = kAgents;
        augur_model_id model{0};
        ASSERT_EQ(augur_model_create(context, &model_desc, &model), AUGUR_OK) << augur_last_message();
        const auto plain = [&](void* data, std::size_t size, augur_access access) {
            augur_buffer_desc buffer_desc = augur_buffer_desc_default();
            buffer_desc.pointer = data;
            buffer_desc.size_bytes = size;
            buffer_desc.access = static_cast<std::uint32_t>(access);
            augur_buffer_id id{0};
            EXPECT_EQ(augur_buffer_register(context, &buffer_desc, &id), AUGUR_OK) << augur_last_message();
            return id;
        };
        augur_evaluation_desc evaluation = augur_evaluation_desc_default();
        evaluation.row_count = kAgents;
        evaluation.inputs[0].buffer = shared ? register_gl(context, in, rows.size() * 4, AUGUR_ACCESS_READ)
                                             : plain(rows.data(), rows.size() * 4, AUGUR_ACCESS_READ);
        evaluation.outputs[0].buffer = shared ? register_gl(context, out, expected.size() * 4, AUGUR_ACCESS_WRITE)
                                              : plain(expected.data(), expected.size() * 4, AUGUR_ACCESS_WRITE);
        evaluation.inputs[0].format = evaluation.outputs[0].format = AUGUR_FORMAT_F32;
        EXPECT_EQ(augur_model_evaluate(model, &evaluation), AUGUR_OK) << augur_last_message();
        augur_evaluation_result result{};
        result.struct_size = sizeof result;
        EXPECT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(result.not_finite, 0u);
        EXPECT_EQ(augur_context_destroy(context), AUGUR_OK);
    };
    augur_context_desc on_cpu = augur_context_desc_default();
    on_cpu.backend = AUGUR_BACKEND_CPU;
    evaluate(on_cpu, false);
    evaluate(context_desc, true);
    EXPECT_EQ(log.find("copied"), std::string::npos) << log;
    const std::vector<float> found = read<float>(out, expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-4f) << i;
}

}  // namespace
}  // namespace augur::test
