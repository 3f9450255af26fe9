// Structs lie in memory as hosts were compiled to believe, in C as in C++.

#include "abi/struct_layout.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <type_traits>

namespace {

struct Expected {
    const char* name;
    std::size_t size_in_cxx;
    std::size_t size;
    bool plain;
};

#define ENTRY(type, expected) \
    Expected{#type, sizeof(type), expected, std::is_trivially_copyable_v<type> && std::is_standard_layout_v<type>},
const Expected kStructs[] = {AUGUR_STRUCT_LIST(ENTRY)};
#undef ENTRY

TEST(StructLayout, SizesAreTheOnesHostsWereCompiledWith) {
    for (const Expected& entry : kStructs) {
        EXPECT_EQ(entry.size_in_cxx, entry.size) << entry.name;
        EXPECT_TRUE(entry.plain) << entry.name << " is not a plain C struct";
    }
}

TEST(StructLayout, CAndCxxAgree) {
    std::size_t count = 0;
    const augur_struct_size* in_c = augur_struct_sizes_in_c(&count);
    ASSERT_EQ(count, std::size(kStructs));
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_STREQ(in_c[i].name, kStructs[i].name);
        EXPECT_EQ(in_c[i].size, kStructs[i].size_in_cxx) << kStructs[i].name;
    }
    EXPECT_EQ(augur_result_size_in_c(), sizeof(augur_result));
    EXPECT_EQ(sizeof(augur_result), 4U);
}

TEST(StructLayout, EveryStructOfTheHeadersIsOnTheList) {
    std::set<std::string> on_list;
    for (const Expected& entry : kStructs)
        on_list.insert(entry.name);
    const std::regex definition(R"(typedef struct (augur_\w+) \{)");
    std::size_t found = 0;
    for (const auto& file : std::filesystem::directory_iterator(AUGUR_SOURCE_DIR "/sdk/include/augur")) {
        if (file.path().extension() != ".h") continue;
        std::ifstream stream(file.path());
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end; ++match, ++found) {
            EXPECT_TRUE(on_list.count((*match)[1])) << (*match)[1] << " of " << file.path().filename();
        }
    }
    EXPECT_EQ(found, on_list.size());
}

// The growable descs begin alike, so that the library can judge one before it knows which it is.
TEST(StructLayout, DescsBeginWithSizeAndCookie) {
    EXPECT_EQ(offsetof(augur_context_desc, struct_size), 0U);
    EXPECT_EQ(offsetof(augur_context_desc, struct_cookie), 4U);
    EXPECT_EQ(offsetof(augur_buffer_desc, struct_size), 0U);
    EXPECT_EQ(offsetof(augur_buffer_desc, struct_cookie), 4U);
    EXPECT_EQ(offsetof(augur_planner_desc, struct_size), 0U);
    EXPECT_EQ(offsetof(augur_planner_desc, struct_cookie), 4U);
    EXPECT_EQ(offsetof(augur_frame_desc, struct_size), 0U);
    EXPECT_EQ(offsetof(augur_frame_desc, struct_cookie), 4U);
}

}  // namespace
