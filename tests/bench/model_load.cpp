// augur_load_bench: how long it takes to load a model of ResNet-18's size, and how much memory.
//
//   augur_load_bench [--backend cpu|cuda] [--loads N, default 5]
//
// An ordinary host: the model is a file of 47 MB (11.7 million weights in floats) that the system has just written, so
// that no disk is measured. Loading reads and checks it, folds, orders the weights for the backend and tries the
// precision on a row. Times are medians; memory is resident memory of this process at its peak during a load, and
// after it, above what it was before.

#include <unistd.h>

#include <algorithm>
#include <augur/augur.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "measure.h"
#include "resnet_onnx.h"
#include "support/process_memory.h"

namespace augur::bench {
namespace {

// The model's file, gone with this. One for each process: several may measure at once.
class ModelFile {
  public:
    explicit ModelFile(const std::string& bytes)
        : path_(std::filesystem::temp_directory_path() / ("augur-load-bench-" + std::to_string(::getpid()) + ".onnx")) {
        std::ofstream file(path_, std::ios::binary);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (!file.flush()) throw std::runtime_error("cannot write " + path_.string());
    }
    ~ModelFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    ModelFile(const ModelFile&) = delete;
    ModelFile& operator=(const ModelFile&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

void measure(const char* name, augur_precision precision, const std::string& path, bool on_gpu, int loads) {
    augur_context_desc context_desc = augur_context_desc_default();
    context_desc.backend = on_gpu ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU;
    sdk::Context context = sdk::unwrap(sdk::Context::create(context_desc));
    std::vector<double> milliseconds;
    double peak = 0, kept = 0, of_gpu = 0;
    augur_model_info info{};
    for (int i = 0; i < loads; ++i) {
        augur_model_desc desc = augur_model_desc_default();
        desc.path = path.c_str();
        desc.precision = static_cast<std::uint32_t>(precision);
        desc.precision_limit = 1.0f;
        desc.row_capacity = 1;
        test::trim_allocator();
        test::begin_peak();
        const auto before = static_cast<double>(test::resident_bytes());
        const double gpu_before = static_cast<double>(sdk::unwrap(context.memory()).device_bytes);
        const double begin = steady_us();
        const sdk::Model model = sdk::unwrap(context.make_model(desc));
        milliseconds.push_back((steady_us() - begin) * 1e-3);
        peak = std::max(peak, static_cast<double>(test::peak_resident_bytes()) - before);
        test::trim_allocator();
        kept = std::max(kept, static_cast<double>(test::resident_bytes()) - before);
        of_gpu = std::max(of_gpu, static_cast<double>(sdk::unwrap(context.memory()).device_bytes) - gpu_before);
        info = sdk::unwrap(model.info());
    }
    const Summary time = summarise(milliseconds);
    std::printf("| %s | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f |\n", name, time.median, time.max,
                static_cast<double>(info.weight_bytes) * 1e-6, peak * 1e-6, kept * 1e-6, of_gpu * 1e-6);
    std::fflush(stdout);
}

int run(bool on_gpu, int loads) {
    const std::string onnx = resnet18_onnx();
    const ModelFile file(onnx);
    std::printf("ResNet-18, %.1f MB, on the %s, %d loads\n\n", static_cast<double>(onnx.size()) * 1e-6,
                on_gpu ? "GPU" : "CPU", loads);
    std::printf(
        "| precision | ms, median | ms, most | weights, MB | peak while it loads, MB | kept, MB | of the GPU, MB "
        "|\n|---|---:|---:|---:|---:|---:|---:|\n");
    measure("fp32", AUGUR_PRECISION_FP32, file.path(), on_gpu, loads);
    measure("fp16", AUGUR_PRECISION_FP16, file.path(), on_gpu, loads);
    measure("int8", AUGUR_PRECISION_INT8, file.path(), on_gpu, loads);
    return 0;
}

}  // namespace
}  // namespace augur::bench

int main(int argc, char** argv) {
    bool on_gpu = false, understood = argc % 2 == 1;
    int loads = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--backend" && (value == "cpu" || value == "cuda"))
            on_gpu = value == "cuda";
        else if (name == "--loads")
            loads = std::atoi(value.c_str());
        else
            understood = false;
    }
    if (!understood || loads < 1) {
        std::fprintf(stderr, "usage: augur_load_bench [--backend cpu|cuda] [--loads N]\n");
        return 2;
    }
    try {
        return augur::bench::run(on_gpu, loads);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_load_bench: %s\n", error.what());
        return 1;
    }
}
