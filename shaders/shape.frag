// Signed distances of the shapes of shape.vert; formulas derived from plane geometry.
in vec2 world;
flat in vec4 ab;
flat in vec4 parameter;
flat in vec4 color;
flat in uint kind;
layout(location = 0) out vec4 result;

float capsule(vec2 p, vec2 a, vec2 b, float radius) {
    vec2 d = b - a;
    float t = clamp(dot(p - a, d) / max(dot(d, d), 1e-9), 0.0, 1.0);
    return length(p - a - d * t) - radius;
}

float rounded_box(vec2 p, vec2 half_size, float corner) {
    vec2 q = abs(p) - half_size + corner;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - corner;
}

// Distance to the ring's circle, cut to the angles start .. start + sweep with round ends.
float arc(vec2 p, float start, float sweep, float radius, float thickness) {
    float middle = start + 0.5 * sweep;
    float half_sweep = 0.5 * sweep;
    vec2 q = vec2(dot(p, vec2(cos(middle), sin(middle))), abs(dot(p, vec2(-sin(middle), cos(middle)))));
    if (half_sweep > 3.1415 || atan(q.y, q.x) <= half_sweep) return abs(length(q) - radius) - thickness;
    return length(q - radius * vec2(cos(half_sweep), sin(half_sweep))) - thickness;
}

float wedge(vec2 p, float angle, float half_angle, float inner, float outer) {
    vec2 q = vec2(dot(p, vec2(cos(angle), sin(angle))), abs(dot(p, vec2(-sin(angle), cos(angle)))));
    float r = length(q);
    float radial = max(inner - r, r - outer);
    float side = dot(q, vec2(-sin(half_angle), cos(half_angle)));
    return max(radial, side);
}

float head(vec2 p, vec2 tip, vec2 base, float half_width) {
    vec2 along = tip - base;
    float reach = max(length(along), 1e-6);
    along /= reach;
    vec2 q = vec2(dot(p - base, along), abs(dot(p - base, vec2(-along.y, along.x))));
    vec2 edge = normalize(vec2(half_width, reach));
    return max(-q.x, dot(q - vec2(reach, 0.0), edge));
}

void main() {
    float d;
    float softness = 0.0;
    if (kind == 0u) {
        softness = parameter.y;
        d = capsule(world, ab.xy, ab.zw, parameter.x);
    } else if (kind == 1u) {
        d = arc(world - ab.xy, ab.z, ab.w, parameter.x, parameter.y);
    } else if (kind == 2u) {
        softness = parameter.z;
        d = rounded_box(world - ab.xy, ab.zw, min(parameter.x, min(ab.z, ab.w)));
        if (parameter.y > 0.0) d = abs(d) - parameter.y;
    } else if (kind == 3u) {
        d = wedge(world - ab.xy, ab.z, ab.w, parameter.x, parameter.y);
    } else {
        d = head(world, ab.xy, ab.zw, parameter.x);
    }
    float alpha = color.a * coverage(d, softness);
    if (alpha < 0.002) discard;
    result = vec4(color.rgb, alpha);
}
