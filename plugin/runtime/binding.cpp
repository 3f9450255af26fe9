#include "runtime/binding.h"

#include <algorithm>
#include <cstring>

#include "runtime/message.h"

namespace augur {

namespace {

constexpr const char* kComponentNames = "xyzw";
constexpr std::size_t kLongestName = 64;

const char* format_name(std::uint32_t format) {
    constexpr const char* kNames[] = {"?", "F32", "I32", "U32", "I16", "U16", "I8", "U8", "U64"};
    return format < std::size(kNames) ? kNames[format] : "?";
}

}  // namespace

std::uint32_t format_bytes(std::uint32_t format) {
    constexpr std::uint32_t kBytes[] = {0, 4, 4, 4, 2, 2, 1, 1, 8};
    return format < std::size(kBytes) ? kBytes[format] : 0;
}

std::uint32_t component_count(const core::RulesInfo& rules) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < rules.field_count; ++i)
        count += rules.fields[i].sources();
    return count;
}

augur_result find_field(const core::RulesInfo& rules, const char* name, FieldPlace* out) {
    if (name == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "field is null");
    std::size_t length = 0;
    while (length < kLongestName && name[length] != '\0')
        ++length;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < rules.field_count && length < kLongestName; ++i) {
        const kit::FieldInfo& field = rules.fields[i];
        const std::size_t field_length = std::strlen(field.name);
        if (length == field_length && std::memcmp(name, field.name, length) == 0) {
            const bool row = field.kind == kit::FieldKind::row;
            *out = {&field, first, field.sources(), row ? field.components : 1};
            return AUGUR_OK;
        }
        if (length == field_length + 2 && name[field_length] == '.' &&
            std::memcmp(name, field.name, field_length) == 0) {
            const char* found = std::strchr(kComponentNames, name[length - 1]);
            const auto component = static_cast<std::uint32_t>(found != nullptr ? found - kComponentNames : 4);
            if (component < field.components && field.kind != kit::FieldKind::row) {
                *out = {&field, first + component, 1, 1};
                return AUGUR_OK;
            }
        }
        first += field.sources();
    }
    std::string known;
    for (std::uint32_t i = 0; i < rules.field_count; ++i)
        known += std::string(i > 0 ? ", " : "") + rules.fields[i].name;
    return fail(AUGUR_ERROR_NOT_FOUND, "field is %s, %s has: %s", quoted(name).c_str(), rules.name, known.c_str());
}

std::string component_name(const core::RulesInfo& rules, std::uint32_t component) {
    for (std::uint32_t i = 0; i < rules.field_count; ++i) {
        const kit::FieldInfo& field = rules.fields[i];
        if (component < field.sources())
            return field.sources() == 1 ? field.name : std::string(field.name) + "." + kComponentNames[component];
        component -= field.sources();
    }
    return "";
}

augur_result check_extent(const Buffer& buffer, std::uint32_t format, std::uint64_t offset_bytes,
                          std::uint64_t stride_bytes, std::uint32_t numbers, std::uint32_t count, const char* items,
                          std::uint64_t* stride) {
    const std::uint32_t size = format_bytes(format);
    if (size == 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "format is %u, allowed 1..8", format);
    const auto offset = static_cast<unsigned long long>(offset_bytes);
    if (offset_bytes % size != 0 || (buffer.base() + offset_bytes) % size != 0)
        return fail(AUGUR_ERROR_INVALID_BUFFER,
                    "offset_bytes is %llu, it and its address must be multiples of %u, the size of %s", offset, size,
                    format_name(format));
    const std::uint64_t row = static_cast<std::uint64_t>(numbers) * size;
    *stride = stride_bytes == 0 ? row : stride_bytes;
    if (*stride % size != 0 || *stride < row)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "stride_bytes is %llu, it must be a multiple of %u and at least %llu",
                    static_cast<unsigned long long>(stride_bytes), size, static_cast<unsigned long long>(row));
    // Divided, not multiplied: no value of the caller can overflow this.
    const std::uint64_t available = buffer.size_bytes();
    const bool fits = offset_bytes <= available && row <= available - offset_bytes &&
                      (count == 1 || *stride <= (available - offset_bytes - row) / (count - 1));
    if (!fits)
        return fail(AUGUR_ERROR_INVALID_BUFFER,
                    "offset_bytes %llu and stride_bytes %llu put %u %s past the end of a buffer of %llu bytes", offset,
                    static_cast<unsigned long long>(*stride), count, items, static_cast<unsigned long long>(available));
    return AUGUR_OK;
}

augur_result resolve_binding(const augur_binding& binding, Buffer& buffer, std::uint32_t count,
                             std::uint32_t agent_capacity, Bound* out, std::uint32_t width) {
    if (binding.reserved != 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "reserved is %u, must be 0", binding.reserved);
    std::uint64_t stride = 0;
    const augur_result result = check_extent(buffer, binding.format, binding.offset_bytes, binding.stride_bytes,
                                             count * width, agent_capacity, "agents", &stride);
    if (result != AUGUR_OK) return result;
    const std::uint32_t size = format_bytes(binding.format) * width;
    for (std::uint32_t i = 0; i < count; ++i)
        out[i] = {&buffer, binding.offset_bytes + static_cast<std::uint64_t>(i) * size, stride,
                  static_cast<augur_format>(binding.format), size};
    return AUGUR_OK;
}

augur_result check_field_format(const kit::FieldInfo& field, std::uint32_t format) {
    if (format_bytes(format) == 0) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "format is %u, allowed 1..8", format);
    const bool bits = field.kind == kit::FieldKind::bits64;
    if (bits != (format == AUGUR_FORMAT_U64))
        return fail(AUGUR_ERROR_INVALID_BUFFER, "format is %s, field \"%s\" takes %s", format_name(format), field.name,
                    bits ? "U64 only" : "every format but U64");
    return AUGUR_OK;
}

augur_result check_action_format(std::uint32_t format, std::uint32_t action_count) {
    switch (format) {
        case AUGUR_FORMAT_I32:
        case AUGUR_FORMAT_I16:
        case AUGUR_FORMAT_U16:
            break;
        case AUGUR_FORMAT_I8:
        case AUGUR_FORMAT_U8: {
            const std::uint32_t most = format == AUGUR_FORMAT_I8 ? 128u : 255u;
            if (action_count > most)
                return fail(AUGUR_ERROR_INVALID_BUFFER, "format is %s, which holds %u actions, the rules have %u",
                            format_name(format), most, action_count);
            break;
        }
        default:
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "format is %u, allowed for actions: I32, I16, I8, U16, U8",
                        format);
    }
    return AUGUR_OK;
}

bool overlap(const Bound& a, const Bound& b, std::uint32_t agents) {
    const bool same_space = a.buffer->space() == b.buffer->space() &&
                            (a.buffer->kind() == AUGUR_BUFFER_OPENGL) == (b.buffer->kind() == AUGUR_BUFFER_OPENGL);
    if (!same_space || agents == 0) return false;
    const std::uint64_t a_first = a.buffer->base() + a.offset_bytes;
    const std::uint64_t b_first = b.buffer->base() + b.offset_bytes;
    for (std::uint64_t i = 0; i < agents; ++i) {
        const std::uint64_t low = a_first + i * a.stride_bytes;
        const std::uint64_t high = low + a.size_bytes;
        if (high <= b_first) continue;
        // The last number of b that begins before high; those before it begin earlier and end earlier.
        const std::uint64_t last = std::min<std::uint64_t>((high - 1 - b_first) / b.stride_bytes, agents - 1);
        if (b_first + last * b.stride_bytes + b.size_bytes > low) return true;
    }
    return false;
}

}  // namespace augur
