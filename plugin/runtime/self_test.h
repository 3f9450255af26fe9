// What this machine can do, found out by planning a small position whose answer is known.
#ifndef AUGUR_RUNTIME_SELF_TEST_H
#define AUGUR_RUNTIME_SELF_TEST_H

#include <augur/context.h>

namespace augur {

struct BackendFactory;

augur_self_test_report run_self_test(const BackendFactory& factory);

}  // namespace augur

#endif  // AUGUR_RUNTIME_SELF_TEST_H
