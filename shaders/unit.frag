// The sprite as signed distances: a body that tells the kind, a nose that tells the facing, a ring that tells the health.
in vec2 local;
flat in vec3 color;
flat in float fade;
flat in float life;
flat in int kind;
flat in float pixel;
flat in float flash;
layout(location = 0) out vec4 result;

float smooth_edge(float d) { return 1.0 - smoothstep(-0.75 * pixel, 0.75 * pixel, d); }

float box(vec2 p, vec2 half_size, float corner) {
    vec2 q = abs(p) - half_size + corner;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - corner;
}

// A rounded arrow head that points along +x.
float chevron(vec2 p) {
    vec2 q = vec2(p.x, abs(p.y));
    float tip = dot(q - vec2(0.86, 0.0), normalize(vec2(0.62, 0.80)));
    float tail = -q.x - 0.58;
    float notch = dot(vec2(-0.22, 0.0) - q, normalize(vec2(0.85, -0.52)));
    return max(max(tip, tail), notch);
}

// A kite with its long corner ahead.
float kite(vec2 p) {
    vec2 q = vec2(p.x, abs(p.y));
    float ahead = dot(q - vec2(0.92, 0.0), normalize(vec2(0.56, 0.92)));
    float behind = dot(q - vec2(-0.66, 0.0), normalize(vec2(-0.62, 0.66)));
    return max(ahead, behind);
}

float body(vec2 p) {
    if (kind == kMelee) return chevron(p);
    if (kind == kHealer) return length(p) - 0.66;
    return kite(p);
}

// What marks the kind inside the body, drawn dark.
float mark(vec2 p) {
    if (kind == kHealer) return min(box(p, vec2(0.38, 0.12), 0.03), box(p, vec2(0.12, 0.38), 0.03));
    if (kind == kMelee) return 1.0;
    return length(p - vec2(0.02, 0.0)) - 0.20;
}

void main() {
    float far = smoothstep(0.10, 0.45, pixel);  // 1: only a few pixels large, so a plain dot reads better
    float r = length(local);
    float d = mix(body(local), r - 0.75, far);
    float solid = smooth_edge(d);
    vec3 shade = color * mix(0.80 + 0.28 * (local.x * 0.5 + 0.5), 0.98, far);
    float inner = smooth_edge(d + 0.13);
    vec3 fill = mix(mix(shade * 1.28, vec3(1.0), 0.10), shade, inner);
    fill = mix(fill, vec3(0.03, 0.05, 0.08), smooth_edge(mark(local)) * 0.85 * (1.0 - far));
    fill = mix(fill, vec3(1.0), flash * 0.75);
    fill *= mix(0.62, 1.0, smoothstep(0.0, 0.6, life));

    // Health: an arc that starts at the top of the screen would turn with the unit, so it starts behind its nose.
    float ring = abs(r - 1.16) - 0.06;
    float angle = abs(atan(local.y, -local.x)) / 3.14159265;
    float hurt = 1.0 - step(0.995, life);
    float near = 1.0 - smoothstep(0.06, 0.16, pixel);
    float ring_cover = smooth_edge(ring) * hurt * near;
    vec3 ring_color = angle <= life ? mix(vec3(1.0, 0.36, 0.40), vec3(0.88, 0.96, 1.0), smoothstep(0.25, 0.6, life)) : vec3(0.10, 0.12, 0.15);

    float shadow = (1.0 - smoothstep(0.45, 1.25, r)) * 0.30 * (1.0 - far);
    vec4 color_out = vec4(vec3(0.0), shadow);
    color_out = mix(color_out, vec4(ring_color, 0.9), ring_cover * (angle <= life ? mix(0.95, 0.55, smoothstep(0.25, 0.6, life)) : 0.45));
    color_out = mix(color_out, vec4(fill, 1.0), solid);
    color_out.a *= fade;
    if (color_out.a < 0.003) discard;
    result = color_out;
}
