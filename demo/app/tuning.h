// The demo's search settings as a profile of Augur, and back.
#pragma once

#include <augur/augur.h>

#include <string>

#include "app/planner_session.h"

namespace augur::demo {

augur_profile to_profile(const SearchSettings& settings);

/// Sets what a profile knows of; backend and seed stay. `model_file`: what guides the search where the profile wants a
/// model. Simulations beyond what the demo offers are brought within it.
void take_profile(const augur_profile& profile, const std::string& model_file, SearchSettings& settings);

/// Reads a profile. Returns false where the file cannot be used; the profile then holds the defaults. `message` has
/// what there is to say, also of a file that could be used.
bool load_profile(const std::string& path, augur_profile& profile, std::string& message);

/// Writes the settings as a profile. Returns false and a sentence in `message` when that fails.
bool save_profile(const std::string& path, const SearchSettings& settings, std::string& message);

}  // namespace augur::demo
