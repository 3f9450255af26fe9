// Every living unit carries out its action against the positions of the tick's beginning: hits are counted with integer
// atomics, whose sum does not depend on their order; moves are only noted.
const int kBodySteps = 200;    // two bodies closer than this push each other apart
const int kLongestPush = 40;
const int kSight = 4096;        // farthest enemy from whom a unit runs

uint grains(ivec2 d) { return uint(d.x * d.x + d.y * d.y) >> kDistanceGrain; }

// The nearest of eight directions.
ivec2 heading(ivec2 d) {
    ivec2 a = abs(d);
    return ivec2(2 * a.x > a.y ? sign(d.x) : 0, 2 * a.y > a.x ? sign(d.y) : 0);
}

ivec2 heading_of_move(int action) {
    const ivec2 table[8] = ivec2[8](ivec2(1, 0), ivec2(1, 1), ivec2(0, 1), ivec2(-1, 1), ivec2(-1, 0), ivec2(-1, -1), ivec2(0, -1), ivec2(1, -1));
    return table[action & 7];
}

int facing_of(ivec2 h) {
    for (int i = 0; i < 8; ++i) {
        if (heading_of_move(i) == h) return i;
    }
    return 0;
}

ivec2 walk(int kind, ivec2 h, bool sprint) {
    int pace = h.x != 0 && h.y != 0 ? kDiagonal[kind] : kStraight[kind];
    return h * (pace + (sprint ? pace >> 2 : 0));
}

// Whom a search in the grid found: by distance, or by health and then distance; ties to the lower index.
struct Found {
    int unit;
    uvec2 key;
    ivec2 offset;
};

// The best unit of the wanted side within `reach` steps. weakest: by lowest health instead of distance; hurt: only units
// below full health.
Found find(uint me, ivec2 here, int team, bool enemies, int reach, bool weakest, bool hurt) {
    Found best = Found(-1, uvec2(0xffffffffu), ivec2(0));
    int rings = (reach + kCellSteps - 1) / kCellSteps;
    ivec2 cell = cell_of(here);
    uint limit = grains(ivec2(reach, 0));
    for (int y = max(cell.y - rings, 0); y <= min(cell.y + rings, cell_count.y - 1); ++y) {
        for (int x = max(cell.x - rings, 0); x <= min(cell.x + rings, cell_count.x - 1); ++x) {
            for (int other = heads[cell_index(ivec2(x, y))]; other >= 0; other = links[other]) {
                if (other == int(me) || (units[other].team != team) != enemies) continue;
                if (hurt && units[other].health >= kFullHealth[units[other].kind]) continue;
                ivec2 offset = steps_of(units[other].position) - here;
                if (any(greaterThan(abs(offset), ivec2(reach)))) continue;
                uint distance = grains(offset);
                if (distance > limit) continue;
                uvec2 key = uvec2(weakest ? uint(units[other].health) : 0u, distance);
                bool better = key.x != best.key.x ? key.x < best.key.x : key.y != best.key.y ? key.y < best.key.y : other < best.unit;
                if (better) best = Found(other, key, offset);
            }
        }
    }
    return best;
}

// Adds damage or mending to every unit of one side around a place.
void spread(ivec2 place, int team, bool enemies, int radius, ivec2 hit) {
    ivec2 cell = cell_of(place);
    uint limit = grains(ivec2(radius, 0));
    for (int y = max(cell.y - 1, 0); y <= min(cell.y + 1, cell_count.y - 1); ++y) {
        for (int x = max(cell.x - 1, 0); x <= min(cell.x + 1, cell_count.x - 1); ++x) {
            for (int other = heads[cell_index(ivec2(x, y))]; other >= 0; other = links[other]) {
                if ((units[other].team != team) != enemies) continue;
                ivec2 offset = steps_of(units[other].position) - place;
                if (any(greaterThan(abs(offset), ivec2(radius))) || grains(offset) > limit) continue;
                if (hit.x != 0) atomicAdd(hits[other].x, hit.x);
                if (hit.y != 0) atomicAdd(hits[other].y, hit.y);
            }
        }
    }
}

// Bodies do not stand inside each other: a small push away from everyone who is too close. Sums of whole numbers.
ivec2 push_apart(uint me, ivec2 here) {
    ivec2 push = ivec2(0);
    ivec2 low = cell_of(here - kBodySteps);
    ivec2 high = cell_of(here + kBodySteps);
    for (int y = low.y; y <= high.y; ++y) {
        for (int x = low.x; x <= high.x; ++x) {
            for (int other = heads[cell_index(ivec2(x, y))]; other >= 0; other = links[other]) {
                if (other == int(me)) continue;
                ivec2 offset = here - steps_of(units[other].position);
                ivec2 gap = kBodySteps - abs(offset);
                if (gap.x <= 0 || gap.y <= 0) continue;
                // Two units at one place part by their numbers.
                if (offset == ivec2(0)) offset = int(me) < other ? ivec2(1, (int(me) & 1) * 2 - 1) : ivec2(-1, 1 - (other & 1) * 2);
                if (gap.x <= gap.y) {
                    push.x += (offset.x >= 0 ? 1 : -1) * (gap.x / 4 + 1);
                } else {
                    push.y += (offset.y >= 0 ? 1 : -1) * (gap.y / 4 + 1);
                }
            }
        }
    }
    return clamp(push, ivec2(-kLongestPush), ivec2(kLongestPush));
}

void main() {
    uint me = gl_GlobalInvocationID.x;
    if (me >= unit_count) return;
    Unit unit = units[me];
    if (unit.health <= 0) return;

    int action = actions[me];
    ivec2 here = steps_of(unit.position);
    ivec2 move = ivec2(0);
    bool struck = false;
    bool sprinted = false;
    bool used = false;
    Outcome outcome;
    outcome.facing = unit.facing;
    outcome.deed = kDeedNone;
    outcome.target = -1;

    bool healer = unit.kind == kHealer;
    int reach = kReach[unit.kind];
    if (action >= 0 && action < kMoveCount) {
        ivec2 h = heading_of_move(action);
        move = walk(unit.kind, h, false);
        outcome.facing = action;
    } else if ((action == kAttack || action == kFocus) && unit.cooldown == 0) {
        Found target = find(me, here, unit.team, !healer, reach, action == kFocus, healer);
        if (target.unit >= 0) {
            ivec2 hit = healer ? ivec2(0, kAmount[unit.kind]) : ivec2(kAmount[unit.kind], 0);
            if (healer) {
                atomicAdd(hits[target.unit].y, hit.y);
            } else {
                atomicAdd(hits[target.unit].x, hit.x);
            }
            struck = true;
            outcome.deed = healer ? kDeedMend : kDeedStrike;
            outcome.target = target.unit;
            outcome.facing = facing_of(heading(target.offset));
        }
    } else if (action == kRetreat) {
        Found enemy = find(me, here, unit.team, true, kSight, false, false);
        ivec2 away = enemy.unit >= 0 ? heading(-enemy.offset) : ivec2(0);
        if (enemy.unit >= 0 && away == ivec2(0)) away = ivec2(1, 0);
        move = walk(unit.kind, away, true);
        sprinted = true;
        if (away != ivec2(0)) outcome.facing = facing_of(away);
    } else if (action == kAbility && unit.ability == 0) {
        used = true;
        if (unit.kind == kMelee) {
            outcome.deed = kDeedGuard;
        } else if (healer) {
            spread(here, unit.team, false, kCircleRadius, ivec2(0, kCircleAmount));
            outcome.deed = kDeedCircle;
        } else {
            Found target = find(me, here, unit.team, true, reach, false, false);
            if (target.unit >= 0) {
                spread(here + target.offset, unit.team, true, kVolleyRadius, ivec2(kVolleyDamage, 0));
                outcome.deed = kDeedVolley;
                outcome.target = target.unit;
                outcome.facing = facing_of(heading(target.offset));
            }
            struck = true;
        }
    }

    outcome.place = clamp(here + move + push_apart(me, here), ivec2(0), field_size);
    int ticked = max(unit.cooldown - (action == kHold ? 2 : 1), 0);
    outcome.cooldown = struck ? kCooldown[unit.kind] : sprinted ? max(ticked, kSprintCooldown) : ticked;
    outcome.ability = used ? kAbilityPeriod : max(unit.ability - 1, 0);
    bool guard = unit.kind == kMelee && (used || unit.ability > kAbilityPeriod - (kGuardPlies - 1));
    outcome.guard = guard ? 1 : 0;
    outcomes[me] = outcome;
}
