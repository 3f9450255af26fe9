// Everything the scenes need to draw, in a few calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/geometry.h"
#include "draw/target.h"

namespace augur::demo {

/// Smooth shapes in world coordinates. They are collected and drawn, in order, by flush().
class Draw {
  public:
    /// Compiles the shaders. Returns false and the compiler's words in `error` when that fails.
    bool start(std::string& error);

    /// What is drawn from here on is seen by `camera`, in a picture of `picture` pixels. Binds the view for all
    /// shaders.
    void begin(const Camera& camera, Extent picture, float seconds);
    const Camera& camera() const { return camera_; }
    Extent picture() const { return picture_; }

    /// A line with round ends. `width` is in world units, and at least `least_pixels` on the screen.
    void line(Vec2 from, Vec2 to, float width, Color color, float least_pixels = 1.0f);
    /// A line that ends in a head at `to`.
    void arrow(Vec2 from, Vec2 to, float width, Color color, float least_pixels = 1.0f);
    void disc(Vec2 center, float radius, Color color, float softness = 0.0f);
    void ring(Vec2 center, float radius, float width, Color color, float least_pixels = 1.0f);
    /// Part of a ring: from angle `start` over `sweep` radians, counter-clockwise.
    void arc(Vec2 center, float radius, float width, float start, float sweep, Color color);
    /// A slice of a ring around direction `angle`.
    void wedge(Vec2 center, float inner, float outer, float angle, float half_angle, Color color);
    void box(Vec2 center, Vec2 half_size, float corner, Color color, float softness = 0.0f);
    void frame(Vec2 center, Vec2 half_size, float corner, float width, Color color);
    void flush();

  private:
    // One shape as shaders/shape.vert reads it.
    struct Shape {
        float a[2];
        float b[2];
        float parameter[4];
        float color[4];
        std::uint32_t kind;
        std::uint32_t padding[3];
    };
    void add(std::uint32_t kind, Vec2 a, Vec2 b, float p0, float p1, float p2, float p3, Color color);

    GlProgram shape_program_;
    GlBuffer view_buffer_;
    GlBuffer shape_buffer_;
    GLuint vertex_array_ = 0;
    std::vector<Shape> shapes_;
    Camera camera_;
    Extent picture_;
};

}  // namespace augur::demo
