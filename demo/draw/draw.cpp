#include "draw/draw.h"

#include <array>

#include "draw/shaders.h"

namespace augur::demo {
namespace {

constexpr std::size_t kShapesPerFlush = 4096;
constexpr GLuint kViewBinding = 0;
constexpr GLuint kShapeBinding = 7;

// Values shared with shaders/shape.vert.
enum ShapeKind : std::uint32_t { kCapsule = 0, kArc = 1, kBox = 2, kWedge = 3, kHead = 4 };

constexpr float kTurn = 6.28318530718f;

// The block of shaders/view.glsl.
struct ViewBlock {
    float center[2];
    float scale[2];
    float picture[2];
    float units_per_pixel;
    float seconds;
};

}  // namespace

bool Draw::start(std::string& error) {
    shape_program_ = make_program({"shape.vert", "shape.frag"}, error);
    if (shape_program_.name() == 0) return false;
    view_buffer_ = GlBuffer(sizeof(ViewBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
    shape_buffer_ = GlBuffer(static_cast<GLsizeiptr>(kShapesPerFlush * sizeof(Shape)), nullptr, GL_DYNAMIC_STORAGE_BIT);
    glCreateVertexArrays(1, &vertex_array_);
    shapes_.reserve(kShapesPerFlush);
    return true;
}

void Draw::begin(const Camera& camera, Extent picture, float seconds) {
    camera_ = camera;
    picture_ = picture;
    const float aspect = static_cast<float>(picture.width) / static_cast<float>(std::max(picture.height, 1));
    const float half = 0.5f * camera.view_height;
    const ViewBlock view = {{camera.center.x, camera.center.y},
                            {1.0f / (half * aspect), 1.0f / half},
                            {static_cast<float>(picture.width), static_cast<float>(picture.height)},
                            camera.units_per_pixel(picture),
                            seconds};
    glNamedBufferSubData(view_buffer_.name(), 0, sizeof view, &view);
    glBindBufferBase(GL_UNIFORM_BUFFER, kViewBinding, view_buffer_.name());
    glBindVertexArray(vertex_array_);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
}

void Draw::add(std::uint32_t kind, Vec2 a, Vec2 b, float p0, float p1, float p2, float p3, Color color) {
    if (shapes_.size() == kShapesPerFlush) flush();
    shapes_.push_back(
        {{a.x, a.y}, {b.x, b.y}, {p0, p1, p2, p3}, {color.r, color.g, color.b, color.a}, kind, {0, 0, 0}});
}

void Draw::line(Vec2 from, Vec2 to, float width, Color color, float least_pixels) {
    add(kCapsule, from, to, 0.5f * width, 0.0f, 0.5f * least_pixels, 0.0f, color);
}

void Draw::arrow(Vec2 from, Vec2 to, float width, Color color, float least_pixels) {
    const Vec2 along = to - from;
    const float reach = length(along);
    if (reach <= 0.0f) return;
    const float thickness = std::max(width, least_pixels * camera_.units_per_pixel(picture_));
    const float head = std::min(4.0f * thickness, 0.6f * reach);
    const Vec2 neck = to - along * (head / reach);
    line(from, neck, width, color, least_pixels);
    add(kHead, to, neck, 0.55f * head, 0.0f, 0.0f, 0.0f, color);
}

void Draw::disc(Vec2 center, float radius, Color color, float softness) {
    add(kCapsule, center, center, radius, softness, 0.0f, 0.0f, color);
}

void Draw::ring(Vec2 center, float radius, float width, Color color, float least_pixels) {
    add(kArc, center, {0.0f, kTurn}, radius, 0.5f * width, 0.5f * least_pixels, 0.0f, color);
}

void Draw::arc(Vec2 center, float radius, float width, float start, float sweep, Color color) {
    add(kArc, center, {start, sweep}, radius, 0.5f * width, 0.5f, 0.0f, color);
}

void Draw::wedge(Vec2 center, float inner, float outer, float angle, float half_angle, Color color) {
    add(kWedge, center, {angle, half_angle}, inner, outer, 0.0f, 0.0f, color);
}

void Draw::box(Vec2 center, Vec2 half_size, float corner, Color color, float softness) {
    add(kBox, center, half_size, corner, 0.0f, softness, 0.0f, color);
}

void Draw::frame(Vec2 center, Vec2 half_size, float corner, float width, Color color) {
    add(kBox, center, half_size, corner, 0.5f * width, 0.0f, 0.0f, color);
}

void Draw::flush() {
    if (shapes_.empty()) return;
    // Orphaning keeps the driver from waiting for the draw that still reads the previous shapes.
    glInvalidateBufferData(shape_buffer_.name());
    glNamedBufferSubData(shape_buffer_.name(), 0, static_cast<GLsizeiptr>(shapes_.size() * sizeof(Shape)),
                         shapes_.data());
    shape_buffer_.bind_storage(kShapeBinding);
    shape_program_.use();
    glDrawArraysInstanced(GL_TRIANGLES, 0, 6, static_cast<GLsizei>(shapes_.size()));
    shapes_.clear();
}

}  // namespace augur::demo
