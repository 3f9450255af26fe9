// Memory from a host that cannot be trusted.
#include "runtime/memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <stdexcept>

#include "runtime/log.h"
#include "support/captured_log.h"

namespace augur {
namespace {

struct Host {
    augur_allocator allocator() {
        return {[](void* user, std::size_t size, std::size_t alignment) -> void* {
                    return static_cast<Host*>(user)->allocate(size, alignment);
                },
                [](void* user, void* pointer, std::size_t size) {
                    auto* self = static_cast<Host*>(user);
                    self->released_bytes += size;
                    if (self->throw_on_release) throw std::runtime_error("no");
                    ++self->releases;
                    if (self->owned.erase(pointer) == 1) std::free(pointer);
                },
                this};
    }
    void* allocate(std::size_t size, std::size_t alignment) {
        if (mode == 1) return nullptr;
        if (mode == 2) throw std::runtime_error("no");
        if (mode == 3 && !owned.empty()) return *owned.begin();
        if (mode == 4 && !owned.empty()) return static_cast<char*>(*owned.begin()) + alignment;
        void* pointer = std::aligned_alloc(alignment, (size + 2 * alignment) / alignment * alignment);
        owned.insert(pointer);
        if (mode == 5) {
            owned.erase(pointer);
            misaligned = pointer;
            return static_cast<char*>(pointer) + 4;
        }
        return pointer;
    }
    int mode = 0;
    int releases = 0;
    std::size_t released_bytes = 0;
    bool throw_on_release = false;
    void* misaligned = nullptr;
    std::set<void*> owned;
};

class HostMemoryTest : public ::testing::Test {
  protected:
    test::CapturedLog captured;
    ContextLog log{captured.logger()};
    Host host;
    HostMemory memory{host.allocator(), log};
};

TEST_F(HostMemoryTest, GivesSizesBack) {
    void* block = memory.allocate(1000, 256);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(memory.bytes(), 1000u);
    memory.release(block, 1000);
    EXPECT_EQ(memory.bytes(), 0u);
    EXPECT_EQ(host.released_bytes, 1000u);
    EXPECT_TRUE(host.owned.empty());
}

TEST_F(HostMemoryTest, PassesNullOn) {
    host.mode = 1;
    EXPECT_EQ(memory.allocate(64, 64), nullptr);
}

TEST_F(HostMemoryTest, TurnsAThrowIntoNull) {
    host.mode = 2;
    EXPECT_EQ(memory.allocate(64, 64), nullptr);
    ASSERT_EQ(captured.messages().size(), 1u);
    EXPECT_EQ(captured.messages()[0].code, AUGUR_ERROR_CALLBACK);
}

TEST_F(HostMemoryTest, RefusesTheSameBlockTwice) {
    void* first = memory.allocate(4096, 64);
    host.mode = 3;
    EXPECT_EQ(memory.allocate(4096, 64), nullptr);
    EXPECT_EQ(host.releases, 0) << "releasing it would free the first block";
    host.mode = 4;
    EXPECT_EQ(memory.allocate(64, 64), nullptr) << "a block inside another one";
    memory.release(first, 4096);
}

TEST_F(HostMemoryTest, RefusesAMisalignedBlockAndGivesItBack) {
    host.mode = 5;
    EXPECT_EQ(memory.allocate(64, 64), nullptr);
    EXPECT_EQ(host.releases, 1);
    std::free(host.misaligned);
}

TEST_F(HostMemoryTest, SurvivesAReleaseThatThrows) {
    void* block = memory.allocate(64, 64);
    host.throw_on_release = true;
    memory.release(block, 64);
    EXPECT_EQ(memory.bytes(), 0u);
    std::free(block);
}

TEST(HostMemoryOfTheCLibrary, AlignsToWhatWasAsked) {
    test::CapturedLog captured;
    ContextLog log(captured.logger());
    HostMemory memory({nullptr, nullptr, nullptr}, log);
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        void* block = memory.allocate(100, alignment);
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
        memory.release(block, 100);
    }
}

}  // namespace
}  // namespace augur
