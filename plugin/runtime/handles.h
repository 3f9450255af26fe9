// Ids of the C interface and the objects behind them, for the whole process.
//
// An id is slot | generation << 20 | kind << 44 | context tag << 48. A slot counts the calls that are inside its
// object, so an object outlives every call that found it; all of it is atomic words, so a look-up takes no lock and a
// fork cannot leave one held. Nothing here has a destructor: ids may be used from static destructors.
#ifndef AUGUR_RUNTIME_HANDLES_H
#define AUGUR_RUNTIME_HANDLES_H

#include <augur/base.h>

#include <cstdint>
#include <utility>

namespace augur {

enum class Kind : std::uint32_t { context = 1, buffer = 2, rules = 3, planner = 4, model = 5 };

class Object {
  public:
    virtual ~Object() = default;
    // It is about to be destroyed: calls inside it should end soon. Any thread.
    virtual void hurry() {}
};

namespace handles {

inline constexpr std::uint32_t kSlotCount = 1u << 20;
inline constexpr std::uint32_t kMostGenerations = (1u << 24) - 1;  // then a slot is used up

inline Kind kind_of(std::uint64_t id) {
    return static_cast<Kind>((id >> 44) & 15u);
}

// A new id for object, or 0 when every slot is taken. context: the id of the object's context, 0 for a context itself.
std::uint64_t add(Kind kind, std::uint64_t context, Object* object);

// Finds the object and counts one use. AUGUR_OK, AUGUR_ERROR_STALE_ID, or AUGUR_ERROR_INVALID_STATE in a forked child.
// Every AUGUR_OK is followed by one release.
augur_result acquire(std::uint64_t id, Kind kind, Object** out);
void release(std::uint64_t id);

// For a holder of a use: makes it the only call of its sort. False when another one is. unlock before release.
bool try_lock(std::uint64_t id);
// For a call about another object, which only looks at this one: waits for the lock, and makes try_lock wait instead of
// fail until unlock or stay_locked. False when the object is being destroyed meanwhile.
bool lock_briefly(std::uint64_t id);
// It will take longer after all: try_lock fails from now on.
void stay_locked(std::uint64_t id);
void unlock(std::uint64_t id);

// For a holder of a use: no new use from now on. False when another call closed it before.
bool close(std::uint64_t id);
// After close: waits until only `uses` uses are left.
void wait_for_others(std::uint64_t id, std::uint32_t uses);
// After close, with no use but the caller's: the id is dead, the slot is free.
void retire(std::uint64_t id);

// Closes, waits for the calls inside, retires, and hands the object over; null when the id is dead. For a context that
// takes its objects down.
Object* take_down(std::uint64_t id);

}  // namespace handles

// One use of an object, for the length of a call.
template <class T>
class Use {
  public:
    Use() = default;
    ~Use() { reset(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    augur_result acquire(std::uint64_t id) {
        Object* object = nullptr;
        const augur_result result = handles::acquire(id, T::kKind, &object);
        if (result != AUGUR_OK) return result;
        object_ = static_cast<T*>(object);
        id_ = id;
        return AUGUR_OK;
    }

    // As acquire; AUGUR_ERROR_BUSY when another call has the object alone.
    augur_result acquire_alone(std::uint64_t id);

    // Waits for another call that has it alone, and lets such calls wait for this one. False when it is being
    // destroyed.
    bool lock_briefly() {
        alone_ = handles::lock_briefly(id_);
        return alone_;
    }
    // After lock_briefly: other calls are told AUGUR_ERROR_BUSY from now on.
    void stay_locked() { handles::stay_locked(id_); }

    void reset() {
        if (object_ == nullptr) return;
        if (alone_) handles::unlock(id_);
        handles::release(id_);
        object_ = nullptr;
        alone_ = false;
    }

    // Ends the id; the caller owns the object then. The object must not be reachable otherwise.
    T* take_down() {
        handles::close(id_);
        object_->hurry();
        handles::wait_for_others(id_, 1);
        handles::retire(id_);
        alone_ = false;
        return std::exchange(object_, nullptr);
    }

    std::uint64_t id() const { return id_; }
    T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }

  private:
    T* object_ = nullptr;
    std::uint64_t id_ = 0;
    bool alone_ = false;
};

augur_result fail_busy();

template <class T>
augur_result Use<T>::acquire_alone(std::uint64_t id) {
    const augur_result result = acquire(id);
    if (result != AUGUR_OK) return result;
    if (!handles::try_lock(id)) {
        reset();
        return fail_busy();
    }
    alone_ = true;
    return AUGUR_OK;
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_HANDLES_H
