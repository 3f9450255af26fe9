#include "runtime/callback.h"

namespace augur {

namespace {
thread_local constinit int depth = 0;
thread_local constinit int task_depth = 0;
}  // namespace

int callback_depth() {
    return depth;
}

int task_callback_depth() {
    return task_depth;
}

int& callback_counter() {
    return depth;
}

int& task_callback_counter() {
    return task_depth;
}

}  // namespace augur
