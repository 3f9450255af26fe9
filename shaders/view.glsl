// What every shader knows about the camera and the picture (draw/draw.cpp fills it).
layout(std140, binding = 0) uniform View {
    vec2 view_center;      // world units
    vec2 view_scale;       // world units to clip space
    vec2 view_picture;     // pixels
    float units_per_pixel;
    float view_seconds;
};

vec4 to_clip(vec2 world) { return vec4((world - view_center) * view_scale, 0.0, 1.0); }

const vec2 kQuad[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));

// Coverage of a shape whose signed distance is d, one pixel of blur; softness widens it.
float coverage(float d, float softness) {
    float blur = max(units_per_pixel, 1e-6) * 0.75 + softness;
    return 1.0 - smoothstep(-blur, blur, d);
}
