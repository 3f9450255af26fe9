// Which form of the chain of dense layers a network gets, and how it is launched.
#include <algorithm>

#include "backend/cuda/network_chain.cuh"

namespace augur::cuda {
namespace {

// False where the block would take more shared memory than it may. Of wide networks, layers are staged that have room.
template <bool kInt8, int kWidth, int kHigh, int kTeam, bool kStaged>
bool add(GraphChain& chain, ChainArgs args, Machine machine) {
    using C = Chain<kInt8, kWidth, kHigh, kTeam, kStaged>;
    std::uint64_t bytes = C::kPassedBytes;
    for (std::uint32_t l = 0; kStaged && l < args.layer_count; ++l) {
        const std::uint64_t more = args.layers[l].weight_bytes + layer_bias_bytes(args.layers[l]);
        args.layers[l].is_staged = kWidth <= 128 || bytes + more <= machine.shared_bytes;
        if (args.layers[l].is_staged) bytes += more;
    }
    if (bytes > machine.shared_bytes) return false;
    const auto kernel = chain_kernel<kInt8, kWidth, kHigh, kTeam, kStaged>;
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) !=
        cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    int resident = 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, C::kWarps * 32, bytes);
    constexpr std::uint64_t kLines = 16 * kHigh, kTeams = C::kWarps / kTeam;
    const std::uint64_t tiles = (std::uint64_t{args.rows.capacity} * args.lines + kLines - 1) / kLines;
    const std::uint64_t most =
        std::uint64_t{machine.multiprocessors} * static_cast<std::uint64_t>(std::max(resident, 1));
    const std::uint64_t spread = std::min<std::uint64_t>(tiles, machine.multiprocessors);
    const std::uint64_t blocks = std::clamp<std::uint64_t>((tiles + kTeams - 1) / kTeams, spread, most);
    chain.add_shared(kernel, static_cast<unsigned>(blocks), C::kWarps * 32, bytes, args);
    return true;
}

template <bool kInt8, int kWidth>
void add_of_width(GraphChain& chain, const ChainArgs& args, Machine machine) {
    constexpr int kTeam = kWidth / static_cast<int>(kLayerColumns);
    const std::uint64_t lines = std::uint64_t{args.rows.capacity} * args.lines;
    // Taller tiles use each weight twice as often, where there are enough of them to go round; single warps do not
    // wait for each other, and take half as long as teams as soon as each multiprocessor has a few.
    const std::uint64_t round = std::uint64_t{machine.multiprocessors} * 16;
    if (lines > round * 8 && add<kInt8, kWidth, 2, 1, true>(chain, args, machine)) return;
    if (lines > round * 4 && add<kInt8, kWidth, 2, kTeam, true>(chain, args, machine)) return;
    if (lines <= round * 4 && add<kInt8, kWidth, 1, kTeam, true>(chain, args, machine)) return;
    add<kInt8, kWidth, 2, kTeam, false>(chain, args, machine);
}

// Networks over 128 wide, whose weights seldom have room as a whole. To stage what has pays for many lines only.
template <bool kInt8>
void add_wide(GraphChain& chain, const ChainArgs& args, Machine machine) {
    const std::uint64_t lines = std::uint64_t{args.rows.capacity} * args.lines;
    const std::uint64_t round = std::uint64_t{machine.multiprocessors} * 16;
    if (lines > round * 4 && add<kInt8, 256, 2, 8, true>(chain, args, machine)) return;
    if (lines > round && add<kInt8, 256, 2, 8, false>(chain, args, machine)) return;
    add<kInt8, 256, 1, 8, false>(chain, args, machine);
}

template <bool kInt8>
void add_for(GraphChain& chain, const ChainArgs& args, Machine machine) {
    if (args.width <= 64) return add_of_width<kInt8, 64>(chain, args, machine);
    if (args.width <= 128) return add_of_width<kInt8, 128>(chain, args, machine);
    add_wide<kInt8>(chain, args, machine);
}

}  // namespace

void add_chain(GraphChain& chain, const ChainArgs& args, Machine machine) {
    args.is_int8 ? add_for<true>(chain, args, machine) : add_for<false>(chain, args, machine);
}

}  // namespace augur::cuda
