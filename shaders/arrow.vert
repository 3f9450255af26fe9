// What every unit plans to do next: a short arrow for a move, a tick towards the enemy's side for an attack. One quad each.
uniform int scripted_team;   // has no plans to show

out vec2 local;           // x along the arrow, 0 .. 1; y across, in arrow lengths
flat out vec3 color;
flat out float strength;
flat out float pixel;     // one pixel, in arrow lengths

void main() {
    Unit now = units_now[gl_InstanceID];
    Unit before = units_before[gl_InstanceID];
    int action = actions_shown[gl_InstanceID];
    bool moves = action >= 0 && action < kMoveCount;
    bool shown = now.health > 0 && moves && now.team != scripted_team;
    float angle = float(action) * 0.785398163;
    vec2 along = vec2(cos(angle), sin(angle));
    vec2 across = vec2(-along.y, along.x);
    float reach = radius * 1.9;
    vec2 start = shown_position(before, now) + along * radius * 1.25;
    vec2 corner = kQuad[gl_VertexID];
    local = vec2(corner.x * 0.5 + 0.5, corner.y * 0.42);
    color = team_color[now.team & 1];
    pixel = units_per_pixel / reach;
    strength = 1.0 - smoothstep(0.06, 0.20, pixel);
    gl_Position = shown && strength > 0.0 ? to_clip(start + along * local.x * reach + across * local.y * reach) : vec4(2, 2, 2, 1);
}
