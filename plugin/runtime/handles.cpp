#include "runtime/handles.h"

#include <atomic>
#include <new>

#include "runtime/message.h"
#include "runtime/system.h"

namespace augur {

namespace handles {

namespace {

// state: generation << 32 | flags | uses
constexpr std::uint64_t kLive = 1ull << 31;
constexpr std::uint64_t kClosed = 1ull << 30;
constexpr std::uint64_t kLocked = 1ull << 29;
constexpr std::uint64_t kBriefly = 1ull << 28;  // beside kLocked
constexpr std::uint64_t kFlags = kLive | kClosed | kLocked | kBriefly;
constexpr std::uint64_t kUses = (1ull << 28) - 1;

struct Slot {
    std::atomic<std::uint64_t> state;
    std::atomic<std::uint64_t> id;
    std::atomic<Object*> object;
    std::atomic<std::uint32_t> process;
};

constexpr std::uint32_t kSegmentSlots = 1024;
constexpr std::uint32_t kSegments = kSlotCount / kSegmentSlots;

// Segments are made when first needed and never freed.
constinit std::atomic<Slot*> segments[kSegments] = {};
constinit std::atomic<std::uint32_t> next_slot{0};

std::uint32_t slot_of(std::uint64_t id) {
    return static_cast<std::uint32_t>(id & (kSlotCount - 1));
}

std::uint64_t generation_of(std::uint64_t id) {
    return (id >> 20) & kMostGenerations;
}

Slot* segment(std::uint32_t index, bool make) {
    Slot* slots = segments[index].load(std::memory_order_acquire);
    if (slots != nullptr || !make) return slots;
    Slot* made = new Slot[kSegmentSlots]();  // no memory is an exception: the boundary makes a result of it
    if (segments[index].compare_exchange_strong(slots, made, std::memory_order_acq_rel)) return made;
    delete[] made;
    return slots;
}

Slot* find(std::uint64_t id) {
    const std::uint32_t index = slot_of(id);
    Slot* slots = segment(index / kSegmentSlots, false);
    return slots != nullptr ? &slots[index % kSegmentSlots] : nullptr;
}

// Of an id whose use the caller holds.
Slot& held(std::uint64_t id) {
    return *find(id);
}

augur_result fail_stale(std::uint64_t id) {
    return fail(AUGUR_ERROR_STALE_ID, "the id 0x%016llx was never given out, was destroyed, or is of another kind",
                static_cast<unsigned long long>(id));
}

bool set_flag(Slot& slot, std::uint64_t flag) {
    return (slot.state.fetch_or(flag, std::memory_order_acq_rel) & flag) == 0;
}

}  // namespace

std::uint64_t add(Kind kind, std::uint64_t context, Object* object) {
    const std::uint32_t start = next_slot.load(std::memory_order_relaxed);
    for (std::uint32_t step = 0; step < kSlotCount; ++step) {
        const std::uint32_t index = (start + step) % kSlotCount;
        Slot* slots = segment(index / kSegmentSlots, true);
        if (slots == nullptr) return 0;
        Slot& slot = slots[index % kSegmentSlots];
        std::uint64_t state = slot.state.load(std::memory_order_relaxed);
        const std::uint64_t generation = (state >> 32) + 1;
        if ((state & kFlags) != 0 || generation > kMostGenerations) continue;
        // Closed but not live: taken, and found by nobody.
        if (!slot.state.compare_exchange_strong(state, generation << 32 | kClosed, std::memory_order_acquire)) continue;
        const std::uint64_t tag = context != 0 ? slot_of(context) & 0xffffu : index & 0xffffu;
        const std::uint64_t id = index | generation << 20 | static_cast<std::uint64_t>(kind) << 44 | tag << 48;
        slot.id.store(id, std::memory_order_relaxed);
        slot.object.store(object, std::memory_order_relaxed);
        slot.process.store(system::process_id(), std::memory_order_relaxed);
        slot.state.store(generation << 32 | kLive, std::memory_order_release);
        // Slots near the start are used again first, which keeps the number of segments small.
        next_slot.store(index + 1 < kSegmentSlots ? index + 1 : 0, std::memory_order_relaxed);
        return id;
    }
    return 0;
}

augur_result acquire(std::uint64_t id, Kind kind, Object** out) {
    Slot* slot = find(id);
    if (slot == nullptr || id == 0) return fail_stale(id);
    std::uint64_t state = slot->state.load(std::memory_order_acquire);
    do {
        if (state >> 32 != generation_of(id) || (state & (kLive | kClosed)) != kLive) return fail_stale(id);
    } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
    // The use keeps the slot as it is from here on.
    if (slot->id.load(std::memory_order_relaxed) != id || kind_of(id) != kind) {
        release(id);
        return fail_stale(id);
    }
    if (slot->process.load(std::memory_order_relaxed) != system::process_id()) {
        release(id);
        return fail(AUGUR_ERROR_INVALID_STATE,
                    "the object was made before fork() and cannot be used in the child; create a context there");
    }
    *out = slot->object.load(std::memory_order_relaxed);
    return AUGUR_OK;
}

void release(std::uint64_t id) {
    held(id).state.fetch_sub(1, std::memory_order_acq_rel);
}

bool try_lock(std::uint64_t id) {
    Slot& slot = held(id);
    for (std::uint32_t attempt = 0;; ++attempt) {
        std::uint64_t state = slot.state.load(std::memory_order_acquire);
        if ((state & kLocked) == 0) {
            if (slot.state.compare_exchange_weak(state, state | kLocked, std::memory_order_acq_rel)) return true;
        } else if ((state & kBriefly) == 0) {
            return false;
        } else {
            system::back_off(attempt);
        }
    }
}

bool lock_briefly(std::uint64_t id) {
    Slot& slot = held(id);
    for (std::uint32_t attempt = 0;; ++attempt) {
        std::uint64_t state = slot.state.load(std::memory_order_acquire);
        if ((state & kLocked) == 0) {
            if (slot.state.compare_exchange_weak(state, state | kLocked | kBriefly, std::memory_order_acq_rel))
                return true;
        } else if ((state & kClosed) != 0) {
            return false;
        } else {
            system::back_off(attempt);
        }
    }
}

void stay_locked(std::uint64_t id) {
    held(id).state.fetch_and(~kBriefly, std::memory_order_acq_rel);
}

void unlock(std::uint64_t id) {
    held(id).state.fetch_and(~(kLocked | kBriefly), std::memory_order_acq_rel);
}

bool close(std::uint64_t id) {
    return set_flag(held(id), kClosed);
}

void wait_for_others(std::uint64_t id, std::uint32_t uses) {
    Slot& slot = held(id);
    for (std::uint32_t attempt = 0; (slot.state.load(std::memory_order_acquire) & kUses) > uses; ++attempt)
        system::back_off(attempt);
}

void retire(std::uint64_t id) {
    Slot& slot = held(id);
    slot.object.store(nullptr, std::memory_order_relaxed);
    slot.state.store(generation_of(id) << 32, std::memory_order_release);
}

Object* take_down(std::uint64_t id) {
    Slot* slot = find(id);
    if (slot == nullptr) return nullptr;
    std::uint64_t state = slot->state.load(std::memory_order_acquire);
    do {
        if (state >> 32 != generation_of(id) || (state & (kLive | kClosed)) != kLive) return nullptr;
    } while (!slot->state.compare_exchange_weak(state, state | kClosed, std::memory_order_acq_rel));
    Object* object = slot->object.load(std::memory_order_relaxed);
    object->hurry();
    wait_for_others(id, 0);
    retire(id);
    return object;
}

}  // namespace handles

augur_result fail_busy() {
    return fail(AUGUR_ERROR_BUSY, "another thread is inside a call on this object; it takes one at a time");
}

}  // namespace augur
