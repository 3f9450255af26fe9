// Which part of a simulation a worker's time goes into, looked at now and then: a look at the clock costs a tenth of a
// simulation.
#ifndef AUGUR_BACKEND_CPU_PART_METER_H
#define AUGUR_BACKEND_CPU_PART_METER_H

#include "backend/cpu/clock.h"
#include "core/search_parts.h"

namespace augur {

class PartMeter {
  public:
    // Of kPeriod simulations, waves or batches one is measured: the third, by which time there is a tree.
    static constexpr std::uint32_t kPeriod = 16, kPlace = 2;
    static bool wants(std::uint32_t number) { return number % kPeriod == kPlace; }
    // The first from `number` on.
    static std::uint32_t next_wanted(std::uint32_t number) {
        return number + (kPeriod + kPlace - number % kPeriod) % kPeriod;
    }

    void begin() { add(core::SearchPart::select, 0 - clock_ns()); }
    void pass(core::SearchPart from, core::SearchPart to) {
        const std::uint64_t now = clock_ns();
        add(from, now);
        add(to, 0 - now);
    }
    void end(core::SearchPart part) { add(part, clock_ns()); }
    // What was spent for `trees` together.
    template <class F>
    void share(core::SearchPart part, std::uint32_t trees, const F& f) {
        const std::uint64_t began = clock_ns();
        f();
        add(part, (clock_ns() - began) / trees);
    }
    const core::PartTimes& times() const { return times_; }

  private:
    void add(core::SearchPart part, std::uint64_t time) { times_.sums[static_cast<std::uint32_t>(part)] += time; }

    core::PartTimes times_{};
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_PART_METER_H
