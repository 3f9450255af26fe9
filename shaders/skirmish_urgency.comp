// How much each unit needs to think: most where an enemy is beside it, little where none is in sight. The planner divides its
// simulations by these numbers.
layout(std430, binding = 7) writeonly buffer Urgencies { float urgencies[]; };

const int kAlert = 4096;  // position steps within which an enemy matters

uniform float peak;  // beside an enemy; far from all it is 1
uniform float fall;  // how fast it falls off with the distance

void main() {
    uint me = gl_GlobalInvocationID.x;
    if (me >= unit_count) return;
    Unit unit = units[me];
    ivec2 here = steps_of(unit.position);
    ivec2 cell = cell_of(here);
    int rings = (kAlert + kCellSteps - 1) / kCellSteps;
    float nearest = float(kAlert);
    for (int y = max(cell.y - rings, 0); y <= min(cell.y + rings, cell_count.y - 1); ++y) {
        for (int x = max(cell.x - rings, 0); x <= min(cell.x + rings, cell_count.x - 1); ++x) {
            for (int other = heads[cell_index(ivec2(x, y))]; other >= 0; other = links[other]) {
                if (units[other].team == unit.team || units[other].health <= 0) continue;
                nearest = min(nearest, length(vec2(steps_of(units[other].position) - here)));
            }
        }
    }
    float near = 1.0 - nearest / float(kAlert);
    urgencies[me] = unit.health > 0 ? 1.0 + (peak - 1.0) * pow(near, fall) : 1.0;
}
