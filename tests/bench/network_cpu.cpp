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
#include "model/quantise.h"
#include "support/network_zoo.h"

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

// 42-128-128-8, relu.
NetworkBuilder small_mlp() {
    test::SplitMix64 random(1);
    NetworkBuilder b;
    const auto x = b.input({42});
    const auto h1 = b.tensor({128});
    const auto h2 = b.tensor({128});
    const auto y = b.tensor({8});
    const auto layer = [&](std::uint32_t from, std::uint32_t to, std::uint32_t k, std::uint32_t n) -> auto& {
        return b.dense(from, to, k, n, test::layer_weights(random, static_cast<std::size_t>(k) * n, k),
                       test::random_floats(random, n));
    };
    layer(x, h1, 42, 128).activation = core::Activation::relu;
    layer(h1, h2, 128, 128).activation = core::Activation::relu;
    layer(h2, y, 128, 8);
    b.output(y);
    return b;
}

// ResNet-18 at 224 x 224 (He et al.: Deep Residual Learning for Image Recognition, 2015, table 1), batch norm folded.
NetworkBuilder resnet18() {
    test::SplitMix64 random(2);
    NetworkBuilder b;
    const auto conv = [&](std::uint32_t from, std::uint32_t channels, std::uint32_t out, std::uint32_t size,
                          std::uint32_t kernel, std::uint32_t stride, bool relu, std::uint32_t residual) {
        const core::NetworkWindow w =
            NetworkBuilder::window(channels, size, size, out, kernel, stride, static_cast<std::int32_t>(kernel / 2));
        const auto to = b.tensor({out, w.out_height, w.out_width});
        const std::size_t k = static_cast<std::size_t>(channels) * kernel * kernel;
        core::NetworkStep& s =
            b.conv(from, to, w, test::layer_weights(random, out * k, k), test::random_floats(random, out, -0.1f, 0.1f));
        s.residual = residual;
        if (relu) s.activation = core::Activation::relu;
        return to;
    };
    const auto x = b.input({3, 224, 224});
    auto trunk = conv(x, 3, 64, 224, 7, 2, true, core::kNoTensor);
    const auto pooled = b.tensor({64, 56, 56});
    b.step(core::NetworkOp::max_pool, trunk, pooled).window = NetworkBuilder::window(64, 112, 112, 64, 3, 2, 1);
    trunk = pooled;
    std::uint32_t channels = 64;
    std::uint32_t size = 56;
    for (const std::uint32_t out : {64u, 128u, 256u, 512u}) {
        for (std::uint32_t block = 0; block < 2; ++block) {
            const std::uint32_t stride = block == 0 && out != channels ? 2 : 1;
            const auto residual = stride == 2 ? conv(trunk, channels, out, size, 1, 2, false, core::kNoTensor) : trunk;
            const auto inner = conv(trunk, channels, out, size, 3, stride, true, core::kNoTensor);
            size /= stride;
            trunk = conv(inner, out, out, size, 3, 1, true, residual);
            channels = out;
        }
    }
    const auto means = b.tensor({512});
    b.step(core::NetworkOp::reduce_mean, trunk, means).axis = {512, 49, 1};
    const auto y = b.tensor({1000});
    b.dense(means, y, 512, 1000, test::layer_weights(random, 512000, 512), test::random_floats(random, 1000));
    b.output(y);
    return b;
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
    augur::bench::measure_all("mlp", augur::bench::small_mlp(), {1, 16, 64, 1024}, seconds);
    augur::bench::measure_all("resnet18", augur::bench::resnet18(), {1, 4}, seconds);
    return 0;
}
