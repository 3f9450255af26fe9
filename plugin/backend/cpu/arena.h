// Places arrays one after the other in one block of memory; with no block it only adds up the bytes.
#ifndef AUGUR_BACKEND_CPU_ARENA_H
#define AUGUR_BACKEND_CPU_ARENA_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/backend.h"

namespace augur {

inline constexpr std::size_t kArenaAlignment = 256;

class Arena {
  public:
    explicit Arena(void* base) : base_(static_cast<unsigned char*>(base)) {}

    template <class T>
    T* take(std::size_t count) {
        const std::size_t start = used_;
        used_ = (used_ + count * sizeof(T) + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
        return base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + start);
    }

    std::size_t size_bytes() const { return used_; }

  private:
    unsigned char* base_;
    std::size_t used_ = 0;
};

// The block of an arena: zeros, so that no page is touched for the first time in a frame. Null where there is no
// memory.
inline void* allocate_touched(Memory& memory, std::size_t size_bytes) {
    void* const block = memory.allocate(size_bytes, kArenaAlignment);
    if (block != nullptr) std::memset(block, 0, size_bytes);
    return block;
}

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_ARENA_H
