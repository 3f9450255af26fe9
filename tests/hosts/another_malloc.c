/* A replacement of malloc, to be preloaded: blocks are cut off one large piece, and freeing or resizing what did not
 * come from here ends the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What stands in for the C library's functions must be seen from outside. */
#define EXPORTED __attribute__((visibility("default")))

#define ARENA_BYTES ((size_t)1 << 30)
#define MARK 0x6b636f6c62727561ull

typedef struct head {
    uint64_t size;
    uint64_t mark;
} head;

static unsigned char* arena;
static size_t used;
static uint64_t blocks;

/* Blocks given out so far. */
EXPORTED uint64_t another_malloc_blocks(void) {
    return __atomic_load_n(&blocks, __ATOMIC_RELAXED);
}

static unsigned char* arena_base(void) {
    unsigned char* base = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
    unsigned char* none = NULL;
    void* made;
    if (base != NULL) return base;
    made = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) abort();
    if (__atomic_compare_exchange_n(&arena, &none, (unsigned char*)made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    munmap(made, ARENA_BYTES);
    return none;
}

static void* take(size_t size, size_t alignment) {
    unsigned char* base = arena_base();
    size_t begin, space;
    uintptr_t at;
    head* h;
    if (alignment < sizeof(head)) alignment = sizeof(head);
    if (size > ARENA_BYTES / 2 || alignment > ARENA_BYTES / 2) return NULL;
    space = (size + alignment + sizeof(head) + 15) & ~(size_t)15;
    begin = __atomic_fetch_add(&used, space, __ATOMIC_RELAXED);
    if (begin + space > ARENA_BYTES) return NULL;
    at = (uintptr_t)(base + begin) + sizeof(head);
    at = (at + alignment - 1) & ~(uintptr_t)(alignment - 1);
    h = (head*)at - 1;
    h->size = size;
    h->mark = MARK;
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    return (void*)at;
}

static head* head_of(void* block) {
    unsigned char* base = arena_base();
    head* h = (head*)block - 1;
    if ((unsigned char*)block < base || (unsigned char*)block >= base + ARENA_BYTES || h->mark != MARK) abort();
    return h;
}

EXPORTED void* malloc(size_t size) {
    void* block = take(size, 16);
    if (block == NULL) errno = ENOMEM;
    return block;
}

EXPORTED void free(void* block) {
    if (block != NULL) head_of(block)->mark = 0; /* freed twice is not ours either */
}

EXPORTED void* calloc(size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    return malloc(count * size); /* never used before, so zero */
}

EXPORTED void* realloc(void* block, size_t size) {
    void* larger = malloc(size);
    if (block != NULL && larger != NULL) {
        const uint64_t before = head_of(block)->size;
        memcpy(larger, block, before < size ? before : size);
        free(block);
    }
    return larger;
}

EXPORTED int posix_memalign(void** out, size_t alignment, size_t size) {
    void* block = take(size, alignment);
    if (block == NULL) return ENOMEM;
    *out = block;
    return 0;
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
    return take(size, alignment);
}

EXPORTED void* memalign(size_t alignment, size_t size) {
    return take(size, alignment);
}

EXPORTED size_t malloc_usable_size(void* block) {
    return block != NULL ? head_of(block)->size : 0;
}
