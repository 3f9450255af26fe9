// The C++ wrapper as a host uses it: owners, results, and both styles of failure.
#include <augur/augur.hpp>

#include <cstdio>
#include <cstring>
#include <utility>

namespace sdk = augur::sdk;

namespace {

int checks = 0;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        ++checks;                                                                                  \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, augur_last_message()); \
            return __LINE__ % 200 + 1;                                                             \
        }                                                                                          \
    } while (false)

static_assert(sdk::format_of<float>() == AUGUR_FORMAT_F32);
static_assert(sdk::format_of<const std::uint64_t>() == AUGUR_FORMAT_U64);
static_assert(sdk::format_of<std::int16_t>() == AUGUR_FORMAT_I16);
enum class Team : std::uint8_t { red, blue };
static_assert(sdk::format_of<Team>() == AUGUR_FORMAT_U8);
static_assert(!std::is_copy_constructible_v<sdk::Context> && std::is_nothrow_move_constructible_v<sdk::Context>);
static_assert(!std::is_copy_constructible_v<sdk::Planner> && std::is_nothrow_move_assignable_v<sdk::Buffer>);

struct Board {
    std::uint64_t own, other;
};

int results_without_exceptions() {
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = 9;
    const sdk::Result<sdk::Context> refused = sdk::Context::create(desc);
    CHECK(!refused && refused.code() == AUGUR_ERROR_INVALID_ARGUMENT);
    CHECK(refused.message().find("backend") != std::string::npos);
    CHECK(std::strcmp(refused.name(), "AUGUR_ERROR_INVALID_ARGUMENT") == 0);
    desc.backend = AUGUR_BACKEND_CPU;
    sdk::Result<sdk::Context> context = sdk::Context::create(desc);
    CHECK(context.ok() && context->id().value != 0);
    CHECK(context->rules("chess").code() == AUGUR_ERROR_NOT_FOUND);
    CHECK(context->learned_rules(augur_learned_rules_desc_default()).code() == AUGUR_ERROR_INVALID_ARGUMENT);
    CHECK(context->rules("connect_four")->destroy().ok());
    CHECK(context->replay("/nonexistent", *context->rules("connect_four")).code() == AUGUR_ERROR_INVALID_ARGUMENT);
    CHECK(context->replay("/nonexistent").code() == AUGUR_ERROR_IO);
    sdk::Context moved = std::move(*context);
    CHECK(moved && !*context);
    CHECK(moved.reset().ok() && !moved);
    CHECK(sdk::self_test()->cpu == AUGUR_OK);
    augur_profile profile = augur_profile_default();
    profile.simulations = 12;
    augur_planner_desc tuned = augur_planner_desc_default();
    augur_frame_desc tuned_frame = augur_frame_desc_default();
    augur_model_desc tuned_model = augur_model_desc_default();
    CHECK(sdk::apply(profile, tuned).ok() && tuned.simulations == 12);
    CHECK(sdk::apply(profile, tuned_frame).ok() && tuned_frame.simulations == 12);
    CHECK(sdk::apply(profile, tuned_model).ok());
    const sdk::Status missing = sdk::load_profile("/nowhere/at/all.json", profile);
    CHECK(missing.code() == AUGUR_ERROR_NOT_FOUND && !missing.message().empty() && profile.simulations == 64);
    CHECK(sdk::save_profile("/nowhere/at/all.json", profile).code() == AUGUR_ERROR_IO);
    return 0;
}

int a_frame_with_exceptions() {
    augur_context_desc context_desc = augur_context_desc_default();
    context_desc.backend = AUGUR_BACKEND_CPU;
    const sdk::Context context = unwrap(sdk::Context::create(context_desc));
    CHECK(unwrap(context.capabilities()).backend == AUGUR_BACKEND_CPU);
    Board boards[3] = {{0, 0}, {7ull << 14, 7ull}, {0, 0}};
    std::int8_t actions[4] = {9, 9, 9, 9};
    sdk::Buffer board_memory = unwrap(context.register_memory(std::span<const Board>(boards)));
    const sdk::Buffer action_memory = unwrap(context.register_memory(std::span(actions)));
    const sdk::Rules rules = unwrap(context.rules("connect_four"));
    CHECK(unwrap(rules.info()).action_count == 7);
    CHECK(unwrap(rules.fields()).size() == 2);
    CHECK(rules.action_name(7).code() == AUGUR_ERROR_LIMIT);
    augur_planner_desc desc = augur_planner_desc_default();
    desc.rules = rules.id();
    desc.agent_capacity = 3;
    desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
    CHECK(unwrap(context.planner_memory(desc)).host_bytes > 0);
    sdk::Planner planner = unwrap(context.make_planner(desc));
    unwrap(planner.bind<std::uint64_t>("own", board_memory, offsetof(Board, own), sizeof(Board)));
    unwrap(planner.bind<std::uint64_t>("other", board_memory, offsetof(Board, other), sizeof(Board)));
    unwrap(planner.bind_actions<std::int8_t>(action_memory));
    unwrap(planner.request(3));
    const augur_frame_result frame = unwrap(planner.collect());
    CHECK(frame.agent_count == 3 && frame.simulations > 0);
    CHECK(actions[1] == 2 && actions[3] == 9);
    augur_agent_result agents[3];
    unwrap(planner.results(0, agents));
    CHECK(agents[1].action == 2);
    std::uint32_t visits[7];
    unwrap(planner.root(0, visits, {}));
    CHECK(!unwrap(planner.tree(0)).empty());
    augur_timeline_frame timeline[4];
    CHECK(unwrap(planner.timeline(timeline)).size() == 1);
    CHECK(unwrap(planner.counters()).frames == 1);
    CHECK(unwrap(planner.latency(AUGUR_LATENCY_FRAME)).sample_count == 1);
    unwrap(planner.request(3));
    unwrap(planner.collect());
    CHECK(unwrap(planner.counters()).trees_carried > 0);
    CHECK(planner.reset_trees(0, 3).ok());
    CHECK(planner.reset_trees(2, 2).code() == AUGUR_ERROR_LIMIT);
    unwrap(context.begin_frame(1000000));
    desc.carry_over = AUGUR_CARRY_OVER_NONE;
    desc.adaptive = 1;
    sdk::Planner adaptive = unwrap(context.make_planner(desc));
    unwrap(adaptive.bind<std::uint64_t>("own", board_memory, offsetof(Board, own), sizeof(Board)));
    unwrap(adaptive.bind<std::uint64_t>("other", board_memory, offsetof(Board, other), sizeof(Board)));
    unwrap(adaptive.bind_actions<std::int8_t>(action_memory));
    const float urgency[3] = {0.0f, 1.0f, 2.0f};
    const sdk::Buffer urgency_memory = unwrap(context.register_memory(std::span(urgency)));
    unwrap(adaptive.bind_urgency<float>(urgency_memory));
    CHECK(planner.bind_urgency<float>(urgency_memory).code() == AUGUR_ERROR_INVALID_STATE);
    unwrap(adaptive.request(3));
    CHECK(unwrap(adaptive.collect()).agents_fallback == 1);
    unwrap(context.begin_frame(INT64_MAX));
    try {
        unwrap(planner.request(4));
        CHECK(!"request(4) threw nothing");
    } catch (const sdk::Error& error) {
        CHECK(error.code() == AUGUR_ERROR_LIMIT);
        CHECK(std::strstr(error.what(), "agent_count") != nullptr);
    }
    CHECK(board_memory.reset().ok());
    CHECK(planner.request(3).code() == AUGUR_ERROR_INVALID_STATE);
    return 0;
}

}  // namespace

int main() {
    if (const int line = results_without_exceptions(); line != 0) return line;
    if (const int line = a_frame_with_exceptions(); line != 0) return line;
    std::printf("%d checks\n", checks);
    return 0;
}
