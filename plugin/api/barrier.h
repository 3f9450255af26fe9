// What every exported call goes through: no exception leaves, no callback comes back in, every failure has a message.
#ifndef AUGUR_API_BARRIER_H
#define AUGUR_API_BARRIER_H

#include <cstdint>
#include <cstdio>
#include <new>

#include "runtime/callback.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/message.h"
#include "runtime/system.h"

namespace augur::api {

// Whether a call waits for calls of other threads to end: those that destroy or unregister.
enum class Waits { no, yes };

// Runs body() with the default floating point mode. function: the exported name, put in front of the message.
template <class Body>
augur_result guarded(const char* function, Body&& body, Waits waits = Waits::no) noexcept {
    augur_result result = AUGUR_OK;
    if (callback_depth() > 0 || (waits == Waits::yes && task_callback_depth() > 0)) {
        result = fail(AUGUR_ERROR_BUSY, "called from inside a callback of Augur; return from it first");
    } else {
        const system::DefaultFloatingPoint mode;
        try {
            result = body();
        } catch (const std::bad_alloc&) {
            result = fail(AUGUR_ERROR_OUT_OF_MEMORY, "there is not enough memory");
        } catch (...) {
            result = fail(AUGUR_ERROR_INTERNAL, "an unexpected exception was caught");
        }
    }
    if (result < 0) prefix_last_message(function);
    return result;
}

// The failure just kept for augur_last_message goes to the context's logger too.
inline void log_failure(Context& context, augur_result result, const char* function) {
    if (result >= 0) return;
    // The logger sees the function's name as well; the last message gets it from guarded.
    char text[1152];
    std::snprintf(text, sizeof text, "%s: %s", function, last_message());
    context.log().write(AUGUR_SEVERITY_ERROR, result, text);
}

inline Context& context_of(Context& context) {
    return context;
}
template <class T>
Context& context_of(T& object) {
    return object.context();
}

enum class Access { any_thread, one_per_object };

// As guarded, with the object behind an id: body(Use<T>&).
template <class T, class Body>
augur_result with(const char* function, std::uint64_t id, Access access, Body&& body,
                  Waits waits = Waits::no) noexcept {
    const auto call = [&]() -> augur_result {
        Use<T> use;
        const augur_result found = access == Access::any_thread ? use.acquire(id) : use.acquire_alone(id);
        if (found != AUGUR_OK) return found;
        augur_result result = AUGUR_OK;
        try {
            result = body(use);
        } catch (const std::bad_alloc&) {
            result = fail(AUGUR_ERROR_OUT_OF_MEMORY, "there is not enough memory");
        } catch (...) {
            result = fail(AUGUR_ERROR_INTERNAL, "an unexpected exception was caught");
        }
        // A call that ended the object has taken it out of its use.
        if (use.get() != nullptr) log_failure(context_of(*use), result, function);
        return result;
    };
    return guarded(function, call, waits);
}

// Whether an object belongs to a context.
template <class T>
augur_result check_context(const T& object, const Context& context, const char* what) {
    if (&object.context() == &context) return AUGUR_OK;
    return fail(AUGUR_ERROR_STALE_ID, "%s belongs to another context", what);
}

}  // namespace augur::api

#endif  // AUGUR_API_BARRIER_H
