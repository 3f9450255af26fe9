// Descs: garbage, older, newer; every field out of range is refused by name.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;

bool names(const char* field) {
    return std::strstr(augur_last_message(), field) != nullptr;
}

TEST(ContextDesc, RefusesNullsAndTouchesNothing) {
    augur_context_desc desc = augur_context_desc_default();
    augur_context_id id{42};
    EXPECT_EQ(augur_context_create(nullptr, &id), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_context_create(&desc, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(id.value, 42u);
    augur_context_desc_init_sized(nullptr, 8);
}

TEST(ContextDesc, RefusesGarbage) {
    augur_context_id id{42};
    augur_context_desc desc;
    for (const int byte : {0x00, 0xcc, 0xff}) {
        std::memset(static_cast<void*>(&desc), byte, sizeof desc);
        EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_INVALID_ARGUMENT);
        EXPECT_TRUE(names("struct_cookie")) << augur_last_message();
    }
    // A desc of another kind.
    augur_planner_desc other = augur_planner_desc_default();
    std::memset(static_cast<void*>(&desc), 0, sizeof desc);
    std::memcpy(static_cast<void*>(&desc), &other, sizeof other < sizeof desc ? sizeof other : sizeof desc);
    EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_INVALID_ARGUMENT);
    for (const std::uint32_t size : {0u, 4u, 7u, 13u, 1u << 30, 0xffffffffu}) {
        desc = augur_context_desc_default();
        desc.struct_size = size;
        EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_INVALID_ARGUMENT) << size;
        EXPECT_TRUE(names("struct_size")) << augur_last_message();
    }
    EXPECT_EQ(id.value, 42u);
}

TEST(ContextDesc, RefusesAnotherMajorVersionWithBothNumbers) {
    augur_context_desc desc = augur_context_desc_default();
    augur_context_id id{0};
    desc.api_version = AUGUR_MAKE_VERSION(AUGUR_VERSION_MAJOR + 1, 2, 3);
    EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_VERSION);
    EXPECT_TRUE(names("1.2.3") && names("0.1.0")) << augur_last_message();
    desc.api_version = 0;
    EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_VERSION);
}

TEST(ContextDesc, RefusesEveryFieldOutOfRangeByName) {
    const std::pair<const char*, std::function<void(augur_context_desc&)>> cases[] = {
        {"backend", [](augur_context_desc& d) { d.backend = 3; }},
        {"worker_threads", [](augur_context_desc& d) { d.worker_threads = 257; }},
        {"cuda_device", [](augur_context_desc& d) { d.cuda_device = -2; }},
        {"gpu_sharing", [](augur_context_desc& d) { d.gpu_sharing = 6; }},
        {"allocator",
         [](augur_context_desc& d) { d.allocator.allocate = [](void*, size_t, size_t) -> void* { return nullptr; }; }},
        {"allocator", [](augur_context_desc& d) { d.allocator.release = [](void*, void*, size_t) {}; }},
        {"task_system", [](augur_context_desc& d) { d.task_system.finish = [](void*, void*) {}; }},
        {"worker_count",
         [](augur_context_desc& d) {
             d.task_system.finish = [](void*, void*) {};
             d.task_system.enqueue = [](void*, augur_task_fn, void*, uint32_t) -> void* { return nullptr; };
         }},
    };
    for (const auto& [field, spoil] : cases) {
        augur_context_desc desc = augur_context_desc_default();
        spoil(desc);
        augur_context_id id{42};
        EXPECT_EQ(augur_context_create(&desc, &id), AUGUR_ERROR_INVALID_ARGUMENT) << field;
        EXPECT_TRUE(names(field)) << augur_last_message();
        EXPECT_EQ(id.value, 42u);
    }
}

// A planner's desc as it would look in headers of other times.
struct OlderPlannerDesc {
    uint32_t struct_size, struct_cookie;
    augur_rules_id rules;
    uint32_t agent_capacity, search, selection, execution, simulations, budget_us;
};
struct NewerPlannerDesc {
    augur_planner_desc known;
    uint64_t unknown[2];
};

TEST(PlannerDesc, OfAnOlderHostWorksWithDefaults) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    struct {
        OlderPlannerDesc desc;
        unsigned char canary[64];
    } old;
    std::memset(&old, 0xab, sizeof old);
    augur_planner_desc_init_sized(reinterpret_cast<augur_planner_desc*>(&old.desc), sizeof old.desc);
    for (const unsigned char byte : old.canary)
        ASSERT_EQ(byte, 0xab) << "init wrote past the end of an older desc";
    EXPECT_EQ(old.desc.agent_capacity, 256u);
    ASSERT_EQ(augur_rules_builtin(host.context, "fake", &old.desc.rules), AUGUR_OK);
    old.desc.agent_capacity = 7;
    ASSERT_EQ(augur_planner_create(host.context, reinterpret_cast<augur_planner_desc*>(&old.desc), &host.planner),
              AUGUR_OK)
        << augur_last_message();
    const EngineDesc& made = host.backend.last_desc;
    EXPECT_EQ(made.agent_capacity, 7u);
    EXPECT_EQ(made.simulations, 64u);
    EXPECT_TRUE(made.early_stop) << "a field the host does not know has its default";
    EXPECT_EQ(made.seed, 1u);
}

TEST(PlannerDesc, OfANewerHostWorksWhereTheUnknownIsZero) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    NewerPlannerDesc desc;
    std::memset(static_cast<void*>(&desc), 0xcd, sizeof desc);
    augur_planner_desc_init_sized(&desc.known, sizeof desc);
    EXPECT_EQ(desc.unknown[0], 0u);
    EXPECT_EQ(desc.unknown[1], 0u);
    ASSERT_EQ(augur_rules_builtin(host.context, "fake", &desc.known.rules), AUGUR_OK);
    EXPECT_EQ(augur_planner_create(host.context, &desc.known, &host.planner), AUGUR_OK) << augur_last_message();
    desc.unknown[1] = 1ull << 63;
    augur_planner_id refused{0};
    EXPECT_EQ(augur_planner_create(host.context, &desc.known, &refused), AUGUR_ERROR_VERSION);
}

// One rule for every kind of desc: how it is refused is told by how the calls that take it answer.
template <class Desc>
struct DescCall;
template <>
struct DescCall<augur_context_desc> {
    static augur_context_desc good(FakeHost& host) { return host.context_desc; }
    static void init(augur_context_desc* desc, std::uint32_t size) { augur_context_desc_init_sized(desc, size); }
    static augur_result call(FakeHost&, const augur_context_desc* desc) {
        augur_context_id id{0};
        const augur_result result = augur_context_create(desc, &id);
        augur_context_destroy(id);
        return result;
    }
};
template <>
struct DescCall<augur_buffer_desc> {
    static augur_buffer_desc good(FakeHost& host) { return host.buffer_desc; }
    static void init(augur_buffer_desc* desc, std::uint32_t size) { augur_buffer_desc_init_sized(desc, size); }
    static augur_result call(FakeHost& host, const augur_buffer_desc* desc) {
        augur_buffer_id id{0};
        const augur_result result = augur_buffer_register(host.context, desc, &id);
        augur_buffer_unregister(id);
        return result;
    }
};
template <>
struct DescCall<augur_planner_desc> {
    static augur_planner_desc good(FakeHost& host) { return host.planner_desc; }
    static void init(augur_planner_desc* desc, std::uint32_t size) { augur_planner_desc_init_sized(desc, size); }
    static augur_result call(FakeHost& host, const augur_planner_desc* desc) {
        augur_planner_id id{0};
        const augur_result result = augur_planner_create(host.context, desc, &id);
        augur_planner_destroy(id);
        return result;
    }
};
template <>
struct DescCall<augur_frame_desc> {
    static augur_frame_desc good(FakeHost&) {
        augur_frame_desc desc = augur_frame_desc_default();
        desc.agent_count = 1;
        return desc;
    }
    static void init(augur_frame_desc* desc, std::uint32_t size) { augur_frame_desc_init_sized(desc, size); }
    static augur_result call(FakeHost& host, const augur_frame_desc* desc) {
        const augur_result result = augur_planner_request(host.planner, desc);
        if (result == AUGUR_OK) {
            EXPECT_EQ(host.collect(), AUGUR_OK);
        }
        return result;
    }
};

template <>
struct DescCall<augur_frame_budget_desc> {
    static augur_frame_budget_desc good(FakeHost&) { return augur_frame_budget_desc_default(); }
    static void init(augur_frame_budget_desc* desc, std::uint32_t size) {
        augur_frame_budget_desc_init_sized(desc, size);
    }
    static augur_result call(FakeHost& host, const augur_frame_budget_desc* desc) {
        return augur_context_begin_frame(host.context, desc);
    }
};

template <class Desc>
class EveryDesc : public ::testing::Test {
  protected:
    void SetUp() override {
        host.context_desc.backend = AUGUR_BACKEND_CPU;
        host.set_up();
    }
    // A desc in the middle of memory that belongs to nobody it knows.
    struct Framed {
        Desc known;
        std::uint64_t unknown[4];
    };
    FakeHost host;
};
using Descs = ::testing::Types<augur_context_desc, augur_buffer_desc, augur_planner_desc, augur_frame_desc,
                               augur_frame_budget_desc>;
TYPED_TEST_SUITE(EveryDesc, Descs);

TYPED_TEST(EveryDesc, IsRefusedWhereItIsGarbage) {
    using Call = DescCall<TypeParam>;
    TypeParam desc;
    for (const int byte : {0x00, 0x01, 0x7f, 0xcc, 0xff}) {
        std::memset(static_cast<void*>(&desc), byte, sizeof desc);
        EXPECT_EQ(Call::call(this->host, &desc), AUGUR_ERROR_INVALID_ARGUMENT) << byte;
        EXPECT_TRUE(names("struct_cookie")) << augur_last_message();
    }
    EXPECT_EQ(Call::call(this->host, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    for (const std::uint32_t size : {0u, 8u, 15u, 8193u, 0xffffffffu}) {
        desc = Call::good(this->host);
        desc.struct_size = size;
        EXPECT_EQ(Call::call(this->host, &desc), AUGUR_ERROR_INVALID_ARGUMENT) << size;
        EXPECT_TRUE(names("struct_size")) << augur_last_message();
    }
    desc = Call::good(this->host);
    EXPECT_EQ(Call::call(this->host, &desc), AUGUR_OK) << augur_last_message();
}

TYPED_TEST(EveryDesc, OfANewerHostWorksUntilItUsesWhatIsUnknown) {
    using Call = DescCall<TypeParam>;
    typename EveryDesc<TypeParam>::Framed newer;
    std::memset(static_cast<void*>(&newer), 0xcd, sizeof newer);
    Call::init(&newer.known, sizeof newer);
    newer.known = Call::good(this->host);
    newer.known.struct_size = sizeof newer;
    for (const std::uint64_t word : newer.unknown)
        ASSERT_EQ(word, 0u) << "init fills a larger desc to its end";
    EXPECT_EQ(Call::call(this->host, &newer.known), AUGUR_OK) << augur_last_message();
    for (std::uint64_t& word : newer.unknown) {
        word = 1ull << 56;
        EXPECT_EQ(Call::call(this->host, &newer.known), AUGUR_ERROR_VERSION);
        word = 0;
    }
}

class PlannerDescRange : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(host.create_context(), AUGUR_OK);
        ASSERT_EQ(augur_rules_builtin(host.context, "fake", &host.planner_desc.rules), AUGUR_OK);
    }
    void expect(augur_result expected, const char* field, const std::function<void(augur_planner_desc&)>& change) {
        augur_planner_desc desc = host.planner_desc;
        change(desc);
        augur_planner_id planner{0};
        EXPECT_EQ(augur_planner_create(host.context, &desc, &planner), expected)
            << field << ": " << augur_last_message();
        if (expected < 0) {
            EXPECT_TRUE(names(field)) << augur_last_message();
            EXPECT_EQ(planner.value, 0u);
        }
        augur_planner_memory_info info{};
        info.struct_size = sizeof info;
        EXPECT_EQ(augur_planner_memory(host.context, &desc, &info), expected) << field;
        EXPECT_EQ(augur_planner_destroy(planner), AUGUR_OK);
    }
    FakeHost host;
};

TEST_F(PlannerDescRange, AcceptsTheEndsOfEveryRange) {
    using D = augur_planner_desc;
    expect(AUGUR_OK, "agent_capacity", [](D& d) { d.agent_capacity = 1; });
    expect(AUGUR_OK, "agent_capacity", [](D& d) { d.agent_capacity = 1048576; });
    expect(AUGUR_OK, "simulations", [](D& d) { d.simulations = 1; });
    expect(AUGUR_OK, "simulations", [](D& d) { d.simulations = 65535; });
    expect(AUGUR_OK, "simulations", [](D& d) {
        d.search = AUGUR_SEARCH_TREE;
        d.simulations = 4194303;
    });
    expect(AUGUR_OK, "horizon", [](D& d) { d.horizon = 20; });
    for (const float value : {0.0f, 1e-45f, 1e-9f, 100.0f})
        expect(AUGUR_OK, "exploration", [=](D& d) { d.exploration = value; });
    expect(AUGUR_OK, "discount", [](D& d) { d.discount = 0.0f; });
    EXPECT_EQ(host.backend.last_desc.discount, 0);
    expect(AUGUR_OK, "discount", [](D& d) { d.discount = 0.5f; });
    EXPECT_EQ(host.backend.last_desc.discount, 32768);
    expect(AUGUR_OK, "discount", [](D& d) { d.discount = 1.0f; });
    EXPECT_EQ(host.backend.last_desc.discount, 65536);
    expect(AUGUR_OK, "leaves_per_wave", [](D& d) { d.leaves_per_wave = 256; });
    expect(AUGUR_OK, "seed", [](D& d) { d.seed = 0; });
}

TEST_F(PlannerDescRange, RefusesWhatIsPastThem) {
    using D = augur_planner_desc;
    constexpr augur_result kBad = AUGUR_ERROR_INVALID_ARGUMENT;
    expect(kBad, "rules", [](D& d) { d.rules.value = 0; });
    expect(kBad, "agent_capacity", [](D& d) { d.agent_capacity = 0; });
    expect(AUGUR_ERROR_LIMIT, "agent_capacity", [](D& d) { d.agent_capacity = 1048577; });
    expect(AUGUR_ERROR_LIMIT, "agent_capacity", [](D& d) { d.agent_capacity = 0x80000000u; });
    expect(kBad, "search", [](D& d) { d.search = 0; });
    expect(kBad, "search", [](D& d) { d.search = 3; });
    expect(kBad, "selection", [](D& d) { d.selection = 0xffffffffu; });
    expect(kBad, "execution", [](D& d) { d.execution = 3; });
    expect(kBad, "simulations", [](D& d) { d.simulations = 0; });
    for (const std::uint32_t value : {65536u, 0x80000000u, 0xffffffffu})
        expect(AUGUR_ERROR_LIMIT, "simulations", [=](D& d) { d.simulations = value; });
    expect(AUGUR_ERROR_LIMIT, "simulations", [](D& d) {
        d.search = AUGUR_SEARCH_TREE;
        d.simulations = 4194304;
    });
    expect(kBad, "horizon", [](D& d) { d.horizon = 21; });
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const float value : {-0.001f, 100.5f, nan, inf, -inf})
        expect(kBad, "exploration", [=](D& d) { d.exploration = value; });
    for (const float value : {-0.5f, 1.001f, -1.001f, nan, inf, -inf})
        expect(kBad, "discount", [=](D& d) { d.discount = value; });
    expect(kBad, "node_capacity", [](D& d) { d.node_capacity = 1; });
    expect(kBad, "leaves_per_wave", [](D& d) { d.leaves_per_wave = 257; });
    expect(kBad, "early_stop", [](D& d) { d.early_stop = 2; });
    expect(kBad, "transpositions", [](D& d) { d.transpositions = 7; });
    expect(kBad, "reserved", [](D& d) { d.reserved = 2; });
}

TEST_F(PlannerDescRange, TakesTheRulesOwnNumbersForDefaults) {
    expect(AUGUR_OK, "", [](augur_planner_desc&) {});
    const EngineDesc& made = host.backend.last_desc;
    EXPECT_EQ(made.horizon, 10u);
    EXPECT_EQ(made.discount, 65536);
    EXPECT_EQ(made.exploration, 1.5f);
    EXPECT_EQ(made.node_capacity, 11u);
    expect(AUGUR_OK, "", [](augur_planner_desc& d) { d.selection = AUGUR_SELECTION_UCT; });
    EXPECT_EQ(host.backend.last_desc.exploration, 1.0f);
}

TEST(BufferDesc, RefusesWhatCannotBeMemory) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    using D = augur_buffer_desc;
    const struct {
        augur_result expected;
        const char* field;
        std::function<void(D&)> change;
    } cases[] = {
        {AUGUR_ERROR_INVALID_ARGUMENT, "kind", [](D& d) { d.kind = 0; }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "kind", [](D& d) { d.kind = 4; }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "access", [](D& d) { d.access = 0; }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "access", [](D& d) { d.access = 4; }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "pointer", [](D& d) { d.pointer = nullptr; }},
        {AUGUR_ERROR_INVALID_BUFFER, "pointer", [](D& d) { d.pointer = static_cast<char*>(d.pointer) + 2; }},
        {AUGUR_ERROR_INVALID_BUFFER, "size_bytes", [](D& d) { d.size_bytes = 0; }},
        {AUGUR_ERROR_INVALID_BUFFER, "size_bytes", [](D& d) { d.size_bytes = 3; }},
        {AUGUR_ERROR_INVALID_BUFFER, "size_bytes", [](D& d) { d.size_bytes = (1ull << 40) + 1; }},
        {AUGUR_ERROR_INVALID_BUFFER, "size_bytes",
         [](D& d) {
             d.pointer = reinterpret_cast<void*>(UINTPTR_MAX - 7);
             d.size_bytes = 64;
         }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "gl_buffer", [](D& d) { d.gl_buffer = 5; }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "gl_buffer",
         [](D& d) {
             d.kind = AUGUR_BUFFER_OPENGL;
             d.pointer = nullptr;
         }},
        {AUGUR_ERROR_INVALID_ARGUMENT, "pointer",
         [](D& d) {
             d.kind = AUGUR_BUFFER_OPENGL;
             d.gl_buffer = 5;
         }},
        {AUGUR_ERROR_UNSUPPORTED, "CUDA", [](D& d) { d.kind = AUGUR_BUFFER_CUDA; }},
        {AUGUR_ERROR_UNSUPPORTED, "gl_get_proc_address",
         [](D& d) {
             d.kind = AUGUR_BUFFER_OPENGL;
             d.pointer = nullptr;
             d.gl_buffer = 5;
         }},
    };
    for (const auto& row : cases) {
        D desc = host.buffer_desc;
        row.change(desc);
        augur_buffer_id id{42};
        EXPECT_EQ(augur_buffer_register(host.context, &desc, &id), row.expected) << augur_last_message();
        EXPECT_TRUE(names(row.field)) << augur_last_message();
        EXPECT_EQ(id.value, 42u);
    }
    augur_buffer_id id{42};
    EXPECT_EQ(augur_buffer_register(host.context, nullptr, &id), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_buffer_register(host.context, &host.buffer_desc, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(host.backend.views, 0);
    // What does not fit is told in numbers.
    D desc = host.buffer_desc;
    desc.size_bytes = 3;
    EXPECT_EQ(augur_buffer_register(host.context, &desc, &id), AUGUR_ERROR_INVALID_BUFFER);
    EXPECT_TRUE(names("size_bytes is 3, allowed 4..1099511627776")) << augur_last_message();
}

// Null wherever a pointer is needed: refused, and no other argument is looked into or written to.
TEST(NullPointers, AreRefusedByEveryCallAndNothingIsTouched) {
    FakeHost host;
    host.set_up();
    ASSERT_EQ(host.request(), AUGUR_OK);
    ASSERT_EQ(host.collect(), AUGUR_OK);
    const augur_binding binding = host.at(AUGUR_FORMAT_I32, 8);
    augur_context_id context{42};
    augur_buffer_id buffer{42};
    augur_rules_id rules{42};
    augur_planner_id planner{42};
    std::uint32_t count = 42;
    augur_planner_memory_info info{};
    info.struct_size = sizeof info;
    info.host_bytes = 42;
    augur_replay_report replayed{};
    replayed.struct_size = sizeof replayed;
    replayed.frames = 42;
    const augur_result results[] = {
        augur_context_create(nullptr, &context),
        augur_context_create(&host.context_desc, nullptr),
        augur_context_capabilities(host.context, nullptr),
        augur_self_test(nullptr),
        augur_buffer_register(host.context, nullptr, &buffer),
        augur_buffer_register(host.context, &host.buffer_desc, nullptr),
        augur_rules_builtin(host.context, nullptr, &rules),
        augur_rules_builtin(host.context, "fake", nullptr),
        augur_rules_describe(host.planner_desc.rules, nullptr),
        augur_rules_field(host.planner_desc.rules, 0, nullptr),
        augur_rules_action_name(host.planner_desc.rules, 0, nullptr),
        augur_planner_memory(host.context, nullptr, &info),
        augur_planner_memory(host.context, &host.planner_desc, nullptr),
        augur_planner_create(host.context, nullptr, &planner),
        augur_planner_create(host.context, &host.planner_desc, nullptr),
        augur_planner_bind(host.planner, nullptr, &binding),
        augur_planner_bind(host.planner, "health", nullptr),
        augur_planner_bind_actions(host.planner, nullptr),
        augur_planner_request(host.planner, nullptr),
        augur_planner_results(host.planner, 0, 1, nullptr),
        augur_planner_counters(host.planner, nullptr),
        augur_planner_latency(host.planner, AUGUR_LATENCY_FRAME, nullptr),
        augur_planner_timeline(host.planner, nullptr, &count),
        augur_planner_timeline(host.planner, nullptr, nullptr),
        augur_planner_tree(host.planner, 0, nullptr, &count),
        augur_planner_tree(host.planner, 0, nullptr, nullptr),
        augur_planner_write_trace(host.planner, nullptr),
        augur_planner_record_start(host.planner, nullptr),
        augur_replay(host.context, nullptr, &replayed),
        augur_replay(host.context, "x", nullptr),
    };
    for (std::size_t i = 0; i < std::size(results); ++i)
        EXPECT_EQ(results[i], AUGUR_ERROR_INVALID_ARGUMENT) << "call " << i;
    EXPECT_EQ(context.value, 42u);
    EXPECT_EQ(buffer.value, 42u);
    EXPECT_EQ(rules.value, 42u);
    EXPECT_EQ(planner.value, 42u);
    EXPECT_EQ(count, 42u);
    EXPECT_EQ(info.host_bytes, 42u);
    EXPECT_EQ(replayed.frames, 42u);
    EXPECT_EQ(host.backend.engines, 1);
    EXPECT_EQ(host.backend.views, 1);
    augur_context_desc_init_sized(nullptr, sizeof(augur_context_desc));
    augur_buffer_desc_init_sized(nullptr, sizeof(augur_buffer_desc));
    augur_planner_desc_init_sized(nullptr, sizeof(augur_planner_desc));
    augur_frame_desc_init_sized(nullptr, sizeof(augur_frame_desc));
    augur_frame_budget_desc_init_sized(nullptr, sizeof(augur_frame_budget_desc));
    // The same planner, bound as it was.
    EXPECT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr), AUGUR_OK) << "this one may be null";
    EXPECT_EQ(augur_planner_root(host.planner, 0, nullptr, nullptr), AUGUR_OK) << "and these";
}

// The id that is none.
TEST(ZeroIds, AreStaleEverywhereButWhereSomethingIsTakenDown) {
    FakeHost host;
    host.set_up();
    augur_capabilities capabilities{};
    capabilities.struct_size = sizeof capabilities;
    augur_rules_id rules{42};
    augur_buffer_id buffer{42};
    augur_planner_id planner{42};
    augur_rules_info info{};
    info.struct_size = sizeof info;
    augur_field_info field{};
    field.struct_size = sizeof field;
    augur_planner_memory_info memory{};
    memory.struct_size = sizeof memory;
    augur_replay_report report{};
    report.struct_size = sizeof report;
    const char* name = "untouched";
    const augur_binding unbound{{0}, AUGUR_FORMAT_I32, 0, 8, 16};
    const augur_frame_budget_desc frame = augur_frame_budget_desc_default();
    const augur_result results[] = {
        augur_context_begin_frame({0}, &frame),
        augur_context_capabilities({0}, &capabilities),
        augur_rules_builtin({0}, "fake", &rules),
        augur_rules_describe({0}, &info),
        augur_rules_field({0}, 0, &field),
        augur_rules_action_name({0}, 0, &name),
        augur_buffer_register({0}, &host.buffer_desc, &buffer),
        augur_planner_memory({0}, &host.planner_desc, &memory),
        augur_planner_create({0}, &host.planner_desc, &planner),
        augur_planner_bind(host.planner, "health", &unbound),
        augur_planner_bind_actions(host.planner, &unbound),
        augur_replay({0}, "x", &report),
    };
    for (std::size_t i = 0; i < std::size(results); ++i)
        EXPECT_EQ(results[i], AUGUR_ERROR_STALE_ID) << "call " << i;
    EXPECT_EQ(rules.value, 42u);
    EXPECT_EQ(buffer.value, 42u);
    EXPECT_EQ(planner.value, 42u);
    EXPECT_STREQ(name, "untouched");
    EXPECT_EQ(augur_context_destroy({0}), AUGUR_OK);
    EXPECT_EQ(augur_buffer_unregister({0}), AUGUR_OK);
    EXPECT_EQ(augur_planner_destroy({0}), AUGUR_OK);
}

TEST(Report, OfAnOlderAndANewerHost) {
    FakeHost host;
    host.set_up();
    struct {
        augur_counters counters;
        uint64_t unknown;
    } newer;
    std::memset(static_cast<void*>(&newer), 0xee, sizeof newer);
    newer.counters.struct_size = sizeof newer;
    EXPECT_EQ(augur_planner_counters(host.planner, &newer.counters), AUGUR_OK);
    EXPECT_EQ(newer.unknown, 0u);
    EXPECT_EQ(newer.counters.struct_size, sizeof newer);

    augur_counters older;
    std::memset(static_cast<void*>(&older), 0xee, sizeof older);
    older.struct_size = 16;
    EXPECT_EQ(augur_planner_counters(host.planner, &older), AUGUR_OK);
    EXPECT_EQ(older.frames, 0u);
    EXPECT_EQ(older.agents, 0xeeeeeeeeeeeeeeeeull) << "not this host's field";
    for (const std::uint32_t size : {0u, 4u, 9u, 1u << 20}) {
        older.struct_size = size;
        EXPECT_EQ(augur_planner_counters(host.planner, &older), AUGUR_ERROR_INVALID_ARGUMENT) << size;
    }
    EXPECT_EQ(augur_planner_counters(host.planner, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST(Results, HaveNamesAndSentencesFromOneList) {
#define AUGUR_CHECK(name, value, text)            \
    EXPECT_STREQ(augur_result_name(name), #name); \
    EXPECT_STREQ(augur_result_text(static_cast<augur_result>(value)), text);
    AUGUR_RESULT_LIST(AUGUR_CHECK)
#undef AUGUR_CHECK
    for (const int value : {8, -22, 1000, INT_MAX, INT_MIN}) {
        EXPECT_STREQ(augur_result_name(static_cast<augur_result>(value)), "AUGUR_UNKNOWN");
        EXPECT_STRNE(augur_result_text(static_cast<augur_result>(value)), "");
    }
    EXPECT_STREQ(augur_stage_name(AUGUR_STAGE_SEARCH), "search");
    EXPECT_STREQ(augur_stage_name(AUGUR_STAGE_COUNT), "");
    EXPECT_EQ(augur_version(), static_cast<uint32_t>(AUGUR_VERSION));
}

}  // namespace
}  // namespace augur
