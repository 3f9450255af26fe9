// Must not compile: a game has at least one action.

#include <augur/kit/mask.h>

augur::kit::ActionMask<0> mask() {
    return augur::kit::ActionMask<0>::none();
}
