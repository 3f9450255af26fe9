// Weights in the order in which the GPU's kernels read them.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_PACK_H
#define AUGUR_BACKEND_CUDA_NETWORK_PACK_H

#include <vector>

#include "core/network_program.h"

namespace augur::cuda {

using Block = std::vector<unsigned char>;

// Columns that a block of a matrix kernel makes at least, and that a chain's layer makes at a time: packed weights and
// biases are padded with zeros to whole ones.
inline constexpr std::uint32_t kMatrixColumns = 64;
inline constexpr std::uint32_t kLayerColumns = 32;
// Numbers of k whose weights a chain reads at a time.
inline constexpr std::uint32_t kLayerDepth = 64;
// Bytes of a row of weights that a matrix kernel takes at a time.
inline constexpr std::uint32_t kMatrixChunk = 64;

// Copies values to the end of the block, aligned to 256 bytes; the offset of the first.
std::uint64_t append_bytes(Block& block, const void* values, std::uint64_t bytes);
template <class T>
std::uint64_t append(Block& block, const T* values, std::uint64_t count) {
    return append_bytes(block, values, count * sizeof(T));
}

// How the numbers lie that a matrix kernel multiplies with weights: for each tap of the window plane * stored, the
// first `channels` of each `stored` being the tensor's. A dense step has one tap. folded: a kernel row is one tap, with
// its columns' channels one after the other.
struct MatrixOrder {
    std::uint32_t channels, stored, plane;
    bool folded;
};

// Whether all weights of a step can be written as sums of two halves, of which the second is rounded.
bool splits_into_halves(const core::NetworkProgram& program, std::uint32_t step);

// [columns, padded][repeats][taps][plane][stored], rows padded to whole chunks. fp16: halves; two repeats: the halves
// nearest to the weights, then what is left. int8: integers.
std::uint64_t pack_matrix(const core::NetworkProgram& program, std::uint32_t step, MatrixOrder order,
                          std::uint32_t repeats, Block& block);

// For a chain: what each lane of a warp gives to one multiplication side by side (network_chain.cuh).
std::uint64_t pack_layer(const core::NetworkProgram& program, std::uint32_t step, bool from_input,
                         std::uint32_t repeats, Block& block);

// Floats [k][n], k as in the program's weights; halves: those nearest to the weights.
std::uint64_t pack_plain(const core::NetworkProgram& program, std::uint32_t step, bool halves, Block& block);

// In the program's order and form; halves as floats.
std::uint64_t pack_direct(const core::NetworkProgram& program, std::uint32_t step, bool halves, Block& block);

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_PACK_H
