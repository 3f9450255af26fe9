// A row of the host's numbers, in any format, as a network sees it.
#ifndef AUGUR_BACKEND_CPU_READ_ROW_H
#define AUGUR_BACKEND_CPU_READ_ROW_H

#include <cstring>

#include "backend/backend.h"

namespace augur {

template <class T>
void read_row_of(const unsigned char* bytes, std::uint32_t count, float scale, float shift, float* out) {
    for (std::uint32_t i = 0; i < count; ++i) {
        T number;
        std::memcpy(&number, bytes + i * sizeof number, sizeof number);
        out[i] = static_cast<float>(number) * scale + shift;
    }
}

// bytes: where the row begins.
inline void read_row(const unsigned char* bytes, const RowSource& source, std::uint32_t count, float* out) {
    const float scale = source.scale, shift = source.shift;
    switch (source.format) {
        case AUGUR_FORMAT_I32:
            return read_row_of<std::int32_t>(bytes, count, scale, shift, out);
        case AUGUR_FORMAT_U32:
            return read_row_of<std::uint32_t>(bytes, count, scale, shift, out);
        case AUGUR_FORMAT_I16:
            return read_row_of<std::int16_t>(bytes, count, scale, shift, out);
        case AUGUR_FORMAT_U16:
            return read_row_of<std::uint16_t>(bytes, count, scale, shift, out);
        case AUGUR_FORMAT_I8:
            return read_row_of<std::int8_t>(bytes, count, scale, shift, out);
        case AUGUR_FORMAT_U8:
            return read_row_of<std::uint8_t>(bytes, count, scale, shift, out);
        default:
            return read_row_of<float>(bytes, count, scale, shift, out);
    }
}

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_READ_ROW_H
