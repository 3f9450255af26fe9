/* What any host does first: is the library that was loaded the one that was compiled against, and what can this machine
 * do? */
#include <augur/augur.h>
#include <stdio.h>

int main(void) {
    augur_context_desc desc = augur_context_desc_default();
    augur_context_id context;
    augur_rules_id rules;
    augur_result result;
    if (augur_version() != AUGUR_VERSION) {
        printf("header %u, library %u\n", (unsigned)AUGUR_VERSION, (unsigned)augur_version());
        return 1;
    }
    desc.backend = AUGUR_BACKEND_CPU;
    desc.worker_threads = 0;
    result = augur_context_create(&desc, &context);
    if (result < 0) {
        printf("%s: %s\n", augur_result_name(result), augur_last_message());
        return 1;
    }
    result = augur_rules_builtin(context, "connect_four", &rules);
    if (result < 0) {
        printf("%s: %s\n", augur_result_name(result), augur_last_message());
        return 1;
    }
    result = augur_context_destroy(context);
    printf("consumer.c: %s\n", augur_result_text(result));
    return result == AUGUR_OK ? 0 : 1;
}
