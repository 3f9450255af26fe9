// A block of device memory, divided among arrays.
#ifndef AUGUR_BACKEND_CUDA_SLICES_H
#define AUGUR_BACKEND_CUDA_SLICES_H

#include <cstdint>

namespace augur::cuda {

class Slices {
  public:
    // base: where the block begins; 0: only sizes are added up.
    explicit Slices(std::uintptr_t base) : base_(base) {}

    // The next array; null where it has no items, or there is no block.
    template <class T>
    void take(T*& pointer, std::uint64_t count) {
        pointer = count == 0 || base_ == 0 ? nullptr : reinterpret_cast<T*>(base_ + used_);
        used_ = (used_ + count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    }
    std::uint64_t bytes() const { return used_; }

  private:
    static constexpr std::uint64_t kAlignment = 256;

    std::uintptr_t base_;
    std::uint64_t used_ = 0;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_SLICES_H
