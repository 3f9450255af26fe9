// How many waves a loop does before anybody looks whether it should end. A look costs as much as a small wave, so waves
// go several to a turn; near the deadline one at a time, lest the turn under way overruns it by all of its waves. What
// a wave costs is learned from the turns themselves. No clock here: times are told.
#ifndef AUGUR_CORE_TURN_LENGTH_H
#define AUGUR_CORE_TURN_LENGTH_H

#include <augur/kit/platform.h>

#include <cstdint>

namespace augur::core {

struct TurnLength {
    std::uint64_t began_ns;  // of the turn under way
    std::uint64_t wave_ns;   // what each wave of the last turn took, of this frame or an earlier one; 0: not known

    AUGUR_HD void begin(std::uint64_t now_ns) { began_ns = now_ns; }

    // A turn of so many waves is done, and the next begins.
    AUGUR_HD void passed(std::uint64_t now_ns, std::uint32_t waves) {
        wave_ns = (now_ns > began_ns ? now_ns - began_ns : 0) / waves;
        began_ns = now_ns;
    }

    // Whether a turn of so many waves would be done by then. deadline 0: there is none.
    AUGUR_HD bool fits(std::uint64_t now_ns, std::uint64_t deadline_ns, std::uint32_t waves) const {
        return deadline_ns == 0 || now_ns + waves * wave_ns <= deadline_ns;
    }
};

}  // namespace augur::core

#endif  // AUGUR_CORE_TURN_LENGTH_H
