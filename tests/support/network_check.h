// Everything that plugin/model/network.h and core/network.h promise of a loaded network, checked from the outside.
#ifndef AUGUR_TESTS_SUPPORT_NETWORK_CHECK_H
#define AUGUR_TESTS_SUPPORT_NETWORK_CHECK_H

#include <string>

#include "model/network.h"

namespace augur::test {

// The first promise that is broken, in words; empty where all are kept.
std::string broken_promise(const model::Network& network);

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_NETWORK_CHECK_H
