// Must not compile: the compiler names the limit of an action count.

#include <augur/kit/mask.h>

augur::kit::ActionMask<10000> mask() {
    return augur::kit::ActionMask<10000>::all();
}
