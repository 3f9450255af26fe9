// A checksum for files of ours: any change of a single 64-bit word changes it, others do with probability 1 - 2^-64.
#ifndef AUGUR_RUNTIME_CHECKSUM_H
#define AUGUR_RUNTIME_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace augur {

// Eight bytes a step, each step a bijection of the state (FNV-1a widened to words). Pieces may be added one after the
// other where every piece but the last has a multiple of 8 bytes.
inline std::uint64_t checksum(const void* data, std::size_t size_bytes, std::uint64_t state = 0xcbf29ce484222325ull) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    while (size_bytes > 0) {
        std::uint64_t word = 0;
        const std::size_t taken = size_bytes < 8 ? size_bytes : 8;
        std::memcpy(&word, bytes, taken);
        state = (state ^ word) * 0x9e3779b97f4a7c15ull;
        state ^= state >> 32;
        bytes += taken;
        size_bytes -= taken;
    }
    return state;
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_CHECKSUM_H
