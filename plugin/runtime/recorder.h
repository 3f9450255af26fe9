// Writes a planner's frames into a file while it runs.
#ifndef AUGUR_RUNTIME_RECORDER_H
#define AUGUR_RUNTIME_RECORDER_H

#include <string>
#include <vector>

#include "backend/backend.h"
#include "runtime/binding.h"
#include "runtime/system.h"

namespace augur {

class Recorder {
  public:
    bool active() const { return active_; }

    // Takes the memory that recording needs. Every bound field has bytes in host memory. model: identity of the network
    // that guides, or of learned rules; 0: none.
    augur_result start(const char* path, const EngineDesc& desc, std::uint64_t model, const std::vector<Bound>& fields);
    // Adds a finished frame. Allocates nothing. A failed write is logged once and returned by stop.
    void add(const FrameWork& work, const FrameOutput& output, const std::vector<Bound>& fields, Log& log);
    // Notes that trees were forgotten before the next frame.
    void add_reset(std::uint32_t first, std::uint32_t count, Log& log);
    // Completes the file; without this it does not appear.
    augur_result stop();

  private:
    void write(std::size_t size_bytes, Log& log);

    system::OutputFile file_;
    std::string shown_path_;
    std::vector<unsigned char> chunk_;
    std::uint64_t frames_ = 0;
    bool active_ = false;
    bool failed_ = false;
    std::uint32_t agent_capacity_ = 0;
    bool carries_ = false;  // trees go on from frame to frame
    bool adrift_ = false;   // they are what a frame left that cannot be repeated
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_RECORDER_H
