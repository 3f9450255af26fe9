/* A host that was compiled against an earlier header and loads this library: its structs end where the header of its
 * day ended, and it knows no field that came later. It includes nothing of today's headers; every declaration below is
 * its own, frozen. It plays: three stones in a row, one agent each for two boards, and expects the winning column.
 * Whatever lies behind its structs must stay untouched. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t value;
} id;

typedef struct {
    uint32_t struct_size, struct_cookie, api_version, backend, worker_threads;
    int32_t cuda_device;
} old_context_desc; /* ends before the host could lend its CUDA context, logger, allocator or tasks */

typedef struct {
    uint32_t struct_size, struct_cookie, kind, access;
    void* pointer;
    uint64_t size_bytes;
} old_buffer_desc; /* ends before OpenGL buffers */

typedef struct {
    uint32_t struct_size, struct_cookie;
    id rules;
    uint32_t agent_capacity, search, selection, execution, simulations, budget_us;
} old_planner_desc; /* ends before the horizon and everything after it */

typedef struct {
    uint32_t struct_size, struct_cookie, agent_count, simulations;
} old_frame_desc; /* ends before the budget of one frame */

typedef struct {
    id buffer;
    uint32_t format, reserved;
    uint64_t offset_bytes, stride_bytes;
} old_binding;

typedef struct {
    uint32_t struct_size, agent_count;
    uint64_t frame, decision_hash, simulations;
} old_frame_result; /* ends before times and flags */

extern void augur_context_desc_init_sized(void*, uint32_t);
extern void augur_buffer_desc_init_sized(void*, uint32_t);
extern void augur_planner_desc_init_sized(void*, uint32_t);
extern void augur_frame_desc_init_sized(void*, uint32_t);
extern int augur_context_create(const void*, id*);
extern int augur_context_destroy(id);
extern int augur_buffer_register(id, const void*, id*);
extern int augur_rules_builtin(id, const char*, id*);
extern int augur_planner_create(id, const void*, id*);
extern int augur_planner_bind(id, const char*, const void*);
extern int augur_planner_bind_actions(id, const void*);
extern int augur_planner_request(id, const void*);
extern int augur_planner_collect(id, uint64_t, void*);
extern const char* augur_result_name(int);
extern const char* augur_last_message(void);

#define GUARDED(type, name)       \
    struct {                      \
        type value;               \
        unsigned char behind[64]; \
    } name;                       \
    memset(&name, 0xa5, sizeof name)

static int failures = 0;

static void expect(int holds, const char* what) {
    if (!holds) {
        printf("failed: %s\n", what);
        ++failures;
    }
}

static void done(int result, const char* what) {
    if (result < 0) {
        printf("failed: %s: %s: %s\n", what, augur_result_name(result), augur_last_message());
        ++failures;
    }
}

static void untouched(const unsigned char* behind, const char* what) {
    size_t i;
    for (i = 0; i < 64; ++i) {
        if (behind[i] != 0xa5) {
            printf("failed: byte %u behind %s was written\n", (unsigned)i, what);
            ++failures;
            return;
        }
    }
}

static uint64_t stone(unsigned column, unsigned row) {
    return (uint64_t)1 << (7 * column + row);
}

int main(void) {
    id context = {0}, rules = {0}, planner = {0}, board_buffer = {0}, action_buffer = {0};
    uint64_t boards[2][2];
    int32_t actions[2] = {-7, -7};
    old_binding own, other, chosen;
    GUARDED(old_context_desc, cd);
    GUARDED(old_buffer_desc, bd);
    GUARDED(old_planner_desc, pd);
    GUARDED(old_frame_desc, fd);
    GUARDED(old_frame_result, result);

    augur_context_desc_init_sized(&cd.value, (uint32_t)sizeof cd.value);
    untouched(cd.behind, "the context desc");
    cd.value.api_version = 1u << 12; /* 0.1.0 */
    cd.value.backend = 1;            /* CPU */
    cd.value.worker_threads = 0;
    done(augur_context_create(&cd.value, &context), "augur_context_create");

    /* Agent 0 stands three high in column 2, agent 1 has columns 3, 4 and 5 of the bottom row and column 6 is taken. */
    boards[0][0] = stone(2, 0) | stone(2, 1) | stone(2, 2);
    boards[0][1] = stone(0, 0) | stone(0, 1) | stone(6, 0);
    boards[1][0] = stone(3, 0) | stone(4, 0) | stone(5, 0);
    boards[1][1] = stone(6, 0) | stone(3, 1) | stone(4, 1);

    augur_buffer_desc_init_sized(&bd.value, (uint32_t)sizeof bd.value);
    untouched(bd.behind, "the buffer desc");
    bd.value.pointer = boards;
    bd.value.size_bytes = sizeof boards;
    done(augur_buffer_register(context, &bd.value, &board_buffer), "augur_buffer_register (boards)");
    bd.value.access = 2; /* write */
    bd.value.pointer = actions;
    bd.value.size_bytes = sizeof actions;
    done(augur_buffer_register(context, &bd.value, &action_buffer), "augur_buffer_register (actions)");

    done(augur_rules_builtin(context, "connect_four", &rules), "augur_rules_builtin");
    augur_planner_desc_init_sized(&pd.value, (uint32_t)sizeof pd.value);
    untouched(pd.behind, "the planner desc");
    pd.value.rules = rules;
    pd.value.agent_capacity = 2;
    pd.value.simulations = 200;
    done(augur_planner_create(context, &pd.value, &planner), "augur_planner_create");

    memset(&own, 0, sizeof own);
    own.buffer = board_buffer;
    own.format = 8; /* U64 */
    own.stride_bytes = 16;
    other = own;
    other.offset_bytes = 8;
    memset(&chosen, 0, sizeof chosen);
    chosen.buffer = action_buffer;
    chosen.format = 2; /* I32 */
    done(augur_planner_bind(planner, "own", &own), "augur_planner_bind (own)");
    done(augur_planner_bind(planner, "other", &other), "augur_planner_bind (other)");
    done(augur_planner_bind_actions(planner, &chosen), "augur_planner_bind_actions");

    augur_frame_desc_init_sized(&fd.value, (uint32_t)sizeof fd.value);
    untouched(fd.behind, "the frame desc");
    fd.value.agent_count = 2;
    done(augur_planner_request(planner, &fd.value), "augur_planner_request");
    memset(&result.value, 0, sizeof result.value);
    result.value.struct_size = (uint32_t)sizeof result.value;
    done(augur_planner_collect(planner, UINT64_MAX, &result.value), "augur_planner_collect");
    untouched(result.behind, "the frame result");

    expect(result.value.struct_size == sizeof result.value, "struct_size of the result is the host's own");
    expect(result.value.agent_count == 2, "two agents were planned");
    expect(result.value.decision_hash != 0, "there is a decision hash");
    expect(actions[0] == 2, "agent 0 completes its column");
    expect(actions[1] == 2, "agent 1 completes its row");
    done(augur_context_destroy(context), "augur_context_destroy");
    printf("old host: actions %d %d, %d failures\n", (int)actions[0], (int)actions[1], failures);
    return failures != 0;
}
