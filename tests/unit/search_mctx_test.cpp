// The guided search against mctx, which tests/tools/make_mctx_cases.py ran: same actions, same visits.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "support/guided_trees.h"
#include "support/hash_game.h"

namespace augur::test {
namespace {

template <kit::Turn Order>
void expect_same(const std::string& line, const std::string& selection, std::uint32_t simulations,
                 std::uint32_t considered, std::uint32_t root, int action, const std::uint32_t (&visits)[5]) {
    using Game = HashGame<Order>;
    core::Settings settings{};
    settings.selection = selection == "puct" ? core::Selection::puct : core::Selection::gumbel;
    settings.exploration = 1.25f;
    settings.discount = kit::kOne;
    settings.horizon = Game::kHorizon;
    settings.considered_actions = considered;
    settings.gumbel_scale = 0.0f;
    GuidedTrees<Game> trees(1, simulations + 1);
    trees.search({{root, 0}}, settings, simulations, hash_network);
    EXPECT_EQ(trees.decision(0).visits, simulations) << line;
    if (selection != "puct") {  // mctx draws the action of PUCT from the visits
        EXPECT_EQ(trees.decision(0).action, action) << line;
    }
    for (int a = 0; a < 5; ++a)
        EXPECT_EQ(trees.visits(0, a), visits[a]) << "action " << a << " of " << line;
}

TEST(GuidedSearch, VisitsWhatMctxVisits) {
    std::ifstream file(AUGUR_SOURCE_DIR "/tests/data/mctx/cases.txt");
    ASSERT_TRUE(file.good());
    int cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string selection, turn;
        std::uint32_t simulations = 0, considered = 0, root = 0, visits[5] = {};
        int action = 0;
        words >> selection >> turn >> simulations >> considered >> root >> action;
        for (std::uint32_t& n : visits)
            words >> n;
        ASSERT_FALSE(words.fail()) << line;
        if (turn == "single")
            expect_same<kit::Turn::single>(line, selection, simulations, considered, root, action, visits);
        else
            expect_same<kit::Turn::alternating>(line, selection, simulations, considered, root, action, visits);
        ++cases;
    }
    EXPECT_EQ(cases, 1024);
}

}  // namespace
}  // namespace augur::test
