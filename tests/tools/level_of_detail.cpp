// Does it pay to think where it matters? Skirmish battles of an army whose simulations are divided by urgency against
// one whose units all have the same, or against the greedy one.
//
// Usage: augur_level_of_detail [options]
//   --battles N      seeds; each is fought twice with sides changed [default 50]
//   --opponent NAME  uniform: a search with the same simulations for every unit; greedy [default uniform]
//   --uniform N      simulations of every unit of the opponent [default 64]
//   --mean N         simulations of the army's units on average [default 32]
//   --most N         of one unit [default: uniform]
//   --least N        of one unit [default 16]
//   --urgency NAME   equal: of everybody alike
//                    near: 1 with an enemy within --distance, else --calm
//                    engaged: as near, and --calm too while the unit reloads
//   --distance X     units of length [default 12]
//   --calm X         urgency of a unit that has nothing to decide at once [default 0.1]
//   --stagger N      battle b begins b * N / battles plies late, so that not all are at the same point at once [default
//   60]
//   --apart X        units of length that each army stands further back at first, 0 .. 20 [default 0: they see each
//   other]
//   --army M,R,H     melee, ranged, healers a side [default 3,3,1]
// Prints CSV: urgency,mean,most,least,opponent,uniform,army,apart,battles,won,drawn,lost,points,low,high,own,theirs
// where low and high are the 95 % Wilson interval of the points, own and theirs the simulations of a unit and ply in
// the mean. Budgets are in simulations: the same numbers in every run and on every machine.

#include <algorithm>
#include <augur/augur.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/skirmish_arena.h"
#include "tools/skirmish_grounds.h"

namespace augur::test {
namespace {

struct Options {
    std::uint32_t battles = 50, uniform = 64, mean = 32, most = 0, least = 16, stagger = 60;
    std::string opponent = "uniform", urgency = "near";
    double distance = 12.0, calm = 0.1, apart = 0.0;
    BattleSetup setup;
};

bool parse(int count, char** arguments, Options& o) {
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) return false;
        const std::string name = arguments[i], value = arguments[i + 1];
        const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
        if (name == "--battles") {
            o.battles = number;
        } else if (name == "--opponent") {
            o.opponent = value;
        } else if (name == "--uniform") {
            o.uniform = number;
        } else if (name == "--mean") {
            o.mean = number;
        } else if (name == "--most") {
            o.most = number;
        } else if (name == "--least") {
            o.least = number;
        } else if (name == "--urgency") {
            o.urgency = value;
        } else if (name == "--distance") {
            o.distance = std::strtod(value.c_str(), nullptr);
        } else if (name == "--calm") {
            o.calm = std::strtod(value.c_str(), nullptr);
        } else if (name == "--apart") {
            o.apart = std::strtod(value.c_str(), nullptr);
        } else if (name == "--stagger") {
            o.stagger = number;
        } else if (name == "--army") {
            if (std::sscanf(value.c_str(), "%d,%d,%d", &o.setup.melee, &o.setup.ranged, &o.setup.healers) != 3)
                return false;
        } else {
            return false;
        }
    }
    if (o.most == 0) o.most = o.uniform;
    return o.battles > 0 && 2 * o.battles <= SkirmishGrounds::kMost && o.mean <= o.most && o.apart >= 0 &&
           o.apart <= 20 && (o.opponent == "uniform" || o.opponent == "greedy") &&
           (o.urgency == "equal" || o.urgency == "near" || o.urgency == "engaged");
}

SkirmishWorld make_world(const Options& o, std::uint64_t seed) {
    SkirmishWorld world = make_battle(o.setup, seed);
    const auto back = static_cast<std::int32_t>(o.apart * rules::Skirmish::kScale);
    for (SkirmishUnit& unit : world.units)
        unit.x += unit.team == 0 ? -back : back;
    return world;
}

struct Battle {
    SkirmishWorld world;
    int begins, ply;  // it goes on while begins <= ply < begins + the setup's plies
};

// What a game knows of a unit without thinking.
float urgency_of(const Options& o, const SkirmishWorld& world, std::size_t unit) {
    if (o.urgency == "equal") return 1.0f;
    const auto calm = static_cast<float>(o.calm);
    const std::optional<std::size_t> enemy = world.nearest_enemy(unit);
    if (!enemy) return calm;
    const SkirmishUnit &own = world.units[unit], &other = world.units[*enemy];
    const double distance = std::hypot(own.x - other.x, own.y - other.y) / rules::Skirmish::kScale;
    if (distance > o.distance) return calm;
    return o.urgency == "engaged" && own.cooldown > 0 ? calm : 1.0f;
}

// One side of all battles: a planner that sees everybody and thinks for the side's own units.
struct Side {
    SkirmishGrounds grounds;
    std::vector<float> urgency;  // by grounds.agent()

    Side(std::uint32_t most, std::uint32_t least, std::uint64_t seed, std::uint32_t count, std::uint32_t slots)
        : grounds(desc_of(most, least, seed), count, slots), urgency(count * slots) {
        grounds.bind_urgency(urgency);
    }

  private:
    static augur_planner_desc desc_of(std::uint32_t most, std::uint32_t least, std::uint64_t seed) {
        augur_planner_desc desc = augur_planner_desc_default();
        desc.simulations = most;
        desc.least_simulations = least;
        desc.adaptive = 1;
        desc.seed = seed;
        return desc;
    }
};

void fight(const Options& o) {
    std::vector<Battle> battles;
    for (std::uint32_t b = 0; b < 2 * o.battles; ++b)
        battles.push_back({make_world(o, 1 + b / 2), static_cast<int>(b / 2 * o.stagger / o.battles), 0});
    const auto grounds = static_cast<std::uint32_t>(battles.size());
    const auto slots = static_cast<std::uint32_t>(battles[0].world.units.size());
    Side own(o.most, o.least, 1, grounds, slots), theirs(o.uniform, o.uniform, 2, grounds, slots);
    const SkirmishController greedy = greedy_controller();
    const auto team_of = [](std::uint32_t battle) { return static_cast<std::int32_t>(battle % 2); };  // the army's own
    std::uint64_t decisions[2] = {0, 0};
    const auto fights_on = [&](const Battle& battle) {
        return battle.ply < battle.begins + o.setup.plies && battle.world.living(0) > 0 && battle.world.living(1) > 0;
    };

    for (bool going = true; going;) {
        going = false;
        std::uint32_t living[2] = {0, 0};  // of the army, of the others
        for (std::uint32_t b = 0; b < grounds; ++b) {
            const bool on = fights_on(battles[b]);
            going = going || on;
            own.grounds.clear(b);
            theirs.grounds.clear(b);
            if (!on || battles[b].ply < battles[b].begins) continue;
            own.grounds.show(b, battles[b].world);
            theirs.grounds.show(b, battles[b].world);
            for (std::uint32_t i = 0; i < slots; ++i) {
                const SkirmishUnit& unit = battles[b].world.units[i];
                const bool mine = unit.team == team_of(b);
                const std::uint32_t agent = own.grounds.agent(b, i);
                own.urgency[agent] = mine ? urgency_of(o, battles[b].world, i) : 0.0f;
                theirs.urgency[agent] = mine ? 0.0f : 1.0f;
                if (unit.health > 0) ++living[mine ? 0 : 1];
            }
        }
        if (!going) break;
        decisions[0] += living[0];
        decisions[1] += living[1];
        // The others' units want to search too, and are counted into the mean.
        const std::uint32_t all = living[0] + living[1];
        const std::uint32_t mean = all == 0 ? 1 : (2 * o.mean * living[0] + all) / (2 * all);
        const std::vector<augur_agent_result>& planned = own.grounds.plan(std::max(mean, 1u));
        const std::vector<augur_agent_result>* answered = o.opponent == "uniform" ? &theirs.grounds.plan() : nullptr;
        for (std::uint32_t b = 0; b < grounds; ++b) {
            Battle& battle = battles[b];
            if (!fights_on(battle)) continue;
            if (battle.ply++ < battle.begins) continue;
            std::vector<int> actions(slots, rules::Skirmish::kHold);
            for (std::uint32_t i = 0; i < slots; ++i) {
                const SkirmishUnit& unit = battle.world.units[i];
                if (unit.health == 0) continue;
                if (unit.team == team_of(b))
                    actions[i] = planned[own.grounds.agent(b, i)].action;
                else if (answered != nullptr)
                    actions[i] = (*answered)[theirs.grounds.agent(b, i)].action;
                else
                    actions[i] = greedy(battle.world.state(i), i, static_cast<std::uint32_t>(battle.ply));
            }
            battle.world.advance(actions);
        }
    }

    int won = 0, drawn = 0, lost = 0;
    for (std::uint32_t b = 0; b < grounds; ++b) {
        const int left = battles[b].world.total_health(team_of(b)) - battles[b].world.total_health(1 - team_of(b));
        (left > 0 ? won : left < 0 ? lost : drawn) += 1;
    }
    // The 95 % interval of Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    const double n = won + drawn + lost, p = (won + 0.5 * drawn) / n, z = 1.959964;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    std::printf("%s,%u,%u,%u,%s,%u,%d+%d+%d,%g,%u,%d,%d,%d,%.1f,%.1f,%.1f,%.1f,%.1f\n", o.urgency.c_str(), o.mean,
                o.most, o.least, o.opponent.c_str(), o.uniform, o.setup.melee, o.setup.ranged, o.setup.healers, o.apart,
                grounds, won, drawn, lost, 100 * p, 100 * (centre - half), 100 * (centre + half),
                static_cast<double>(own.grounds.simulations()) / static_cast<double>(decisions[0]),
                static_cast<double>(theirs.grounds.simulations()) / static_cast<double>(decisions[1]));
}

}  // namespace
}  // namespace augur::test

int main(int count, char** arguments) {
    augur::test::Options options;
    if (!augur::test::parse(count, arguments, options)) {
        std::fprintf(stderr,
                     "augur_level_of_detail: an option is unknown, has no value or does not fit; see the top of "
                     "its source\n");
        return 2;
    }
    try {
        augur::test::fight(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_level_of_detail: %s\n", error.what());
        return 1;
    }
    return 0;
}
