// Rows per second of networks on the CPU backend, one thread, in fp32 and int8, on every level of the instruction set
// that is here. onnxruntime_cpu.py measures ONNX Runtime on networks of the same shape.
//
//   ./augur_network_bench [seconds for each figure, default 1]
//
// Time is the thread's own CPU time, so that a machine with other work to do counts as well: the median of many runs,
// and the shortest.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/network.h"
#include "bench/networks.h"
#include "model/quantise.h"

namespace augur::bench {
namespace {

using test::Batch;
using test::NetworkBuilder;

class PlainMemory final : public Memory {
  public:
    void* allocate(std::size_t size_bytes, std::size_t alignment) override {
        return std::aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment);
    }
    void release(void* pointer, std::size_t) override { std::free(pointer); }
};

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(const char* name, const char* precision, const core::NetworkProgram& program, CpuLevel level,
             std::uint32_t rows, double seconds) {
    PlainMemory memory;
    std::unique_ptr<CpuNetwork> network;
    std::string message;
    if (CpuNetwork::make(program, memory, level, &network, message) != AUGUR_OK) {
        std::printf("%s: %s\n", name, message.c_str());
        return;
    }
    const core::NetworkView& net = program.network;
    Batch batch(net, rows, 1);
    std::vector<unsigned char> scratch(network->scratch_bytes(rows));
    const auto in = batch.in(net);
    const auto out = batch.out(net);
    std::vector<double> times;
    double total = 0.0;
    int repeats = 1;
    while (total < seconds || times.size() < 5) {
        const double start = thread_seconds();
        for (int i = 0; i < repeats; ++i)
            network->run(in.data(), out.data(), rows, scratch.data());
        const double took = thread_seconds() - start;
        total += took;
        times.push_back(took / repeats);
        repeats = std::clamp(static_cast<int>(1e-4 / times.back()), 1, 1000);  // a clock reading costs a little
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    constexpr const char* kLevels[] = {"base", "v3", "v4"};
    std::printf("%-9s %-5s %-4s batch %5u: median %10.1f us, shortest %10.1f us, %10.0f rows/s\n", name, precision,
                kLevels[static_cast<std::uint32_t>(level)], rows, median * 1e6, times.front() * 1e6, rows / median);
    std::fflush(stdout);
}

void measure_all(const char* name, const NetworkBuilder& builder, const std::vector<std::uint32_t>& batches,
                 double seconds) {
    const core::NetworkView net = builder.view();
    core::NetworkProgram fp32{};
    fp32.network = net;
    fp32.precision = core::Precision::fp32;
    Batch samples(net, 1, 2);
    const model::RangeMeter meter(net, samples.in(net).data(), samples.out(net).data(), 1);
    model::Quantised quantised;
    std::uint32_t step = 0;
    std::string why;
    core::NetworkProgram int8 = fp32;
    int8.precision = core::Precision::int8;
    const bool has_int8 = model::quantise(net, meter.ranges(1.0, true), &quantised, &step, why);
    int8.quantised = quantised.view();
    for (std::uint32_t level = 0; level <= static_cast<std::uint32_t>(best_cpu_level()); ++level) {
        for (const std::uint32_t rows : batches)
            measure(name, "fp32", fp32, static_cast<CpuLevel>(level), rows, seconds);
        for (const std::uint32_t rows : batches)
            if (has_int8) measure(name, "int8", int8, static_cast<CpuLevel>(level), rows, seconds);
    }
}

}  // namespace
}  // namespace augur::bench

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
    augur::bench::measure_all("mlp", augur::bench::dense_network({42, 128, 128, 8}), {1, 16, 64, 1024}, seconds);
    augur::bench::measure_all("resnet18", augur::bench::resnet18(), {1, 4}, seconds);
    return 0;
}
