// Memory of planners and staging copies: the host's allocator, checked, or the C library's.
#ifndef AUGUR_RUNTIME_MEMORY_H
#define AUGUR_RUNTIME_MEMORY_H

#include <mutex>
#include <vector>

#include "backend/backend.h"

namespace augur {

// Any thread. A null, mis-aligned or twice given block is answered with null and one message.
class HostMemory final : public Memory {
  public:
    HostMemory(const augur_allocator& allocator, Log& log) : allocator_(allocator), log_(log) {}
    ~HostMemory() override = default;

    void* allocate(std::size_t size_bytes, std::size_t alignment) override;
    void release(void* pointer, std::size_t size_bytes) override;

    // Held now.
    std::uint64_t bytes() const;

  private:
    struct Block {
        std::uintptr_t begin;
        std::uintptr_t end;
    };

    void* from_host(std::size_t size_bytes, std::size_t alignment);
    bool insert(void* pointer, std::size_t size_bytes);

    augur_allocator allocator_;
    Log& log_;
    mutable std::mutex mutex_;   // never held while the host's functions run
    std::vector<Block> blocks_;  // sorted
};

// Owns one block of a Memory.
class MemoryBlock {
  public:
    MemoryBlock() = default;
    ~MemoryBlock() { reset(); }
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;

    bool allocate(Memory& memory, std::size_t size_bytes, std::size_t alignment) {
        reset();
        data_ = memory.allocate(size_bytes, alignment);
        memory_ = &memory;
        size_bytes_ = size_bytes;
        return data_ != nullptr;
    }
    void reset() {
        if (data_ != nullptr) memory_->release(data_, size_bytes_);
        data_ = nullptr;
    }
    unsigned char* data() const { return static_cast<unsigned char*>(data_); }

  private:
    void* data_ = nullptr;
    Memory* memory_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_MEMORY_H
