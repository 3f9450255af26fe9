// Searches that cannot look at the clock when it matters: a GPU that turns to the game's drawing lets nobody else run
// until that is done, and a search that is caught in it ends milliseconds after its deadline. Drawing comes at the same
// time every frame, so a search that ends before it is never caught. No clock here: times are told.
#ifndef AUGUR_CORE_DEADLINE_GUARD_H
#define AUGUR_CORE_DEADLINE_GUARD_H

#include <cstdint>

namespace augur::core {

class DeadlineGuard {
  public:
    // How long after the request a search is told to end that could have wanted_ns. One with time enough to be caught
    // and go on is left alone.
    std::uint64_t limited(std::uint64_t wanted_ns) const {
        return wanted_ns < limit_ns_ || wanted_ns / 2 >= caught_until_ns_ ? wanted_ns : limit_ns_;
    }

    // A search that time ended: told to end told_ns after its request, it was done late_ns after that beyond what
    // choosing the actions takes. True: it was caught, and says nothing of what choosing takes.
    bool ended(std::uint64_t told_ns, std::uint64_t late_ns) {
        const bool caught = late_ns > told_ns / 8 && late_ns > kHardlyLate;
        if (caught) {
            // Once may be chance.
            if (on_time_ < kChance) {
                patience_ = trying_ && patience_ < kMostPatience ? patience_ * 2 : patience_;
                limit_ns_ = told_ns / 4 * 3 > kShortest ? told_ns / 4 * 3 : kShortest;
                if (told_ns + late_ns > caught_until_ns_) caught_until_ns_ = told_ns + late_ns;
            }
            trying_ = false;
            on_time_ = 0;
            return true;
        }
        ++on_time_;
        if (limit_ns_ == kNone || told_ns < limit_ns_ || on_time_ < patience_) return false;
        limit_ns_ = limit_ns_ < kLongest ? limit_ns_ + limit_ns_ / 8 : kNone;
        if (limit_ns_ == kNone) caught_until_ns_ = 0;
        trying_ = true;
        on_time_ = 0;
        return false;
    }

    // A search that was told the same ended by itself took_ns after its request, because its simulations were done. One
    // that was planned to fit is on time as well as one that was told to end; a short one says nothing.
    void ended_by_itself(std::uint64_t told_ns, std::uint64_t took_ns) {
        if (took_ns >= told_ns / 2) ended(told_ns, 0);
    }

    // Whether searches are told to end earlier than they could.
    bool active() const { return limit_ns_ != kNone; }

  private:
    static constexpr std::uint64_t kNone = UINT64_MAX;
    static constexpr std::uint64_t kHardlyLate = 100'000, kShortest = 250'000, kLongest = 1'000'000'000;
    // Caught again within so many frames: no chance.
    static constexpr std::uint32_t kChance = 16;
    // Frames on time before a little more is tried, and the most of it: each try that fails doubles it, so that fewer
    // than one frame in a hundred is a try.
    static constexpr std::uint32_t kPatience = 240, kMostPatience = 3840;

    std::uint64_t limit_ns_ = kNone;
    std::uint64_t caught_until_ns_ = 0;  // after the request, the latest since there is a limit
    std::uint32_t on_time_ = kChance;    // frames in a row
    std::uint32_t patience_ = kPatience;
    bool trying_ = false;  // the limit was raised, and nothing is known of it yet
};

}  // namespace augur::core

#endif  // AUGUR_CORE_DEADLINE_GUARD_H
