// Whole trees, node by node, as they were when they were last looked at: a search that changes without meaning to shows
// as a difference in a text. The same texts hold in every build: debug, optimised, sanitized, GCC and Clang.
//
// With AUGUR_GOLDEN_WRITE=FOLDER the texts are written there instead of compared; tests/golden/regenerate does that.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "golden/golden_text.h"

namespace augur::test {
namespace {

std::string stored(const std::string& name) {
    const char* folder = std::getenv("AUGUR_TESTS_DIR");
    const std::string base = folder != nullptr ? std::string(folder) + "/golden" : std::string(AUGUR_TEST_DIR);
    std::ifstream file(base + "/data/" + name + ".txt");
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : std::string();
}

std::string line_at(const std::string& text, std::size_t number) {
    std::istringstream lines(text);
    std::string line = "(no such line)";
    for (std::size_t i = 0; i <= number; ++i) {
        if (!std::getline(lines, line)) return "(no such line)";
    }
    return line;
}

// The first line in which the texts differ, for a message that fits on a screen.
std::string first_difference(const std::string& before, const std::string& now) {
    std::size_t line = 0;
    for (std::size_t i = 0; i < before.size() && i < now.size() && before[i] == now[i]; ++i)
        line += before[i] == '\n' ? 1 : 0;
    return "line " + std::to_string(line + 1) + "\n  stored: " + line_at(before, line) +
           "\n  now:    " + line_at(now, line);
}

TEST(GoldenTrees, AreTheStoredOnes) {
    const char* folder = std::getenv("AUGUR_GOLDEN_WRITE");
    const std::vector<Golden> goldens = make_goldens();
    EXPECT_EQ(goldens.size(), 14u);
    for (const Golden& golden : goldens) {
        if (folder != nullptr) {
            std::ofstream file(std::string(folder) + "/" + golden.name + ".txt");
            file << golden.text;
            EXPECT_TRUE(file.flush()) << golden.name;
            continue;
        }
        const std::string before = stored(golden.name);
        ASSERT_FALSE(before.empty()) << "no stored text for " << golden.name;
        EXPECT_TRUE(before == golden.text) << golden.name << ": " << first_difference(before, golden.text)
                                           << "\n(tests/golden/regenerate shows the whole difference)";
    }
}

// Texts that say little would hold anything.
TEST(GoldenTrees, CoverNodesProofsEndsAndSharedSums) {
    std::string all;
    for (const Golden& golden : make_goldens())
        all += golden.text;
    EXPECT_GT(all.size(), 20000u);
    for (const char* part : {" won", " lost", " drawn", " end", " |", " by 6(", "player 1"}) {
        EXPECT_NE(all.find(part), std::string::npos) << part;
    }
}

}  // namespace
}  // namespace augur::test
