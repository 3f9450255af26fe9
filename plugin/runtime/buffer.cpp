#include "runtime/buffer.h"

#include "runtime/context.h"
#include "runtime/message.h"

namespace augur {

namespace {

constexpr std::uint64_t kSmallest = 4;
constexpr std::uint64_t kLargest = 1ull << 40;

augur_result check(const augur_buffer_desc& desc) {
    if (desc.kind < AUGUR_BUFFER_HOST || desc.kind > AUGUR_BUFFER_OPENGL)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "kind is %u, allowed 1..3", desc.kind);
    if (desc.access < AUGUR_ACCESS_READ || desc.access > AUGUR_ACCESS_READ_WRITE)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "access is %u, allowed 1..3", desc.access);
    if (desc.size_bytes < kSmallest || desc.size_bytes > kLargest)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "size_bytes is %llu, allowed %llu..%llu",
                    static_cast<unsigned long long>(desc.size_bytes), static_cast<unsigned long long>(kSmallest),
                    static_cast<unsigned long long>(kLargest));
    if (desc.kind == AUGUR_BUFFER_OPENGL) {
        if (desc.pointer != nullptr)
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "pointer must be null for an OpenGL buffer");
        if (desc.gl_buffer == 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "gl_buffer is 0, which is no OpenGL buffer");
        return AUGUR_OK;
    }
    if (desc.gl_buffer != 0)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "gl_buffer is %u, must be 0 for kind %u", desc.gl_buffer, desc.kind);
    if (desc.pointer == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "pointer is null");
    const auto address = reinterpret_cast<std::uintptr_t>(desc.pointer);
    if (address % 4 != 0)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "pointer is %p, it must be aligned to 4 bytes", desc.pointer);
    if (desc.size_bytes > UINTPTR_MAX - address)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "pointer %p plus size_bytes %llu goes past the end of memory",
                    desc.pointer, static_cast<unsigned long long>(desc.size_bytes));
    return AUGUR_OK;
}

augur_result attach(Backend& backend, const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out) {
    std::string message;
    const augur_result result = backend.attach(desc, out, message);
    return result < 0 ? fail(result, "%s", message.c_str()) : AUGUR_OK;
}

}  // namespace

augur_result Buffer::make(Context& context, const augur_buffer_desc& desc, std::unique_ptr<Buffer>* out) {
    if (const augur_result result = check(desc); result != AUGUR_OK) return result;
    std::unique_ptr<Buffer> buffer(new Buffer(context, desc));
    const augur_result result =
        buffer->kind() == AUGUR_BUFFER_OPENGL ? buffer->attach_opengl() : buffer->attach_memory();
    if (result != AUGUR_OK) return result;
    *out = std::move(buffer);
    return AUGUR_OK;
}

augur_result Buffer::attach_memory() {
    Backend& backend = context_.backend();
    if (backend.kind() == AUGUR_BACKEND_CUDA) {
        if (const augur_result result = attach(backend, desc_, &on_gpu_); result != AUGUR_OK) return result;
    } else if (kind() == AUGUR_BUFFER_CUDA) {
        return fail(AUGUR_ERROR_UNSUPPORTED, "kind is CUDA, and this context plans on the CPU");
    }
    if (kind() != AUGUR_BUFFER_HOST) return AUGUR_OK;
    // The CPU's view is there from the start, so that a lost GPU can be replaced inside a frame.
    host_bytes_ = static_cast<unsigned char*>(desc_.pointer);
    return attach(context_.cpu(), desc_, &on_cpu_);
}

augur_result Buffer::attach_opengl() {
    Backend& backend = context_.backend();
    augur_result not_shared = AUGUR_OK;
    std::string why_not;
    if (backend.kind() == AUGUR_BACKEND_CUDA) {
        not_shared = backend.attach(desc_, &on_gpu_, why_not);
        if (not_shared == AUGUR_OK) return AUGUR_OK;
        on_gpu_ = nullptr;
    }
    const auto tell = [&] {
        if (not_shared != AUGUR_OK && context_.first_unshared_gl_buffer())
            context_.log().write(AUGUR_SEVERITY_WARNING, not_shared,
                                 ("OpenGL buffers are copied, not shared with the GPU: " + why_not).c_str());
    };
    if (!context_.can_copy_gl()) tell();
    const GlFunctions* gl = nullptr;
    if (const augur_result result = context_.gl(&gl); result != AUGUR_OK) return result;
    // A buffer that is not there is no reason to say that others cannot be shared.
    if (const augur_result result = gl->check(desc_.gl_buffer, desc_.size_bytes, writable()); result != AUGUR_OK)
        return result;
    tell();
    if (!staging_.allocate(context_.memory(), desc_.size_bytes, 64))
        return fail(AUGUR_ERROR_OUT_OF_MEMORY, "the staging copy of gl_buffer %u needs %llu bytes", desc_.gl_buffer,
                    static_cast<unsigned long long>(desc_.size_bytes));
    staged_gl_ = gl;
    host_bytes_ = staging_.data();
    augur_buffer_desc staged = desc_;
    staged.kind = AUGUR_BUFFER_HOST;
    staged.access = AUGUR_ACCESS_READ_WRITE;
    staged.pointer = staging_.data();
    staged.gl_buffer = 0;
    if (backend.kind() == AUGUR_BACKEND_CUDA) {
        if (const augur_result result = attach(backend, staged, &on_gpu_); result != AUGUR_OK) return result;
    }
    return attach(context_.cpu(), staged, &on_cpu_);
}

}  // namespace augur
