// The inputs and outputs of a network in words and by head.
#ifndef AUGUR_RUNTIME_NETWORK_PORT_H
#define AUGUR_RUNTIME_NETWORK_PORT_H

#include <string>

#include "model/network.h"

namespace augur {

// "[batch, 42]".
std::string shape_text(const model::Port& port);

// The output that is the network's head; null where it has none.
const model::Port* head_of(const model::Network& network, core::NetworkHead head);

}  // namespace augur

#endif  // AUGUR_RUNTIME_NETWORK_PORT_H
