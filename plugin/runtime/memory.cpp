#include "runtime/memory.h"

#include <algorithm>
#include <new>

#include "runtime/callback.h"
#include "runtime/system.h"

namespace augur {

void* HostMemory::from_host(std::size_t size_bytes, std::size_t alignment) {
    if (allocator_.allocate == nullptr) return system::allocate_aligned(size_bytes, alignment);
    void* pointer = nullptr;
    if (!call_host([&] { pointer = allocator_.allocate(allocator_.user, size_bytes, alignment); })) {
        log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK, "the host's allocate threw an exception");
        return nullptr;
    }
    if (pointer != nullptr && (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) != 0) {
        log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK, "the host's allocate gave a mis-aligned block");
        call_host([&] { allocator_.release(allocator_.user, pointer, size_bytes); });
        return nullptr;
    }
    return pointer;
}

bool HostMemory::insert(void* pointer, std::size_t size_bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    const Block block{begin, begin + size_bytes};
    const std::lock_guard lock(mutex_);
    const auto after = std::lower_bound(blocks_.begin(), blocks_.end(), block,
                                        [](const Block& a, const Block& b) { return a.begin < b.begin; });
    const bool overlaps =
        (after != blocks_.end() && after->begin < block.end) || (after != blocks_.begin() && (after - 1)->end > begin);
    if (overlaps) return false;
    blocks_.insert(after, block);
    return true;
}

void* HostMemory::allocate(std::size_t size_bytes, std::size_t alignment) {
    if (size_bytes == 0) size_bytes = 1;
    void* pointer = from_host(size_bytes, alignment);
    if (pointer == nullptr) return nullptr;
    try {
        if (insert(pointer, size_bytes)) return pointer;
    } catch (const std::bad_alloc&) {
        if (allocator_.allocate == nullptr)
            system::release_aligned(pointer);
        else
            call_host([&] { allocator_.release(allocator_.user, pointer, size_bytes); });
        return nullptr;
    }
    // Giving it back would free the block that is still in use.
    log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK, "the host's allocate gave out a block that is still in use");
    return nullptr;
}

void HostMemory::release(void* pointer, std::size_t size_bytes) {
    if (pointer == nullptr) return;
    if (size_bytes == 0) size_bytes = 1;
    {
        const std::lock_guard lock(mutex_);
        const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
        const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), begin,
                                            [](const Block& a, std::uintptr_t b) { return a.begin < b; });
        if (found != blocks_.end() && found->begin == begin) blocks_.erase(found);
    }
    if (allocator_.allocate == nullptr) {
        system::release_aligned(pointer);
    } else if (!call_host([&] { allocator_.release(allocator_.user, pointer, size_bytes); })) {
        log_.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_CALLBACK, "the host's release threw an exception");
    }
}

std::uint64_t HostMemory::bytes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const Block& block : blocks_)
        sum += block.end - block.begin;
    return sum;
}

}  // namespace augur
