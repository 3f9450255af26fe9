// The stages of the last frames of one planner.
#ifndef AUGUR_RUNTIME_TIMELINE_H
#define AUGUR_RUNTIME_TIMELINE_H

#include <augur/inspect.h>

#include <array>
#include <cstdint>

namespace augur {

class Timeline {
  public:
    void add(const augur_timeline_frame& frame) {
        frames_[next_ % AUGUR_TIMELINE_CAPACITY] = frame;
        ++next_;
    }
    std::uint32_t count() const {
        return next_ < AUGUR_TIMELINE_CAPACITY ? static_cast<std::uint32_t>(next_) : AUGUR_TIMELINE_CAPACITY;
    }
    // Frame 0 is the oldest one kept.
    const augur_timeline_frame& at(std::uint32_t index) const {
        return frames_[(next_ - count() + index) % AUGUR_TIMELINE_CAPACITY];
    }

  private:
    std::array<augur_timeline_frame, AUGUR_TIMELINE_CAPACITY> frames_{};
    std::uint64_t next_ = 0;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_TIMELINE_H
