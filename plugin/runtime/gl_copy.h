// OpenGL buffers where they cannot be read in place: copies through OpenGL's own calls, on the frame thread.
#ifndef AUGUR_RUNTIME_GL_COPY_H
#define AUGUR_RUNTIME_GL_COPY_H

#include <augur/context.h>

#include <cstddef>
#include <cstdint>

namespace augur {

// The few functions of OpenGL 3.2 (or ARB_copy_buffer) that copying needs. Every call leaves the binding it uses as it
// was and raises no OpenGL error, because the error flag belongs to the host: what could raise one is asked for and
// checked beforehand.
class GlFunctions {
  public:
    // AUGUR_OK, or with the message: AUGUR_ERROR_UNSUPPORTED when a function is missing, AUGUR_ERROR_CALLBACK when the
    // look-up threw.
    augur_result load(augur_gl_proc_fn get_proc_address);

    // AUGUR_OK, or AUGUR_ERROR_INVALID_BUFFER with the message: deleted, too small, mapped, or not writable by copies.
    augur_result check(std::uint32_t buffer, std::uint64_t size_bytes, bool writes) const;

    void download(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size_bytes, void* out) const;
    void upload(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size_bytes, const void* data) const;

  private:
    using GetIntegerv = void(AUGUR_CALL*)(std::uint32_t name, std::int32_t* out);
    using IsBuffer = unsigned char(AUGUR_CALL*)(std::uint32_t buffer);
    using BindBuffer = void(AUGUR_CALL*)(std::uint32_t target, std::uint32_t buffer);
    using GetBufferParameteri64v = void(AUGUR_CALL*)(std::uint32_t target, std::uint32_t name, std::int64_t* out);
    using GetBufferSubData = void(AUGUR_CALL*)(std::uint32_t target, std::ptrdiff_t offset, std::ptrdiff_t size,
                                               void* out);
    using BufferSubData = void(AUGUR_CALL*)(std::uint32_t target, std::ptrdiff_t offset, std::ptrdiff_t size,
                                            const void* data);
    class Binding;

    bool has_storage_flags_ = false;  // OpenGL 4.4: immutable storage
    GetIntegerv get_integerv_ = nullptr;
    IsBuffer is_buffer_ = nullptr;
    BindBuffer bind_buffer_ = nullptr;
    GetBufferParameteri64v get_buffer_parameter_ = nullptr;
    GetBufferSubData get_buffer_sub_data_ = nullptr;
    BufferSubData buffer_sub_data_ = nullptr;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_GL_COPY_H
