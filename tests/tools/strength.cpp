// Measures how often the search plays a worse move than the best one on solved Connect Four positions.
//
// Usage: augur_strength [options] SET.txt...
//   --simulations LIST   comma-separated [default 1,2,4,...,4096 and 1000]
//   --selection LIST     puct, uct [default both]
//   --exploration LIST   constants [default: the rules' own]
//   --seeds N            searches per position, each with another seed [default 1]
//   --leaves LIST        0: a forest tree, else one large tree with that many leaves a wave [default 0]
//   --positions N        only the first N of each set [default all]
// Prints CSV: set,search,selection,exploration,simulations,positions,mistakes,percent. One thread, fixed seeds: the
// same numbers in every run and on every machine.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/large_tree.h"
#include "support/solved_positions.h"

namespace {

using augur::core::Selection;
using augur::rules::ConnectFour;
using augur::test::ForestTree;
using augur::test::LargeTree;
using augur::test::SolvedPosition;

struct Options {
    std::vector<std::uint32_t> simulations;
    std::vector<Selection> selections = {Selection::puct, Selection::uct};
    std::vector<float> explorations;  // empty: the rules' own
    std::vector<std::uint32_t> leaves = {0};
    std::uint64_t seeds = 1;
    std::size_t positions = SIZE_MAX;
    std::vector<std::string> sets;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char letter : text) {
        if (letter == ',') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

bool parse(int count, char** arguments, Options& options) {
    for (std::uint32_t simulations = 1; simulations <= 4096; simulations *= 2) {
        if (simulations == 1024) options.simulations.push_back(1000);
        options.simulations.push_back(simulations);
    }
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name.rfind("--", 0) != 0) {
            options.sets.push_back(name);
            continue;
        }
        if (i + 1 == count) return false;
        const std::string value = arguments[++i];
        if (name == "--simulations") {
            options.simulations.clear();
            for (const std::string& part : split(value)) {
                options.simulations.push_back(static_cast<std::uint32_t>(std::strtoul(part.c_str(), nullptr, 10)));
            }
        } else if (name == "--selection") {
            options.selections.clear();
            for (const std::string& part : split(value)) {
                if (part != "puct" && part != "uct") return false;
                options.selections.push_back(part == "puct" ? Selection::puct : Selection::uct);
            }
        } else if (name == "--exploration") {
            for (const std::string& part : split(value))
                options.explorations.push_back(std::strtof(part.c_str(), nullptr));
        } else if (name == "--leaves") {
            options.leaves.clear();
            for (const std::string& part : split(value)) {
                options.leaves.push_back(static_cast<std::uint32_t>(std::strtoul(part.c_str(), nullptr, 10)));
                if (options.leaves.back() > augur::core::kMaxLeavesPerWave) return false;
            }
        } else if (name == "--seeds") {
            options.seeds = std::strtoull(value.c_str(), nullptr, 10);
        } else if (name == "--positions") {
            options.positions = std::strtoull(value.c_str(), nullptr, 10);
        } else {
            return false;
        }
    }
    return !options.sets.empty() && options.seeds > 0;
}

ConnectFour::State state_of(const SolvedPosition& position) {
    return {position.board.mine(), position.board.mine() ^ position.board.all()};
}

template <class SearchTree>
std::uint64_t mistakes_of(const std::vector<SolvedPosition>& positions, const augur::core::Settings& settings,
                          std::uint32_t simulations, std::uint64_t seeds) {
    SearchTree tree(simulations + 1);
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const auto agent = static_cast<std::uint32_t>(i);
            const auto decision = tree.search(state_of(positions[i]), settings, simulations, seed, agent);
            if (positions[i].is_mistake(decision.action)) ++wrong;
        }
    }
    return wrong;
}

std::uint64_t mistakes(const std::vector<SolvedPosition>& positions, Selection selection, float exploration,
                       std::uint32_t leaves, std::uint32_t simulations, std::uint64_t seeds) {
    augur::core::Settings settings = augur::test::default_settings<ConnectFour>();
    settings.selection = selection;
    settings.exploration = exploration;
    settings.early_stop = 1;
    if (leaves == 0) return mistakes_of<ForestTree<ConnectFour>>(positions, settings, simulations, seeds);
    settings.leaves_per_wave = leaves;
    settings.transpositions = 1;
    return mistakes_of<LargeTree<ConnectFour>>(positions, settings, simulations, seeds);
}

std::string set_name(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
    return file.substr(0, file.find('.'));
}

void print_row(const std::string& set, std::uint32_t leaves, Selection selection, float exploration,
               std::uint32_t simulations, std::uint64_t searches, std::uint64_t wrong) {
    const std::string search = leaves == 0 ? "forest" : "tree" + std::to_string(leaves);
    std::printf("%s,%s,%s,%g,%u,%llu,%llu,%.2f\n", set.c_str(), search.c_str(),
                selection == Selection::puct ? "puct" : "uct", static_cast<double>(exploration), simulations,
                static_cast<unsigned long long>(searches), static_cast<unsigned long long>(wrong),
                100.0 * static_cast<double>(wrong) / static_cast<double>(searches));
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    if (!parse(count, arguments, options)) {
        std::fprintf(stderr,
                     "usage: augur_strength [--simulations LIST] [--selection LIST] [--exploration LIST] [--seeds N]\n"
                     "                      [--leaves LIST] [--positions N] SET.txt...\n");
        return 2;
    }
    std::printf("set,search,selection,exploration,simulations,positions,mistakes,percent\n");
    for (const std::string& path : options.sets) {
        std::string error;
        std::vector<SolvedPosition> positions = augur::test::read_solved_positions(path, error);
        if (!error.empty()) {
            std::fprintf(stderr, "%s\n", error.c_str());
            return 1;
        }
        if (positions.size() > options.positions) positions.resize(options.positions);
        for (const Selection selection : options.selections) {
            const bool puct = selection == Selection::puct;
            std::vector<float> explorations = options.explorations;
            if (explorations.empty()) explorations.push_back(puct ? ConnectFour::kPuct : ConnectFour::kUct);
            for (const float exploration : explorations) {
                for (const std::uint32_t leaves : options.leaves) {
                    for (const std::uint32_t simulations : options.simulations) {
                        const std::uint64_t wrong =
                            mistakes(positions, selection, exploration, leaves, simulations, options.seeds);
                        print_row(set_name(path), leaves, selection, exploration, simulations,
                                  positions.size() * options.seeds, wrong);
                    }
                }
            }
        }
    }
    return 0;
}
