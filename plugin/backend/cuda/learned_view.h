// The networks of a learned game as the kernels of a search see them.
#ifndef AUGUR_BACKEND_CUDA_LEARNED_VIEW_H
#define AUGUR_BACKEND_CUDA_LEARNED_VIEW_H

#include "core/latent_leaf.h"

namespace augur::cuda {

// Arrays are in device memory. A root's row is its agent's number, other nodes take theirs as they come.
struct LearnedView {
    std::uint32_t observation_count;  // O
    std::uint32_t state_count;        // S
    std::uint32_t action_count;       // K
    std::uint32_t player_count;
    float* observations;                                // [A][O], zeros where an agent sees something else than numbers
    std::uint32_t* sees;                                // [A] 1: it sees numbers alone
    float* latents;                                     // [A][N][S] what the networks know of every node
    float* ply_states;                                  // of the first row's ply: S numbers
    float* ply_actions;                                 // K numbers
    std::uint32_t ply_state_stride, ply_action_stride;  // from row to row, in numbers
    const float* states;                                // [rows][S], zeros where not finite
    const std::uint32_t* sound;                         // [rows] 1: the state was finite
    const float* rewards;                               // [rows][value_outputs]; null: there are none
    core::ValueKind reward_kind;
    float reward_scale;

    __device__ __forceinline__ float* latent(std::uint32_t agent, std::uint32_t node,
                                             std::uint32_t node_capacity) const {
        return latents + (static_cast<std::size_t>(agent) * node_capacity + node) * state_count;
    }
    __device__ __forceinline__ core::Heard heard(std::uint32_t row) const {
        const std::size_t at = row;
        return {sound[row] != 0 ? states + at * state_count : nullptr,
                rewards != nullptr ? rewards + at * core::value_outputs(reward_kind) : nullptr, reward_kind,
                reward_scale};
    }
};

// Part of the arrays of a planner; nothing where rules are compiled.
template <class R>
struct LearnedPart {};
template <core::Latent R>
struct LearnedPart<R> {
    LearnedView learned;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_LEARNED_VIEW_H
