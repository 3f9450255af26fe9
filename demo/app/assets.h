// Where the demo's files lie.
#pragma once

#include <string>

namespace augur::demo {

/// The folder with the demo's assets: AUGUR_DEMO_ASSETS where that is set, else `assets` beside or above the program,
/// else the source tree that this program was built from. It may not exist; whoever reads a file says so.
std::string asset_folder();

/// True where `model` is a path of its own (it names a folder or ends in .onnx) and not the name of a shipped model.
bool is_model_path(const std::string& model);

/// The file that a model's name or path stands for. It may not exist.
std::string model_file(const std::string& model);

/// Names of the models in the asset folder, in order, with commas between them; "none" where there are none.
std::string shipped_models();

}  // namespace augur::demo
