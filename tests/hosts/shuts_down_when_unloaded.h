/* Between shuts_down_when_unloaded.c and the module that it loads. */
#ifndef AUGUR_TESTS_HOSTS_SHUTS_DOWN_WHEN_UNLOADED_H
#define AUGUR_TESTS_HOSTS_SHUTS_DOWN_WHEN_UNLOADED_H

/* The module's only function: starts a frame and returns 0. When the module is unloaded *verdict becomes 0, or the
 * number of what went wrong. */
typedef int (*start_frame_fn)(int* verdict);

#endif
