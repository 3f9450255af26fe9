#include "runtime/gl_copy.h"

#include "runtime/callback.h"
#include "runtime/message.h"

namespace augur {

namespace {

// Values of the OpenGL registry.
constexpr std::uint32_t kCopyReadBuffer = 0x8F36;  // the target, and the name of its binding
constexpr std::uint32_t kBufferSize = 0x8764;
constexpr std::uint32_t kBufferMapped = 0x88BC;
constexpr std::uint32_t kBufferImmutableStorage = 0x821F;
constexpr std::uint32_t kBufferStorageFlags = 0x8220;
constexpr std::int64_t kDynamicStorageBit = 0x0100;
constexpr std::int64_t kMapPersistentBit = 0x0040;
constexpr std::uint32_t kBufferAccessFlags = 0x911F;
constexpr std::uint32_t kMajorVersion = 0x821B;
constexpr std::uint32_t kMinorVersion = 0x821C;

}  // namespace

// Binds a buffer for a moment to a target that draws nothing.
class GlFunctions::Binding {
  public:
    Binding(const GlFunctions& gl, std::uint32_t buffer) : gl_(gl) {
        gl_.get_integerv_(kCopyReadBuffer, &before_);
        gl_.bind_buffer_(kCopyReadBuffer, buffer);
    }
    ~Binding() { gl_.bind_buffer_(kCopyReadBuffer, static_cast<std::uint32_t>(before_)); }
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

  private:
    const GlFunctions& gl_;
    std::int32_t before_ = 0;
};

augur_result GlFunctions::load(augur_gl_proc_fn get_proc_address) {
    const char* missing = nullptr;
    const char* threw = nullptr;
    const auto find = [&]<class Function>(const char* name, Function* out) {
        void* found = nullptr;
        if (!call_host([&] { found = get_proc_address(name); })) threw = name;
        if (found == nullptr && missing == nullptr) missing = name;
        *out = reinterpret_cast<Function>(found);
    };
    find("glGetIntegerv", &get_integerv_);
    find("glIsBuffer", &is_buffer_);
    find("glBindBuffer", &bind_buffer_);
    find("glGetBufferParameteri64v", &get_buffer_parameter_);
    find("glGetBufferSubData", &get_buffer_sub_data_);
    find("glBufferSubData", &buffer_sub_data_);
    if (threw != nullptr)
        return fail(AUGUR_ERROR_CALLBACK, "the host's gl_get_proc_address threw an exception, asked for %s", threw);
    if (missing != nullptr)
        return fail(AUGUR_ERROR_UNSUPPORTED, "gl_get_proc_address gave no %s; is the OpenGL context current?", missing);
    std::int32_t major = 0;
    std::int32_t minor = 0;
    get_integerv_(kMajorVersion, &major);
    get_integerv_(kMinorVersion, &minor);
    has_storage_flags_ = major > 4 || (major == 4 && minor >= 4);
    return AUGUR_OK;
}

augur_result GlFunctions::check(std::uint32_t buffer, std::uint64_t size_bytes, bool writes) const {
    if (is_buffer_(buffer) == 0)
        return fail(AUGUR_ERROR_INVALID_BUFFER,
                    "gl_buffer %u is not a buffer object of the current OpenGL context; was it deleted?", buffer);
    const Binding binding(*this, buffer);
    std::int64_t value = 0;
    get_buffer_parameter_(kCopyReadBuffer, kBufferSize, &value);
    if (value < 0 || static_cast<std::uint64_t>(value) < size_bytes)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "gl_buffer %u has %lld bytes now, registered were %llu", buffer,
                    static_cast<long long>(value), static_cast<unsigned long long>(size_bytes));
    value = 0;
    get_buffer_parameter_(kCopyReadBuffer, kBufferMapped, &value);
    if (value != 0) {
        std::int64_t flags = 0;
        get_buffer_parameter_(kCopyReadBuffer, kBufferAccessFlags, &flags);
        if ((flags & kMapPersistentBit) == 0)
            return fail(AUGUR_ERROR_INVALID_BUFFER, "gl_buffer %u is mapped; unmap it before the call", buffer);
    }
    if (!writes || !has_storage_flags_) return AUGUR_OK;
    value = 0;
    get_buffer_parameter_(kCopyReadBuffer, kBufferImmutableStorage, &value);
    if (value == 0) return AUGUR_OK;
    get_buffer_parameter_(kCopyReadBuffer, kBufferStorageFlags, &value);
    if ((value & kDynamicStorageBit) == 0)
        return fail(
            AUGUR_ERROR_INVALID_BUFFER,
            "gl_buffer %u has immutable storage without GL_DYNAMIC_STORAGE_BIT, so nothing can be copied into it",
            buffer);
    return AUGUR_OK;
}

void GlFunctions::download(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size_bytes, void* out) const {
    const Binding binding(*this, buffer);
    get_buffer_sub_data_(kCopyReadBuffer, static_cast<std::ptrdiff_t>(offset), static_cast<std::ptrdiff_t>(size_bytes),
                         out);
}

void GlFunctions::upload(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size_bytes, const void* data) const {
    const Binding binding(*this, buffer);
    buffer_sub_data_(kCopyReadBuffer, static_cast<std::ptrdiff_t>(offset), static_cast<std::ptrdiff_t>(size_bytes),
                     data);
}

}  // namespace augur
