// A slider's worth of shading on top of the demo's own: what a heavier game would ask of the GPU.
#pragma once

#include <string>

#include "app/gl.h"
#include "draw/target.h"

namespace augur::demo {

inline constexpr float kMostRenderLoadMs = 50.0f;

/// Light through haze (shaders/haze.frag), drawn into a picture of its own and laid over the world. How many steps a
/// millisecond is worth is measured once, when nothing else runs, and kept: the load stays the same work however busy
/// the GPU is. Frame thread only.
class RenderLoad {
  public:
    bool start(std::string& error);
    /// 0: none. Measures where that was not done yet, which takes some ten milliseconds.
    void set_ms(float ms);
    float ms() const { return ms_; }
    /// Steps of the shader that this comes to.
    int steps() const { return steps_; }
    double ms_per_step() const { return ms_per_step_; }

    /// Shades, and adds to the bound picture `picture`. Leaves OpenGL as Draw::begin does.
    void draw(const Target& picture, float seconds);

  private:
    void shade(int steps, float seconds);
    void measure();

    GlProgram haze_;
    GlProgram blend_;
    Target target_{GL_RGBA16F};
    GLuint vertex_array_ = 0;
    float ms_ = 0.0f;
    int steps_ = 0;
    double ms_per_step_ = 0.0;
};

}  // namespace augur::demo
