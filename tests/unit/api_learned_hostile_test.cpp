// Learned rules and bad input: what is refused, and what numbers that are none do to an answer.
#include <functional>
#include <limits>

#include "support/learned_host.h"

namespace augur::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kHuge = 3.0e38f;  // twice that is infinite

bool message_has(const std::string& text) {
    return std::strstr(augur_last_message(), text.c_str()) != nullptr;
}

TEST_F(ApiLearned, RefuseEachFieldOutOfRangeByName) {
    create_context(0);
    take_models(table());
    const std::string long_name(64, 'x');
    const auto refused = [&](const char* field, const std::function<void(augur_learned_rules_desc&)>& change,
                             augur_result result = AUGUR_ERROR_INVALID_ARGUMENT) {
        augur_learned_rules_desc desc = rules_desc;
        change(desc);
        augur_rules_id rules{77};
        EXPECT_EQ(augur_rules_learned(context, &desc, &rules), result) << field;
        EXPECT_TRUE(message_has(field)) << augur_last_message();
        EXPECT_EQ(rules.value, 77u);
    };
    using Desc = augur_learned_rules_desc;
    refused("name", [](Desc& d) { d.name = ""; });
    refused("name", [&](Desc& d) { d.name = long_name.c_str(); });
    refused("representation", [](Desc& d) { d.representation = {0}; });
    refused("dynamics", [](Desc& d) { d.dynamics = {0}; });
    refused("prediction", [](Desc& d) { d.prediction = {0}; });
    refused("player_count", [](Desc& d) { d.player_count = 0; });
    refused("player_count", [](Desc& d) { d.player_count = 3; });
    refused("max_depth", [](Desc& d) { d.max_depth = 0; });
    refused("max_depth", [](Desc& d) { d.max_depth = 4097; });
    for (const float bad : {-0.01f, 1.01f, kNaN, kInfinity})
        refused("discount", [bad](Desc& d) { d.discount = bad; });
    for (const float bad : {kNaN, kInfinity}) {
        refused("observation_scale", [bad](Desc& d) { d.observation_scale = bad; });
        refused("observation_shift", [bad](Desc& d) { d.observation_shift = bad; });
    }
    refused("reserved", [](Desc& d) { d.reserved = 1; });
    refused("struct_cookie", [](Desc& d) { d.struct_cookie = 0; });
    refused("struct_size", [](Desc& d) { d.struct_size = 8; });
    refused(
        "id", [](Desc& d) { d.dynamics.value ^= 1ull << 20; }, AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_rules_learned(context, nullptr, &planner_desc.rules), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_rules_learned(context, &rules_desc, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_rules_learned({0}, &rules_desc, &planner_desc.rules), AUGUR_ERROR_STALE_ID);
    LearnedHost other;
    other.create_context(0);
    other.take_models(table());
    refused(
        "another context", [&](Desc& d) { d.prediction = other.rules_desc.prediction; }, AUGUR_ERROR_STALE_ID);
    augur_learned_rules_desc_init_sized(nullptr, 8);
}

TEST_F(ApiLearned, ADescOfANewerHostWorksWhereTheUnknownIsZero) {
    create_context(0);
    take_models(table());
    struct {
        augur_learned_rules_desc known;
        std::uint64_t unknown[2];
    } newer;
    std::memset(static_cast<void*>(&newer), 0xcd, sizeof newer);
    augur_learned_rules_desc_init_sized(&newer.known, sizeof newer);
    EXPECT_EQ(newer.unknown[1], 0u);
    newer.known.representation = rules_desc.representation;
    newer.known.dynamics = rules_desc.dynamics;
    newer.known.prediction = rules_desc.prediction;
    augur_rules_id rules{0};
    EXPECT_EQ(augur_rules_learned(context, &newer.known, &rules), AUGUR_OK) << augur_last_message();
    newer.unknown[1] = 1;
    EXPECT_EQ(augur_rules_learned(context, &newer.known, &rules), AUGUR_ERROR_VERSION);
}

TEST_F(ApiLearned, RefuseModelsThatDoNotFitWithBothShapes) {
    create_context(0);
    const auto zero = [](std::uint32_t, std::uint32_t, std::uint32_t) { return 0.0f; };
    const auto model = [&](std::uint32_t features, const std::vector<DenseHead>& heads, std::uint32_t second = 0) {
        return model_of(write_dense_onnx(features, {}, heads, zero, second));
    };
    const augur_model_id representation = model(9, {{"hidden", 6, ""}});
    const augur_model_id dynamics = model(6 + 3, {{"next", 6, ""}, {"reward", 1, ""}}, 3);
    const augur_model_id prediction = model(6, {{"policy", 3, ""}, {"value", 1, ""}});
    const auto refused = [&](augur_model_id r, augur_model_id d, augur_model_id p,
                             const std::vector<std::string>& words, augur_result result = AUGUR_ERROR_INVALID_MODEL) {
        rules_desc.representation = r;
        rules_desc.dynamics = d;
        rules_desc.prediction = p;
        augur_rules_id rules{77};
        EXPECT_EQ(learn(&rules), result);
        for (const std::string& word : words)
            EXPECT_TRUE(message_has(word)) << word << ": " << augur_last_message();
        EXPECT_EQ(rules.value, 77u);
    };
    refused(model(9, {{"a", 6, ""}, {"b", 6, ""}}), dynamics, prediction, {"representation", "2 outputs"});
    refused(model(9, {{"hidden", 6, ""}}, 4), dynamics, prediction, {"representation", "2 inputs"});
    refused(model(9, {{"hidden", 7, ""}}), dynamics, prediction, {"prediction", "[batch, 6]", "[batch, 7]"});
    refused(representation, model(6 + 3, {{"next", 5, ""}, {"reward", 1, ""}}, 3), prediction,
            {"next state", "[batch, 5]", "[batch, 6]"});
    refused(representation, model(6 + 3, {{"next", 6, ""}, {"reward", 2, ""}}, 3), prediction,
            {"reward", "[batch, 2]", "needs 1"});
    refused(representation, model(6 + 4, {{"next", 6, ""}, {"reward", 1, ""}}, 4), prediction,
            {"second input", "[batch, 4]", "[batch, 3]"});
    refused(representation, model(5 + 3, {{"next", 6, ""}, {"reward", 1, ""}}, 3), prediction,
            {"first input", "[batch, 5]", "[batch, 6]"});
    refused(representation, model(10, {{"next", 6, ""}, {"reward", 1, ""}}), prediction,
            {"dynamics", "[batch, 10]", "[batch, 6]", "[batch, 3]"});
    refused(representation, model(6 + 3, {{"a", 6, ""}, {"b", 1, ""}, {"c", 1, ""}}, 3), prediction, {"3 outputs"});
    refused(representation, dynamics, model(6, {{"policy", 3, ""}}), {"no value", "[batch, 3]"});
    refused(representation, dynamics, model(6, {{"value", 1, ""}}), {"no policy", "[batch, 1]"});
    refused(representation, dynamics, model(6, {{"policy", 3, ""}, {"value", 3, ""}}), {"value", "needs 1"});
    refused(representation, dynamics, model(6, {{"policy", 65, ""}, {"value", 1, ""}}), {"policy", "65", "64"},
            AUGUR_ERROR_LIMIT);
    refused(model(65537, {{"hidden", 6, ""}}), dynamics, prediction, {"representation", "65537", "65536"},
            AUGUR_ERROR_LIMIT);
    refused(model(1, {{"hidden", 65537, ""}}), dynamics, prediction, {"representation", "65537", "65536"},
            AUGUR_ERROR_LIMIT);
    // And those that fit do.
    rules_desc.representation = representation;
    rules_desc.dynamics = dynamics;
    rules_desc.prediction = prediction;
    augur_rules_id rules{0};
    EXPECT_EQ(learn(&rules), AUGUR_OK) << augur_last_message();
    rules_desc.dynamics = model(6 + 3, {{"next", 6, ""}});  // no rewards
    EXPECT_EQ(learn(&rules), AUGUR_OK) << augur_last_message();
    rules_desc.dynamics = model(6 + 3, {{"first", 6, ""}, {"second", 1, ""}});  // by order
    EXPECT_EQ(learn(&rules), AUGUR_OK) << augur_last_message();
}

TEST_F(ApiLearned, PlannersRefuseWhatTheyCannotDo) {
    set_up(table(), 4);
    augur_planner_desc desc = planner_desc;
    desc.model = rules_desc.prediction;
    augur_planner_id refused{0};
    EXPECT_EQ(augur_planner_create(context, &desc, &refused), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(message_has("model")) << augur_last_message();
    EXPECT_EQ(augur_planner_set_model(planner, rules_desc.prediction), AUGUR_ERROR_INVALID_STATE);
    EXPECT_TRUE(message_has("learned")) << augur_last_message();
    desc = planner_desc;
    desc.horizon = 65;
    EXPECT_EQ(augur_planner_create(context, &desc, &refused), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(message_has("horizon")) << augur_last_message();
}

TEST_F(ApiLearned, BindingsAreCheckedOverTheWholeRow) {
    create_context(0);
    take_models(table());
    create_planner(4);
    float rows[4][40] = {};
    const augur_buffer_id buffer = buffer_of(rows, sizeof rows, AUGUR_ACCESS_READ_WRITE);
    const auto bind = [&](const char* field, augur_format format, std::uint64_t offset, std::uint64_t stride) {
        const augur_binding at{buffer, static_cast<std::uint32_t>(format), 0, offset, stride};
        return augur_planner_bind(planner, field, &at);
    };
    EXPECT_EQ(bind("observation.x", AUGUR_FORMAT_F32, 0, 0), AUGUR_ERROR_NOT_FOUND);
    EXPECT_EQ(bind("sight", AUGUR_FORMAT_F32, 0, 0), AUGUR_ERROR_NOT_FOUND);
    EXPECT_TRUE(message_has("observation, legal")) << augur_last_message();
    EXPECT_EQ(bind("observation", AUGUR_FORMAT_U64, 0, 0), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(bind("legal", AUGUR_FORMAT_U8, 0, 0), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(bind("observation", AUGUR_FORMAT_F32, 4, 0), AUGUR_ERROR_INVALID_BUFFER) << "one number past the end";
    EXPECT_EQ(bind("observation", AUGUR_FORMAT_F32, 0, 156), AUGUR_ERROR_INVALID_BUFFER) << "rows that overlap";
    EXPECT_TRUE(message_has("160")) << augur_last_message();
    EXPECT_EQ(bind("observation", AUGUR_FORMAT_F32, 0, 164), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_EQ(bind("observation", AUGUR_FORMAT_F32, 2, 0), AUGUR_ERROR_INVALID_BUFFER);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 4;
    EXPECT_EQ(augur_planner_request(planner, &frame), AUGUR_ERROR_INVALID_STATE);
    EXPECT_TRUE(message_has("observation")) << augur_last_message();
    ASSERT_EQ(bind("observation", AUGUR_FORMAT_F32, 0, 0), AUGUR_OK) << augur_last_message();
    const augur_binding inside{buffer, AUGUR_FORMAT_I32, 0, 156, 160};  // the last number of each row
    EXPECT_EQ(augur_planner_bind_actions(planner, &inside), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_TRUE(message_has("observation")) << augur_last_message();
}

TEST_F(ApiLearned, AgentsWhoSeeNoNumbersAreFlaggedAlone) {
    const LearnedTable rules = table();
    set_up(rules, 40, 2);
    ASSERT_EQ(plan(), AUGUR_OK) << augur_last_message();
    const std::vector<std::int32_t> sound = actions;
    observations[7 * 40 + 39] = kNaN;
    observations[8 * 40] = kInfinity;
    observations[33 * 40 + 5] = -kInfinity;
    ASSERT_EQ(plan(), AUGUR_OK_WITH_FLAGS);
    for (std::uint32_t i = 0; i < 40; ++i) {
        const bool bad = i == 7 || i == 8 || i == 33;
        EXPECT_EQ(actions[i], bad ? AUGUR_ACTION_NONE : sound[i]) << i;
        EXPECT_EQ((result_of(i).flags & AUGUR_AGENT_BAD_STATE) != 0, bad) << i;
    }
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.bad_states, 3u);
}

// A dynamics of two states and two actions; by action 0 the output numbered `spoiled` (0, 1 state, 2 reward) is
// infinite.
std::string dynamics_that_breaks(std::uint32_t spoiled) {
    const auto weight = [spoiled](std::uint32_t layer, std::uint32_t row, std::uint32_t c) {
        if (layer == 0) {  // units 0 and 1: 1 by action 0; 2 and 3: the state
            if (c < 2) return row == 2 ? 2.0f : row == 4 ? -1.0f : 0.0f;
            return row == c - 2 ? 1.0f : 0.0f;
        }
        const std::uint32_t output = layer == 1 ? c : 2;
        if (row < 2) return output == spoiled ? kHuge : 0.0f;
        return row < 4 && output < 2 && row - 2 == output ? 1.0f : 0.0f;
    };
    return write_dense_onnx(4, {4}, {{"next", 2, ""}, {"reward", 1, ""}}, weight, 2);
}

TEST_F(ApiLearned, AStateThatIsNotFiniteEndsItsBranch) {
    for (const augur_search search : {AUGUR_SEARCH_FOREST, AUGUR_SEARCH_TREE}) {
        LearnedHost host;
        host.create_context(0);
        LearnedTable rules = two_states();
        host.take_models(rules.representation(), dynamics_that_breaks(1), rules.prediction());
        host.planner_desc.search = search;
        host.planner_desc.simulations = 32;
        host.planner_desc.early_stop = 0;
        host.create_planner(3);
        host.bind_all(2, false);
        for (std::uint32_t i = 0; i < 3; ++i)
            host.see_state(i, i & 1, 2);
        ASSERT_EQ(host.plan(), AUGUR_OK_WITH_FLAGS) << augur_last_message();
        for (std::uint32_t i = 0; i < 3; ++i) {
            const augur_agent_result result = host.result_of(i);
            EXPECT_EQ(result.flags, static_cast<std::uint32_t>(AUGUR_AGENT_MODEL_FALLBACK));
            EXPECT_EQ(result.visits, 32u);
            // Where the network says less than 0 the branch that counts 0 is better.
            EXPECT_EQ(result.action, i == 1 ? 1 : 0);
            std::vector<augur_tree_node> nodes(64);
            std::uint32_t count = 64;
            ASSERT_EQ(augur_planner_tree(host.planner, i, nodes.data(), &count), AUGUR_OK) << augur_last_message();
            for (std::uint32_t n = 1; n < count; ++n) {
                EXPECT_EQ((nodes[n].flags & AUGUR_TREE_TERMINAL) != 0, nodes[n].action == 0);
                if (nodes[n].action == 0) {
                    EXPECT_EQ(nodes[n].value, 0.0f);
                }
                EXPECT_EQ(nodes[nodes[n].parent].flags & AUGUR_TREE_TERMINAL, 0u) << "nobody goes on from there";
            }
        }
    }
}

TEST_F(ApiLearned, ARewardThatIsNotFiniteCountsNothing) {
    create_context(0);
    LearnedTable rules = two_states();
    take_models(rules.representation(), dynamics_that_breaks(2), rules.prediction());
    planner_desc.simulations = 16;
    create_planner(2);
    bind_all(2, false);
    see_state(0, 0, 2);
    see_state(1, 1, 2);
    ASSERT_EQ(plan(), AUGUR_OK_WITH_FLAGS) << augur_last_message();
    for (std::uint32_t i = 0; i < 2; ++i) {
        EXPECT_NE(result_of(i).flags & AUGUR_AGENT_MODEL_FALLBACK, 0u);
        std::uint32_t visits[2] = {};
        float values[2] = {};
        ASSERT_EQ(augur_planner_root(planner, i, visits, values), AUGUR_OK);
        EXPECT_EQ(values[0], rules.value(i)) << "the state stays, and nothing is paid";
    }
}

TEST_F(ApiLearned, ARootThatIsNotFiniteIsNotSearched) {
    create_context(1);
    LearnedTable rules = two_states();
    const std::string representation = write_dense_onnx(
        2, {}, {{"hidden", 2, ""}},
        [](std::uint32_t, std::uint32_t row, std::uint32_t c) { return row == c ? (row == 1 ? kHuge : 1.0f) : 0.0f; });
    take_models(representation, rules.dynamics(true), rules.prediction());
    planner_desc.selection = AUGUR_SELECTION_GUMBEL;
    planner_desc.discount = 0.5f;
    create_planner(2);
    bind_all(2, true);
    see_state(0, 0, 2);
    observations[2] = 0.0f;
    observations[3] = 2.0f;
    ASSERT_EQ(plan(), AUGUR_OK_WITH_FLAGS) << augur_last_message();
    EXPECT_EQ(result_of(0).flags, 0u);
    const augur_agent_result result = result_of(1);
    EXPECT_EQ(result.flags, static_cast<std::uint32_t>(AUGUR_AGENT_MODEL_FALLBACK | AUGUR_AGENT_FALLBACK));
    EXPECT_EQ(result.action, 0) << "the first of equals";
    EXPECT_EQ(result.visits, 0u);
    float priors[2] = {}, value = 1.0f;
    ASSERT_EQ(augur_planner_advice(planner, 1, priors, &value), AUGUR_OK);
    EXPECT_EQ(value, 0.0f);
    EXPECT_EQ(priors[0], priors[1]);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.model_fallbacks, 1u);
    EXPECT_EQ(counters.fallbacks, 1u);
}

}  // namespace
}  // namespace augur::test
