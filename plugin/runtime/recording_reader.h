// Reads a recording chunk by chunk and believes nothing in it.
#ifndef AUGUR_RUNTIME_RECORDING_READER_H
#define AUGUR_RUNTIME_RECORDING_READER_H

#include <augur/base.h>

#include <string>
#include <vector>

#include "runtime/recording_format.h"
#include "runtime/system.h"

namespace augur {

class RecordingReader {
  public:
    // Reads and checks the header.
    augur_result open(const char* path);

    const RecordingHeader& header() const { return header_; }
    const std::vector<std::uint32_t>& formats() const { return formats_; }  // [components]; 0: not bound
    // Numbers of a component that an agent has side by side.
    std::uint32_t width(std::uint32_t index) const { return widths_[index]; }
    // Bytes that an agent has of a component; 0: not bound.
    std::uint64_t agent_bytes(std::uint32_t index) const;

    // Reads the next frame. *end: there was none, and the file is complete.
    augur_result next(bool* end);
    const FrameHead& frame() const { return frame_; }
    // What was forgotten between the frame before and this one, in order.
    const std::vector<ResetChunk>& resets() const { return resets_; }
    // Packed numbers of a component in the frame read last, [agents]; null where it was not bound.
    const unsigned char* component(std::uint32_t index) const;

  private:
    augur_result damaged(std::uint64_t offset, const char* what) const;
    // Reads the resets that come next.
    augur_result read_resets();
    // Reads size_bytes plus padding and checksum into chunk_, which starts with head_bytes read already.
    augur_result read_sealed(std::uint64_t size_bytes, const char* what);

    system::InputFile file_;
    std::string shown_path_;
    std::uint64_t offset_ = 0;
    RecordingHeader header_{};
    std::vector<std::uint32_t> formats_, widths_;
    std::uint64_t row_bytes_ = 0;
    FrameHead frame_{};
    std::vector<ResetChunk> resets_;
    std::vector<unsigned char> chunk_;
    std::uint64_t frames_ = 0;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_RECORDING_READER_H
