/* A game that a profiler watches: calls and stages are ranges of the domain "Augur", and every range that begins ends.
 */
#define _POSIX_C_SOURCE 200809L
#include <augur/augur.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { kFrames = 5, kAgents = 40 };

static uint64_t boards[kAgents][2];
static int32_t actions[kAgents];

static int play(void) {
    augur_context_desc context_desc = augur_context_desc_default();
    augur_planner_desc planner_desc = augur_planner_desc_default();
    augur_buffer_desc memory = augur_buffer_desc_default();
    augur_frame_desc frame = augur_frame_desc_default();
    augur_context_id context = {0};
    augur_planner_id planner = {0};
    augur_binding binding = {{0}, AUGUR_FORMAT_U64, 0, 0, sizeof boards[0]};
    int good, i;
    context_desc.backend = AUGUR_BACKEND_CPU;
    context_desc.worker_threads = 2;
    good = augur_context_create(&context_desc, &context) == AUGUR_OK;
    good = good && augur_rules_builtin(context, "connect_four", &planner_desc.rules) == AUGUR_OK;
    planner_desc.agent_capacity = kAgents;
    good = good && augur_planner_create(context, &planner_desc, &planner) == AUGUR_OK;
    memory.pointer = boards;
    memory.size_bytes = sizeof boards;
    good = good && augur_buffer_register(context, &memory, &binding.buffer) == AUGUR_OK;
    good = good && augur_planner_bind(planner, "own", &binding) == AUGUR_OK;
    binding.offset_bytes = 8;
    good = good && augur_planner_bind(planner, "other", &binding) == AUGUR_OK;
    memory.pointer = actions;
    memory.size_bytes = sizeof actions;
    memory.access = AUGUR_ACCESS_WRITE;
    good = good && augur_buffer_register(context, &memory, &binding.buffer) == AUGUR_OK;
    binding.format = AUGUR_FORMAT_I32;
    binding.offset_bytes = binding.stride_bytes = 0;
    good = good && augur_planner_bind_actions(planner, &binding) == AUGUR_OK;
    frame.agent_count = kAgents;
    for (i = 0; i < kFrames && good; ++i)
        good = augur_planner_request(planner, &frame) == AUGUR_OK &&
               augur_planner_collect(planner, UINT64_MAX, NULL) == AUGUR_OK;
    if (!good) fprintf(stderr, "%s\n", augur_last_message());
    augur_context_destroy(context);
    return good;
}

/* argv: libaugur, the module that watches, which must be named before the first range begins. */
int main(int argc, char** argv) {
    static const char* const kCalls[] = {"request", "submit", "collect", "wait"};
    static const char* const kStages[] = {"fetch", "gather", "search", "finalise"};
    int (*watched)(const char*) = NULL;
    void* module;
    int i, wrong = 0;
    if (argc < 3 || setenv("NVTX_INJECTION64_PATH", argv[2], 1) != 0) return 2;
    if (!play()) return 3;
    module = dlopen(argv[2], RTLD_NOW);
    if (module != NULL) *(void**)&watched = dlsym(module, "watched_ranges");
    if (watched == NULL) return 4;
    for (i = 0; i < 4; ++i) {
        if (watched(kCalls[i]) != kFrames) ++wrong, fprintf(stderr, "%s: %d\n", kCalls[i], watched(kCalls[i]));
        if (watched(kStages[i]) < kFrames) ++wrong, fprintf(stderr, "%s: %d\n", kStages[i], watched(kStages[i]));
    }
    if (watched("no such range") != 0 || watched(NULL) != 0) ++wrong, fprintf(stderr, "%d never end\n", watched(NULL));
    return wrong == 0 ? 0 : 1;
}
