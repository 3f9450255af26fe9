// The time of a game's frame that everything in a context shares: the scheduler, for callers of several threads.
#ifndef AUGUR_RUNTIME_FRAME_BUDGET_H
#define AUGUR_RUNTIME_FRAME_BUDGET_H

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/scheduler.h"

namespace augur {

// Any thread. The lock is held for a little arithmetic, and only once a frame was begun.
class FrameBudget {
  public:
    void begin(std::uint64_t now_ns, std::uint64_t budget_ns) {
        const std::lock_guard lock(mutex_);
        used_.store(true, std::memory_order_relaxed);
        scheduler_.begin_frame(now_ns, budget_ns);
    }

    // One who asks: a planner or a model. Lives no longer than the budget.
    class Member {
      public:
        // expected: it will as a rule ask in every frame.
        Member(FrameBudget& budget, bool expected) : budget_(budget) {
            const std::lock_guard lock(budget_.mutex_);
            number_ = budget_.scheduler_.add(expected);
        }
        ~Member() {
            const std::lock_guard lock(budget_.mutex_);
            budget_.scheduler_.remove(number_);
        }
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

        Scheduler::Share request(const Scheduler::Ask& ask, std::uint64_t now_ns) {
            if (!budget_.used_.load(std::memory_order_relaxed)) return {};
            const std::lock_guard lock(budget_.mutex_);
            const Scheduler::Share share = budget_.scheduler_.request(number_, ask, now_ns);
            asked_ = asked_ || share.shared;
            return share;
        }
        // What it asked for is done, or could not be begun.
        void done() {
            if (!asked_) return;
            asked_ = false;
            const std::lock_guard lock(budget_.mutex_);
            budget_.scheduler_.done(number_);
        }

      private:
        FrameBudget& budget_;
        std::uint32_t number_ = 0;
        bool asked_ = false;  // and is not done
    };

  private:
    std::atomic<bool> used_{false};
    std::mutex mutex_;  // of the scheduler
    Scheduler scheduler_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_FRAME_BUDGET_H
