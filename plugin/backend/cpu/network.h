// A network on the CPU: weights packed once for the vector unit of this machine, then run by any number of threads.
#ifndef AUGUR_BACKEND_CPU_NETWORK_H
#define AUGUR_BACKEND_CPU_NETWORK_H

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/network_kernels.h"

namespace augur {

class CpuNetwork final {
  public:
    // The program's arrays stay alive and in place as long as the network. AUGUR_ERROR_OUT_OF_MEMORY with the bytes in
    // message.
    static augur_result make(const core::NetworkProgram& program, Memory& memory, CpuLevel level,
                             std::unique_ptr<CpuNetwork>* out, std::string& message);
    ~CpuNetwork();
    CpuNetwork(const CpuNetwork&) = delete;
    CpuNetwork& operator=(const CpuNetwork&) = delete;

    const core::NetworkProgram& program() const { return program_; }
    std::uint64_t memory_bytes() const { return block_bytes_; }

    // What run needs for up to `rows` rows: does not grow without end, because long batches are run in parts.
    std::size_t scratch_bytes(std::uint32_t rows) const;

    // inputs[i] is [rows][count of input i], outputs[o] is [rows][count of output o] or null where it is not wanted:
    // what only serves such outputs is not computed. scratch is at least scratch_bytes(rows), of any alignment. Any
    // thread, with a scratch of its own; never allocates. A row's results are the same bits in any batch. Numbers that
    // are not finite come out as they are.
    void run(const float* const* inputs, float* const* outputs, std::uint32_t rows, void* scratch) const;

  private:
    // Where a step finds a tensor.
    struct Operand {
        enum class Kind : std::uint32_t { none, constant, input, scratch } kind;
        std::uint32_t input;   // input: its number
        std::uint64_t offset;  // scratch: elements, times the rows of the part
        std::uint32_t count;   // elements of a row
        const float* floats;   // constant
        // int8 programs:
        bool single;                  // held as floats
        float scale, inverse_scale;   // between the two forms
        const std::int8_t* integers;  // constant that is not single
    };

    struct Step {
        const core::NetworkStep* step;
        Operand a, b, residual, output;
        const void* packed;  // dense, conv: weights
        const void* bias;
        float low, high;                       // fp32, fp16 dense, conv: limits that stand for the activation
        bool activate;                         // dense, conv: the activation follows as a pass of its own
        bool round;                            // fp16: the result is rounded to half
        std::uint32_t part_first, part_count;  // elements of the output that are written
        std::uint32_t serves;                  // outputs of the network that it takes part in, one bit each
        const core::QuantisedStep* quantised;  // int8
        const std::int32_t* multipliers;
        const std::int32_t* shifts;
    };

    // What a part of a batch works in.
    struct Part {
        const float* const* inputs;
        std::uint32_t rows;
        unsigned char* tensors;
        void* workspace;
        float* read[2];  // operands in the other form
    };

    CpuNetwork(const core::NetworkProgram& program, Memory& memory, CpuLevel level);

    Operand operand(std::uint32_t tensor) const;
    Step plan(std::uint32_t number) const;
    bool is_written(std::uint32_t tensor) const;
    void mark_served_outputs();
    bool is_int8() const { return program_.precision == core::Precision::int8; }
    bool rounds(std::uint32_t tensor) const;
    std::size_t place(void* base);
    void pack();
    void pack_int8(const Step& planned);
    void size_workspace();
    void size_workspace_int8();
    std::uint32_t part_rows(std::uint32_t rows) const;
    void take_inputs(const Part& part) const;
    void give_outputs(const Part& part, float* const* outputs) const;
    void run_step(const Step& planned, const Part& part) const;
    void run_step_int8(const Step& planned, const Part& part) const;
    const float* floats(const Operand& operand, const Part& part, std::uint32_t slot) const;
    const std::int8_t* integers(const Operand& operand, const Part& part, std::uint32_t slot) const;

    core::NetworkProgram program_;
    Memory& memory_;
    const NetworkKernels& kernels_;
    std::vector<Step> steps_;
    std::vector<bool> direct_;  // [inputs] read where the caller has them
    std::size_t workspace_bytes_ = 0;
    std::size_t read_count_[2] = {0, 0};  // elements of a row, see Part::read
    void* block_ = nullptr;
    std::size_t block_bytes_ = 0;
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_NETWORK_H
