/* Loads the library as a plugin of an engine would be, unloads it in the middle of a frame without shutting down, and
 * loads it again. argv[1]: the library. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <string.h>
#include <time.h>

/* The calls by name, so that nothing but dlopen brings the library in. */
#define AUGUR_STATIC
#include <augur/augur.h>
#include <stdio.h>

static void* library;

static void* find(const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == NULL) fprintf(stderr, "no %s\n", name);
    return symbol;
}

/* ISO C has no cast from void* to a function. */
#define FUNCTION(type, name)                 \
    type name;                               \
    do {                                     \
        void* symbol = find("augur_" #name); \
        if (symbol == NULL) return 1;        \
        memcpy(&name, &symbol, sizeof name); \
    } while (0)

typedef void(AUGUR_CALL* init_fn)(void*, uint32_t);
typedef augur_result(AUGUR_CALL* create_fn)(const augur_context_desc*, augur_context_id*);
typedef augur_result(AUGUR_CALL* destroy_fn)(augur_context_id);
typedef augur_result(AUGUR_CALL* builtin_fn)(augur_context_id, const char*, augur_rules_id*);
typedef augur_result(AUGUR_CALL* planner_create_fn)(augur_context_id, const augur_planner_desc*, augur_planner_id*);
typedef augur_result(AUGUR_CALL* register_fn)(augur_context_id, const augur_buffer_desc*, augur_buffer_id*);
typedef augur_result(AUGUR_CALL* bind_fn)(augur_planner_id, const char*, const augur_binding*);
typedef augur_result(AUGUR_CALL* bind_actions_fn)(augur_planner_id, const augur_binding*);
typedef augur_result(AUGUR_CALL* request_fn)(augur_planner_id, const augur_frame_desc*);

static uint64_t boards[64][2];
static int32_t actions[64];

static int start_frame(int shut_down) {
    augur_context_desc context_desc;
    augur_planner_desc planner_desc;
    augur_buffer_desc memory;
    augur_frame_desc frame;
    augur_context_id context;
    augur_planner_id planner;
    augur_buffer_id board_buffer, action_buffer;
    augur_binding binding = {{0}, AUGUR_FORMAT_U64, 0, 0, 16};
    FUNCTION(init_fn, context_desc_init_sized);
    FUNCTION(init_fn, planner_desc_init_sized);
    FUNCTION(init_fn, buffer_desc_init_sized);
    FUNCTION(init_fn, frame_desc_init_sized);
    FUNCTION(create_fn, context_create);
    FUNCTION(destroy_fn, context_destroy);
    FUNCTION(builtin_fn, rules_builtin);
    FUNCTION(planner_create_fn, planner_create);
    FUNCTION(register_fn, buffer_register);
    FUNCTION(bind_fn, planner_bind);
    FUNCTION(bind_actions_fn, planner_bind_actions);
    FUNCTION(request_fn, planner_request);
    context_desc_init_sized(&context_desc, sizeof context_desc);
    planner_desc_init_sized(&planner_desc, sizeof planner_desc);
    buffer_desc_init_sized(&memory, sizeof memory);
    frame_desc_init_sized(&frame, sizeof frame);
    context_desc.api_version = AUGUR_VERSION;
    context_desc.backend = AUGUR_BACKEND_CPU;
    context_desc.worker_threads = 3;
    if (context_create(&context_desc, &context) < 0) return 2;
    if (rules_builtin(context, "connect_four", &planner_desc.rules) < 0) return 3;
    planner_desc.agent_capacity = 64;
    planner_desc.simulations = 5000;
    if (planner_create(context, &planner_desc, &planner) < 0) return 4;
    memory.pointer = boards;
    memory.size_bytes = sizeof boards;
    if (buffer_register(context, &memory, &board_buffer) < 0) return 5;
    memory.pointer = actions;
    memory.size_bytes = sizeof actions;
    memory.access = AUGUR_ACCESS_WRITE;
    if (buffer_register(context, &memory, &action_buffer) < 0) return 6;
    binding.buffer = board_buffer;
    if (planner_bind(planner, "own", &binding) < 0) return 7;
    binding.offset_bytes = 8;
    if (planner_bind(planner, "other", &binding) < 0) return 8;
    binding.buffer = action_buffer;
    binding.format = AUGUR_FORMAT_I32;
    binding.offset_bytes = 0;
    binding.stride_bytes = 4;
    if (planner_bind_actions(planner, &binding) < 0) return 9;
    frame.agent_count = 64;
    if (planner_request(planner, &frame) < 0) return 10;
    return shut_down && context_destroy(context) != AUGUR_OK ? 11 : 0;
}

int main(int argc, char** argv) {
    const struct timespec pause = {0, 100000000};
    int round;
    if (argc != 2) return 20;
    for (round = 0; round < 6; ++round) {
        int step;
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 21;
        }
        step = start_frame(round % 2);
        if (step != 0) {
            fprintf(stderr, "round %d, step %d\n", round, step);
            return step;
        }
        if (dlclose(library) != 0) return 22;
        nanosleep(&pause, NULL); /* workers of a frame that nobody waits for go on meanwhile */
    }
    return 0;
}
