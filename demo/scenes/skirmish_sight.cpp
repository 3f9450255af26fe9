#include "scenes/skirmish_sight.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace augur::demo {
namespace {

constexpr float kStepsPerUnit = 256.0f;  // what the rules count positions in
constexpr int kCell = 2048;              // steps; a unit sees the cells around its own
constexpr std::size_t kLookedAt = 16;    // nearest others, of which so many are seen:
constexpr int kSeen = 8;
constexpr std::size_t kNumbers = 10;  // of a seat

std::int64_t steps(float position) {
    return std::lrint(position * kStepsPerUnit);
}
std::int64_t cell_of(float position) {
    return steps(position) / kCell;
}
float in_cells(std::int64_t way) {
    return static_cast<float>(way) / static_cast<float>(kCell);
}

// The nearest others by distance, then number.
std::vector<std::uint32_t> nearest_to(const std::vector<WorldUnit>& units, std::uint32_t unit) {
    const WorldUnit& me = units[unit];
    std::vector<std::pair<std::int64_t, std::uint32_t>> near;
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        const WorldUnit& other = units[i];
        const bool in_sight = std::abs(cell_of(other.position[0]) - cell_of(me.position[0])) <= 1 &&
                              std::abs(cell_of(other.position[1]) - cell_of(me.position[1])) <= 1;
        if (i == unit || other.health <= 0 || !in_sight) continue;
        const std::int64_t x = steps(other.position[0]) - steps(me.position[0]);
        const std::int64_t y = steps(other.position[1]) - steps(me.position[1]);
        near.emplace_back(x * x + y * y, i);
    }
    const std::size_t count = std::min(near.size(), kLookedAt);
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
    std::vector<std::uint32_t> nearest;
    for (std::size_t i = 0; i < count; ++i)
        nearest.push_back(near[i].second);
    return nearest;
}

void write_seat(float* out, const WorldUnit& me, const WorldUnit& other) {
    out[0] = 1.0f;
    out[1] = other.team == me.team ? 1.0f : -1.0f;
    out[2] = in_cells(steps(other.position[0]) - steps(me.position[0]));
    out[3] = in_cells(steps(other.position[1]) - steps(me.position[1]));
    out[4] = static_cast<float>(other.health) / 64.0f;
    out[5] = static_cast<float>(other.cooldown) / 16.0f;
    out[6] = static_cast<float>(other.ability) / 16.0f;
    out[7 + other.kind] = 1.0f;
}

// Where to go, halved until it is in sight.
void write_objective(float* out, const WorldUnit& me) {
    if (me.objective[0] < 0.0f || me.objective[1] < 0.0f) return;
    std::int64_t x = steps(me.objective[0]) - steps(me.position[0]);
    std::int64_t y = steps(me.objective[1]) - steps(me.position[1]);
    while (std::max(std::abs(x), std::abs(y)) > kCell) {
        x /= 2;
        y /= 2;
    }
    out[0] = x != 0 || y != 0 ? 1.0f : 0.0f;
    out[1] = in_cells(x);
    out[2] = in_cells(y);
}

}  // namespace

std::vector<float> seen_by(const std::vector<WorldUnit>& units, std::uint32_t unit) {
    if (unit >= units.size() || units[unit].health <= 0) return {};
    const WorldUnit& me = units[unit];
    const std::vector<std::uint32_t> nearest = nearest_to(units, unit);
    // Half of the seats go to enemies where there are so many, the rest by distance.
    const auto all_enemies = static_cast<int>(std::count_if(
        nearest.begin(), nearest.end(), [&](std::uint32_t other) { return units[other].team != me.team; }));
    const int all_friends = static_cast<int>(nearest.size()) - all_enemies;
    int friends = kSeen - std::min(all_enemies, kSeen / 2);
    int enemies = kSeen - std::min(all_friends, friends);

    std::vector<float> numbers((1 + kSeen) * kNumbers + 3, 0.0f);
    float* seat = numbers.data();
    write_seat(seat, me, me);
    for (const std::uint32_t other : nearest) {
        int& left = units[other].team == me.team ? friends : enemies;
        if (left == 0) continue;
        --left;
        seat += kNumbers;
        write_seat(seat, me, units[other]);
    }
    write_objective(numbers.data() + (1 + kSeen) * kNumbers, me);
    return numbers;
}

}  // namespace augur::demo
