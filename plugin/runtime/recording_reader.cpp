#include "runtime/recording_reader.h"

#include <cstring>

#include "runtime/binding.h"
#include "runtime/checksum.h"
#include "runtime/message.h"

namespace augur {

namespace {

constexpr std::uint32_t kMostComponents = 32;
constexpr std::uint32_t kMostAgents = 1048576;

}  // namespace

augur_result RecordingReader::damaged(std::uint64_t offset, const char* what) const {
    return fail(AUGUR_ERROR_IO, "recording %s is damaged at offset %llu: %s", shown_path_.c_str(),
                static_cast<unsigned long long>(offset), what);
}

augur_result RecordingReader::read_sealed(std::uint64_t size_bytes, const char* what) {
    const std::uint64_t body = padded(size_bytes);
    const std::uint64_t all = body + sizeof(std::uint64_t);
    if (all > file_.size_bytes() - offset_) return damaged(file_.size_bytes(), "the file ends too early");
    chunk_.resize(all);
    if (!file_.read(offset_, chunk_.data(), all)) return damaged(offset_, "it cannot be read");
    std::uint64_t sum = 0;
    std::memcpy(&sum, chunk_.data() + body, sizeof sum);
    if (sum != checksum(chunk_.data(), body)) return damaged(offset_, what);
    offset_ += all;
    return AUGUR_OK;
}

augur_result RecordingReader::open(const char* path) {
    shown_path_ = quoted(path);
    if (!file_.open(path)) return fail(AUGUR_ERROR_IO, "recording %s: %s", shown_path_.c_str(), file_.error());
    if (file_.size_bytes() < sizeof header_) return damaged(file_.size_bytes(), "the file ends too early");
    if (!file_.read(0, &header_, sizeof header_)) return damaged(0, "it cannot be read");
    if (std::memcmp(header_.magic, kRecordingMagic, sizeof header_.magic) != 0)
        return damaged(0, "it is not a recording");
    if (header_.version != kRecordingVersion)
        return fail(AUGUR_ERROR_IO, "recording %s has version %u at offset 8, this library reads version %u",
                    shown_path_.c_str(), header_.version, kRecordingVersion);
    if (header_.component_count > kMostComponents) return damaged(12, "too many components");
    const std::uint64_t formats_bytes = header_.component_count * sizeof(std::uint32_t);
    if (const augur_result result = read_sealed(sizeof header_ + formats_bytes, "the header's checksum is wrong");
        result != AUGUR_OK)
        return result;
    if (header_.agent_capacity == 0 || header_.agent_capacity > kMostAgents) return damaged(80, "agent_capacity");
    header_.rules[sizeof header_.rules - 1] = '\0';
    formats_.resize(header_.component_count);
    widths_.resize(header_.component_count);
    for (std::uint32_t i = 0; i < formats_.size(); ++i) {
        std::uint32_t form = 0;
        const std::uint64_t at = sizeof header_ + i * sizeof form;
        std::memcpy(&form, chunk_.data() + at, sizeof form);
        formats_[i] = recorded_format(form);
        widths_[i] = recorded_width(form);
        if (form != 0 && format_bytes(formats_[i]) == 0) return damaged(at, "unknown format");
        if (widths_[i] > kMostWidth) return damaged(at, "too many numbers");
        row_bytes_ += agent_bytes(i);
    }
    return AUGUR_OK;
}

augur_result RecordingReader::read_resets() {
    resets_.clear();
    for (ResetChunk reset{}; file_.size_bytes() - offset_ >= sizeof reset; resets_.push_back(reset)) {
        if (!file_.read(offset_, &reset, sizeof reset)) return damaged(offset_, "it cannot be read");
        if (reset.marker != kResetMarker) break;
        const std::uint64_t start = offset_;
        if (reset.first > header_.agent_capacity || reset.count > header_.agent_capacity - reset.first)
            return damaged(start + 4, "agents of a reset");
        if (const augur_result result = read_sealed(sizeof reset, "a reset's checksum is wrong"); result != AUGUR_OK)
            return result;
    }
    return AUGUR_OK;
}

augur_result RecordingReader::next(bool* end) {
    *end = false;
    if (const augur_result result = read_resets(); result != AUGUR_OK) return result;
    if (file_.size_bytes() - offset_ < sizeof(EndChunk)) return damaged(file_.size_bytes(), "the file ends too early");
    EndChunk last{};
    if (!file_.read(offset_, &last, sizeof last)) return damaged(offset_, "it cannot be read");
    const std::uint64_t start = offset_;
    if (last.marker == kEndMarker) {
        if (const augur_result result = read_sealed(sizeof last, "the end's checksum is wrong"); result != AUGUR_OK)
            return result;
        if (last.frames != frames_) return damaged(start, "frames are missing");
        if (offset_ != file_.size_bytes()) return damaged(offset_, "there are bytes behind the end");
        *end = true;
        return AUGUR_OK;
    }
    if (last.marker != kFrameMarker) return damaged(start, "no frame begins here");
    if (file_.size_bytes() - offset_ < sizeof frame_) return damaged(file_.size_bytes(), "the file ends too early");
    if (!file_.read(offset_, &frame_, sizeof frame_)) return damaged(offset_, "it cannot be read");
    if (frame_.agent_count == 0 || frame_.agent_count > header_.agent_capacity)
        return damaged(start + 4, "agent_count");
    if (frame_.simulations > header_.simulations) return damaged(start + 8, "simulations");
    ++frames_;
    return read_sealed(sizeof frame_ + row_bytes_ * frame_.agent_count, "the frame's checksum is wrong");
}

const unsigned char* RecordingReader::component(std::uint32_t index) const {
    if (formats_[index] == 0) return nullptr;
    std::uint64_t offset = sizeof frame_;
    for (std::uint32_t i = 0; i < index; ++i)
        offset += agent_bytes(i) * frame_.agent_count;
    return chunk_.data() + offset;
}

std::uint64_t RecordingReader::agent_bytes(std::uint32_t index) const {
    return std::uint64_t{format_bytes(formats_[index])} * widths_[index];
}

}  // namespace augur
