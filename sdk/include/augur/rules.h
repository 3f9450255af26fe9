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
} augur_field_kind;

typedef struct augur_field_info {
    uint32_t struct_size;   /* set by the caller to sizeof(augur_field_info) before the call */
    uint32_t kind;          /* augur_field_kind */
    uint32_t component_count; /* numbers per agent [1 .. 4], stored side by side unless bound one by one as "name.x", "name.y" ... */
    int32_t scale;          /* FIXED: units per 1.0; 1 otherwise */
    int32_t minimum;        /* allowed range after scaling; an agent outside it is flagged AUGUR_AGENT_BAD_STATE */
    int32_t maximum;
    uint32_t optional;      /* 1: may stay unbound and then reads as default_value */
    int32_t default_value;
    char name[32];
    char text[160];         /* one sentence */
} augur_field_info;

/* Finds a game that ships with the library: "connect_four", "skirmish". AUGUR_ERROR_NOT_FOUND names those there are.
 * name: UTF-8, at most 63 bytes. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_builtin(augur_context_id context, const char* name, augur_rules_id* out_rules);

/* Numbers of a game. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_describe(augur_rules_id rules, augur_rules_info* out_info);

/* Field number index, below field_count; AUGUR_ERROR_LIMIT past it. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_field(augur_rules_id rules, uint32_t index, augur_field_info* out_info);

/* Name of an action ("column 3", "move north"); AUGUR_ERROR_LIMIT past action_count. The text lives as long as the library.
 * [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_rules_action_name(augur_rules_id rules, uint32_t action, const char** out_name);

#endif /* AUGUR_RULES_H */
