#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <imgui.h>

#include <array>
#include <cstring>

#include "app/surface.h"

namespace augur::demo {
namespace {

template <typename Function>
Function entry_point(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

bool has_word(const char* list, const char* word) {
    return list != nullptr && std::strstr(list, word) != nullptr;
}

/// A display and a context without a surface; draws go to the demo's own framebuffers.
class HeadlessSurface final : public Surface {
  public:
    HeadlessSurface(EGLDisplay display, EGLContext context, Extent extent)
        : display_(display), context_(context), extent_(extent) {}
    ~HeadlessSurface() override {
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }

    GlLoader loader() const override { return reinterpret_cast<GlLoader>(eglGetProcAddress); }
    const char* kind() const override { return "headless (EGL)"; }
    bool interactive() const override { return false; }
    bool attach_overlay() override { return true; }
    void detach_overlay() override {}
    void begin_frame(double seconds) override {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = ImVec2(static_cast<float>(extent_.width), static_cast<float>(extent_.height));
        io.DeltaTime = seconds > 1e-6 ? static_cast<float>(seconds) : 1.0f / 60.0f;
        io.MousePos = ImVec2(-1e6f, -1e6f);
    }
    Extent extent() const override { return extent_; }
    bool should_close() const override { return false; }
    void measure(bool on) override { measuring_ = on; }
    void present(GLuint, Extent) override { measuring_ ? glFinish() : glFlush(); }

  private:
    EGLDisplay display_;
    EGLContext context_;
    Extent extent_;
    bool measuring_ = false;
};

std::unique_ptr<Surface> open_display(EGLDisplay display, Extent extent) {
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) return nullptr;
    const std::array<EGLint, 5> config_wanted = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    const std::array context_wanted = {
        EGL_CONTEXT_MAJOR_VERSION,
        4,
        EGL_CONTEXT_MINOR_VERSION,
        5,
        EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
#ifndef NDEBUG
        EGL_CONTEXT_OPENGL_DEBUG,
        EGL_TRUE,
#endif
        EGL_NONE,
    };
    EGLConfig config = nullptr;
    EGLint config_count = 0;
    EGLContext context = EGL_NO_CONTEXT;
    if (has_word(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context") &&
        eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
        eglChooseConfig(display, config_wanted.data(), &config, 1, &config_count) == EGL_TRUE && config_count > 0) {
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted.data());
    }
    if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) {
        return std::make_unique<HeadlessSurface>(display, context, extent);
    }
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
    return nullptr;
}

std::unique_ptr<Surface> open_devices(Extent extent, bool software) {
    const auto query_devices = entry_point<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    const auto query_string = entry_point<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    const auto platform_display = entry_point<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (query_devices == nullptr || query_string == nullptr || platform_display == nullptr) return nullptr;
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint device_count = 0;
    if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &device_count) == EGL_FALSE) return nullptr;
    for (EGLint i = 0; i < device_count; ++i) {
        const EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
        if (has_word(query_string(device, EGL_EXTENSIONS), "EGL_MESA_device_software") != software) continue;
        if (auto surface = open_display(platform_display(EGL_PLATFORM_DEVICE_EXT, device, nullptr), extent))
            return surface;
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<Surface> make_headless(Extent extent, std::string& error) {
    for (const bool software : {false, true}) {
        if (auto surface = open_devices(extent, software)) return surface;
    }
    const auto platform_display = entry_point<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (platform_display != nullptr) {
        EGLDisplay display = platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (auto surface = open_display(display, extent)) return surface;
    }
    error = "no EGL device and no surfaceless platform offers OpenGL 4.5 core without a display";
    return nullptr;
}

}  // namespace augur::demo
