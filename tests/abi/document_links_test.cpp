// Links of the documents lead to files of this repository that are there, and tests that they name are there too.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Targets of [text](target) and ![text](target) in a Markdown text that are not addresses, without their #part.
std::vector<std::string> local_links(const std::string& text) {
    static const std::regex pattern(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
    std::vector<std::string> links;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at) {
        const std::string target = (*at)[1];
        if (target.find("://") == std::string::npos) links.push_back(target);
    }
    return links;
}

std::vector<fs::path> documents_below(const fs::path& root) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
    for (const char* folder : {"docs", "assets", "sdk", "plugin", "demo", "tests"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() == ".md") found.push_back(entry.path());
        }
    }
    return found;
}

TEST(Documents, LinksLeadSomewhere) {
    std::size_t links = 0;
    for (const fs::path& document : documents_below(AUGUR_SOURCE_DIR)) {
        for (const std::string& link : local_links(text_of(document))) {
            EXPECT_TRUE(fs::exists(document.parent_path() / link)) << document << " links to " << link;
            ++links;
        }
    }
    EXPECT_GT(links, 30U);
}

TEST(Documents, LinksAreFound) {
    const std::vector<std::string> expected = {"a/b.md", "../c.png", "d.md"};
    EXPECT_EQ(local_links("[a](a/b.md) ![c](../c.png)\n[d](d.md#part) [e](https://e.org/f.md) (not.md) [g](#here)"),
              expected);
}

// "Suite.Name" of every test in the sources, and the names of the programs of tests/hosts.
std::set<std::string> tests_of_the_sources() {
    static const std::regex test(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    static const std::regex from_cmake(R"(add_test\(NAME (\w+\.\w+))");
    static const std::regex refused_rules(R"(augur_add_refused_rules\((\w+) \w+\.cpp)");
    static const std::regex host(R"(augur_host_test\((host_\w+))");
    std::set<std::string> names;
    const auto collect = [&](const std::string& text, const std::regex& pattern, const auto& name_of) {
        for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at)
            names.insert(name_of(*at));
    };
    const auto whole = [](const std::smatch& match) { return match[1].str(); };
    for (const auto& entry : fs::recursive_directory_iterator(AUGUR_SOURCE_DIR "/tests")) {
        const fs::path& path = entry.path();
        if (path.extension() == ".cpp" || path.extension() == ".cu")
            collect(text_of(path), test, [](const std::smatch& m) { return m[1].str() + "." + m[2].str(); });
        if (path.filename() != "CMakeLists.txt") continue;
        collect(text_of(path), from_cmake, whole);
        collect(text_of(path), host, whole);
        collect(text_of(path), refused_rules, [](const std::smatch& m) { return "RulesLimits." + m[1].str(); });
    }
    return names;
}

// Names of tests in the last column of a document's tables that no test begins with. A name without a suite is of the
// suite before it.
std::vector<std::string> tests_that_are_not_there(const std::string& document, const std::set<std::string>& tests) {
    static const std::regex name(R"(`([\w.]+)`)");
    const auto is_begun = [&tests](const std::string& beginning) {
        const auto at = tests.lower_bound(beginning);
        return at != tests.end() && at->compare(0, beginning.size(), beginning) == 0;
    };
    std::vector<std::string> missing;
    std::stringstream lines(document);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("| ", 0) != 0 || line.size() < 4) continue;
        const std::string cell = line.substr(line.rfind("| ", line.size() - 2));
        std::string suite;
        for (auto at = std::sregex_iterator(cell.begin(), cell.end(), name); at != std::sregex_iterator(); ++at) {
            const std::string found = (*at)[1];
            const std::size_t dot = found.find('.');
            if (dot != std::string::npos) suite = found.substr(0, dot);
            const bool there = dot != std::string::npos || found.rfind("host_", 0) == 0
                                   ? is_begun(found)
                                   : is_begun(found + ".") || (!suite.empty() && is_begun(suite + "." + found));
            if (!there) missing.push_back(found);
        }
    }
    return missing;
}

TEST(Documents, TestsThatAnswerForBadInputAreThere) {
    const std::string document = text_of(AUGUR_SOURCE_DIR "/docs/design/bad_input.md");
    const std::set<std::string> tests = tests_of_the_sources();
    EXPECT_GT(tests.size(), 300U);
    for (const std::string& name : tests_that_are_not_there(document, tests))
        ADD_FAILURE() << "bad_input.md names " << name;
    EXPECT_GT(std::count(document.begin(), document.end(), '`'), 180) << "its names were not found";
}

TEST(Documents, TestsThatAreNotThereAreFound) {
    const std::set<std::string> tests = {"Suite.FirstOfIt", "Suite.Second", "Other.Third", "host_that_is"};
    const std::vector<std::string> expected = {"Gone", "Suite.Third", "host_gone", "Firs"};
    EXPECT_EQ(tests_that_are_not_there("| 1 | `no` name | `Suite`, `Suite.First`, `Second`, `Other`, `host_that` |\n"
                                       "| 2 | x | `Gone`, `Suite.Third`, `host_gone` |\n"
                                       "| 3 | x | `Firs` |\n",
                                       tests),
              expected);
}

}  // namespace
