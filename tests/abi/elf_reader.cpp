#include "abi/elf_reader.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

class Image {
  public:
    explicit Image(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0 ||
            bytes_[EI_CLASS] != ELFCLASS64) {
            throw std::runtime_error(path + " is not a 64-bit ELF file");
        }
    }

    template <typename T>
    T at(std::uint64_t offset) const {
        T value;
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
            throw std::runtime_error("offset past the end");
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }

    std::string text(std::uint64_t offset) const {
        if (offset >= bytes_.size()) throw std::runtime_error("string past the end");
        const char* begin = bytes_.data() + offset;
        return {begin, strnlen(begin, bytes_.size() - offset)};
    }

    std::vector<Elf64_Shdr> sections() const {
        const auto header = at<Elf64_Ehdr>(0);
        std::vector<Elf64_Shdr> result;
        for (unsigned i = 0; i < header.e_shnum; ++i) {
            result.push_back(at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * header.e_shentsize));
        }
        return result;
    }

  private:
    std::vector<char> bytes_;
};

bool is_exported(const Elf64_Sym& symbol) {
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

ElfLibrary read_elf_library(const std::string& path) {
    const Image image(path);
    const auto sections = image.sections();
    ElfLibrary library;
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
        const std::uint64_t strings = sections.at(section.sh_link).sh_offset;
        for (std::uint64_t entry = 0; entry < section.sh_size; entry += section.sh_entsize) {
            if (section.sh_type == SHT_DYNSYM) {
                const auto symbol = image.at<Elf64_Sym>(section.sh_offset + entry);
                if (!is_exported(symbol)) continue;
                library.exports.push_back(
                    {image.text(strings + symbol.st_name), ELF64_ST_TYPE(symbol.st_info) == STT_FUNC});
            } else {
                const auto dynamic = image.at<Elf64_Dyn>(section.sh_offset + entry);
                if (dynamic.d_tag == DT_SONAME) library.soname = image.text(strings + dynamic.d_un.d_val);
                if (dynamic.d_tag == DT_NEEDED) library.needed.push_back(image.text(strings + dynamic.d_un.d_val));
            }
        }
    }
    std::sort(library.exports.begin(), library.exports.end(),
              [](const ExportedSymbol& a, const ExportedSymbol& b) { return a.name < b.name; });
    return library;
}
