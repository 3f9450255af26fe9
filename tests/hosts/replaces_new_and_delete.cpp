// An engine with its own operator new and delete, which abort on any block that is not theirs.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "connect_four.h"

namespace {

constexpr std::uint64_t kMark = 0x6d61726b6d61726bull;
std::atomic<long> alive{0};

void* make(std::size_t size) {
    auto* block = static_cast<std::uint64_t*>(std::malloc(size + 16));
    if (block == nullptr) throw std::bad_alloc();
    block[0] = kMark;
    ++alive;
    return block + 2;
}

void give_back(void* pointer) {
    if (pointer == nullptr) return;
    auto* block = static_cast<std::uint64_t*>(pointer) - 2;
    if (block[0] != kMark) std::abort();
    block[0] = 0;
    --alive;
    std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
    return make(size);
}
void* operator new[](std::size_t size) {
    return make(size);
}
void operator delete(void* pointer) noexcept {
    give_back(pointer);
}
void operator delete[](void* pointer) noexcept {
    give_back(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
    give_back(pointer);
}
void operator delete[](void* pointer, std::size_t) noexcept {
    give_back(pointer);
}

int main() {
    static game g;
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 2;
    const int step = game_start(&g, &desc, 50);
    if (step != 0) {
        std::fprintf(stderr, "step %d: %s\n", step, augur_last_message());
        return 1;
    }
    if (augur_planner_collect(g.planner, UINT64_MAX, nullptr) < 0) return 2;
    return augur_context_destroy(g.context) == AUGUR_OK ? 0 : 3;
}
