// Callbacks of the host that come back in, throw, or give bad answers.
#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "support/fake_host.h"

namespace augur {
namespace {

using test::FakeHost;

// Comes back in by every kind of call: making, using, freeing what is in use, destroying.
std::vector<augur_result> come_back_in(FakeHost& h) {
    augur_context_desc desc = augur_context_desc_default();
    augur_context_id context{0};
    augur_buffer_id buffer{0};
    augur_planner_id planner{0};
    augur_rules_id rules{0};
    augur_self_test_report report{};
    report.struct_size = sizeof report;
    return {augur_planner_poll(h.planner),
            augur_planner_cancel(h.planner),
            augur_planner_destroy(h.planner),
            augur_planner_create(h.context, &h.planner_desc, &planner),
            augur_buffer_register(h.context, &h.buffer_desc, &buffer),
            augur_buffer_unregister(h.buffer),
            augur_context_destroy(h.context),
            augur_context_create(&desc, &context),
            augur_rules_builtin(h.context, "fake", &rules),
            augur_self_test(&report),
            h.request(),
            h.collect(),
            h.bind_actions()};
}

struct Reentrant {
    FakeHost* host = nullptr;
    std::vector<augur_result> seen;
    bool armed = true;

    void come_back() {
        if (!armed) return;
        const std::vector<augur_result> results = come_back_in(*host);
        seen.insert(seen.end(), results.begin(), results.end());
    }
    void expect_busy() {
        EXPECT_FALSE(seen.empty()) << "the callback was not called";
        for (const augur_result result : seen)
            EXPECT_EQ(result, AUGUR_ERROR_BUSY);
        seen.clear();
    }
};

TEST(Callbacks, MayNotComeBackIn) {
    FakeHost host;
    Reentrant reentrant;
    reentrant.host = &host;
    host.context_desc.logger = {[](void* user, augur_severity, augur_result, const char*) {
                                    static_cast<Reentrant*>(user)->come_back();
                                    // These only read lists.
                                    EXPECT_STREQ(augur_result_name(AUGUR_OK), "AUGUR_OK");
                                    EXPECT_EQ(augur_version(), static_cast<uint32_t>(AUGUR_VERSION));
                                },
                                &reentrant};
    host.set_up();
    reentrant.seen.clear();
    EXPECT_EQ(host.collect(), AUGUR_ERROR_INVALID_STATE);
    reentrant.expect_busy();
    EXPECT_EQ(host.request(), AUGUR_OK) << "nothing was destroyed";
    EXPECT_EQ(host.collect(), AUGUR_OK);
}

TEST(Callbacks, MayNotComeBackInFromTheAllocator) {
    FakeHost host;
    Reentrant reentrant;
    reentrant.host = &host;
    host.backend.engine_bytes = 5000;
    host.context_desc.allocator = {[](void* user, std::size_t size, std::size_t alignment) -> void* {
                                       static_cast<Reentrant*>(user)->come_back();
                                       return std::aligned_alloc(alignment,
                                                                 (size + alignment - 1) / alignment * alignment);
                                   },
                                   [](void* user, void* pointer, std::size_t) {
                                       static_cast<Reentrant*>(user)->come_back();
                                       std::free(pointer);
                                   },
                                   &reentrant};
    reentrant.armed = false;  // until there is something to come back to
    host.set_up();
    reentrant.armed = true;
    augur_planner_id second{0};
    ASSERT_EQ(augur_planner_create(host.context, &host.planner_desc, &second), AUGUR_OK) << augur_last_message();
    reentrant.expect_busy();
    ASSERT_EQ(host.request(), AUGUR_OK);
    EXPECT_EQ(host.collect(), AUGUR_OK);
    EXPECT_TRUE(reentrant.seen.empty()) << "no frame allocates";
    EXPECT_EQ(augur_planner_destroy(second), AUGUR_OK);
    reentrant.expect_busy();
    EXPECT_EQ(host.backend.engines, 1);
    reentrant.armed = false;
}

// The look-up has no user pointer, so what it does lies in statics.
Reentrant* looking = nullptr;
bool look_up_throws = false;

void* look_up(const char*) {
    if (look_up_throws) throw std::runtime_error("from the look-up");
    looking->come_back();
    return nullptr;
}

TEST(Callbacks, MayNotComeBackInFromTheOpenGlLookUp) {
    FakeHost host;
    Reentrant reentrant;
    reentrant.host = &host;
    looking = &reentrant;
    host.context_desc.gl_get_proc_address = look_up;
    host.set_up();
    augur_buffer_desc desc = augur_buffer_desc_default();
    desc.kind = AUGUR_BUFFER_OPENGL;
    desc.gl_buffer = 5;
    desc.size_bytes = 64;
    augur_buffer_id buffer{0};
    EXPECT_EQ(augur_buffer_register(host.context, &desc, &buffer), AUGUR_ERROR_UNSUPPORTED);
    reentrant.expect_busy();
    look_up_throws = true;
    EXPECT_EQ(augur_buffer_register(host.context, &desc, &buffer), AUGUR_ERROR_CALLBACK) << augur_last_message();
    EXPECT_NE(std::strstr(augur_last_message(), "gl_get_proc_address"), nullptr) << augur_last_message();
    look_up_throws = false;
    EXPECT_EQ(buffer.value, 0u);
    EXPECT_EQ(host.request(), AUGUR_OK);
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

TEST(Allocators, ThatGiveTheSameBlockTwiceAreRefused) {
    struct Giving {
        alignas(4096) unsigned char block[8192];
        int released = 0;
    };
    const auto giving = std::make_unique<Giving>();
    FakeHost host;
    host.backend.gpu = true;  // two engines, and memory for each
    host.backend.engine_bytes = 5000;
    host.context_desc.allocator = {
        [](void* user, std::size_t, std::size_t) -> void* { return static_cast<Giving*>(user)->block; },
        [](void* user, void*, std::size_t) { ++static_cast<Giving*>(user)->released; }, giving.get()};
    ASSERT_EQ(host.create_context(), AUGUR_OK);
    EXPECT_EQ(host.create_planner(), AUGUR_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(host.backend.engines, 0);
    EXPECT_EQ(giving->released, 1) << "the first engine's, once";
    bool told = false;
    for (const auto& message : host.log.messages())
        told = told || message.code == AUGUR_ERROR_CALLBACK;
    EXPECT_TRUE(told);
}

}  // namespace
}  // namespace augur
