// What the AI costs a whole frame: it is on for a while, off for a while, and so on, and the two are compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/samples.h"

namespace augur::demo {

/// One side of the comparison.
struct AbSide {
    std::uint64_t frames = 0;
    double mean_ms = 0.0;
    double p99_ms = 0.0;
};

struct AbResult {
    AbSide on;
    AbSide off;
    std::size_t pairs = 0;        ///< blocks with the AI, each with the one without it that followed
    double difference_ms = 0.0;   ///< mean over the pairs of (mean of the block on - mean of the block off)
    double uncertainty_ms = 0.0;  ///< half of the 95 % interval of that mean; 0 with fewer than two pairs
    bool known() const { return pairs >= 2; }
    /// Whether the difference is more than its uncertainty.
    bool significant() const { return known() && (difference_ms > uncertainty_ms || difference_ms < -uncertainty_ms); }
};

/// Frames next to each other are alike (the same battle, the same clocks of the processor), so they are no independent
/// samples. Blocks are: each block with the AI is paired with the one after it, and the differences of the pairs' means
/// are what the mean and its interval (Student's t) are taken of.
class AbTest {
  public:
    /// Left out at the beginning of each block: the last plan may still run, caches and clocks settle.
    static constexpr std::uint32_t kSettlingFrames = 2;

    void start(double period_seconds) {
        *this = AbTest();
        period_seconds_ = period_seconds;
        running_ = true;
    }
    void stop() { running_ = false; }
    bool running() const { return running_; }
    double period_seconds() const { return period_seconds_; }
    /// Whether the next frame plans; always while nothing is compared.
    bool ai_on() const { return !running_ || block_on_; }
    /// Share of the present block that is over, in [0, 1].
    double progress(double now_seconds) const {
        if (!running_ || !(period_seconds_ > 0.0) || block_begin_ < 0.0) return 0.0;
        return std::min((now_seconds - block_begin_) / period_seconds_, 1.0);
    }

    /// A frame that began with ai_on() has ended at `now_seconds` after `frame_ms`.
    void add(double now_seconds, double frame_ms) {
        if (!running_) return;
        if (block_begin_ < 0.0) block_begin_ = now_seconds - 1e-3 * frame_ms;
        if (++block_frames_ > kSettlingFrames) {
            Side& side = block_on_ ? on_ : off_;
            side.sum_ms += frame_ms;
            ++side.frames;
            side.samples.add(frame_ms);
            block_sum_ms_ += frame_ms;
        }
        if (now_seconds - block_begin_ >= period_seconds_ && block_frames_ > kSettlingFrames) end_block(now_seconds);
    }

    AbResult result() const {
        AbResult result;
        result.on = on_.figures();
        result.off = off_.figures();
        result.pairs = differences_.size();
        if (differences_.empty()) return result;
        const auto count = static_cast<double>(differences_.size());
        for (const double difference : differences_)
            result.difference_ms += difference / count;
        if (differences_.size() < 2) return result;
        double squares = 0.0;
        for (const double difference : differences_)
            squares += (difference - result.difference_ms) * (difference - result.difference_ms);
        result.uncertainty_ms = quantile(differences_.size() - 1) * std::sqrt(squares / (count - 1.0) / count);
        return result;
    }

    /// Student's t: the value that 95 % of the distribution with so many degrees of freedom lie within.
    static double quantile(std::size_t degrees) {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.10.
        static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                            2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                            2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
        constexpr std::size_t kRows = sizeof kTable / sizeof kTable[0];
        if (degrees == 0) return 0.0;
        if (degrees <= kRows) return kTable[degrees - 1];
        return degrees <= 60 ? 2.021 : degrees <= 120 ? 2.000 : 1.980;  // the wider end of each range
    }

  private:
    struct Side {
        std::uint64_t frames = 0;
        double sum_ms = 0.0;
        Samples samples{8192};
        AbSide figures() const {
            return {frames, frames > 0 ? sum_ms / static_cast<double>(frames) : 0.0, samples.percentiles().p99};
        }
    };

    void end_block(double now_seconds) {
        const double mean = block_sum_ms_ / static_cast<double>(block_frames_ - kSettlingFrames);
        if (block_on_) {
            on_mean_ms_ = mean;
        } else {
            differences_.push_back(on_mean_ms_ - mean);
        }
        block_on_ = !block_on_;
        block_begin_ = now_seconds;
        block_frames_ = 0;
        block_sum_ms_ = 0.0;
    }

    double period_seconds_ = 0.0;
    bool running_ = false;
    bool block_on_ = true;
    double block_begin_ = -1.0;  // below 0: no frame came yet
    std::uint32_t block_frames_ = 0;
    double block_sum_ms_ = 0.0;
    double on_mean_ms_ = 0.0;  // of the last block with the AI
    std::vector<double> differences_;
    Side on_;
    Side off_;
};

}  // namespace augur::demo
