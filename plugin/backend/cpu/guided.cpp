#include "backend/cpu/guided.h"

namespace augur {

CpuSeat::CpuSeat(const NetworkUse& use, std::uint32_t rows, std::uint32_t workers, Memory* memory)
    : network_(static_cast<const CpuBackendNetwork&>(*use.network).network()),
      use_(use),
      rows_(rows),
      memory_(memory),
      places_(workers) {
    const core::NetworkView& net = network_.program().network;
    features_ = net.tensors[net.inputs[0]].count;
    for (std::uint32_t i = 0; i < net.output_count; ++i)
        output_sizes_[i] = net.tensors[net.outputs[i]].count;
    for (std::uint32_t h = 0; h < core::kNetworkHeads; ++h)
        heads_[h] = net.heads[h];
    block_bytes_ = place(nullptr);
}

CpuSeat::~CpuSeat() {
    if (block_ != nullptr) memory_->release(block_, block_bytes_);
}

std::size_t CpuSeat::place(void* base) {
    Arena arena(base);
    for (Place& place : places_) {
        place.input = arena.take<float>(static_cast<std::size_t>(rows_) * features_);
        for (const core::NetworkHead head : {core::NetworkHead::policy, core::NetworkHead::value}) {
            const std::uint32_t i = heads_[static_cast<std::uint32_t>(head)];
            if (i == core::kNoHead) continue;
            place.outputs[i] = arena.take<float>(static_cast<std::size_t>(rows_) * output_sizes_[i]);
        }
        place.scratch = arena.take<std::byte>(network_.scratch_bytes(rows_));
    }
    return arena.size_bytes();
}

bool CpuSeat::allocate() {
    block_ = allocate_touched(*memory_, block_bytes_);
    if (block_ == nullptr) return false;
    place(block_);
    return true;
}

float* CpuSeat::row(std::uint32_t worker, std::uint32_t row) const {
    return places_[worker].input + static_cast<std::size_t>(row) * features_;
}

void CpuSeat::run(std::uint32_t worker, std::uint32_t rows) {
    Place& place = places_[worker];
    const float* inputs[core::kNetworkInputs] = {place.input};
    network_.run(inputs, place.outputs, rows, place.scratch);
}

const float* CpuSeat::head(core::NetworkHead which, std::uint32_t worker, std::uint32_t row) const {
    const std::uint32_t output = heads_[static_cast<std::uint32_t>(which)];
    if (output == core::kNoHead) return nullptr;
    return places_[worker].outputs[output] + static_cast<std::size_t>(row) * output_sizes_[output];
}

core::Advice CpuSeat::advice(std::uint32_t worker, std::uint32_t row) const {
    return {head(core::NetworkHead::policy, worker, row), head(core::NetworkHead::value, worker, row), use_.value_kind,
            use_.value_scale};
}

}  // namespace augur
