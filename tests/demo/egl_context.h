// The OpenGL context of a headless surface, taken away and given back by a test.
#pragma once

#include <EGL/egl.h>

namespace augur::demo {

class EglContext {
  public:
    EglContext() : display_(eglGetCurrentDisplay()), context_(eglGetCurrentContext()) {}
    ~EglContext() { come_back(); }
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    void leave() { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }
    void come_back() { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_); }

  private:
    EGLDisplay display_;
    EGLContext context_;
};

}  // namespace augur::demo
