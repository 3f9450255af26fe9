#include <augur/base.h>

#include "runtime/message.h"
#include "runtime/result_text.h"

AUGUR_API uint32_t AUGUR_CALL augur_version(void) {
    return AUGUR_VERSION;
}

AUGUR_API const char* AUGUR_CALL augur_result_name(augur_result result) {
    return augur::result_name(result);
}

AUGUR_API const char* AUGUR_CALL augur_result_text(augur_result result) {
    return augur::result_text(result);
}

AUGUR_API const char* AUGUR_CALL augur_last_message(void) {
    return augur::last_message();
}
