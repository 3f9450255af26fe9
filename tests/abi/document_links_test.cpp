// Links of the documents lead to files of this repository that are there.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
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

}  // namespace
