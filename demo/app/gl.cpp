#include "app/gl.h"

#include <atomic>
#include <cstdio>
#include <cstring>

namespace augur::demo {
namespace {

std::atomic<unsigned> error_count{0};

#ifndef NDEBUG
void GLAD_API_PTR on_debug_message(GLenum, GLenum type, GLuint id, GLenum severity, GLsizei, const GLchar* text,
                                   const void*) {
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || severity == GL_DEBUG_SEVERITY_LOW) return;
    if (type == GL_DEBUG_TYPE_PERFORMANCE) return;
    if (type == GL_DEBUG_TYPE_ERROR) error_count.fetch_add(1, std::memory_order_relaxed);
    std::fprintf(stderr, "opengl: [%u] %s\n", id, text);
}
#endif

const char* text_of(GLenum name) {
    const GLubyte* text = glGetString(name);
    return text != nullptr ? reinterpret_cast<const char*>(text) : "unknown";
}

}  // namespace

bool load_gl(GlLoader loader, GlInfo& info, std::string& error) {
    const int version = gladLoadGL(loader);
    if (version == 0) {
        error = "the OpenGL functions could not be loaded";
        return false;
    }
    if (version < GLAD_MAKE_VERSION(4, 5)) {
        error = "OpenGL 4.5 is needed, this driver offers " + std::to_string(GLAD_VERSION_MAJOR(version)) + "." +
                std::to_string(GLAD_VERSION_MINOR(version));
        return false;
    }
    info.renderer = text_of(GL_RENDERER);
    info.version = text_of(GL_VERSION);
    for (const char* word : {"llvmpipe", "softpipe", "swrast"}) {
        info.software = info.software || info.renderer.find(word) != std::string::npos;
    }
#ifndef NDEBUG
    if (GLAD_GL_KHR_debug != 0) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glDebugMessageCallback(on_debug_message, nullptr);
    }
#endif
    return true;
}

bool gl_is_current() {
    return glGetString(GL_VERSION) != nullptr;
}

void note_gl_errors() {
    // A lost context reports the same error for ever, so the loop has an end.
    for (int i = 0; i < 16; ++i) {
        const GLenum error = glGetError();
        if (error == GL_NO_ERROR) return;
        error_count.fetch_add(1, std::memory_order_relaxed);
        static GLenum printed = GL_NO_ERROR;
        if (error != printed) std::fprintf(stderr, "opengl: error 0x%04x\n", error);
        printed = error;
    }
}

unsigned gl_error_count() {
    return error_count.load(std::memory_order_relaxed);
}

GlBuffer::GlBuffer(GLsizeiptr size_bytes, const void* data, GLbitfield flags) : size_bytes_(size_bytes) {
    glCreateBuffers(1, &name_);
    glNamedBufferStorage(name_, size_bytes, data, flags);
}

GlBuffer::~GlBuffer() {
    if (name_ != 0) glDeleteBuffers(1, &name_);
}

GlProgram::~GlProgram() {
    if (name_ != 0) glDeleteProgram(name_);
}

}  // namespace augur::demo
