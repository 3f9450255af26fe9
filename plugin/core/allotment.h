// How a frame's simulations are divided among the agents: by urgency, so that thinking goes where it matters.
//
// Urgencies are weights. While there are enough simulations for everybody, an agent gets its share of the total in
// proportion to its urgency, no fewer than the fewest that are worth a search, no more than one agent may have; what
// the most urgent cannot take goes to the others. So with fewer simulations the least urgent think less first. Where
// there are too few even for that, only some agents are searched, with the fewest each: those for whom urgency * (1 +
// frames without a search) is highest, the lowest index among equals. Whoever waits grows until it is first. The others
// get the guaranteed answer, as agents of urgency 0 always do.
//
// Whole numbers only, and sums of them, so that it comes to the same whoever does it: one thread, or a block of a GPU.
#ifndef AUGUR_CORE_ALLOTMENT_H
#define AUGUR_CORE_ALLOTMENT_H

#include "core/fetch.h"
#include "core/settings.h"
#include "core/tree.h"

namespace augur::core {

// What a frame has to divide.
struct AllotmentOrder {
    std::uint64_t granted;  // simulations of all agents together, at most
    std::uint32_t mean;     // for each agent that wants to search, on average, at most
    std::uint32_t most;     // of one agent
    std::uint32_t least;    // of one agent that is searched; 1 .. most
    std::uint32_t on;       // 0: nothing is divided
};

// What it came to.
struct AllotmentReport {
    std::uint64_t simulations;  // all agents together
    std::uint32_t wanting;      // agents that want to search
    std::uint32_t put_off;      // of these, urgent ones that have to wait
};

// An agent's urgency as it is fetched: Q8, 0 .. kMostUrgency, or kBadUrgency.
inline constexpr std::uint32_t kWholeUrgency = 256, kMostUrgency = (1u << 24) - 1, kBadUrgency = 1u << 31;
// Frames without a search that count.
inline constexpr std::uint32_t kMostAge = 65535;

// Reads one agent's urgency. A number that is negative or not finite is bad; one that is positive is at least 1/256.
AUGUR_HD_INLINE std::uint32_t fetch_urgency(const SourceView& source, std::uint32_t agent) {
    if (source.data == nullptr) return kWholeUrgency;
    const unsigned char* p = source.data + static_cast<std::size_t>(agent) * source.stride_bytes;
    if (source.format == Format::f32) {
        const auto bits = load_as<std::uint32_t>(p);
        if ((bits & 0x7fffffffu) == 0) return 0;
        if (bits >= 0x7f800000u) return kBadUrgency;  // infinite, NaN or negative
        const std::int32_t fixed = scaled_float(bits, static_cast<std::int32_t>(kWholeUrgency));
        if (fixed == kit::kInvalidWord) return kMostUrgency;
        return kit::clamp(static_cast<std::uint32_t>(fixed), 1u, kMostUrgency);
    }
    const std::int64_t value = load_whole(p, source.format);
    if (value < 0) return kBadUrgency;
    return static_cast<std::uint32_t>(kit::minimum(value * kWholeUrgency, static_cast<std::int64_t>(kMostUrgency)));
}

// Weights below 2^40 in 592 levels, 16 to each doubling, so that they can be counted instead of sorted.
inline constexpr std::uint32_t kWeightLevels = 592;

AUGUR_HD_INLINE std::uint32_t level_of(std::uint64_t weight) {
    std::uint32_t shift = 0;
    for (std::uint32_t step = 32; step > 0; step /= 2)
        if (weight >> (shift + step) >= 16) shift += step;
    if (weight < 32) return static_cast<std::uint32_t>(weight);
    return (shift + 1) * 16 + static_cast<std::uint32_t>(weight >> shift) - 16;
}

// The lowest weight of a level.
AUGUR_HD_INLINE std::uint64_t weight_of(std::uint32_t level) {
    if (level < 32) return level;
    return static_cast<std::uint64_t>(16 + level % 16) << (level / 16 - 1);
}

// Against the heaviest, Q20: weights below 1/4096 of it count as that.
inline constexpr std::uint32_t kLeastShare = 256;

// Working memory, seen by the whole team.
struct AllotmentScratch {
    std::uint32_t counts[kWeightLevels];  // agents of each level
    std::uint32_t shares[kWeightLevels];  // of each level: its weight against the heaviest, Q20; then its simulations
    std::uint32_t threshold, places;      // the level at which there is not room for all, and for how many there is
};

// The agents of a frame.
struct AllotmentView {
    AgentWork* work;               // [A] begun; those that want to search are active
    const std::uint32_t* urgency;  // [A] as fetched
    const std::uint16_t* ages;     // [A] frames in a row without a search
    std::uint32_t agent_count;
};

// One thread that does it all. Of a larger team all threads call everything together:
//   index, width     which thread this is, of how many
//   sync             writes before it are seen by all after it
//   add(cell, n)     adds to a cell that others add to
//   sum, highest     of what the threads hold; all get it
//   rank(mine, all)  how many threads before this one hold true; *all: how many hold it in all
struct SerialTeam {
    AUGUR_HD_INLINE std::uint32_t index() const { return 0; }
    AUGUR_HD_INLINE std::uint32_t width() const { return 1; }
    AUGUR_HD_INLINE void sync() const {}
    AUGUR_HD_INLINE void add(std::uint32_t& cell, std::uint32_t n) const { cell += n; }
    AUGUR_HD_INLINE std::uint64_t sum(std::uint64_t mine) const { return mine; }
    AUGUR_HD_INLINE std::uint32_t highest(std::uint32_t mine) const { return mine; }
    AUGUR_HD_INLINE std::uint32_t rank(bool mine, std::uint32_t* all) const {
        *all = mine ? 1 : 0;
        return 0;
    }
};

// The parts of an allotment, and how they belong together.
template <class Team>
struct Allotment {
    const AllotmentView& agents;
    const AllotmentOrder& order;
    AllotmentScratch& scratch;
    const Team& team;

    // Gives every agent that wants to search its simulations, as work.active; 0 and AUGUR_AGENT_FALLBACK (unless it has
    // a tree of an earlier frame) where it gets none. All threads get the same report. Cost: two or three passes over
    // the agents.
    AUGUR_HD_INLINE AllotmentReport run() const {
        count_levels([](std::uint32_t, std::uint32_t urgency) { return level_of(urgency); });
        std::uint64_t mine = 0, urgent = 0;
        for (std::uint32_t i = team.index(); i < agents.agent_count; i += team.width())
            mine += agents.work[i].active != 0 ? 1 : 0;
        std::uint32_t heaviest = 0;
        for (std::uint32_t level = team.index(); level < kWeightLevels; level += team.width()) {
            urgent += scratch.counts[level];
            if (scratch.counts[level] != 0) heaviest = level;
        }
        AllotmentReport report{};
        report.wanting = static_cast<std::uint32_t>(team.sum(mine));
        urgent = team.sum(urgent);
        heaviest = team.highest(heaviest);
        const std::uint64_t total =
            kit::minimum(order.granted, static_cast<std::uint64_t>(report.wanting) * order.mean);
        const std::uint64_t served = kit::minimum(urgent, total / order.least);
        report.put_off = static_cast<std::uint32_t>(urgent - served);
        report.simulations = served == urgent ? divide(total, heaviest) : take_turns(served);
        return report;
    }

  private:
    // Counts the urgent agents of each level that of(agent, urgency) says.
    template <class F>
    AUGUR_HD_INLINE void count_levels(const F& of) const {
        for (std::uint32_t level = team.index(); level < kWeightLevels; level += team.width())
            scratch.counts[level] = 0;
        team.sync();
        for (std::uint32_t i = team.index(); i < agents.agent_count; i += team.width()) {
            const std::uint32_t urgency = agents.urgency[i];
            if (agents.work[i].active == 0 || urgency == 0 || urgency == kBadUrgency) continue;
            team.add(scratch.counts[of(i, urgency)], 1);
        }
        team.sync();
    }

    AUGUR_HD_INLINE std::uint32_t level_by_age(std::uint32_t agent, std::uint32_t urgency) const {
        return level_of(static_cast<std::uint64_t>(urgency) * (agents.ages[agent] + 1u));
    }

    AUGUR_HD_INLINE void give(std::uint32_t agent, std::uint32_t simulations) const {
        AgentWork& work = agents.work[agent];
        work.active = simulations > work.simulations ? simulations : 0;  // it may begin with some that are done
        if (simulations == 0 && work.carried == 0) work.flags |= kFlagFallback;
        if (agents.urgency[agent] == kBadUrgency) work.flags |= kFlagBadUrgency;
    }

    // Simulations of a level where the heaviest would get scale / 256 without a limit. Below 2^62.
    AUGUR_HD_INLINE std::uint32_t simulations_at(std::uint64_t scale, std::uint32_t level) const {
        const std::uint64_t share = (scale * scratch.shares[level]) >> 28;
        return static_cast<std::uint32_t>(
            kit::clamp(share, static_cast<std::uint64_t>(order.least), static_cast<std::uint64_t>(order.most)));
    }
    AUGUR_HD_INLINE std::uint64_t needed_at(std::uint64_t scale) const {
        std::uint64_t needed = 0;
        for (std::uint32_t level = team.index(); level < kWeightLevels; level += team.width())
            if (scratch.counts[level] != 0)
                needed += static_cast<std::uint64_t>(scratch.counts[level]) * simulations_at(scale, level);
        return team.sum(needed);
    }

    // Everybody who is urgent gets a share. Returns what all get together.
    AUGUR_HD_INLINE std::uint64_t divide(std::uint64_t total, std::uint32_t heaviest) const {
        const std::uint64_t top = kit::maximum(weight_of(heaviest), std::uint64_t{1});
        for (std::uint32_t level = team.index(); level <= heaviest; level += team.width())
            scratch.shares[level] =
                static_cast<std::uint32_t>(kit::maximum((weight_of(level) << 20) / top, std::uint64_t{kLeastShare}));
        team.sync();
        // The largest scale that the total pays for; with 0 all get the least, which it does pay for.
        std::uint64_t low = 0, high = static_cast<std::uint64_t>(order.most) << 20;
        std::uint64_t needed = needed_at(high);
        if (needed <= total) {
            low = high;
        } else {
            while (high - low > 1) {
                const std::uint64_t middle = low + (high - low) / 2;
                if (needed_at(middle) <= total)
                    low = middle;
                else
                    high = middle;
            }
            needed = needed_at(low);
        }
        for (std::uint32_t level = team.index(); level <= heaviest; level += team.width())
            scratch.shares[level] = simulations_at(low, level);  // nobody else reads this one any more
        team.sync();
        for (std::uint32_t i = team.index(); i < agents.agent_count; i += team.width()) {
            if (agents.work[i].active == 0) continue;
            const std::uint32_t urgency = agents.urgency[i];
            give(i, urgency == 0 || urgency == kBadUrgency ? 0 : scratch.shares[level_of(urgency)]);
        }
        return needed;
    }

    // `served` agents get the least, and the others nothing. Returns what all get together.
    AUGUR_HD_INLINE std::uint64_t take_turns(std::uint64_t served) const {
        count_levels([this](std::uint32_t agent, std::uint32_t urgency) { return level_by_age(agent, urgency); });
        if (team.index() == 0) {
            std::uint64_t above = 0;
            std::uint32_t level = kWeightLevels - 1;
            for (; level > 0 && above + scratch.counts[level] <= served; --level)
                above += scratch.counts[level];
            scratch.threshold = level;
            scratch.places = static_cast<std::uint32_t>(served - above);
        }
        team.sync();
        std::uint32_t taken = 0;
        for (std::uint32_t first = 0; first < agents.agent_count; first += team.width()) {
            const std::uint32_t i = first + team.index();
            const bool wants = i < agents.agent_count && agents.work[i].active != 0;
            const std::uint32_t urgency = wants ? agents.urgency[i] : 0;
            const std::uint32_t level = urgency == 0 || urgency == kBadUrgency ? 0 : level_by_age(i, urgency);
            const bool equal = level != 0 && level == scratch.threshold;
            std::uint32_t all = 0;
            const std::uint32_t before = taken + team.rank(equal, &all);
            taken += all;
            if (wants) give(i, level > scratch.threshold || (equal && before < scratch.places) ? order.least : 0);
        }
        return served * order.least;
    }
};

// kFlagFallback where an agent has its answer from an earlier frame and was not searched in this one.
AUGUR_HD_INLINE std::uint32_t rested(const AgentWork& work) {
    const bool done = (work.flags & (kFlagEarlyStop | kFlagOnlyAction)) != 0;
    return work.carried != 0 && work.simulations == work.counted && !done ? kFlagFallback : 0u;
}

// After the frame: how long an agent has gone without a search.
AUGUR_HD_INLINE std::uint16_t next_age(std::uint16_t age, std::uint32_t flags) {
    if ((flags & kFlagFallback) == 0) return 0;
    return static_cast<std::uint16_t>(kit::minimum(static_cast<std::uint32_t>(age) + 1u, kMostAge));
}

}  // namespace augur::core

#endif  // AUGUR_CORE_ALLOTMENT_H
