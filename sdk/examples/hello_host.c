/* The smallest host: two armies of units in the game's own arrays, planned every frame.
 *
 * This is the README's example with every result checked. It compiles as C99 and needs no GPU. */
#include <augur/augur.h>
#include <stdio.h>
#include <string.h>

enum { kUnits = 64, kFrames = 10 };

/* The game's own data, laid out as the game likes: Augur reads and writes it in place. */
typedef struct unit {
    float position[2];
    int16_t health;
    uint8_t kind; /* 0 melee, 1 ranged, 2 healer */
    uint8_t team;
    int32_t action; /* written by Augur */
} unit;

static unit units[kUnits];

static void place_armies(void) {
    int i;
    memset(units, 0, sizeof units);
    for (i = 0; i < kUnits; ++i) {
        const int team = i % 2, rank = i / 2;
        units[i].position[0] = 100.0f + (float)team * 6.0f + (float)(rank / 8) * (team ? 1.0f : -1.0f);
        units[i].position[1] = 100.0f + (float)(rank % 8) * 1.5f;
        units[i].health = 30;
        units[i].kind = (uint8_t)(rank % 3);
        units[i].team = (uint8_t)team;
    }
}

/* The game's turn: here everybody only walks where the plan says. Actions 0 to 7 are the directions, from east round by
 * north. */
static void simulate(void) {
    static const float dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    int i;
    for (i = 0; i < kUnits; ++i) {
        const int32_t action = units[i].action;
        if (action < 0 || action > 7) continue;
        units[i].position[0] += 0.5f * dx[action];
        units[i].position[1] += 0.5f * dy[action];
    }
}

/* Positive results are done as well; they only say more. */
static int failed(augur_result result, const char* call) {
    if (result >= 0) return 0;
    fprintf(stderr, "%s: %s: %s\n", call, augur_result_name(result), augur_last_message());
    return 1;
}

#define CHECK(call) \
    if (failed(call, #call)) return 1

static int bind(augur_planner_id planner, augur_buffer_id buffer, const char* field, augur_format format,
                size_t offset) {
    augur_binding binding = {{0}, 0, 0, 0, 0};
    binding.buffer = buffer;
    binding.format = (uint32_t)format;
    binding.offset_bytes = offset;
    binding.stride_bytes = sizeof(unit);
    if (field == NULL) return failed(augur_planner_bind_actions(planner, &binding), "augur_planner_bind_actions");
    return failed(augur_planner_bind(planner, field, &binding), field);
}

static int play(augur_context_id context) {
    augur_buffer_desc buffer_desc = augur_buffer_desc_default();
    augur_planner_desc planner_desc = augur_planner_desc_default();
    augur_buffer_id buffer;
    augur_planner_id planner;
    int frame_index;

    buffer_desc.pointer = units;
    buffer_desc.size_bytes = sizeof units;
    buffer_desc.access = AUGUR_ACCESS_READ_WRITE;
    CHECK(augur_buffer_register(context, &buffer_desc, &buffer));

    CHECK(augur_rules_builtin(context, "skirmish", &planner_desc.rules));
    planner_desc.agent_capacity = kUnits;
    planner_desc.simulations = 64;
    CHECK(augur_planner_create(context, &planner_desc, &planner));
    if (bind(planner, buffer, "position", AUGUR_FORMAT_F32, offsetof(unit, position))) return 1;
    if (bind(planner, buffer, "health", AUGUR_FORMAT_I16, offsetof(unit, health))) return 1;
    if (bind(planner, buffer, "kind", AUGUR_FORMAT_U8, offsetof(unit, kind))) return 1;
    if (bind(planner, buffer, "team", AUGUR_FORMAT_U8, offsetof(unit, team))) return 1;
    if (bind(planner, buffer, NULL, AUGUR_FORMAT_I32, offsetof(unit, action))) return 1;

    for (frame_index = 0; frame_index < kFrames; ++frame_index) {
        augur_frame_desc frame = augur_frame_desc_default();
        augur_frame_result result;
        augur_result done;
        frame.agent_count = kUnits;
        CHECK(augur_planner_request(planner, &frame)); /* returns at once */
        /* ... here the game draws, plays sound, reads input ... */
        result.struct_size = sizeof result;
        do {
            done = augur_planner_collect(planner, 1000, &result);
            CHECK(done);
        } while (done == AUGUR_NOT_READY); /* units[].action is filled now */
        printf("frame %2d: %u agents, %llu simulations, %.3f ms\n", frame_index, (unsigned)result.agent_count,
               (unsigned long long)result.simulations, (double)result.request_to_done_ns / 1e6);
        simulate();
    }
    CHECK(augur_planner_destroy(planner));
    CHECK(augur_buffer_unregister(buffer));
    return 0;
}

int main(void) {
    augur_context_desc desc = augur_context_desc_default(); /* the GPU if there is one, else the CPU */
    augur_context_id context;
    int status;
    CHECK(augur_context_create(&desc, &context));
    place_armies();
    status = play(context);
    CHECK(augur_context_destroy(context));
    return status;
}
