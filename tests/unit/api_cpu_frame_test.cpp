// Frames of the real games on the CPU backend that go wrong in the ways a host can make them.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <cstring>
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

#include "backend/cpu/engine.h"
#include "support/captured_log.h"
#include "support/connect_four_host.h"
#include "support/games/oddities.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace augur {
namespace {

using test::ConnectFourHost;

struct Unit {
    float position[2];
    std::int32_t health, kind, team;
    std::int16_t action;
    std::int16_t padding;
};

// Two rows of units that face each other.
class SkirmishHost {
  public:
    static constexpr std::uint32_t kUnits = 12;

    void set_up() {
        augur_context_desc context_desc = augur_context_desc_default();
        context_desc.backend = AUGUR_BACKEND_CPU;
        context_desc.worker_threads = 1;
        ASSERT_EQ(augur_context_create(&context_desc, &context), AUGUR_OK);
        ASSERT_EQ(augur_rules_builtin(context, "skirmish", &desc.rules), AUGUR_OK);
        desc.agent_capacity = kUnits;
        desc.simulations = 32;
        ASSERT_EQ(augur_planner_create(context, &desc, &planner), AUGUR_OK) << augur_last_message();
        augur_buffer_desc memory = augur_buffer_desc_default();
        memory.pointer = units;
        memory.size_bytes = sizeof units;
        memory.access = AUGUR_ACCESS_READ_WRITE;
        augur_buffer_id buffer{0};
        ASSERT_EQ(augur_buffer_register(context, &memory, &buffer), AUGUR_OK);
        const auto bind = [&](const char* field, augur_format format, std::size_t offset) {
            const augur_binding binding{buffer, static_cast<std::uint32_t>(format), 0, offset, sizeof(Unit)};
            ASSERT_EQ(field != nullptr ? augur_planner_bind(planner, field, &binding)
                                       : augur_planner_bind_actions(planner, &binding),
                      AUGUR_OK)
                << augur_last_message();
        };
        bind("position", AUGUR_FORMAT_F32, offsetof(Unit, position));
        bind("health", AUGUR_FORMAT_I32, offsetof(Unit, health));
        bind("kind", AUGUR_FORMAT_I32, offsetof(Unit, kind));
        bind("team", AUGUR_FORMAT_I32, offsetof(Unit, team));
        bind(nullptr, AUGUR_FORMAT_I16, offsetof(Unit, action));
        place();
    }
    ~SkirmishHost() { augur_context_destroy(context); }
    void place() {
        for (std::uint32_t i = 0; i < kUnits; ++i)
            units[i] = {{100.0f + 5.0f * static_cast<float>(i % 2), 100.0f + static_cast<float>(i / 2)},
                        30,
                        static_cast<std::int32_t>(i / 2 % 3),
                        static_cast<std::int32_t>(i % 2),
                        -7,
                        1234};
    }
    std::vector<augur_agent_result> plan(augur_result expected) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kUnits;
        frame.frame = 0;
        EXPECT_EQ(augur_planner_request(planner, &frame), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), expected);
        std::vector<augur_agent_result> results(kUnits);
        EXPECT_EQ(augur_planner_results(planner, 0, kUnits, results.data()), AUGUR_OK);
        return results;
    }

    augur_context_id context{0};
    augur_planner_id planner{0};
    augur_planner_desc desc = augur_planner_desc_default();
    Unit units[kUnits];
};

TEST(BadNumbers, FlagTheirAgentAndNoOther) {
    SkirmishHost host;
    host.set_up();
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& result : host.plan(AUGUR_OK)) {
        EXPECT_GE(result.action, 0);
        EXPECT_EQ(result.flags & AUGUR_AGENT_BAD_STATE, 0u);
    }
    host.units[0].position[0] = nan;
    host.units[3].position[1] = -inf;
    host.units[4].health = 100000;
    host.units[5].kind = -1;
    host.units[7].position[0] = 1e30f;
    host.units[8].position[0] = std::numeric_limits<float>::denorm_min();
    const auto results = host.plan(AUGUR_OK_WITH_FLAGS);
    for (std::uint32_t i = 0; i < SkirmishHost::kUnits; ++i) {
        const bool bad = i == 0 || i == 3 || i == 4 || i == 5 || i == 7;
        EXPECT_EQ((results[i].flags & AUGUR_AGENT_BAD_STATE) != 0, bad) << i;
        EXPECT_EQ(results[i].action == AUGUR_ACTION_NONE, bad) << i;
        EXPECT_EQ(host.units[i].action, results[i].action) << i;
        EXPECT_EQ(host.units[i].padding, 1234) << "beside a narrow action nothing is written";
    }
}

// Whether a number is one must not depend on arithmetic that a mode of the host, or of a compiler, could bend.
TEST(BadNumbers, AreSeenInEveryFloatingPointModeOfTheHost) {
    constexpr struct {
        std::uint32_t bits;
        bool bad;
    } kNumbers[] = {
        {0x7f800000, true},  {0xff800000, true},   // infinities
        {0x7fc00000, true},  {0xffc00000, true},   // quiet NaNs
        {0x7f800001, true},  {0xffbfffff, true},   // signalling NaNs
        {0x7f7fffff, true},  {0xff7fffff, true},   // the largest there are
        {0x00000001, false}, {0x807fffff, false},  // denormals: next to nothing
        {0x00800000, false}, {0x80000000, false},  // the smallest normal one, and minus zero
    };
    static_assert(std::size(kNumbers) == SkirmishHost::kUnits);
    const auto expect_flags = [&](const char* mode) {
        SkirmishHost host;
        host.set_up();
        for (std::uint32_t i = 0; i < SkirmishHost::kUnits; ++i)
            std::memcpy(&host.units[i].position[i % 2], &kNumbers[i].bits, sizeof kNumbers[i].bits);
        const auto results = host.plan(AUGUR_OK_WITH_FLAGS);
        for (std::uint32_t i = 0; i < SkirmishHost::kUnits; ++i) {
            EXPECT_EQ((results[i].flags & AUGUR_AGENT_BAD_STATE) != 0, kNumbers[i].bad) << mode << ' ' << i;
            EXPECT_EQ(results[i].action == AUGUR_ACTION_NONE, kNumbers[i].bad) << mode << ' ' << i;
        }
        augur_counters counters{};
        counters.struct_size = sizeof counters;
        EXPECT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
        EXPECT_EQ(counters.bad_states, 8u) << mode;
    };
    expect_flags("default");
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(rounding);
        expect_flags("rounding");
    }
    std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
    const unsigned int before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    expect_flags("flush to zero");
    _mm_setcsr(before);
#endif
}

TEST(BadNumbers, OfDeadUnitsAreAbsent) {
    SkirmishHost host;
    host.set_up();
    host.units[2].health = 0;
    const auto results = host.plan(AUGUR_OK_WITH_FLAGS);
    EXPECT_EQ(results[2].flags, static_cast<std::uint32_t>(AUGUR_AGENT_ABSENT));
    EXPECT_EQ(results[2].action, AUGUR_ACTION_NONE);
}

TEST(Ends, AtEveryRootWriteNoneIntoEverySlot) {
    ConnectFourHost host;
    host.set_up(0);
    // Won by who moved last: four in column 0. Drawn: a full board without a line, (row + column / 2) odd or even.
    const ConnectFourHost::Board won = {1ull << 7 | 1ull << 14 | 1ull << 21, 15};
    ConnectFourHost::Board drawn = {0, 0};
    for (int column = 0; column < 7; ++column) {
        for (int row = 0; row < 6; ++row)
            ((row + column / 2) % 2 == 0 ? drawn.own : drawn.other) |= 1ull << (7 * column + row);
    }
    for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
        host.boards[i] = i % 2 == 0 ? won : drawn;
        host.actions[i] = 5;
    }
    augur_frame_result result{};
    EXPECT_EQ(host.plan(ConnectFourHost::kAgents, &result), AUGUR_OK_WITH_FLAGS);
    EXPECT_EQ(result.agents_flagged, ConnectFourHost::kAgents);
    EXPECT_EQ(result.simulations, 0u);
    augur_agent_result agents[ConnectFourHost::kAgents];
    ASSERT_EQ(augur_planner_results(host.planner, 0, ConnectFourHost::kAgents, agents), AUGUR_OK);
    for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
        EXPECT_EQ(host.actions[i], AUGUR_ACTION_NONE) << i;
        EXPECT_EQ(agents[i].flags, static_cast<std::uint32_t>(AUGUR_AGENT_NO_ACTION)) << i;
    }
}

// States in which nobody can act although nothing has ended, as a host meets them.
TEST(DeadEnds, AtRootsAreNoneAndBelowThemAreCounted) {
    static const bool added = [] {
        add_cpu_game(make_cpu_game<test::DeadEnd>());
        return true;
    }();
    ASSERT_TRUE(added);
    constexpr std::uint32_t kAgents = 4;
    std::int32_t cells[kAgents], actions[kAgents];
    ConnectFourHost host;  // for its context
    host.create_context(0);
    augur_planner_desc desc = augur_planner_desc_default();
    ASSERT_EQ(augur_rules_builtin(host.context, "test_dead_end", &desc.rules), AUGUR_OK) << augur_last_message();
    desc.agent_capacity = kAgents;
    desc.simulations = 200;
    augur_planner_id planner{0};
    ASSERT_EQ(augur_planner_create(host.context, &desc, &planner), AUGUR_OK) << augur_last_message();
    augur_buffer_desc memory = augur_buffer_desc_default();
    augur_buffer_id read{0}, write{0};
    memory.pointer = cells;
    memory.size_bytes = sizeof cells;
    ASSERT_EQ(augur_buffer_register(host.context, &memory, &read), AUGUR_OK);
    memory.pointer = actions;
    memory.access = AUGUR_ACCESS_WRITE;
    ASSERT_EQ(augur_buffer_register(host.context, &memory, &write), AUGUR_OK);
    const augur_binding from{read, AUGUR_FORMAT_I32, 0, 0, 0}, to{write, AUGUR_FORMAT_I32, 0, 0, 0};
    ASSERT_EQ(augur_planner_bind(planner, "state", &from), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(augur_planner_bind_actions(planner, &to), AUGUR_OK);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = kAgents;
    augur_agent_result results[kAgents];
    const auto plan = [&] {
        ASSERT_EQ(augur_planner_request(planner, &frame), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(augur_planner_collect(planner, UINT64_MAX, nullptr), AUGUR_OK_WITH_FLAGS);
        ASSERT_EQ(augur_planner_results(planner, 0, kAgents, results), AUGUR_OK);
    };
    for (std::uint32_t i = 0; i < kAgents; ++i) {
        cells[i] = test::DeadEnd::kTrap;
        actions[i] = 1;
    }
    plan();
    for (std::uint32_t i = 0; i < kAgents; ++i) {
        EXPECT_EQ(actions[i], AUGUR_ACTION_NONE) << i;
        EXPECT_EQ(results[i].flags, static_cast<std::uint32_t>(AUGUR_AGENT_NO_ACTION)) << i;
    }
    for (const std::uint32_t agent : {0u, 2u})
        cells[agent] = test::DeadEnd::kTrap - 1;  // a step leads into the trap, a jump over it
    plan();
    for (std::uint32_t i = 0; i < kAgents; ++i) {
        EXPECT_EQ(actions[i], i % 2 == 0 ? 1 : AUGUR_ACTION_NONE) << i;
        EXPECT_EQ((results[i].flags & AUGUR_AGENT_DEAD_END) != 0, i % 2 == 0) << i;
    }
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(planner, &counters), AUGUR_OK);
    EXPECT_EQ(counters.dead_ends, 2u);
    ASSERT_EQ(augur_context_destroy(host.context), AUGUR_OK) << "before the arrays go";
}

TEST(Actions, FitEveryFormat) {
    ConnectFourHost host;
    host.set_up(0);
    host.boards[1].own = 3;
    host.boards[1].other = 3;  // the same cell twice: no such board
    std::uint8_t bytes[ConnectFourHost::kAgents * 4];
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.pointer = bytes;
    desc.size_bytes = sizeof bytes;
    desc.access = AUGUR_ACCESS_WRITE;
    augur_buffer_id buffer{0};
    ASSERT_EQ(augur_buffer_register(host.context, &desc, &buffer), AUGUR_OK);
    for (const auto& [format, size] :
         {std::pair{AUGUR_FORMAT_U8, 1u}, std::pair{AUGUR_FORMAT_I8, 1u}, std::pair{AUGUR_FORMAT_U16, 2u},
          std::pair{AUGUR_FORMAT_I16, 2u}, std::pair{AUGUR_FORMAT_I32, 4u}}) {
        std::memset(bytes, 0x55, sizeof bytes);
        const augur_binding binding{buffer, static_cast<std::uint32_t>(format), 0, 0, 0};
        ASSERT_EQ(augur_planner_bind_actions(host.planner, &binding), AUGUR_OK);
        ASSERT_EQ(host.plan(), AUGUR_OK_WITH_FLAGS);
        augur_agent_result results[ConnectFourHost::kAgents];
        ASSERT_EQ(augur_planner_results(host.planner, 0, ConnectFourHost::kAgents, results), AUGUR_OK);
        for (std::uint32_t i = 0; i < ConnectFourHost::kAgents; ++i) {
            std::uint32_t written = 0, expected = 0;
            std::memcpy(&written, bytes + i * size, size);
            std::memcpy(&expected, &results[i].action, size);
            EXPECT_EQ(written, expected) << format << ' ' << i;
        }
        EXPECT_EQ(results[1].action, AUGUR_ACTION_NONE);
        for (std::size_t i = ConnectFourHost::kAgents * size; i < sizeof bytes; ++i)
            EXPECT_EQ(bytes[i], 0x55) << "past the last action";
    }
}

TEST(Budgets, ThatAreTinyGiveLegalActions) {
    ConnectFourHost host;
    host.planner_desc.simulations = 65535;
    host.set_up(1);
    for (const std::int64_t budget_us : {std::int64_t{1}, std::int64_t{0}}) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.budget_us = budget_us;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr),
                  budget_us == 0 ? AUGUR_BUDGET_ZERO : AUGUR_DEADLINE_HIT);
        for (const std::int32_t action : host.actions)
            EXPECT_TRUE(action >= 0 && action < 7) << action;
    }
}

TEST(Budgets, ThatAreHugeEndByCancel) {
    ConnectFourHost host;
    host.planner_desc.simulations = 400000;
    host.planner_desc.search = AUGUR_SEARCH_TREE;
    host.planner_desc.agent_capacity = 1;
    host.planner_desc.early_stop = 0;
    host.set_up(1);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 1;
    frame.budget_us = 3600000000ll;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(host.planner, 1000, nullptr), AUGUR_NOT_READY);
    std::thread([&] { EXPECT_EQ(augur_planner_cancel(host.planner), AUGUR_OK); }).join();
    EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr), AUGUR_CANCELLED);
    EXPECT_TRUE(host.actions[0] >= 0 && host.actions[0] < 7);
}

TEST(Budgets, ThatAreHugeEndWhenTheSimulationsAreDone) {
    ConnectFourHost host;
    host.planner_desc.early_stop = 0;
    host.planner_desc.budget_us = UINT32_MAX;
    host.set_up(1);
    for (const std::int64_t budget_us : {INT64_MIN, std::int64_t{3600000000}, INT64_MAX - 1, INT64_MAX}) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.budget_us = budget_us;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        augur_frame_result result{};
        result.struct_size = sizeof result;
        EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_OK) << budget_us;
        EXPECT_EQ(result.simulations, 40u * ConnectFourHost::kAgents) << budget_us;
        EXPECT_EQ(result.deadline_missed, 0u) << budget_us;
    }
}

// Nobody works on the frame until collect, as where all cores or the GPU are busy with the game's own work.
TEST(Budgets, CountFromTheCallNotFromWhenTheWorkBegins) {
    ConnectFourHost host;
    host.planner_desc.simulations = 5000;
    host.planner_desc.budget_us = 2000;
    host.set_up(0);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    augur_frame_result result{};
    result.struct_size = sizeof result;
    EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_DEADLINE_HIT);
    EXPECT_EQ(result.deadline_missed, 1u);
    EXPECT_EQ(result.simulations, 0u);
    EXPECT_EQ(result.agents_fallback, ConnectFourHost::kAgents);
    EXPECT_GE(result.request_to_done_ns, 20000000u);
    for (const std::int32_t action : host.actions)
        EXPECT_EQ(action, 0) << "the first legal action";
    augur_timeline_frame timeline;
    std::uint32_t count = 1;
    ASSERT_EQ(augur_planner_timeline(host.planner, &timeline, &count), AUGUR_OK);
    EXPECT_GE(timeline.stages[AUGUR_STAGE_WAIT].end_ns, 20000000u) << "the timeline says where the time went";
    // The late frame costs the next one nothing.
    frame.budget_us = INT64_MAX;
    frame.simulations = 20;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr), AUGUR_OK);
}

// What is chosen too late is written or dropped, as the planner was told; either way it is told of.
TEST(LateActions, AreWrittenOrDroppedAsSet) {
    for (const augur_late_actions late : {AUGUR_LATE_ACTIONS_WRITE, AUGUR_LATE_ACTIONS_DROP}) {
        const bool drops = late == AUGUR_LATE_ACTIONS_DROP;
        ConnectFourHost host;
        host.planner_desc.simulations = 50;
        host.planner_desc.late_actions = static_cast<std::uint32_t>(late);
        host.set_up(0);
        // In time: the actions of this frame are what a dropped one leaves in place.
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.budget_us = 3600000000;
        augur_frame_result result{};
        result.struct_size = sizeof result;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        ASSERT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_OK);
        EXPECT_EQ(result.actions_dropped, 0u);
        for (std::int32_t& action : host.actions) {
            EXPECT_TRUE(action >= 0 && action < 7);
            action = -77;
        }
        // Late, because nobody works on it before collect.
        frame.budget_us = 2000;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_DEADLINE_HIT);
        EXPECT_EQ(result.deadline_missed, 1u);
        EXPECT_EQ(result.actions_dropped, drops ? 1u : 0u);
        for (const std::int32_t action : host.actions)
            EXPECT_EQ(action, drops ? -77 : 0);
        augur_agent_result agents[ConnectFourHost::kAgents];
        ASSERT_EQ(augur_planner_results(host.planner, 0, ConnectFourHost::kAgents, agents), AUGUR_OK);
        EXPECT_EQ(agents[0].action, 0) << "what was chosen can be looked at";
        augur_timeline_frame timeline;
        std::uint32_t count = 1;
        ASSERT_EQ(augur_planner_timeline(host.planner, &timeline, &count), AUGUR_OK);
        EXPECT_EQ(timeline.actions_dropped, drops ? 1u : 0u);
        augur_counters counters{};
        counters.struct_size = sizeof counters;
        ASSERT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
        EXPECT_EQ(counters.frames_dropped, drops ? 1u : 0u);
        EXPECT_EQ(counters.deadline_misses, 1u);
        // Without a budget nothing is late, and the next frame is as ever.
        frame.budget_us = INT64_MAX;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, &result), AUGUR_OK);
        EXPECT_EQ(result.actions_dropped, 0u);
        for (const std::int32_t action : host.actions)
            EXPECT_TRUE(action >= 0 && action < 7);
    }
}

TEST(Simulations, MayBeFewerThanActions) {
    ConnectFourHost host;
    host.set_up(0);
    for (const std::uint32_t simulations : {0u, 1u, 2u, 6u}) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        frame.simulations = simulations;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        augur_frame_result result{};
        result.struct_size = sizeof result;
        ASSERT_GE(augur_planner_collect(host.planner, UINT64_MAX, &result), 0);
        EXPECT_LE(result.simulations, static_cast<std::uint64_t>(simulations) * ConnectFourHost::kAgents);
        for (const std::int32_t action : host.actions)
            EXPECT_TRUE(action >= 0 && action < 7) << action;
    }
}

TEST(Pools, ThatAreTooSmallAreToldWithTheSizeThatIsNot) {
    test::CapturedLog log;
    ConnectFourHost host;
    host.context_desc.logger = log.logger();
    host.planner_desc.node_capacity = 8;
    host.planner_desc.simulations = 200;
    host.planner_desc.early_stop = 0;
    host.set_up(0);
    ASSERT_EQ(host.plan(), AUGUR_POOL_EXHAUSTED);
    for (const std::int32_t action : host.actions)
        EXPECT_TRUE(action >= 0 && action < 7) << action;
    ASSERT_EQ(log.count(AUGUR_SEVERITY_WARNING), 1u);
    EXPECT_NE(log.messages()[0].text.find("201"), std::string::npos) << log.messages()[0].text;
}

std::uint64_t hash_of(std::uint64_t seed, std::uint64_t frame_number) {
    ConnectFourHost host;
    host.planner_desc.seed = seed;
    host.set_up(0);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    frame.frame = frame_number;
    EXPECT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    augur_frame_result result{};
    result.struct_size = sizeof result;
    EXPECT_GE(augur_planner_collect(host.planner, UINT64_MAX, &result), 0);
    return result.decision_hash;
}

TEST(Seeds, AndFramesChangeTheDiceAndNothingElseDoes) {
    EXPECT_EQ(hash_of(1, 5), hash_of(1, 5));
    EXPECT_NE(hash_of(1, 5), hash_of(2, 5));
    EXPECT_NE(hash_of(0, 5), hash_of(1, 5)) << "seed 0 is a seed";
    EXPECT_NE(hash_of(1, 5), hash_of(1, 6));
    EXPECT_NE(hash_of(1, 5), hash_of(1, 5 + (1ull << 32))) << "the upper half of the frame number counts";
}

TEST(Seeds, GiveEveryAgentItsOwnDiceAlsoWhereTheyAreZero) {
    for (const std::uint64_t seed : {std::uint64_t{0}, UINT64_MAX}) {
        for (const std::uint64_t frame_number : {std::uint64_t{0}, std::uint64_t{1} << 32, UINT64_MAX - 1}) {
            ConnectFourHost host;  // whose boards are all alike
            host.planner_desc.seed = seed;
            host.set_up(0);
            augur_frame_desc frame = augur_frame_desc_default();
            frame.agent_count = ConnectFourHost::kAgents;
            frame.frame = frame_number;
            ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
            ASSERT_GE(augur_planner_collect(host.planner, UINT64_MAX, nullptr), 0);
            std::vector<std::vector<float>> seen;
            for (std::uint32_t agent = 0; agent < ConnectFourHost::kAgents; ++agent) {
                std::vector<float> values(7);
                ASSERT_EQ(augur_planner_root(host.planner, agent, nullptr, values.data()), AUGUR_OK);
                for (const std::vector<float>& other : seen)
                    EXPECT_NE(values, other) << "seed " << seed << ", frame " << frame_number;
                seen.push_back(values);
            }
        }
    }
}

TEST(WritesOfTheHost, WhileAFrameReadsAreWarnedOfInDebugBuilds) {
    test::CapturedLog log;
    ConnectFourHost host;
    host.context_desc.logger = log.logger();
    host.set_up(0);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    host.boards[2].other = 1;  // no worker reads it before collect
    ASSERT_GE(augur_planner_collect(host.planner, UINT64_MAX, nullptr), 0);
#if defined(NDEBUG)
    EXPECT_EQ(log.count(AUGUR_SEVERITY_WARNING), 0u);
#else
    ASSERT_EQ(log.count(AUGUR_SEVERITY_WARNING), 1u);
    EXPECT_NE(log.messages()[0].text.find("\"other\""), std::string::npos) << log.messages()[0].text;
#endif
    const std::size_t before = log.messages().size();
    ASSERT_GE(host.plan(), 0);
    EXPECT_EQ(log.messages().size(), before) << "nothing was written in this one";
}

}  // namespace
}  // namespace augur
