// How much memory this process has, as its C library and Linux tell. 0 where they do not.
#ifndef AUGUR_TESTS_SUPPORT_PROCESS_MEMORY_H
#define AUGUR_TESTS_SUPPORT_PROCESS_MEMORY_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define AUGUR_HAS_MALLINFO2 1
#endif
#endif

namespace augur::test {

// Allocated and not freed.
inline std::uint64_t allocated_bytes() {
#ifdef AUGUR_HAS_MALLINFO2
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

// A line of /proc/self/status.
inline std::uint64_t status_bytes(const char* name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(name, 0) == 0) return std::strtoull(line.c_str() + std::strlen(name), nullptr, 10) * 1024;
    return 0;
}

inline std::uint64_t resident_bytes() {
    return status_bytes("VmRSS:");
}

// Since the last begin_peak.
inline std::uint64_t peak_resident_bytes() {
    return status_bytes("VmHWM:");
}
inline void begin_peak() {
    std::ofstream("/proc/self/clear_refs") << 5;
}

// Gives back what the allocator keeps without need.
inline void trim_allocator() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace augur::test

#endif
