/* Calls exit() with workers in the middle of a frame, from another thread than the one that made the context. The code
 * must be the host's own. */
#include <pthread.h>
#include <stdlib.h>

#include "connect_four.h"

static game g;

static void* leave(void* unused) {
    (void)unused;
    exit(7);
}

int main(void) {
    augur_context_desc desc = augur_context_desc_default();
    pthread_t thread;
    int step;
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 4;
    step = game_start(&g, &desc, 20000);
    if (step != 0) {
        fprintf(stderr, "step %d: %s\n", step, augur_last_message());
        return 1;
    }
    if (pthread_create(&thread, NULL, leave, NULL) != 0) return 2;
    pthread_join(thread, NULL);
    return 3;
}
