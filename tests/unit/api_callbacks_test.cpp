// Callbacks of the host that come back in, throw, or give bad answers.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;

struct Reentrant {
    FakeHost* host = nullptr;
    std::vector<augur_result> seen;
};

TEST(Callbacks, MayNotComeBackIn) {
    FakeHost host;
    Reentrant reentrant{&host, {}};
    host.context_desc.logger = {[](void* user, augur_severity, augur_result, const char*) {
                                    auto& self = *static_cast<Reentrant*>(user);
                                    FakeHost& h = *self.host;
                                    augur_context_desc desc = augur_context_desc_default();
                                    augur_context_id context{0};
                                    augur_self_test_report report{};
                                    report.struct_size = sizeof report;
                                    self.seen = {augur_planner_poll(h.planner),
                                                 augur_planner_cancel(h.planner),
                                                 augur_planner_destroy(h.planner),
                                                 augur_buffer_unregister(h.buffer),
                                                 augur_context_destroy(h.context),
                                                 augur_context_create(&desc, &context),
                                                 augur_self_test(&report),
                                                 h.request(),
                                                 h.bind_actions()};
                                    // These only read lists.
                                    EXPECT_STREQ(augur_result_name(AUGUR_OK), "AUGUR_OK");
                                    EXPECT_EQ(augur_version(), static_cast<uint32_t>(AUGUR_VERSION));
                                },
                                &reentrant};
    host.set_up();
    reentrant.seen.clear();
    EXPECT_EQ(host.collect(), AUGUR_ERROR_INVALID_STATE);
    ASSERT_EQ(reentrant.seen.size(), 9u);
    for (const augur_result result : reentrant.seen)
        EXPECT_EQ(result, AUGUR_ERROR_BUSY);
    EXPECT_EQ(host.request(), AUGUR_OK) << "nothing was destroyed";
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST(Callbacks, ThatThrowDoNotPassThrough) {
    FakeHost host;
    host.context_desc.logger = {
        [](void*, augur_severity, augur_result, const char*) { throw std::runtime_error("from the logger"); }, nullptr};
    host.set_up();
    EXPECT_EQ(host.collect(), AUGUR_ERROR_INVALID_STATE);
    EXPECT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

// An allocator that fails at the n-th call and notices what is wrong about the others.
struct FailingAllocator {
    augur_allocator allocator() {
        return {[](void* user, std::size_t size, std::size_t alignment) -> void* {
                    auto& self = *static_cast<FailingAllocator*>(user);
                    if (++self.calls == self.fail_at) return nullptr;
                    ++self.alive;
                    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
                },
                [](void* user, void* pointer, std::size_t) {
                    --static_cast<FailingAllocator*>(user)->alive;
                    std::free(pointer);
                },
                this};
    }
    int fail_at = 0;
    int calls = 0;
    int alive = 0;
};

TEST(Allocators, ThatFailAtAnyCallLeaveNothingBehind) {
    bool done = false;
    int attempts = 0;
    for (int n = 1; !done; ++n) {
        ASSERT_LT(n, 50);
        FailingAllocator failing;
        failing.fail_at = n;
        {
            FakeHost host;
            host.backend.gpu = true;
            host.backend.engine_bytes = 5000;
            host.context_desc.allocator = failing.allocator();
            ASSERT_EQ(host.create_context(), AUGUR_OK);
            const augur_result result = host.create_planner();
            done = result == AUGUR_OK;
            if (!done) {
                EXPECT_EQ(result, AUGUR_ERROR_OUT_OF_MEMORY);
                EXPECT_EQ(host.planner.value, 0u);
                EXPECT_EQ(host.backend.engines, 0);
                EXPECT_EQ(failing.alive, 0);
                failing.fail_at = 0;
                EXPECT_EQ(host.create_planner(), AUGUR_OK) << "and the next try works";
            }
            ++attempts;
        }
        EXPECT_EQ(failing.alive, 0);
    }
    EXPECT_EQ(attempts, 3) << "two engines, so two calls that can fail";
}

TEST(Allocators, ThatThrowOrMisalignAreRefused) {
    for (const bool throws : {true, false}) {
        FakeHost host;
        host.backend.engine_bytes = 5000;
        if (throws)
            host.context_desc.allocator = {
                [](void*, std::size_t, std::size_t) -> void* { throw std::runtime_error("no"); },
                [](void*, void*, std::size_t) {}, nullptr};
        else
            host.context_desc.allocator = {[](void*, std::size_t, std::size_t) -> void* {
                                               static char block[8192];
                                               const auto address = reinterpret_cast<std::uintptr_t>(block);
                                               return block + 8 + (256 - address % 256);
                                           },
                                           [](void*, void*, std::size_t) {}, nullptr};
        ASSERT_EQ(host.create_context(), AUGUR_OK);
        EXPECT_EQ(host.create_planner(), AUGUR_ERROR_OUT_OF_MEMORY);
        bool told = false;
        for (const auto& message : host.log.messages())
            told = told || message.code == AUGUR_ERROR_CALLBACK;
        EXPECT_TRUE(told);
    }
}

}  // namespace
}  // namespace augur
