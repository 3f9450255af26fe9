// Calls into the host, and what the host may call from inside them.
#ifndef AUGUR_RUNTIME_CALLBACK_H
#define AUGUR_RUNTIME_CALLBACK_H

namespace augur {

// Callbacks of the host that the calling thread is inside of. From inside one no call comes back in.
int callback_depth();

// As callback_depth, for the task system. A job system runs other jobs of the game while it waits, and these may plan;
// what waits for other calls to end could then wait for its own caller.
int task_callback_depth();

class CallbackScope {
  public:
    explicit CallbackScope(int& depth) : depth_(depth) { ++depth_; }
    ~CallbackScope() { --depth_; }
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;

  private:
    int& depth_;
};

// Of the calling thread.
int& callback_counter();
int& task_callback_counter();

// Runs call() as a callback. False when it threw.
template <class Call>
bool call_host(Call&& call, int& counter = callback_counter()) noexcept {
    const CallbackScope scope(counter);
    try {
        call();
        return true;
    } catch (...) {
        return false;
    }
}

template <class Call>
bool call_task_system(Call&& call) noexcept {
    return call_host(static_cast<Call&&>(call), task_callback_counter());
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_CALLBACK_H
