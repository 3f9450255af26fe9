// Measures how often one controller's army beats another's in skirmish.
//
// Usage: augur_skirmish_strength [options]
//   --battles N          seeds; each is played twice with sides changed [default 50]
//   --first NAME, --second NAME   search, greedy, script, random [default search greedy]
//   --simulations N      of the first's search [default 32]
//   --second-simulations N   of the second's [default 32]
//   --selection NAME     puct, uct [default puct]
//   --carry NAME         none, subtree, warm: what the first does with its trees of the last frame [default none]
//   --frames N           with --carry: frames of so many simulations a ply, the world in all but the last a little off
//                        [default 1]
//   --drift N            by how much, 256 to a unit of length [default 0: not at all]
//   --renew 1            trees are reset with every ply [default 0]
//   --exploration X      [default: the rules' own]
//   --horizon N          [default: the rules' own]
//   --army M,R,H         melee, ranged, healers a side [default 3,3,1]
// Prints CSV: first,second,simulations,selection,exploration,horizon,army,battles,won,drawn,lost,percent,low,high where
// low and high are the 95 % Wilson interval of the score. One thread, fixed seeds: the same numbers in every run.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/skirmish_arena.h"

namespace {

using namespace augur::test;

struct Options {
    int battles = 50;
    std::string first = "search", second = "greedy";
    SearchOptions search, second_search;
    BattleSetup setup;
};

bool parse(int count, char** arguments, Options& o) {
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) return false;
        const std::string name = arguments[i], value = arguments[i + 1];
        const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
        if (name == "--battles") {
            o.battles = static_cast<int>(number);
        } else if (name == "--first") {
            o.first = value;
        } else if (name == "--second") {
            o.second = value;
        } else if (name == "--simulations") {
            o.search.simulations = number;
        } else if (name == "--second-simulations") {
            o.second_search.simulations = number;
        } else if (name == "--selection") {
            o.search.selection = value == "uct" ? augur::core::Selection::uct : augur::core::Selection::puct;
        } else if (name == "--carry") {
            o.search.carry_over = value == "warm"      ? augur::core::CarryOver::warm_start
                                  : value == "subtree" ? augur::core::CarryOver::subtree
                                                       : augur::core::CarryOver::none;
        } else if (name == "--frames") {
            o.search.frames = number;
        } else if (name == "--renew") {
            o.search.renew = number != 0;
        } else if (name == "--drift") {
            o.search.drift = static_cast<std::int32_t>(number);
        } else if (name == "--exploration") {
            o.search.exploration = std::strtof(value.c_str(), nullptr);
        } else if (name == "--horizon") {
            o.search.horizon = number;
        } else if (name == "--army") {
            if (std::sscanf(value.c_str(), "%d,%d,%d", &o.setup.melee, &o.setup.ranged, &o.setup.healers) != 3)
                return false;
        } else {
            return false;
        }
    }
    return o.battles > 0;
}

SkirmishController controller(const std::string& name, const SearchOptions& search) {
    if (name == "search") return search_controller(search);
    if (name == "random") return random_controller(search.seed);
    if (name == "script") return script_controller();
    return greedy_controller();
}

}  // namespace

int main(int count, char** arguments) {
    Options o;
    if (!parse(count, arguments, o)) {
        std::fprintf(stderr,
                     "augur_skirmish_strength: an option is unknown or has no value; see the top of its source\n");
        return 2;
    }
    o.second_search.seed = 2;
    const SkirmishController first = controller(o.first, o.search), second = controller(o.second, o.second_search);
    double score = 0;
    int won = 0, drawn = 0, lost = 0;
    long plies = 0, health[2] = {0, 0};
    for (int b = 0; b < o.battles; ++b) {
        for (int side = 0; side < 2; ++side) {
            const auto seed = static_cast<std::uint64_t>(b + 1);
            const BattleResult r =
                side == 0 ? play_battle(o.setup, seed, first, second) : play_battle(o.setup, seed, second, first);
            const double mine = side == 0 ? r.score : 1.0 - r.score;
            score += mine;
            (mine > 0.5 ? won : mine < 0.5 ? lost : drawn) += 1;
            plies += r.plies;
            health[0] += r.health[side];
            health[1] += r.health[1 - side];
        }
    }
    const double n = 2.0 * o.battles, p = score / n, z = 1.959964;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    std::printf("%s,%s,%u,%s,%g,%u,%d+%d+%d,%d,%d,%d,%d,%.1f,%.1f,%.1f\n", o.first.c_str(), o.second.c_str(),
                o.search.simulations, o.search.selection == augur::core::Selection::uct ? "uct" : "puct",
                static_cast<double>(o.search.exploration), o.search.horizon, o.setup.melee, o.setup.ranged,
                o.setup.healers, 2 * o.battles, won, drawn, lost, 100 * p, 100 * (centre - half),
                100 * (centre + half));
    std::fprintf(stderr, "mean plies %.1f, mean health left %.1f against %.1f\n", static_cast<double>(plies) / n,
                 static_cast<double>(health[0]) / n, static_cast<double>(health[1]) / n);
    return 0;
}
