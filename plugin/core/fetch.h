// Taking the host's numbers in: any format, any stride, into int32 words.
#ifndef AUGUR_CORE_FETCH_H
#define AUGUR_CORE_FETCH_H

#include <augur/kit/fields.h>

#include <cstring>

namespace augur::core {

// Values of augur_format (sdk/include/augur/buffer.h), which core cannot include.
enum class Format : std::uint32_t { f32 = 1, i32 = 2, u32 = 3, i16 = 4, u16 = 5, i8 = 6, u8 = 7, u64 = 8 };

AUGUR_HD_INLINE std::uint32_t format_bytes(Format format) {
    switch (format) {
        case Format::f32:
        case Format::i32:
        case Format::u32:
            return 4;
        case Format::i16:
        case Format::u16:
            return 2;
        case Format::i8:
        case Format::u8:
            return 1;
        case Format::u64:
            return 8;
    }
    return 0;
}

// Where one component of a field lives, resolved for the machine that reads it.
struct SourceView {
    const unsigned char* data;  // null: every agent has default_value
    std::uint64_t stride_bytes;
    Format format;
    std::uint32_t word;  // first word it fills
    kit::FieldKind kind;
    std::int32_t scale;
    std::int32_t minimum;
    std::int32_t maximum;
    std::int32_t default_value;
};

inline constexpr std::uint32_t kMaxSources = 32;

struct SinkView {
    unsigned char* data;
    std::uint64_t stride_bytes;
    Format format;
};

template <class T>
AUGUR_HD_INLINE T load_as(const unsigned char* p) {
    return *reinterpret_cast<const T*>(p);  // strides and offsets are multiples of the format's size
}

// value * scale rounded to nearest, ties to even, by integer work on the float's bits: no rounding mode of the host and
// no flush-to-zero setting can change it. kInvalidWord when not finite or outside +-2^31.
AUGUR_HD_INLINE std::int32_t scaled_float(std::uint32_t bits, std::int32_t scale) {
    const std::uint32_t exponent_bits = (bits >> 23) & 0xffu;
    if (exponent_bits == 0xffu) return kit::kInvalidWord;
    if (exponent_bits == 0) return 0;                            // below 2^-126: nothing, at any scale
    const int exponent = static_cast<int>(exponent_bits) - 150;  // value = mantissa * 2^exponent
    const std::uint64_t mantissa = (bits & 0x7fffffu) | 0x800000u;
    std::uint64_t magnitude = mantissa * static_cast<std::uint32_t>(scale);  // at most 2^24 * 2^31
    if (exponent >= 0) {
        if (exponent > 31 || magnitude > (0x7fffffffull >> exponent)) return kit::kInvalidWord;
        magnitude <<= exponent;
    } else if (exponent <= -63) {
        magnitude = 0;
    } else {
        const int shift = -exponent;
        const std::uint64_t half = 1ull << (shift - 1);
        const std::uint64_t rest = magnitude & ((1ull << shift) - 1);
        magnitude >>= shift;
        if (rest > half || (rest == half && (magnitude & 1))) ++magnitude;
        if (magnitude > 0x7fffffffull) return kit::kInvalidWord;
    }
    const auto value = static_cast<std::int32_t>(magnitude);
    return bits >> 31 ? -value : value;
}

// The whole number at p, in any format but f32; 64 bits come as they are.
AUGUR_HD_INLINE std::int64_t load_whole(const unsigned char* p, Format format) {
    switch (format) {
        case Format::i32:
            return load_as<std::int32_t>(p);
        case Format::i16:
            return load_as<std::int16_t>(p);
        case Format::u16:
            return load_as<std::uint16_t>(p);
        case Format::i8:
            return load_as<std::int8_t>(p);
        case Format::u8:
            return load_as<std::uint8_t>(p);
        case Format::u64:
            return static_cast<std::int64_t>(load_as<std::uint64_t>(p));
        case Format::f32:
        case Format::u32:
            break;
    }
    return load_as<std::uint32_t>(p);
}

// Reads one agent's component and writes its word or words. words: [W][stride].
AUGUR_HD_INLINE void fetch_component(const SourceView& source, std::uint32_t agent, std::int32_t* words,
                                     std::uint32_t stride) {
    std::int32_t* out = words + static_cast<std::size_t>(source.word) * stride + agent;
    if (source.data == nullptr) {
        *out = source.default_value;
        if (source.kind == kit::FieldKind::bits64) out[stride] = source.default_value < 0 ? -1 : 0;
        return;
    }
    const unsigned char* p = source.data + static_cast<std::size_t>(agent) * source.stride_bytes;
    if (source.format == Format::f32) {
        const std::int32_t fixed = scaled_float(load_as<std::uint32_t>(p), source.scale);
        *out =
            fixed == kit::kInvalidWord || fixed < source.minimum || fixed > source.maximum ? kit::kInvalidWord : fixed;
        return;
    }
    const std::int64_t value = load_whole(p, source.format);
    if (source.format == Format::u64) {
        const auto bits = static_cast<std::uint64_t>(value);
        out[0] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
        out[stride] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32));
        return;
    }
    // Whole numbers in a fixed-point field are already scaled: the host's own fixed point.
    *out = value < source.minimum || value > source.maximum ? kit::kInvalidWord : static_cast<std::int32_t>(value);
}

// Writes an action; kNoAction becomes all ones in unsigned formats.
AUGUR_HD_INLINE void store_action(const SinkView& sink, std::uint32_t agent, std::int32_t action) {
    unsigned char* p = sink.data + static_cast<std::size_t>(agent) * sink.stride_bytes;
    switch (format_bytes(sink.format)) {
        case 4:
            *reinterpret_cast<std::int32_t*>(p) = action;
            break;
        case 2:
            *reinterpret_cast<std::int16_t*>(p) = static_cast<std::int16_t>(action);
            break;
        default:
            *reinterpret_cast<std::int8_t*>(p) = static_cast<std::int8_t>(action);
            break;
    }
}

// True when any integer or fixed word of an agent is kInvalidWord. sources: [count].
AUGUR_HD_INLINE bool has_invalid_word(const SourceView* sources, std::uint32_t count, const kit::Fields& fields,
                                      std::uint32_t agent) {
    bool invalid = false;
    for (std::uint32_t s = 0; s < count; ++s)
        invalid = invalid || (sources[s].kind != kit::FieldKind::bits64 &&
                              fields.get(sources[s].word, agent) == kit::kInvalidWord);
    return invalid;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_FETCH_H
