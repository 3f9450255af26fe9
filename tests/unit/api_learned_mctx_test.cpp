// The search on learned rules against mctx, which tests/tools/make_mctx_learned_cases.py ran: same actions, same
// visits.
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "support/learned_host.h"

namespace augur::test {
namespace {

// All roots of one setting, planned in one frame: 40 agents are a whole group of trees and a part of another.
using Setting = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, bool>;
struct Root {
    int action;
    std::uint32_t visits[5];
};

std::map<Setting, std::vector<Root>> read_cases() {
    std::map<Setting, std::vector<Root>> cases;
    std::ifstream file(AUGUR_SOURCE_DIR "/tests/data/mctx/learned_cases.txt");
    EXPECT_TRUE(file.good());
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string selection, turn;
        std::uint32_t simulations = 0, considered = 0, masked = 0, number = 0;
        Root root{};
        words >> selection >> turn >> simulations >> considered >> masked >> number >> root.action;
        for (std::uint32_t& n : root.visits)
            words >> n;
        EXPECT_FALSE(words.fail()) << line;
        std::vector<Root>& roots = cases[{selection, turn, simulations, considered, masked != 0}];
        EXPECT_EQ(roots.size(), number) << line;
        roots.push_back(root);
    }
    return cases;
}

void expect_same(const Setting& setting, const std::vector<Root>& roots, std::uint32_t workers) {
    const auto& [selection, turn, simulations, considered, masked] = setting;
    const LearnedTable table = hash_table([](float x) { return std::log(x); });
    LearnedHost host;
    host.create_context(workers);
    host.take_models(table, masked);
    host.rules_desc.player_count = turn == "single" ? 1 : 2;
    host.rules_desc.max_depth = 256;
    host.planner_desc.selection = selection == "puct" ? AUGUR_SELECTION_PUCT : AUGUR_SELECTION_GUMBEL;
    host.planner_desc.exploration = 1.25f;
    host.planner_desc.simulations = simulations;
    host.planner_desc.considered_actions = considered;
    host.planner_desc.gumbel_scale = 0.0f;
    host.planner_desc.early_stop = 0;
    host.create_planner(table.states);
    host.bind_all(table.states, masked);
    for (std::uint32_t s = 0; s < table.states; ++s) {
        host.see_state(s, s, table.states);
        if (masked) host.legal[s] = hash_table_legal(s);
    }
    ASSERT_GE(host.plan(), 0) << augur_last_message();
    for (std::uint32_t s = 0; s < table.states; ++s) {
        const std::string where = selection + " " + turn + " " + std::to_string(simulations) + " considered " +
                                  std::to_string(considered) + (masked ? " masked" : "") + ", root " +
                                  std::to_string(s);
        std::uint32_t visits[5] = {};
        float values[5] = {};
        ASSERT_EQ(augur_planner_root(host.planner, s, visits, values), AUGUR_OK) << augur_last_message();
        for (int a = 0; a < 5; ++a)
            EXPECT_EQ(visits[a], roots[s].visits[a]) << "action " << a << " of " << where;
        if (selection != "puct") {  // mctx draws the action of PUCT from the visits
            EXPECT_EQ(host.actions[s], roots[s].action) << where;
        }
    }
}

TEST(LearnedRules, VisitWhatMctxVisits) {
    const auto cases = read_cases();
    EXPECT_EQ(cases.size(), 48u);
    std::uint32_t workers = 0;
    for (const auto& [setting, roots] : cases) {
        ASSERT_EQ(roots.size(), 40u);
        expect_same(setting, roots, workers++ % 3);
    }
}

}  // namespace
}  // namespace augur::test
