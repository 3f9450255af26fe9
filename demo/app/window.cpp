#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <algorithm>

#include "app/surface.h"

namespace augur::demo {
namespace {

/// The sentence of the last GLFW error, for the message that a user reads.
std::string last_error(const char* otherwise) {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : otherwise;
}

class WindowSurface final : public Surface {
  public:
    explicit WindowSurface(GLFWwindow* window) : window_(window) {}
    ~WindowSurface() override {
        glfwDestroyWindow(window_);
        glfwTerminate();
    }

    GlLoader loader() const override { return reinterpret_cast<GlLoader>(glfwGetProcAddress); }
    const char* kind() const override { return "window (GLFW)"; }
    bool interactive() const override { return true; }
    bool attach_overlay() override {
        attached_ = ImGui_ImplGlfw_InitForOpenGL(window_, true);
        return attached_;
    }
    void detach_overlay() override {
        if (attached_) ImGui_ImplGlfw_Shutdown();
        attached_ = false;
    }
    void begin_frame(double) override {
        // A minimised window has nothing to show: wait for events instead of spinning, but wake up to keep planning.
        if (extent().empty()) {
            glfwWaitEventsTimeout(0.05);
        } else {
            glfwPollEvents();
        }
        ImGui_ImplGlfw_NewFrame();
    }
    Extent extent() const override {
        Extent size;
        glfwGetFramebufferSize(window_, &size.width, &size.height);
        return size;
    }
    bool should_close() const override { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
    void measure(bool on) override {
        if (measuring_ != on) glfwSwapInterval(on ? 0 : 1);
        measuring_ = on;
    }
    void present(GLuint framebuffer, Extent picture) override {
        const Extent size = extent();
        if (!size.empty() && !picture.empty()) {
            glBlitNamedFramebuffer(framebuffer, 0, 0, 0, picture.width, picture.height, 0, 0, size.width, size.height,
                                   GL_COLOR_BUFFER_BIT, GL_NEAREST);
        }
        glfwSwapBuffers(window_);
        if (measuring_) glFinish();
    }

  private:
    GLFWwindow* window_;
    bool attached_ = false;
    bool measuring_ = false;
};

}  // namespace

std::unique_ptr<Surface> make_window(const char* title, Extent extent, std::string& error) {
    if (glfwInit() == GLFW_FALSE) {
        error = "no window can be opened: " + last_error("GLFW could not start");
        return nullptr;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
#ifndef NDEBUG
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
    // A picture larger than the screen gets a window of the screen's size.
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr) {
        int x = 0;
        int y = 0;
        Extent room;
        glfwGetMonitorWorkarea(monitor, &x, &y, &room.width, &room.height);
        if (!room.empty()) extent = {std::min(extent.width, room.width), std::min(extent.height, room.height)};
    }
    GLFWwindow* window = glfwCreateWindow(extent.width > 0 ? extent.width : 1, extent.height > 0 ? extent.height : 1,
                                          title, nullptr, nullptr);
    if (window == nullptr) {
        error = "no window with OpenGL 4.5 can be opened: " + last_error("the driver gave no reason");
        glfwTerminate();
        return nullptr;
    }
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    if (extent.empty()) glfwIconifyWindow(window);
    return std::make_unique<WindowSurface>(window);
}

}  // namespace augur::demo
