#include "fuzz/wire_tree.h"

namespace augur::fuzz {
namespace {

constexpr int kDeepest = 10;

bool take_varint(std::string_view& bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7fu) << (7 * i);
        if ((byte & 0x80u) == 0) {
            bytes.remove_prefix(i + 1);
            return true;
        }
    }
    return false;
}

void put_varint(std::uint64_t value, std::string& out) {
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

}  // namespace

bool read_wire(std::string_view bytes, int depth, std::vector<WireField>& out) {
    while (!bytes.empty()) {
        std::uint64_t tag = 0;
        if (!take_varint(bytes, tag) || tag >> 3 == 0 || tag >> 3 > 1000) return false;
        WireField field;
        field.number = static_cast<std::uint32_t>(tag >> 3);
        field.type = static_cast<std::uint32_t>(tag & 7);
        std::uint64_t size = 0;
        switch (field.type) {
            case 0:
                if (!take_varint(bytes, field.value)) return false;
                break;
            case 1:
                size = 8;
                break;
            case 2:
                if (!take_varint(bytes, size)) return false;
                break;
            case 5:
                size = 4;
                break;
            default:
                return false;
        }
        if (size > bytes.size()) return false;
        const std::string_view inside = bytes.substr(0, size);
        bytes.remove_prefix(size);
        if (field.type != 2 || inside.empty() || depth == kDeepest || !read_wire(inside, depth + 1, field.fields)) {
            field.fields.clear();
            field.bytes = inside;
        }
        out.push_back(std::move(field));
    }
    return true;
}

void write_wire(const std::vector<WireField>& fields, std::string& out) {
    for (const WireField& field : fields) {
        put_varint(std::uint64_t{field.number} << 3 | field.type, out);
        if (field.type == 0) {
            put_varint(field.value, out);
            continue;
        }
        std::string inside = field.bytes;
        if (!field.fields.empty()) {
            inside.clear();
            write_wire(field.fields, inside);
        }
        if (field.type == 2) put_varint(inside.size(), out);
        out += inside;
    }
}

void lists_of(std::vector<WireField>& fields, std::vector<std::vector<WireField>*>& out) {
    out.push_back(&fields);
    for (WireField& field : fields)
        if (!field.fields.empty()) lists_of(field.fields, out);
}

}  // namespace augur::fuzz
