// What was decided comes true: places, health, deaths; and who has waited long enough comes back with the next wave.
uniform uint seed;

const int kWaveTicks = 24;
const uint kGates = 5u;

uint mixed(uint x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

void main() {
    uint me = gl_GlobalInvocationID.x;
    if (me >= unit_count) return;
    Unit unit = units[me];
    unit.deed = kDeedNone;
    unit.target = -1;
    if (unit.health > 0) {
        Outcome outcome = outcomes[me];
        ivec2 hit = hits[me];
        int taken = outcome.guard != 0 ? (hit.x + 1) >> 1 : hit.x;
        unit.health = clamp(unit.health - taken + hit.y, 0, kFullHealth[unit.kind]);
        unit.position = vec2(outcome.place) / float(kScale);
        unit.cooldown = outcome.cooldown;
        unit.ability = outcome.ability;
        unit.facing = outcome.facing;
        unit.deed = outcome.deed;
        unit.target = outcome.target;
        unit.timer = 0;
        if (unit.health == 0) atomicAdd(tally[2 + (unit.team & 1)], 1);
    } else {
        uint luck = mixed(me * 0x9e3779b9u ^ mixed(seed + uint(unit.wave)));
        unit.timer += 1;
        if (unit.timer > kWaveTicks + int(luck & 31u)) {
            // Back through one of the gates on its own side, together with its company.
            uint gate = mixed((me >> 6) * 0x9e3779b9u ^ mixed(seed ^ uint(unit.wave))) % kGates;
            int depth = field_size.x / 8 + int((luck >> 5) & 1023u);
            int lane = (field_size.y / int(kGates)) * int(gate) + field_size.y / (2 * int(kGates));
            int along = lane + int((luck >> 15) & 4095u) - 2048;
            ivec2 place = ivec2(unit.team == 0 ? depth : field_size.x - depth, along);
            unit.position = vec2(clamp(place, ivec2(0), field_size)) / float(kScale);
            unit.objective.y = unit.position.y;
            unit.health = kFullHealth[unit.kind];
            unit.cooldown = 0;
            unit.ability = 0;
            unit.facing = unit.team == 0 ? 0 : 4;
            unit.timer = 0;
            unit.wave += 1;
        }
    }
    units[me] = unit;
}
