// One sprite per unit, drawn between its last state and the present one.
out vec2 local;           // in radii, turned so that +x is ahead
flat out vec3 color;
flat out float fade;
flat out float life;      // health, 0 .. 1
flat out int kind;
flat out float pixel;     // one pixel, in radii
flat out float flash;     // just hurt

const float kMargin = 1.55;
const float kBodySize[3] = float[3](1.10, 1.0, 0.98);

void main() {
    Unit now = units_now[gl_InstanceID];
    Unit before = units_before[gl_InstanceID];
    bool arrives = born(before, now);
    bool falls = dying(before, now);
    vec2 center = shown_position(before, now);
    fade = arrives ? blend : falls ? 1.0 - blend : now.health > 0 ? 1.0 : 0.0;
    float size = radius * kBodySize[now.kind] * (falls ? 1.0 + 0.6 * blend : arrives ? 0.6 + 0.4 * blend : 1.0);
    size = max(size, 1.3 * units_per_pixel);

    float angle = float(now.facing) * 0.785398163;
    float turn = float(before.facing) * 0.785398163;
    float difference = mod(angle - turn + 3.14159265, 6.28318531) - 3.14159265;
    angle = turn + difference * smoothstep(0.0, 0.5, blend);
    // A healer's cross stands upright.
    vec2 ahead = now.kind == kHealer ? vec2(1.0, 0.0) : vec2(cos(angle), sin(angle));
    local = kQuad[gl_VertexID] * kMargin;
    vec2 offset = (ahead * local.x + vec2(-ahead.y, ahead.x) * local.y) * size;

    color = team_color[now.team & 1];
    life = clamp(mix(float(before.health), float(now.health), arrives ? 1.0 : blend) / float(kFullHealth[now.kind]), 0.0, 1.0);
    kind = now.kind;
    pixel = units_per_pixel / size;
    flash = now.health < before.health && !arrives ? 1.0 - blend : 0.0;
    gl_Position = fade > 0.0 ? to_clip(center + offset) : vec4(2, 2, 2, 1);
}
