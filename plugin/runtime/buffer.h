// Memory of the host, registered once.
#ifndef AUGUR_RUNTIME_BUFFER_H
#define AUGUR_RUNTIME_BUFFER_H

#include <augur/buffer.h>

#include <memory>

#include "backend/backend.h"
#include "runtime/gl_copy.h"
#include "runtime/handles.h"
#include "runtime/memory.h"

namespace augur {

class Context;

class Buffer final : public Object {
  public:
    static constexpr Kind kKind = Kind::buffer;

    // Checks the desc and makes the memory usable for the context's backends.
    static augur_result make(Context& context, const augur_buffer_desc& desc, std::unique_ptr<Buffer>* out);

    Context& context() const { return context_; }
    const augur_buffer_desc& desc() const { return desc_; }
    augur_buffer_kind kind() const { return static_cast<augur_buffer_kind>(desc_.kind); }
    std::uint64_t size_bytes() const { return desc_.size_bytes; }
    bool readable() const { return (desc_.access & AUGUR_ACCESS_READ) != 0; }
    bool writable() const { return (desc_.access & AUGUR_ACCESS_WRITE) != 0; }

    // As each backend sees it; null where that backend cannot.
    BackendBuffer* on(augur_backend backend) const {
        return backend == AUGUR_BACKEND_CUDA ? on_gpu_.get() : on_cpu_.get();
    }
    // Bytes in host memory: the host's own, or the staging copy of an OpenGL buffer. Null for memory of a GPU.
    unsigned char* host_bytes() const { return host_bytes_; }
    // Not null: an OpenGL buffer that is read and written through the staging copy.
    const GlFunctions* staged_gl() const { return staged_gl_; }
    // Where its bytes lie, for telling whether two bindings touch: an address, or a place in an OpenGL buffer.
    std::uint64_t space() const { return desc_.kind == AUGUR_BUFFER_OPENGL ? desc_.gl_buffer : 0; }
    std::uint64_t base() const {
        return desc_.kind == AUGUR_BUFFER_OPENGL ? 0 : reinterpret_cast<std::uintptr_t>(desc_.pointer);
    }

  private:
    Buffer(Context& context, const augur_buffer_desc& desc) : context_(context), desc_(desc) {}
    augur_result attach_memory();
    augur_result attach_opengl();

    Context& context_;
    augur_buffer_desc desc_;
    MemoryBlock staging_;
    unsigned char* host_bytes_ = nullptr;
    const GlFunctions* staged_gl_ = nullptr;
    std::unique_ptr<BackendBuffer> on_cpu_;
    std::unique_ptr<BackendBuffer> on_gpu_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_BUFFER_H
