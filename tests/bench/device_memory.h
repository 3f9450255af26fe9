// CUDA device memory without a CUDA header: the driver's library is opened at run time, as a host without the toolkit
// would.
#ifndef AUGUR_TESTS_BENCH_DEVICE_MEMORY_H
#define AUGUR_TESTS_BENCH_DEVICE_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace augur::bench {

// Memory of CUDA device 0, allocated in its primary context.
class DeviceMemory {
  public:
    // Holds a copy of size_bytes bytes of `from`. Throws std::runtime_error where there is no driver or no memory.
    DeviceMemory(const void* from, std::size_t size_bytes);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    void* pointer() const { return reinterpret_cast<void*>(address_); }

  private:
    std::uintptr_t address_ = 0;
};

// The CUcontext of DeviceMemory, for a case whose host lends its own. Throws std::runtime_error where there is no
// driver.
void* first_device_context();

}  // namespace augur::bench

#endif
