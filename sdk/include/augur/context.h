/* Augur: contexts (one per game, usually), what the host lends them, and what this machine can do. */
#ifndef AUGUR_CONTEXT_H
#define AUGUR_CONTEXT_H

#include <augur/base.h>

typedef enum augur_backend {
    AUGUR_BACKEND_AUTO = 0, /* the GPU if there is a usable one, else the CPU with one warning */
    AUGUR_BACKEND_CPU = 1,
    AUGUR_BACKEND_CUDA = 2, /* the GPU or a failure that says why */
} augur_backend;

/* How searches and model evaluations of a context share the GPU. A search is short and has a deadline, a batch of a large model is
 * long; blocks that run are not interrupted, so priority alone helps only so far. Results are the same in every mode. */
typedef enum augur_gpu_sharing {
    AUGUR_GPU_SHARING_AUTO = 0,      /* beside evaluations, PRIORITY or a part as in ADAPTIVE: the one that leaves most to them and
                                        in which searches were measured to take hardly longer than in the best */
    AUGUR_GPU_SHARING_PLAIN = 1,     /* all at the default priority */
    AUGUR_GPU_SHARING_PRIORITY = 2,  /* searches of urgency 1 and more (phase_weight * depth_weight of the request) at the highest
                                        priority; evaluations, and searches of less, at the default one */
    AUGUR_GPU_SHARING_PARTITION = 3, /* searches on multiprocessors of their own, evaluations on the others */
    AUGUR_GPU_SHARING_ADAPTIVE = 4,  /* the same, the searches' part being an eighth, a quarter or half, as their budgets need
                                        (without a budget as in AUTO) */
    AUGUR_GPU_SHARING_TURNS = 5,     /* one after the other, each with the whole GPU */
} augur_gpu_sharing;

typedef enum augur_severity {
    AUGUR_SEVERITY_INFO = 0,
    AUGUR_SEVERITY_WARNING = 1,
    AUGUR_SEVERITY_ERROR = 2,
} augur_severity;

/* Receives one message. code is the augur_result it goes with. text is UTF-8, valid during the call, never a format string.
 * Called on the thread whose call caused it, or on a worker thread; never under a lock of ours. Calling Augur from inside it is
 * answered with AUGUR_ERROR_BUSY. It must return. */
typedef void(AUGUR_CALL* augur_log_fn)(void* user, augur_severity severity, augur_result code, const char* text);

typedef struct augur_logger {
    augur_log_fn log; /* may be null: silent */
    void* user;
} augur_logger;

/* Memory for tree pools and frame arrays. alignment is a power of two up to 4096. Returning null makes the call that needed it
 * fail with AUGUR_ERROR_OUT_OF_MEMORY, and so does a block that is mis-aligned or still in use. release gets the size back. Both or
 * neither may be null (neither: malloc). Called only inside create, register, unregister, destroy and replay calls. */
typedef struct augur_allocator {
    void*(AUGUR_CALL* allocate)(void* user, size_t size_bytes, size_t alignment);
    void(AUGUR_CALL* release)(void* user, void* pointer, size_t size_bytes);
    void* user;
} augur_allocator;

/* One piece of CPU work: the host calls run(data, index) once for every index below count, in any order, on any threads. */
typedef void(AUGUR_CALL* augur_task_fn)(void* data, uint32_t index);

/* The game's job system, used instead of threads of ours. enqueue returns a token at once (any value, null too); finish(token)
 * returns when all runs of that enqueue have returned, and is called exactly once for each enqueue, from collect, cancel or
 * destroy, when the work is done or when collect was told to wait as long as it takes; so with a timeout the runs must not wait
 * for finish. enqueue may also run the tasks before it returns. Other jobs that run on the calling thread meanwhile may plan with
 * other planners; destroying and unregistering there is AUGUR_ERROR_BUSY. An exception out of either is caught, and the work is
 * done inside collect. */
typedef struct augur_task_system {
    void*(AUGUR_CALL* enqueue)(void* user, augur_task_fn run, void* data, uint32_t count);
    void(AUGUR_CALL* finish)(void* user, void* token);
    void* user;
    uint32_t worker_count; /* tasks that can run at once [1 .. 256] */
} augur_task_system;

/* Looks up an OpenGL function by name, for example glfwGetProcAddress or eglGetProcAddress. */
typedef void*(AUGUR_CALL* augur_gl_proc_fn)(const char* name);

typedef struct augur_context_desc {
    uint32_t struct_size;   /* set by augur_context_desc_default(); do not edit */
    uint32_t struct_cookie; /* set by augur_context_desc_default(); do not edit */
    uint32_t api_version;   /* AUGUR_VERSION of the header compiled against; set by the default maker */
    uint32_t backend;       /* augur_backend [default: AUGUR_BACKEND_AUTO] */
    uint32_t worker_threads; /* threads Augur may start for CPU work [0 .. 256, default 0xffffffff: one per core, less one,
                                at least one]. 0 starts none: the work is then done inside collect, however long it takes, and poll
                                alone never sees it done. Ignored with a task system. */
    int32_t cuda_device;     /* CUDA device ordinal [-1 .. , default -1: the device with the most memory bandwidth] */
    void* cuda_context;      /* CUcontext to use, or null for the device's primary context [default null] */
    void* cuda_stream;       /* CUstream that carries all work, owned by the host; null lets each planner create one of the highest
                                priority [default null] */
    uint64_t gpu_memory_cap_bytes; /* GPU memory all planners together may take [default 0: no cap] */
    augur_logger logger;           /* [default: silent] */
    augur_allocator allocator;     /* [default: malloc] */
    augur_task_system task_system; /* [default: none, threads of ours] */
    augur_gl_proc_fn gl_get_proc_address; /* needed only for OpenGL buffers [default null] */
    uint32_t gpu_sharing;          /* augur_gpu_sharing [default: AUGUR_GPU_SHARING_PRIORITY]. PARTITION, ADAPTIVE and AUTO need a
                                      driver of 12.4 or newer and the device's primary context, all but PLAIN and PRIORITY
                                      streams of Augur's own; where that is not so the logger has a warning and
                                      augur_capabilities.gpu_sharing what is used instead. ADAPTIVE and AUTO prepare a
                                      planner for three and four cases: its creation takes so many times longer */
    uint32_t partition_multiprocessors; /* PARTITION: of the searches [0 .. , default 0: an eighth]; rounded up to what the GPU
                                           can divide */
} augur_context_desc;

AUGUR_API void AUGUR_CALL augur_context_desc_init_sized(augur_context_desc* desc, uint32_t struct_size);
static inline augur_context_desc augur_context_desc_default(void) {
    augur_context_desc desc;
    augur_context_desc_init_sized(&desc, (uint32_t)sizeof desc);
    desc.api_version = AUGUR_VERSION;
    return desc;
}

/* Creates a context. Cost: milliseconds on the CPU, up to a second where the GPU driver starts.
 * Returns AUGUR_OK; AUGUR_FELL_BACK_TO_CPU when AUTO found a GPU it could not use (the context works, the logger has the reason);
 * AUGUR_ERROR_VERSION, _INVALID_ARGUMENT, _OUT_OF_MEMORY; with AUGUR_BACKEND_CUDA also _NO_DEVICE, _DRIVER_TOO_OLD, _UNSUPPORTED.
 * [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_context_create(const augur_context_desc* desc, augur_context_id* out_context);

/* Destroys a context and everything made from it; waits for running frames. The zero id is AUGUR_OK. A second destroy is
 * AUGUR_ERROR_STALE_ID. From inside a callback: AUGUR_ERROR_BUSY. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_context_destroy(augur_context_id context);

/* What the planners and evaluations of a context share from one call of augur_context_begin_frame to the next. */
typedef struct augur_frame_budget_desc {
    uint32_t struct_size;   /* set by augur_frame_budget_desc_default(); do not edit */
    uint32_t struct_cookie; /* set by augur_frame_budget_desc_default(); do not edit */
    int64_t budget_us;      /* microseconds from the call on for everything together [any; default INT64_MAX: no limit, nothing is
                               shared]. 0 and less: planners answer with AUGUR_BUDGET_ZERO */
} augur_frame_budget_desc;

AUGUR_API void AUGUR_CALL augur_frame_budget_desc_init_sized(augur_frame_budget_desc* desc, uint32_t struct_size);
static inline augur_frame_budget_desc augur_frame_budget_desc_default(void) {
    augur_frame_budget_desc desc;
    augur_frame_budget_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

/* Begins a frame of the game: what planners are requested to do and models to evaluate from here on, until the next call, shares
 * one budget. A planner gets its share by urgency (its priority * phase_weight * depth_weight of the request) and by what its frames
 * cost; its own budget holds too. Where there is not time for all, some are put off: AUGUR_BUDGET_ZERO, and they come first before
 * long. Evaluations are made whole; their time is set aside. Frames that run already keep their deadlines. Without a call nothing is
 * shared. Cost: under 1 us. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_context_begin_frame(augur_context_id context, const augur_frame_budget_desc* desc);

typedef struct augur_capabilities {
    uint32_t struct_size;      /* set by the caller to sizeof(augur_capabilities) before the call */
    uint32_t backend;          /* augur_backend in use: CPU or CUDA */
    char device_name[128];     /* "NVIDIA H200", or the CPU's name */
    uint32_t cuda_driver;      /* e.g. 13000; 0 where there is none */
    uint32_t cuda_runtime;     /* the runtime linked in; 0 in a build without CUDA */
    uint32_t compute_capability; /* major * 10 + minor; 0 on the CPU */
    uint32_t multiprocessors;  /* 0 on the CPU */
    uint64_t memory_bytes;     /* GPU memory; 0 on the CPU */
    uint32_t worker_count;     /* CPU workers that planners use */
    uint32_t opengl_interop;   /* 1: OpenGL buffers are read and written in place; 0: through a mapped copy */
    uint32_t exact;            /* 1: search with rollouts gives the same bytes on every backend */
    uint32_t gpu_sharing;      /* augur_gpu_sharing in use; 0 on the CPU */
    uint32_t search_multiprocessors; /* that searches have: their part, the largest one, or all; 0 on the CPU */
} augur_capabilities;

/* What this context found and uses. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_context_capabilities(augur_context_id context, augur_capabilities* out_capabilities);

typedef struct augur_self_test_report {
    uint32_t struct_size;    /* set by the caller to sizeof(augur_self_test_report) before the call */
    augur_result cpu;        /* AUGUR_OK: the CPU backend answered a known position correctly */
    augur_result cuda;       /* AUGUR_OK, or why the GPU backend is not usable here */
    uint32_t device_count;   /* CUDA devices seen */
    uint32_t cuda_driver;    /* 0: no driver */
    uint32_t cuda_needed;    /* lowest driver this build needs; 0 in a build without CUDA */
    uint32_t backends_agree; /* 1: both backends gave the same decision hash; 0: differ, or only one ran */
    char text[1024];         /* the same for a person, several lines */
} augur_self_test_report;

/* Looks at the machine and plans a small known position on each usable backend. Needs no context. Cost: up to a second.
 * AUGUR_OK also where only the CPU is usable; the report says more. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_self_test(augur_self_test_report* out_report);

#endif /* AUGUR_CONTEXT_H */
