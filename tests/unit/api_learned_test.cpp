// Rules of learned networks through the C interface: what they say of themselves, what is refused, and what a host
// gets.
#include <map>

#include "support/fake_backend.h"
#include "support/learned_host.h"

namespace augur::test {
namespace {

TEST_F(ApiLearned, DescribeWhatTheModelsSay) {
    create_context(0);
    take_models(table());
    rules_desc.name = "made-up";
    rules_desc.player_count = 2;
    rules_desc.max_depth = 33;
    augur_rules_id rules{0};
    ASSERT_EQ(learn(&rules), AUGUR_OK) << augur_last_message();
    augur_rules_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_rules_describe(rules, &info), AUGUR_OK);
    EXPECT_STREQ(info.name, "made-up");
    EXPECT_EQ(info.action_count, 5u);
    EXPECT_EQ(info.player_count, 2u);
    EXPECT_EQ(info.turn, static_cast<std::uint32_t>(AUGUR_TURN_ALTERNATING));
    EXPECT_EQ(info.state_bytes, 40 * sizeof(float));
    EXPECT_EQ(info.max_depth, 33u);
    EXPECT_EQ(info.feature_count, 0u) << "it takes no model of a host";
    ASSERT_EQ(info.field_count, 2u);
    augur_field_info field{};
    field.struct_size = sizeof field;
    ASSERT_EQ(augur_rules_field(rules, 0, &field), AUGUR_OK);
    EXPECT_STREQ(field.name, "observation");
    EXPECT_EQ(field.kind, static_cast<std::uint32_t>(AUGUR_FIELD_ROW));
    EXPECT_EQ(field.component_count, 40u);
    EXPECT_EQ(field.optional, 0u);
    ASSERT_EQ(augur_rules_field(rules, 1, &field), AUGUR_OK);
    EXPECT_STREQ(field.name, "legal");
    EXPECT_EQ(field.kind, static_cast<std::uint32_t>(AUGUR_FIELD_BITS64));
    EXPECT_EQ(field.optional, 1u);
    EXPECT_EQ(field.default_value, -1);
    const char* name = nullptr;
    ASSERT_EQ(augur_rules_action_name(rules, 4, &name), AUGUR_OK);
    EXPECT_STREQ(name, "action 4");
    EXPECT_EQ(augur_rules_action_name(rules, 5, &name), AUGUR_ERROR_LIMIT);
}

TEST_F(ApiLearned, RulesAndModelsMayGoWhilePlannersStay) {
    set_up(table(), 40);
    augur_frame_result before{}, after{};
    before.struct_size = after.struct_size = sizeof before;
    ASSERT_GE(plan(&before), 0) << augur_last_message();
    EXPECT_EQ(augur_rules_destroy(planner_desc.rules), AUGUR_OK);
    EXPECT_EQ(augur_rules_destroy(planner_desc.rules), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_model_destroy(rules_desc.representation), AUGUR_OK);
    EXPECT_EQ(augur_model_destroy(rules_desc.dynamics), AUGUR_OK);
    EXPECT_EQ(augur_model_destroy(rules_desc.prediction), AUGUR_OK);
    ASSERT_GE(plan(&after), 0) << augur_last_message();
    EXPECT_EQ(before.decision_hash, after.decision_hash);
    augur_planner_id refused{0};
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &refused), AUGUR_ERROR_STALE_ID);
    // Those that ship are not the host's to end.
    augur_rules_id shipped{0};
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &shipped), AUGUR_OK);
    EXPECT_EQ(augur_rules_destroy(shipped), AUGUR_OK);
    augur_rules_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(augur_rules_describe(shipped, &info), AUGUR_OK);
    EXPECT_EQ(augur_rules_destroy({0}), AUGUR_OK);
}

TEST_F(ApiLearned, ObservationsMayHaveAnyFormatAndStride) {
    create_context(0);
    take_models(table());
    rules_desc.observation_scale = 1.0f / 255.0f;
    create_planner(40);
    bind_all(40, false);
    struct Pixels {
        std::uint8_t seen[40];
        std::uint8_t other[8];
    };
    std::vector<Pixels> pixels(40);
    for (std::uint32_t i = 0; i < 40; ++i) {
        std::memset(&pixels[i], 0xee, sizeof pixels[i]);
        for (std::uint32_t n = 0; n < 40; ++n) {
            pixels[i].seen[n] = n == i ? 255 : 0;
            observations[i * 40 + n] = n == i ? 255.0f : 0.0f;
        }
    }
    augur_frame_result floats{}, bytes{};
    floats.struct_size = bytes.struct_size = sizeof floats;
    ASSERT_EQ(plan(&floats), AUGUR_OK) << augur_last_message();
    const augur_binding at{buffer_of(pixels.data(), pixels.size() * sizeof(Pixels), AUGUR_ACCESS_READ), AUGUR_FORMAT_U8,
                           0, 0, sizeof(Pixels)};
    ASSERT_EQ(augur_planner_bind(planner, "observation", &at), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(plan(&bytes), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(floats.decision_hash, bytes.decision_hash);
    EXPECT_EQ(floats.simulations, bytes.simulations);
}

// A ply by hand: Q(1) = 0.25 + discount * (+-0.5), Q(0) = discount * (+-(-0.25)); the other player's value counts
// against the agent.
TEST_F(ApiLearned, RewardsAreDiscountedAndValuesTurnWithThePlayer) {
    for (const std::uint32_t players : {1u, 2u}) {
        LearnedHost host;
        host.create_context(0);
        host.take_models(two_states());
        host.rules_desc.player_count = players;
        host.planner_desc.simulations = 2;
        host.planner_desc.discount = 0.5f;
        host.planner_desc.early_stop = 0;
        host.planner_desc.horizon = 1;
        host.planner_desc.exploration = 100.0f;  // each action once
        host.create_planner(1);
        host.bind_all(2, false);
        host.see_state(0, 0, 2);
        ASSERT_EQ(host.plan(), AUGUR_OK) << augur_last_message();
        std::uint32_t visits[2] = {};
        float values[2] = {};
        ASSERT_EQ(augur_planner_root(host.planner, 0, visits, values), AUGUR_OK);
        EXPECT_EQ(visits[0], 1u);
        EXPECT_EQ(visits[1], 1u);
        EXPECT_EQ(values[0], players == 1 ? -0.125f : 0.125f);
        EXPECT_EQ(values[1], players == 1 ? 0.5f : 0.0f);
        augur_tree_node nodes[3] = {};
        std::uint32_t count = 3;
        ASSERT_EQ(augur_planner_tree(host.planner, 0, nodes, &count), AUGUR_OK) << augur_last_message();
        ASSERT_EQ(count, 3u);
        EXPECT_EQ(nodes[0].model_value, -0.25f);
        for (const augur_tree_node* node : {&nodes[1], &nodes[2]}) {
            EXPECT_EQ(node->reward, node->action == 1 ? 16384 : 0);
            EXPECT_EQ(node->model_value, node->action == 1 ? 0.5f : -0.25f);
            EXPECT_EQ(node->player, players == 1 ? 0u : 1u);
            EXPECT_NEAR(node->prior, 0.5f, 1e-4f);
        }
    }
}

TEST_F(ApiLearned, MasksHoldAtTheRoot) {
    const LearnedTable rules = table();
    set_up(rules, 40, 2);
    for (std::uint32_t i = 0; i < 40; ++i)
        legal[i] = hash_table_legal(i) | ~31ull;  // bits past the last action mean nothing
    legal[3] = 0;
    legal[4] = 1u << 2;
    legal[5] = ~31ull;
    ASSERT_EQ(plan(), AUGUR_OK_WITH_FLAGS) << augur_last_message();
    for (std::uint32_t i = 0; i < 40; ++i) {
        const augur_agent_result result = result_of(i);
        EXPECT_EQ(result.action, actions[i]);
        if (i == 3 || i == 5) {
            EXPECT_EQ(result.action, AUGUR_ACTION_NONE);
            EXPECT_EQ(result.flags, static_cast<std::uint32_t>(AUGUR_AGENT_NO_ACTION));
            continue;
        }
        ASSERT_GE(result.action, 0);
        ASSERT_LT(result.action, 5);
        EXPECT_NE(legal[i] >> result.action & 1, 0u) << i;
        if (i == 4) {
            EXPECT_EQ(result.flags, static_cast<std::uint32_t>(AUGUR_AGENT_ONLY_ACTION));
        }
    }
}

TEST_F(ApiLearned, WithoutTimeTheAnswerIsThePrior) {
    const LearnedTable rules = table();
    set_up(rules, 40, 1);
    for (std::uint32_t i = 0; i < 40; ++i)
        legal[i] = hash_table_legal(i);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 40;
    frame.budget_us = 0;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), AUGUR_BUDGET_ZERO);
    for (std::uint32_t s = 0; s < 40; ++s) {
        int best = -1;
        for (int a = 0; a < 5; ++a)
            if ((legal[s] >> a & 1) != 0 && (best < 0 || rules.logit(s, static_cast<std::uint32_t>(a)) >
                                                             rules.logit(s, static_cast<std::uint32_t>(best))))
                best = a;
        EXPECT_EQ(actions[s], best) << s;
        EXPECT_EQ(result_of(s).flags, static_cast<std::uint32_t>(AUGUR_AGENT_FALLBACK));
        float priors[5] = {}, value = 0.0f;
        ASSERT_EQ(augur_planner_advice(planner, s, priors, &value), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(value, rules.value(s));
        float sum = 0.0f;
        for (int a = 0; a < 5; ++a) {
            EXPECT_EQ(priors[a] > 0.0f, (legal[s] >> a & 1) != 0);
            sum += priors[a];
        }
        EXPECT_NEAR(sum, 1.0f, 1e-3f);
    }
}

TEST_F(ApiLearned, AnswersDoNotDependOnWorkersOrGroupsOrTheFormOfTheDynamics) {
    for (const augur_precision precision : {AUGUR_PRECISION_FP32, AUGUR_PRECISION_FP16, AUGUR_PRECISION_INT8}) {
        for (const augur_search search : {AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE}) {
            std::map<std::uint64_t, int> hashes;
            std::vector<std::int32_t> first;
            for (const std::uint32_t workers : {0u, 1u, 3u}) {
                for (const bool two_inputs : {false, true}) {
                    LearnedHost host;
                    host.create_context(workers);
                    augur_model_desc desc = augur_model_desc_default();
                    desc.precision = precision;
                    const LearnedTable rules = table();
                    host.rules_desc.representation = host.model_of(rules.representation(), desc);
                    host.rules_desc.prediction = host.model_of(rules.prediction(), desc);
                    desc.precision = precision == AUGUR_PRECISION_INT8 ? AUGUR_PRECISION_FP32 : precision;
                    host.rules_desc.dynamics = host.model_of(rules.dynamics(two_inputs), desc);
                    host.rules_desc.player_count = 2;
                    host.planner_desc.search = search;
                    host.planner_desc.simulations = 48;
                    host.planner_desc.seed = 99;
                    host.create_planner(75);
                    host.bind_all(rules.states, false);
                    for (std::uint32_t i = 0; i < 75; ++i)
                        host.see_state(i, i % rules.states, rules.states);
                    augur_frame_result result{};
                    result.struct_size = sizeof result;
                    ASSERT_GE(host.plan(&result), 0) << augur_last_message();
                    ++hashes[result.decision_hash];
                    for (std::uint32_t i = 40; i < 75; ++i)
                        EXPECT_EQ(host.actions[i], host.actions[i - 40]) << "PUCT draws nothing";
                }
            }
            EXPECT_EQ(hashes.size(), 1u) << "precision " << precision << ", search " << search;
        }
    }
}

TEST_F(ApiLearned, ALargeTreeAddsUp) {
    const LearnedTable rules = table();
    create_context(2);
    take_models(rules);
    planner_desc.search = AUGUR_SEARCH_TREE;
    planner_desc.simulations = 2000;
    planner_desc.leaves_per_wave = 100;
    planner_desc.early_stop = 0;
    create_planner(2);
    bind_all(rules.states, false);
    see_state(0, 3, rules.states);
    see_state(1, 17, rules.states);
    ASSERT_EQ(plan(), AUGUR_OK) << augur_last_message();
    for (std::uint32_t i = 0; i < 2; ++i) {
        std::vector<augur_tree_node> nodes(2001);
        auto count = static_cast<std::uint32_t>(nodes.size());
        ASSERT_EQ(augur_planner_tree(planner, i, nodes.data(), &count), AUGUR_OK) << augur_last_message();
        nodes.resize(count);
        std::vector<std::uint32_t> state(count), below(count);
        state[0] = i == 0 ? 3 : 17;
        for (std::uint32_t n = 1; n < count; ++n) {
            const auto action = static_cast<std::uint32_t>(nodes[n].action);
            const std::uint32_t parent = state[nodes[n].parent];
            state[n] = rules.next(parent, action);
            below[nodes[n].parent] += nodes[n].visits;
            EXPECT_EQ(nodes[n].model_value, rules.value(state[n]));
            EXPECT_EQ(nodes[n].reward, static_cast<std::int32_t>(rules.reward(parent, action) * 65536.0f));
        }
        EXPECT_EQ(below[0], 2000u);
        EXPECT_GT(count, 500u);
    }
}

TEST_F(ApiLearned, EverySizeOfActionsIsSearched) {
    for (const std::uint32_t count : {1u, 2u, 4u, 5u, 8u, 9u, 16u, 17u, 32u, 33u, 63u, 64u}) {
        LearnedHost host;
        host.create_context(0);
        // The last action is the one that pays.
        const LearnedTable rules{3,
                                 count,
                                 [](std::uint32_t s, std::uint32_t a) { return (s + a) % 3; },
                                 [count](std::uint32_t, std::uint32_t a) { return a == count - 1 ? 0.5f : 0.0f; },
                                 [](std::uint32_t) { return 0.0f; },
                                 [](std::uint32_t, std::uint32_t) { return 0.0f; }};
        host.take_models(rules);
        host.planner_desc.selection = AUGUR_SELECTION_GUMBEL;
        host.planner_desc.considered_actions = 64;
        host.planner_desc.simulations = 256;
        host.planner_desc.gumbel_scale = 0.0f;
        host.planner_desc.horizon = 1;
        host.create_planner(2);
        host.bind_all(3, true);
        host.see_state(0, 0, 3);
        host.see_state(1, 2, 3);
        if (count > 2) host.legal[1] = ~0ull >> (65 - count);  // all but the last
        ASSERT_GE(host.plan(), 0) << augur_last_message();
        EXPECT_EQ(host.actions[0], static_cast<std::int32_t>(count) - 1);
        std::vector<std::uint32_t> visits(count + 1, 777);
        std::vector<float> values(count + 1, 777.0f);
        ASSERT_EQ(augur_planner_root(host.planner, 1, visits.data(), values.data()), AUGUR_OK);
        EXPECT_EQ(visits[count], 777u) << "no more than the actions there are";
        EXPECT_EQ(values[count], 777.0f);
        if (count > 2) {
            EXPECT_EQ(visits[count - 1], 0u);
        }
        ASSERT_EQ(augur_planner_advice(host.planner, 1, values.data(), nullptr), AUGUR_OK);
        EXPECT_EQ(values[count], 777.0f);
    }
}

TEST_F(ApiLearned, MemoryIsToldToTheByte) {
    create_context(2);
    take_models(table());
    ASSERT_EQ(learn(&planner_desc.rules), AUGUR_OK);
    planner_desc.agent_capacity = 50;
    augur_planner_memory_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_planner_memory(context, &planner_desc, &info), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_OK);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.host_bytes, info.host_bytes);
    EXPECT_GE(info.bytes_per_node, 40 * sizeof(float) + 5 * sizeof(std::uint64_t));
    EXPECT_GE(info.host_bytes, std::uint64_t{info.bytes_per_node} * 50 * 65);
}

TEST_F(ApiLearned, CarryOverIsRefused) {
    create_context(0);
    take_models(table());
    ASSERT_EQ(learn(&planner_desc.rules), AUGUR_OK);
    planner_desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    EXPECT_EQ(augur_planner_create(context, &planner_desc, &planner), AUGUR_ERROR_UNSUPPORTED);
    EXPECT_NE(std::string(augur_last_message()).find("learned"), std::string::npos) << augur_last_message();
}

TEST_F(ApiLearned, FramesEndInTimeAndCanBeCancelled) {
    planner_desc.simulations = 20000;
    set_up(table(), 64, 2);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 64;
    frame.budget_us = 3000;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), AUGUR_DEADLINE_HIT);
    for (const std::int32_t action : actions)
        EXPECT_TRUE(action >= 0 && action < 5);
    frame.budget_us = INT64_MAX;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(planner), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), AUGUR_CANCELLED);
    for (const std::int32_t action : actions)
        EXPECT_TRUE(action >= 0 && action < 5);
    frame.simulations = 8;
    ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK);
    ASSERT_GE(augur_planner_collect(planner, UINT64_MAX, nullptr), 0);
    augur_timeline_frame frames[3];
    std::uint32_t count = 3;
    ASSERT_GE(augur_planner_timeline(planner, frames, &count), 0) << augur_last_message();
    ASSERT_EQ(count, 3u);
    const augur_stage_span& evaluate = frames[2].stages[AUGUR_STAGE_EVALUATE];
    EXPECT_GT(evaluate.end_ns, evaluate.begin_ns) << "the networks' share of the search";
}

class LearnedRulesBesideAGpu : public ::testing::Test {
  protected:
    fake::Scope control_;
    LearnedHost host_;

    ~LearnedRulesBesideAGpu() override { augur_context_destroy(std::exchange(host_.context, {0})); }
    // In a context of the CPU backend and a fake GPU. Of the three models the n-th stays on the CPU alone; 0: none.
    void make_rules(const LearnedTable& rules, int on_cpu_alone) {
        control_.gpu = true;
        augur_context_desc desc = augur_context_desc_default();
        desc.worker_threads = 0;
        desc.logger = host_.log.logger();
        BackendFactory factory = fake::factory();
        factory.make_cpu = make_cpu_backend;
        ASSERT_EQ(augur::create_context(desc, factory, &host_.context.value), AUGUR_OK);
        int number = 0;
        const auto model = [&](const std::string& bytes) {
            augur_model_desc of = augur_model_desc_default();
            of.data = bytes.data();
            of.size_bytes = bytes.size();
            control_.make_network = ++number == on_cpu_alone ? AUGUR_ERROR_OUT_OF_MEMORY : AUGUR_OK;
            augur_model_id id{0};
            EXPECT_GE(augur_model_create(host_.context, &of, &id), 0) << augur_last_message();
            return id;
        };
        host_.rules_desc.representation = model(rules.representation());
        host_.rules_desc.dynamics = model(rules.dynamics(true));
        host_.rules_desc.prediction = model(rules.prediction());
        ASSERT_EQ(augur_rules_learned(host_.context, &host_.rules_desc, &host_.planner_desc.rules), AUGUR_OK);
        host_.planner_desc.agent_capacity = 4;
        host_.planner_desc.early_stop = 0;
    }
    augur_frame_result plan(const LearnedTable& rules, augur_result expected) {
        host_.bind_all(rules.states, false);
        for (std::uint32_t i = 0; i < 4; ++i)
            host_.see_state(i, i, rules.states);
        augur_frame_result result{};
        result.struct_size = sizeof result;
        EXPECT_EQ(host_.plan(&result), expected) << augur_last_message();
        return result;
    }
};

TEST_F(LearnedRulesBesideAGpu, AreRunByTheCpuAndSaySoWhereANetworkIsNotThere) {
    const LearnedTable rules = table();
    for (int missing = 1; missing <= 3; ++missing) {
        make_rules(rules, missing);
        augur_planner_memory_info info{};
        info.struct_size = sizeof info;
        ASSERT_EQ(augur_planner_memory(host_.context, &host_.planner_desc, &info), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(info.device_bytes, 0u);
        ASSERT_EQ(augur_planner_create(host_.context, &host_.planner_desc, &host_.planner), AUGUR_FELL_BACK_TO_CPU);
        bool told = false;
        for (const CapturedLog::Message& message : host_.log.messages())
            told =
                told || (message.code == AUGUR_FELL_BACK_TO_CPU && message.text.find("planners") != std::string::npos);
        EXPECT_TRUE(told);
        const augur_frame_result result = plan(rules, AUGUR_OK);
        EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
        EXPECT_EQ(result.simulations, 4u * 64u);
        augur_context_destroy(std::exchange(host_.context, {0}));
    }
}

TEST_F(LearnedRulesBesideAGpu, AreRunByTheGpuOnItsNetworksAndByTheCpuWhenItIsLost) {
    const LearnedTable rules = table();
    make_rules(rules, 0);
    augur_planner_memory_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_planner_memory(host_.context, &host_.planner_desc, &info), AUGUR_OK) << augur_last_message();
    EXPECT_GT(info.device_bytes, 0u);
    ASSERT_EQ(augur_planner_create(host_.context, &host_.planner_desc, &host_.planner), AUGUR_OK)
        << augur_last_message();
    const LearnedGame* const game = control_.last_desc.learned;
    ASSERT_NE(game, nullptr);
    EXPECT_EQ(game->state_count, rules.states);
    EXPECT_EQ(control_.last_desc.rules->action_count, rules.actions);
    for (const NetworkUse* use : {&game->representation, &game->dynamics, &game->prediction})
        EXPECT_GE(use->network->memory_bytes(), fake::kGpuNetworkBytes) << "not the GPU's";
    EXPECT_EQ(augur_rules_destroy(host_.planner_desc.rules), AUGUR_OK);
    for (const augur_model_id model :
         {host_.rules_desc.representation, host_.rules_desc.dynamics, host_.rules_desc.prediction})
        EXPECT_EQ(augur_model_destroy(model), AUGUR_OK);
    EXPECT_EQ(control_.networks, 3) << "the planner keeps them";
    augur_frame_result result = plan(rules, AUGUR_OK);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CUDA));
    EXPECT_EQ(control_.last_work.seat, nullptr);
    control_.lost = true;
    result.struct_size = sizeof result;
    EXPECT_EQ(host_.plan(&result), AUGUR_FELL_BACK_TO_CPU);
    EXPECT_EQ(result.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(result.simulations, 4u * 64u);
}

}  // namespace
}  // namespace augur::test
