// Notices, in debug builds, a host that writes numbers Augur is reading.
#ifndef AUGUR_RUNTIME_WRITE_WATCH_H
#define AUGUR_RUNTIME_WRITE_WATCH_H

#include <vector>

#include "runtime/binding.h"

namespace augur {

// Remembers the bound numbers at the request and compares them at the end of the frame. Cost: two readings of them.
class WriteWatch {
  public:
#if defined(NDEBUG)
    static constexpr bool kEnabled = false;
#else
    static constexpr bool kEnabled = true;
#endif

    explicit WriteWatch(std::size_t components) : sums_(kEnabled ? components : 0) {}

    void remember(const std::vector<Bound>& fields, std::uint32_t agents);
    // The first component whose numbers are not what they were; fields.size() when all are.
    std::size_t first_changed(const std::vector<Bound>& fields, std::uint32_t agents) const;

  private:
    std::vector<std::uint64_t> sums_;  // [components]
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_WRITE_WATCH_H
