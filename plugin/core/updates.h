// How shared search statistics are changed: plainly where one thread owns the tree, atomically where several do.
#ifndef AUGUR_CORE_UPDATES_H
#define AUGUR_CORE_UPDATES_H

#include <augur/kit/platform.h>

namespace augur::core {

struct PlainUpdates {
    AUGUR_HD_INLINE void add(std::uint64_t* to, std::uint64_t amount) const { *to += amount; }
    AUGUR_HD_INLINE void add(std::uint32_t* to, std::uint32_t amount) const { *to += amount; }
    AUGUR_HD_INLINE void lower_to(std::uint32_t* to, std::uint32_t value) const {
        if (value < *to) *to = value;
    }
    AUGUR_HD_INLINE void set_bits(std::uint32_t* to, std::uint32_t bits) const { *to |= bits; }
    AUGUR_HD_INLINE void set_bits(std::uint64_t* to, std::uint64_t bits) const { *to |= bits; }
    // Puts desired where expected was; what was there before.
    AUGUR_HD_INLINE std::uint64_t exchange_if(std::uint64_t* at, std::uint64_t expected, std::uint64_t desired) const {
        const std::uint64_t before = *at;
        if (before == expected) *at = desired;
        return before;
    }
};

}  // namespace augur::core

#endif  // AUGUR_CORE_UPDATES_H
