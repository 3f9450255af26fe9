// Plans a recorded session again and compares the decision hashes.
#ifndef AUGUR_RUNTIME_REPLAY_H
#define AUGUR_RUNTIME_REPLAY_H

#include <augur/inspect.h>

namespace augur {

class Context;

// AUGUR_OK also where hashes differ: the report says so. A file that cannot be read or is damaged anywhere:
// AUGUR_ERROR_IO with the offset; rules that this library does not know: AUGUR_ERROR_NOT_FOUND.
augur_result replay(Context& context, const char* path, augur_replay_report* out);

}  // namespace augur

#endif  // AUGUR_RUNTIME_REPLAY_H
