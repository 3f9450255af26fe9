// Mistakes on solved Connect Four positions.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>

#include "support/solved_positions.h"
#include "tools/forest_host.h"
#include "tools/model_strength.h"

namespace augur::test {
namespace {

constexpr std::size_t kAtOnce = 250;  // positions in a frame

struct Board {
    std::uint64_t own, other;
};

std::uint64_t mistakes(const std::vector<SolvedPosition>& positions, const SearchWay& way, const std::string& model,
                       std::uint64_t seed) {
    ForestHost<Board> host("connect_four", way.desc(seed), kAtOnce, way.guided() ? model : std::string());
    host.bind<std::uint64_t>("own", offsetof(Board, own));
    host.bind<std::uint64_t>("other", offsetof(Board, other));
    std::uint64_t wrong = 0;
    for (std::size_t first = 0; first < positions.size(); first += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, positions.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const SolverBoard& board = positions[first + i].board;
            host.agents[i] = {board.mine(), board.mine() ^ board.all()};
        }
        const std::vector<augur_agent_result>& results = host.plan(static_cast<std::uint32_t>(count));
        for (std::size_t i = 0; i < count; ++i)
            wrong += positions[first + i].is_mistake(results[i].action) ? 1u : 0u;
    }
    return wrong;
}

std::string name_of(const std::string& path) {
    const std::string file = path.substr(path.find_last_of('/') + 1);
    return file.substr(0, file.find('.'));
}

}  // namespace

void print_connect_four_mistakes(const ModelStrengthOptions& options) {
    std::printf("set,search,simulations,exploration,positions,mistakes,percent\n");
    for (const std::string& path : options.sets) {
        std::string error;
        const std::vector<SolvedPosition> positions = read_solved_positions(path, error);
        if (!error.empty()) throw std::runtime_error(error);
        for (const SearchWay& way : options.ways) {
            // With a value head and without noise nothing is drawn: another seed gives the same search.
            const std::uint64_t seeds = way.guided() ? 1 : options.seeds;
            std::uint64_t wrong = 0;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed)
                wrong += mistakes(positions, way, options.model, seed);
            const std::uint64_t searches = positions.size() * seeds;
            std::printf("%s,%s,%u,%g,%llu,%llu,%.2f\n", name_of(path).c_str(), way.name.c_str(), way.simulations,
                        static_cast<double>(way.exploration), static_cast<unsigned long long>(searches),
                        static_cast<unsigned long long>(wrong),
                        100.0 * static_cast<double>(wrong) / static_cast<double>(searches));
            std::fflush(stdout);
        }
    }
}

}  // namespace augur::test
