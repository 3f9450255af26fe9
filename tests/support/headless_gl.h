// An OpenGL context without a window, current on the thread that opened it.
#ifndef AUGUR_TESTS_SUPPORT_HEADLESS_GL_H
#define AUGUR_TESTS_SUPPORT_HEADLESS_GL_H

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <vector>

namespace augur::test {

class HeadlessGl {
  public:
    HeadlessGl() = default;
    HeadlessGl(const HeadlessGl&) = delete;
    HeadlessGl& operator=(const HeadlessGl&) = delete;
    ~HeadlessGl() {
        if (display_ == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }

    // OpenGL 4.5 of the first device that has it, else of the default display. False: there is none.
    bool open() {
        std::vector<EGLDisplay> displays;
        const auto list = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        const auto get =
            reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
        EGLDeviceEXT devices[16];
        EGLint count = 0;
        if (list != nullptr && get != nullptr && list(16, devices, &count) == EGL_TRUE)
            for (EGLint i = 0; i < count; ++i)
                displays.push_back(get(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
        displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
        for (const EGLDisplay display : displays) {
            if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) continue;
            constexpr EGLint kConfig[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
            constexpr EGLint kContext[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
            EGLConfig config = nullptr;
            EGLint configs = 0;
            display_ = display;
            if (eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
                eglChooseConfig(display, kConfig, &config, 1, &configs) == EGL_TRUE && configs > 0)
                context_ = eglCreateContext(display, config, EGL_NO_CONTEXT, kContext);
            if (context_ != EGL_NO_CONTEXT &&
                eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE)
                return true;
            eglTerminate(display);
            display_ = EGL_NO_DISPLAY;
            context_ = EGL_NO_CONTEXT;
        }
        return false;
    }

  private:
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_HEADLESS_GL_H
