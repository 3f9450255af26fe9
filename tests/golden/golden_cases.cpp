#include "golden/golden_text.h"
#include "parity/parity_case.h"
#include "rules/connect_four.h"
#include "rules/skirmish.h"
#include "support/arrays.h"
#include "support/forest_tree.h"
#include "support/games/corridor.h"
#include "support/games/dice_race.h"
#include "support/games/matrix_games.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"
#include "support/large_tree.h"

namespace augur::test {
namespace {

template <class R>
Golden forest(const char* name, const typename R::State& root, core::Selection selection, std::uint32_t simulations) {
    core::Settings settings = default_settings<R>();
    settings.selection = selection;
    settings.exploration = selection == core::Selection::puct ? R::kPuct : R::kUct;
    ForestTree<R> tree(simulations + 1);
    const core::Decision decision = tree.search(root, settings, simulations, 11, 22, 33);
    return {name, golden_text(tree, decision)};
}

template <class R>
Golden large(const char* name, const typename R::State& root, std::uint32_t simulations, std::uint32_t leaves,
             std::uint32_t transpositions) {
    core::Settings settings = default_settings<R>();
    settings.leaves_per_wave = leaves;
    settings.transpositions = transpositions;
    LargeTree<R> tree(simulations + 1);
    const core::Decision decision = tree.search(root, settings, simulations, 11, 22, 33);
    return {name, golden_text(tree, decision)};
}

// A session of four frames: a move and its answer, a world that stands still, and a move again.
Golden carried(const char* name) {
    using R = rules::ConnectFour;
    core::Settings settings = default_settings<R>();
    settings.exploration = R::kPuct;
    settings.carry_over = core::CarryOver::subtree;
    ForestTree<R> tree(90);
    R::State state = {0, 0};
    kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
    core::Decision decision = tree.search(state, settings, 60, 11, 33, 22);
    for (std::uint64_t frame = 23; frame < 26; ++frame) {
        if (frame != 24) {
            R::step(state, {{decision.action}}, none);
            R::step(state, {{3}}, none);
        }
        decision = tree.search_on(state, settings, 40, frame, 11, 33);
    }
    return {name, golden_text(tree, decision)};
}

// The first unit of a small battle that is alive and sees somebody.
rules::Skirmish::State skirmish_root() {
    constexpr std::uint32_t kAgents = 24;
    const std::vector<std::int32_t> words = skirmish_words(kAgents, 5);
    const kit::Fields fields = {words.data(), kAgents, kAgents};
    rules::Skirmish::State state{};
    for (std::uint32_t agent = 0; agent < kAgents; ++agent) {
        const std::uint32_t neighbours[] = {(agent + 1) % kAgents, (agent + 2) % kAgents};
        if (rules::Skirmish::gather(state, fields, agent, neighbours, 2) == kit::Gathered::ready) break;
    }
    return state;
}

// Decision hashes of whole frames: they cover gathering, the grid and the writing of results too.
Golden frame_hashes() {
    std::ostringstream out;
    std::string error;
    const auto machine = Machine::make(all_machines().front(), error);
    for (const ParityCase& parity_case : all_parity_cases()) {
        if (std::string(parity_case.game).rfind("test_", 0) == 0) continue;
        if (parity_case.model && *parity_case.model != core::Precision::int8) continue;  // not the same everywhere
        out << parity_case.name << ':' << std::hex;
        for (const FrameAnswer& answer : run_case(*machine, parity_case, error))
            out << ' ' << answer.decision_hash;
        out << std::dec << error << '\n';
    }
    return {"frame_hashes", out.str()};
}

}  // namespace

std::vector<Golden> make_goldens() {
    using core::Selection;
    using rules::ConnectFour;
    std::vector<Golden> goldens;
    goldens.push_back(forest<ConnectFour>("connect_four_puct", {0, 0}, Selection::puct, 60));
    goldens.push_back(forest<ConnectFour>("connect_four_uct", {0, 0}, Selection::uct, 60));
    goldens.push_back(large<ConnectFour>("connect_four_waves", {0, 0}, 96, 8, 0));
    goldens.push_back(large<TicTacToe>("tic_tac_toe_transpositions", {0, 0}, 96, 8, 1));
    goldens.push_back(forest<rules::Skirmish>("skirmish_puct", skirmish_root(), Selection::puct, 40));
    goldens.push_back(forest<rules::Skirmish>("skirmish_uct", skirmish_root(), Selection::uct, 40));
    goldens.push_back(forest<TicTacToe>("tic_tac_toe_proofs", {0b000'010'010, 0b010'100'001}, Selection::puct, 80));
    goldens.push_back(forest<Corridor>("corridor_discount", {3}, Selection::uct, 40));
    goldens.push_back(forest<DiceRace>("dice_race_chance", {1, 2, 1, 16}, Selection::puct, 50));
    goldens.push_back(forest<RockPaperScissors>("rock_paper_scissors_joint", {0}, Selection::puct, 40));
    goldens.push_back(forest<HashMaze>("hash_maze_masks", {77}, Selection::uct, 50));
    goldens.push_back(carried("connect_four_carried"));
    goldens.push_back(frame_hashes());
    goldens.push_back(learned_golden());
    return goldens;
}

}  // namespace augur::test
