/* What the hosts of this folder have in common: a context with workers and a planner of Connect Four with a frame in
 * flight. */
#ifndef AUGUR_TESTS_HOSTS_CONNECT_FOUR_H
#define AUGUR_TESTS_HOSTS_CONNECT_FOUR_H

#include <augur/augur.h>
#include <stdio.h>

#define BOARDS 64

typedef struct game {
    uint64_t boards[BOARDS][2];
    int32_t actions[BOARDS];
    augur_context_id context;
    augur_planner_id planner;
} game;

/* 0, or the number of the step that failed. */
static inline int game_start(game* g, const augur_context_desc* context_desc, uint32_t simulations) {
    augur_buffer_desc memory = augur_buffer_desc_default();
    augur_planner_desc desc = augur_planner_desc_default();
    augur_frame_desc frame = augur_frame_desc_default();
    augur_buffer_id boards, actions;
    augur_binding binding = {{0}, AUGUR_FORMAT_U64, 0, 0, 16};
    if (augur_context_create(context_desc, &g->context) < 0) return 1;
    if (augur_rules_builtin(g->context, "connect_four", &desc.rules) < 0) return 2;
    desc.agent_capacity = BOARDS;
    desc.simulations = simulations;
    if (augur_planner_create(g->context, &desc, &g->planner) < 0) return 3;
    memory.pointer = g->boards;
    memory.size_bytes = sizeof g->boards;
    if (augur_buffer_register(g->context, &memory, &boards) < 0) return 4;
    memory.pointer = g->actions;
    memory.size_bytes = sizeof g->actions;
    memory.access = AUGUR_ACCESS_WRITE;
    if (augur_buffer_register(g->context, &memory, &actions) < 0) return 5;
    binding.buffer = boards;
    if (augur_planner_bind(g->planner, "own", &binding) < 0) return 6;
    binding.offset_bytes = 8;
    if (augur_planner_bind(g->planner, "other", &binding) < 0) return 7;
    binding.buffer = actions;
    binding.format = AUGUR_FORMAT_I32;
    binding.offset_bytes = 0;
    binding.stride_bytes = 0;
    if (augur_planner_bind_actions(g->planner, &binding) < 0) return 8;
    frame.agent_count = BOARDS;
    if (augur_planner_request(g->planner, &frame) < 0) return 9;
    return 0;
}

#endif
