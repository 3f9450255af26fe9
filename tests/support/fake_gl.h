// A few functions of OpenGL over ordinary memory. Calls that real OpenGL would answer with an error are counted.
#ifndef AUGUR_TESTS_SUPPORT_FAKE_GL_H
#define AUGUR_TESTS_SUPPORT_FAKE_GL_H

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace augur::test {

struct FakeGl {
    struct Buffer {
        std::vector<unsigned char> bytes;
        bool immutable = false;
        bool dynamic = true;
        bool mapped = false;
        bool persistent = false;
    };
    std::map<std::uint32_t, Buffer> buffers;
    std::uint32_t bound = 0;  // to GL_COPY_READ_BUFFER
    int errors = 0;
    int downloads = 0;
    int uploads = 0;
    int major = 4;
    int minor = 5;
    std::string missing;  // a function that does not exist

    static inline FakeGl* current = nullptr;
    FakeGl() { current = this; }
    ~FakeGl() { current = nullptr; }
    FakeGl(const FakeGl&) = delete;
    FakeGl& operator=(const FakeGl&) = delete;

    Buffer* bound_buffer() {
        const auto found = buffers.find(bound);
        if (found == buffers.end()) ++errors;
        return found != buffers.end() ? &found->second : nullptr;
    }

    static void* get_proc_address(const char* name) {
        if (current->missing == name) return nullptr;
        if (std::strcmp(name, "glGetIntegerv") == 0) return reinterpret_cast<void*>(&get_integerv);
        if (std::strcmp(name, "glIsBuffer") == 0) return reinterpret_cast<void*>(&is_buffer);
        if (std::strcmp(name, "glBindBuffer") == 0) return reinterpret_cast<void*>(&bind_buffer);
        if (std::strcmp(name, "glGetBufferParameteri64v") == 0) return reinterpret_cast<void*>(&get_buffer_parameter);
        if (std::strcmp(name, "glGetBufferSubData") == 0) return reinterpret_cast<void*>(&get_buffer_sub_data);
        if (std::strcmp(name, "glBufferSubData") == 0) return reinterpret_cast<void*>(&buffer_sub_data);
        return nullptr;
    }

  private:
    static void get_integerv(std::uint32_t name, std::int32_t* out) {
        switch (name) {
            case 0x8F36:
                *out = static_cast<std::int32_t>(current->bound);
                break;
            case 0x821B:
                *out = current->major;
                break;
            case 0x821C:
                *out = current->minor;
                break;
            default:
                ++current->errors;
        }
    }
    static unsigned char is_buffer(std::uint32_t buffer) { return current->buffers.count(buffer) != 0 ? 1 : 0; }
    static void bind_buffer(std::uint32_t target, std::uint32_t buffer) {
        if (target != 0x8F36) ++current->errors;
        current->bound = buffer;
    }
    static void get_buffer_parameter(std::uint32_t, std::uint32_t name, std::int64_t* out) {
        Buffer* buffer = current->bound_buffer();
        if (buffer == nullptr) return;
        const bool has_storage = current->major > 4 || (current->major == 4 && current->minor >= 4);
        switch (name) {
            case 0x8764:
                *out = static_cast<std::int64_t>(buffer->bytes.size());
                break;
            case 0x88BC:
                *out = buffer->mapped ? 1 : 0;
                break;
            case 0x911F:
                *out = buffer->persistent ? 0x40 : 0;
                break;
            case 0x821F:
            case 0x8220:
                if (!has_storage) ++current->errors;
                *out = name == 0x821F ? (buffer->immutable ? 1 : 0) : (buffer->dynamic ? 0x100 : 0);
                break;
            default:
                ++current->errors;
        }
    }
    // The bytes, or null where OpenGL would raise an error.
    static unsigned char* range(std::ptrdiff_t offset, std::ptrdiff_t size) {
        Buffer* buffer = current->bound_buffer();
        if (buffer == nullptr) return nullptr;
        const bool inside = offset >= 0 && size >= 0 && static_cast<std::size_t>(offset + size) <= buffer->bytes.size();
        if (!inside || (buffer->mapped && !buffer->persistent)) {
            ++current->errors;
            return nullptr;
        }
        return buffer->bytes.data() + offset;
    }
    static void get_buffer_sub_data(std::uint32_t, std::ptrdiff_t offset, std::ptrdiff_t size, void* out) {
        ++current->downloads;
        if (const unsigned char* bytes = range(offset, size)) std::memcpy(out, bytes, static_cast<std::size_t>(size));
    }
    static void buffer_sub_data(std::uint32_t, std::ptrdiff_t offset, std::ptrdiff_t size, const void* data) {
        ++current->uploads;
        unsigned char* bytes = range(offset, size);
        if (bytes == nullptr) return;
        const Buffer& buffer = *current->bound_buffer();
        if (buffer.immutable && !buffer.dynamic) ++current->errors;
        std::memcpy(bytes, data, static_cast<std::size_t>(size));
    }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_FAKE_GL_H
