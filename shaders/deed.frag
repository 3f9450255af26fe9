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
        float fill = r < shape.x ? 0.10 * (r / shape.x) : 0.0;
        alpha = max(edge, fill);
    } else {
        // A bright head with a tail behind it; a short way is a plain slash.
        float along = local.x / shape.x;
        float tail = clamp(1.6 / shape.x, 0.30, 1.0);
        float behind = (shape.w - along) / tail;
        float body = behind >= 0.0 ? max(1.0 - behind, 0.0) : 0.0;
        float inside = step(0.0, along) * step(along, 1.0);
        float core = 1.0 - smoothstep(0.25 * shape.y, shape.y, abs(local.y));
        float halo = 0.25 * (1.0 - smoothstep(0.0, 2.0 * shape.y, abs(local.y)));
        alpha = max(core, halo) * body * inside;
    }
    alpha *= strength;
    if (alpha < 0.004) discard;
    result = vec4(color, alpha);
}
