#include "runtime/network_port.h"

namespace augur {

std::string shape_text(const model::Port& port) {
    std::string text = "[batch";
    for (const std::uint32_t dim : port.dims)
        text += ", " + std::to_string(dim);
    return text + "]";
}

const model::Port* head_of(const model::Network& network, core::NetworkHead head) {
    const std::uint32_t index = network.heads[static_cast<std::uint32_t>(head)];
    return index != core::kNoHead ? &network.outputs[index] : nullptr;
}

}  // namespace augur
