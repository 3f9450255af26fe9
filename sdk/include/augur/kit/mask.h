// Which of K actions are legal: one bit each.
#ifndef AUGUR_KIT_MASK_H
#define AUGUR_KIT_MASK_H

#include <augur/kit/platform.h>

#include <type_traits>

namespace augur::kit {

// Index of the set bit number n (0 is the lowest) of a word. n must be below popcount(bits).
// Halves the word by counting, so the cost is log2(Width) steps without a branch.
template <int Width, class Word>
AUGUR_HD_INLINE int nth_set_bit(Word bits, int n) {
    int index = 0;
    AUGUR_UNROLL
    for (int half = Width / 2; half > 0; half /= 2) {
        const Word low_mask = (Word(1) << half) - 1;
        const int low = popcount(static_cast<Word>(bits & low_mask));
        const bool high = n >= low;
        n -= high ? low : 0;
        index += high ? half : 0;
        bits = static_cast<Word>(high ? (bits >> half) : (bits & low_mask));
    }
    return index;
}

constexpr int next_power_of_two(int x) {
    int p = 1;
    while (p < x)
        p *= 2;
    return p;
}

// K is the action count [1 .. 4096]. Bits at and above K are always 0.
template <int K>
struct ActionMask {
    static_assert(K >= 1 && K <= 4096, "an action count is 1 .. 4096");
    using Word = std::conditional_t<(K <= 32), std::uint32_t, std::uint64_t>;
    static constexpr int kWordBits = static_cast<int>(sizeof(Word)) * 8;
    static constexpr int kWords = (K + kWordBits - 1) / kWordBits;

    Word words[kWords];

    AUGUR_HD_INLINE static ActionMask none() {
        ActionMask m;
        for (int w = 0; w < kWords; ++w)
            m.words[w] = 0;
        return m;
    }

    AUGUR_HD_INLINE static ActionMask all() {
        ActionMask m;
        for (int w = 0; w < kWords; ++w)
            m.words[w] = valid_bits(w);
        return m;
    }

    // The lowest K bits of bits; for K <= the word's width.
    AUGUR_HD_INLINE static ActionMask from_bits(Word bits) {
        static_assert(kWords == 1);
        ActionMask m;
        m.words[0] = static_cast<Word>(bits & valid_bits(0));
        return m;
    }

    AUGUR_HD_INLINE bool test(int action) const { return (words[action / kWordBits] >> (action % kWordBits)) & 1; }
    AUGUR_HD_INLINE void set(int action) { words[action / kWordBits] |= Word(1) << (action % kWordBits); }
    AUGUR_HD_INLINE void clear(int action) {
        words[action / kWordBits] &= static_cast<Word>(~(Word(1) << (action % kWordBits)));
    }

    AUGUR_HD_INLINE bool any() const {
        Word all = 0;
        for (int w = 0; w < kWords; ++w)
            all |= words[w];
        return all != 0;
    }

    AUGUR_HD_INLINE int count() const {
        int n = 0;
        for (int w = 0; w < kWords; ++w)
            n += popcount(words[w]);
        return n;
    }

    // Lowest action in the mask; K when the mask is empty.
    AUGUR_HD_INLINE int first() const {
        for (int w = 0; w < kWords; ++w)
            if (words[w] != 0) return w * kWordBits + lowest_bit(words[w]);
        return K;
    }

    // Action number n of the mask, counted from the lowest; n must be below count().
    AUGUR_HD_INLINE int nth(int n) const {
        if constexpr (kWords == 1) {
            return nth_set_bit<next_power_of_two(K)>(words[0], n);
        } else {
            int w = 0;
            for (; w < kWords - 1; ++w) {
                const int here = popcount(words[w]);
                if (n < here) break;
                n -= here;
            }
            return w * kWordBits + nth_set_bit<kWordBits>(words[w], n);
        }
    }

    AUGUR_HD_INLINE friend ActionMask operator&(ActionMask a, const ActionMask& b) {
        for (int w = 0; w < kWords; ++w)
            a.words[w] &= b.words[w];
        return a;
    }
    AUGUR_HD_INLINE friend ActionMask operator|(ActionMask a, const ActionMask& b) {
        for (int w = 0; w < kWords; ++w)
            a.words[w] |= b.words[w];
        return a;
    }
    AUGUR_HD_INLINE ActionMask without(const ActionMask& b) const {
        ActionMask m = *this;
        for (int w = 0; w < kWords; ++w)
            m.words[w] &= static_cast<Word>(~b.words[w]);
        return m;
    }
    AUGUR_HD_INLINE bool operator==(const ActionMask& b) const {
        Word different = 0;
        for (int w = 0; w < kWords; ++w)
            different |= static_cast<Word>(words[w] ^ b.words[w]);
        return different == 0;
    }

  private:
    AUGUR_HD_INLINE static constexpr Word valid_bits(int w) {
        const int bits = K - w * kWordBits;
        return bits >= kWordBits ? static_cast<Word>(~Word(0)) : static_cast<Word>((Word(1) << bits) - 1);
    }
};

}  // namespace augur::kit

#endif  // AUGUR_KIT_MASK_H
