// What happened in the last tick: shots, blows and mending as lines that run to their target and fade; abilities as rings.
// Two quads per unit: the line, and the ring at its end.
out vec2 local;
flat out vec4 shape;      // length of the line or radius of the ring, half width, 1 for a ring, how far the line has run
flat out vec3 color;
flat out float strength;

void main() {
    int index = gl_InstanceID >> 1;
    bool ring = (gl_InstanceID & 1) == 1;
    Unit now = units_now[index];
    Unit before = units_before[index];
    vec2 corner = kQuad[gl_VertexID];
    vec2 from = before.position;
    vec2 to = now.target >= 0 ? units_before[now.target].position : from;
    bool line = now.target >= 0;
    float width = max(radius * (now.deed == kDeedVolley ? 0.16 : 0.11), 0.7 * units_per_pixel);
    vec3 team = team_color[now.team & 1];
    color = now.deed == kDeedMend || now.deed == kDeedCircle ? vec3(0.55, 0.98, 0.72) : mix(team, vec3(1.0), 0.45);
    float pixel = units_per_pixel / radius;
    float near = 1.0 - smoothstep(0.35, 1.4, pixel);
    float pad = 1.5 * units_per_pixel;
    vec2 place;
    if (!ring) {
        vec2 d = to - from;
        float reach = max(length(d), 1e-5);
        vec2 along = d / reach;
        vec2 across = vec2(-along.y, along.x);
        float inset = min(radius * 0.9, reach * 0.3);
        from += along * inset;
        reach = max(reach - 2.0 * inset, 1e-5);
        local = vec2((corner.x * 0.5 + 0.5) * (reach + 2.0 * pad) - pad, corner.y * (2.5 * width + pad));
        place = from + along * local.x + across * local.y;
        shape = vec4(reach, width, 0.0, clamp(blend * 2.2, 0.0, 1.0));
        strength = line ? (1.0 - smoothstep(0.35, 1.0, blend)) * mix(0.45, 1.0, near) : 0.0;
    } else {
        float size = now.deed == kDeedVolley ? kVolleyReach : now.deed == kDeedCircle ? kCircleReach : 1.7 * radius;
        float grown = size * (now.deed == kDeedGuard ? 1.0 : smoothstep(0.0, 0.7, blend));
        local = corner * (size + pad);
        place = (now.deed == kDeedVolley ? to : from) + local;
        shape = vec4(grown, max(0.07 * size, 0.8 * units_per_pixel), 1.0, 0.0);
        bool has_ring = now.deed == kDeedVolley || now.deed == kDeedCircle || now.deed == kDeedGuard;
        strength = has_ring ? (1.0 - smoothstep(0.3, 1.0, blend)) * near * 0.8 : 0.0;
        if (now.deed == kDeedGuard) color = vec3(0.92, 0.95, 1.0);
    }
    bool shown = before.health > 0 && now.deed != kDeedNone && strength > 0.0;
    gl_Position = shown ? to_clip(place) : vec4(2, 2, 2, 1);
}
