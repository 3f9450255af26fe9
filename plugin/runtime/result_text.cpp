#include "runtime/result_text.h"

namespace augur {

const char* result_name(augur_result result) {
    switch (static_cast<int>(result)) {
#define AUGUR_CASE(name, value, text) \
    case value:                       \
        return #name;
        AUGUR_RESULT_LIST(AUGUR_CASE)
#undef AUGUR_CASE
        default:
            return "AUGUR_UNKNOWN";
    }
}

const char* result_text(augur_result result) {
    switch (static_cast<int>(result)) {
#define AUGUR_CASE(name, value, text) \
    case value:                       \
        return text;
        AUGUR_RESULT_LIST(AUGUR_CASE)
#undef AUGUR_CASE
        default:
            return "not a result that this version of Augur gives";
    }
}

}  // namespace augur
