#include "support/skirmish_world.h"

#include <algorithm>
#include <cstdlib>

namespace augur::test {
namespace {

using R = rules::Skirmish;

struct Direction {
    int x, y;
};

// East first, then anticlockwise.
constexpr Direction kCompass[8] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

// The compass direction of an offset: a diagonal where both parts are within a factor of two of each other.
std::optional<int> compass(std::int64_t dx, std::int64_t dy) {
    if (dx == 0 && dy == 0) return std::nullopt;
    Direction wanted = {dx > 0 ? 1 : dx < 0 ? -1 : 0, dy > 0 ? 1 : dy < 0 ? -1 : 0};
    if (std::llabs(dy) >= 2 * std::llabs(dx)) wanted.x = 0;
    if (std::llabs(dx) >= 2 * std::llabs(dy)) wanted.y = 0;
    for (int d = 0; d < 8; ++d) {
        if (kCompass[d].x == wanted.x && kCompass[d].y == wanted.y) return d;
    }
    return std::nullopt;
}

}  // namespace

std::int64_t SkirmishWorld::distance(std::size_t a, std::size_t b) const {
    const std::int64_t dx = units[a].x - units[b].x, dy = units[a].y - units[b].y;
    return (dx * dx + dy * dy) / 16;
}

bool SkirmishWorld::hurt(std::size_t unit) const {
    return units[unit].health < R::kUnits[units[unit].kind].full_health;
}

bool SkirmishWorld::is_target(std::size_t unit, std::size_t other) const {
    if (unit == other || units[other].health <= 0) return false;
    const bool friends = units[unit].team == units[other].team;
    return units[unit].kind == R::kHealer ? friends && hurt(other) : !friends;
}

bool SkirmishWorld::in_reach(std::size_t unit, std::size_t other) const {
    const std::int64_t reach = R::kUnits[units[unit].kind].reach;
    return distance(unit, other) <= reach * reach / 16;
}

std::optional<std::size_t> SkirmishWorld::nearest_enemy(std::size_t unit) const {
    std::optional<std::size_t> best;
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (units[other].health <= 0 || units[other].team == units[unit].team) continue;
        if (!best || distance(unit, other) < distance(unit, *best)) best = other;
    }
    return best;
}

std::optional<std::size_t> SkirmishWorld::nearest_friend(std::size_t unit) const {
    std::optional<std::size_t> best;
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (other == unit || units[other].health <= 0 || units[other].team != units[unit].team) continue;
        if (!best || distance(unit, other) < distance(unit, *best)) best = other;
    }
    return best;
}

std::optional<std::size_t> SkirmishWorld::nearest_target(std::size_t unit) const {
    std::optional<std::size_t> best;
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (!is_target(unit, other)) continue;
        if (!best || distance(unit, other) < distance(unit, *best)) best = other;
    }
    return best;
}

std::optional<std::size_t> SkirmishWorld::weakest_target_in_reach(std::size_t unit) const {
    std::optional<std::size_t> best;
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (!is_target(unit, other) || !in_reach(unit, other)) continue;
        if (!best || units[other].health < units[*best].health) best = other;
    }
    return best;
}

bool SkirmishWorld::threatened(std::size_t unit) const {
    const std::optional<std::size_t> enemy = nearest_enemy(unit);
    const std::int64_t radius = R::kThreatRadius;
    return enemy && distance(unit, *enemy) <= radius * radius / 16;
}

bool SkirmishWorld::possible(std::size_t unit, int action) const {
    const SkirmishUnit& u = units[unit];
    if (u.health <= 0 || action < 0 || action >= R::kActions) return false;
    int targets = 0;
    bool patient_in_circle = hurt(unit);
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (is_target(unit, other) && in_reach(unit, other)) ++targets;
        const std::int64_t circle = R::kCircleRadius;
        if (u.kind == R::kHealer && is_target(unit, other) && distance(unit, other) <= circle * circle / 16) {
            patient_in_circle = true;
        }
    }
    switch (action) {
        case R::kAttack:
            return u.cooldown == 0 && targets >= 1;
        case R::kFocus:
            return u.cooldown == 0 && targets >= 2;
        case R::kRetreat:
            return nearest_enemy(unit).has_value();
        case R::kAbility:
            if (u.ability > 0) return false;
            if (u.kind == R::kMelee) return threatened(unit);
            return u.kind == R::kRanged ? targets >= 1 : patient_in_circle;
        default:
            return true;
    }
}

int SkirmishWorld::scripted_action(std::size_t unit) const {
    const std::optional<std::size_t> target = nearest_target(unit);
    if (!target) return R::kHold;
    if (in_reach(unit, *target)) return units[unit].cooldown == 0 ? R::kAttack : R::kHold;
    return *compass(units[*target].x - units[unit].x, units[*target].y - units[unit].y);
}

void SkirmishWorld::advance(const std::vector<int>& actions) {
    const std::vector<SkirmishUnit> before = units;
    deeds.clear();
    on_guard.assign(units.size(), false);
    std::vector<SkirmishUnit> after = units;

    for (std::size_t i = 0; i < units.size(); ++i) {
        if (before[i].health <= 0) continue;
        const R::Unit& ability = R::kUnits[before[i].kind];
        const int action = possible(i, actions[i]) ? actions[i] : R::kHold;
        const bool healer = before[i].kind == R::kHealer;
        SkirmishUnit& u = after[i];
        u.cooldown = std::max(0, u.cooldown - (action == R::kHold ? 2 : 1));
        u.ability = std::max(0, u.ability - 1);

        std::optional<int> direction;
        bool sprint = false;
        if (action <= R::kMoveSouthEast) direction = action;
        if (action == R::kRetreat) {
            const SkirmishUnit& threat = before[*nearest_enemy(i)];
            direction = compass(before[i].x - threat.x, before[i].y - threat.y).value_or(R::kMoveEast);
            sprint = true;
            u.cooldown = std::max(u.cooldown, R::kSprintCooldown);
        }
        if (direction) {
            const bool diagonal = *direction % 2 == 1;
            int length = diagonal ? ability.diagonal : ability.straight;
            if (sprint) length += length / 4;
            u.x += length * kCompass[*direction].x;
            u.y += length * kCompass[*direction].y;
            if (bounded) {
                u.x = std::clamp(u.x, 0, size);
                u.y = std::clamp(u.y, 0, size);
            }
        }

        if (action == R::kAttack || action == R::kFocus) {
            const std::size_t target = action == R::kAttack ? *nearest_target(i) : *weakest_target_in_reach(i);
            deeds.push_back({i, target, ability.amount, healer});
            u.cooldown = ability.cooldown;
        }
        if (action == R::kAbility) {
            u.ability = R::kAbilityPeriod;
            if (before[i].kind == R::kRanged) {
                u.cooldown = ability.cooldown;
                const std::size_t centre = *nearest_target(i);
                const std::int64_t radius = R::kVolleyRadius;
                for (std::size_t j = 0; j < units.size(); ++j) {
                    if (!is_target(i, j) || distance(centre, j) > radius * radius / 16) continue;
                    deeds.push_back({i, j, R::kVolleyDamage, false});
                }
            } else if (healer) {
                const std::int64_t radius = R::kCircleRadius;
                for (std::size_t j = 0; j < units.size(); ++j) {
                    if (before[j].health > 0 && before[j].team == before[i].team &&
                        distance(i, j) <= radius * radius / 16) {
                        deeds.push_back({i, j, R::kCircleAmount, true});
                    }
                }
            }
        }
    }

    std::vector<std::int64_t> damage(units.size(), 0), mended(units.size(), 0);
    for (const Deed& deed : deeds)
        (deed.mends ? mended : damage)[deed.to] += deed.points;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (before[i].health <= 0) continue;
        // The guard covers the ply in which it was raised and the kGuardPlies - 1 after it.
        const bool raised = actions[i] == R::kAbility && possible(i, R::kAbility);
        const int plies_ago = R::kAbilityPeriod - before[i].ability + 1;
        const bool guard =
            before[i].kind == R::kMelee && (raised || (before[i].ability > 0 && plies_ago < R::kGuardPlies));
        on_guard[i] = guard;
        const std::int64_t taken = guard ? (damage[i] + 1) / 2 : damage[i];
        const std::int64_t health = before[i].health - taken + mended[i];
        after[i].health =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(health, 0, R::kUnits[before[i].kind].full_health));
    }
    units = after;
}

std::vector<std::uint32_t> SkirmishWorld::neighbours(std::size_t unit) const {
    std::vector<std::pair<std::int64_t, std::uint32_t>> seen;
    for (std::size_t other = 0; other < units.size(); ++other) {
        if (other == unit || units[other].health <= 0) continue;
        const int shift = R::kCellShift;
        if (std::abs((units[other].x >> shift) - (units[unit].x >> shift)) > 1) continue;
        if (std::abs((units[other].y >> shift) - (units[unit].y >> shift)) > 1) continue;
        const std::int64_t dx = units[other].x - units[unit].x, dy = units[other].y - units[unit].y;
        seen.emplace_back(dx * dx + dy * dy, static_cast<std::uint32_t>(other));
    }
    std::sort(seen.begin(), seen.end());
    if (seen.size() > R::kNeighbours) seen.resize(R::kNeighbours);
    std::vector<std::uint32_t> result;
    for (const auto& [squared, other] : seen)
        result.push_back(other);
    return result;
}

std::vector<std::int32_t> SkirmishWorld::words() const {
    const std::size_t count = units.size();
    std::vector<std::int32_t> words(9 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const SkirmishUnit& u = units[i];
        const std::int32_t column[9] = {u.x,
                                        u.y,
                                        u.health,
                                        u.kind,
                                        u.team,
                                        u.cooldown,
                                        u.ability,
                                        objective ? objective->x : -R::kScale,
                                        objective ? objective->y : -R::kScale};
        for (std::size_t w = 0; w < 9; ++w)
            words[w * count + i] = column[w];
    }
    return words;
}

R::State SkirmishWorld::state(std::size_t unit) const {
    const std::vector<std::int32_t> fields = words();
    const std::vector<std::uint32_t> seen = neighbours(unit);
    R::State state;
    const auto count = static_cast<std::uint32_t>(units.size());
    R::gather(state, {fields.data(), count, count}, static_cast<std::uint32_t>(unit), seen.data(),
              static_cast<int>(seen.size()));
    return state;
}

int SkirmishWorld::living(std::int32_t team) const {
    return static_cast<int>(std::count_if(units.begin(), units.end(),
                                          [&](const SkirmishUnit& u) { return u.team == team && u.health > 0; }));
}

int SkirmishWorld::total_health(std::int32_t team) const {
    int sum = 0;
    for (const SkirmishUnit& u : units)
        sum += u.team == team ? u.health : 0;
    return sum;
}

}  // namespace augur::test
