// Rows per second of networks on the CPU backend, one thread, in fp32 and int8, on every level of the instruction set
// that is here. onnxruntime_cpu.py measures ONNX Runtime on networks of the same shape.
//
//   ./augur_network_bench [seconds for each figure, default 1]
//   ./augur_network_bench --accuracy [rows, default 64]   instead: what the lower precisions lose against fp32
//
// Time is the thread's own CPU time, so that a machine with other work to do counts as well: the median of many runs,
// and the shortest.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/network.h"
#include "bench/networks.h"
#include "model/half_weights.h"
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

// The first output of every row, in one precision.
std::vector<float> outputs_of(const core::NetworkProgram& program, std::uint32_t rows) {
    PlainMemory memory;
    std::unique_ptr<CpuNetwork> network;
    std::string message;
    if (CpuNetwork::make(program, memory, best_cpu_level(), &network, message) != AUGUR_OK) return {};
    Batch batch(program.network, rows, 1);
    std::vector<unsigned char> scratch(network->scratch_bytes(rows));
    network->run(batch.in(program.network).data(), batch.out(program.network).data(), rows, scratch.data());
    return {batch.outputs[0].begin(), batch.outputs[0].end()};
}

// How far outputs are from those of fp32, in parts of the range that those have, and how often the greatest of a row is
// another one.
void compare(const char* name, const char* precision, const std::vector<float>& exact, const std::vector<float>& other,
             std::uint32_t rows) {
    if (other.size() != exact.size()) {
        std::printf("%-9s %-5s does not run\n", name, precision);
        return;
    }
    const auto [least, most] = std::minmax_element(exact.begin(), exact.end());
    const double range = *most - *least;
    double greatest = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double error = std::abs(other[i] - exact[i]) / range;
        greatest = std::max(greatest, error);
        squares += error * error;
    }
    const auto count = static_cast<std::ptrdiff_t>(exact.size() / rows);
    std::uint32_t same = 0;
    for (std::uint32_t r = 0; r < rows; ++r) {
        const auto best = [&](const std::vector<float>& all) {
            const auto row = all.begin() + r * count;
            return std::max_element(row, row + count) - row;
        };
        same += best(exact) == best(other) ? 1 : 0;
    }
    std::printf(
        "%-9s %-5s %u rows: error %.3f %% of the range at most, %.3f %% root mean square, same first in %.1f %%\n",
        name, precision, rows, 100.0 * greatest, 100.0 * std::sqrt(squares / static_cast<double>(exact.size())),
        100.0 * same / rows);
}

void compare_all(const char* name, const NetworkBuilder& builder, std::uint32_t rows) {
    core::NetworkProgram program{};
    program.network = builder.view();
    program.precision = core::Precision::fp32;
    const std::vector<float> exact = outputs_of(program, rows);
    model::HalfWeights half;
    model::HalfOverflow overflow{};
    if (model::make_half_weights(program.network, &half, &overflow)) {
        program.precision = core::Precision::fp16;
        program.half = half.view();
        compare(name, "fp16", exact, outputs_of(program, rows), rows);
    }
    Batch samples(program.network, 16, 2);
    const model::RangeMeter meter(program.network, samples.in(program.network).data(),
                                  samples.out(program.network).data(), 16);
    model::Quantised quantised;
    std::uint32_t step = 0;
    std::string why;
    if (model::quantise(program.network, meter.ranges(1.0, true), &quantised, &step, why)) {
        program.precision = core::Precision::int8;
        program.quantised = quantised.view();
        compare(name, "int8", exact, outputs_of(program, rows), rows);
    }
}

}  // namespace
}  // namespace augur::bench

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--accuracy") == 0) {
        const auto rows = static_cast<std::uint32_t>(std::max(argc > 2 ? std::atoi(argv[2]) : 64, 1));
        augur::bench::compare_all("mlp", augur::bench::dense_network({42, 128, 128, 8}), rows);
        augur::bench::compare_all("resnet18", augur::bench::resnet18(), rows);
        return 0;
    }
    const double seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
    augur::bench::measure_all("mlp", augur::bench::dense_network({42, 128, 128, 8}), {1, 16, 64, 1024}, seconds);
    augur::bench::measure_all("resnet18", augur::bench::resnet18(), {1, 4}, seconds);
    return 0;
}
