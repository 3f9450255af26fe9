/* Augur: profiles: what a designer tunes about a planner and its frames, kept in a file, so that budgets change without touching
 * code. The demo's overlay writes such files; a host reads one at start, or again whenever it changes.
 *
 *   augur_profile profile = augur_profile_default();
 *   augur_profile_load(context, "assets/profiles/skirmish.json", &profile);  // on failure: the defaults, and the logger says why
 *   augur_profile_apply(&profile, &planner_desc);                            // before augur_planner_create
 *   augur_profile_apply_frame(&profile, &frame_desc);                        // each frame
 *
 * The file is one flat JSON object of UTF-8 text: "augur_profile": 1, then any of the fields below by their names. Choices are words
 * ("gumbel"), switches true or false. A field that is not there has its default; one that this library does not know is left out,
 * with a warning to the context's logger. */
#ifndef AUGUR_PROFILE_H
#define AUGUR_PROFILE_H

#include <augur/base.h>
#include <augur/context.h>
#include <augur/model.h>
#include <augur/planner.h>

#define AUGUR_PROFILE_FORMAT 1          /* of the file; another number is AUGUR_ERROR_VERSION */
#define AUGUR_PROFILE_FILE_MAX_BYTES 65536 /* a larger file is AUGUR_ERROR_LIMIT and is not read */

typedef struct augur_profile {
    uint32_t struct_size;        /* set by augur_profile_default(); do not edit */
    uint32_t struct_cookie;      /* set by augur_profile_default(); do not edit */
    uint32_t budget_us;          /* microseconds from request to actions [0 .. 60000000, 0: no limit, default 0] */
    uint32_t simulations;        /* per agent and frame, at most [1 .. 4194303, default 64]; a forest takes 65535 */
    uint32_t selection;          /* augur_selection [default: AUGUR_SELECTION_PUCT], "puct", "uct", "gumbel" */
    uint32_t execution;          /* augur_execution [default: AUGUR_EXECUTION_AUTO], "auto", "resident", "waves" */
    uint32_t leaves_per_wave;    /* TREE [0 .. 256, default 0: an eighth of the simulations] */
    uint32_t horizon;            /* plies looked ahead [0 .. 65535, default 0: the rules' own]; more than the rules' max_depth is refused
                                    when the planner is made */
    float exploration;           /* selection constant [0 .. 100, default 0: the rules' own] */
    uint32_t early_stop;         /* 1: an agent stops when its action can no longer change [default 1], true or false */
    uint32_t considered_actions; /* GUMBEL: actions tried at the root [0 .. 4096, default 0: 16] */
    float gumbel_scale;          /* GUMBEL: of the noise [0 .. 10, default 1] */
    uint32_t model;              /* 1: the planner keeps the model of its desc; 0: it plans by rollouts [default 1], true or false */
    uint32_t precision;          /* augur_precision of the model [default: AUGUR_PRECISION_AUTO], "auto", "fp32", "fp16", "int8" */
    float phase_weight;          /* of a frame, against what else shares the frame's budget [0.001 .. 1000, default 1] */
    float depth_weight;          /* likewise; urgency is phase_weight * depth_weight [0.001 .. 1000, default 1] */
    float priority;              /* of the planner, likewise; multiplies the weights [0.001 .. 1000, default 1] */
    uint32_t adaptive;           /* 1: simulations is the mean, and agents get more or fewer by their urgency and by what the budget
                                    pays for [default 0], true or false */
    uint32_t most_simulations;   /* adaptive: of one agent, at most; the planner is made for so many [0 .. 65535, default 0: four times
                                    simulations]; never fewer than simulations */
    uint32_t gpu_sharing;        /* augur_gpu_sharing of the context [default: AUGUR_GPU_SHARING_PRIORITY], "auto", "plain",
                                    "priority", "partition", "adaptive", "turns" */
    uint32_t least_simulations;  /* adaptive: the fewest that are worth a search [0 .. 65535, default 0: see augur_planner_desc] */
    uint32_t carry_over;         /* augur_carry_over [default: AUGUR_CARRY_OVER_NONE], "none", "subtree", "warm_start" */
    uint32_t count_carried;      /* carry_over: 1: visits brought along count as simulations [default 0], true or false */
    float urgency_peak;          /* of the curve by which the game weighs its agents for augur_planner_bind_urgency; for the game to
                                    read, no desc takes it. An agent as near as can be to what matters to it has this urgency, one
                                    far from it 1, and between them, with a nearness from 0 to 1, it has
                                    1 + (urgency_peak - 1) * nearness ^ urgency_fall [1 .. 1000, default 6] */
    float urgency_fall;          /* likewise: the exponent [0.01 .. 100, default 1.5] */
    uint32_t partition_multiprocessors; /* PARTITION: of the searches, of the context [0 .. 65535, default 0: an eighth] */
    uint32_t frame_budget_us;    /* microseconds that all of a context shares, each frame [0 .. 60000000, default 0: no limit, nothing
                                    is shared]; for augur_context_begin_frame */
    uint32_t late_actions;       /* augur_late_actions [default: AUGUR_LATE_ACTIONS_WRITE], "write", "drop" */
} augur_profile;

AUGUR_API void AUGUR_CALL augur_profile_init_sized(augur_profile* profile, uint32_t struct_size);
static inline augur_profile augur_profile_default(void) {
    augur_profile profile;
    augur_profile_init_sized(&profile, (uint32_t)sizeof profile);
    return profile;
}

/* Reads a profile. out_profile comes from augur_profile_default(). path: UTF-8. context: whose logger gets what there is to say; may be
 * the zero id. On every failure of the file the profile holds the defaults, so that a game may go on with it.
 * Errors: _NOT_FOUND (no such file), _IO (a folder, a device, no permission, or not a profile; the message has the offset), _LIMIT (the
 * file is too large), _VERSION (of the format), _INVALID_ARGUMENT (a field of another type, out of its range or twice: the message names
 * field, value and range), _STALE_ID. Cost: the file is read once, into memory. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_profile_load(augur_context_id context, const char* path, augur_profile* out_profile);

/* Writes every field of a profile. path: UTF-8; its folder must be there. An existing file is replaced only when the new one is complete.
 * Errors: _INVALID_ARGUMENT (a field out of its range, by name), _IO (says what failed; the old file stays). [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_profile_save(const char* path, const augur_profile* profile);

/* Sets the fields of a desc that the profile knows; the others stay as they are. augur_profile_apply: budget, simulations and all that
 * shapes the search; where model is 0 the desc's model is taken away. augur_profile_apply_frame: budget, the weights, and simulations, which
 * may be fewer than the planner's, never more. augur_profile_apply_model: the precision.
 * augur_profile_apply_context: how search and evaluations share the GPU; such a profile is loaded before there is a context.
 * augur_profile_apply_frame_budget: what the whole context shares in a frame.
 * Errors: _INVALID_ARGUMENT (a desc not from its default maker; a field of the profile out of its range, by name). Nothing is written
 * then. Cost: less than a microsecond, nothing is allocated. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_profile_apply(const augur_profile* profile, augur_planner_desc* desc);
AUGUR_API augur_result AUGUR_CALL augur_profile_apply_frame(const augur_profile* profile, augur_frame_desc* desc);
AUGUR_API augur_result AUGUR_CALL augur_profile_apply_model(const augur_profile* profile, augur_model_desc* desc);
AUGUR_API augur_result AUGUR_CALL augur_profile_apply_context(const augur_profile* profile, augur_context_desc* desc);
AUGUR_API augur_result AUGUR_CALL augur_profile_apply_frame_budget(const augur_profile* profile, augur_frame_budget_desc* desc);

#endif /* AUGUR_PROFILE_H */
