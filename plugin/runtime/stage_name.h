// Names of the stages of a frame.
#ifndef AUGUR_RUNTIME_STAGE_NAME_H
#define AUGUR_RUNTIME_STAGE_NAME_H

#include <augur/inspect.h>

namespace augur {

// "" for a value not on the list.
inline const char* stage_name(std::uint32_t stage) {
    switch (stage) {
#define AUGUR_CASE(name, value, text) \
    case value:                       \
        return text;
        AUGUR_STAGE_LIST(AUGUR_CASE)
#undef AUGUR_CASE
        default:
            return "";
    }
}

}  // namespace augur

#endif  // AUGUR_RUNTIME_STAGE_NAME_H
