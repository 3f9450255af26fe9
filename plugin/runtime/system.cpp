#include "runtime/system.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace augur::system {

std::uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint32_t process_id() {
    return static_cast<std::uint32_t>(getpid());
}

std::uint32_t core_count() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        const int count = CPU_COUNT(&allowed);
        if (count > 0) return static_cast<std::uint32_t>(count);
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<std::uint32_t>(online) : 1u;
}

std::string cpu_name() {
    std::string name = "CPU";
    FILE* file = std::fopen("/proc/cpuinfo", "re");
    if (file == nullptr) return name;
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
        const char* colon = std::strchr(line, ':');
        if (std::strncmp(line, "model name", 10) != 0 || colon == nullptr) continue;
        name = colon + 1;
        name.erase(0, name.find_first_not_of(" \t"));
        name.erase(name.find_last_not_of(" \t\r\n") + 1);
        break;
    }
    std::fclose(file);
    return name;
}

void name_thread(const char* name) {
    char text[16];
    std::snprintf(text, sizeof text, "%s", name);
    pthread_setname_np(pthread_self(), text);
}

void back_off(std::uint32_t attempt) {
    if (attempt < 16) {
        sched_yield();
        return;
    }
    const timespec pause{0, 50000};
    nanosleep(&pause, nullptr);
}

void* allocate_aligned(std::size_t size_bytes, std::size_t alignment) {
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
    void* pointer = nullptr;
    return posix_memalign(&pointer, alignment, size_bytes) == 0 ? pointer : nullptr;
}

void release_aligned(void* pointer) {
    std::free(pointer);
}

#if defined(__x86_64__)
namespace {

// The two control words: SSE, which all arithmetic here uses, and x87, which long double and fegetround use.
struct ControlWords {
    unsigned int sse;
    unsigned short x87;

    static ControlWords current() {
        ControlWords words{_mm_getcsr(), 0};
        __asm__ volatile("fnstcw %0" : "=m"(words.x87));
        return words;
    }
    void set() const {
        _mm_setcsr(sse);
        __asm__ volatile("fldcw %0" : : "m"(x87));
    }
};

// All exceptions masked, round to nearest, denormals kept.
constexpr ControlWords kDefaultWords = {0x1f80, 0x037f};

}  // namespace

DefaultFloatingPoint::DefaultFloatingPoint() {
    const ControlWords words = ControlWords::current();
    static_assert(sizeof words <= sizeof saved_);
    std::memcpy(saved_, &words, sizeof words);
    if (words.sse != kDefaultWords.sse || words.x87 != kDefaultWords.x87) kDefaultWords.set();
}

DefaultFloatingPoint::~DefaultFloatingPoint() {
    ControlWords words;
    std::memcpy(&words, saved_, sizeof words);
    words.set();
}
#else
DefaultFloatingPoint::DefaultFloatingPoint() {
    static_assert(sizeof(std::fenv_t) <= sizeof saved_);
    std::fenv_t current;
    std::fegetenv(&current);
    std::memcpy(saved_, &current, sizeof current);
    std::fesetenv(FE_DFL_ENV);
}

DefaultFloatingPoint::~DefaultFloatingPoint() {
    std::fenv_t saved;
    std::memcpy(&saved, saved_, sizeof saved);
    std::fesetenv(&saved);
}
#endif

OutputFile::~OutputFile() {
    discard();
}

bool OutputFile::failed(const char* what) {
    const int reason = errno;
    char text[96] = "";
    // The GNU form returns the text, the POSIX form fills the array.
    const auto described = strerror_r(reason, text, sizeof text);
    if constexpr (std::is_same_v<decltype(described), char* const>)
        std::snprintf(error_, sizeof error_, "%s: %s", what, described);
    else
        std::snprintf(error_, sizeof error_, "%s: %s", what, text);
    return false;
}

bool OutputFile::open(const char* path) {
    discard();
    static std::atomic<std::uint32_t> serial{0};
    path_ = path;
    struct stat existing {};
    if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode)) {
        errno = S_ISDIR(existing.st_mode) ? EISDIR : EINVAL;
        return failed("not an ordinary file");
    }
    partial_path_ = path_ + ".part" + std::to_string(process_id()) + "." + std::to_string(serial.fetch_add(1));
    descriptor_ = ::open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0 || failed("cannot create");
}

bool OutputFile::write(const void* data, std::size_t size_bytes) {
    const char* next = static_cast<const char*>(data);
    while (size_bytes > 0) {
        const ssize_t written = ::write(descriptor_, next, size_bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed("cannot write");
        next += written;
        size_bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

bool OutputFile::commit() {
    if (descriptor_ < 0) return false;
    // Without fsync a power cut could leave the new name with no content.
    const bool synced = fsync(descriptor_) == 0 || errno == EINVAL || errno == ENOTSUP || failed("cannot write");
    const bool closed = ::close(descriptor_) == 0 || failed("cannot close");
    descriptor_ = -1;
    const bool renamed =
        synced && closed && (std::rename(partial_path_.c_str(), path_.c_str()) == 0 || failed("cannot rename"));
    if (!renamed) ::unlink(partial_path_.c_str());
    return renamed;
}

void OutputFile::discard() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    descriptor_ = -1;
    ::unlink(partial_path_.c_str());
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool InputFile::open(const char* path) {
    const auto failed = [this](const char* reason) {
        std::snprintf(error_, sizeof error_, "%s", reason);
        return false;
    };
    // Without O_NONBLOCK a pipe would wait for its writer.
    descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        missing_ = errno == ENOENT || errno == ENOTDIR;
        switch (errno) {
            case ENOENT:
                return failed("there is no such file");
            case EACCES:
                return failed("no permission to read it");
            case ENOTDIR:
                return failed("a part of its path is not a folder");
            case ENAMETOOLONG:
                return failed("its path is too long");
            case EISDIR:
                return failed("it is a folder");
            default:
                return failed("it cannot be opened");
        }
    }
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return failed("it is not an ordinary file");
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    return true;
}

bool InputFile::read(std::uint64_t offset, void* data, std::size_t size_bytes) {
    char* next = static_cast<char*>(data);
    while (size_bytes > 0) {
        const ssize_t got = pread(descriptor_, next, size_bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        next += got;
        offset += static_cast<std::uint64_t>(got);
        size_bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace augur::system
