// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): random numbers for tests that
// must not come from the plugin under test.

#ifndef AUGUR_TESTS_SUPPORT_SPLIT_MIX_H
#define AUGUR_TESTS_SUPPORT_SPLIT_MIX_H

#include <cstdint>

namespace augur::test {

class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    // 64 uniform bits.
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t word = state_;
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9ULL;
        word = (word ^ word >> 27) * 0x94D049BB133111EBULL;
        return word ^ word >> 31;
    }

    // 0..bound-1, bound at least 1. The bias of the remainder is bound / 2^64: nothing for a test.
    int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }

  private:
    std::uint64_t state_;
};

}  // namespace augur::test

#endif
