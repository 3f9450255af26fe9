// Random numbers without a generator state: Philox4x32-10 turns (seed, frame, agent, simulation, purpose, index) into
// bits. Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#ifndef AUGUR_KIT_RANDOM_H
#define AUGUR_KIT_RANDOM_H

#include <augur/kit/platform.h>

namespace augur::kit {

struct Block128 {
    std::uint32_t word[4];
};

// The Philox4x32 bijection with 10 rounds. Cost: about 60 integer operations.
AUGUR_HD_INLINE Block128 philox4x32(Block128 counter, std::uint32_t key0, std::uint32_t key1) {
    std::uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
    AUGUR_UNROLL
    for (int round = 0; round < 10; ++round) {
        const std::uint32_t high0 = multiply_high(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        const std::uint32_t high1 = multiply_high(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
        c0 = high1 ^ c1 ^ key0;
        c1 = low1;
        c2 = high0 ^ c3 ^ key1;
        c3 = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

// What a random number is for; streams with different purposes are independent.
enum class Purpose : std::uint32_t { rollout = 0, chance = 1, host = 2, selection = 3, gumbel = 4 };

// Who draws: one key per planner and frame.
struct RandomKey {
    std::uint64_t seed;   // of the planner
    std::uint64_t frame;  // request number; all 64 bits count
};

// A stream of random numbers for one simulation of one agent. 40 bytes, lives in registers.
// Draws of 16 bits: eight to a Philox block.
class Random {
  public:
    AUGUR_HD_INLINE Random(const RandomKey& key, std::uint32_t agent, std::uint32_t simulation, Purpose purpose)
        : low_(0),
          high_(0),
          key0_(static_cast<std::uint32_t>(key.seed)),
          key1_(static_cast<std::uint32_t>(key.seed >> 32) ^ static_cast<std::uint32_t>(key.frame >> 32)),
          frame_(static_cast<std::uint32_t>(key.frame)),
          agent_(agent),
          simulation_(simulation),
          block_(static_cast<std::uint32_t>(purpose) << 28),
          left_(0) {}

    // 16 fresh bits, 0 .. 65535.
    AUGUR_HD_INLINE std::uint32_t bits16() {
        if (left_ == 0) refill();
        const std::uint32_t bits = static_cast<std::uint32_t>(low_) & 0xffffu;
        low_ = (low_ >> 16) | (high_ << 48);
        high_ >>= 16;
        --left_;
        return bits;
    }

    // 32 fresh bits: four to a block. 16 bits may be left over between draws of both sizes and are passed over.
    AUGUR_HD_INLINE std::uint32_t bits32() {
        if (left_ < 2) refill();
        const std::uint32_t bits = static_cast<std::uint32_t>(low_);
        low_ = (low_ >> 32) | (high_ << 32);
        high_ >>= 32;
        left_ -= 2;
        return bits;
    }

    // A whole number 0 .. n-1, n in 1 .. 65536. Each is within n / 65536 of its share (multiply-shift; Lemire 2019).
    AUGUR_HD_INLINE std::uint32_t below(std::uint32_t n) { return (bits16() * n) >> 16; }

    // True with probability numerator / 65536.
    AUGUR_HD_INLINE bool chance(std::uint32_t numerator) { return bits16() < numerator; }

  private:
    AUGUR_HD_INLINE void refill() {
        const Block128 b = philox4x32({{block_, simulation_, agent_, frame_}}, key0_, key1_);
        low_ = b.word[0] | (static_cast<std::uint64_t>(b.word[1]) << 32);
        high_ = b.word[2] | (static_cast<std::uint64_t>(b.word[3]) << 32);
        ++block_;
        left_ = 8;
    }

    std::uint64_t low_, high_;
    std::uint32_t key0_, key1_, frame_, agent_, simulation_, block_, left_;
};

}  // namespace augur::kit

#endif  // AUGUR_KIT_RANDOM_H
