/* The README's example as a program: its first block is the game's own array, its second runs as it stands there.
 * Nothing is added to it but the functions that a game would have. The build cuts both blocks out of README.md. */
#include <augur/augur.h>
#include <stddef.h>
#include <stdio.h>

#include "readme_0.inc"

enum { kFrames = 3 };

static int frames_drawn = 0;
static int frames_applied = 0;
static int units_without_action = 0;

static int game_runs(void) {
    return frames_applied < kFrames;
}

static void draw(void) {
    ++frames_drawn;
}

static void apply_actions(void) {
    uint32_t i;
    for (i = 0; i < unit_count; ++i) {
        if (units[i].action < 0 || units[i].action > 12) ++units_without_action;
        units[i].action = AUGUR_ACTION_NONE;
    }
    ++frames_applied;
}

static void play(void) {
#include "readme_1.inc"
    augur_context_destroy(ctx);
}

int main(void) {
    uint32_t i;
    unit_count = 64;
    for (i = 0; i < unit_count; ++i) {
        units[i].position[0] = 100.0f + (float)(i % 8);
        units[i].position[1] = 100.0f + (float)(i / 8);
        units[i].health = 30;
        units[i].kind = (uint8_t)(i % 3);
        units[i].team = (uint8_t)(i % 2);
        units[i].action = AUGUR_ACTION_NONE;
    }
    play();
    if (augur_last_message()[0] != '\0') fprintf(stderr, "%s\n", augur_last_message());
    if (units_without_action != 0) fprintf(stderr, "%d units had no action\n", units_without_action);
    return frames_drawn == kFrames && frames_applied == kFrames && units_without_action == 0 &&
                   augur_last_message()[0] == '\0'
               ? 0
               : 1;
}
