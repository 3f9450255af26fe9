/* Starts where no GPU is visible, whatever the machine has: AUTO must go on with the CPU and say so once, CUDA must
 * fail with a result of its own. A program of its own, because the driver looks at the environment only once. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "connect_four.h"

static int warnings;
static int errors;
static char text_of_last[1024];

static void AUGUR_CALL count_message(void* user, augur_severity severity, augur_result code, const char* text) {
    (void)user;
    (void)code;
    if (severity == AUGUR_SEVERITY_WARNING) ++warnings;
    if (severity == AUGUR_SEVERITY_ERROR) ++errors;
    snprintf(text_of_last, sizeof text_of_last, "%s", text);
}

static int fail(int code, const char* what) {
    fprintf(stderr, "%s; last message: %s; logged: %s\n", what, augur_last_message(), text_of_last);
    return code;
}

int main(void) {
    static game g;
    int i;
    augur_context_id forced = {0};
    augur_result result;
    augur_frame_result frame;
    augur_capabilities found;
    augur_context_desc desc = augur_context_desc_default();
    if (setenv("CUDA_VISIBLE_DEVICES", "", 1) != 0) return 1;
    desc.logger.log = count_message;
    if (game_start(&g, &desc, 50) != 0) return fail(2, "AUTO did not go on with the CPU");
    frame.struct_size = sizeof frame;
    for (i = 0; i < 3; ++i) {
        augur_frame_desc next = augur_frame_desc_default();
        next.agent_count = BOARDS;
        if (i > 0 && augur_planner_request(g.planner, &next) != AUGUR_OK) return fail(3, "no further frame");
        if (augur_planner_collect(g.planner, UINT64_MAX, &frame) != AUGUR_OK) return fail(4, "no frame");
        if (frame.backend != AUGUR_BACKEND_CPU) return fail(5, "not the CPU");
    }
    for (i = 0; i < BOARDS; ++i)
        if (g.actions[i] < 0 || g.actions[i] > 6) return fail(6, "an action is none");
    found.struct_size = sizeof found;
    if (augur_context_capabilities(g.context, &found) != AUGUR_OK) return fail(7, "no capabilities");
    if (found.backend != AUGUR_BACKEND_CPU || found.memory_bytes != 0) return fail(8, "capabilities of a GPU");
    if (warnings != 1 || errors != 0) return fail(9, "not one warning");
    if (strstr(text_of_last, "driver ") == NULL || strstr(text_of_last, "runtime ") == NULL)
        return fail(10, "the warning has no versions");
    if (augur_context_destroy(g.context) != AUGUR_OK) return fail(11, "destroy");

    desc.backend = AUGUR_BACKEND_CUDA;
    result = augur_context_create(&desc, &forced);
    /* Nothing visible; or this build has no CUDA, or the machine's driver is too old for it anyway. */
    if (result != AUGUR_ERROR_NO_DEVICE && result != AUGUR_ERROR_UNSUPPORTED && result != AUGUR_ERROR_DRIVER_TOO_OLD)
        return fail(12, "a GPU was demanded and not refused");
    if (forced.value != 0 || strlen(augur_last_message()) < 20) return fail(13, "no reason given");
    return 0;
}
