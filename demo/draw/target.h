// An offscreen picture.
#pragma once

#include <cstdint>
#include <vector>

#include "app/surface.h"

namespace augur::demo {

/// One colour texture and its framebuffer. Edges are smoothed in the shaders, so one sample a pixel is enough.
class Target {
  public:
    explicit Target(GLenum format) : format_(format) {}
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    ~Target() { release(); }

    /// Makes the picture `extent` pixels large; nothing happens when it already is. An empty extent releases it.
    void resize(Extent extent);
    void bind() const;

    Extent extent() const { return extent_; }
    GLuint framebuffer() const { return framebuffer_; }
    GLuint texture() const { return texture_; }

    /// RGB bytes, rows from the top.
    std::vector<std::uint8_t> read_pixels() const;

  private:
    void release();

    GLenum format_;
    Extent extent_;
    GLuint framebuffer_ = 0;
    GLuint texture_ = 0;
};

}  // namespace augur::demo
