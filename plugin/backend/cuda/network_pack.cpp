#include "backend/cuda/network_pack.h"

#include <cmath>
#include <cstring>

#include "core/half.h"

namespace augur::cuda {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkWindow;

std::uint64_t rounded(std::uint64_t x, std::uint64_t unit) {
    return (x + unit - 1) / unit * unit;
}

std::uint64_t weight_count(const NetworkStep& step) {
    if (step.op == NetworkOp::dense) return std::uint64_t{step.k} * step.n;
    const NetworkWindow& w = step.window;
    return std::uint64_t{w.out_channels} * (w.channels / w.groups) * w.kernel_h * w.kernel_w;
}

bool is_int8(const core::NetworkProgram& program) {
    return program.precision == core::Precision::int8;
}

// A weight in half precision: repeat 0 of one is what the program has, of two the nearest half, repeat 1 the rest.
std::uint16_t half_weight(const core::NetworkProgram& program, std::uint64_t at, std::uint32_t repeat,
                          std::uint32_t repeats) {
    if (repeats == 1) return program.half.weights[at];
    const float w = program.network.weights[at];
    const std::uint16_t nearest = core::half_of_float(w);
    return repeat == 0 ? nearest : core::half_of_float(w - core::float_of_half(nearest));
}

// Room for count values at the end of the block, all zero.
template <class T>
T* make_room(Block& block, std::uint64_t count, std::uint64_t* offset) {
    *offset = rounded(block.size(), 256);
    block.resize(*offset + count * sizeof(T), 0);
    return reinterpret_cast<T*>(block.data() + *offset);
}

// Calls put(row, place in the row, place in the program's weights) for every weight.
template <class Put>
void each_weight(const NetworkStep& step, MatrixOrder order, Put put) {
    if (step.op == NetworkOp::dense) {
        for (std::uint64_t k = 0; k < step.k; ++k) {
            // k-th of [channels][plane].
            const std::uint64_t place = k % order.plane * order.stored + k / order.plane;
            for (std::uint64_t n = 0; n < step.n; ++n)
                put(n, place, k * step.n + n);
        }
        return;
    }
    const std::uint64_t width = step.window.kernel_w, taps = step.window.kernel_h * width;
    for (std::uint64_t n = 0; n < step.window.out_channels; ++n)
        for (std::uint64_t c = 0; c < order.channels; ++c)
            for (std::uint64_t tap = 0; tap < taps; ++tap) {
                const std::uint64_t place = order.folded ? tap / width * order.stored + tap % width * order.channels + c
                                                         : tap * order.stored + c;
                put(n, place, (n * order.channels + c) * taps + tap);
            }
}

}  // namespace

std::uint64_t append_bytes(Block& block, const void* values, std::uint64_t bytes) {
    std::uint64_t offset = 0;
    unsigned char* to = make_room<unsigned char>(block, bytes, &offset);
    if (bytes != 0) std::memcpy(to, values, bytes);
    return offset;
}

bool splits_into_halves(const core::NetworkProgram& program, std::uint32_t step) {
    const NetworkStep& of = program.network.steps[step];
    const float* weights = program.network.weights + of.weights;
    for (std::uint64_t i = 0; i < weight_count(of); ++i)
        if (core::overflows_half(weights[i])) return false;
    return true;
}

std::uint64_t pack_matrix(const core::NetworkProgram& program, std::uint32_t step, MatrixOrder order,
                          std::uint32_t repeats, Block& block) {
    const NetworkStep& of = program.network.steps[step];
    const bool is_dense = of.op == NetworkOp::dense;
    const std::uint64_t taps =
        is_dense ? 1 : std::uint64_t{of.window.kernel_h} * (order.folded ? 1 : of.window.kernel_w);
    const std::uint64_t each = taps * order.plane * order.stored;
    const std::uint64_t columns = rounded(is_dense ? of.n : of.window.out_channels, kMatrixColumns);
    const std::uint64_t bytes = is_int8(program) ? 1 : 2;
    const std::uint64_t row = rounded(repeats * each * bytes, kMatrixChunk) / bytes;
    std::uint64_t offset = 0;
    if (is_int8(program)) {
        const std::int8_t* from = program.quantised.weights + program.quantised.steps[step].weights;
        auto* to = make_room<std::int8_t>(block, columns * row, &offset);
        each_weight(of, order, [&](auto n, auto place, auto at) { to[n * row + place] = from[at]; });
    } else {
        auto* to = make_room<std::uint16_t>(block, columns * row, &offset);
        for (std::uint32_t r = 0; r < repeats; ++r)
            each_weight(of, order, [&](auto n, auto place, auto at) {
                to[n * row + r * each + place] = half_weight(program, of.weights + at, r, repeats);
            });
    }
    return offset;
}

// A multiplication takes 32 bytes of k (16 halves, 32 integers) and 8 columns. Lane 4 g + t gives column g two words:
// halves 2t, 2t+1 and 2t+8, 2t+9 of k; integers 4t .. 4t+3 and 16+4t .. 16+4t+3. Which numbers of the layer stand at
// those k follows from how lanes hold what is multiplied (network_chain.cuh): the chain's input is read so that lane t
// has neighbouring numbers; what a layer made stays where it was made, columns 2t and 2t+1 of each 8.
std::uint64_t pack_layer(const core::NetworkProgram& program, std::uint32_t step, bool from_input,
                         std::uint32_t repeats, Block& block) {
    const NetworkStep& of = program.network.steps[step];
    const bool integers = is_int8(program);
    const std::uint32_t unit = integers ? 32 : 16;
    const std::uint32_t tiles = static_cast<std::uint32_t>(rounded(of.k, kLayerDepth)) / unit;
    const std::uint32_t quads = static_cast<std::uint32_t>(rounded(of.n, kLayerColumns)) / kLayerColumns;
    std::uint64_t offset = 0;
    auto* to = make_room<unsigned char>(block, std::uint64_t{quads} * repeats * tiles * 32 * 32, &offset);
    // Number of k within a tile that element i of lane t's word stands for.
    const auto natural = [&](std::uint32_t word, std::uint32_t t, std::uint32_t i) {
        if (integers) return from_input ? 16 * word + 4 * t + i : 16 * word + 8 * (i / 2) + 2 * t + i % 2;
        return from_input ? 4 * t + 2 * word + i : 8 * word + 2 * t + i;
    };
    const std::uint32_t in_word = integers ? 4 : 2;
    for (std::uint32_t quad = 0; quad < quads; ++quad)
        for (std::uint32_t tile = 0; tile < repeats * tiles; ++tile)
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                for (std::uint32_t j = 0; j < 4; ++j)
                    for (std::uint32_t word = 0; word < 2; ++word)
                        for (std::uint32_t i = 0; i < in_word; ++i) {
                            const std::uint32_t k = tile % tiles * unit + natural(word, lane % 4, i);
                            const std::uint32_t n = quad * kLayerColumns + 8 * j + lane / 4;
                            if (k >= of.k || n >= of.n) continue;
                            // Two runs of 16 bytes a lane: columns 0 and 1 of the four, then 2 and 3.
                            const std::uint64_t run = (std::uint64_t{quad} * repeats * tiles + tile) * 2 + j / 2;
                            unsigned char* at = to + (run * 32 + lane) * 16 + (j % 2) * 8 + word * 4;
                            const std::uint64_t from = std::uint64_t{k} * of.n + n;
                            if (integers) {
                                const std::uint64_t first = program.quantised.steps[step].weights;
                                std::memcpy(at + i, program.quantised.weights + first + from, 1);
                            } else {
                                const std::uint16_t w = half_weight(program, of.weights + from, tile / tiles, repeats);
                                std::memcpy(at + 2 * i, &w, 2);
                            }
                        }
    return offset;
}

std::uint64_t pack_plain(const core::NetworkProgram& program, std::uint32_t step, bool halves, Block& block) {
    const NetworkStep& of = program.network.steps[step];
    const std::uint64_t count = weight_count(of);
    const std::uint64_t columns = of.op == NetworkOp::dense ? of.n : of.window.out_channels;
    const std::uint64_t depth = count / columns;
    std::uint64_t offset = 0;
    auto* to = make_room<float>(block, count, &offset);
    for (std::uint64_t i = 0; i < count; ++i) {
        const float w = halves ? core::float_of_half(program.half.weights[of.weights + i])
                               : program.network.weights[of.weights + i];
        to[of.op == NetworkOp::dense ? i : i % depth * columns + i / depth] = w;
    }
    return offset;
}

std::uint64_t pack_direct(const core::NetworkProgram& program, std::uint32_t step, bool halves, Block& block) {
    const NetworkStep& of = program.network.steps[step];
    const std::uint64_t count = weight_count(of);
    if (is_int8(program))
        return append(block, program.quantised.weights + program.quantised.steps[step].weights, count);
    if (!halves) return append(block, program.network.weights + of.weights, count);
    std::vector<float> floats(count);
    for (std::uint64_t i = 0; i < count; ++i)
        floats[i] = core::float_of_half(program.half.weights[of.weights + i]);
    return append(block, floats.data(), count);
}

}  // namespace augur::cuda
