// Throws from every callback. What is thrown here is caught there, across two copies of the C++ run time.
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "connect_four.h"

namespace {

int logged = 0;
int enqueued = 0;

bool failed(bool fine, const char* what) {
    if (!fine) std::fprintf(stderr, "%s: %s\n", what, augur_last_message());
    return !fine;
}

}  // namespace

int main() {
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = AUGUR_BACKEND_CPU;
    desc.logger.log = [](void*, augur_severity, augur_result, const char*) {
        ++logged;
        throw std::runtime_error("from the logger");
    };
    desc.task_system.enqueue = [](void*, augur_task_fn, void*, std::uint32_t) -> void* {
        ++enqueued;
        throw std::string("from enqueue");
    };
    desc.task_system.finish = [](void*, void*) { throw 7; };
    desc.task_system.worker_count = 2;
    static game g;
    if (failed(game_start(&g, &desc, 50) == 0, "start")) return 1;
    if (failed(augur_planner_collect(g.planner, UINT64_MAX, nullptr) >= 0, "collect")) return 2;
    for (const std::int32_t action : g.actions)
        if (failed(action >= 0 && action < 7, "action")) return 3;
    if (failed(augur_planner_poll({1}) == AUGUR_ERROR_STALE_ID, "poll")) return 4;
    if (failed(augur_planner_results(g.planner, 0, 1000, nullptr) == AUGUR_ERROR_LIMIT, "results")) return 5;
    if (failed(logged > 0 && enqueued == 1, "callbacks ran")) return 6;

    augur_context_desc broken = augur_context_desc_default();
    broken.backend = AUGUR_BACKEND_CPU;
    broken.allocator.allocate = [](void*, std::size_t, std::size_t) -> void* { throw std::bad_alloc(); };
    broken.allocator.release = [](void*, void*, std::size_t) {};
    static game h;
    if (failed(game_start(&h, &broken, 50) == 3, "create without memory")) return 7;
    if (failed(augur_context_destroy(h.context) == AUGUR_OK, "destroy")) return 8;
    return failed(augur_context_destroy(g.context) == AUGUR_OK, "destroy") ? 9 : 0;
}
