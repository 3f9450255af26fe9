/* Augur: results, ids, versions and the habits every other header relies on.
 *
 * What Augur does not do: it does not render, does not own the game's data, does not start a thread or open a file that a call
 * did not ask for, does not need a GPU, and does not promise perfect play. It never throws, exits, aborts or installs handlers.
 *
 * Every function says which threads may call it:
 *   [any thread]      at any time, from any thread;
 *   [one per object]  one thread at a time for one object; a second one gets AUGUR_ERROR_BUSY;
 *   [frame thread]    as [one per object], and where OpenGL buffers are involved the thread with the OpenGL context current.
 * On failure nothing is written through output pointers and no object changes, unless a function says otherwise.
 * After fork() the child gets AUGUR_ERROR_INVALID_STATE for every object of its parent, and may create its own.
 * Sizes below their range are AUGUR_ERROR_INVALID_ARGUMENT, sizes above it AUGUR_ERROR_LIMIT.
 */
#ifndef AUGUR_BASE_H
#define AUGUR_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(AUGUR_STATIC)
#define AUGUR_EXPORT
#elif defined(_WIN32)
#if defined(AUGUR_BUILDING)
#define AUGUR_EXPORT __declspec(dllexport)
#else
#define AUGUR_EXPORT __declspec(dllimport)
#endif
#else
#define AUGUR_EXPORT __attribute__((visibility("default")))
#endif

#if defined(_WIN32)
#define AUGUR_CALL __cdecl
#else
#define AUGUR_CALL
#endif

#ifdef __cplusplus
#define AUGUR_API extern "C" AUGUR_EXPORT
#else
#define AUGUR_API AUGUR_EXPORT
#endif

#define AUGUR_VERSION_MAJOR 0
#define AUGUR_VERSION_MINOR 1
#define AUGUR_VERSION_PATCH 0
/* major << 22 | minor << 12 | patch */
#define AUGUR_MAKE_VERSION(major, minor, patch) \
    (((uint32_t)(major) << 22) | ((uint32_t)(minor) << 12) | (uint32_t)(patch))
#define AUGUR_VERSION AUGUR_MAKE_VERSION(AUGUR_VERSION_MAJOR, AUGUR_VERSION_MINOR, AUGUR_VERSION_PATCH)

/* Every result there is: negative failed, zero done, positive done-but-read-this. The enum, the names and the sentences come from
 * this list alone. */
#define AUGUR_RESULT_LIST(X)                                                                                      \
    X(AUGUR_OK, 0, "done")                                                                                        \
    X(AUGUR_NOT_READY, 1, "the frame is still running")                                                           \
    X(AUGUR_DEADLINE_HIT, 2, "the deadline ended the search; every agent has the best action found by then")      \
    X(AUGUR_OK_WITH_FLAGS, 3, "done; some agents carry flags worth reading")                                      \
    X(AUGUR_FELL_BACK_TO_CPU, 4, "done; the CPU backend answers because the GPU could not")                       \
    X(AUGUR_BUDGET_ZERO, 5, "the budget was zero; every agent got its prior or first legal action")               \
    X(AUGUR_CANCELLED, 6, "the frame was cancelled; every agent has the best action found by then")               \
    X(AUGUR_POOL_EXHAUSTED, 7, "done; at least one tree ran out of nodes and answered with what it had")          \
    X(AUGUR_ERROR_INVALID_ARGUMENT, -1, "an argument is missing or out of range")                                 \
    X(AUGUR_ERROR_INVALID_STATE, -2, "the call came before one that it needs")                                    \
    X(AUGUR_ERROR_STALE_ID, -3, "the id was never given out, was destroyed, or belongs to something else")        \
    X(AUGUR_ERROR_SIZE, -4, "a buffer or array is too small")                                                     \
    X(AUGUR_ERROR_LIMIT, -5, "a documented limit would be passed")                                                \
    X(AUGUR_ERROR_BUSY, -6, "the object is in use by another call or a running frame")                            \
    X(AUGUR_ERROR_NOT_FOUND, -7, "there is nothing by that name")                                                 \
    X(AUGUR_ERROR_IO, -8, "a file could not be read or written")                                                  \
    X(AUGUR_ERROR_INVALID_MODEL, -9, "the model is damaged or not a model")                                       \
    X(AUGUR_ERROR_UNSUPPORTED_OPERATOR, -10, "the model uses an operator that is not supported")                  \
    X(AUGUR_ERROR_RULES_COMPILE, -11, "the rules did not compile")                                                \
    X(AUGUR_ERROR_OUT_OF_MEMORY, -12, "memory could not be had within the limits given")                          \
    X(AUGUR_ERROR_DRIVER_TOO_OLD, -13, "the GPU driver is older than this library needs")                         \
    X(AUGUR_ERROR_NO_DEVICE, -14, "no usable GPU was found")                                                      \
    X(AUGUR_ERROR_DEVICE_LOST, -15, "the GPU reported an error; CUDA is unusable in this process until restart")  \
    X(AUGUR_ERROR_VERSION, -16, "the host was built against another major version, or a newer desc")              \
    X(AUGUR_ERROR_INVALID_BUFFER, -17, "the buffer's memory, size, stride or format does not fit")                \
    X(AUGUR_ERROR_UNSUPPORTED, -18, "this machine or this build cannot do that")                                  \
    X(AUGUR_ERROR_CALLBACK, -19, "a callback of the host failed")                                                 \
    X(AUGUR_ERROR_CAPTURE_CONFLICT, -20, "the stream is being captured by the host")                              \
    X(AUGUR_ERROR_INTERNAL, -21, "Augur failed in a way it did not expect; please report it")

#define AUGUR_RESULT_ENUM_ENTRY(name, value, text) name = (value),
typedef enum augur_result { AUGUR_RESULT_LIST(AUGUR_RESULT_ENUM_ENTRY) AUGUR_RESULT_FORCE_32 = 0x7fffffff } augur_result;
#undef AUGUR_RESULT_ENUM_ENTRY

/* Ids are values: copy and compare them freely. Zero is "none". Each carries a generation, so an id of a destroyed object, of
 * another kind or of another context is a result (AUGUR_ERROR_STALE_ID), never a crash. */
typedef struct augur_context_id { uint64_t value; } augur_context_id;
typedef struct augur_buffer_id { uint64_t value; } augur_buffer_id;
typedef struct augur_rules_id { uint64_t value; } augur_rules_id;
typedef struct augur_model_id { uint64_t value; } augur_model_id;
typedef struct augur_planner_id { uint64_t value; } augur_planner_id;

/* Version of the library that is loaded, packed as AUGUR_VERSION. [any thread] */
AUGUR_API uint32_t AUGUR_CALL augur_version(void);

/* Name ("AUGUR_ERROR_SIZE") and sentence of a result; "AUGUR_UNKNOWN" for a value not on the list. Never null. [any thread] */
AUGUR_API const char* AUGUR_CALL augur_result_name(augur_result result);
AUGUR_API const char* AUGUR_CALL augur_result_text(augur_result result);

/* Text of the last failure on the calling thread, "" when there was none: field, value, allowed range. Valid until the next Augur
 * call on this thread. Never null. [any thread] */
AUGUR_API const char* AUGUR_CALL augur_last_message(void);

#endif /* AUGUR_BASE_H */
