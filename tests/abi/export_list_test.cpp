// The library exports what the headers declare: nothing less, nothing more, and needs nothing that a game may not have.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "abi/elf_reader.h"

namespace {

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> declared_functions() {
    std::set<std::string> names;
    const std::regex declaration(R"(\bAUGUR_API(?:_EXPERIMENTAL)?\s[^;{}()#]*?\bAUGUR_CALL\s+(augur_\w+)\s*\()");
    for (const auto& entry : std::filesystem::directory_iterator(AUGUR_SOURCE_DIR "/sdk/include/augur")) {
        if (entry.path().extension() != ".h") continue;
        const std::string text = read_text(entry.path());
        for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end; ++match) {
            names.insert((*match)[1]);
        }
    }
    return names;
}

std::set<std::string> exported_functions() {
    std::set<std::string> names;
    for (const ExportedSymbol& symbol : read_elf_library(AUGUR_LIBRARY_PATH).exports)
        names.insert(symbol.name);
    return names;
}

std::set<std::string> released_functions() {
    std::set<std::string> names;
    std::ifstream file(AUGUR_TEST_DIR "/exports.txt");
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.front() != '#') names.insert(line);
    }
    return names;
}

std::string listed(const std::set<std::string>& first, const std::set<std::string>& second) {
    std::string text;
    std::vector<std::string> difference;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(difference));
    for (const std::string& name : difference)
        text += "\n  " + name;
    return text;
}

TEST(Exports, EveryDeclaredFunctionIsExported) {
    const auto declared = declared_functions();
    ASSERT_GT(declared.size(), 20U) << "the headers were not understood";
    EXPECT_EQ(listed(declared, exported_functions()), "") << "declared in a header, missing in the library";
}

TEST(Exports, NothingUndeclaredIsExported) {
    EXPECT_EQ(listed(exported_functions(), declared_functions()), "") << "exported, but in no header";
}

TEST(Exports, OnlyFunctionsNoData) {
    for (const ExportedSymbol& symbol : read_elf_library(AUGUR_LIBRARY_PATH).exports) {
        EXPECT_TRUE(symbol.is_function) << symbol.name;
    }
}

// exports.txt is what a host may already call. A name leaves it only together with the SONAME.
TEST(Exports, EveryReleasedFunctionIsStillThere) {
    const auto released = released_functions();
    ASSERT_FALSE(released.empty());
    EXPECT_EQ(listed(released, exported_functions()), "") << "hosts built against an earlier library would not load";
}

TEST(Exports, EveryDeclaredFunctionIsOnTheReleasedList) {
    EXPECT_EQ(listed(declared_functions(), released_functions()), "")
        << "new functions: add them to tests/abi/exports.txt";
}

TEST(Library, CarriesItsMajorVersionInTheSoname) {
    EXPECT_EQ(read_elf_library(AUGUR_LIBRARY_PATH).soname, AUGUR_LIBRARY_SONAME);
    EXPECT_STREQ(AUGUR_LIBRARY_SONAME, "libaugur.so.0");
}

TEST(Library, NeedsNothingAGameMayNotHave) {
    if (!AUGUR_CARRIES_STATIC_CXX) GTEST_SKIP() << "this build links the C++ library dynamically";
    const std::set<std::string> allowed = {
        "libc.so.6",  "libm.so.6",       "libgcc_s.so.1",        "libdl.so.2",
        "librt.so.1", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};
    for (const std::string& name : read_elf_library(AUGUR_LIBRARY_PATH).needed) {
        EXPECT_TRUE(allowed.count(name)) << "libaugur needs " << name;
    }
}

}  // namespace
