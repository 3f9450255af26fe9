#include "runtime/callback.h"

namespace augur {

namespace {
thread_local constinit int depth = 0;
}

int callback_depth() {
    return depth;
}

CallbackScope::CallbackScope() {
    ++depth;
}

CallbackScope::~CallbackScope() {
    --depth;
}

}  // namespace augur
