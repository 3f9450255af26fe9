// Every living unit carries out its action against the positions of the tick's beginning: hits are counted with integer
// atomics, whose sum does not depend on their order; moves are only noted.
const int kBodySteps = 200;    // two bodies closer than this push each other apart
const int kLongestPush = 40;
const int kSight = 4096;        // farthest enemy from whom a unit runs
const int kLongestReach = 1536;

uniform bool solid_bodies;
uniform int scripted_team;     // this team does not follow its actions but a plain script; -1: none

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

// The best unit found so far: by key, then by lower index.
struct Found {
    int unit;
    uvec2 key;
    ivec2 offset;
};

const Found kNobody = Found(-1, uvec2(0xffffffffu), ivec2(0));

void consider(inout Found best, int unit, uvec2 key, ivec2 offset) {
    bool better = key.x != best.key.x ? key.x < best.key.x : key.y != best.key.y ? key.y < best.key.y : unit < best.unit;
    if (better) best = Found(unit, key, offset);
}

// What a unit sees within `range` steps: whom it could strike, or mend if it is a healer, and whom it has to fear.
struct Seen {
    Found enemy;       // nearest enemy
    Found target;      // nearest target
    Found weakest;     // the target in reach with the least health, the nearer of equals
    int in_reach;      // targets in reach
    bool patient;      // somebody hurt within the mending circle
};

Seen look(uint me, Unit unit, ivec2 here, int range) {
    Seen seen = Seen(kNobody, kNobody, kNobody, 0, unit.health < kFullHealth[unit.kind]);
    bool healer = unit.kind == kHealer;
    uint reach = grains(ivec2(kReach[unit.kind], 0));
    uint limit = grains(ivec2(range, 0));
    int rings = (range + kCellSteps - 1) / kCellSteps;
    ivec2 cell = cell_of(here);
    for (int y = max(cell.y - rings, 0); y <= min(cell.y + rings, cell_count.y - 1); ++y) {
        for (int x = max(cell.x - rings, 0); x <= min(cell.x + rings, cell_count.x - 1); ++x) {
            for (int other = heads[cell_index(ivec2(x, y))]; other >= 0; other = links[other]) {
                ivec2 offset = steps_of(units[other].position) - here;
                if (other == int(me) || any(greaterThan(abs(offset), ivec2(range)))) continue;
                uint distance = grains(offset);
                if (distance > limit) continue;
                bool enemy = units[other].team != unit.team;
                bool hurt = units[other].health < kFullHealth[units[other].kind];
                if (enemy) consider(seen.enemy, other, uvec2(0u, distance), offset);
                if (healer ? enemy || !hurt : !enemy) continue;
                consider(seen.target, other, uvec2(0u, distance), offset);
                seen.patient = seen.patient || distance <= grains(ivec2(kCircleRadius, 0));
                if (distance > reach) continue;
                seen.in_reach += 1;
                consider(seen.weakest, other, uvec2(uint(units[other].health), distance), offset);
            }
        }
    }
    return seen;
}

// An action that is not possible is a hold.
bool possible(int action, Unit unit, Seen seen) {
    if (action >= 0 && action < kMoveCount) return true;
    if (action == kAttack) return unit.cooldown == 0 && seen.in_reach >= 1;
    if (action == kFocus) return unit.cooldown == 0 && seen.in_reach >= 2;
    if (action == kRetreat) return seen.enemy.unit >= 0;
    if (action != kAbility || unit.ability > 0) return false;
    if (unit.kind == kMelee) return seen.enemy.unit >= 0 && seen.enemy.key.y <= grains(ivec2(kThreatRadius, 0));
    return unit.kind == kRanged ? seen.in_reach >= 1 : seen.patient;
}

// What a game without a planner would do: strike or mend the nearest in reach, else walk to it, else to the objective.
int scripted_action(uint me, Unit unit, ivec2 here) {
    Seen seen = look(me, unit, here, kSight);
    if (seen.target.unit >= 0) {
        if (seen.target.key.y <= grains(ivec2(kReach[unit.kind], 0))) return unit.cooldown == 0 ? kAttack : kHold;
        return facing_of(heading(seen.target.offset));
    }
    ivec2 way = steps_of(unit.objective) - here;
    return any(greaterThan(abs(way), ivec2(kScale))) ? facing_of(heading(way)) : kHold;
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

    ivec2 here = steps_of(unit.position);
    int action = unit.team == scripted_team ? scripted_action(me, unit, here) : actions[me];
    Seen seen = Seen(kNobody, kNobody, kNobody, 0, false);
    if (action > kHold) seen = look(me, unit, here, action == kRetreat ? kSight : kLongestReach);
    if (!possible(action, unit, seen)) action = kHold;

    bool healer = unit.kind == kHealer;
    bool sprinted = action == kRetreat;
    bool used = action == kAbility;
    bool strikes = action == kAttack || action == kFocus;
    ivec2 move = ivec2(0);
    Outcome outcome;
    outcome.facing = unit.facing;
    outcome.deed = kDeedNone;
    outcome.target = -1;

    if (action >= 0 && action < kMoveCount) {
        move = walk(unit.kind, heading_of_move(action), false);
        outcome.facing = action;
    } else if (sprinted) {
        ivec2 away = heading(-seen.enemy.offset);
        if (away == ivec2(0)) away = ivec2(1, 0);
        move = walk(unit.kind, away, true);
        outcome.facing = facing_of(away);
    } else if (strikes) {
        Found target = action == kFocus ? seen.weakest : seen.target;
        if (healer) {
            atomicAdd(hits[target.unit].y, kAmount[unit.kind]);
        } else {
            atomicAdd(hits[target.unit].x, kAmount[unit.kind]);
        }
        outcome.deed = healer ? kDeedMend : kDeedStrike;
        outcome.target = target.unit;
        outcome.facing = facing_of(heading(target.offset));
    } else if (used && unit.kind == kMelee) {
        outcome.deed = kDeedGuard;
    } else if (used && healer) {
        spread(here, unit.team, false, kCircleRadius, ivec2(0, kCircleAmount));
        outcome.deed = kDeedCircle;
    } else if (used) {
        spread(here + seen.target.offset, unit.team, true, kVolleyRadius, ivec2(kVolleyDamage, 0));
        outcome.deed = kDeedVolley;
        outcome.target = seen.target.unit;
        outcome.facing = facing_of(heading(seen.target.offset));
    }

    bool struck = strikes || outcome.deed == kDeedVolley;
    outcome.place = clamp(here + move + (solid_bodies ? push_apart(me, here) : ivec2(0)), ivec2(0), field_size);
    int ticked = max(unit.cooldown - (action == kHold ? 2 : 1), 0);
    outcome.cooldown = struck ? kCooldown[unit.kind] : sprinted ? max(ticked, kSprintCooldown) : ticked;
    outcome.ability = used ? kAbilityPeriod : max(unit.ability - 1, 0);
    bool guard = unit.kind == kMelee && (used || unit.ability > kAbilityPeriod - (kGuardPlies - 1));
    outcome.guard = guard ? 1 : 0;
    outcomes[me] = outcome;
}
