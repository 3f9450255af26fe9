// The last frames of the demo: where each one's time went, the plan that came with it, and which stand out.
#pragma once

#include <augur/augur.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace augur::demo {

/// The parts of a whole frame, in order, as the game's own thread sees them.
enum FramePart : std::uint32_t {
    kPartRequest,  ///< the request call
    kPartDrawing,  ///< the world and the render load, as far as the driver did not put it off
    kPartWait,     ///< until the plan is there
    kPartModel,    ///< until the model's batch is there
    kPartOverlay,  ///< this overlay
    kPartRest,     ///< the game's tick, showing the picture
    kPartCount
};
inline constexpr std::array<const char*, kPartCount> kPartNames = {"request",    "drawing", "wait for plan",
                                                                   "model load", "overlay", "rest"};

struct FrameRecord {
    std::uint64_t number = 0;  ///< of the demo's frame
    double whole_ms = 0.0;
    std::array<float, kPartCount> part_ms{};
    bool ai_on = true;
    bool has_plan = false;  ///< a plan arrived in this frame
    bool guided = false;    ///< its leaves went through a model
    bool plan_spike = false;
    bool frame_spike = false;
    augur_timeline_frame plan{};  ///< where has_plan
    /// From the request to the last stage of the search, and the copy of the actions where there is one. Not until the
    /// game came to collect them, which is the game's own affair.
    double plan_ms() const {
        if (!has_plan) return 0.0;
        const augur_stage_span& copy = plan.stages[AUGUR_STAGE_COPY];
        const augur_stage_span& last = plan.stages[AUGUR_STAGE_FINALISE];
        const std::uint64_t copied = copy.begin_ns >= last.end_ns ? copy.end_ns - copy.begin_ns : 0;
        return static_cast<double>((last.end_ns > 0 ? last.end_ns : plan.done_ns) + copied) * 1e-6;
    }
};

/// Says which of a row of durations stand out: those far above the median of the ones before them, by the spread that
/// these have (median absolute deviation), and by half the median at least, so that a quiet row has no spikes.
class SpikeFinder {
  public:
    static constexpr std::size_t kWindow = 120;
    static constexpr std::size_t kFewest = 24;  ///< before it speaks
    static constexpr double kDeviations = 6.0;
    static constexpr double kLeastShare = 0.5;
    static constexpr double kLeastMs = 0.1;

    bool add(double ms) {
        const bool spike = size_ >= kFewest && ms > limit();
        values_[next_] = ms;
        next_ = (next_ + 1) % kWindow;
        size_ = std::min(size_ + 1, kWindow);
        return spike;
    }
    /// What the next one must be above; 0 while there are too few.
    double limit() const {
        if (size_ < kFewest) return 0.0;
        std::array<double, kWindow> work = values_;
        const double middle = median(work);
        for (std::size_t i = 0; i < size_; ++i)
            work[i] = work[i] > middle ? work[i] - middle : middle - work[i];
        // 1.4826: of a normal distribution's standard deviation.
        return middle + std::max({kDeviations * 1.4826 * median(work), kLeastShare * middle, kLeastMs});
    }

  private:
    double median(std::array<double, kWindow>& work) const {
        const auto middle = work.begin() + static_cast<std::ptrdiff_t>(size_ / 2);
        std::nth_element(work.begin(), middle, work.begin() + static_cast<std::ptrdiff_t>(size_));
        return *middle;
    }

    std::array<double, kWindow> values_{};
    std::size_t next_ = 0;
    std::size_t size_ = 0;
};

class FrameHistory {
  public:
    static constexpr std::size_t kCapacity = 2048;

    FrameHistory() { records_.reserve(kCapacity); }

    void add(FrameRecord record) {
        record.frame_spike = frames_.add(record.whole_ms);
        record.plan_spike = record.has_plan && plans_.add(record.plan_ms());
        spikes_ += record.frame_spike || record.plan_spike ? 1 : 0;
        if (records_.size() < kCapacity) {
            records_.push_back(record);
        } else {
            records_[next_] = record;
        }
        next_ = (next_ + 1) % kCapacity;
    }
    std::size_t size() const { return records_.size(); }
    /// The record `age` frames ago; 0 is the newest. `age` must be below size().
    const FrameRecord& recent(std::size_t age) const {
        return records_[(next_ + records_.size() - 1 - age) % records_.size()];
    }
    /// The record of a frame, or null where it is no longer kept.
    const FrameRecord* find(std::uint64_t number) const {
        for (const FrameRecord& record : records_)
            if (record.number == number) return &record;
        return nullptr;
    }
    std::uint64_t spikes() const { return spikes_; }

  private:
    std::vector<FrameRecord> records_;
    std::size_t next_ = 0;
    std::uint64_t spikes_ = 0;
    SpikeFinder frames_;
    SpikeFinder plans_;
};

}  // namespace augur::demo
