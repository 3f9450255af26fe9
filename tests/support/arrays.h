// The host's side of a planner: the arrays that a game keeps, in one of the layouts that games use.

#ifndef AUGUR_TESTS_SUPPORT_ARRAYS_H
#define AUGUR_TESTS_SUPPORT_ARRAYS_H

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "support/skirmish_world.h"

namespace augur::test {

enum class Layout { kArrays, kStructs };  // one array per number, or one structure per agent

// Numbers of A agents for every component of every field of a game, and room for their actions.
class HostArrays {
  public:
    // words: [W][A] in the rules' fixed point, as the fetch stage is to find them again. FIXED fields are kept as
    // floats, INTEGER fields as 32-bit integers, BITS64 fields as 64-bit ones.
    HostArrays(const core::RulesInfo& rules, const std::vector<std::int32_t>& words, std::uint32_t agents,
               Layout layout);

    // Other numbers for the same places.
    void set_words(const core::RulesInfo& rules, const std::vector<std::int32_t>& words);

    std::uint32_t agents() const { return agents_; }
    const std::vector<std::int32_t>& actions() const { return actions_; }
    std::vector<std::int32_t>& actions() { return actions_; }

    // Where the numbers lie, for a backend that has attached memory(): one Source a component.
    std::vector<Source> sources(BackendBuffer* buffer) const;
    augur_buffer_desc fields_desc();
    augur_buffer_desc actions_desc();

  private:
    struct Component {
        std::size_t offset;
        std::size_t stride;
        augur_format format;
    };

    std::uint32_t agents_;
    std::vector<Component> components_;
    std::vector<std::uint64_t> storage_;  // 8-byte aligned bytes
    std::vector<std::int32_t> actions_;
};

// Positions of Connect Four from seeded random play, 0 to 30 plies, as words of the rules; some are finished games and
// some are impossible (bad_every: one of so many agents, 0: none).
std::vector<std::int32_t> connect_four_words(std::uint32_t agents, std::uint64_t seed, std::uint32_t bad_every);

// A battle spread over a field, as words of the rules: some of the dead, some alone, some crowded.
std::vector<std::int32_t> skirmish_words(std::uint32_t agents, std::uint64_t seed);

}  // namespace augur::test

#endif
