// Where the demo draws: a window on a display, or a context without one.
#pragma once

#include <memory>
#include <string>

#include "app/gl.h"

namespace augur::demo {

struct Extent {
    int width = 0;   ///< pixels, 0 while minimised
    int height = 0;  ///< pixels, 0 while minimised
    bool empty() const { return width <= 0 || height <= 0; }
    bool operator==(const Extent&) const = default;
};

/// A current OpenGL 4.5 core context with somewhere to show the finished picture. Frame thread only.
class Surface {
  public:
    virtual ~Surface() = default;
    virtual GlLoader loader() const = 0;
    virtual const char* kind() const = 0;
    virtual bool interactive() const = 0;

    /// Called once, after OpenGL and the Dear ImGui context exist. Returns false when input cannot be attached.
    virtual bool attach_overlay() = 0;
    virtual void detach_overlay() = 0;

    /// Takes in the window system's events and tells Dear ImGui about size, time and input.
    virtual void begin_frame(double seconds) = 0;
    virtual Extent extent() const = 0;
    virtual bool should_close() const = 0;

    /// Whole frames are being compared: present() then returns when the picture is done, and does not wait for the
    /// screen.
    virtual void measure(bool) {}

    /// Shows the colour attachment of `framebuffer`, which is `extent` pixels large.
    virtual void present(GLuint framebuffer, Extent extent) = 0;
};

/// A window through GLFW, with vertical sync. Returns null and a sentence in `error` when there is no display, or when
/// no OpenGL 4.5 context can be had on it.
std::unique_ptr<Surface> make_window(const char* title, Extent extent, std::string& error);

/// A context without a display through EGL: first each device (hardware before software), then Mesa's surfaceless
/// platform. Returns null and a sentence in `error` when none of them offers OpenGL 4.5.
std::unique_ptr<Surface> make_headless(Extent extent, std::string& error);

}  // namespace augur::demo
