// Every case on every machine: the same visits, values, flags, actions, trees and decision hashes as the reference,
// which is the CPU with all work on the calling thread.

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <tuple>

#include "core/gather.h"
#include "parity/parity_case.h"
#include "parity/test_games.h"
#include "rules/connect_four.h"
#include "support/forest_tree.h"

namespace augur::test {

void PrintTo(const ParityCase& parity_case, std::ostream* out) {
    *out << parity_case.name;
}
void PrintTo(const MachineSpec& spec, std::ostream* out) {
    *out << spec.name;
}

namespace {

// Before any backend lists its games.
const bool kGamesAdded = [] {
    add_test_games_to_cpu();
    add_test_games_to_cuda();
    return true;
}();

const std::vector<FrameAnswer>& reference(const ParityCase& parity_case) {
    static std::map<std::string, std::vector<FrameAnswer>> answers;
    const auto known = answers.find(parity_case.name);
    if (known != answers.end()) return known->second;
    std::string error;
    const auto machine = Machine::make(all_machines().front(), error);
    std::vector<FrameAnswer>& answer = answers[parity_case.name];
    if (machine != nullptr) answer = run_case(*machine, parity_case, error);
    EXPECT_EQ(error, "");
    return answer;
}

void expect_same_result(const augur_agent_result& a, const augur_agent_result& b, std::size_t agent) {
    EXPECT_EQ(a.action, b.action) << "agent " << agent;
    EXPECT_EQ(a.value, b.value) << "agent " << agent;
    EXPECT_EQ(a.visits, b.visits) << "agent " << agent;
    EXPECT_EQ(a.flags, b.flags) << "agent " << agent;
}

void expect_same_tree(const std::vector<augur_tree_node>& a, const std::vector<augur_tree_node>& b, std::size_t tree) {
    ASSERT_EQ(a.size(), b.size()) << "tree " << tree;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].parent, b[i].parent) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].action, b[i].action) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].visits, b[i].visits) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].value, b[i].value) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].reward, b[i].reward) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].depth, b[i].depth) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].player, b[i].player) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].flags, b[i].flags) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].prior, b[i].prior) << "tree " << tree << " node " << i;
        ASSERT_EQ(a[i].model_value, b[i].model_value) << "tree " << tree << " node " << i;
    }
}

// Networks in floats are sums in another order on a GPU: as many simulations, the same outcome of nearly every search.
// States of a learned game go through them once a ply.
void expect_nearly_same(const FrameAnswer& a, const FrameAnswer& b, bool learned) {
    ASSERT_EQ(a.results.size(), b.results.size());
    std::size_t same = 0, root_nodes = 0;
    for (std::size_t agent = 0; agent < a.results.size(); ++agent)
        same += a.results[agent].action == b.results[agent].action ? 1 : 0;
    EXPECT_GE(same * 100, a.results.size() * (learned ? 90 : 97));
    if (learned) {
        EXPECT_EQ(a.flag_counts[5], b.flag_counts[5]) << "who sees no numbers";
        EXPECT_EQ(a.flag_counts[6], b.flag_counts[6]) << "whose root breaks";
    }
    ASSERT_EQ(a.trees.size(), b.trees.size());
    for (std::size_t tree = 0; tree < a.trees.size(); ++tree) {
        if (a.trees[tree].empty()) continue;
        ++root_nodes;
        EXPECT_NEAR(a.trees[tree][0].model_value, b.trees[tree][0].model_value, learned ? 5e-3f : 2e-3f);
    }
    EXPECT_GT(root_nodes, 0u);
}

// The parts of the search follow each other and fill it, where they were measured at all.
void expect_parts(const FrameAnswer& answer, bool sampled) {
    const auto length = [](const augur_stage_span& span) { return span.end_ns - span.begin_ns; };
    const augur_stage_span& search = answer.stages[AUGUR_STAGE_SEARCH];
    std::uint64_t at = search.begin_ns, measured = 0;
    for (const augur_stage part : {AUGUR_STAGE_SELECT, AUGUR_STAGE_EXPAND, AUGUR_STAGE_EVALUATE, AUGUR_STAGE_BACK_UP}) {
        const augur_stage_span& span = answer.stages[part];
        measured += length(span);
        if (measured == 0) continue;
        EXPECT_EQ(span.begin_ns, at) << part;
        EXPECT_GE(span.end_ns, span.begin_ns) << part;
        at = span.end_ns;
    }
    if (measured == 0) {
        EXPECT_FALSE(sampled) << "not measured";
        return;
    }
    EXPECT_NEAR(static_cast<double>(measured), static_cast<double>(length(search)), 4.0);
    // Of a search that is more than a few looks at the clock.
    if (measured < 20000) return;
    EXPECT_GT(length(answer.stages[AUGUR_STAGE_SELECT]), 0u);
    EXPECT_GT(length(answer.stages[AUGUR_STAGE_EVALUATE]), 0u);
}

class Parity : public testing::TestWithParam<std::tuple<ParityCase, MachineSpec>> {};

TEST_P(Parity, EveryMachineComesToTheSame) {
    const auto& [parity_case, spec] = GetParam();
    std::string error;
    const auto machine = Machine::make(spec, error);
    if (machine == nullptr) GTEST_SKIP() << spec.name << ": " << error;
    const std::vector<FrameAnswer> answers = run_case(*machine, parity_case, error);
    if (parity_case.model && error.find("this backend runs no networks") != std::string::npos)
        GTEST_SKIP() << spec.name << ": " << error;
    ASSERT_EQ(error, "");
    const std::vector<FrameAnswer>& expected = reference(parity_case);
    ASSERT_EQ(answers.size(), expected.size());
    // A GPU looks at the first tree of the first frame, the CPU at one of many. A tree may end before anybody looks.
    const bool sampled = spec.backend == AUGUR_BACKEND_CUDA
                             ? answers[0].results[0].visits >= 16
                             : parity_case.search == AUGUR_SEARCH_FOREST && answers[0].simulations >= 2000;
    for (const FrameAnswer& answer : answers)
        expect_parts(answer, sampled && &answer == &answers[0]);
    if (spec.backend == AUGUR_BACKEND_CUDA && parity_case.model && *parity_case.model != core::Precision::int8 &&
        !parity_case.usual_network) {
        for (std::size_t f = 0; f < answers.size(); ++f)
            expect_nearly_same(answers[f], expected[f], parity_case.learned.has_value());
        return;
    }
    for (std::size_t f = 0; f < answers.size(); ++f) {
        SCOPED_TRACE("frame " + std::to_string(f));
        const FrameAnswer& a = answers[f];
        const FrameAnswer& b = expected[f];
        ASSERT_EQ(a.results.size(), b.results.size());
        for (std::size_t agent = 0; agent < a.results.size() && !testing::Test::HasFailure(); ++agent) {
            expect_same_result(a.results[agent], b.results[agent], agent);
        }
        EXPECT_EQ(a.root_visits, b.root_visits);
        EXPECT_EQ(a.root_values, b.root_values);
        EXPECT_EQ(a.actions, b.actions);
        EXPECT_EQ(a.flag_counts, b.flag_counts);
        EXPECT_EQ(a.carried, b.carried);
        EXPECT_EQ(a.simulations, b.simulations);
        EXPECT_EQ(a.allotted.simulations, b.allotted.simulations);
        EXPECT_EQ(a.allotted.wanting, b.allotted.wanting);
        EXPECT_EQ(a.allotted.put_off, b.allotted.put_off);
        EXPECT_EQ(a.decision_hash, b.decision_hash);
        ASSERT_EQ(a.trees.size(), b.trees.size());
        for (std::size_t tree = 0; tree < a.trees.size(); ++tree)
            expect_same_tree(a.trees[tree], b.trees[tree], tree);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Parity,
                         testing::Combine(testing::ValuesIn(all_parity_cases()), testing::ValuesIn(all_machines())),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param).name) + "_on_" +
                                    std::get<1>(tested.param).name;
                         });

// That a case has in it what it is there for.
void expect_learned(const ParityCase& parity_case, const FrameAnswer& answer) {
    const LearnedShape& shape = *parity_case.learned;
    const auto flagged = [&](std::uint32_t flag) {
        std::size_t count = 0;
        for (const augur_agent_result& result : answer.results)
            count += (result.flags & flag) != 0 ? 1 : 0;
        return count;
    };
    if (parity_case.agents > 20) {
        EXPECT_EQ(flagged(AUGUR_AGENT_BAD_STATE) > 0, !shape.bytes) << "no byte is NaN";
        EXPECT_GT(flagged(AUGUR_AGENT_NO_ACTION), 0u);
        EXPECT_GT(flagged(AUGUR_AGENT_ONLY_ACTION), 0u);
    }
    EXPECT_EQ(flagged(AUGUR_AGENT_MODEL_FALLBACK) > 0, shape.breaks);
    std::size_t searched_and_broken = 0, root_broken = 0;
    for (const augur_agent_result& result : answer.results) {
        if ((result.flags & AUGUR_AGENT_MODEL_FALLBACK) == 0) continue;
        const bool searched = result.visits > 0;
        EXPECT_TRUE(searched || (result.flags & AUGUR_AGENT_FALLBACK) != 0);
        searched_and_broken += searched ? 1 : 0;
        root_broken += searched ? 0 : 1;
    }
    EXPECT_EQ(searched_and_broken > 0, shape.breaks);
    EXPECT_EQ(root_broken > 0, shape.breaks);
    std::size_t deep = 0, paid = 0, ended = 0;
    for (const std::vector<augur_tree_node>& nodes : answer.trees)
        for (const augur_tree_node& node : nodes) {
            deep += node.depth > 1 ? 1 : 0;
            paid += node.reward != 0 ? 1 : 0;
            ended += (node.flags & AUGUR_TREE_TERMINAL) != 0 ? 1 : 0;
        }
    if (!shape.breaks) {
        EXPECT_EQ(ended, 0u);
    }
    // Few simulations do not come everywhere, and some of the agents whose trees are here may have none.
    if (shape.actions == 1 || parity_case.simulations < 30 || parity_case.divided != Divided::kEqually) return;
    if (shape.breaks) {
        EXPECT_GT(ended, 0u);
    }
    EXPECT_GT(deep, 0u);
    EXPECT_EQ(paid > 0, shape.rewards);
}

// What a frame must be on its own, before it is compared with others.
class ReferenceFrame : public testing::TestWithParam<ParityCase> {};

TEST_P(ReferenceFrame, WritesEverySlotAndNothingElse) {
    const ParityCase& parity_case = GetParam();
    std::string error;
    const auto machine = Machine::make(all_machines().front(), error);
    const auto actions = static_cast<std::int32_t>(action_count_of(*machine, parity_case));
    const std::vector<FrameAnswer>& answers = reference(parity_case);
    const bool carries = parity_case.carry_over != AUGUR_CARRY_OVER_NONE;
    ASSERT_EQ(answers.size(), carries ? 5u : 3u);
    for (const FrameAnswer& answer : answers) {
        std::uint64_t visits = 0;
        for (std::size_t agent = 0; agent < answer.results.size(); ++agent) {
            const augur_agent_result& result = answer.results[agent];
            ASSERT_EQ(answer.actions[agent], result.action);
            ASSERT_GE(result.action, AUGUR_ACTION_NONE);
            ASSERT_LT(result.action, actions);
            const std::uint32_t none = AUGUR_AGENT_NO_ACTION | AUGUR_AGENT_BAD_STATE | AUGUR_AGENT_ABSENT;
            ASSERT_EQ(result.action == AUGUR_ACTION_NONE, (result.flags & none) != 0);
            ASSERT_GE(result.value, -1.0f);
            ASSERT_LE(result.value, 1.0f);
            visits += result.visits;
        }
        if (carries)
            EXPECT_LE(answer.simulations, visits);
        else
            EXPECT_EQ(answer.simulations, visits);
        if (parity_case.divided != Divided::kEqually && !carries) {
            EXPECT_GE(answer.allotted.simulations, visits);
            EXPECT_EQ(answer.allotted.put_off > 0, parity_case.divided == Divided::kInTurns);
        }
        for (std::size_t agent = answer.results.size(); agent < answer.actions.size(); ++agent) {
            ASSERT_EQ(answer.actions[agent], -77) << "written past the agents of the frame";
        }
    }
    if (carries) {
        std::vector<std::uint64_t> sum(answers[0].carried.size(), 0);
        for (const FrameAnswer& answer : answers)
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += answer.carried[i];
        EXPECT_GT(sum[0], 0u) << "no tree was carried over";
        EXPECT_GT(sum[1] + sum[2], 0u) << "none was warmed or reset";
        EXPECT_GT(sum[3], sum[0]) << "nothing but roots was carried over";
        EXPECT_EQ(sum[1] > 0, parity_case.carry_over == AUGUR_CARRY_OVER_WARM_START);
    }
    if (parity_case.learned) expect_learned(parity_case, answers[0]);
    // Another frame number is another search, where rollouts draw lots (those of skirmish follow a script).
    if (std::string(parity_case.game) == "connect_four" && answers[0].simulations > 1000 && !carries) {
        // A model in place of rollouts leaves nothing to chance but Gumbel's noise.
        if (parity_case.model && parity_case.selection != AUGUR_SELECTION_GUMBEL)
            EXPECT_EQ(answers[0].root_values, answers[2].root_values);
        else
            EXPECT_NE(answers[0].root_values, answers[2].root_values);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceFrame, testing::ValuesIn(all_parity_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// The engine against the core's own loop on one tree: nothing is lost or added between the host's arrays and the
// search.
TEST(ReferenceEngine, SearchesEachAgentAsTheCoreDoes) {
    const ParityCase parity_case = {"plain", "connect_four", 200, AUGUR_SEARCH_FOREST, AUGUR_SELECTION_PUCT, 64};
    std::string error;
    const auto machine = Machine::make(all_machines().front(), error);
    ASSERT_NE(machine, nullptr);
    const std::vector<FrameAnswer> answers = run_case(*machine, parity_case, error);
    ASSERT_EQ(error, "");
    const std::vector<std::int32_t> words = words_of(parity_case);
    core::Settings settings = default_settings<rules::ConnectFour>();
    settings.early_stop = 1;
    ForestTree<rules::ConnectFour> tree(65);
    int searched = 0;
    for (std::uint32_t agent = 0; agent < parity_case.agents; ++agent) {
        rules::ConnectFour::State state{};
        const kit::Fields fields = {words.data(), parity_case.agents, parity_case.agents};
        if (rules::ConnectFour::gather(state, fields, agent, nullptr, 0) != kit::Gathered::ready) {
            EXPECT_EQ(answers[0].results[agent].flags, static_cast<std::uint32_t>(AUGUR_AGENT_BAD_STATE));
            continue;
        }
        ++searched;
        const core::Decision decision = tree.search(state, settings, 64, 0x1234567890ULL, agent, 5);
        EXPECT_EQ(answers[0].results[agent].action, decision.action) << agent;
        EXPECT_EQ(answers[0].results[agent].value, decision.value) << agent;
        EXPECT_EQ(answers[0].results[agent].visits, decision.visits) << agent;
        EXPECT_EQ(answers[0].results[agent].flags, decision.flags) << agent;
    }
    EXPECT_GT(searched, 150);
}

}  // namespace
}  // namespace augur::test
