// Plays games with the library's own search and writes what it decided, for assets/models/fit.py to learn from.
//
// Usage: augur_search_data GAME FILE [options]
//   GAME              connect_four, skirmish
//   --records N       decisions to write [default 20000]
//   --simulations N   of each search, with rollouts [default 400 connect_four, 256 skirmish]
//   --at-once N       games or battles side by side [default 1024 connect_four, 64 skirmish]
//   --result-share X  connect_four: how much of the value to learn is the game's result, not the root's value, where
//                     nothing is proven [default 0.5]
//   --seed N          [default 1]
// The same file in every run and on every machine: nothing depends on threads or time.

#include "tools/search_data.h"

#include <cstdlib>
#include <exception>

namespace {

bool parse(int count, char** arguments, augur::test::SearchDataOptions& o) {
    if (count < 3) return false;
    o.game = arguments[1];
    o.path = arguments[2];
    const bool skirmish = o.game == "skirmish";
    if (!skirmish && o.game != "connect_four") return false;
    o.records = 20000;
    o.simulations = skirmish ? 256 : 400;
    o.at_once = skirmish ? 64 : 1024;
    o.result_share = skirmish ? 0.0f : 0.5f;
    for (int i = 3; i < count; i += 2) {
        if (i + 1 == count) return false;
        const std::string name = arguments[i], value = arguments[i + 1];
        const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
        if (name == "--records") {
            o.records = number;
        } else if (name == "--simulations") {
            o.simulations = static_cast<std::uint32_t>(number);
        } else if (name == "--at-once") {
            o.at_once = static_cast<std::uint32_t>(number);
        } else if (name == "--result-share" && !skirmish) {
            o.result_share = std::strtof(value.c_str(), nullptr);
        } else if (name == "--seed") {
            o.seed = number;
        } else {
            return false;
        }
    }
    return o.records > 0 && o.at_once > 0 && o.at_once <= 1024 && o.result_share >= 0 && o.result_share <= 1;
}

}  // namespace

int main(int count, char** arguments) {
    augur::test::SearchDataOptions options;
    if (!parse(count, arguments, options)) {
        std::fprintf(stderr, "augur_search_data: an argument is unknown or out of range; see the top of its source\n");
        return 2;
    }
    try {
        if (options.game == "skirmish")
            augur::test::write_skirmish_data(options);
        else
            augur::test::write_connect_four_data(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_search_data: %s\n", error.what());
        return 1;
    }
    return 0;
}
