// What a frame still does when the time of its search is over: the simulations at hand end, and actions are chosen. So
// that this is done by the deadline too, a search is told to end earlier by what it took before. No clock here: times
// are told.
#ifndef AUGUR_CORE_AFTER_SEARCH_H
#define AUGUR_CORE_AFTER_SEARCH_H

#include <cstdint>

namespace augur::core {

class AfterSearch {
  public:
    // What a search may take of a budget: all of it but what comes after, at least three quarters.
    std::uint64_t time_to_search(std::uint64_t budget_ns) const {
        return budget_ns - (expected_ns_ < budget_ns / 4 ? expected_ns_ : budget_ns / 4);
    }

    // A frame's actions were ready took_ns after its search was told to end, or, told_to_end being false, after it had
    // ended by itself, which is less. Rises at once, but for one that is far beyond the rest; falls slowly.
    void learn(std::uint64_t took_ns, bool told_to_end) {
        const std::uint64_t most = 2 * expected_ns_ + kFirst;
        if (took_ns > expected_ns_)
            expected_ns_ = took_ns < most ? took_ns : most;
        else if (told_to_end)
            expected_ns_ -= (expected_ns_ - took_ns) / 16;
    }

    // How much longer it took than expected.
    std::uint64_t beyond(std::uint64_t took_ns) const { return took_ns > expected_ns_ ? took_ns - expected_ns_ : 0; }

  private:
    static constexpr std::uint64_t kFirst = 100'000;
    std::uint64_t expected_ns_ = 0;
};

}  // namespace augur::core

#endif  // AUGUR_CORE_AFTER_SEARCH_H
