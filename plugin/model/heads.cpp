#include "model/heads.h"

#include <algorithm>
#include <string>

#include "model/refusal.h"

namespace augur::model {
namespace {

constexpr const char* kWords[core::kNetworkHeads] = {"policy", "value", "reward"};

std::string lower(const std::string& text) {
    std::string out = text;
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

}  // namespace

void find_heads(const ImportOptions& options, Network& network) {
    std::fill(std::begin(network.heads), std::end(network.heads), core::kNoHead);
    std::vector<bool> taken(network.outputs.size(), false);
    const auto assign = [&](std::uint32_t head, auto fits) {
        for (std::uint32_t o = 0; o < network.outputs.size() && network.heads[head] == core::kNoHead; ++o) {
            if (taken[o] || !fits(network.outputs[o].name)) continue;
            network.heads[head] = o;
            taken[o] = true;
        }
    };
    for (std::uint32_t head = 0; head < core::kNetworkHeads; ++head) {
        const std::string& wanted = options.head_outputs[head];
        if (wanted.empty()) continue;
        assign(head, [&](const std::string& name) { return name == wanted; });
        if (network.heads[head] == core::kNoHead)
            refuse(AUGUR_ERROR_NOT_FOUND, "the model has no output %s left for its %s head", shown(wanted).c_str(),
                   kWords[head]);
    }
    for (std::uint32_t head = 0; head < core::kNetworkHeads; ++head)
        assign(head, [&](const std::string& name) { return lower(name) == kWords[head]; });
    for (std::uint32_t head = 0; head < core::kNetworkHeads; ++head)
        assign(head, [&](const std::string& name) { return lower(name).find(kWords[head]) != std::string::npos; });
    if (std::find(taken.begin(), taken.end(), true) != taken.end()) return;
    for (std::uint32_t head = 0; head < core::kNetworkHeads && head < network.outputs.size(); ++head)
        network.heads[head] = head;
}

}  // namespace augur::model
