// Everything that differs from one operating system or processor to the next. A port of Augur is a port of system.cpp.
#ifndef AUGUR_RUNTIME_SYSTEM_H
#define AUGUR_RUNTIME_SYSTEM_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace augur::system {

// Nanoseconds of the steady clock of this process. Never goes back; no wall clock moves it.
std::uint64_t now_ns();

// Id of the calling process; differs in a forked child. Cost: well below a microsecond.
std::uint32_t process_id();

// Cores that the calling thread may run on, by its affinity mask. At least 1.
std::uint32_t core_count();

// Name of the processor as the machine gives it, or "CPU".
std::string cpu_name();

// Shown by debuggers and profilers; at most 15 bytes.
void name_thread(const char* name);

// Lets another thread run: attempts 0, 1, 2 ... of a wait loop give way more and more, up to 50 us each.
void back_off(std::uint32_t attempt);

// Memory from the C library; null when there is none. alignment: power of two.
void* allocate_aligned(std::size_t size_bytes, std::size_t alignment);
void release_aligned(void* pointer);

// While one of these lives, the calling thread rounds to nearest and keeps denormals, whatever the host chose; the
// host's mode and exception flags come back at its end.
class DefaultFloatingPoint {
  public:
    DefaultFloatingPoint();
    ~DefaultFloatingPoint();
    DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
    DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

  private:
    alignas(8) unsigned char saved_[64];
};

// A file that takes the place of path only when it is complete: written beside it under another name, renamed by
// commit. Paths are UTF-8. Every failure leaves the reason in error().
class OutputFile {
  public:
    OutputFile() = default;
    ~OutputFile();  // removes what was not committed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    bool open(const char* path);
    bool is_open() const { return descriptor_ >= 0; }
    bool write(const void* data, std::size_t size_bytes);  // never allocates
    bool commit();                                         // closes in any case
    void discard();
    const char* error() const { return error_; }

  private:
    bool failed(const char* what);

    int descriptor_ = -1;
    std::string path_;
    std::string partial_path_;
    char error_[160] = "";
};

// An ordinary file, read piece by piece.
class InputFile {
  public:
    InputFile() = default;
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    bool open(const char* path);
    std::uint64_t size_bytes() const { return size_bytes_; }
    // All size_bytes from offset on, or false.
    bool read(std::uint64_t offset, void* data, std::size_t size_bytes);
    // After an open that failed: whether there is nothing by that name.
    bool is_missing() const { return missing_; }
    const char* error() const { return error_; }

  private:
    int descriptor_ = -1;
    bool missing_ = false;
    std::uint64_t size_bytes_ = 0;
    char error_[160] = "";
};

}  // namespace augur::system

#endif  // AUGUR_RUNTIME_SYSTEM_H
