/* The code of docs/guide/integrate.md, block after block, as one host. What the guide leaves to the reader stands
 * around it. */
#include <augur/augur.h>
#include <stddef.h>
#include <stdio.h>

typedef struct unit {
    float position[2];
    uint8_t health, kind, team;
    int32_t action;
} unit;

enum { kUnits = 64 };

static unit units[4096];
static const uint32_t unit_count = kUnits;
static int applied = 0;

static void AUGUR_CALL my_log(void* user, augur_severity severity, augur_result code, const char* text) {
    (void)user;
    (void)code;
    if (severity == AUGUR_SEVERITY_ERROR) fprintf(stderr, "log: %s\n", text);
}

static void* AUGUR_CALL my_gl_lookup(const char* name) {
    (void)name;
    return NULL;
}

static void apply_actions(void) {
    ++applied;
}

static augur_result bind_rest(augur_planner_id planner, augur_binding at) {
    augur_result result;
    at.format = AUGUR_FORMAT_U8;
    at.offset_bytes = offsetof(unit, health);
    if ((result = augur_planner_bind(planner, "health", &at)) < 0) return result;
    at.offset_bytes = offsetof(unit, kind);
    if ((result = augur_planner_bind(planner, "kind", &at)) < 0) return result;
    at.offset_bytes = offsetof(unit, team);
    if ((result = augur_planner_bind(planner, "team", &at)) < 0) return result;
    at.format = AUGUR_FORMAT_I32;
    at.offset_bytes = offsetof(unit, action);
    return augur_planner_bind_actions(planner, &at);
}

#define CHECK(result)                                  \
    if ((result) < 0) {                                \
        fprintf(stderr, "%s\n", augur_last_message()); \
        return 1;                                      \
    }

int main(void) {
    uint32_t i;
    for (i = 0; i < unit_count; ++i) {
        units[i].position[0] = 100.0f + (float)(i % 8);
        units[i].position[1] = 100.0f + (float)(i / 8);
        units[i].health = 30;
        units[i].kind = (uint8_t)(i % 3);
        units[i].team = (uint8_t)(i % 2);
        units[i].action = AUGUR_ACTION_NONE;
    }

#include "guide_0.inc"
    CHECK(result)
#include "guide_1.inc"
    CHECK(result)
#include "guide_2.inc"
    CHECK(result)
#include "guide_3.inc"
    CHECK(result)
    result = bind_rest(planner, at);
    CHECK(result)
#include "guide_4.inc"
    CHECK(result)
    if (applied == 0) { /* not ready within the guide's millisecond */
        result = augur_planner_collect(planner, UINT64_MAX, &done);
        CHECK(result)
    }
    if (done.agent_count != unit_count) return 2;
    for (i = 0; i < unit_count; ++i)
        if (units[i].action < 0 || units[i].action > 12) return 3;
    {
        const char* profile_path = AUGUR_PROFILE_FILE;
#include "guide_5.inc"
        CHECK(result)
        if (profile.budget_us != 4000 || tuned.simulations != 32 || tuned_frame.budget_us != 4000) return 4;
        CHECK(augur_planner_destroy(tuned_planner))
    }
    CHECK(augur_context_destroy(context))
    return 0;
}
