// Plans and shuts down from a static destructor that runs after everything the library made.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "connect_four.h"

namespace {

game g;

void check(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "%s: %s\n", what, augur_last_message());
    std::_Exit(1);
}

// Made before the library is first used, so destroyed after everything that use made.
struct Late {
    ~Late() {
        check(augur_planner_collect(g.planner, UINT64_MAX, nullptr) >= 0, "collect");
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = BOARDS;
        check(augur_planner_request(g.planner, &frame) >= 0, "request");
        augur_planner_id second{0};
        augur_planner_desc desc = augur_planner_desc_default();
        check(augur_rules_builtin(g.context, "connect_four", &desc.rules) == AUGUR_OK, "rules");
        check(augur_planner_create(g.context, &desc, &second) == AUGUR_OK, "create");
        check(augur_context_destroy(g.context) == AUGUR_OK, "destroy");
        check(augur_context_destroy(g.context) == AUGUR_ERROR_STALE_ID, "second destroy");
        check(std::strlen(augur_last_message()) > 0, "message");
    }
} late;

}  // namespace

int main() {
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 2;
    check(game_start(&g, &desc, 100) == 0, "start");
    return 9;
}
