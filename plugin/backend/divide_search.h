// The stages of a search's parts, from what was measured of them.
#ifndef AUGUR_BACKEND_DIVIDE_SEARCH_H
#define AUGUR_BACKEND_DIVIDE_SEARCH_H

#include "backend/backend.h"
#include "core/search_parts.h"

namespace augur {

// Divides the search's span among its parts as `measured` says, one after the other. Without a measurement they stay
// empty.
inline void divide_search(const core::PartTimes& measured, FrameOutput& output) {
    constexpr augur_stage kStages[core::kSearchParts] = {AUGUR_STAGE_SELECT, AUGUR_STAGE_EXPAND, AUGUR_STAGE_EVALUATE,
                                                         AUGUR_STAGE_BACK_UP};
    const augur_stage_span search = output.stages[AUGUR_STAGE_SEARCH];
    double times[core::kSearchParts], whole = 0.0;
    for (std::uint32_t part = 0; part < core::kSearchParts; ++part) {
        // A search that was broken off may leave a part without its end.
        const bool sound = measured.sums[part] < (1ull << 63);
        times[part] = sound ? static_cast<double>(measured.sums[part]) : 0.0;
        whole += times[part];
    }
    if (whole <= 0.0 || search.end_ns <= search.begin_ns) return;
    const double length = static_cast<double>(search.end_ns - search.begin_ns);
    double before = 0.0;
    for (std::uint32_t part = 0; part < core::kSearchParts; ++part) {
        const auto at = [&](double time) {
            return search.begin_ns + static_cast<std::uint64_t>(length * (time / whole));
        };
        output.stages[kStages[part]] = {at(before), at(before + times[part])};
        before += times[part];
    }
}

}  // namespace augur

#endif  // AUGUR_BACKEND_DIVIDE_SEARCH_H
