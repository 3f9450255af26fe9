/* Augur: the game's own memory, registered once and read or written in place every frame. */
#ifndef AUGUR_BUFFER_H
#define AUGUR_BUFFER_H

#include <augur/base.h>

typedef enum augur_buffer_kind {
    AUGUR_BUFFER_HOST = 1,   /* ordinary memory of this process; pinned for the GPU where the backend is CUDA */
    AUGUR_BUFFER_CUDA = 2,   /* CUDA device memory of the context's device (cudaMalloc, cuMemAlloc); CUDA backend only */
    AUGUR_BUFFER_OPENGL = 3, /* an OpenGL buffer object; in place through interop, or a mapped copy on the CPU backend */
} augur_buffer_kind;

typedef enum augur_access {
    AUGUR_ACCESS_READ = 1,       /* Augur reads (fields) */
    AUGUR_ACCESS_WRITE = 2,      /* Augur writes (actions) */
    AUGUR_ACCESS_READ_WRITE = 3,
} augur_access;

/* How one number is stored in the host's memory. */
typedef enum augur_format {
    AUGUR_FORMAT_F32 = 1,
    AUGUR_FORMAT_I32 = 2,
    AUGUR_FORMAT_U32 = 3,
    AUGUR_FORMAT_I16 = 4,
    AUGUR_FORMAT_U16 = 5,
    AUGUR_FORMAT_I8 = 6,
    AUGUR_FORMAT_U8 = 7,
    AUGUR_FORMAT_U64 = 8, /* bitboards and masks only */
} augur_format;

typedef struct augur_buffer_desc {
    uint32_t struct_size;   /* set by augur_buffer_desc_default(); do not edit */
    uint32_t struct_cookie; /* set by augur_buffer_desc_default(); do not edit */
    uint32_t kind;          /* augur_buffer_kind [default: AUGUR_BUFFER_HOST] */
    uint32_t access;        /* augur_access [default: AUGUR_ACCESS_READ] */
    void* pointer;          /* HOST and CUDA: first byte, aligned to 4. The host owns it and keeps it alive and in place until
                               unregister returns. Null for OPENGL. */
    uint64_t size_bytes;    /* bytes registered [4 .. 2^40] */
    uint32_t gl_buffer;     /* OPENGL: the buffer object's name; 0 otherwise */
} augur_buffer_desc;

AUGUR_API void AUGUR_CALL augur_buffer_desc_init_sized(augur_buffer_desc* desc, uint32_t struct_size);
static inline augur_buffer_desc augur_buffer_desc_default(void) {
    augur_buffer_desc desc;
    augur_buffer_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

/* Registers memory. The host must not write READ memory between request and the end of that frame (poll or collect says so), nor
 * read WRITE memory in that time. Overlapping registrations are allowed; a field and the actions of one planner may share a
 * buffer (array of structs) as long as their bytes do not overlap. CUDA memory must be complete when a frame is requested: Augur's
 * streams wait for no other, so synchronise the stream that wrote it (cudaMemcpy too may return before the bytes have arrived), or
 * have all work on one stream (augur_context_desc.cuda_stream).
 * Errors: _INVALID_ARGUMENT, _INVALID_BUFFER (message: the numbers), _UNSUPPORTED (kind not possible on this backend),
 * _STALE_ID. Cost: host memory is pinned on the CUDA backend (microseconds per megabyte), so register once.
 * OpenGL: the context that owns the buffer is current. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_buffer_register(augur_context_id context, const augur_buffer_desc* desc,
                                                        augur_buffer_id* out_buffer);

/* Waits until no frame uses the buffer, then forgets it. Planners bound to it need a new binding before their next request.
 * From inside a callback: AUGUR_ERROR_BUSY. The zero id is AUGUR_OK. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_buffer_unregister(augur_buffer_id buffer);

/* Where one number per agent lives: number i of component c is at offset_bytes + i * stride_bytes + c * size of format. */
typedef struct augur_binding {
    augur_buffer_id buffer;
    uint32_t format;       /* augur_format */
    uint32_t reserved;     /* must be 0 */
    uint64_t offset_bytes; /* of the first agent's number; a multiple of the format's size */
    uint64_t stride_bytes; /* from one agent to the next; a multiple of the format's size; 0 means packed */
} augur_binding;

#endif /* AUGUR_BUFFER_H */
