// Profiles as files: JSON in and out.
#ifndef AUGUR_RUNTIME_PROFILE_FILE_H
#define AUGUR_RUNTIME_PROFILE_FILE_H

#include <augur/profile.h>

#include <string_view>

#include "backend/backend.h"

namespace augur {

// Reads the text of a profile over the defaults. name: of the file, for messages. log: for what is left out; may be
// null. Failures as augur_profile_load tells them; *out is then untouched.
augur_result parse_profile(std::string_view text, const char* name, Log* log, augur_profile* out);

augur_result load_profile(const char* path, Log* log, augur_profile* out);

augur_result save_profile(const char* path, const augur_profile& profile);

}  // namespace augur

#endif  // AUGUR_RUNTIME_PROFILE_FILE_H
