// Calls into the host. While one runs, the thread may not come back into Augur.
#ifndef AUGUR_RUNTIME_CALLBACK_H
#define AUGUR_RUNTIME_CALLBACK_H

namespace augur {

// Callbacks of the host that the calling thread is inside of.
int callback_depth();

class CallbackScope {
  public:
    CallbackScope();
    ~CallbackScope();
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;
};

// Runs call() as a callback. False when it threw.
template <class Call>
bool call_host(Call&& call) noexcept {
    const CallbackScope scope;
    try {
        call();
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_CALLBACK_H
