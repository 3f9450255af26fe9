#include "backend/cuda/learned.h"

#include <algorithm>

#include "backend/cuda/lanes.cuh"
#include "backend/cuda/layout.h"
#include "backend/cuda/rows.cuh"
#include "backend/cuda/slices.h"

namespace augur::cuda {

namespace {

constexpr unsigned kReadThreads = 256, kRowThreads = 128;
constexpr unsigned kRowLanes = 32;

// One thread a number: what agents see, as the representation takes it.
__global__ void __launch_bounds__(kReadThreads)
    read_observations_kernel(const FrameOrder* order, float* observations, std::uint32_t count, float scale,
                             float shift) {
    const core::SourceView from = order->observation;
    for_each_number(order->key.agent_count, count, [&](std::uint32_t agent, std::uint32_t n) {
        observations[static_cast<std::size_t>(agent) * count + n] =
            number_at(from.data + agent * from.stride_bytes, from.format, n) * scale + shift;
    });
}

// A warp to a row.
__global__ void __launch_bounds__(kRowThreads)
    keep_finite_kernel(float* numbers, std::uint32_t count, const std::uint32_t* rows, std::uint32_t* sound) {
    const GroupLanes<kRowLanes> lanes = GroupLanes<kRowLanes>::make();
    const std::uint32_t warps = gridDim.x * (kRowThreads / kRowLanes), row_count = *rows;
    for (std::uint32_t row = (blockIdx.x * kRowThreads + threadIdx.x) / kRowLanes; row < row_count; row += warps) {
        const bool kept = core::keep_finite(numbers + static_cast<std::size_t>(row) * count, count, lanes);
        if (lanes.leader()) sound[row] = kept ? 1u : 0u;
    }
}

const core::NetworkView& view_of(const CudaNetwork& network) {
    return network.program().network;
}

std::uint32_t input_size(const CudaNetwork& network, std::uint32_t i) {
    return view_of(network).tensors[view_of(network).inputs[i]].count;
}

std::uint32_t output_size(const CudaNetwork& network, std::uint32_t o) {
    return view_of(network).tensors[view_of(network).outputs[o]].count;
}

}  // namespace

CudaLearned::CudaLearned(std::shared_ptr<Device> device, const LearnedGame& game, std::uint32_t agents,
                         std::uint32_t rows)
    : device_(device),
      game_(game),
      representation_(static_cast<const CudaNetwork&>(*game.representation.network)),
      dynamics_(static_cast<const CudaNetwork&>(*game.dynamics.network)),
      prediction_(static_cast<const CudaNetwork&>(*game.prediction.network)),
      agents_(agents),
      rows_(rows),
      block_(std::move(device)) {
    learned_.observation_count = game_.observation_count;
    learned_.state_count = game_.state_count;
    learned_.action_count = game_.action_count;
    learned_.player_count = game_.player_count;
    learned_.reward_kind = game_.dynamics.value_kind;
    learned_.reward_scale = game_.dynamics.value_scale;
    view_.value_kind = game_.prediction.value_kind;
    view_.value_scale = game_.prediction.value_scale;
    block_bytes_ = place(nullptr);
}

std::uint64_t CudaLearned::place(unsigned char* base) {
    Slices slices(reinterpret_cast<std::uintptr_t>(base));
    const auto take = [&slices](auto*& pointer, std::uint64_t count) { slices.take(pointer, count); };
    const std::uint64_t rows = rows_;
    representation_batch_ = dynamics_batch_ = prediction_batch_ = {};
    take(learned_.observations, std::uint64_t{agents_} * game_.observation_count);
    take(learned_.sees, agents_);
    take(states_, rows * game_.state_count);
    take(sound_, rows);
    learned_.states = states_;
    learned_.sound = sound_;
    representation_batch_.inputs[0] = learned_.observations;
    representation_batch_.outputs[0] = states_;
    representation_batch_.row_capacity = agents_;

    // With one input the action stands behind the state.
    const bool joined = view_of(dynamics_).input_count == 1;
    learned_.ply_state_stride = input_size(dynamics_, 0);
    learned_.ply_action_stride = input_size(dynamics_, joined ? 0 : 1);
    take(learned_.ply_states, rows * learned_.ply_state_stride);
    if (joined)
        learned_.ply_actions = learned_.ply_states != nullptr ? learned_.ply_states + game_.state_count : nullptr;
    else
        take(learned_.ply_actions, rows * learned_.ply_action_stride);
    dynamics_batch_.inputs[0] = learned_.ply_states;
    dynamics_batch_.inputs[1] = joined ? nullptr : learned_.ply_actions;
    dynamics_batch_.outputs[game_.state_output] = states_;
    dynamics_batch_.row_capacity = rows_;
    learned_.rewards = nullptr;
    if (game_.reward_output != core::kNoHead) {
        float*& rewards = dynamics_batch_.outputs[game_.reward_output];
        take(rewards, rows * output_size(dynamics_, game_.reward_output));
        learned_.rewards = rewards;
    }

    prediction_batch_.inputs[0] = states_;
    prediction_batch_.row_capacity = rows_;
    const auto head = [&](core::NetworkHead which) {
        const std::uint32_t output = view_of(prediction_).heads[static_cast<std::uint32_t>(which)];
        float*& numbers = prediction_batch_.outputs[output];
        if (numbers == nullptr) take(numbers, rows * output_size(prediction_, output));
        return numbers;
    };
    view_.logits = head(core::NetworkHead::policy);
    view_.values = head(core::NetworkHead::value);

    // The three run one after the other.
    unsigned char* scratch = nullptr;
    take(scratch, std::max({representation_.scratch_bytes(agents_), dynamics_.scratch_bytes(rows_),
                            prediction_.scratch_bytes(rows_)}));
    representation_batch_.scratch = dynamics_batch_.scratch = prediction_batch_.scratch = scratch;
    return slices.bytes();
}

augur_result CudaLearned::allocate(cudaStream_t stream, std::string& message) {
    const augur_result result =
        block_.allocate(block_bytes_, "the working memory of the learned rules' networks", stream, message);
    if (result != AUGUR_OK) return result;
    place(block_.data());
    return device_->health().check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", message);
}

LearnedView CudaLearned::learned_view(float* latents) const {
    LearnedView view = learned_;
    view.latents = latents;
    return view;
}

void CudaLearned::add_observations(GraphChain& chain, const FrameOrder* order) const {
    const std::uint64_t numbers = std::uint64_t{agents_} * game_.observation_count;
    const std::uint64_t most = static_cast<std::uint64_t>(device_->properties().multiProcessorCount) * 8;
    const auto blocks = std::clamp<std::uint64_t>((numbers + kReadThreads - 1) / kReadThreads, 1, most);
    chain.add(read_observations_kernel, static_cast<unsigned>(blocks), kReadThreads, order, learned_.observations,
              game_.observation_count, game_.observation_scale, game_.observation_shift);
    add_keep_finite(chain, learned_.observations, game_.observation_count, agents_, &order->key.agent_count,
                    learned_.sees);
}

void CudaLearned::add_roots(GraphChain& chain, const std::uint32_t* rows) const {
    add_part(chain, representation_, representation_batch_, rows);
    add_keep_finite(chain, states_, game_.state_count, agents_, rows, sound_);
    add_part(chain, prediction_, prediction_batch_, rows);
}

void CudaLearned::add_network(GraphChain& chain, const std::uint32_t* rows) const {
    add_part(chain, dynamics_, dynamics_batch_, rows);
    add_keep_finite(chain, states_, game_.state_count, rows_, rows, sound_);
    add_part(chain, prediction_, prediction_batch_, rows);
}

void CudaLearned::add_part(GraphChain& chain, const CudaNetwork& network, const NetworkBatch& batch,
                           const std::uint32_t* rows) {
    NetworkBatch filled = batch;
    filled.rows = rows;
    network.add_to(chain, filled);
}

void CudaLearned::add_keep_finite(GraphChain& chain, float* numbers, std::uint32_t count, std::uint32_t row_capacity,
                                  const std::uint32_t* rows, std::uint32_t* sound) const {
    constexpr std::uint64_t kRowsOfBlock = kRowThreads / kRowLanes;
    const std::uint64_t most = static_cast<std::uint64_t>(device_->properties().multiProcessorCount) * 16;
    const auto blocks = std::clamp<std::uint64_t>((row_capacity + kRowsOfBlock - 1) / kRowsOfBlock, 1, most);
    chain.add(keep_finite_kernel, static_cast<unsigned>(blocks), kRowThreads, numbers, count, rows, sound);
}

bool CudaLearned::is_heavy() const {
    return is_heavy_work(row_work(view_of(dynamics_)) + row_work(view_of(prediction_)), rows_);
}

}  // namespace augur::cuda
