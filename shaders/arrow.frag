in vec2 local;
flat in vec3 color;
flat in float strength;
flat in float pixel;
layout(location = 0) out vec4 result;

void main() {
    vec2 p = vec2(local.x, abs(local.y));
    float shaft = max(p.y - 0.045, max(-p.x, p.x - 0.66));
    float head = max(0.56 - p.x, dot(p - vec2(0.98, 0.0), normalize(vec2(0.62, 1.0))));
    float cover = 1.0 - smoothstep(-0.75 * pixel, 0.75 * pixel, min(shaft, head));
    float alpha = cover * strength * mix(0.25, 0.75, local.x);
    if (alpha < 0.003) discard;
    result = vec4(mix(color, vec3(1.0), 0.25), alpha);
}
