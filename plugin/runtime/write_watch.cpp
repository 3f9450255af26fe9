#include "runtime/write_watch.h"

#include "runtime/checksum.h"

namespace augur {

namespace {

// Only the host's own memory can change under us: an OpenGL buffer is read from its staging copy.
bool is_watched(const Bound& bound) {
    return bound.buffer != nullptr && bound.buffer->kind() == AUGUR_BUFFER_HOST;
}

std::uint64_t sum_of(const Bound& bound, std::uint32_t agents) {
    const unsigned char* at = bound.buffer->host_bytes() + bound.offset_bytes;
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < agents; ++i, at += bound.stride_bytes)
        sum = checksum(at, bound.size_bytes, sum + 1);
    return sum;
}

}  // namespace

void WriteWatch::remember(const std::vector<Bound>& fields, std::uint32_t agents) {
    for (std::size_t i = 0; i < sums_.size(); ++i)
        sums_[i] = is_watched(fields[i]) ? sum_of(fields[i], agents) : 0;
}

std::size_t WriteWatch::first_changed(const std::vector<Bound>& fields, std::uint32_t agents) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        if (is_watched(fields[i]) && sum_of(fields[i], agents) != sums_[i]) return i;
    }
    return fields.size();
}

}  // namespace augur
