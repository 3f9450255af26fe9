/* Augur: models. A model is a network read from ONNX: a policy and a value that guide a planner's search, or any network at all,
 * evaluated on the game's own buffers.
 *
 * Heads: an output is the policy, the value or the reward when the desc names it; else when it is called "policy", "value" or
 * "reward", or has that word in its name; else, where no output has, by order: policy, value, reward.
 * A policy has one logit per action. A value is that of the player to act: the return to expect. A reward beside a policy or a value is
 * what the very next ply brings the player to act, in the rules' own numbers: number a if the ply begins with action a; or a single
 * number, if it begins with the action that a search would take. No search reads it, none is changed by it; hosts read it with
 * augur_model_evaluate. (Learned rules read the reward of their dynamics, see rules.h.) The first dimension of every input and output is
 * the batch; a fixed 1 there is taken as one row at a time. */
#ifndef AUGUR_MODEL_H
#define AUGUR_MODEL_H

#include <augur/base.h>
#include <augur/buffer.h>

#define AUGUR_MODEL_INPUT_MAX 4   /* most inputs of a model */
#define AUGUR_MODEL_OUTPUT_MAX 8  /* most outputs */
#define AUGUR_MODEL_RANK_MAX 6    /* most dimensions of an input or output, without the batch */

/* How numbers are kept between the layers of a network. */
typedef enum augur_precision {
    AUGUR_PRECISION_AUTO = 0, /* FP32 on the CPU, FP16 on the GPU */
    AUGUR_PRECISION_FP32 = 1, /* bounded: backends agree within rounding */
    AUGUR_PRECISION_FP16 = 2, /* bounded: halves between layers, sums in floats, the last layers in floats */
    AUGUR_PRECISION_INT8 = 3, /* exact: integer sums, the same bytes on every backend */
} augur_precision;

/* What the numbers of a value head mean; what comes out is kept within [-1, 1]. */
typedef enum augur_value_kind {
    AUGUR_VALUE_BOUNDED = 1,     /* one number, the value itself */
    AUGUR_VALUE_TANH = 2,        /* one number; its hyperbolic tangent is the value */
    AUGUR_VALUE_PROBABILITY = 3, /* one number in [0, 1], the probability of winning */
    AUGUR_VALUE_LOGIT = 4,       /* one number; its logistic function is the probability of winning */
    AUGUR_VALUE_OUTCOMES = 5,    /* three logits: win, draw, loss */
} augur_value_kind;

typedef struct augur_model_desc {
    uint32_t struct_size;      /* set by augur_model_desc_default(); do not edit */
    uint32_t struct_cookie;    /* set by augur_model_desc_default(); do not edit */
    const char* path;          /* an ONNX file, UTF-8; null where data is given */
    const void* data;          /* the bytes of an ONNX file, copied during the call; null where path is given */
    uint64_t size_bytes;       /* of data */
    const char* folder;        /* with data: the folder that weights outside the file are read from, never above it; of a path it
                                  is the file's own folder [default null: none] */
    uint32_t precision;        /* augur_precision [default: AUGUR_PRECISION_AUTO] */
    uint32_t value_kind;       /* augur_value_kind [default: AUGUR_VALUE_BOUNDED] */
    float value_scale;         /* the value is multiplied by this [above 0 .. 1000, default 1] */
    float precision_limit;     /* most error of a lower precision on the samples, as a share of an output's range; beyond it the
                                  next higher precision is used and the logger told; for a reward beside a policy or a value the
                                  logger is told and nothing else [above 0 .. 1, default 0.05] */
    const char* policy_output; /* names of outputs [default null: by the rule above] */
    const char* value_output;
    const char* reward_output;
    const float* samples;      /* [sample_count][numbers of a row of all inputs]: what the network will see, for choosing the
                                  scales of INT8 and for checking precisions, copied [default null: drawn from [-1, 1]] */
    uint32_t sample_count;     /* [0 .. 65536, default 0] */
    uint32_t row_capacity;     /* most rows of augur_model_evaluate; memory for them is taken at creation
                                  [0 .. 1048576, default 0: no direct evaluation] */
} augur_model_desc;

AUGUR_API void AUGUR_CALL augur_model_desc_init_sized(augur_model_desc* desc, uint32_t struct_size);
static inline augur_model_desc augur_model_desc_default(void) {
    augur_model_desc desc;
    augur_model_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

/* Reads a model, checks it and makes it ready to run. Errors: _NOT_FOUND (no such file), _IO (a directory, no permission, empty),
 * _INVALID_MODEL (damaged, or no ONNX; the message says where), _UNSUPPORTED_OPERATOR (names node, operator, domain, opset),
 * _LIMIT, _OUT_OF_MEMORY, _INVALID_ARGUMENT. AUGUR_FELL_BACK_TO_CPU where the context's GPU cannot run it. Cost: the file is read
 * once, into memory; milliseconds per megabyte. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_model_create(augur_context_id context, const augur_model_desc* desc,
                                                     augur_model_id* out_model);

/* The same with nothing but a path. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_model_load(augur_context_id context, const char* path, augur_model_id* out_model);

/* Planners that use the model keep what they need of it. Waits for a running evaluation. The zero id is AUGUR_OK.
 * [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_model_destroy(augur_model_id model);

#define AUGUR_MODEL_NO_OUTPUT 0xffffffffu

typedef struct augur_model_info {
    uint32_t struct_size;     /* set by the caller to sizeof(augur_model_info) before the call */
    uint32_t backend;         /* augur_backend that runs it */
    uint32_t precision;       /* augur_precision in use; never AUTO */
    uint32_t exact;           /* 1: the same bytes on every backend */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t policy_output;   /* index of the output, or AUGUR_MODEL_NO_OUTPUT */
    uint32_t value_output;
    uint32_t reward_output;
    uint32_t opset;           /* of the default domain */
    uint64_t parameter_count; /* numbers in all weights */
    uint64_t weight_bytes;    /* memory of the weights on the backend that runs it, in its order and precision; beside a GPU's the CPU
                                 keeps its own, for when the GPU is lost */
    uint64_t reserved_bytes;  /* memory for row_capacity rows, likewise */
    float policy_error;       /* most error of the precision in use on the samples, as a share of the output's range */
    float value_error;
    float reward_error;
    uint32_t sample_count;    /* rows that the errors were measured on */
    char producer[64];        /* that wrote the file */
    char note[256];           /* what loading had to say: a precision given up, outputs that never change; "" if nothing */
} augur_model_info;

/* [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_model_describe(augur_model_id model, augur_model_info* out_info);

typedef struct augur_tensor_info {
    uint32_t struct_size;   /* set by the caller to sizeof(augur_tensor_info) before the call */
    uint32_t element_count; /* numbers of one row */
    uint32_t rank;          /* dimensions of one row; the batch is not counted */
    uint32_t dims[AUGUR_MODEL_RANK_MAX];
    char name[64];
} augur_tensor_info;

/* Input or output number index; AUGUR_ERROR_LIMIT past the last. [any thread] */
AUGUR_API augur_result AUGUR_CALL augur_model_input(augur_model_id model, uint32_t index, augur_tensor_info* out_info);
AUGUR_API augur_result AUGUR_CALL augur_model_output(augur_model_id model, uint32_t index, augur_tensor_info* out_info);

/* Where rows lie: number n of row r at offset_bytes + r * stride_bytes + n * size of format. */
typedef struct augur_rows {
    augur_buffer_id buffer;
    uint32_t format;       /* augur_format, not U64; outputs: F32 */
    uint32_t reserved;     /* must be 0 */
    uint64_t offset_bytes; /* of the first number; a multiple of the format's size */
    uint64_t stride_bytes; /* from row to row, a multiple of the format's size [default 0: packed] */
    float scale;           /* inputs: the network sees number * scale + shift [default 1] */
    float shift;           /* [default 0] */
} augur_rows;

typedef struct augur_evaluation_desc {
    uint32_t struct_size;   /* set by augur_evaluation_desc_default(); do not edit */
    uint32_t struct_cookie; /* set by augur_evaluation_desc_default(); do not edit */
    uint32_t row_count;     /* [0 .. the model's row_capacity]; 0 is done at once */
    uint32_t reserved;      /* must be 0 */
    augur_rows inputs[AUGUR_MODEL_INPUT_MAX];   /* one for each input; the others stay zero */
    augur_rows outputs[AUGUR_MODEL_OUTPUT_MAX]; /* one for each output wanted; a zero buffer leaves that output out */
} augur_evaluation_desc;

AUGUR_API void AUGUR_CALL augur_evaluation_desc_init_sized(augur_evaluation_desc* desc, uint32_t struct_size);
static inline augur_evaluation_desc augur_evaluation_desc_default(void) {
    augur_evaluation_desc desc;
    augur_evaluation_desc_init_sized(&desc, (uint32_t)sizeof desc);
    return desc;
}

typedef struct augur_evaluation_result {
    uint32_t struct_size;        /* set by the caller to sizeof(augur_evaluation_result) before the call */
    uint32_t row_count;
    uint64_t request_to_done_ns; /* from the call of augur_model_evaluate */
    uint64_t not_finite;         /* numbers in the outputs that are NaN or infinite; written as they are */
    uint64_t request_to_begin_ns; /* of request_to_done_ns, until a worker or the GPU began: others were there first */
} augur_evaluation_result;

/* Starts evaluating rows of registered buffers and returns at once; the host must not write the inputs nor read the outputs until
 * augur_model_wait says so. One batch at a time: _BUSY while one runs. An OpenGL buffer that cannot be read in place is copied: its
 * inputs by this call, its outputs by the one that finds the batch done, both on the thread where the OpenGL context is current.
 * Errors: _INVALID_STATE (row_capacity is 0), _LIMIT, _INVALID_BUFFER, _STALE_ID, _UNSUPPORTED (a buffer the backend that runs the
 * model cannot see), _DEVICE_LOST (with a buffer that only the GPU could see). [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_model_evaluate(augur_model_id model, const augur_evaluation_desc* desc);

/* Waits up to timeout_us (UINT64_MAX: as long as it takes) for the batch. AUGUR_NOT_READY: nothing written, it goes on.
 * AUGUR_FELL_BACK_TO_CPU: done; the GPU was lost meanwhile, and the CPU runs the model from now on. out_result may be null. Calling
 * again gives the same answer. Errors: _INVALID_STATE (nothing was started), _INVALID_BUFFER (an OpenGL buffer that is copied was
 * deleted or made smaller meanwhile: nothing was written there), _DEVICE_LOST (lost, with a buffer that only the GPU could see:
 * nothing to rely on in the outputs). [one per object] */
AUGUR_API augur_result AUGUR_CALL augur_model_wait(augur_model_id model, uint64_t timeout_us, augur_evaluation_result* out_result);

#endif /* AUGUR_MODEL_H */
