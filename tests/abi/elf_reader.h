// Reads what a 64-bit ELF shared library says about itself: names it exports, its SONAME, the libraries it needs.
#pragma once

#include <string>
#include <vector>

struct ExportedSymbol {
    std::string name;
    bool is_function;
};

struct ElfLibrary {
    std::string soname;
    std::vector<std::string> needed;
    std::vector<ExportedSymbol> exports;  // defined, global or weak, default visibility, sorted by name
};

// Throws std::runtime_error with the reason where path is not such a file.
ElfLibrary read_elf_library(const std::string& path);
