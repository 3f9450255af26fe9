// OpenGL 4.5 core as the demo uses it: the functions glad loaded, and small owners for GL names.
#pragma once

#include <glad/gl.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace augur::demo {

/// A function that finds OpenGL entry points by name; the shape GLFW, EGL and glad share.
using GlLoader = GLADloadfunc;

/// What the driver says it is.
struct GlInfo {
    std::string renderer;
    std::string version;
    bool software = false;  ///< llvmpipe, softpipe or swrast
};

/// Loads the functions of the current context. Returns false and fills `error` when the context is older than 4.5.
bool load_gl(GlLoader loader, GlInfo& info, std::string& error);

/// False while no OpenGL context is current, as a window system may have it for a while: what is made then is nothing.
bool gl_is_current();

/// Takes in the errors that OpenGL has recorded since the last call; the first of its kind is printed. Once a frame.
void note_gl_errors();

/// Errors noted since the start, and in debug builds those that the driver reported through KHR_debug.
unsigned gl_error_count();

/// Owns one buffer object. Storage is allocated once and keeps its name for life, so a registered buffer stays valid.
class GlBuffer {
  public:
    GlBuffer() = default;
    GlBuffer(GLsizeiptr size_bytes, const void* data, GLbitfield flags);
    GlBuffer(GlBuffer&& other) noexcept
        : name_(std::exchange(other.name_, 0)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
    GlBuffer& operator=(GlBuffer&& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(size_bytes_, other.size_bytes_);
        return *this;
    }
    ~GlBuffer();

    GLuint name() const { return name_; }
    GLsizeiptr size_bytes() const { return size_bytes_; }
    void bind_storage(GLuint binding) const { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name_); }

  private:
    GLuint name_ = 0;
    GLsizeiptr size_bytes_ = 0;
};

/// Owns one linked program.
class GlProgram {
  public:
    GlProgram() = default;
    explicit GlProgram(GLuint name) : name_(name) {}
    GlProgram(GlProgram&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlProgram& operator=(GlProgram&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlProgram();

    GLuint name() const { return name_; }
    void use() const { glUseProgram(name_); }
    GLint uniform(const char* uniform_name) const { return glGetUniformLocation(name_, uniform_name); }

  private:
    GLuint name_ = 0;
};

}  // namespace augur::demo
