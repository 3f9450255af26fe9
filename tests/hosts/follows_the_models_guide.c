/* The code of docs/guide/models.md in a host: Connect Four planned with the model that ships, rows of pixels scored by
 * a model whose file this host is given, and poles balanced on learned rules. */
#include <augur/augur.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "models_0.inc"
#include "models_1.inc"
#include "models_2.inc"

#define CHECK(result)                                  \
    if ((result) < 0) {                                \
        fprintf(stderr, "%s\n", augur_last_message()); \
        return 1;                                      \
    }

enum { kBoards = 256 /* a planner's default capacity */, kRows = 20, kCells = 42, kScores = 7 };

struct board {
    uint64_t own, other;
    int32_t action;
};

static struct board boards[kBoards];
static unsigned char memory[(1u << 20) + kRows * kScores * sizeof(float)];

static int plan(augur_context_id context) {
    augur_planner_id planner = make_guided_planner(context, AUGUR_MODEL_FILE);
    augur_buffer_desc desc = augur_buffer_desc_default();
    augur_binding at = {{0}, AUGUR_FORMAT_U64, 0, 0, sizeof(struct board)};
    augur_frame_desc frame = augur_frame_desc_default();
    unsigned i;
    if (planner.value == 0) return 2;
    desc.pointer = boards;
    desc.size_bytes = sizeof boards;
    desc.access = AUGUR_ACCESS_READ_WRITE;
    CHECK(augur_buffer_register(context, &desc, &at.buffer))
    CHECK(augur_planner_bind(planner, "own", &at))
    at.offset_bytes = offsetof(struct board, other);
    CHECK(augur_planner_bind(planner, "other", &at))
    at.offset_bytes = offsetof(struct board, action);
    at.format = AUGUR_FORMAT_I32;
    CHECK(augur_planner_bind_actions(planner, &at))
    /* Three in the bottom row: the fourth wins. */
    boards[0].own = 1ull | 1ull << 7 | 1ull << 14;
    boards[0].other = 1ull << 1 | 1ull << 8 | 1ull << 15;
    frame.agent_count = kBoards;
    CHECK(augur_planner_request(planner, &frame))
    CHECK(augur_planner_collect(planner, UINT64_MAX, NULL))
    if (boards[0].action != 3) return 3;
    for (i = 1; i < kBoards; ++i)
        if (boards[i].action < 0 || boards[i].action > 6) return 4;
    return 0;
}

static int score(augur_context_id context) {
    augur_model_desc desc = augur_model_desc_default();
    augur_buffer_desc buffer_desc = augur_buffer_desc_default();
    augur_model_id model;
    augur_buffer_id buffer;
    float scores[kRows][kScores];
    unsigned i;
    desc.path = AUGUR_MODEL_FILE;
    desc.row_capacity = kRows;
    CHECK(augur_model_create(context, &desc, &model))
    for (i = 0; i < kRows * kCells; ++i)
        memory[i] = (unsigned char)(i / kCells * 10); /* each row of one colour */
    buffer_desc.pointer = memory;
    buffer_desc.size_bytes = sizeof memory;
    buffer_desc.access = AUGUR_ACCESS_READ_WRITE;
    CHECK(augur_buffer_register(context, &buffer_desc, &buffer))
    CHECK(score_all(model, buffer, kRows))
    memcpy(scores, memory + (1u << 20), sizeof scores);
    for (i = 2; i < kRows; ++i) /* nearly black is black to it */
        if (memcmp(scores[0], scores[i], sizeof scores[0]) == 0) return 5;
    return 0;
}

/* Poles that lean and spin are pushed after: the cart goes where they fall. */
static int balance(augur_context_id context) {
    const augur_planner_id planner =
        make_planner_on_learned_rules(context, AUGUR_BALANCE_FILES "_representation.onnx",
                                      AUGUR_BALANCE_FILES "_dynamics.onnx", AUGUR_BALANCE_FILES "_prediction.onnx");
    /* Where the cart is, its speed, how the pole leans, how it spins; over or not. */
    static float seen[kBoards][5] = {{0.0f, 0.0f, 0.4f, 0.3f, 0.0f}, {0.0f, 0.0f, -0.4f, -0.3f, 0.0f}};
    static unsigned char pushes[kBoards];
    augur_buffer_desc desc = augur_buffer_desc_default();
    augur_binding at = {{0}, AUGUR_FORMAT_F32, 0, 0, 0};
    augur_frame_desc frame = augur_frame_desc_default();
    if (planner.value == 0) return 6;
    desc.pointer = seen;
    desc.size_bytes = sizeof seen;
    CHECK(augur_buffer_register(context, &desc, &at.buffer))
    CHECK(augur_planner_bind(planner, "observation", &at))
    desc.pointer = pushes;
    desc.size_bytes = sizeof pushes;
    desc.access = AUGUR_ACCESS_WRITE;
    CHECK(augur_buffer_register(context, &desc, &at.buffer))
    at.format = AUGUR_FORMAT_U8;
    CHECK(augur_planner_bind_actions(planner, &at))
    frame.agent_count = 2;
    CHECK(augur_planner_request(planner, &frame))
    CHECK(augur_planner_collect(planner, UINT64_MAX, NULL))
    return pushes[0] == 2 && pushes[1] == 0 ? 0 : 7;
}

int main(void) {
    augur_context_desc desc = augur_context_desc_default();
    augur_context_id context;
    int failed;
    CHECK(augur_context_create(&desc, &context))
    failed = plan(context);
    if (failed == 0) failed = score(context);
    if (failed == 0) failed = balance(context);
    CHECK(augur_context_destroy(context))
    return failed;
}
