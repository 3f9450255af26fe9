// A calm dark ground: two grids that fade with the distance, the border of the field, and the glow of the two armies.
in vec2 world;
in vec2 place;
layout(location = 0) out vec4 result;

layout(binding = 0) uniform sampler2D glow;
uniform vec4 field;        // low corner, high corner
uniform float grid_step;   // world units between fine lines
uniform float glow_amount;
uniform vec3 team_color[2];

// How much of a grid line covers this pixel.
float grid(vec2 p, float width) {
    vec2 distance_to_line = abs(fract(p / width - 0.5) - 0.5) * width;
    vec2 cover = 1.0 - smoothstep(vec2(0.0), vec2(1.2 * units_per_pixel), distance_to_line);
    return max(cover.x, cover.y) * smoothstep(5.0, 24.0, width / units_per_pixel);
}

float outside(vec2 p) {
    vec2 d = max(field.xy - p, p - field.zw);
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0);
}

float noise(vec2 p) {
    return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}

void main() {
    float d = outside(world);
    float inside = 1.0 - smoothstep(-0.5 * grid_step, 0.0, d);
    vec3 low = vec3(0.022, 0.028, 0.038);
    vec3 high = vec3(0.044, 0.055, 0.072);
    vec2 from_middle = place - 0.5;
    float light = 1.0 - smoothstep(0.1, 0.95, length(from_middle * vec2(1.0, 0.85)) * 1.35);
    vec3 color = mix(low, high, light);
    color += inside * light * (0.012 * grid(world, grid_step) + 0.022 * grid(world, 8.0 * grid_step)) * vec3(0.8, 1.0, 1.25);
    color = mix(color, low * 0.75, smoothstep(0.0, 4.0 * grid_step, d) * 0.8);
    float border = 1.0 - smoothstep(0.0, 1.5 * units_per_pixel, abs(d));
    color += border * 0.10 * vec3(0.75, 0.9, 1.1);

    vec2 army = texture(glow, place).rg * glow_amount;
    vec2 shine = army / (army + 0.9);
    // Where both are strong the front glows a little warmer than either side.
    color += shine.x * 0.16 * team_color[0] + shine.y * 0.16 * team_color[1];
    color += min(shine.x, shine.y) * 0.10 * vec3(1.0, 0.95, 0.9);

    color += (noise(gl_FragCoord.xy) - 0.5) / 255.0;
    result = vec4(pow(max(color, 0.0), vec3(1.0 / 1.35)), 1.0);
}
