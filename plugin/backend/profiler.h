// Named ranges on the calling thread for a profiler that watches the process (NVIDIA Nsight Systems, through NVTX).
// Without one they cost a load and a branch; in a build without CUDA, or with AUGUR_NVTX off, nothing is behind them.
#ifndef AUGUR_BACKEND_PROFILER_H
#define AUGUR_BACKEND_PROFILER_H

namespace augur {

// name: static text. Ranges of a thread end in the opposite order of their beginning.
void begin_profiler_range(const char* name);
void end_profiler_range();

class ProfilerRange {
  public:
    explicit ProfilerRange(const char* name) { begin_profiler_range(name); }
    ~ProfilerRange() { end_profiler_range(); }
    ProfilerRange(const ProfilerRange&) = delete;
    ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace augur

#endif  // AUGUR_BACKEND_PROFILER_H
