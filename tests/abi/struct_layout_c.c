#include "abi/struct_layout.h"

#define ENTRY(type, expected) {#type, sizeof(type)},
static const struct augur_struct_size sizes[] = {AUGUR_STRUCT_LIST(ENTRY)};

const struct augur_struct_size* augur_struct_sizes_in_c(size_t* count) {
    *count = sizeof sizes / sizeof sizes[0];
    return sizes;
}

size_t augur_result_size_in_c(void) {
    return sizeof(augur_result);
}
