// A module of an engine that keeps its planner in a static: it shuts down in the destructor of that static, which runs
// inside dlclose, in the middle of a frame.
#include "connect_four.h"
#include "shuts_down_when_unloaded.h"

namespace {

struct Module {
    ~Module() {
        if (verdict == nullptr) return;
        if (augur_planner_poll(g.planner) < 0)
            *verdict = 30;
        else if (augur_context_destroy(g.context) != AUGUR_OK)
            *verdict = 31;
        else
            *verdict = augur_context_destroy(g.context) == AUGUR_ERROR_STALE_ID ? 0 : 32;
    }
    game g{};
    int* verdict = nullptr;
} module_state;

}  // namespace

extern "C" __attribute__((visibility("default"))) int start_frame(int* verdict) {
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 3;
    module_state.verdict = verdict;
    return game_start(&module_state.g, &desc, 20000);
}
