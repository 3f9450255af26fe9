// The tensors of a network as kernels see them.
#ifndef AUGUR_BACKEND_CUDA_NETWORK_OPERAND_H
#define AUGUR_BACKEND_CUDA_NETWORK_OPERAND_H

#include "core/network_program.h"

namespace augur::cuda {

// Where something begins: at data, or where the table says when the kernel runs.
struct Address {
    void* data;
    void* const* table;
};

// How many rows there are: those of the counter, or the capacity where there is none.
struct RowCount {
    std::uint32_t capacity;
    const std::uint32_t* counter;
};

// What the numbers of a tensor are in memory.
enum class Form : std::uint32_t { single, half, integer };

// How the numbers of a single tensor are taken: as they are, rounded to half, or rounded to int8.
enum class Reading : std::uint32_t { plain, rounded, quantised };

// Rows of a tensor. Elements lie in the order of ONNX, or channels last: [plane][stored_channels], where those past
// the tensor's own channels are padding that is finite and otherwise of no meaning.
struct Operand {
    Address at;
    const std::int8_t* integers;  // constants of int8 networks in their other form
    Form form;
    Reading reading;
    std::uint32_t count;                   // elements of one row, without padding
    std::uint32_t row_elements;            // from row to row, padding counted; constants: 0
    std::uint32_t plane, stored_channels;  // channels last; else 0
    float scale, inverse_scale;            // int8 networks
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_NETWORK_OPERAND_H
