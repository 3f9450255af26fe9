#include "device_memory.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace augur::bench {
namespace {

// The few calls of the driver's C interface that are needed; results are 0 where a call succeeded.
struct Driver {
    int (*init)(unsigned int) = nullptr;
    int (*device_get)(int*, int) = nullptr;
    int (*primary_retain)(void**, int) = nullptr;
    int (*context_push)(void*) = nullptr;
    int (*context_pop)(void**) = nullptr;
    int (*memory_allocate)(unsigned long long*, std::size_t) = nullptr;
    int (*memory_free)(unsigned long long) = nullptr;
    int (*copy_to_device)(unsigned long long, const void*, std::size_t) = nullptr;
    void* context = nullptr;  // the primary context of device 0, kept until the process ends

    Driver() {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw std::runtime_error("no CUDA driver library is installed");
        find(library, "cuInit", init);
        find(library, "cuDeviceGet", device_get);
        find(library, "cuDevicePrimaryCtxRetain", primary_retain);
        find(library, "cuCtxPushCurrent_v2", context_push);
        find(library, "cuCtxPopCurrent_v2", context_pop);
        find(library, "cuMemAlloc_v2", memory_allocate);
        find(library, "cuMemFree_v2", memory_free);
        find(library, "cuMemcpyHtoD_v2", copy_to_device);
        int device = 0;
        expect("cuInit", init(0));
        expect("cuDeviceGet", device_get(&device, 0));
        expect("cuDevicePrimaryCtxRetain", primary_retain(&context, device));
    }

    template <class Function>
    static void find(void* library, const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (function == nullptr) throw std::runtime_error(std::string("the CUDA driver has no ") + name);
    }
    static void expect(const char* name, int result) {
        if (result != 0) throw std::runtime_error(std::string(name) + " failed with " + std::to_string(result));
    }
};

const Driver& driver() {
    static const Driver instance;
    return instance;
}

class Current {
  public:
    Current() { Driver::expect("cuCtxPushCurrent", driver().context_push(driver().context)); }
    ~Current() {
        void* popped = nullptr;
        driver().context_pop(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
};

}  // namespace

void* first_device_context() {
    return driver().context;
}

DeviceMemory::DeviceMemory(const void* from, std::size_t size_bytes) {
    const Current current;
    unsigned long long address = 0;
    Driver::expect("cuMemAlloc", driver().memory_allocate(&address, size_bytes));
    address_ = static_cast<std::uintptr_t>(address);
    const int copied = driver().copy_to_device(address, from, size_bytes);
    if (copied != 0) driver().memory_free(address);
    Driver::expect("cuMemcpyHtoD", copied);
}

DeviceMemory::~DeviceMemory() {
    const Current current;
    driver().memory_free(address_);
}

}  // namespace augur::bench
