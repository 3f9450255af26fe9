// Plans a recorded session again and compares the decision hashes.
#ifndef AUGUR_RUNTIME_REPLAY_H
#define AUGUR_RUNTIME_REPLAY_H

#include <augur/inspect.h>

namespace augur {

class Context;
class Model;
class Rules;

// AUGUR_OK also where hashes differ: the report says so. A file that cannot be read or is damaged anywhere:
// AUGUR_ERROR_IO with the offset; rules that this library does not know: AUGUR_ERROR_NOT_FOUND;
// guided by another model than the one given, or by one where none is, or on other learned rules:
// AUGUR_ERROR_INVALID_MODEL. model: null where id is zero. learned: the learned rules of the session; null where its
// rules are compiled.
augur_result replay(Context& context, const char* path, const Model* model, augur_model_id id, const Rules* learned,
                    augur_replay_report* out);

}  // namespace augur

#endif  // AUGUR_RUNTIME_REPLAY_H
