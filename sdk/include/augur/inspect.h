/* Augur: seeing what a planner did: counters, latencies, stages, trees, traces, recordings. Nothing here allocates in the frame. */
#ifndef AUGUR_INSPECT_H
#define AUGUR_INSPECT_H

#include <augur/base.h>
#include <augur/planner.h>

typedef struct augur_counters {
    uint32_t struct_size;         /* set by the caller to sizeof(augur_counters) before the call */
    uint32_t backend;             /* augur_backend that answers now */
    uint64_t frames;              /* done since creation */
    uint64_t agents;              /* planned, all frames */
    uint64_t simulations;         /* done, all frames */
    uint64_t deadline_misses;     /* frames whose actions came after the budget */
    uint64_t fallbacks;           /* agents that were not searched */
    uint64_t bad_states;          /* agents flagged AUGUR_AGENT_BAD_STATE */
    uint64_t early_stops;
    uint64_t dead_ends;           /* agents flagged */
    uint64_t values_clamped;      /* agents flagged */
    uint64_t pools_exhausted;     /* agents flagged */
    uint64_t cancelled;           /* frames */
    uint64_t bytes_copied;        /* all frames */
    uint64_t device_bytes;        /* GPU memory held */
    uint64_t host_bytes;          /* host memory held */
    uint64_t backend_switches;    /* GPU lost, CPU took over */
    uint64_t model_fallbacks;     /* agents flagged AUGUR_AGENT_MODEL_FALLBACK */
    uint32_t execution;           /* augur_execution of the search on the GPU; AUGUR_EXECUTION_AUTO on the CPU */
    uint32_t reserved;
    uint64_t frames_unsearched;   /* frames with a budget in which there was no time to search: AUGUR_BUDGET_ZERO */
    uint64_t frames_reduced;      /* adaptive: with fewer simulations than were asked for */
    uint64_t frames_in_turns;     /* adaptive: of these, with fewer agents searched than wanted it */
    uint64_t simulations_allotted; /* adaptive: given to agents, all frames */
    uint64_t agents_put_off;      /* adaptive: urgent agents that had to wait for their turn, all frames */
    uint64_t bad_urgencies;       /* agents flagged AUGUR_AGENT_BAD_URGENCY */
    uint64_t simulation_cost_ps;  /* what a simulation costs in this planner, as plans use it, in picoseconds; 0: not known yet */
    uint64_t trees_carried;       /* begun with a part of the agent's last tree (augur_carry_over), all frames */
    uint64_t nodes_carried;       /* of those trees */
    uint64_t trees_warmed;        /* begun with a share of the last root's statistics */
    uint64_t trees_reset;         /* begun anew because the world moved otherwise than the last tree foresaw */
    uint64_t frames_dropped;      /* whose actions came too late and were not written (augur_late_actions) */
} augur_counters;

/* Sums since creation. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_counters(augur_planner_id planner, augur_counters* out_counters);

typedef enum augur_latency_kind {
    AUGUR_LATENCY_REQUEST = 1, /* CPU time inside request and collect */
    AUGUR_LATENCY_SEARCH = 2,  /* the search stage */
    AUGUR_LATENCY_FRAME = 3,   /* from request to actions ready */
    AUGUR_LATENCY_WAIT = 4,    /* from request until a worker or the GPU began: others were there first */
    AUGUR_LATENCY_COLLECT = 5, /* the collect or poll that found the frame done: how long the game stood still for it */
} augur_latency_kind;

#define AUGUR_LATENCY_BIN_COUNT 64

typedef struct augur_latency {
    uint32_t struct_size;    /* set by the caller to sizeof(augur_latency) before the call */
    uint32_t sample_count;   /* frames in the window, at most 1024 */
    double mean_us;
    double p50_us;           /* exact over the window */
    double p95_us;
    double p99_us;
    double max_us;
    double bin_us;           /* width of a bin: the smallest of 1, 2, 5, 10, ... us that holds the maximum in 64 bins */
    uint32_t bins[AUGUR_LATENCY_BIN_COUNT]; /* frames per bin */
} augur_latency;

/* Distribution over the last 1,024 frames. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_latency(augur_planner_id planner, augur_latency_kind kind, augur_latency* out_latency);

/* Distribution of a model's direct evaluations (augur_model_evaluate) over the last 256. kind: _REQUEST (CPU time inside
 * augur_model_evaluate), _WAIT (until a worker or the GPU began) or _FRAME (from the call until the outputs were there).
 * Cost: some microseconds, when asked. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_model_latency(augur_model_id model, augur_latency_kind kind, augur_latency* out_latency);

/* Stages of a frame. A simulation selects, expands, evaluates and backs up, some hundred times a frame and all agents at
 * once; how the search divides among these parts is measured on a sample of it (with a GPU of one frame in 32 and of the
 * frame after one that was late, whose division the frames after it are given), and they are drawn one after the other within the search. A search too short
 * for a sample has none of them. Where a small model runs inside the search's own kernel, EXPAND is in SELECT. */
#define AUGUR_STAGE_LIST(X)                                                        \
    X(AUGUR_STAGE_SUBMIT, 0, "submit")      /* the request call */                \
    X(AUGUR_STAGE_WAIT, 1, "wait")          /* until a worker or the GPU began */ \
    X(AUGUR_STAGE_FETCH, 2, "fetch")        /* fields read from the host's arrays */ \
    X(AUGUR_STAGE_GRID, 3, "grid")          /* neighbour grid */                  \
    X(AUGUR_STAGE_GATHER, 4, "gather")      /* root states built */               \
    X(AUGUR_STAGE_SEARCH, 5, "search")      /* its parts: SELECT, EXPAND, EVALUATE, BACK_UP */ \
    X(AUGUR_STAGE_EVALUATE, 6, "evaluate")  /* of the search: leaves played out, or in the model */ \
    X(AUGUR_STAGE_FINALISE, 7, "finalise")  /* actions chosen and written */      \
    X(AUGUR_STAGE_COPY, 8, "copy")          /* mapped copies of OpenGL buffers */ \
    X(AUGUR_STAGE_COLLECT, 9, "collect")    /* the collect or poll that found the frame done, on the host; past done_ns where it came late */ \
    X(AUGUR_STAGE_CARRY, 10, "carry")       /* between gather and search: trees carried over from the last frame */ \
    X(AUGUR_STAGE_SELECT, 11, "select")     /* of the search: down the trees */   \
    X(AUGUR_STAGE_EXPAND, 12, "expand")     /* of the search: new nodes */        \
    X(AUGUR_STAGE_BACK_UP, 13, "back up")   /* of the search: returns and proofs carried up */

#define AUGUR_STAGE_ENUM_ENTRY(name, value, text) name = (value),
typedef enum augur_stage { AUGUR_STAGE_LIST(AUGUR_STAGE_ENUM_ENTRY) AUGUR_STAGE_COUNT = 14 } augur_stage;
#undef AUGUR_STAGE_ENUM_ENTRY
#define AUGUR_STAGE_CAPACITY 16 /* room for stages to come */

typedef struct augur_stage_span {
    uint64_t begin_ns; /* since the request call */
    uint64_t end_ns;   /* equal to begin_ns where the stage did not run */
} augur_stage_span;

typedef struct augur_timeline_frame {
    uint64_t frame;
    uint64_t request_time_ns; /* steady clock of this process */
    uint64_t budget_ns;       /* 0: none */
    uint64_t done_ns;         /* since the request call */
    uint64_t simulations;
    uint32_t agent_count;
    uint32_t deadline_missed;
    augur_stage_span stages[AUGUR_STAGE_CAPACITY]; /* by augur_stage; past AUGUR_STAGE_COUNT all zero */
    uint64_t search_until_ns; /* since the request: the search was told to end by then, so that actions are there when budget_ns is
                                 over; 0: no budget */
    uint32_t backend;         /* augur_backend that answered */
    uint32_t multiprocessors; /* that the search could use: the GPU's, or its part of them (augur_gpu_sharing); 0 on the CPU */
    uint32_t parts_measured;  /* 1: SELECT, EXPAND, EVALUATE and BACK_UP were measured in this frame, 0: divided as in the last that was */
    uint32_t actions_dropped; /* 1: the actions came too late and were not written (augur_late_actions) */
} augur_timeline_frame;

#define AUGUR_TIMELINE_CAPACITY 256

/* Name of a stage ("search"); "" for a value not on the list. [any thread] */
AUGUR_API const char* AUGUR_CALL augur_stage_name(uint32_t stage);

/* The last frames, oldest first. On entry *count is the room in out_frames; on return how many were written (at most 256).
 * out_frames may be null when *count is 0. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_timeline(augur_planner_id planner, augur_timeline_frame* out_frames, uint32_t* count);

typedef struct augur_tree_node {
    uint32_t parent;   /* index in the array; 0xffffffff for the root */
    int32_t action;    /* that led here; AUGUR_ACTION_NONE for the root */
    uint32_t visits;   /* of the edge that led here (root: all) */
    float value;       /* mean return of that edge for the player who acted there, in [-1, 1] */
    int32_t reward;    /* on that edge, Q16 */
    uint32_t depth;    /* plies below the root */
    uint32_t player;   /* to act here */
    uint32_t flags;    /* augur_tree_flag */
    float prior;       /* share that the model's policy gave the edge that led here; 0 at the root and without a model */
    float model_value; /* what the model said of this node, for the player to act, in [-1, 1]; 0 without one */
} augur_tree_node;

typedef enum augur_tree_flag {
    AUGUR_TREE_TERMINAL = 1 << 0,
    AUGUR_TREE_PROVEN_WIN = 1 << 1,  /* for the player to act */
    AUGUR_TREE_PROVEN_LOSS = 1 << 2,
    AUGUR_TREE_PROVEN_DRAW = 1 << 3,
} augur_tree_flag;

/* Distribution of how long one stage (augur_stage) took in the frames of the timeline, those without it left out.
 * Cost: some microseconds, when asked. Errors: _INVALID_ARGUMENT (not on the list). [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_stage_latency(augur_planner_id planner, uint32_t stage, augur_latency* out_latency);

/* One agent's tree of the last collected frame, parents before children. On entry *count is the room in out_nodes; on return the
 * nodes written, or, with AUGUR_ERROR_SIZE, the nodes needed. out_nodes may be null when *count is 0. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_tree(augur_planner_id planner, uint32_t agent, augur_tree_node* out_nodes,
                                                     uint32_t* count);

/* Visits and mean values of the root's actions: out_visits and out_values are [K], either may be null. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_root(augur_planner_id planner, uint32_t agent, uint32_t* out_visits, float* out_values);

/* What the model said of an agent's root in the last frame: its policy over the legal actions, out_priors [action_count], summing to
 * about 1, and its value for the agent. Either may be null. Errors: _INVALID_STATE (no model guides the planner, or no frame yet),
 * _LIMIT past the frame's agent_count. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_advice(augur_planner_id planner, uint32_t agent, float* out_priors, float* out_value);

/* Writes the timeline as a Chrome/Perfetto trace (JSON). path: UTF-8. An existing file is replaced only when the new one is
 * complete. AUGUR_ERROR_IO says what failed. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_write_trace(augur_planner_id planner, const char* path);

/* The same for everything in a context: each planner and each model that was evaluated directly is a process of the trace, with a track
 * of the host's calls and one of the stages of the GPU or of the CPU's workers, all on one clock. Waits for calls that other threads
 * have inside a planner or model. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_context_write_trace(augur_context_id context, const char* path);

typedef struct augur_memory_usage {
    uint32_t struct_size;         /* set by the caller to sizeof(augur_memory_usage) before the call */
    uint32_t planner_count;
    uint64_t device_bytes;        /* GPU memory that planners and models of this context hold */
    uint64_t device_cap_bytes;    /* gpu_memory_cap_bytes of the context; 0: none */
    uint64_t device_free_bytes;   /* of the whole GPU, as the driver tells; 0 without a GPU */
    uint64_t device_total_bytes;
    uint64_t host_bytes;          /* host memory taken through the allocator */
    uint32_t model_count;
    uint32_t reserved;
} augur_memory_usage;

/* What a context holds now. Cost: a call of the driver where there is a GPU. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_context_memory(augur_context_id context, augur_memory_usage* out_usage);

/* Starts to record every frame of a planner (settings, the agents' numbers, the decision hash) into a file; stop closes it. Each
 * frame costs one write of the bound numbers inside collect. Bindings stay as they are until stop. The file takes its name when it
 * is complete; destroying the planner completes it too. A write that fails is logged, ends the recording and is what stop returns.
 * With carry_over all trees are forgotten first, and after a frame that its deadline ended no frame can be repeated until all trees
 * are reset. Errors: _IO, _INVALID_STATE (unbound, recording already, or stop without start), _UNSUPPORTED (numbers in GPU memory),
 * _BUSY (carry_over, and a frame runs).
 * [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_record_start(augur_planner_id planner, const char* path);
AUGUR_API augur_result AUGUR_CALL augur_planner_record_stop(augur_planner_id planner);

typedef struct augur_replay_report {
    uint32_t struct_size;     /* set by the caller to sizeof(augur_replay_report) before the call */
    uint32_t frames;          /* read from the file */
    uint32_t frames_equal;    /* whose decision hash came out the same */
    uint32_t frames_skipped;  /* ended by their deadline or cancelled, so not repeatable */
    uint32_t first_different; /* index of the first frame that differs; 0xffffffff when none does */
    uint32_t backend;         /* that replayed */
} augur_replay_report;

/* Plans a recorded session again in this context and compares the hashes. AUGUR_OK also where they differ: the report says so. A
 * damaged or unfinished file is AUGUR_ERROR_IO with the offset; nothing is written then. Errors: as augur_planner_create too.
 * [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_replay(augur_context_id context, const char* path, augur_replay_report* out_report);

/* The same for a session that a model guided: the model must give the same answers as the recorded one (the same file, precision,
 * samples and value settings), else AUGUR_ERROR_INVALID_MODEL; a recording does not hold the model itself. FP32 and FP16 come to the
 * same hashes only where the machine rounds alike. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_replay_with_model(augur_context_id context, const char* path, augur_model_id model,
                                                          augur_replay_report* out_report);

/* The same for a session on learned rules (augur_rules_learned), made again of models that give the same answers, else
 * AUGUR_ERROR_INVALID_MODEL. AUGUR_ERROR_NOT_FOUND where the session had compiled rules. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_replay_with_rules(augur_context_id context, const char* path, augur_rules_id rules,
                                                          augur_replay_report* out_report);

#endif /* AUGUR_INSPECT_H */
