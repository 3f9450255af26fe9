#include "backend/cpu/learned.h"

#include <algorithm>

#include "backend/cpu/host_view.h"
#include "backend/cpu/read_row.h"

namespace augur {

CpuLearned::Part::Part(const NetworkUse& use, std::uint32_t most_rows)
    : network(static_cast<const CpuBackendNetwork&>(*use.network).network()), rows(most_rows) {
    const core::NetworkView& net = network.program().network;
    for (std::uint32_t i = 0; i < net.input_count; ++i)
        inputs.push_back(net.tensors[net.inputs[i]].count);
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        outputs.push_back(net.tensors[net.outputs[o]].count);
}

CpuLearned::CpuLearned(const LearnedGame& game, std::uint32_t rows, std::uint32_t workers, Memory* memory)
    : game_(game),
      representation_(game.representation, core::kGuidedGroup),
      dynamics_(game.dynamics, rows),
      prediction_(game.prediction, rows),
      policy_(prediction_.network.program().network.heads[static_cast<std::uint32_t>(core::NetworkHead::policy)]),
      value_(prediction_.network.program().network.heads[static_cast<std::uint32_t>(core::NetworkHead::value)]),
      memory_(memory),
      places_(workers),
      block_bytes_(place(nullptr)) {}

CpuLearned::~CpuLearned() {
    if (block_ != nullptr) memory_->release(block_, block_bytes_);
}

std::size_t CpuLearned::place(void* base) {
    Arena arena(base);
    const auto take_all = [&arena](const Part& part, const std::vector<std::uint32_t>& counts, float** out) {
        for (std::size_t i = 0; i < counts.size(); ++i)
            out[i] = arena.take<float>(std::size_t{part.rows} * counts[i]);
    };
    std::size_t scratch = 0;
    for (const Part* part : {&representation_, &dynamics_, &prediction_})
        scratch = std::max(scratch, part->network.scratch_bytes(part->rows));
    for (Place& place : places_) {
        take_all(representation_, representation_.inputs, &place.observations);
        take_all(dynamics_, dynamics_.inputs, place.plies);
        take_all(representation_, representation_.outputs, place.representation);
        take_all(dynamics_, dynamics_.outputs, place.dynamics);
        take_all(prediction_, prediction_.outputs, place.prediction);
        place.scratch = arena.take<std::byte>(scratch);
        place.sound = arena.take<bool>(std::max(representation_.rows, dynamics_.rows));
    }
    return arena.size_bytes();
}

bool CpuLearned::allocate() {
    block_ = allocate_touched(*memory_, block_bytes_);
    if (block_ == nullptr) return false;
    place(block_);
    return true;
}

void CpuLearned::begin(float* latents, std::uint32_t nodes, const Source& observations) {
    latents_ = latents;
    nodes_ = nodes;
    rows_ = static_cast<const HostView*>(observations.buffer)->data() + observations.offset_bytes;
    source_ = {observations.buffer, observations.offset_bytes, observations.stride_bytes,
               observations.format, game_.observation_scale,   game_.observation_shift};
}

void CpuLearned::read_observation(std::uint32_t agent, float* out) const {
    read_row(rows_ + agent * source_.stride_bytes, source_, game_.observation_count, out);
}

bool CpuLearned::sees_numbers(std::uint32_t worker, std::uint32_t agent) {
    float* const room = places_[worker].observations;
    read_observation(agent, room);
    return core::keep_finite(room, game_.observation_count, core::SerialLanes{});
}

void CpuLearned::ask_root(std::uint32_t worker, std::uint32_t row, std::uint32_t agent) {
    read_observation(agent, places_[worker].observations + std::size_t{row} * game_.observation_count);
}

void CpuLearned::ask_ply(std::uint32_t worker, std::uint32_t row, std::uint32_t agent, std::uint32_t parent,
                         std::uint32_t action) {
    const Place& place = places_[worker];
    const std::uint32_t states = game_.state_count, actions = game_.action_count;
    const bool joined = dynamics_.inputs.size() == 1;  // action behind the state
    float* const state = place.plies[0] + std::size_t{row} * dynamics_.inputs[0];
    float* const chosen = joined ? state + states : place.plies[1] + std::size_t{row} * actions;
    core::write_ply(state, chosen, latent(agent, parent), states, actions, action, core::SerialLanes{});
}

void CpuLearned::run_roots(std::uint32_t worker, std::uint32_t rows) {
    Place& place = places_[worker];
    const float* const inputs[] = {place.observations};
    representation_.network.run(inputs, place.representation, rows, place.scratch);
    predict(place, place.representation[0], rows);
}

void CpuLearned::run_plies(std::uint32_t worker, std::uint32_t rows) {
    Place& place = places_[worker];
    const float* const inputs[] = {place.plies[0], place.plies[1]};
    dynamics_.network.run(inputs, place.dynamics, rows, place.scratch);
    predict(place, place.dynamics[game_.state_output], rows);
}

void CpuLearned::predict(Place& place, float* states, std::uint32_t rows) const {
    const std::uint32_t count = game_.state_count;
    for (std::uint32_t row = 0; row < rows; ++row)
        place.sound[row] = core::keep_finite(states + std::size_t{row} * count, count, core::SerialLanes{});
    place.states = states;
    const float* const inputs[] = {states};
    prediction_.network.run(inputs, place.prediction, rows, place.scratch);
}

core::Heard CpuLearned::heard(std::uint32_t worker, std::uint32_t row) const {
    const Place& place = places_[worker];
    core::Heard heard = {nullptr, nullptr, game_.dynamics.value_kind, game_.dynamics.value_scale};
    if (place.sound[row]) heard.state = place.states + std::size_t{row} * game_.state_count;
    if (game_.reward_output != core::kNoHead)
        heard.reward = place.dynamics[game_.reward_output] + std::size_t{row} * dynamics_.outputs[game_.reward_output];
    return heard;
}

core::Advice CpuLearned::advice(std::uint32_t worker, std::uint32_t row) const {
    const Place& place = places_[worker];
    return {place.prediction[policy_] + std::size_t{row} * prediction_.outputs[policy_],
            place.prediction[value_] + std::size_t{row} * prediction_.outputs[value_], game_.prediction.value_kind,
            game_.prediction.value_scale};
}

}  // namespace augur
