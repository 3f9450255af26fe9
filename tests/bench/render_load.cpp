#include "render_load.h"

#include <GL/glcorearb.h>

#include <algorithm>

#include "measure.h"
#include "support/headless_gl.h"

namespace augur::bench {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;
constexpr int kDraws = 32;  // of a frame, one after the other, each of all pixels

constexpr const char* kVertex = R"(#version 450
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }
)";
// Arithmetic that no compiler can shorten, a pixel independent of the others: the load of a shading pass.
constexpr const char* kFragment = R"(#version 450
uniform int steps;
out vec4 color;
void main() {
    vec2 z = gl_FragCoord.xy * 0.001;
    for (int i = 0; i < steps; ++i) z = sin(z.yx * 1.7 + vec2(0.3, 0.7)) + z * 0.25;
    color = vec4(z, 0.0, 1.0);
}
)";

// Entry points, by the names of OpenGL.
struct Gl {
    PFNGLGETSTRINGPROC GetString;
    PFNGLGENTEXTURESPROC GenTextures;
    PFNGLBINDTEXTUREPROC BindTexture;
    PFNGLTEXSTORAGE2DPROC TexStorage2D;
    PFNGLGENFRAMEBUFFERSPROC GenFramebuffers;
    PFNGLBINDFRAMEBUFFERPROC BindFramebuffer;
    PFNGLFRAMEBUFFERTEXTUREPROC FramebufferTexture;
    PFNGLGENVERTEXARRAYSPROC GenVertexArrays;
    PFNGLBINDVERTEXARRAYPROC BindVertexArray;
    PFNGLVIEWPORTPROC Viewport;
    PFNGLCREATESHADERPROC CreateShader;
    PFNGLSHADERSOURCEPROC ShaderSource;
    PFNGLCOMPILESHADERPROC CompileShader;
    PFNGLCREATEPROGRAMPROC CreateProgram;
    PFNGLATTACHSHADERPROC AttachShader;
    PFNGLLINKPROGRAMPROC LinkProgram;
    PFNGLGETPROGRAMIVPROC GetProgramiv;
    PFNGLUSEPROGRAMPROC UseProgram;
    PFNGLGETUNIFORMLOCATIONPROC GetUniformLocation;
    PFNGLUNIFORM1IPROC Uniform1i;
    PFNGLDRAWARRAYSPROC DrawArrays;
    PFNGLFLUSHPROC Flush;
    PFNGLFINISHPROC Finish;

    bool load() {
        bool all = true;
        const auto find = [&all]<class F>(F& out, const char* name) {
            out = reinterpret_cast<F>(eglGetProcAddress(name));
            all = all && out != nullptr;
        };
        find(GetString, "glGetString");
        find(GenTextures, "glGenTextures");
        find(BindTexture, "glBindTexture");
        find(TexStorage2D, "glTexStorage2D");
        find(GenFramebuffers, "glGenFramebuffers");
        find(BindFramebuffer, "glBindFramebuffer");
        find(FramebufferTexture, "glFramebufferTexture");
        find(GenVertexArrays, "glGenVertexArrays");
        find(BindVertexArray, "glBindVertexArray");
        find(Viewport, "glViewport");
        find(CreateShader, "glCreateShader");
        find(ShaderSource, "glShaderSource");
        find(CompileShader, "glCompileShader");
        find(CreateProgram, "glCreateProgram");
        find(AttachShader, "glAttachShader");
        find(LinkProgram, "glLinkProgram");
        find(GetProgramiv, "glGetProgramiv");
        find(UseProgram, "glUseProgram");
        find(GetUniformLocation, "glGetUniformLocation");
        find(Uniform1i, "glUniform1i");
        find(DrawArrays, "glDrawArrays");
        find(Flush, "glFlush");
        find(Finish, "glFinish");
        return all;
    }
};

class EglRenderLoad final : public RenderLoad {
  public:
    bool open(double milliseconds, std::string& why_not) {
        if (!context_.open()) {
            why_not = "no OpenGL 4.5 without a window";
            return false;
        }
        if (!gl_.load() || !make_program()) {
            why_not = "the OpenGL context cannot draw";
            return false;
        }
        GLuint texture = 0, framebuffer = 0, vertices = 0;
        gl_.GenTextures(1, &texture);
        gl_.BindTexture(GL_TEXTURE_2D, texture);
        gl_.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, kWidth, kHeight);
        gl_.GenFramebuffers(1, &framebuffer);
        gl_.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        gl_.FramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
        gl_.GenVertexArrays(1, &vertices);
        gl_.BindVertexArray(vertices);
        gl_.Viewport(0, 0, kWidth, kHeight);
        set_time(milliseconds);
        return true;
    }

    void draw() override {
        gl_.Uniform1i(steps_place_, steps_);
        for (int i = 0; i < kDraws; ++i)
            gl_.DrawArrays(GL_TRIANGLES, 0, 3);
        gl_.Flush();
    }
    void finish() override { gl_.Finish(); }
    std::string renderer() const override { return reinterpret_cast<const char*>(gl_.GetString(GL_RENDERER)); }

  private:
    bool make_program() {
        const GLuint program = gl_.CreateProgram();
        const auto add = [&](GLenum kind, const char* source) {
            const GLuint shader = gl_.CreateShader(kind);
            gl_.ShaderSource(shader, 1, &source, nullptr);
            gl_.CompileShader(shader);
            gl_.AttachShader(program, shader);
        };
        add(GL_VERTEX_SHADER, kVertex);
        add(GL_FRAGMENT_SHADER, kFragment);
        gl_.LinkProgram(program);
        GLint linked = 0;
        gl_.GetProgramiv(program, GL_LINK_STATUS, &linked);
        gl_.UseProgram(program);
        steps_place_ = gl_.GetUniformLocation(program, "steps");
        return linked == GL_TRUE;
    }

    // By trying: twice as long until it is long enough to be measured, then in proportion.
    void set_time(double milliseconds) {
        const auto time_of = [&](int steps) {
            steps_ = steps;
            finish();
            const double begin = steady_us();
            draw();
            finish();
            return (steady_us() - begin) / 1000.0;
        };
        time_of(1);
        int steps = 4;
        double took = time_of(steps);
        while (took < 4.0 && steps < 1 << 24) {
            steps *= 2;
            took = time_of(steps);
        }
        took = std::min({took, time_of(steps), time_of(steps)});
        steps_ = std::max(1, static_cast<int>(steps * milliseconds / took));
    }

    test::HeadlessGl context_;
    Gl gl_{};
    GLint steps_place_ = 0;
    int steps_ = 1;
};

}  // namespace

std::unique_ptr<RenderLoad> make_render_load(double milliseconds, std::string& why_not) {
    auto load = std::make_unique<EglRenderLoad>();
    if (!load->open(milliseconds, why_not)) return nullptr;
    return load;
}

}  // namespace augur::bench
