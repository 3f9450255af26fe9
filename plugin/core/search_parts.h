// The parts of a simulation, for whoever wants to know where a search's time goes.
#ifndef AUGUR_CORE_SEARCH_PARTS_H
#define AUGUR_CORE_SEARCH_PARTS_H

#include <augur/kit/platform.h>

#include <cstdint>

namespace augur::core {

enum class SearchPart : std::uint32_t { select, expand, evaluate, back_up };

inline constexpr std::uint32_t kSearchParts = 4;

// Time by part, as sums of the moments at which a part ended less those at which it began, modulo 2^64: so that nobody
// has to remember when it began. Of no unit; what counts is how they stand to each other.
struct PartTimes {
    std::uint64_t sums[kSearchParts];
};

inline bool is_measured(const PartTimes& times) {
    for (const std::uint64_t sum : times.sums)
        if (sum != 0) return true;
    return false;
}

// Does not look. What a meter has: begin() before a simulation, with selecting, end(part) after it, and pass(from, to)
// in between.
struct NoMeter {
    AUGUR_HD_INLINE void begin() const {}
    AUGUR_HD_INLINE void pass(SearchPart, SearchPart) const {}
    AUGUR_HD_INLINE void end(SearchPart) const {}
};

}  // namespace augur::core

#endif  // AUGUR_CORE_SEARCH_PARTS_H
