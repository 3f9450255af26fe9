#include "support/skirmish_arena.h"

#include <algorithm>
#include <map>

#include "support/forest_tree.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

// A step towards the nearest target, or the objective where there is none; a hold with a target in reach.
int approach(const R::State& state, const R::View& view) {
    if (view.in_reach > 0) return R::kHold;
    const std::uint32_t there = view.target != R::kNobody ? state.place[view.target & 15u] : state.objective;
    if (view.target == R::kNobody && state.objective == 0) return R::kHold;
    return R::move_of(R::heading(R::x_of(there) - R::x_of(state.place[0]), R::y_of(there) - R::y_of(state.place[0])));
}

// Moves all but the agent itself by up to `most` each way.
void shake(R::State& state, std::int32_t most, std::uint64_t seed) {
    SplitMix64 random(seed);
    for (std::uint32_t seat = 1; seat < R::kSeats; ++seat) {
        if (R::health_of(state.status[seat]) == 0) continue;
        const std::int32_t dx = random.below(2 * most + 1) - most, dy = random.below(2 * most + 1) - most;
        state.place[seat] = R::place_of(R::x_of(state.place[seat]) + dx, R::y_of(state.place[seat]) + dy);
    }
}

}  // namespace

SkirmishController random_controller(std::uint64_t seed) {
    return [seed](const R::State& state, std::uint32_t unit, std::uint32_t ply) {
        SplitMix64 random(seed ^ (std::uint64_t{ply} << 32 | unit) * 0x9E3779B97F4A7C15ULL);
        const auto mask = R::legal(state, 0);
        return mask.nth(random.below(mask.count()));
    };
}

SkirmishController script_controller() {
    return [](const R::State& state, std::uint32_t, std::uint32_t) -> int {
        if (R::legal(state, 0).test(R::kAttack)) return R::kAttack;
        return approach(state, R::view(state));
    };
}

SkirmishController greedy_controller() {
    return [](const R::State& state, std::uint32_t, std::uint32_t) {
        const auto mask = R::legal(state, 0);
        kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
        R::State held = state;
        const std::int32_t idle = R::step(held, {{R::kHold}}, none).reward[0];
        int best = -1;
        std::int32_t most = idle;
        for (const int action :
             {R::kAbility, R::kAttack, R::kFocus, R::kRetreat, R::kMoveEast, R::kMoveNorthEast, R::kMoveNorth,
              R::kMoveNorthWest, R::kMoveWest, R::kMoveSouthWest, R::kMoveSouth, R::kMoveSouthEast}) {
            if (!mask.test(action)) continue;
            R::State next = state;
            const std::int32_t reward = R::step(next, {{action}}, none).reward[0];
            if (reward > most) {
                most = reward;
                best = action;
            }
        }
        if (best >= 0) return best;
        return approach(state, R::view(state));
    };
}

SkirmishController search_controller(const SearchOptions& options) {
    core::Settings settings = default_settings<R>();
    settings.selection = options.selection;
    settings.exploration = options.selection == core::Selection::puct ? R::kPuct : R::kUct;
    if (options.exploration > 0) settings.exploration = options.exploration;
    if (options.horizon > 0) settings.horizon = options.horizon;
    if (options.carry_over != core::CarryOver::none) {
        settings.carry_over = options.carry_over;
        const auto trees = std::make_shared<std::map<std::uint32_t, ForestTree<R>>>();
        return [=](const R::State& state, std::uint32_t unit, std::uint32_t ply) {
            ForestTree<R>& own = trees->try_emplace(unit, 2 * options.simulations + 1).first->second;
            int action = 0;
            for (std::uint32_t frame = 0; frame < options.frames; ++frame) {
                const std::uint64_t number = std::uint64_t{ply} * options.frames + frame;
                R::State seen = state;
                if (frame + 1 < options.frames) shake(seen, options.drift, number * 4096 + unit);
                action = number == 0 || (frame == 0 && options.renew)
                             ? own.search(seen, settings, options.simulations, options.seed, unit, number).action
                             : own.search_on(seen, settings, options.simulations, number, options.seed, unit).action;
            }
            return action;
        };
    }
    const auto tree = std::make_shared<ForestTree<R>>(options.simulations + 1);
    return [=](const R::State& state, std::uint32_t unit, std::uint32_t ply) {
        return tree->search(state, settings, options.simulations, options.seed, unit, ply).action;
    };
}

SkirmishWorld make_battle(const BattleSetup& setup, std::uint64_t seed) {
    SplitMix64 random(seed);
    SkirmishWorld world;
    world.size = 64 * R::kScale;
    const std::int32_t middle = world.size / 2;
    const int kinds[R::kKinds] = {setup.melee, setup.ranged, setup.healers};
    for (int kind = 0; kind < R::kKinds; ++kind) {
        for (int n = 0; n < kinds[kind]; ++n) {
            SkirmishUnit u;
            u.kind = kind;
            u.health = R::kUnits[kind].full_health;
            // Melee in front, healers behind.
            u.x = middle - (4 + 2 * kind) * R::kScale - random.below(2 * R::kScale);
            u.y = middle + random.below(8 * R::kScale) - 4 * R::kScale;
            world.units.push_back(u);
            u.team = 1;
            u.x = 2 * middle - u.x;
            u.y = 2 * middle - u.y;
            world.units.push_back(u);
        }
    }
    SkirmishUnit centre;
    centre.x = centre.y = middle;
    world.objective = centre;
    return world;
}

BattleResult play_battle(const BattleSetup& setup, std::uint64_t seed, const SkirmishController& team0,
                         const SkirmishController& team1) {
    SkirmishWorld world = make_battle(setup, seed);
    int ply = 0;
    std::vector<int> actions(world.units.size());
    while (ply < setup.plies && world.living(0) > 0 && world.living(1) > 0) {
        for (std::size_t i = 0; i < world.units.size(); ++i) {
            const SkirmishUnit& u = world.units[i];
            if (u.health == 0) continue;
            const SkirmishController& chooses = u.team == 0 ? team0 : team1;
            actions[i] = chooses(world.state(i), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(ply));
        }
        world.advance(actions);
        ++ply;
    }
    BattleResult result{};
    result.plies = ply;
    for (int team = 0; team < 2; ++team) {
        result.health[team] = world.total_health(team);
        result.living[team] = world.living(team);
    }
    result.score = result.health[0] > result.health[1] ? 1.0 : result.health[0] < result.health[1] ? 0.0 : 0.5;
    return result;
}

}  // namespace augur::test
