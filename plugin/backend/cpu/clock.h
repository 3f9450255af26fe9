// The clock that the CPU backend reads.
#ifndef AUGUR_BACKEND_CPU_CLOCK_H
#define AUGUR_BACKEND_CPU_CLOCK_H

#include <chrono>
#include <cstdint>

namespace augur {

// Nanoseconds of the process's steady clock.
inline std::uint64_t clock_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_CLOCK_H
