/* Every struct of the contract with its size in bytes on a 64-bit machine, added up by hand from the headers' fields:
 * ids and pointers 8, enums and uint32_t 4, each struct padded to its widest member. A host compiled yesterday relies
 * on them. */
#ifndef AUGUR_TESTS_STRUCT_LAYOUT_H
#define AUGUR_TESTS_STRUCT_LAYOUT_H

#include <augur/augur.h>
#include <stddef.h>

#define AUGUR_STRUCT_LIST(X)         \
    X(augur_context_id, 8)           \
    X(augur_buffer_id, 8)            \
    X(augur_rules_id, 8)             \
    X(augur_planner_id, 8)           \
    X(augur_model_id, 8)             \
    X(augur_logger, 16)              \
    X(augur_allocator, 24)           \
    X(augur_task_system, 32)         \
    X(augur_context_desc, 136)       \
    X(augur_frame_budget_desc, 16)   \
    X(augur_capabilities, 184)       \
    X(augur_self_test_report, 1052)  \
    X(augur_buffer_desc, 40)         \
    X(augur_binding, 32)             \
    X(augur_rules_info, 104)         \
    X(augur_field_info, 224)         \
    X(augur_learned_rules_desc, 64)  \
    X(augur_planner_desc, 120)       \
    X(augur_planner_memory_info, 24) \
    X(augur_profile, 112)            \
    X(augur_frame_desc, 40)          \
    X(augur_agent_result, 16)        \
    X(augur_frame_result, 80)        \
    X(augur_counters, 240)           \
    X(augur_latency, 312)            \
    X(augur_stage_span, 16)          \
    X(augur_timeline_frame, 328)     \
    X(augur_tree_node, 40)           \
    X(augur_replay_report, 24)       \
    X(augur_memory_usage, 56)        \
    X(augur_model_desc, 96)          \
    X(augur_model_info, 400)         \
    X(augur_tensor_info, 100)        \
    X(augur_rows, 40)                \
    X(augur_evaluation_desc, 496)    \
    X(augur_evaluation_result, 32)

struct augur_struct_size {
    const char* name;
    size_t size;
};

#ifdef __cplusplus
extern "C" {
#endif
/* The same list as the C compiler sees it; *count receives its length. */
const struct augur_struct_size* augur_struct_sizes_in_c(size_t* count);
/* The value that the C compiler gives AUGUR_VERSION, and the size of each enum type. */
size_t augur_result_size_in_c(void);
#ifdef __cplusplus
}
#endif

#endif
