#include "support/skirmish_states.h"

#include <algorithm>
#include <set>

namespace augur::test {

using R = rules::Skirmish;

SkirmishWorld random_skirmish(SplitMix64& random, int spread) {
    constexpr std::int32_t kMiddle = R::kWorldSize / 2;
    SkirmishWorld world;
    world.bounded = false;
    const int count = 1 + random.below(R::kSeats);
    for (int i = 0; i < count; ++i) {
        SkirmishUnit u;
        u.kind = random.below(R::kKinds);
        u.health = 1 + random.below(R::kUnits[u.kind].full_health);
        if (random.below(3) == 0) u.health = R::kUnits[u.kind].full_health;
        u.team = random.below(2);
        u.cooldown = std::max(0, random.below(6) - 2);
        u.ability = random.below(2) == 0 ? 0 : random.below(R::kAbilityPeriod + 1);
        u.x = kMiddle + random.below(2 * spread + 1) - spread;
        u.y = kMiddle + random.below(2 * spread + 1) - spread;
        if (i > 0 && random.below(12) == 0) {
            u.x = world.units[0].x;
            u.y = world.units[0].y;
        }
        world.units.push_back(u);
    }
    const auto squared = [&](const SkirmishUnit& u) {
        const std::int64_t dx = u.x - world.units[0].x, dy = u.y - world.units[0].y;
        return dx * dx + dy * dy;
    };
    std::stable_sort(world.units.begin() + 1, world.units.end(),
                     [&](const SkirmishUnit& a, const SkirmishUnit& b) { return squared(a) < squared(b); });
    return world;
}

R::State skirmish_state(const std::vector<SkirmishUnit>& friends, const std::vector<SkirmishUnit>& enemies) {
    R::State state{};
    std::size_t seat = 0;
    for (const auto* side : {&friends, &enemies}) {
        for (const SkirmishUnit& u : *side) {
            state.place[seat] = R::place_of(u.x, u.y);
            state.status[seat] = R::status_of(u.health, u.cooldown, u.ability, u.kind, side == &friends);
            ++seat;
        }
    }
    return state;
}

kit::Step<1> skirmish_step(R::State& state, int action) {
    kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
    return R::step(state, {{action}}, none);
}

SkirmishWorld skirmish_of(const R::State& state, const SkirmishUnit& origin) {
    SkirmishWorld world;
    world.bounded = false;
    for (int i = 0; i < R::kSeats; ++i) {
        SkirmishUnit u;
        u.health = R::health_of(state.status[i]);
        u.kind = R::kind_of(state.status[i]);
        u.team = R::friendly(state.status[i]) ? 1 : 0;
        u.cooldown = R::cooldown_of(state.status[i]);
        u.ability = R::ability_of(state.status[i]);
        u.x = origin.x + R::x_of(state.place[i]);
        u.y = origin.y + R::y_of(state.place[i]);
        world.units.push_back(u);
    }
    return world;
}

R::State turned_round(R::State state) {
    for (std::uint32_t& place : state.place)
        place = R::place_of(-R::x_of(place), -R::y_of(place));
    state.objective = R::place_of(-R::x_of(state.objective), -R::y_of(state.objective));
    return state;
}

bool has_ties(const R::State& state) {
    std::set<std::uint32_t> healths;
    for (int i = 0; i < R::kSeats; ++i) {
        if (R::health_of(state.status[i]) == 0) continue;
        if (!healths.insert(state.status[i] & 0xffu).second) return true;
        std::set<std::uint32_t> distances;
        for (int j = 0; j < R::kSeats; ++j) {
            if (i == j || R::health_of(state.status[j]) == 0) continue;
            const std::uint32_t distance = R::grains(R::x_of(state.place[j]) - R::x_of(state.place[i]),
                                                     R::y_of(state.place[j]) - R::y_of(state.place[i]));
            if (!distances.insert(distance).second) return true;
        }
    }
    return false;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_seats(const R::State& state) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seats;
    for (int i = 1; i < R::kSeats; ++i)
        seats.emplace_back(state.status[i], state.place[i]);
    std::sort(seats.begin(), seats.end());
    seats.emplace_back(state.status[0], state.place[0]);
    return seats;
}

}  // namespace augur::test
