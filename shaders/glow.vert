// Each living unit as a wide soft spot, in red or green for its team. Seen by the ground at a fraction of the resolution.
uniform float spot_radius;
out vec2 inside;
flat out vec2 army;

void main() {
    Unit now = units_now[gl_InstanceID];
    Unit before = units_before[gl_InstanceID];
    vec2 center = shown_position(before, now);
    bool gone = now.health <= 0;
    inside = kQuad[gl_VertexID];
    army = now.team == 0 ? vec2(1, 0) : vec2(0, 1);
    gl_Position = gone ? vec4(2, 2, 2, 1) : to_clip(center + inside * spot_radius);
}
