// Stale and foreign ids, wrong order of calls, and threads that meet in one object.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;

// Every call that takes a planner, with arguments that are fine.
std::vector<augur_result> call_everything(augur_planner_id planner, augur_buffer_id buffer) {
    const augur_binding binding{buffer, AUGUR_FORMAT_I32, 0, 8, 16};
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 1;
    augur_agent_result agent;
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    augur_latency latency{};
    latency.struct_size = sizeof latency;
    std::uint32_t count = 0;
    return {augur_planner_bind(planner, "health", &binding),
            augur_planner_bind_actions(planner, &binding),
            augur_planner_bind_urgency(planner, &binding),
            augur_planner_request(planner, &frame),
            augur_planner_poll(planner),
            augur_planner_collect(planner, 0, nullptr),
            augur_planner_cancel(planner),
            augur_planner_results(planner, 0, 1, &agent),
            augur_planner_counters(planner, &counters),
            augur_planner_latency(planner, AUGUR_LATENCY_FRAME, &latency),
            augur_planner_timeline(planner, nullptr, &count),
            augur_planner_tree(planner, 0, nullptr, &count),
            augur_planner_root(planner, 0, nullptr, nullptr),
            augur_planner_write_trace(planner, "/nonexistent/folder/file"),
            augur_planner_record_start(planner, "/nonexistent/folder/file"),
            augur_planner_record_stop(planner)};
}

TEST(Ids, ThatAreDeadOrForeignAreResultsEverywhere) {
    FakeHost host;
    host.set_up();
    ASSERT_EQ(augur_planner_destroy(host.planner), AUGUR_OK);
    for (const std::uint64_t id : {host.planner.value, std::uint64_t{0}, host.buffer.value, host.context.value,
                                   UINT64_MAX, std::uint64_t{12345}})
        for (const augur_result result : call_everything({id}, host.buffer))
            EXPECT_EQ(result, AUGUR_ERROR_STALE_ID) << id;
    EXPECT_EQ(augur_planner_destroy(host.planner), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_destroy({host.buffer.value}), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_destroy({0}), AUGUR_OK);
}

TEST(Ids, OfAContextDieWithIt) {
    FakeHost host;
    host.set_up();
    ASSERT_EQ(host.request(), AUGUR_OK);
    const augur_rules_id rules = host.planner_desc.rules;
    ASSERT_EQ(augur_context_destroy(host.context), AUGUR_OK);
    EXPECT_EQ(host.backend.engines, 0);
    EXPECT_EQ(host.backend.views, 0);
    EXPECT_EQ(augur_context_destroy(host.context), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_poll(host.planner), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_destroy(host.planner), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_buffer_unregister(host.buffer), AUGUR_ERROR_STALE_ID);
    augur_rules_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(augur_rules_describe(rules, &info), AUGUR_ERROR_STALE_ID);
    augur_capabilities capabilities{};
    capabilities.struct_size = sizeof capabilities;
    EXPECT_EQ(augur_context_capabilities(host.context, &capabilities), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_context_destroy({0}), AUGUR_OK);
}

TEST(Ids, OfAnotherContextAreRefused) {
    FakeHost first;
    first.set_up();
    FakeHost second;
    second.set_up();
    const augur_binding binding{first.buffer, AUGUR_FORMAT_I32, 0, 8, 16};
    EXPECT_EQ(augur_planner_bind(second.planner, "health", &binding), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_planner_bind_actions(second.planner, &binding), AUGUR_ERROR_STALE_ID);
    second.planner_desc.rules = first.planner_desc.rules;
    augur_planner_id planner{0};
    EXPECT_EQ(augur_planner_create(second.context, &second.planner_desc, &planner), AUGUR_ERROR_STALE_ID);
    // Two contexts live side by side.
    EXPECT_EQ(first.request(), AUGUR_OK);
    EXPECT_EQ(second.request(), AUGUR_OK);
    EXPECT_EQ(first.collect(), AUGUR_OK);
    EXPECT_EQ(second.collect(), AUGUR_OK);
}

TEST(Ids, OfRulesAreGivenOutOncePerGame) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    augur_rules_id first{0}, second{0};
    ASSERT_EQ(augur_rules_builtin(host.context, "fake", &first), AUGUR_OK);
    ASSERT_EQ(augur_rules_builtin(host.context, "fake", &second), AUGUR_OK);
    EXPECT_EQ(first.value, second.value);
}

TEST(Rules, AreFoundByNameOrTheMessageSaysWhichThereAre) {
    FakeHost host;
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    augur_rules_id rules{42};
    const std::string megabyte(1 << 20, 'f');
    for (const char* name : {"", "Fake", "fake2", "%n%s%n", "fak\xff", megabyte.c_str()}) {
        EXPECT_EQ(augur_rules_builtin(host.context, name, &rules), AUGUR_ERROR_NOT_FOUND);
        EXPECT_NE(std::strstr(augur_last_message(), "fake"), nullptr);
    }
    EXPECT_EQ(augur_rules_builtin(host.context, nullptr, &rules), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_rules_builtin(host.context, "fake", nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(rules.value, 42u);
    ASSERT_EQ(augur_rules_builtin(host.context, "fake\0 and what lies behind its end", &rules), AUGUR_OK);

    augur_rules_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(augur_rules_describe(rules, &info), AUGUR_OK);
    EXPECT_STREQ(info.name, "fake");
    EXPECT_EQ(info.action_count, 4u);
    EXPECT_EQ(info.field_count, 3u);
    EXPECT_EQ(info.turn, static_cast<std::uint32_t>(AUGUR_TURN_SINGLE));
    augur_field_info field{};
    field.struct_size = sizeof field;
    ASSERT_EQ(augur_rules_field(rules, 0, &field), AUGUR_OK);
    EXPECT_STREQ(field.name, "position");
    EXPECT_EQ(field.kind, static_cast<std::uint32_t>(AUGUR_FIELD_FIXED));
    EXPECT_EQ(field.component_count, 2u);
    EXPECT_EQ(field.scale, 256);
    EXPECT_EQ(augur_rules_field(rules, 3, &field), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_rules_field(rules, 0, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    const char* action = nullptr;
    ASSERT_EQ(augur_rules_action_name(rules, 3, &action), AUGUR_OK);
    EXPECT_STREQ(action, "west");
    EXPECT_EQ(augur_rules_action_name(rules, 4, &action), AUGUR_ERROR_LIMIT);
    EXPECT_EQ(augur_rules_action_name(rules, 0, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST(Threads, ASecondOneInAPlannerIsBusy) {
    FakeHost host;
    host.set_up();
    host.backend.hold = true;
    ASSERT_EQ(host.request(), AUGUR_OK);
    std::thread waiter([&] {
        augur_result result = AUGUR_OK;
        // A poll below may be inside just then.
        do {
            result = augur_planner_collect(host.planner, UINT64_MAX, nullptr);
        } while (result == AUGUR_ERROR_BUSY);
        EXPECT_EQ(result, AUGUR_CANCELLED);
    });
    augur_result seen = AUGUR_OK;
    while (seen != AUGUR_ERROR_BUSY) {
        seen = augur_planner_poll(host.planner);
        std::this_thread::yield();
    }
    EXPECT_EQ(augur_planner_destroy(host.planner), AUGUR_ERROR_BUSY);
    EXPECT_EQ(augur_planner_cancel(host.planner), AUGUR_OK) << "cancel comes from any thread";
    waiter.join();
    EXPECT_EQ(host.collect(), AUGUR_CANCELLED);
}

TEST(Threads, MeetInOnePlannerWithoutHarm) {
    FakeHost host;
    host.set_up();
    std::atomic<bool> stop{false};
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!stop) {
                for (const augur_result result : call_everything(host.planner, host.buffer)) {
                    const bool known = result >= 0 || result == AUGUR_ERROR_BUSY ||
                                       result == AUGUR_ERROR_INVALID_STATE || result == AUGUR_ERROR_IO ||
                                       result == AUGUR_ERROR_LIMIT || result == AUGUR_ERROR_STALE_ID ||
                                       result == AUGUR_ERROR_INVALID_BUFFER || result == AUGUR_ERROR_SIZE;
                    EXPECT_TRUE(known) << augur_result_name(result);
                    done += result >= 0 ? 1 : 0;
                }
            }
        });
    }
    while (done < 2000)
        std::this_thread::yield();
    // Pulled out from under them.
    const augur_result destroyed = augur_context_destroy(host.context);
    EXPECT_EQ(destroyed, AUGUR_OK);
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(host.backend.engines, 0);
}

TEST(Threads, MakeAndDestroyPlannersAtTheSameTime) {
    FakeHost host;
    host.set_up();
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) {
                augur_planner_id planner{0};
                ASSERT_EQ(augur_planner_create(host.context, &host.planner_desc, &planner), AUGUR_OK);
                augur_buffer_id buffer{0};
                ASSERT_EQ(augur_buffer_register(host.context, &host.buffer_desc, &buffer), AUGUR_OK);
                const augur_binding binding{buffer, AUGUR_FORMAT_I32, 0, 8, 16};
                EXPECT_EQ(augur_planner_bind(planner, "health", &binding), AUGUR_OK);
                EXPECT_EQ(augur_buffer_unregister(buffer), AUGUR_OK);
                EXPECT_EQ(augur_planner_destroy(planner), AUGUR_OK);
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(host.backend.engines, 1);
    EXPECT_EQ(host.backend.views, 1);
}

TEST(Messages, AreKeptPerThread) {
    augur_planner_poll({99});
    EXPECT_STRNE(augur_last_message(), "");
    const std::string mine = augur_last_message();
    std::thread([] { EXPECT_STREQ(augur_last_message(), ""); }).join();
    EXPECT_EQ(augur_last_message(), mine);
}

TEST(Messages, GoToTheLoggerOfTheContextToo) {
    FakeHost host;
    host.set_up();
    augur_planner_collect(host.planner, 0, nullptr);
    ASSERT_EQ(host.log.count(AUGUR_SEVERITY_ERROR), 1u);
    bool found = false;
    for (const auto& message : host.log.messages())
        found = found || (message.code == AUGUR_ERROR_INVALID_STATE && message.text == augur_last_message());
    EXPECT_TRUE(found);
}

}  // namespace
}  // namespace augur
