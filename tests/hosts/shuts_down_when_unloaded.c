/* Loads and unloads a module that uses Augur and shuts down only while it is unloaded. argv[2]: the module. The exit
 * code must be the program's own. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "shuts_down_when_unloaded.h"

int main(int argc, char** argv) {
    int round;
    if (argc != 3) return 20;
    for (round = 0; round < 3; ++round) {
        int verdict = 1;
        int step;
        start_frame_fn start_frame;
        void* symbol;
        void* module = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
        if (module == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 21;
        }
        symbol = dlsym(module, "start_frame");
        if (symbol == NULL) return 22;
        memcpy(&start_frame, &symbol, sizeof start_frame);
        step = start_frame(&verdict);
        if (step != 0) {
            fprintf(stderr, "round %d, step %d\n", round, step);
            return 23;
        }
        if (dlclose(module) != 0) return 24;
        if (verdict != 0) {
            fprintf(stderr, "round %d: the module's destructor came to %d\n", round, verdict);
            return 25;
        }
    }
    return 6;
}
