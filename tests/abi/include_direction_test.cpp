// Who includes whom. The rooms of the house and the doors between them are the table below; docs/design says why.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Room {
    const char* path;             // files below this path, or this one file; the longest path wins
    std::set<std::string> doors;  // rooms it may include from, besides itself
};

const std::string kKit = "sdk/include/augur/kit";
const std::string kSdk = "sdk/include/augur";
const std::string kBackendTable = "plugin/backend";

const std::vector<Room>& rooms() {
    static const std::vector<Room> list = {
        {"sdk/include/augur", {}},
        {"sdk/include/augur/kit", {}},
        {"sdk/examples", {kSdk, kKit}},
        {"sdk/bindings", {kSdk}},
        {"plugin/core", {kKit, kSdk}},
        {"plugin/rules", {kKit}},
        {"plugin/backend", {"plugin/core", kKit, kSdk}},
        {"plugin/backend/cpu", {kBackendTable, "plugin/core", "plugin/rules", kKit, kSdk}},
        {"plugin/backend/cuda", {kBackendTable, "plugin/core", "plugin/rules", kKit, kSdk}},
        {"plugin/model", {"plugin/core", kKit, kSdk}},
        {"plugin/runtime", {kBackendTable, "plugin/core", "plugin/model", kKit, kSdk}},
        {"plugin/api", {"plugin/runtime", kSdk}},
        {"demo", {kSdk}},
        {"tests/hosts", {kSdk}},
    };
    return list;
}

const Room* room_of(const std::string& file) {
    const Room* best = nullptr;
    for (const Room& room : rooms()) {
        const std::string path = room.path;
        const bool inside = file == path || (file.rfind(path + "/", 0) == 0);
        if (inside && (!best || path.size() > std::string(best->path).size())) best = &room;
    }
    return best;
}

struct Include {
    std::string file;
    std::size_t line;
    std::string target;
    bool quoted;
};

bool is_source(const fs::path& path) {
    static const std::set<std::string> extensions = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inl", ".cc"};
    return extensions.count(path.extension().string()) != 0;
}

std::vector<std::string> sources_below(const fs::path& root, const std::string& folder) {
    std::vector<std::string> files;
    if (!fs::exists(root / folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.is_regular_file() && is_source(entry.path()))
            files.push_back(fs::relative(entry.path(), root).generic_string());
    }
    return files;
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

std::vector<Include> includes_of(const fs::path& root, const std::string& file) {
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> includes;
    const auto lines = lines_of(root / file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::smatch match;
        if (std::regex_search(lines[i], match, pattern)) includes.push_back({file, i + 1, match[2], match[1] == "\""});
    }
    return includes;
}

// The file of the house that an include opens, by the search paths of the build; none where it is somebody else's
// header.
std::optional<std::string> resolve(const fs::path& root, const Include& include) {
    std::vector<fs::path> folders;
    if (include.quoted) {
        folders.push_back(root / fs::path(include.file).parent_path());
        for (const char* folder : {"plugin", "demo", "tests"})
            folders.push_back(root / folder);
    }
    folders.push_back(root / "sdk/include");
    for (const fs::path& folder : folders) {
        const fs::path candidate = (folder / include.target).lexically_normal();
        if (fs::is_regular_file(candidate)) return fs::relative(candidate, root).generic_string();
    }
    return std::nullopt;
}

bool is_cuda_header(const std::string& target) {
    static const std::regex pattern(
        R"(^(cuda|cooperative_groups|cub/|thrust/|nvtx3/|nvrtc|nvToolsExt|device_launch|math_constants\.h))");
    return std::regex_search(target, pattern);
}

std::string where(const Include& include) {
    return include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

// Every breach below root, as sentences.
std::vector<std::string> breaches(const fs::path& root) {
    std::vector<std::string> found;
    for (const char* top : {"sdk", "plugin", "demo", "tests/hosts"}) {
        for (const std::string& file : sources_below(root, top)) {
            const Room* from = room_of(file);
            if (!from) {
                found.push_back(file + " lies in no room of the table");
                continue;
            }
            for (const Include& include : includes_of(root, file)) {
                if (is_cuda_header(include.target) && std::string(from->path) != "plugin/backend/cuda") {
                    found.push_back(where(include) + ": CUDA headers belong in plugin/backend/cuda");
                    continue;
                }
                const auto target = resolve(root, include);
                if (!target) {
                    if (include.target.find("plugin/") != std::string::npos) found.push_back(where(include));
                    continue;
                }
                const Room* to = room_of(*target);
                if (to == from) continue;
                if (!to || !from->doors.count(to->path)) {
                    found.push_back(where(include) + ": no door from " + from->path + " to " +
                                    (to ? to->path : *target));
                }
            }
        }
    }
    return found;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += "\n  " + line;
    return text;
}

TEST(IncludeDirection, NobodyGoesThroughAWall) {
    EXPECT_EQ(joined(breaches(AUGUR_SOURCE_DIR)), "");
}

TEST(IncludeDirection, TheTreeWasReallyRead) {
    std::size_t files = 0;
    std::size_t edges = 0;
    for (const char* top : {"sdk", "plugin", "demo"}) {
        for (const std::string& file : sources_below(AUGUR_SOURCE_DIR, top)) {
            ++files;
            for (const Include& include : includes_of(AUGUR_SOURCE_DIR, file)) {
                const auto target = resolve(AUGUR_SOURCE_DIR, include);
                if (target && room_of(*target) != room_of(file)) ++edges;
            }
        }
    }
    EXPECT_GT(files, 40U);
    EXPECT_GT(edges, 40U);
}

// Compiler tests live where the difference between host and device is made, nowhere else.
TEST(IncludeDirection, OnlyPlatformHeaderAsksWhichCompilerItIs) {
    const std::regex pattern(R"(\b(__CUDA_ARCH__|__CUDACC__|__NVCC__)\b)");
    for (const char* top : {"sdk", "plugin", "demo"}) {
        for (const std::string& file : sources_below(AUGUR_SOURCE_DIR, top)) {
            if (file == kKit + "/platform.h") continue;
            const auto lines = lines_of(fs::path(AUGUR_SOURCE_DIR) / file);
            for (std::size_t i = 0; i < lines.size(); ++i) {
                EXPECT_FALSE(std::regex_search(lines[i], pattern)) << file << ":" << i + 1 << "  " << lines[i];
            }
        }
    }
}

// The guard itself, on a small house with one breach of each kind.
class IncludeDirectionGuard : public testing::Test {
  protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / ("augur-include-" + std::to_string(::getpid()));
        fs::remove_all(root_);
        write("sdk/include/augur/base.h", "");
        write("plugin/core/tree.h", "");
        write("plugin/backend/backend.h", "#include \"core/tree.h\"\n#include <augur/base.h>\n");
        write("plugin/runtime/frame.h", "#include \"backend/backend.h\"\n");
        write("plugin/backend/cuda/kernel.cu", "#include <cuda_runtime.h>\n");
    }
    void TearDown() override { fs::remove_all(root_); }
    void write(const std::string& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    fs::path root_;
};

TEST_F(IncludeDirectionGuard, LetsTheOpenDoorsBe) {
    EXPECT_EQ(joined(breaches(root_)), "");
}

TEST_F(IncludeDirectionGuard, SeesEachBreach) {
    const std::map<std::string, std::string> bad = {
        {"plugin/core/up.h", "#include \"backend/backend.h\"\n"},
        {"plugin/core/cuda.h", "#  include <cuda_runtime.h>\n"},
        {"plugin/runtime/cuda.cpp", "#include <cuda_runtime_api.h>\n"},
        {"plugin/api/deep.cpp", "#include \"core/tree.h\"\n"},
        {"plugin/backend/cpu/sideways.cpp", "#include \"../cuda/kernel.cu\"\n"},
        {"plugin/rules/game.h", "#include \"core/tree.h\"\n"},
        {"sdk/include/augur/leak.h", "#include \"../../../plugin/core/tree.h\"\n"},
        {"demo/inside.cpp", "#include \"runtime/frame.h\"\n"},
        {"tests/hosts/inside.c", "#include \"plugin/runtime/frame.h\"\n"},
        {"plugin/attic/file.cpp", "\n"},
    };
    for (const auto& [path, text] : bad) {
        write(path, text);
        EXPECT_EQ(breaches(root_).size(), 1U) << path << joined(breaches(root_));
        fs::remove(root_ / path);
    }
}

}  // namespace
