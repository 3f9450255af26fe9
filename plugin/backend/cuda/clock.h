// The device's timer beside the host's. Both count nanoseconds, from different moments and not quite at the same pace.
#ifndef AUGUR_BACKEND_CUDA_CLOCK_H
#define AUGUR_BACKEND_CUDA_CLOCK_H

#include <cstdint>

namespace augur::cuda {

// Keeps offset = device time - host time. Every frame bounds it: work cannot begin on the device before the host
// launched it, nor end after the host saw it done. The offset stays where it is while it is within the bounds and moves
// to the nearer one otherwise, so a drift of the clocks is followed and a late look at a finished frame does no harm.
class ClockOffset {
  public:
    void observe(std::uint64_t host_launched, std::uint64_t device_began, std::uint64_t device_ended,
                 std::uint64_t host_saw) {
        const auto highest = static_cast<std::int64_t>(device_began - host_launched);
        const auto lowest = static_cast<std::int64_t>(device_ended - host_saw);
        if (!known_ || offset_ > highest) offset_ = highest;
        if (offset_ < lowest) offset_ = lowest;
        known_ = true;
    }

    std::uint64_t to_device(std::uint64_t host) const { return host + static_cast<std::uint64_t>(offset_); }
    std::uint64_t to_host(std::uint64_t device) const { return device - static_cast<std::uint64_t>(offset_); }

  private:
    std::int64_t offset_ = 0;
    bool known_ = false;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_CLOCK_H
