// Trees that go on from frame to frame, as a host sees them: on the CPU backend, through the C interface.
#include <augur/augur.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/connect_four_host.h"
#include "support/fake_host.h"

namespace augur {
namespace {

namespace fs = std::filesystem;
using test::ConnectFourHost;

class CarryOverTest : public ::testing::Test {
  protected:
    void SetUp() override { set_up(host); }

    // Five boards with something to think about.
    static void set_up(ConnectFourHost& h, std::uint32_t workers = 0) {
        h.planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
        h.planner_desc.simulations = 200;
        h.set_up(workers);
        for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i)
            h.boards[i] = {1ull << (7 * i), 1ull << (7 * ((i + 2) % 7))};
    }
    // Drops a stone for the other player, so that a board is the agent's turn again.
    static void answer(ConnectFourHost::Board& board, std::uint32_t column) {
        const std::uint64_t all = board.own | board.other;
        const std::uint64_t stone = (all + (1ull << (7 * column))) & (0x3full << (7 * column)) & ~all;
        board = {board.other, board.own | stone};
    }
    static std::vector<augur_tree_node> tree_of(ConnectFourHost& h, std::uint32_t agent) {
        std::uint32_t count = 0;
        augur_planner_tree(h.planner, agent, nullptr, &count);
        std::vector<augur_tree_node> nodes(count);
        EXPECT_EQ(augur_planner_tree(h.planner, agent, nodes.data(), &count), AUGUR_OK);
        return nodes;
    }
    static augur_counters counters_of(ConnectFourHost& h) {
        augur_counters counters{};
        counters.struct_size = sizeof counters;
        EXPECT_EQ(augur_planner_counters(h.planner, &counters), AUGUR_OK);
        return counters;
    }
    static augur_result plan_with(ConnectFourHost& h, std::uint32_t simulations, augur_frame_result* result = nullptr,
                                  std::uint64_t number = ~0ull) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.simulations = simulations;
        frame.frame = number;
        if (const augur_result requested = augur_planner_request(h.planner, &frame); requested < 0) return requested;
        if (result != nullptr) result->struct_size = sizeof *result;
        return augur_planner_collect(h.planner, UINT64_MAX, result);
    }

    // By the actions that lead there.
    using Paths = std::map<std::vector<std::int32_t>, augur_tree_node>;
    static Paths paths_of(const std::vector<augur_tree_node>& nodes) {
        Paths paths;
        std::vector<std::vector<std::int32_t>> way(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (i > 0) {
                way[i] = way[nodes[i].parent];
                way[i].push_back(nodes[i].action);
            }
            paths[way[i]] = nodes[i];
        }
        return paths;
    }

    ConnectFourHost host;
};

// Without simulations nothing is added: what a frame finds is what the last one left.
TEST_F(CarryOverTest, TheTreeIsTheSubtreeOfTheLastOne) {
    ASSERT_GE(host.plan(), 0);
    std::vector<Paths> before;
    std::vector<std::int32_t> played, replied;
    for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
        before.push_back(paths_of(tree_of(host, i)));
        played.push_back(host.actions[i]);
    }
    host.play_actions();
    for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
        // The answer that was searched most.
        std::int32_t reply = -1;
        std::uint32_t most = 0;
        for (const auto& [path, node] : before[i])
            if (path.size() == 2 && path[0] == played[i] && node.visits > most) {
                most = node.visits;
                reply = path[1];
            }
        ASSERT_GE(reply, 0);
        replied.push_back(reply);
        answer(host.boards[i], static_cast<std::uint32_t>(reply));
    }
    ASSERT_GE(plan_with(host, 0), 0);
    std::uint64_t nodes = 0;
    for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
        const Paths after = paths_of(tree_of(host, i));
        nodes += after.size();
        std::size_t expected = 0;
        for (const auto& [path, node] : before[i]) {
            if (path.size() < 2 || path[0] != played[i] || path[1] != replied[i]) continue;
            ++expected;
            const auto found = after.find({path.begin() + 2, path.end()});
            ASSERT_NE(found, after.end());
            const augur_tree_node& now = found->second;
            EXPECT_EQ(now.depth + 2, node.depth);
            EXPECT_EQ(now.flags, node.flags);
            EXPECT_EQ(now.player, node.player);
            if (path.size() == 2) continue;  // the root counts what went on from it
            EXPECT_EQ(now.visits, node.visits);
            EXPECT_EQ(now.value, node.value);
            EXPECT_EQ(now.reward, node.reward);
        }
        EXPECT_EQ(after.size(), expected);
        EXPECT_GT(after.size(), 10u);
    }
    const augur_counters counters = counters_of(host);
    EXPECT_EQ(counters.trees_carried, std::uint64_t{ConnectFourHost::kAgents});
    EXPECT_EQ(counters.nodes_carried, nodes);
    EXPECT_EQ(counters.trees_reset, 0u);
    EXPECT_EQ(counters.trees_warmed, 0u);
}

TEST_F(CarryOverTest, AWorldThatStandsStillIsThoughtAboutOverSeveralFrames) {
    host.planner_desc.early_stop = 0;
    for (std::uint64_t frame = 1; frame <= 4; ++frame) {
        augur_frame_result result{};
        ASSERT_GE(plan_with(host, 50, &result), 0);
        EXPECT_EQ(result.simulations, std::uint64_t{50} * ConnectFourHost::kAgents) << "those of this frame";
        augur_agent_result agents[ConnectFourHost::kAgents];
        ASSERT_EQ(augur_planner_results(host.planner, 0, ConnectFourHost::kAgents, agents), AUGUR_OK);
        for (const augur_agent_result& agent : agents)
            EXPECT_EQ(agent.visits, 50 * frame);
    }
}

TEST_F(CarryOverTest, AFrameWithoutTimeAnswersFromTheTree) {
    ASSERT_GE(host.plan(), 0);
    const std::vector<std::int32_t> before(host.actions, host.actions + ConnectFourHost::kAgents);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    frame.budget_us = 0;
    augur_frame_result result{};
    result.struct_size = sizeof result;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    ASSERT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_BUDGET_ZERO);
    EXPECT_EQ(std::vector<std::int32_t>(host.actions, host.actions + ConnectFourHost::kAgents), before);
    EXPECT_EQ(result.agents_fallback, 0u);
    EXPECT_EQ(result.simulations, 0u);
}

// The state is looked for, and nothing else counts: an agent that sits at another place begins anew.
TEST_F(CarryOverTest, AgentsThatChangePlacesLoseTheirTrees) {
    ASSERT_GE(host.plan(), 0);
    std::swap(host.boards[0], host.boards[3]);
    ASSERT_GE(plan_with(host, 60, nullptr, 77), 0);
    EXPECT_EQ(counters_of(host).trees_reset, 2u);
    EXPECT_EQ(counters_of(host).trees_carried, 3u);
    ConnectFourHost fresh;
    set_up(fresh);
    std::swap(fresh.boards[0], fresh.boards[3]);
    ASSERT_GE(plan_with(fresh, 60, nullptr, 77), 0);
    for (const std::uint32_t i : {0u, 3u}) {
        const auto a = tree_of(host, i), b = tree_of(fresh, i);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t n = 0; n < a.size(); ++n) {
            EXPECT_EQ(a[n].visits, b[n].visits);
            EXPECT_EQ(a[n].value, b[n].value);
        }
    }
}

TEST_F(CarryOverTest, ResetMakesTheNextFrameTheFirst) {
    ASSERT_GE(host.plan(), 0);
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 0, ConnectFourHost::kAgents), AUGUR_OK) << augur_last_message();
    augur_frame_result after{}, alone{};
    ASSERT_GE(plan_with(host, 200, &after, 5), 0);
    ConnectFourHost fresh;
    set_up(fresh);
    ASSERT_GE(plan_with(fresh, 200, &alone, 5), 0);
    EXPECT_EQ(after.decision_hash, alone.decision_hash);
    EXPECT_EQ(counters_of(host).trees_reset, 0u) << "the host's resets are not counted";
    // One agent alone.
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 2, 1), AUGUR_OK);
    ASSERT_GE(host.plan(), 0);
    EXPECT_EQ(counters_of(host).trees_carried, 4u);
}

TEST_F(CarryOverTest, ResetsOutsideOfTheAgentsAreRefused) {
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 0, 0), AUGUR_OK);
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 5, 0), AUGUR_OK);
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 0, 6), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 6, 0), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 4, 0xffffffffu), AUGUR_ERROR_LIMIT);
    EXPECT_NE(std::string(augur_last_message()).find("agent_capacity"), std::string::npos);
    EXPECT_EQ(augur_planner_reset_trees({0}, 0, 1), AUGUR_ERROR_STALE_ID);
}

TEST_F(CarryOverTest, HasItsStageInTheTimeline) {
    ASSERT_GE(host.plan(), 0);
    ASSERT_GE(host.plan(), 0);
    augur_timeline_frame frames[2];
    std::uint32_t count = 2;
    ASSERT_EQ(augur_planner_timeline(host.planner, frames, &count), AUGUR_OK);
    ASSERT_EQ(count, 2u);
    const augur_stage_span& carry = frames[1].stages[AUGUR_STAGE_CARRY];
    EXPECT_GT(carry.end_ns, carry.begin_ns);
    EXPECT_GE(carry.begin_ns, frames[1].stages[AUGUR_STAGE_GATHER].end_ns);
    EXPECT_LE(carry.end_ns, frames[1].stages[AUGUR_STAGE_SEARCH].begin_ns);
    EXPECT_STREQ(augur_stage_name(AUGUR_STAGE_CARRY), "carry");
}

TEST_F(CarryOverTest, HasNoStageWithoutIt) {
    ConnectFourHost plain;
    plain.set_up(0);
    ASSERT_GE(plain.plan(), 0);
    ASSERT_GE(plain.plan(), 0);
    augur_timeline_frame frame;
    std::uint32_t count = 1;
    ASSERT_EQ(augur_planner_timeline(plain.planner, &frame, &count), AUGUR_OK);
    EXPECT_EQ(frame.stages[AUGUR_STAGE_CARRY].begin_ns, frame.stages[AUGUR_STAGE_CARRY].end_ns);
    EXPECT_EQ(counters_of(plain).trees_carried, 0u);
    EXPECT_EQ(augur_planner_reset_trees(plain.planner, 0, 1), AUGUR_OK) << "there is nothing to forget";
}

TEST_F(CarryOverTest, CountedVisitsAreSimulationsThatNeedNotBeDone) {
    ConnectFourHost counting;
    counting.planner_desc.count_carried = 1;
    counting.planner_desc.early_stop = 0;
    set_up(counting);
    augur_frame_result result{};
    ASSERT_GE(plan_with(counting, 150, &result), 0);
    EXPECT_EQ(result.simulations, 750u);
    ASSERT_GE(plan_with(counting, 200, &result), 0);
    EXPECT_EQ(result.simulations, 250u);
    ASSERT_GE(plan_with(counting, 200, &result), 0);
    EXPECT_EQ(result.simulations, 0u);
}

// A frame that its agents sit out leaves their trees alone.
TEST_F(CarryOverTest, TreesWaitForAgentsThatAreNotPlanned) {
    ASSERT_GE(host.plan(), 0);
    ASSERT_GE(host.plan(2), 0);
    ASSERT_GE(host.plan(), 0);
    EXPECT_EQ(counters_of(host).trees_carried, 2u + ConnectFourHost::kAgents);
    EXPECT_EQ(counters_of(host).trees_reset, 0u);
}

TEST_F(CarryOverTest, MemoryIsSaidBeforehand) {
    augur_planner_memory_info with{}, without{};
    with.struct_size = without.struct_size = sizeof with;
    augur_planner_desc desc = host.planner_desc;
    ASSERT_EQ(augur_planner_memory(host.context, &desc, &with), AUGUR_OK);
    desc.carry_over = AUGUR_CARRY_OVER_NONE;
    ASSERT_EQ(augur_planner_memory(host.context, &desc, &without), AUGUR_OK);
    EXPECT_EQ(with.bytes_per_node, without.bytes_per_node + 8);
    EXPECT_GT(with.host_bytes, without.host_bytes);
}

class CarryOverDescTest : public ::testing::Test {
  protected:
    void SetUp() override {
        host.create_context(0);
        ASSERT_EQ(augur_rules_builtin(host.context, "connect_four", &host.planner_desc.rules), AUGUR_OK);
    }
    void expect_refused(augur_result expected, const char* named) {
        augur_planner_id planner{0};
        EXPECT_EQ(augur_planner_create(host.context, &host.planner_desc, &planner), expected);
        EXPECT_NE(std::string(augur_last_message()).find(named), std::string::npos) << augur_last_message();
        EXPECT_EQ(planner.value, 0u);
    }
    ConnectFourHost host;
};

TEST_F(CarryOverDescTest, RefusesUnknownValues) {
    host.planner_desc.carry_over = 3;
    expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, "carry_over is 3, allowed 0..2");
    host.planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    host.planner_desc.count_carried = 2;
    expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, "count_carried is 2, allowed 0..1");
}

TEST_F(CarryOverDescTest, RefusesWhatCannotGoOn) {
    host.planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    host.planner_desc.search = AUGUR_SEARCH_TREE;
    expect_refused(AUGUR_ERROR_UNSUPPORTED, "AUGUR_SEARCH_TREE");
    host.planner_desc.search = AUGUR_SEARCH_FOREST;
    host.planner_desc.carry_over = AUGUR_CARRY_OVER_WARM_START;
    expect_refused(AUGUR_ERROR_UNSUPPORTED, "connect_four");
    ASSERT_EQ(augur_rules_builtin(host.context, "skirmish", &host.planner_desc.rules), AUGUR_OK);
    augur_planner_id planner{0};
    EXPECT_EQ(augur_planner_create(host.context, &host.planner_desc, &planner), AUGUR_OK) << augur_last_message();
}

// A host that was compiled before carry-over was there gets what it always got.
TEST_F(CarryOverDescTest, IsOffForHostsThatDoNotKnowIt) {
    host.planner_desc.carry_over = 77;  // behind what such a host has
    host.planner_desc.struct_size = offsetof(augur_planner_desc, carry_over);
    ASSERT_EQ(augur_planner_create(host.context, &host.planner_desc, &host.planner), AUGUR_OK) << augur_last_message();
    host.bind_all();
    ASSERT_GE(host.plan(), 0);
    ASSERT_GE(host.plan(), 0);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.trees_carried, 0u);
}

class CarryOverRecordingTest : public CarryOverTest {
  protected:
    void SetUp() override {
        CarryOverTest::SetUp();
        folder = fs::temp_directory_path() / ("augur_carry_" + std::to_string(::getpid()));
        fs::create_directories(folder);
        path = (folder / "session.augur").string();
    }
    void TearDown() override { fs::remove_all(folder); }
    void play(int frames) {
        for (int i = 0; i < frames; ++i) {
            ASSERT_GE(host.plan(ConnectFourHost::kAgents - static_cast<std::uint32_t>(i % 2)), 0);
            if (i % 3 != 2) host.play_actions();
        }
    }
    augur_replay_report replay() {
        ConnectFourHost other;
        other.create_context(1);
        augur_replay_report report{};
        report.struct_size = sizeof report;
        EXPECT_EQ(augur_replay(other.context, path.c_str(), &report), AUGUR_OK) << augur_last_message();
        return report;
    }
    fs::path folder;
    std::string path;
};

TEST_F(CarryOverRecordingTest, ReplaysToTheSameHashes) {
    play(3);  // before the recording: forgotten when it starts
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
    play(5);
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 1, 2), AUGUR_OK);
    play(3);
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 0, ConnectFourHost::kAgents), AUGUR_OK);
    play(2);
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 0, 1), AUGUR_OK);
    ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    EXPECT_GT(counters_of(host).trees_carried, 20u);
    const augur_replay_report report = replay();
    EXPECT_EQ(report.frames, 10u);
    EXPECT_EQ(report.frames_equal, 10u);
}

TEST_F(CarryOverRecordingTest, LeavesOutFramesThatFollowOneThatTimeEnded) {
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    play(2);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(host.planner), AUGUR_OK);
    ASSERT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr), AUGUR_CANCELLED);
    play(3);
    ASSERT_EQ(augur_planner_reset_trees(host.planner, 0, ConnectFourHost::kAgents), AUGUR_OK);
    play(2);
    ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    const augur_replay_report report = replay();
    EXPECT_EQ(report.frames, 8u);
    EXPECT_EQ(report.frames_skipped, 4u);
    EXPECT_EQ(report.frames_equal, 4u);
}

// With a frame under way, a reset or a recording waits for the host.
TEST(CarryOverWhileAFrameRuns, IsLeftAlone) {
    test::FakeHost host;
    host.planner_desc.carry_over = AUGUR_CARRY_OVER_WARM_START;
    host.set_up();
    EXPECT_EQ(host.backend.last_desc.carry_over, AUGUR_CARRY_OVER_WARM_START);
    EXPECT_EQ(host.backend.last_desc.node_capacity, 2 * host.planner_desc.simulations + 1);
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    const std::string path = (fs::temp_directory_path() / "augur_carry_busy").string();
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 0, 1), AUGUR_ERROR_BUSY);
    EXPECT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_ERROR_BUSY);
    host.backend.hold = false;
    ASSERT_EQ(host.collect(), AUGUR_OK);
    EXPECT_EQ(augur_planner_reset_trees(host.planner, 0, 1), AUGUR_OK);
}

}  // namespace
}  // namespace augur
