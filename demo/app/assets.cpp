#include "app/assets.h"

#include <cstdlib>
#include <filesystem>

namespace augur::demo {

std::string asset_folder() {
    if (const char* given = std::getenv("AUGUR_DEMO_ASSETS"); given != nullptr && given[0] != '\0') return given;
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (int level = 0; level < 4 && !folder.empty(); ++level) {
        for (const char* place : {"assets", "share/augur/assets"}) {
            const fs::path candidate = folder / place;
            if (fs::is_directory(candidate / "fonts", ignored)) return candidate.string();
        }
        folder = folder.parent_path();
    }
    return AUGUR_DEMO_SOURCE_ASSETS;
}

}  // namespace augur::demo
