// Lines, rings, boxes, wedges and arrow heads: one quad each, large enough for the shape and its blur.
struct Shape {
    vec2 a;
    vec2 b;
    vec4 parameter;
    vec4 color;
    uvec4 kind;
};
layout(std430, binding = 7) readonly buffer Shapes { Shape shapes[]; };

out vec2 world;
flat out vec4 ab;
flat out vec4 parameter;
flat out vec4 color;
flat out uint kind;

void main() {
    Shape shape = shapes[gl_InstanceID];
    vec2 corner = kQuad[gl_VertexID];
    float pad = 2.0 * units_per_pixel;
    vec2 center = shape.a;
    vec2 along = vec2(1, 0);
    vec2 extent = vec2(0);
    parameter = shape.parameter;
    if (shape.kind.x == 0u) {
        parameter.x = max(parameter.x, parameter.z * units_per_pixel);
        vec2 d = shape.b - shape.a;
        float reach = length(d);
        center = 0.5 * (shape.a + shape.b);
        along = reach > 0.0 ? d / reach : vec2(1, 0);
        extent = vec2(0.5 * reach, 0.0) + parameter.x + parameter.y;
    } else if (shape.kind.x == 1u) {
        parameter.y = max(parameter.y, parameter.z * units_per_pixel);
        extent = vec2(parameter.x + parameter.y);
    } else if (shape.kind.x == 2u) {
        extent = shape.b + parameter.y + parameter.z;
    } else if (shape.kind.x == 3u) {
        extent = vec2(parameter.y);
    } else {
        vec2 d = shape.a - shape.b;
        float reach = max(length(d), 1e-6);
        center = 0.5 * (shape.a + shape.b);
        along = d / reach;
        extent = vec2(0.5 * reach, parameter.x);
    }
    vec2 across = vec2(-along.y, along.x);
    vec2 offset = corner * (extent + pad);
    world = center + along * offset.x + across * offset.y;
    ab = vec4(shape.a, shape.b);
    color = shape.color;
    kind = shape.kind.x;
    gl_Position = to_clip(world);
}
