// The two states between which the world is drawn, and the plan that is shown. They are copies, so drawing never touches
// what the planner is reading or writing.
layout(std430, binding = 0) readonly buffer ShownNow { Unit units_now[]; };
layout(std430, binding = 1) readonly buffer ShownBefore { Unit units_before[]; };
layout(std430, binding = 2) readonly buffer ShownActions { int actions_shown[]; };

uniform float blend;          // 0: before, 1: now
uniform float radius;         // of a unit, world units
uniform vec3 team_color[2];

bool born(Unit before, Unit now) { return before.health <= 0 && now.health > 0; }
bool dying(Unit before, Unit now) { return before.health > 0 && now.health <= 0; }

vec2 shown_position(Unit before, Unit now) {
    return born(before, now) ? now.position : mix(before.position, now.position, blend);
}
