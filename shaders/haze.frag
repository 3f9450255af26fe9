// The render load: light that drifts through haze, summed over as many steps as are asked for. The result does not depend on their
// number, its cost does.
uniform int steps;
uniform float time;
in vec2 place;
layout(location = 0) out vec4 result;

float hash(vec2 p) {
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}

float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(cell), hash(cell + vec2(1, 0)), f.x),
               mix(hash(cell + vec2(0, 1)), hash(cell + vec2(1, 1)), f.x), f.y);
}

void main() {
    float light = 0.0;
    for (int i = 0; i < steps; ++i) {
        // Golden-ratio steps fill the depth evenly, however many there are.
        float depth = fract(0.5 + 0.61803398875 * float(i));
        vec2 drift = vec2(0.020, 0.013) * time * (0.5 + depth);
        vec2 p = place * (3.0 + 6.0 * depth) + drift;
        light += noise(p) * noise(2.3 * p + 7.0) * (1.0 - 0.6 * depth);
    }
    light /= float(max(steps, 1));
    result = vec4(vec3(0.55, 0.70, 0.85) * light, 1.0);
}
