/* Two copies of the library in one process, as when two middlewares of a game each bring their own: they must not know
 * of each other. argv[1]: the library, of which a second copy is made. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The calls by name, so that nothing but dlopen brings a library in. */
#define AUGUR_STATIC
#include <augur/augur.h>
#include <stdio.h>

#define BOARDS 16

typedef struct copy {
    void* library;
    void(AUGUR_CALL* context_desc_init_sized)(augur_context_desc*, uint32_t);
    void(AUGUR_CALL* planner_desc_init_sized)(augur_planner_desc*, uint32_t);
    void(AUGUR_CALL* buffer_desc_init_sized)(augur_buffer_desc*, uint32_t);
    void(AUGUR_CALL* frame_desc_init_sized)(augur_frame_desc*, uint32_t);
    augur_result(AUGUR_CALL* context_create)(const augur_context_desc*, augur_context_id*);
    augur_result(AUGUR_CALL* context_destroy)(augur_context_id);
    augur_result(AUGUR_CALL* rules_builtin)(augur_context_id, const char*, augur_rules_id*);
    augur_result(AUGUR_CALL* planner_create)(augur_context_id, const augur_planner_desc*, augur_planner_id*);
    augur_result(AUGUR_CALL* buffer_register)(augur_context_id, const augur_buffer_desc*, augur_buffer_id*);
    augur_result(AUGUR_CALL* planner_bind)(augur_planner_id, const char*, const augur_binding*);
    augur_result(AUGUR_CALL* planner_bind_actions)(augur_planner_id, const augur_binding*);
    augur_result(AUGUR_CALL* planner_request)(augur_planner_id, const augur_frame_desc*);
    augur_result(AUGUR_CALL* planner_collect)(augur_planner_id, uint64_t, augur_frame_result*);
    const char*(AUGUR_CALL* last_message)(void);
    int warnings;
    augur_context_id context;
    augur_planner_id planner;
    uint64_t boards[BOARDS][2];
    int32_t actions[BOARDS];
    augur_frame_result result;
} copy;

static int find(copy* c, const char* name, void* function, size_t size) {
    void* symbol = dlsym(c->library, name);
    if (symbol == NULL) return 0;
    memcpy(function, &symbol, size); /* ISO C has no cast from void* to a function */
    return 1;
}
#define FIND(name) (find(c, "augur_" #name, (void*)&c->name, sizeof c->name))

static void AUGUR_CALL count_message(void* user, augur_severity severity, augur_result code, const char* text) {
    (void)severity;
    (void)code;
    (void)text;
    ++((copy*)user)->warnings;
}

static int load(copy* c, const char* path) {
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (c->library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    return FIND(context_desc_init_sized) && FIND(planner_desc_init_sized) && FIND(buffer_desc_init_sized) &&
           FIND(frame_desc_init_sized) && FIND(context_create) && FIND(context_destroy) && FIND(rules_builtin) &&
           FIND(planner_create) && FIND(buffer_register) && FIND(planner_bind) && FIND(planner_bind_actions) &&
           FIND(planner_request) && FIND(planner_collect) && FIND(last_message);
}

/* 0, or the number of the step that failed. */
static int start(copy* c) {
    augur_context_desc context_desc;
    augur_planner_desc planner_desc;
    augur_buffer_desc memory;
    augur_buffer_id boards, actions;
    augur_binding binding = {{0}, AUGUR_FORMAT_U64, 0, 0, 16};
    c->context_desc_init_sized(&context_desc, sizeof context_desc);
    c->planner_desc_init_sized(&planner_desc, sizeof planner_desc);
    c->buffer_desc_init_sized(&memory, sizeof memory);
    context_desc.api_version = AUGUR_VERSION;
    context_desc.backend = AUGUR_BACKEND_CPU;
    context_desc.worker_threads = 2;
    context_desc.logger.log = count_message;
    context_desc.logger.user = c;
    if (c->context_create(&context_desc, &c->context) != AUGUR_OK) return 1;
    if (c->rules_builtin(c->context, "connect_four", &planner_desc.rules) != AUGUR_OK) return 2;
    planner_desc.agent_capacity = BOARDS;
    planner_desc.simulations = 300;
    if (c->planner_create(c->context, &planner_desc, &c->planner) != AUGUR_OK) return 3;
    memory.pointer = c->boards;
    memory.size_bytes = sizeof c->boards;
    if (c->buffer_register(c->context, &memory, &boards) != AUGUR_OK) return 4;
    memory.pointer = c->actions;
    memory.size_bytes = sizeof c->actions;
    memory.access = AUGUR_ACCESS_WRITE;
    if (c->buffer_register(c->context, &memory, &actions) != AUGUR_OK) return 5;
    binding.buffer = boards;
    if (c->planner_bind(c->planner, "own", &binding) != AUGUR_OK) return 6;
    binding.offset_bytes = 8;
    if (c->planner_bind(c->planner, "other", &binding) != AUGUR_OK) return 7;
    binding.buffer = actions;
    binding.format = AUGUR_FORMAT_I32;
    binding.offset_bytes = 0;
    binding.stride_bytes = 0;
    return c->planner_bind_actions(c->planner, &binding) == AUGUR_OK ? 0 : 8;
}

static int request(copy* c) {
    augur_frame_desc frame;
    c->frame_desc_init_sized(&frame, sizeof frame);
    frame.agent_count = BOARDS;
    frame.frame = 3;
    return c->planner_request(c->planner, &frame) == AUGUR_OK;
}

static int collect(copy* c) {
    c->result.struct_size = sizeof c->result;
    return c->planner_collect(c->planner, UINT64_MAX, &c->result) >= 0;
}

static int copy_file(const char* from, const char* to) {
    static char piece[65536];
    size_t size;
    int fine = 1;
    FILE* in = fopen(from, "rb");
    FILE* out = fopen(to, "wb");
    while (in != NULL && out != NULL && fine && (size = fread(piece, 1, sizeof piece, in)) > 0)
        fine = fwrite(piece, 1, size, out) == size;
    fine = fine && in != NULL && out != NULL && ferror(in) == 0;
    if (in != NULL) fclose(in);
    if (out != NULL) fine = fclose(out) == 0 && fine;
    return fine;
}

static int play(copy* a, copy* b) {
    const augur_planner_id none = {0};
    int step, i;
    if (a->planner_collect == b->planner_collect) return 3; /* one library after all */
    if ((step = start(a)) != 0) return 10 + step;
    if ((step = start(b)) != 0) return 20 + step;
    /* Frames of both at the same time, with the same answers. */
    if (!request(a) || !request(b) || !collect(a) || !collect(b)) return 4;
    if (a->result.decision_hash != b->result.decision_hash) return 5;
    /* A failure in one is not told by the other. */
    a->planner_collect(none, 0, NULL);
    if (strlen(a->last_message()) == 0 || strlen(b->last_message()) != 0) return 6;
    if (a->planner_request(a->planner, NULL) != AUGUR_ERROR_INVALID_ARGUMENT) return 7;
    if (a->warnings != 1 || b->warnings != 0) return 8;
    /* One goes in the middle of the other's frame. */
    if (!request(b) || !request(a)) return 9;
    if (a->context_destroy(a->context) != AUGUR_OK || dlclose(a->library) != 0) return 30;
    if (!collect(b) || !request(b) || !collect(b)) return 31;
    for (i = 0; i < BOARDS; ++i)
        if (b->actions[i] < 0 || b->actions[i] > 6) return 32;
    return b->context_destroy(b->context) == AUGUR_OK ? 0 : 33;
}

int main(int argc, char** argv) {
    static copy a, b;
    char folder[] = "/tmp/augur_two_copies_XXXXXX";
    char path[sizeof folder + 32];
    int verdict = 2;
    if (argc != 2 || mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/libother.so", folder);
    if (copy_file(argv[1], path) && load(&a, argv[1]) && load(&b, path)) verdict = play(&a, &b);
    unlink(path);
    rmdir(folder);
    if (verdict != 0) fprintf(stderr, "came to %d\n", verdict);
    return verdict;
}
