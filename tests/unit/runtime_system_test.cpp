// Files that replace others, and the floating point mode of the host.
#include "runtime/system.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace augur {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
  protected:
    void SetUp() override {
        path = fs::temp_directory_path() / ("augur_system_" + std::to_string(::getpid()));
        fs::create_directories(path);
    }
    void TearDown() override { fs::remove_all(path); }
    static std::string read(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    fs::path path;
};

using OutputFileTest = Folder;

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted) {
    const fs::path target = path / "out file \xc3\xa4.txt";
    std::ofstream(target) << "old";
    system::OutputFile file;
    ASSERT_TRUE(file.open(target.c_str()));
    ASSERT_TRUE(file.write("new", 3));
    EXPECT_EQ(read(target), "old");
    ASSERT_TRUE(file.commit());
    EXPECT_EQ(read(target), "new");
    EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingBehindWhenDropped) {
    {
        system::OutputFile file;
        ASSERT_TRUE(file.open((path / "out").c_str()));
        ASSERT_TRUE(file.write("x", 1));
    }
    EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, SaysWhyItCannotBeMade) {
    system::OutputFile file;
    EXPECT_FALSE(file.open((path / "missing" / "out").c_str()));
    EXPECT_STRNE(file.error(), "");
    EXPECT_FALSE(file.open(path.c_str())) << "a folder";
    EXPECT_FALSE(file.open((path / std::string(300, 'a')).c_str()));
    ASSERT_EQ(::mkfifo((path / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(file.open((path / "pipe").c_str()));
    EXPECT_FALSE(file.open("/dev/full"));
    EXPECT_FALSE(file.is_open());
}

using InputFileTest = Folder;

TEST_F(InputFileTest, RefusesEverythingButOrdinaryFiles) {
    ASSERT_EQ(::mkfifo((path / "pipe").c_str(), 0600), 0);
    for (const fs::path& name :
         {path, path / "missing", path / "pipe", fs::path("/dev/zero"), path / std::string(300, 'a')}) {
        system::InputFile file;
        EXPECT_FALSE(file.open(name.c_str())) << name;
        EXPECT_STRNE(file.error(), "");
    }
}

TEST_F(InputFileTest, ReadsPiecesAndNothingPastTheEnd) {
    std::ofstream(path / "in") << "abcdef";
    system::InputFile file;
    ASSERT_TRUE(file.open((path / "in").c_str()));
    EXPECT_EQ(file.size_bytes(), 6u);
    char piece[4] = "";
    EXPECT_TRUE(file.read(2, piece, 3));
    EXPECT_STREQ(piece, "cde");
    EXPECT_FALSE(file.read(4, piece, 3));
}

TEST(DefaultFloatingPoint, GivesTheHostsModeBack) {
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        {
            const system::DefaultFloatingPoint scope;
            volatile float tiny = 1e-38f;
            EXPECT_GT(tiny * 0.01f, 0.0f) << "denormals are kept";
        }
        EXPECT_EQ(std::fegetround(), mode);
    }
    std::fesetround(FE_TONEAREST);
}

TEST(CoreCount, HonoursTheAffinityMask) {
    std::thread([] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(system::core_count(), 1u);
    }).join();
}

TEST(Clock, NeverGoesBack) {
    std::uint64_t last = system::now_ns();
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t now = system::now_ns();
        ASSERT_GE(now, last);
        last = now;
    }
}

}  // namespace
}  // namespace augur
