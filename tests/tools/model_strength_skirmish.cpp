// Skirmish battles of one way to search against another.

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "support/skirmish_arena.h"
#include "tools/model_strength.h"
#include "tools/skirmish_grounds.h"

namespace augur::test {
namespace {

struct Battle {
    SkirmishWorld world;
    int plies;
    bool over() const { return world.living(0) == 0 || world.living(1) == 0; }
};

// What a battle was to its team 0: won 1, drawn 0.5, lost 0.
double score(const SkirmishWorld& world) {
    const int left = world.total_health(0) - world.total_health(1);
    return left > 0 ? 1.0 : left < 0 ? 0.0 : 0.5;
}

// Points of the first way in each battle. Battles 2 b and 2 b + 1 are of one seed; the first way is team 0 in even
// ones.
std::vector<double> fight(const ModelStrengthOptions& options, const SearchWay& first, const SearchWay& second) {
    BattleSetup setup;
    setup.melee = options.army[0];
    setup.ranged = options.army[1];
    setup.healers = options.army[2];
    std::vector<Battle> battles;
    for (std::uint32_t b = 0; b < 2 * options.battles; ++b)
        battles.push_back({make_battle(setup, options.first_battle + b / 2), 0});
    const auto grounds = static_cast<std::uint32_t>(battles.size());
    const auto slots = static_cast<std::uint32_t>(battles[0].world.units.size());
    SkirmishGrounds sides[2] = {
        SkirmishGrounds(first.desc(1), grounds, slots, first.guided() ? options.model : std::string()),
        SkirmishGrounds(second.desc(2), grounds, slots, second.guided() ? options.model : std::string())};

    for (bool going = true; going;) {
        going = false;
        for (std::uint32_t b = 0; b < grounds; ++b) {
            const bool on = !battles[b].over() && battles[b].plies < setup.plies;
            for (SkirmishGrounds& side : sides)
                on ? side.show(b, battles[b].world) : side.clear(b);
            going = going || on;
        }
        if (!going) break;
        const std::vector<augur_agent_result>* results[2] = {&sides[0].plan(), &sides[1].plan()};
        for (std::uint32_t b = 0; b < grounds; ++b) {
            Battle& battle = battles[b];
            if (battle.over() || battle.plies == setup.plies) continue;
            std::vector<int> actions(slots, rules::Skirmish::kHold);
            for (std::uint32_t i = 0; i < slots; ++i) {
                const SkirmishUnit& unit = battle.world.units[i];
                const std::uint32_t side = (static_cast<std::uint32_t>(unit.team) + b) % 2;
                if (unit.health > 0) actions[i] = (*results[side])[sides[side].agent(b, i)].action;
            }
            battle.world.advance(actions);
            ++battle.plies;
        }
    }
    std::vector<double> points;
    for (std::uint32_t b = 0; b < grounds; ++b)
        points.push_back(b % 2 == 0 ? score(battles[b].world) : 1.0 - score(battles[b].world));
    return points;
}

}  // namespace

void print_skirmish_battles(const ModelStrengthOptions& options) {
    if (2 * options.battles > SkirmishGrounds::kMost) throw std::runtime_error("--battles is above 512");
    std::printf(
        "first,simulations,exploration,second,simulations,exploration,army,battles,won,drawn,lost,points,low,high\n");
    const SearchWay& first = options.ways[0];
    for (std::size_t w = 1; w < options.ways.size(); ++w) {
        const SearchWay& second = options.ways[w];
        int won = 0, drawn = 0, lost = 0;
        for (const double points : fight(options, first, second))
            (points > 0.5 ? won : points < 0.5 ? lost : drawn) += 1;
        // The 95 % interval of Wilson 1927, "Probable inference, the law of succession, and statistical inference".
        const double n = won + drawn + lost, p = (won + 0.5 * drawn) / n, z = 1.959964;
        const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
        const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
        std::printf("%s,%u,%g,%s,%u,%g,%d+%d+%d,%d,%d,%d,%d,%.1f,%.1f,%.1f\n", first.name.c_str(), first.simulations,
                    static_cast<double>(first.exploration), second.name.c_str(), second.simulations,
                    static_cast<double>(second.exploration), options.army[0], options.army[1], options.army[2],
                    won + drawn + lost, won, drawn, lost, 100 * p, 100 * (centre - half), 100 * (centre + half));
        std::fflush(stdout);
    }
}

}  // namespace augur::test
