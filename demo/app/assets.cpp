#include "app/assets.h"

#include <cstdlib>
#include <filesystem>
#include <set>

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

bool is_model_path(const std::string& model) {
    const std::string ending = ".onnx";
    return model.find('/') != std::string::npos ||
           (model.size() >= ending.size() &&
            model.compare(model.size() - ending.size(), std::string::npos, ending) == 0);
}

std::string model_file(const std::string& model) {
    return is_model_path(model) ? model : asset_folder() + "/models/" + model + ".onnx";
}

std::string shipped_models() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(asset_folder() + "/models", ignored)) {
        if (entry.path().extension() == ".onnx") names.insert(entry.path().stem().string());
    }
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

}  // namespace augur::demo
