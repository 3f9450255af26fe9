// Names and sentences of the result list.
#ifndef AUGUR_RUNTIME_RESULT_TEXT_H
#define AUGUR_RUNTIME_RESULT_TEXT_H

#include <augur/base.h>

namespace augur {

const char* result_name(augur_result result);  // "AUGUR_UNKNOWN" for a value not on the list
const char* result_text(augur_result result);

}  // namespace augur

#endif  // AUGUR_RUNTIME_RESULT_TEXT_H
