#include "runtime/recorder.h"

#include <cstdio>
#include <cstring>

#include "runtime/checksum.h"
#include "runtime/message.h"
#include "runtime/recording_format.h"

namespace augur {

namespace {

// Pads what is in chunk up to size with zeros, puts the checksum behind, and gives the size of all.
std::size_t seal(unsigned char* chunk, std::size_t size_bytes) {
    const std::size_t body = padded(size_bytes);
    std::memset(chunk + size_bytes, 0, body - size_bytes);
    const std::uint64_t sum = checksum(chunk, body);
    std::memcpy(chunk + body, &sum, sizeof sum);
    return body + sizeof sum;
}

// Packs one component of the agents.
unsigned char* pack(const Bound& bound, std::uint32_t agents, unsigned char* out) {
    const unsigned char* in = bound.buffer->host_bytes() + bound.offset_bytes;
    const std::size_t size = bound.size_bytes;
    if (bound.stride_bytes == size) {
        std::memcpy(out, in, agents * size);
    } else {
        for (std::uint32_t i = 0; i < agents; ++i)
            std::memcpy(out + i * size, in + i * bound.stride_bytes, size);
    }
    return out + agents * size;
}

RecordingHeader header_of(const EngineDesc& desc, std::uint64_t model, std::uint32_t components) {
    RecordingHeader header{};
    std::memcpy(header.magic, kRecordingMagic, sizeof header.magic);
    header.version = kRecordingVersion;
    header.component_count = components;
    std::snprintf(header.rules, sizeof header.rules, "%s", desc.rules->name);
    header.agent_capacity = desc.agent_capacity;
    header.search = desc.search;
    header.selection = desc.selection;
    header.simulations = desc.simulations;
    header.horizon = desc.horizon;
    header.exploration = desc.exploration;
    header.discount = desc.discount;
    header.node_capacity = desc.node_capacity;
    header.leaves_per_wave = desc.leaves_per_wave;
    header.early_stop = desc.early_stop ? 1 : 0;
    header.transpositions = desc.transpositions ? 1 : 0;
    header.considered_actions = desc.considered_actions;
    header.seed = desc.seed;
    header.model = model;
    header.gumbel_scale = desc.gumbel_scale;
    header.learned = desc.learned != nullptr ? 1 : 0;
    header.carry_over = desc.carry_over;
    header.count_carried = desc.count_carried ? 1 : 0;
    return header;
}

}  // namespace

augur_result Recorder::start(const char* path, const EngineDesc& desc, std::uint64_t model,
                             const std::vector<Bound>& fields) {
    std::uint64_t row = 0;
    for (const Bound& bound : fields)
        row += bound.buffer != nullptr ? bound.size_bytes : 0;
    const std::size_t formats_bytes = fields.size() * sizeof(std::uint32_t);
    const std::size_t header_bytes = padded(sizeof(RecordingHeader) + formats_bytes) + 8;
    const std::size_t frame_bytes = padded(sizeof(FrameHead) + row * desc.agent_capacity) + 8;
    chunk_.resize(header_bytes > frame_bytes ? header_bytes : frame_bytes);

    const RecordingHeader header = header_of(desc, model, static_cast<std::uint32_t>(fields.size()));
    std::memcpy(chunk_.data(), &header, sizeof header);
    unsigned char* formats = chunk_.data() + sizeof header;
    for (const Bound& bound : fields) {
        const std::uint32_t form =
            bound.buffer != nullptr ? recorded_form(bound.format, bound.size_bytes / format_bytes(bound.format)) : 0u;
        std::memcpy(formats, &form, sizeof form);
        formats += sizeof form;
    }
    shown_path_ = quoted(path);
    const std::size_t size = seal(chunk_.data(), sizeof header + formats_bytes);
    if (!file_.open(path) || !file_.write(chunk_.data(), size)) {
        file_.discard();
        return fail(AUGUR_ERROR_IO, "recording %s: %s", shown_path_.c_str(), file_.error());
    }
    frames_ = 0;
    failed_ = false;
    agent_capacity_ = desc.agent_capacity;
    carries_ = desc.carry_over != AUGUR_CARRY_OVER_NONE;
    adrift_ = false;
    active_ = true;
    return AUGUR_OK;
}

void Recorder::add(const FrameWork& work, const FrameOutput& output, const std::vector<Bound>& fields, Log& log) {
    if (failed_) return;
    const bool whole = !output.deadline_hit && !output.cancelled;
    adrift_ = adrift_ || (carries_ && !whole);
    const FrameHead head{kFrameMarker, work.agent_count,    work.simulations, whole && !adrift_ ? 1u : 0u,
                         work.frame,   output.decision_hash};
    std::memcpy(chunk_.data(), &head, sizeof head);
    unsigned char* end = chunk_.data() + sizeof head;
    for (const Bound& bound : fields) {
        if (bound.buffer != nullptr) end = pack(bound, work.agent_count, end);
    }
    write(static_cast<std::size_t>(end - chunk_.data()), log);
    if (!failed_) ++frames_;
}

void Recorder::add_reset(std::uint32_t first, std::uint32_t count, Log& log) {
    if (failed_) return;
    if (first == 0 && count == agent_capacity_) adrift_ = false;
    const ResetChunk reset{kResetMarker, first, count, 0};
    std::memcpy(chunk_.data(), &reset, sizeof reset);
    write(sizeof reset, log);
}

void Recorder::write(std::size_t size_bytes, Log& log) {
    if (file_.write(chunk_.data(), seal(chunk_.data(), size_bytes))) return;
    failed_ = true;
    char text[384];
    std::snprintf(text, sizeof text, "recording %s ends early: %s", shown_path_.c_str(), file_.error());
    log.write(AUGUR_SEVERITY_ERROR, AUGUR_ERROR_IO, text);
}

augur_result Recorder::stop() {
    active_ = false;
    const EndChunk end{kEndMarker, 0, frames_};
    std::memcpy(chunk_.data(), &end, sizeof end);
    const bool done = !failed_ && file_.write(chunk_.data(), seal(chunk_.data(), sizeof end)) && file_.commit();
    file_.discard();
    chunk_ = {};
    if (done) return AUGUR_OK;
    return fail(AUGUR_ERROR_IO, "recording %s: %s", shown_path_.c_str(), file_.error());
}

}  // namespace augur
