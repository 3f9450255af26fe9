// Where the demo's files lie.
#pragma once

#include <string>

namespace augur::demo {

/// The folder with the demo's assets: AUGUR_DEMO_ASSETS where that is set, else `assets` beside or above the program,
/// else the source tree that this program was built from. It may not exist; whoever reads a file says so.
std::string asset_folder();

}  // namespace augur::demo
