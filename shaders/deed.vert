// What happened in the last tick. Two quads per unit: a streak that flies from who acted to whom it struck or mended, and a
// ring for abilities.
out vec2 local;
flat out vec4 shape;      // streak: length of the way, half width, 0, head of the streak (0 .. 1.3); ring: radius, half width, 1, 0
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
    vec3 team = team_color[now.team & 1];
    bool mends = now.deed == kDeedMend || now.deed == kDeedCircle;
    color = mends ? vec3(0.50, 0.95, 0.70) : mix(team, vec3(1.0), 0.50);
    float near = 1.0 - smoothstep(0.35, 1.2, units_per_pixel / radius);
    float pad = 1.5 * units_per_pixel;
    vec2 place;
    if (!ring) {
        float width = max(radius * (now.deed == kDeedVolley ? 0.17 : 0.11), 0.6 * units_per_pixel);
        vec2 d = to - from;
        float reach = max(length(d), 1e-5);
        vec2 along = d / reach;
        vec2 across = vec2(-along.y, along.x);
        local = vec2((corner.x * 0.5 + 0.5) * (reach + 2.0 * pad) - pad, corner.y * (2.0 * width + pad));
        place = from + along * local.x + across * local.y;
        shape = vec4(reach, width, 0.0, blend * 1.3);
        strength = now.target >= 0 ? mix(0.5, 0.95, near) : 0.0;
    } else {
        float size = now.deed == kDeedVolley ? float(kVolleyRadius) / float(kScale)
                   : now.deed == kDeedCircle ? 0.55 * float(kCircleRadius) / float(kScale) : 1.6 * radius;
        float grown = size * (now.deed == kDeedGuard ? 1.0 : smoothstep(0.0, 0.8, blend));
        local = corner * (size + pad);
        place = (now.deed == kDeedVolley ? to : from) + local;
        shape = vec4(grown, max(0.05 * size, 0.7 * units_per_pixel), 1.0, 0.0);
        bool has_ring = now.deed == kDeedVolley || now.deed == kDeedCircle || now.deed == kDeedGuard;
        strength = has_ring ? (1.0 - smoothstep(0.25, 1.0, blend)) * near * (now.deed == kDeedGuard ? 0.55 : 0.40) : 0.0;
        if (now.deed == kDeedGuard) color = mix(team, vec3(1.0), 0.75);
    }
    bool shown = before.health > 0 && now.deed != kDeedNone && strength > 0.0;
    gl_Position = shown ? to_clip(place) : vec4(2, 2, 2, 1);
}
