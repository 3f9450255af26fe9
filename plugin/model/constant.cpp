#include "model/constant.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/refusal.h"
#include "model/shapes.h"

namespace augur::model {
namespace {

float half_to_float(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t fraction = half & 0x3ffu;
    if (exponent == 0) {  // zero and denormals: fraction x 2^-24
        const float size = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -size : size;
    }
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float bfloat_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float narrowed(double value, const std::string& what) {
    if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
        refuse(AUGUR_ERROR_INVALID_MODEL, "%s has the value %g, which is beyond the range of float", what.c_str(),
               value);
    return static_cast<float>(value);
}

std::size_t bytes_of(DataType type) {
    switch (type) {
        case DataType::uint8:
        case DataType::int8:
        case DataType::boolean:
            return 1;
        case DataType::uint16:
        case DataType::int16:
        case DataType::float16:
        case DataType::bfloat16:
            return 2;
        case DataType::float64:
        case DataType::int64:
        case DataType::uint64:
            return 8;
        default:
            return 4;
    }
}

template <class T>
T read(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

float real_at(const char* from, DataType type, const std::string& what) {
    switch (type) {
        case DataType::float16:
            return half_to_float(read<std::uint16_t>(from));
        case DataType::bfloat16:
            return bfloat_to_float(read<std::uint16_t>(from));
        case DataType::float64:
            return narrowed(read<double>(from), what);
        default:
            return read<float>(from);
    }
}

std::int64_t integer_of(std::uint64_t value, const std::string& what) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        refuse(AUGUR_ERROR_INVALID_MODEL, "%s has the value %llu, which is beyond the range of int64", what.c_str(),
               static_cast<unsigned long long>(value));
    return static_cast<std::int64_t>(value);
}

std::int64_t integer_at(const char* from, DataType type, const std::string& what) {
    switch (type) {
        case DataType::uint8:
            return read<std::uint8_t>(from);
        case DataType::int8:
            return read<std::int8_t>(from);
        case DataType::boolean:
            return read<std::uint8_t>(from) != 0 ? 1 : 0;
        case DataType::uint16:
            return read<std::uint16_t>(from);
        case DataType::int16:
            return read<std::int16_t>(from);
        case DataType::int32:
            return read<std::int32_t>(from);
        case DataType::uint32:
            return read<std::uint32_t>(from);
        case DataType::uint64:
            return integer_of(read<std::uint64_t>(from), what);
        default:
            return read<std::int64_t>(from);
    }
}

// The range of a type that the file keeps in wider numbers.
bool in_range(std::int64_t value, DataType type) {
    switch (type) {
        case DataType::uint8:
            return value >= 0 && value <= 0xff;
        case DataType::int8:
            return value >= -0x80 && value <= 0x7f;
        case DataType::boolean:
            return value == 0 || value == 1;
        case DataType::uint16:
        case DataType::float16:
        case DataType::bfloat16:
            return value >= 0 && value <= 0xffff;
        case DataType::int16:
            return value >= -0x8000 && value <= 0x7fff;
        case DataType::uint32:
            return value >= 0 && value <= 0xffffffff;
        case DataType::int32:
            return value >= -0x80000000ll && value <= 0x7fffffff;
        default:
            return true;
    }
}

std::size_t size_of(const PackedProto& packed) {
    std::size_t bytes = 0;
    for (const std::string_view piece : packed.pieces)
        bytes += piece.size();
    return bytes;
}

class Decoder {
  public:
    Decoder(const TensorProto& tensor, std::uint64_t count)
        : tensor_(tensor), count_(count), what_("the tensor " + shown(tensor.name)) {}

    void raw(std::string_view bytes, Constant& out) const {
        const std::size_t width = bytes_of(tensor_.type);
        if (bytes.size() != count_ * width) mismatch(bytes.size() / width, bytes.size() % width != 0);
        if (out.kind != ElementKind::real) {
            out.integers.resize(count_);
            for (std::uint64_t i = 0; i < count_; ++i)
                out.integers[i] = integer_at(bytes.data() + i * width, tensor_.type, what_);
            return;
        }
        out.reals.resize(count_);
        if (tensor_.type == DataType::float32 && count_ > 0) {
            std::memcpy(out.reals.data(), bytes.data(), bytes.size());
            return;
        }
        for (std::uint64_t i = 0; i < count_; ++i)
            out.reals[i] = real_at(bytes.data() + i * width, tensor_.type, what_);
    }

    // float_data and double_data.
    void fixed(const PackedProto& packed, Constant& out) const {
        const std::size_t width = bytes_of(tensor_.type);
        const std::size_t size = size_of(packed);
        if (size != count_ * width) mismatch(size / width, size % width != 0);
        out.reals.reserve(count_);
        for (const std::string_view piece : packed.pieces) {
            if (piece.size() % width != 0) mismatch(size / width, true);
            for (std::size_t at = 0; at < piece.size(); at += width)
                out.reals.push_back(real_at(piece.data() + at, tensor_.type, what_));
        }
    }

    // int32_data, int64_data and uint64_data. Halves lie in int32_data as their bits.
    void varints(const PackedProto& packed, Constant& out) const {
        std::vector<std::int64_t> values;
        if (!OnnxDecoder::read_varints(packed, count_, values)) mismatch(size_of(packed), true);
        for (const std::int64_t value : values) {
            if (tensor_.type == DataType::uint64) integer_of(static_cast<std::uint64_t>(value), what_);
            if (!in_range(value, tensor_.type))
                refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu has the value %lld, which is no %s", what_.c_str(),
                       static_cast<unsigned long long>(tensor_.offset), static_cast<long long>(value),
                       name_of(tensor_.type));
        }
        if (out.kind != ElementKind::real) {
            out.integers = std::move(values);
            return;
        }
        out.reals.reserve(count_);
        for (const std::int64_t value : values) {
            const auto bits = static_cast<std::uint16_t>(value);
            out.reals.push_back(tensor_.type == DataType::float16 ? half_to_float(bits) : bfloat_to_float(bits));
        }
    }

  private:
    [[noreturn]] void mismatch(std::uint64_t found, bool broken) const {
        refuse(AUGUR_ERROR_INVALID_MODEL,
               "%s at offset %llu has %llu elements by its dimensions and %s%llu in its data", what_.c_str(),
               static_cast<unsigned long long>(tensor_.offset), static_cast<unsigned long long>(count_),
               broken ? "something other than whole numbers, about " : "", static_cast<unsigned long long>(found));
    }

    const TensorProto& tensor_;
    std::uint64_t count_;
    std::string what_;
};

}  // namespace

std::uint64_t checked_count(const std::vector<std::uint32_t>& dims, std::uint64_t limit, const std::string& what) {
    constexpr std::uint64_t kMost = 0x7fffffff;
    std::uint64_t count = 1;
    for (const std::uint32_t dim : dims) {
        if (dim == 0) return 0;
    }
    for (const std::uint32_t dim : dims) {
        count *= dim;
        if (count > limit || count > kMost)
            refuse(AUGUR_ERROR_LIMIT, "%s has more than %llu elements", what.c_str(),
                   static_cast<unsigned long long>(limit < kMost ? limit : kMost));
    }
    return count;
}

ElementKind kind_of(DataType type, const std::string& what) {
    switch (type) {
        case DataType::float32:
        case DataType::float64:
        case DataType::float16:
        case DataType::bfloat16:
            return ElementKind::real;
        case DataType::boolean:
            return ElementKind::boolean;
        case DataType::uint8:
        case DataType::int8:
        case DataType::uint16:
        case DataType::int16:
        case DataType::int32:
        case DataType::uint32:
        case DataType::int64:
        case DataType::uint64:
            return ElementKind::integer;
        case DataType::undefined:
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s has no element type", what.c_str());
        default:
            refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s has elements of type %s (%d), which is not supported",
                   what.c_str(), name_of(type), static_cast<int>(type));
    }
}

ConstantPointer decode_constant(const TensorProto& tensor, ExternalData& external, std::uint64_t file_bytes,
                                std::uint64_t most_elements) {
    const std::string what = "the tensor " + shown(tensor.name);
    const auto offset = static_cast<unsigned long long>(tensor.offset);
    auto out = std::make_shared<Constant>();
    out->name = std::string(tensor.name.substr(0, 64));
    out->kind = kind_of(tensor.type, what);
    for (const std::int64_t dim : tensor.dims) {
        if (dim < 0)
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu has a dimension of %lld", what.c_str(), offset,
                   static_cast<long long>(dim));
        if (dim > 0x7fffffff)
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu has a dimension of %lld, more than any file holds",
                   what.c_str(), offset, static_cast<long long>(dim));
        out->dims.push_back(static_cast<std::uint32_t>(dim));
    }
    // An element takes at least a byte. What is larger than the file is not a large model but a damaged one.
    if (!tensor.external && product(out->dims) > file_bytes)
        refuse(AUGUR_ERROR_INVALID_MODEL,
               "%s at offset %llu has more elements by its dimensions than the file has bytes", what.c_str(), offset);
    const std::uint64_t count = checked_count(out->dims, most_elements, what);
    if (tensor.has_segment || tensor.has_strings)
        refuse(AUGUR_ERROR_UNSUPPORTED_OPERATOR, "%s comes in segments or has strings, which is not supported",
               what.c_str());
    const Decoder decoder(tensor, count);
    const bool in_int32 =
        out->kind != ElementKind::real || tensor.type == DataType::float16 || tensor.type == DataType::bfloat16;
    if (tensor.external) {
        decoder.raw(external.bytes_of(tensor), *out);
    } else if (tensor.has_raw) {
        decoder.raw(tensor.raw, *out);
    } else if (tensor.type == DataType::float32) {
        decoder.fixed(tensor.floats, *out);
    } else if (tensor.type == DataType::float64) {
        decoder.fixed(tensor.doubles, *out);
    } else if (tensor.type == DataType::int64) {
        decoder.varints(tensor.int64s, *out);
    } else if (tensor.type == DataType::uint64 || tensor.type == DataType::uint32) {
        decoder.varints(tensor.uint64s, *out);
    } else if (in_int32) {
        decoder.varints(tensor.int32s, *out);
    }
    for (std::size_t i = 0; i < out->reals.size(); ++i) {
        if (std::isnan(out->reals[i]))
            refuse(AUGUR_ERROR_INVALID_MODEL, "%s at offset %llu has a NaN as element %zu", what.c_str(), offset, i);
    }
    return out;
}

}  // namespace augur::model
