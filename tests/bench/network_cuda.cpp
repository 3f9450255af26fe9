// How long the GPU takes for networks on the CUDA backend. Figures of others were measured on one NVIDIA H200 with
// PyTorch 2.11, half precision, captured in a graph and replayed; ResNet-18 with channels last.
//
//   ./augur_network_cuda_bench [part of a name [rows]]
//
// Two times a network and batch size, medians: of one launch of a graph that evaluates the batch once, by events before
// and after it; and of each further evaluation in the same graph.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/networks.h"
#include "gpu/network_gpu.h"

namespace augur::bench {
namespace {

using core::Precision;
using test::must;

constexpr std::uint32_t kFurther = 10;  // evaluations in the longer graph, beyond the first

struct Size {
    std::uint32_t rows;
    double others_us;  // 0: not measured
};

struct Subject {
    const char* name;
    NetworkBuilder network;
    std::vector<Size> sizes;
};

std::vector<Subject> subjects() {
    std::vector<Subject> all;
    all.push_back(
        {"64-128-128-9", dense_network({64, 128, 128, 9}), {{1, 20.6}, {4096, 22.1}, {65536, 74.5}, {1048576, 783.0}}});
    all.push_back(
        {"64-64-64-8", dense_network({64, 64, 64, 8}), {{1, 21.1}, {4096, 15.8}, {65536, 29.7}, {1048576, 328.0}}});
    all.push_back({"128-256-256-256-16",
                   dense_network({128, 256, 256, 256, 16}),
                   {{1, 19.1}, {4096, 24.3}, {65536, 144.0}, {1048576, 1795.0}}});
    all.push_back({"42-128-128-8", dense_network({42, 128, 128, 8}), {{1, 0.0}, {4096, 0.0}, {65536, 0.0}}});
    all.push_back({"ResNet-18", resnet18(), {{1, 363.0}, {8, 502.0}, {16, 615.0}, {64, 1513.0}}});
    return all;
}

class Stopwatch {
  public:
    Stopwatch() {
        must(cudaEventCreate(&begin_));
        must(cudaEventCreate(&end_));
    }
    ~Stopwatch() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    // Median of many launches, in microseconds.
    double time(test::GpuGraph& graph) {
        std::vector<double> times;
        double total = 0.0;
        for (int i = 0; i < 3; ++i)
            graph.launch();
        while (times.size() < 20 || (times.size() < 200 && total < 50e3)) {
            must(cudaEventRecord(begin_, graph.stream()));
            graph.launch();
            must(cudaEventRecord(end_, graph.stream()));
            must(cudaEventSynchronize(end_));
            float ms = 0.0f;
            must(cudaEventElapsedTime(&ms, begin_, end_));
            times.push_back(double{ms} * 1e3);
            total += times.back();
        }
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        return times[times.size() / 2];
    }

  private:
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// only: rows to measure; 0: all.
void measure(const std::shared_ptr<cuda::Device>& device, const Subject& subject, Precision precision,
             std::uint32_t only) {
    constexpr const char* kNames[] = {"", "fp32", "fp16", "int8"};
    const core::NetworkView net = subject.network.view();
    const test::GpuProgram program(net, precision, 1);
    std::unique_ptr<BackendNetwork> network;
    std::string message;
    if (!program.possible || cuda::CudaNetwork::make(program.program, device, &network, message) != AUGUR_OK) {
        std::printf("%-20s %s: %s\n", subject.name, kNames[static_cast<std::uint32_t>(precision)], message.c_str());
        return;
    }
    const auto& on_gpu = static_cast<const cuda::CudaNetwork&>(*network);
    Stopwatch stopwatch;
    for (const Size& size : subject.sizes) {
        if (only != 0 && size.rows != only) continue;
        const test::Batch batch(net, size.rows, 1);
        test::GpuGraph once(on_gpu, size.rows), often(on_gpu, size.rows, 1 + kFurther);
        once.put(batch);
        often.put(batch);
        const double single = stopwatch.time(once);
        const double further = (stopwatch.time(often) - single) / kFurther;
        std::printf("%-20s %s %8u rows: %9.2f us a launch, %9.2f us each further", subject.name,
                    kNames[static_cast<std::uint32_t>(precision)], size.rows, single, further);
        if (size.others_us > 0.0 && precision == Precision::fp16)
            std::printf(", PyTorch %7.1f us (%.2fx)", size.others_us, size.others_us / single);
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace augur::bench

int main(int argc, char** argv) {
    std::string why_not;
    const auto device = augur::test::gpu_device(why_not);
    if (device == nullptr) {
        std::printf("skipped: %s\n", why_not.c_str());
        return 77;
    }
    std::printf("%s\n", device->properties().name);
    using augur::core::Precision;
    const auto rows = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 0);
    for (const auto& subject : augur::bench::subjects()) {
        if (argc > 1 && std::string(subject.name).find(argv[1]) == std::string::npos) continue;
        for (const Precision precision : {Precision::fp16, Precision::int8, Precision::fp32})
            augur::bench::measure(device, subject, precision, rows);
    }
    return 0;
}
