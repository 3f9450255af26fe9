// The file a planner's frames are recorded into: a header, one chunk per frame, an end chunk. All numbers
// little-endian.
//
//   RecordingHeader | form of each component, uint32 [components] | padding to 8 | checksum
//   FrameHead | numbers of each bound component, packed [agents], one after the other | padding to 8 | checksum
//   or ResetChunk | checksum: before the next frame trees were forgotten
//   (repeated) EndChunk | checksum
//
// A form is the augur_format (0: not bound) in the low 8 bits, and above them how many numbers an agent has side by
// side where these are more than one.
// A checksum covers its chunk from the first byte on, padding (zero) included, so a file is whole or it is refused.
#ifndef AUGUR_RUNTIME_RECORDING_FORMAT_H
#define AUGUR_RUNTIME_RECORDING_FORMAT_H

#include <bit>
#include <cstdint>

namespace augur {

static_assert(std::endian::native == std::endian::little, "recordings are written in the machine's own byte order");

inline constexpr char kRecordingMagic[8] = {'A', 'U', 'G', 'U', 'R', 'R', 'E', 'C'};
inline constexpr std::uint32_t kRecordingVersion = 3;
inline constexpr std::uint32_t kFrameMarker = 0x4d415246;  // "FRAM"
inline constexpr std::uint32_t kResetMarker = 0x54455352;  // "RSET"
inline constexpr std::uint32_t kEndMarker = 0x52444e45;    // "ENDR"

struct RecordingHeader {
    char magic[8];
    std::uint32_t version;
    std::uint32_t component_count;
    char rules[64];
    std::uint32_t agent_capacity;
    std::uint32_t search;
    std::uint32_t selection;
    std::uint32_t simulations;
    std::uint32_t horizon;
    float exploration;
    std::int32_t discount;  // Q16
    std::uint32_t node_capacity;
    std::uint32_t leaves_per_wave;
    std::uint32_t early_stop;
    std::uint32_t transpositions;
    std::uint32_t considered_actions;
    std::uint64_t seed;
    std::uint64_t model;  // LoadedNetwork::identity, or LearnedRules::identity; 0: none
    float gumbel_scale;
    std::uint32_t learned;  // 1: the rules are
    std::uint32_t carry_over;
    std::uint32_t count_carried;
};
static_assert(sizeof(RecordingHeader) == 160);

struct FrameHead {
    std::uint32_t marker;
    std::uint32_t agent_count;
    std::uint32_t simulations;
    std::uint32_t repeatable;  // 0: ended by its deadline or cancelled, or on trees that such a frame left
    std::uint64_t frame;
    std::uint64_t decision_hash;
};
static_assert(sizeof(FrameHead) == 32);

struct ResetChunk {
    std::uint32_t marker;
    std::uint32_t first;  // agent
    std::uint32_t count;
    std::uint32_t reserved;
};
static_assert(sizeof(ResetChunk) == 16);

struct EndChunk {
    std::uint32_t marker;
    std::uint32_t reserved;
    std::uint64_t frames;
};
static_assert(sizeof(EndChunk) == 16);

inline constexpr std::uint32_t kMostWidth = 65536;  // numbers of a component

inline constexpr std::uint32_t recorded_form(std::uint32_t format, std::uint32_t width) {
    return width > 1 ? format | width << 8 : format;
}
inline constexpr std::uint32_t recorded_format(std::uint32_t form) {
    return form & 0xffu;
}
inline constexpr std::uint32_t recorded_width(std::uint32_t form) {
    return form >> 8 > 1 ? form >> 8 : 1;
}

inline constexpr std::uint64_t padded(std::uint64_t size_bytes) {
    return (size_bytes + 7) & ~7ull;
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_RECORDING_FORMAT_H
