// Where a frame finds what it reads and writes: the host's arrays, as core's functions see them.
#ifndef AUGUR_BACKEND_CPU_BINDINGS_H
#define AUGUR_BACKEND_CPU_BINDINGS_H

#include <array>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cpu/host_view.h"
#include "core/fetch.h"
#include "core/gather.h"

namespace augur {

template <class R>
class CpuBindings {
  public:
    // take_row(source): for the field that is a row of numbers, which is read elsewhere.
    template <class TakeRow>
    void resolve(const FrameWork& work, const TakeRow& take_row) {
        count_ = 0;
        std::uint32_t word = 0;
        const Source* next = work.sources;
        for (const kit::FieldInfo& field : R::kFields) {
            if (field.kind == kit::FieldKind::row) {
                take_row(*next++);
                continue;
            }
            for (std::uint32_t c = 0; c < field.components; ++c) {
                const Source& from = *next++;
                sources_[count_++] = component_view(from, data_of(from.buffer), field, word);
            }
        }
        urgency_ = urgency_of(work);
        sink_ = {static_cast<HostView*>(work.actions.buffer)->data() + work.actions.offset_bytes,
                 work.actions.stride_bytes, static_cast<core::Format>(work.actions.format)};
    }

    const core::SourceView* sources() const { return sources_.data(); }
    std::uint32_t count() const { return count_; }
    const core::SourceView& urgency() const { return urgency_; }
    const core::SinkView& sink() const { return sink_; }

  private:
    static const unsigned char* data_of(BackendBuffer* buffer) {
        return buffer == nullptr ? nullptr : static_cast<HostView*>(buffer)->data();
    }
    static core::SourceView urgency_of(const FrameWork& work) {
        core::SourceView view{};
        view.data = data_of(work.urgency.buffer);
        if (view.data == nullptr) return view;
        view.data += work.urgency.offset_bytes;
        view.stride_bytes = work.urgency.stride_bytes;
        view.format = static_cast<core::Format>(work.urgency.format);
        return view;
    }

    std::array<core::SourceView, core::kMaxSources> sources_{};
    std::uint32_t count_ = 0;
    core::SourceView urgency_{};
    core::SinkView sink_{};
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_BINDINGS_H
