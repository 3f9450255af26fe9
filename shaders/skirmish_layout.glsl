// Buffers of the world's step. Passes: bin, act, settle, in this order.
layout(local_size_x = 64) in;

// What a unit has decided to be after the tick; settle makes it so.
struct Outcome {
    ivec2 place;     // position steps
    int cooldown;
    int ability;
    int facing;
    int deed;
    int target;
    int guard;       // 1: damage of this tick is halved
};

layout(std430, binding = 0) buffer Units { Unit units[]; };
layout(std430, binding = 1) readonly buffer Actions { int actions[]; };
layout(std430, binding = 2) buffer Outcomes { Outcome outcomes[]; };
layout(std430, binding = 3) buffer Hits { ivec2 hits[]; };    // damage, points mended
layout(std430, binding = 4) buffer Heads { int heads[]; };    // first unit of a cell, or -1
layout(std430, binding = 5) buffer Links { int links[]; };    // next unit of the same cell, or -1
layout(std430, binding = 6) buffer Tally { int tally[]; };    // living of team 0 and 1, fallen of team 0 and 1

uniform uint unit_count;
uniform ivec2 field_size;   // position steps
uniform ivec2 cell_count;

const int kCellSteps = 2048;  // 8 world units: more than the longest reach

ivec2 steps_of(vec2 position) { return ivec2(round(position * float(kScale))); }
ivec2 cell_of(ivec2 steps) { return clamp(steps / kCellSteps, ivec2(0), cell_count - 1); }
int cell_index(ivec2 cell) { return cell.y * cell_count.x + cell.x; }
