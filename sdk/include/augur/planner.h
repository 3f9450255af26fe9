/* Augur: planners. A planner searches one kind of game for a fixed number of agents: bind arrays once, then each frame
 * request -> (game goes on) -> collect, and the actions are in the game's own array. */
#ifndef AUGUR_PLANNER_H
#define AUGUR_PLANNER_H

#include <augur/base.h>
#include <augur/buffer.h>
#include <augur/model.h>
#include <augur/rules.h>

#define AUGUR_ACTION_NONE (-1) /* written where an agent has no legal action; 255 in a U8 action buffer, 65535 in U16 */

typedef enum augur_search {
    AUGUR_SEARCH_FOREST = 1, /* many agents, a small tree each */
    AUGUR_SEARCH_TREE = 2,   /* one large tree per agent, searched by many simulations at once (virtual loss, transpositions) */
} augur_search;

typedef enum augur_selection {
    AUGUR_SELECTION_PUCT = 1, /* mean + exploration * prior * sqrt(N) / (1 + n); priors are uniform without a model */
    AUGUR_SELECTION_UCT = 2,  /* mean + exploration * sqrt(ln N / n); every action once first */
    AUGUR_SELECTION_GUMBEL = 3, /* Gumbel and sequential halving at the root, completed values below: better with few simulations;
                                   needs a model or learned rules, FOREST only */
} augur_selection;

/* How the CUDA backend runs the same search; results are the same. */
typedef enum augur_execution {
    AUGUR_EXECUTION_AUTO = 0,
    AUGUR_EXECUTION_RESIDENT = 1, /* one kernel holds its trees and loops */
    AUGUR_EXECUTION_WAVES = 2,    /* select, evaluate and back up as graph nodes in a conditional loop */
} augur_execution;

/* What becomes of an agent's tree in the next frame. The new state is looked for among the nodes of the last tree, at most four
 * plies down, byte for byte: the root where the world did not move (an agent thinks on over several frames), a child where its
 * action was played, a grandchild where it was answered. What lies below goes on: statistics, proofs, priors and values stay as
 * they are. So a host that reorders its agents loses trees and never gets another agent's. FOREST with PUCT or UCT, with or
 * without a model; games with chance and with players who act at once too. _UNSUPPORTED elsewhere: TREE, GUMBEL (which plans
 * its visits from the first to the last) and learned rules (whose states are known to their networks alone). */
typedef enum augur_carry_over {
    AUGUR_CARRY_OVER_NONE = 0,       /* every frame begins anew */
    AUGUR_CARRY_OVER_SUBTREE = 1,    /* the subtree; anew where the world moved otherwise */
    AUGUR_CARRY_OVER_WARM_START = 2, /* the subtree; where the world moved otherwise, the new root begins with the visits and
                                        means of the old root's actions, scaled down to a quarter of the frame's simulations at
                                        most. With a model beside its priors, without one in their place. For worlds that
                                        change a little from frame to frame; agent i must stay agent i, or be reset
                                        (augur_planner_reset_trees). Not for games that are won or lost by proof (Connect Four):
                                        _UNSUPPORTED */
} augur_carry_over;

/* What becomes of actions that are chosen when the frame's budget is over, as when a GPU was busy with the game's drawing. Either way
 * the frame counts as missed, and augur_planner_results tells what was chosen. */
typedef enum augur_late_actions {
    AUGUR_LATE_ACTIONS_WRITE = 0, /* they are written, and used by whoever reads them next */
    AUGUR_LATE_ACTIONS_DROP = 1,  /* none is written: the action buffer keeps the last frame's. For games in which an old order is better
                                     than one that comes in the middle of the next frame */
} augur_late_actions;

typedef struct augur_planner_desc {
    uint32_t struct_size;    /* set by augur_planner_desc_default(); do not edit */
    uint32_t struct_cookie;  /* set by augur_planner_desc_default(); do not edit */
    augur_rules_id rules;    /* required */
    uint32_t agent_capacity; /* most agents in a frame, A [1 .. 1048576, default 256] */
    uint32_t search;         /* augur_search [default: AUGUR_SEARCH_FOREST] */
    uint32_t selection;      /* augur_selection [default: AUGUR_SELECTION_PUCT] */
    uint32_t execution;      /* augur_execution [default: AUGUR_EXECUTION_AUTO] */
    uint32_t simulations;    /* most simulations per agent and frame, S [1 .. 65535 forest, 1 .. 4194303 tree, default 64] */
    uint32_t budget_us;      /* microseconds from request to actions [0: no limit, the simulations decide; default 0] */
    uint32_t horizon;        /* plies looked ahead, tree and rollout together [1 .. rules' max_depth; default 0: the rules' own] */
    float exploration;       /* selection constant [0 .. 100, default 0: the rules' own for this selection, with or
                                without a model] */
    float discount;          /* of the reward per ply [0 .. 1, default -1: the rules' own] */
    uint32_t node_capacity;  /* nodes per tree [default 0: simulations + 1, which never runs out; with carry_over and without
                                count_carried 2 * simulations + 1]. carry_over: room for a frame's simulations is kept free,
                                the least visited nodes go first */
    uint32_t leaves_per_wave; /* TREE: simulations chosen before any is backed up [1 .. 256, default 0: an eighth of
                                 the simulations] */
    uint32_t early_stop;     /* 1: an agent stops when its action can no longer change [default 1] */
    uint32_t transpositions; /* TREE: 1: positions reached in several ways share a node [default 1] */
    uint32_t reserved;       /* must be 0 */
    uint64_t seed;           /* of all randomness; same seed, same answers [default 1] */
    augur_model_id model;    /* guides the search: its policy gives the priors, its value ends the simulations (without a value head
                                they are played out) [default: none, uniform priors and rollouts]. Games with one player to act
                                at a time only; learned rules take none */
    uint32_t considered_actions; /* GUMBEL: actions tried at the root, the best by prior and noise [1 .. 4096, default 0: 16] */
    float gumbel_scale;      /* GUMBEL: of the noise [0 .. 10, default 1; 0: none, the strongest play] */
    uint32_t adaptive;       /* 1: a frame's simulations are divided among its agents. By urgency (augur_planner_bind_urgency):
                                augur_frame_desc.simulations is then the mean, and simulations here the most of one agent. And by
                                time: with a budget in microseconds as many are planned as it will pay for, at what they cost in
                                the last frames; see docs/concepts/budgets.md. 0: every agent has the same, and the deadline alone
                                ends a frame [default 0] */
    uint32_t least_simulations; /* adaptive: the fewest that are worth a search. Where there are not so many for each agent, agents
                                take turns [1 .. simulations, default 0: the number of actions, rounded up to eights] */
    float priority;          /* of this planner against others that share a frame's budget; multiplies the weights of its requests
                                [0.001 .. 1000, default 1] */
    uint32_t late_actions;   /* augur_late_actions [default: AUGUR_LATE_ACTIONS_WRITE] */
    uint32_t carry_over;     /* augur_carry_over [default: AUGUR_CARRY_OVER_NONE] */
    uint32_t count_carried;  /* carry_over: 1: visits that a tree brings along count as simulations of the frame, which does
                                only what is missing; 0: the frame's simulations come on top [default 0] */
} augur_planner_desc;

AUGUR_API void AUGUR_CALL augur_planner_desc_init_sized(augur_planner_desc* desc, uint32_t struct_size);
static inline augur_planner_desc augur_planner_desc_default(void) {
    augur_planner_desc desc;
    augur_planner_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

typedef struct augur_planner_memory_info {
    uint32_t struct_size;   /* set by the caller to sizeof(augur_planner_memory_info) before the call */
    uint32_t bytes_per_node;
    uint64_t device_bytes;  /* GPU memory a planner of this desc takes (0 on the CPU backend) */
    uint64_t host_bytes;    /* host memory it takes */
} augur_planner_memory_info;

/* What augur_planner_create would take, without taking it. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_memory(augur_context_id context, const augur_planner_desc* desc,
                                                       augur_planner_memory_info* out_info);

/* Creates a planner and takes all memory it will ever use. Errors: _INVALID_ARGUMENT (field, value, range), _LIMIT,
 * _OUT_OF_MEMORY, _STALE_ID, _UNSUPPORTED. AUGUR_FELL_BACK_TO_CPU where the context's GPU is lost. On the CUDA backend this
 * includes the CPU search that takes over when the GPU is lost. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_create(augur_context_id context, const augur_planner_desc* desc,
                                                       augur_planner_id* out_planner);

/* Ends a running frame, waits for it, then destroys. The zero id is AUGUR_OK. From inside a callback: _BUSY. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_planner_destroy(augur_planner_id planner);

/* Replaces the model from the next request on; a frame that runs ends with the old one. The new model must have the same inputs
 * and heads. On failure the old one stays. Errors: _INVALID_STATE (the planner was made without a model), _INVALID_MODEL (shapes;
 * the message has both), _STALE_ID, _OUT_OF_MEMORY. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_set_model(augur_planner_id planner, augur_model_id model);

/* Says where a field of the rules lives ("health", "position", or one component: "position.x"). The buffer must hold
 * agent_capacity numbers from the offset on. BITS64 fields take format U64 and no other; INTEGER and FIXED fields every other
 * format, where whole numbers of a FIXED field are scaled already. Errors: _NOT_FOUND (message lists the fields), _INVALID_BUFFER
 * (format, access, extent, alignment, or bytes shared with the actions), _BUSY while a frame runs, _INVALID_STATE while recording.
 * [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_bind(augur_planner_id planner, const char* field, const augur_binding* binding);

/* Says where the chosen actions go: one number per agent, format I32, I16, I8, U16 or U8. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_bind_actions(augur_planner_id planner, const augur_binding* binding);

/* Says where the urgency of the agents lies: one number per agent, every format but U64; only ratios matter. Simulations are
 * divided in proportion to it, resolved to 1/16, between least_simulations and simulations of the planner; what the most urgent
 * cannot take goes to the others. 0: not searched, AUGUR_AGENT_FALLBACK. Numbers above 65535 count as that, those below 1/4096 of
 * the highest as 1/4096 of it. Negative, NaN or infinite: as 0, with AUGUR_AGENT_BAD_URGENCY. Unbound: all are equal. Errors:
 * _INVALID_STATE (adaptive is 0), else as augur_planner_bind. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_bind_urgency(augur_planner_id planner, const augur_binding* binding);

typedef struct augur_frame_desc {
    uint32_t struct_size;   /* set by augur_frame_desc_default(); do not edit */
    uint32_t struct_cookie; /* set by augur_frame_desc_default(); do not edit */
    uint32_t agent_count;   /* agents 0 .. agent_count-1 of the bound arrays [0 .. agent_capacity]; 0 is done at once */
    uint32_t simulations;   /* [0 .. the planner's; default 0xffffffff: the planner's own]. 0: AUGUR_BUDGET_ZERO. adaptive: of the
                               agents that want to search, on average */
    int64_t budget_us;      /* [any; default INT64_MIN: the planner's own]. 0 and less, as when the game is late already:
                               AUGUR_BUDGET_ZERO. INT64_MAX: no limit */
    uint64_t frame;         /* part of the random key [default 0xffffffffffffffff: count up by one each request] */
    float phase_weight;     /* how much this moment of the game needs the planner, against others that share a frame's budget
                               (augur_context_begin_frame) [0.001 .. 1000, default 1] */
    float depth_weight;     /* how much it needs to look far ahead; its urgency is phase_weight * depth_weight
                               [0.001 .. 1000, default 1] */
} augur_frame_desc;

AUGUR_API void AUGUR_CALL augur_frame_desc_init_sized(augur_frame_desc* desc, uint32_t struct_size);
static inline augur_frame_desc augur_frame_desc_default(void) {
    augur_frame_desc desc;
    augur_frame_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

typedef enum augur_agent_flag {
    AUGUR_AGENT_DEADLINE = 1 << 0,        /* fewer simulations than asked because time ran out */
    AUGUR_AGENT_EARLY_STOP = 1 << 1,      /* fewer simulations than asked because the action could no longer change */
    AUGUR_AGENT_PROVEN = 1 << 2,          /* the outcome with best play is certain */
    AUGUR_AGENT_ONLY_ACTION = 1 << 3,     /* one legal action, taken without search */
    AUGUR_AGENT_NO_ACTION = 1 << 4,       /* no legal action or the game is over: AUGUR_ACTION_NONE */
    AUGUR_AGENT_BAD_STATE = 1 << 5,       /* its numbers were not finite or out of range: AUGUR_ACTION_NONE */
    AUGUR_AGENT_FALLBACK = 1 << 6,        /* not searched; first legal action, or the prior's best */
    AUGUR_AGENT_POOL_EXHAUSTED = 1 << 7,  /* its tree was full before its simulations were done */
    AUGUR_AGENT_DEAD_END = 1 << 8,        /* the search met a state with no legal action that is not an end; value 0 used */
    AUGUR_AGENT_VALUE_CLAMPED = 1 << 9,   /* a return outside [-1, 1] was clamped */
    AUGUR_AGENT_ABSENT = 1 << 10,         /* the rules say that nobody is there (dead unit): AUGUR_ACTION_NONE */
    AUGUR_AGENT_MODEL_FALLBACK = 1 << 11, /* the network gave NaN or infinity: value 0 or uniform priors were used there */
    AUGUR_AGENT_BAD_URGENCY = 1 << 12,    /* its urgency was negative or not finite: 0 was used */
} augur_agent_flag;

typedef struct augur_agent_result {
    int32_t action;   /* what was written to the action buffer, before narrowing */
    float value;      /* expected return of that action for the agent, in [-1, 1]; 0 where not searched */
    uint32_t visits;  /* simulations that went through the root, those carried over included */
    uint32_t flags;   /* augur_agent_flag */
} augur_agent_result;

typedef struct augur_frame_result {
    uint32_t struct_size;       /* set by the caller to sizeof(augur_frame_result) before the call */
    uint32_t agent_count;
    uint64_t frame;             /* frame number used in the random key */
    uint64_t decision_hash;     /* of (agent, action, visits, value) over all agents; equal on every backend for equal input */
    uint64_t simulations;       /* done, all agents together */
    uint64_t request_to_done_ns; /* from the request call until the actions were ready */
    uint64_t search_ns;         /* of that, the search itself */
    uint32_t agents_flagged;    /* agents with any flag other than EARLY_STOP, PROVEN and ONLY_ACTION */
    uint32_t deadline_missed;   /* 1: actions were ready after the budget */
    uint32_t agents_fallback;   /* agents that were not searched */
    uint32_t backend;           /* augur_backend that answered */
    uint64_t bytes_copied;      /* between host and device, or out of and into OpenGL buffers, for this frame; 0 when in place */
    uint32_t actions_dropped;   /* 1: the actions came too late and were not written (augur_late_actions) */
    uint32_t reserved;
} augur_frame_result;

/* Starts a frame and returns at once; a last frame that is done need not have been collected. Cost: 20 us or less.
 * Errors: _INVALID_STATE (a field or the actions are not bound; the message names it), _BUSY (the last frame still runs), _LIMIT,
 * _INVALID_ARGUMENT, _STALE_ID, _INVALID_BUFFER (an OpenGL buffer is gone, smaller or mapped), _CAPTURE_CONFLICT (the host captures
 * the stream that it lent the context; the same from whatever else would use that stream). [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_request(augur_planner_id planner, const augur_frame_desc* desc);

/* AUGUR_NOT_READY while the frame runs; otherwise what collect would return. Never waits. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_poll(augur_planner_id planner);

/* Waits up to timeout_us (UINT64_MAX: as long as it takes) for the frame to be done and its actions to be in the action buffer.
 * Calling again gives the same answer. out_result may be null.
 * Returns AUGUR_OK, or positive: AUGUR_NOT_READY (nothing written, the frame goes on), else the first of these that holds:
 * _CANCELLED, _BUDGET_ZERO, _FELL_BACK_TO_CPU (in the frame in which the GPU was lost; later ones tell by backend),
 * _DEADLINE_HIT (or the actions were dropped), _POOL_EXHAUSTED, _OK_WITH_FLAGS. Errors: _INVALID_STATE (nothing requested), _STALE_ID, _INVALID_BUFFER (an
 * OpenGL buffer is gone), _DEVICE_LOST (and a bound buffer is not in host memory, so the CPU cannot take over).
 * [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_collect(augur_planner_id planner, uint64_t timeout_us, augur_frame_result* out_result);

/* Asks a running frame to end at its next boundary; collect then gives the best actions found. AUGUR_OK also when none runs.
 * [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_cancel(augur_planner_id planner);

/* Results of agents first .. first+count-1 of the last collected frame. out_results: [count], host memory.
 * _LIMIT past the frame's agent_count; _CAPTURE_CONFLICT as augur_planner_request. Cost on the GPU: one copy of 16 bytes per agent.
 * [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_results(augur_planner_id planner, uint32_t first, uint32_t count,
                                                        augur_agent_result* out_results);

/* Forgets the trees of agents first .. first+count-1 (0 .. agent_capacity together), so that their next frame begins anew: for a
 * new game, or an agent that is another one now. Their trees cannot be looked at any more. AUGUR_OK also where no trees are carried
 * over. augur_planner_set_model, augur_planner_record_start and the loss of the GPU forget all trees by themselves. Errors: _LIMIT,
 * _CAPTURE_CONFLICT, _BUSY while a frame runs. [frame thread] */
AUGUR_API augur_result AUGUR_CALL augur_planner_reset_trees(augur_planner_id planner, uint32_t first, uint32_t count);

#endif /* AUGUR_PLANNER_H */
