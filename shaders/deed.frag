in vec2 local;
flat in vec4 shape;
flat in vec3 color;
flat in float strength;
layout(location = 0) out vec4 result;

void main() {
    float alpha;
    if (shape.z > 0.5) {
        float r = length(local);
        float edge = 1.0 - smoothstep(0.0, shape.y, abs(r - shape.x));
        float fill = r < shape.x ? 0.12 : 0.0;
        alpha = max(edge, fill);
    } else {
        float along = local.x / shape.x;
        float inside = step(-0.02, along) * step(along, shape.w);
        float core = 1.0 - smoothstep(0.0, shape.y, abs(local.y));
        float halo = 0.35 * (1.0 - smoothstep(0.0, 2.5 * shape.y, abs(local.y)));
        alpha = max(core, halo) * inside * mix(0.30, 1.0, along / max(shape.w, 1e-3));
    }
    alpha *= strength;
    if (alpha < 0.004) discard;
    result = vec4(color, alpha);
}
