// The kernels that networks are made of, as additions to a graph.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_KERNELS_H
#define AUGUR_BACKEND_CUDA_NETWORK_KERNELS_H

#include "backend/cuda/graph.h"
#include "backend/cuda/network_operand.h"
#include "backend/cuda/network_plan.h"

namespace augur::cuda {

// One step of the program with everything it touches. Passed by value.
struct StepArgs {
    core::NetworkStep step;
    core::NetworkTensor shape;      // of the output
    core::QuantisedStep quantised;  // int8
    core::QuantisedView view;       // int8: biases, rescales, scales, tables
    Operand a, b, residual, output;
    bool is_int8;
    const void* weights;
    const float* bias;        // null: none
    const std::int32_t* map;  // rearrange
    RowCount rows;
};

// Where element (row, pixel, channel) of a tensor lies.
struct Strides {
    std::uint64_t row;
    std::uint32_t pixel, channel;
};

// Dense or conv on matrix units: out[row][pixel][n] = sum over taps and channels of in * w, and so on. A dense step is
// a window of one tap over m pixels.
struct MatrixArgs {
    core::NetworkWindow at;  // channels: stored, in numbers
    std::uint32_t repeats;
    std::uint32_t chunks;   // of kMatrixChunk bytes, in a row of weights
    std::uint32_t columns;  // n
    Strides out;
    std::uint32_t out_columns;  // columns to write: n, or with padding
    bool has_residual;
    // Rows of the output follow each other, and eight columns are one access of memory; the residual lies likewise.
    bool in_eights;
    core::Activation activation;
    const std::int32_t* biases;  // int8, padded to whole kMatrixColumns, as are the others
    const core::Rescale* rescales;
    const float* scales;  // of results; else null
    // Work of one tile may be shared by several blocks.
    std::uint32_t splits;
    void* parts;              // [tiles][splits][tile] sums, floats or integers
    std::uint32_t* counters;  // [tiles] 0 between uses
    StepArgs of;              // step, quantised, view, operands, bias
};

// What a matrix step needs beside its operands, for a capacity of rows.
struct MatrixShare {
    bool large;  // tiles of 128 rows
    std::uint32_t splits;
    std::uint64_t tiles;
    std::uint64_t part_bytes;  // in all
};
MatrixShare share_matrix(std::uint64_t pixels, std::uint32_t columns, std::uint32_t chunks,
                         std::uint32_t multiprocessors);

struct ChainLayer {
    const void* weights;
    std::uint32_t weight_bytes;
    const float* bias;
    const std::int32_t* biases;  // int8, and the rest of this line
    const core::Rescale* rescales;
    const float* scales;
    const std::int8_t* table;
    std::int32_t low, high;
    bool is_result;
    bool goes_on;
    bool is_staged;       // its weights have room in shared memory
    std::uint32_t tiles;  // multiplications along k: repeats * tiles of one repeat
    std::uint32_t repeats;
    std::uint32_t columns;  // n
    core::Activation activation;
    float alpha, beta;
    Address stored;  // [rows][n]; no address: nowhere
    Form form;
    bool is_stored;
};

struct ChainArgs {
    ChainLayer layers[kChainLayers];
    std::uint32_t layer_count;
    Operand input;
    std::uint32_t k;      // numbers of a line of the input
    std::uint32_t lines;  // of a row
    std::uint32_t width;  // most numbers that pass between layers, or come in
    bool is_int8;
    RowCount rows;
};

struct Machine {
    std::uint32_t multiprocessors;
    std::uint64_t shared_bytes;  // most that a block may take
};

void add_element(GraphChain& chain, const StepArgs& args, Machine machine);
void add_direct(GraphChain& chain, const StepArgs& args, Machine machine);
void add_plain(GraphChain& chain, const StepArgs& args, Machine machine);
// Channels are those of the output; from_rows: the input's rows have them last already.
void add_convert(GraphChain& chain, const Operand& from, const Operand& to, bool from_rows, RowCount rows,
                 Machine machine);
// What the kernel rows of a conv with this window meet: of the output, [height][out_width][stored channels].
void add_fold(GraphChain& chain, const Operand& from, const Operand& to, const core::NetworkWindow& window,
              RowCount rows, Machine machine);
void add_give(GraphChain& chain, const Operand& from, const Operand& to, RowCount rows, Machine machine);
void add_clear(GraphChain& chain, std::uint32_t* counters, std::uint32_t count);
void add_matrix(GraphChain& chain, const MatrixArgs& args, const MatrixShare& share, Machine machine);
void add_chain(GraphChain& chain, const ChainArgs& args, Machine machine);

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_KERNELS_H
