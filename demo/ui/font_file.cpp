#include "ui/font_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace augur::demo {
namespace {

// Layout of the table directory: Apple, "TrueType Reference Manual", The Font Directory.
constexpr std::uint32_t kTrueTypeVersion = 0x00010000;
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kEntryBytes = 16;
constexpr std::size_t kLargestFileBytes = 16u << 20;

std::uint32_t big_endian(const std::vector<unsigned char>& bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value = (value << 8) | bytes[at + i];
    return value;
}

}  // namespace

bool is_usable_font(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<unsigned char> bytes;
    if (file) bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (bytes.size() < kHeaderBytes || bytes.size() > kLargestFileBytes) return false;
    if (big_endian(bytes, 0, 4) != kTrueTypeVersion) return false;
    const std::size_t tables = big_endian(bytes, 4, 2);
    if (bytes.size() < kHeaderBytes + tables * kEntryBytes) return false;
    int needed = 0;
    for (std::size_t i = 0; i < tables; ++i) {
        const std::size_t entry = kHeaderBytes + i * kEntryBytes;
        const std::uint64_t offset = big_endian(bytes, entry + 8, 4);
        const std::uint64_t length = big_endian(bytes, entry + 12, 4);
        if (offset + length > bytes.size()) return false;
        for (const char* name : {"cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp"}) {
            needed += std::memcmp(&bytes[entry], name, 4) == 0 && length > 0 ? 1 : 0;
        }
    }
    return needed == 7;
}

}  // namespace augur::demo
