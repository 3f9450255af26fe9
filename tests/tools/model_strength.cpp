// Measures what a model is worth to the search.
//
// Usage: augur_model_strength connect_four MODEL [options] SET.txt...
//            how often each way to search plays a worse move than the best one on solved positions
//        augur_model_strength skirmish MODEL [options]
//            how many battles the first way wins against each of the others
//   --ways LIST      comma-separated; see model_strength.h
//                    [default rollouts,rollouts_uct,puct,gumbel connect_four, puct,rollouts skirmish]
//   --seeds N        connect_four: searches a position where the search is random [default 1]
//   --battles N      skirmish: seeds, each played twice with sides changed [default 50]
//   --first-battle N skirmish: the first seed [default 1]
//   --army M,R,H     skirmish: melee, ranged, healers a side [default 3,3,1]
// Prints CSV. The same numbers in every run; the processor's vector units may change what a network says in its last
// bits.

#include "tools/model_strength.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

using augur::test::ModelStrengthOptions;
using augur::test::read_search_way;
using augur::test::SearchWay;

bool read_ways(const std::string& text, std::vector<SearchWay>& ways) {
    ways.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::optional<SearchWay> way = read_search_way(text.substr(begin, end - begin));
        if (!way) return false;
        ways.push_back(*way);
        begin = end + 1;
    }
    return true;
}

bool parse(int count, char** arguments, bool skirmish, ModelStrengthOptions& o) {
    if (!read_ways(skirmish ? "puct,rollouts" : "rollouts,rollouts_uct,puct,gumbel", o.ways)) return false;
    for (int i = 3; i < count; ++i) {
        const std::string name = arguments[i];
        if (name.rfind("--", 0) != 0) {
            o.sets.push_back(name);
            continue;
        }
        if (++i == count) return false;
        const std::string value = arguments[i];
        const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
        if (name == "--ways") {
            if (!read_ways(value, o.ways)) return false;
        } else if (name == "--seeds") {
            o.seeds = number;
        } else if (name == "--battles") {
            o.battles = number;
        } else if (name == "--first-battle") {
            o.first_battle = number;
        } else if (name == "--army") {
            if (std::sscanf(value.c_str(), "%d,%d,%d", &o.army[0], &o.army[1], &o.army[2]) != 3) return false;
        } else {
            return false;
        }
    }
    return skirmish ? o.sets.empty() && o.ways.size() > 1 && o.battles > 0 : !o.sets.empty() && o.seeds > 0;
}

}  // namespace

namespace augur::test {

std::optional<SearchWay> read_search_way(const std::string& text) {
    SearchWay way;
    const std::size_t colon = text.find(':');
    way.name = text.substr(0, colon);
    if (!way.guided() && way.name != "rollouts" && way.name != "rollouts_uct") return std::nullopt;
    if (colon == std::string::npos) return way;
    char* rest = nullptr;
    way.simulations = static_cast<std::uint32_t>(std::strtoul(text.c_str() + colon + 1, &rest, 10));
    if (*rest == ':') way.exploration = std::strtof(rest + 1, &rest);
    if (*rest != '\0' || way.simulations == 0) return std::nullopt;
    return way;
}

augur_planner_desc SearchWay::desc(std::uint64_t seed) const {
    augur_planner_desc desc = augur_planner_desc_default();
    desc.simulations = simulations;
    desc.exploration = exploration;
    desc.seed = seed;
    desc.selection = name == "gumbel"         ? AUGUR_SELECTION_GUMBEL
                     : name == "rollouts_uct" ? AUGUR_SELECTION_UCT
                                              : AUGUR_SELECTION_PUCT;
    if (name == "gumbel") desc.gumbel_scale = 0;
    return desc;
}

}  // namespace augur::test

int main(int count, char** arguments) {
    ModelStrengthOptions options;
    const std::string game = count > 2 ? arguments[1] : "";
    if ((game != "connect_four" && game != "skirmish") || !parse(count, arguments, game == "skirmish", options)) {
        std::fprintf(stderr, "augur_model_strength: an argument is unknown or missing; see the top of its source\n");
        return 2;
    }
    options.model = arguments[2];
    try {
        if (game == "skirmish")
            augur::test::print_skirmish_battles(options);
        else
            augur::test::print_connect_four_mistakes(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_model_strength: %s\n", error.what());
        return 1;
    }
    return 0;
}
