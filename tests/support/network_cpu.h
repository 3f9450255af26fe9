// Networks on the CPU backend, for tests: memory that counts, levels of the instruction set, batches run in parts.

#ifndef AUGUR_TESTS_SUPPORT_NETWORK_CPU_H
#define AUGUR_TESTS_SUPPORT_NETWORK_CPU_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/network.h"
#include "support/network_zoo.h"

namespace augur::test {

class CountedMemory final : public Memory {
  public:
    void* allocate(std::size_t size_bytes, std::size_t alignment) override {
        if (refuse) return nullptr;
        held += size_bytes;
        return std::aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment);
    }
    void release(void* pointer, std::size_t size_bytes) override {
        held -= size_bytes;
        std::free(pointer);
    }
    bool refuse = false;
    std::size_t held = 0;
};

// The levels that this machine has.
inline std::vector<CpuLevel> levels() {
    std::vector<CpuLevel> all = {CpuLevel::base};
    if (best_cpu_level() >= CpuLevel::v3) all.push_back(CpuLevel::v3);
    if (best_cpu_level() >= CpuLevel::v4) all.push_back(CpuLevel::v4);
    return all;
}

inline std::unique_ptr<CpuNetwork> make(const core::NetworkProgram& program, Memory& memory,
                                        CpuLevel level = best_cpu_level()) {
    std::unique_ptr<CpuNetwork> network;
    std::string message;
    EXPECT_EQ(CpuNetwork::make(program, memory, level, &network, message), AUGUR_OK) << message;
    return network;
}

inline core::NetworkProgram fp32(const core::NetworkView& net) {
    core::NetworkProgram program{};
    program.network = net;
    program.precision = core::Precision::fp32;
    return program;
}

// Runs rows first .. first+rows-1 of a batch, with a scratch full of NaN.
inline void run(const CpuNetwork& network, Batch& batch, std::uint32_t first, std::uint32_t rows) {
    const core::NetworkView& net = network.program().network;
    std::vector<unsigned char> scratch(network.scratch_bytes(rows), 0xff);
    network.run(batch.in(net, first).data(), batch.out(net, first).data(), rows, scratch.data());
}

}  // namespace augur::test

#endif
