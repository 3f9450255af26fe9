/* Augur: the games that can be searched. */
#ifndef AUGUR_RULES_H
#define AUGUR_RULES_H

#include <augur/base.h>

typedef enum augur_turn {
    AUGUR_TURN_SINGLE = 1,       /* one decision maker; everything else is part of the rules */
    AUGUR_TURN_ALTERNATING = 2,  /* two players, zero sum, one acts at a time */
    AUGUR_TURN_SIMULTANEOUS = 3, /* all players act at once; searched by decoupled selection, without an equilibrium guarantee */
} augur_turn;

typedef struct augur_rules_info {
    uint32_t struct_size;   /* set by the caller to sizeof(augur_rules_info) before the call */
    uint32_t action_count;  /* K */
    uint32_t player_count;  /* P */
    uint32_t turn;          /* augur_turn */
    uint32_t has_chance;    /* 1: the rules roll dice */
    uint32_t state_bytes;   /* of one search state */
    uint32_t field_count;   /* fields a planner binds */
    uint32_t max_depth;     /* plies after which the search always stops */
    char name[64];
    uint32_t feature_count; /* F, numbers of a state that a model sees; 0: the game takes no model */
    uint32_t reserved;      /* 0 */
} augur_rules_info;

/* How a field's numbers are taken in. */
typedef enum augur_field_kind {
    AUGUR_FIELD_INTEGER = 1, /* a whole number */
    AUGUR_FIELD_FIXED = 2,   /* a real number, kept as fixed point with the given scale; F32 must be finite */
    AUGUR_FIELD_BITS64 = 3,  /* 64 bits; format U64 */
    AUGUR_FIELD_ROW = 4,     /* a row of real numbers, taken as floats; every format but U64; F32 must be finite */
} augur_field_kind;

typedef struct augur_field_info {
    uint32_t struct_size;   /* set by the caller to sizeof(augur_field_info) before the call */
    uint32_t kind;          /* augur_field_kind */
    uint32_t component_count; /* numbers per agent [1 .. 4], stored side by side unless bound one by one as "name.x", "name.y" ...
                                 ROW: [1 .. 65536], always side by side */
    int32_t scale;          /* FIXED: units per 1.0; 1 otherwise */
    int32_t minimum;        /* allowed range after scaling; an agent outside it is flagged AUGUR_AGENT_BAD_STATE */
    int32_t maximum;        /* ROW: any finite number is allowed */
    uint32_t optional;      /* 1: may stay unbound and then reads as default_value (BITS64: with its sign, so -1 is all bits) */
    int32_t default_value;
    char name[32];
    char text[160];         /* one sentence */
} augur_field_info;

/* Finds a game that ships with the library: "connect_four", "skirmish". AUGUR_ERROR_NOT_FOUND names those there are.
 * name: UTF-8, at most 63 bytes. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_builtin(augur_context_id context, const char* name, augur_rules_id* out_rules);

/* Rules that three networks stand for, learned from play, where the game's own cannot be ported (MuZero; Schrittwieser et al. 2020,
 * "Mastering Atari, Go, chess and shogi by planning with a learned model"):
 *
 *   representation   observation [O]           -> state [S]
 *   dynamics         state [S], action [K]     -> next state [S], reward
 *   prediction       state [S]                 -> policy [K], value
 *
 * An action is one-hot: K numbers, 1 at the action's own place and 0 elsewhere. The dynamics takes it as its second input, or behind
 * the state in its only one [S + K]. Its reward is the output with that head (see augur/model.h), else its second; with one output
 * there is no reward. The reward is that of the player who acts, the value that of the player to act; both are read as value_kind
 * and value_scale of their model's desc say, and kept within [-1, 1]. Policy and value are the heads of the prediction.
 *
 * Agents bind two fields: "observation", a row of O numbers, and "legal", a mask of 64 bits in which bit a stands for action a
 * [optional, default: all]. Only the root is masked: below it every action counts as legal. The networks never say that a game is
 * over; train them to stay where it ended, with reward and value 0.
 *
 * A state that is not finite ends its branch with reward and value 0, other numbers that are not finite count as 0 (priors: as
 * uniform); the agent is flagged AUGUR_AGENT_MODEL_FALLBACK. At the root such an agent is not searched: AUGUR_AGENT_FALLBACK. */
typedef struct augur_learned_rules_desc {
    uint32_t struct_size;           /* set by augur_learned_rules_desc_default(); do not edit */
    uint32_t struct_cookie;         /* set by augur_learned_rules_desc_default(); do not edit */
    const char* name;               /* for messages, UTF-8, 1 .. 63 bytes, copied [default null: "learned"] */
    augur_model_id representation;  /* required */
    augur_model_id dynamics;        /* required */
    augur_model_id prediction;      /* required */
    uint32_t player_count;          /* 1, or 2 who take turns, zero sum; the agent acts first [1 .. 2, default 1] */
    uint32_t max_depth;             /* most plies that planners look ahead, and what they do by themselves [1 .. 4096, default 64] */
    float discount;                 /* of the reward per ply, what planners take by themselves [0 .. 1, default 1] */
    float observation_scale;        /* the representation sees number * scale + shift [finite, default 1] */
    float observation_shift;        /* [finite, default 0] */
    uint32_t reserved;              /* must be 0 */
} augur_learned_rules_desc;

AUGUR_API void AUGUR_CALL augur_learned_rules_desc_init_sized(augur_learned_rules_desc* desc, uint32_t struct_size);
static inline augur_learned_rules_desc augur_learned_rules_desc_default(void) {
    augur_learned_rules_desc desc;
    augur_learned_rules_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

/* Makes rules of three models, whose shapes say O, S and K [O, S: 1 .. 65536; K: 1 .. 64]. The rules keep what they need of the
 * models, which may be destroyed; planners keep what they need of the rules. Planners on such rules need no model of their own,
 * take every search and selection, and keep S floats a node. They run on the GPU, in waves, where all three models do, else on the
 * CPU (AUGUR_FELL_BACK_TO_CPU where the context has a GPU). A recording of them is replayed by augur_replay_with_rules. PUCT takes
 * means as they are, so where returns are small choose a small exploration; Gumbel rescales them. Errors: _INVALID_MODEL (a head that is missing, shapes that do not fit; the message has both), _INVALID_ARGUMENT, _LIMIT,
 * _STALE_ID. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_learned(augur_context_id context, const augur_learned_rules_desc* desc,
                                                      augur_rules_id* out_rules);

/* Ends an id of augur_rules_learned; its planners go on. Rules that ship with the library stay: AUGUR_OK, nothing happens. The zero
 * id is AUGUR_OK. [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_rules_destroy(augur_rules_id rules);

/* Numbers of a game. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_describe(augur_rules_id rules, augur_rules_info* out_info);

/* Field number index, below field_count; AUGUR_ERROR_LIMIT past it. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_field(augur_rules_id rules, uint32_t index, augur_field_info* out_info);

/* Name of an action ("column 3", "move north"); AUGUR_ERROR_LIMIT past action_count. The text lives as long as the library.
 * [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_action_name(augur_rules_id rules, uint32_t action, const char** out_name);

#endif /* AUGUR_RULES_H */
