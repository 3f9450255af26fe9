/* Plans in a process whose malloc is another one than the C library's: another_malloc.c, preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "connect_four.h"

int main(void) {
    static game g;
    uint64_t (*blocks)(void);
    uint64_t before;
    void* symbol = dlsym(RTLD_DEFAULT, "another_malloc_blocks");
    augur_context_desc desc = augur_context_desc_default();
    int round;
    if (symbol == NULL) {
        fprintf(stderr, "another_malloc is not preloaded\n");
        return 1;
    }
    memcpy(&blocks, &symbol, sizeof blocks);
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 2;
    for (round = 0; round < 3; ++round) {
        int step;
        before = blocks();
        step = game_start(&g, &desc, 50);
        if (step != 0) {
            fprintf(stderr, "step %d: %s\n", step, augur_last_message());
            return 2;
        }
        if (blocks() - before < 10) return 3; /* Augur's memory came from elsewhere */
        if (augur_planner_collect(g.planner, UINT64_MAX, NULL) < 0) return 4;
        if (augur_planner_write_trace(g.planner, "/dev/full") != AUGUR_ERROR_IO) return 5;
        if (augur_context_destroy(g.context) != AUGUR_OK) return 6;
    }
    return 0;
}
