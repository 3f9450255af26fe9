// Time of the demo: when the next game tick is due, and how far drawing is between two of them.
#pragma once

#include <algorithm>
#include <limits>

namespace augur::demo {

/// Turns frame times into game ticks. A long pause (a breakpoint, a suspended machine, one slow frame) never makes the
/// game run a burst of ticks to catch up: at most one tick is due at a time and the time that was missed is dropped.
class FrameClock {
  public:
    static constexpr double kLongestFrameSeconds = 0.1;

    double ticks_per_second = 12.0;  ///< [0.1, 240]
    double speed = 1.0;              ///< [0, 16]
    bool paused = false;

    /// Moves time on by the length of the last frame. Negative and not-a-number lengths count as nothing.
    void advance(double seconds) {
        if (step_requested_) {
            step_requested_ = false;
            phase_ = 1.0;
            return;
        }
        if (paused || !(seconds > 0.0)) return;
        const double step = std::min(seconds, kLongestFrameSeconds) * ticks_per_second * speed;
        phase_ = std::min(phase_ + step, 1.0 + std::min(step, 0.999));
    }

    /// True until the tick has been taken, so a game that is not ready yet takes it in a later frame.
    bool due() const { return phase_ >= 1.0; }
    void tick_taken() { phase_ = due() ? phase_ - 1.0 : 0.0; }

    /// Time until the next tick is due at the present speed; infinite while nothing moves.
    double seconds_to_tick() const {
        if (paused || !(ticks_per_second * speed > 0.0)) return std::numeric_limits<double>::infinity();
        return std::max(1.0 - phase_, 0.0) / (ticks_per_second * speed);
    }

    /// Asks for one tick whether or not time is paused.
    void request_step() { step_requested_ = true; }

    /// 0 at the last tick, 1 at the next: where between the two states to draw.
    double blend() const { return std::min(phase_, 1.0); }

  private:
    double phase_ = 0.0;
    bool step_requested_ = false;
};

}  // namespace augur::demo
