// Ways to search that are compared with each other: with rollouts, or guided by a model.

#ifndef AUGUR_TESTS_TOOLS_MODEL_STRENGTH_H
#define AUGUR_TESTS_TOOLS_MODEL_STRENGTH_H

#include <augur/augur.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace augur::test {

// Written NAME[:SIMULATIONS[:EXPLORATION]], NAME one of
//   rollouts       PUCT with uniform priors and rollouts
//   rollouts_uct   UCT with rollouts
//   puct           PUCT with the model's priors and values
//   gumbel         Gumbel with the model's priors and values, without noise
struct SearchWay {
    std::string name;
    std::uint32_t simulations = 32;
    float exploration = 0;  // 0: the rules' own

    bool guided() const { return name == "puct" || name == "gumbel"; }
    augur_planner_desc desc(std::uint64_t seed) const;
};
std::optional<SearchWay> read_search_way(const std::string& text);

struct ModelStrengthOptions {
    std::string model;  // an ONNX file
    std::vector<SearchWay> ways;
    std::uint32_t seeds = 1;         // connect_four: searches a position of ways that draw random numbers
    std::vector<std::string> sets;   // connect_four: files of solved positions
    std::uint32_t battles = 50;      // skirmish: each is played twice with sides changed
    std::uint32_t first_battle = 1;  // skirmish: the first seed
    int army[3] = {3, 3, 1};         // skirmish: melee, ranged, healers a side
};

// Print CSV. Throw augur::sdk::Error or std::runtime_error.
void print_connect_four_mistakes(const ModelStrengthOptions& options);
void print_skirmish_battles(const ModelStrengthOptions& options);

}  // namespace augur::test

#endif
